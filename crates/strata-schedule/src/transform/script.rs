//! A typed builder for the text of transform-dialect sequences.
//!
//! Schedules are text so that users can print, edit and feed them back; the builder numbers the
//! handles and knows the operations' types.

use std::fmt::Write as _;
use strata_ir::{OpName, scf, tensor};
use strata_options::{OptLevel, Options};

/// A handle to payload operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(usize);

/// The named sequence that every schedule includes to clean up between two steps.
pub fn clean(cleaning: Cleaning) -> String {
    let rounds = match cleaning {
        Cleaning::Whole => "",
        Cleaning::Once => " {rounds = 1 : i64}",
    };
    format!(
        "transform.named_sequence @clean(%func: !transform.any_op {{transform.readonly}}) {{\n  \
           transform.strata.clean %func{rounds} : !transform.any_op\n  \
           transform.yield\n\
         }}\n"
    )
}

/// How much a schedule cleans up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleaning {
    /// Until nothing is left to do.
    Whole,
    /// One round of patterns, after which another one nearly always finds nothing: half of the time.
    Once,
}

impl Cleaning {
    /// That of a compilation with these options.
    pub fn of(options: &Options) -> Self {
        match options.opt_level {
            OptLevel::Less => Self::Once,
            _ => Self::Whole,
        }
    }
}

/// A sequence under construction. Its argument is the function that holds the nest.
#[derive(Debug)]
pub struct Script {
    lines: Vec<String>,
    next: usize,
}

const ANY: &str = "!transform.any_op";
const FOR: &str = "!transform.op<\"scf.for\">";

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    /// The function: the sequence's argument.
    pub const FUNC: Handle = Handle(0);

    /// An empty sequence.
    pub fn new() -> Self {
        Self { lines: Vec::new(), next: 1 }
    }

    fn fresh(&mut self) -> Handle {
        self.next += 1;
        Handle(self.next - 1)
    }

    fn line(&mut self, text: String) {
        self.lines.push(text);
    }

    /// A comment line.
    pub fn comment(&mut self, text: &str) {
        self.line(format!("// {text}"));
    }

    /// The operations that carry the unit attribute `tag`, in program order.
    pub fn tagged(&mut self, scope: Handle, tag: &str) -> Handle {
        let found = self.fresh();
        let (scope, result) = (name(scope), name(found));
        self.line(format!(
            "{result} = transform.structured.match attributes{{{tag}}} in {scope} : ({ANY}) -> {ANY}"
        ));
        found
    }

    /// The operations of that name, in program order.
    pub fn named(&mut self, scope: Handle, operation: OpName<'_>) -> Handle {
        let found = self.fresh();
        let (scope, result) = (name(scope), name(found));
        self.line(format!(
            "{result} = transform.structured.match ops{{[\"{operation}\"]}} in {scope} : ({ANY}) -> {ANY}"
        ));
        found
    }

    /// Handles to the single operations of a handle to `count` operations.
    pub fn split(&mut self, handle: Handle, count: usize) -> Vec<Handle> {
        if count == 1 {
            return vec![handle];
        }
        let parts: Vec<Handle> = (0..count).map(|_| self.fresh()).collect();
        let names: Vec<_> = parts.iter().map(|part| name(*part)).collect();
        let types = vec![ANY; count].join(", ");
        self.line(format!(
            "{} = transform.split_handle {} : ({ANY}) -> ({types})",
            names.join(", "),
            name(handle)
        ));
        parts
    }

    /// Adds the unit attribute `tag`.
    pub fn tag(&mut self, handle: Handle, tag: &str) {
        self.line(format!("transform.annotate {} \"{tag}\" : {ANY}", name(handle)));
    }

    /// Tiles with `scf.for`; one loop for every nonzero size. Returns the tiled operation and
    /// the loops from outside in.
    pub fn tile(&mut self, handle: Handle, sizes: &[i64]) -> (Handle, Vec<Handle>) {
        self.tiling("tile_using_for", handle, sizes, &[])
    }

    /// As [`Self::tile`], fusing all producers into the loops, which are in that `order` from outside in.
    pub fn fuse(
        &mut self,
        handle: Handle,
        sizes: &[i64],
        order: &[usize],
    ) -> (Handle, Vec<Handle>) {
        self.tiling("fuse", handle, sizes, order)
    }

    fn tiling(
        &mut self,
        how: &str,
        handle: Handle,
        sizes: &[i64],
        order: &[usize],
    ) -> (Handle, Vec<Handle>) {
        let interchange = match order.is_sorted() {
            true => String::new(),
            false => format!(" interchange {order:?}"),
        };
        let tiled = self.fresh();
        let count = sizes.iter().filter(|size| **size != 0).count();
        let loops: Vec<Handle> = (0..count).map(|_| self.fresh()).collect();
        let mut results = name(tiled);
        for handle in &loops {
            let _ = write!(results, ", {}", name(*handle));
        }
        let types = vec![ANY; count + 1].join(", ");
        self.line(format!(
            "{results} = transform.structured.{how} {} tile_sizes {sizes:?}{interchange} : ({ANY}) -> ({types})",
            name(handle)
        ));
        (tiled, loops)
    }

    /// Splits the reduction loops of that size off into partial results (one per lane) that are
    /// combined after the loop. Returns (fill, partial, combine, loop).
    pub fn tile_reduction(&mut self, handle: Handle, sizes: &[i64]) -> [Handle; 4] {
        let results = [self.fresh(), self.fresh(), self.fresh(), self.fresh()];
        let names: Vec<_> = results.iter().map(|result| name(*result)).collect();
        let types = [ANY; 4].join(", ");
        self.line(format!(
            "{} = transform.structured.tile_reduction_using_for {} by tile_sizes = {sizes:?} : ({ANY}) -> ({types})",
            names.join(", "),
            name(handle)
        ));
        results
    }

    fn as_loop(&mut self, handle: Handle) -> Handle {
        let cast = self.fresh();
        self.line(format!("{} = transform.cast {} : {ANY} to {FOR}", name(cast), name(handle)));
        cast
    }

    /// Splits the last, partial trip off the loop.
    pub fn peel(&mut self, handle: Handle) -> (Handle, Handle) {
        let cast = self.as_loop(handle);
        let (main, rest) = (self.fresh(), self.fresh());
        self.line(format!(
            "{}, {} = transform.loop.peel {} : ({FOR}) -> ({ANY}, {ANY})",
            name(main),
            name(rest),
            name(cast)
        ));
        (main, rest)
    }

    /// Unrolls the loop by `factor`.
    pub fn unroll(&mut self, handle: Handle, factor: i64) {
        let cast = self.as_loop(handle);
        self.line(format!("transform.loop.unroll {} {{factor = {factor}}} : {FOR}", name(cast)));
    }

    /// Cuts the iterations of loop `dimension` of an operation after so many of them; the two operations.
    pub fn cut_after(&mut self, handle: Handle, dimension: usize, count: i64) -> [Handle; 2] {
        let both = self.fresh();
        self.line(format!(
            "{} = transform.structured.split {} after {count} {{dimension = {dimension}}} : {ANY}",
            name(both),
            name(handle)
        ));
        let parts = self.split(both, 2);
        [parts[0], parts[1]]
    }

    /// The enclosing loop, `level` loops up (1 is the innermost one around the operation).
    pub fn loop_around(&mut self, handle: Handle, level: usize) -> Handle {
        let found = self.fresh();
        self.line(format!(
            "{} = transform.get_parent_op {} {{op_name = \"scf.for\", nth_parent = {level}, deduplicate}} : ({ANY}) -> {ANY}",
            name(found),
            name(handle)
        ));
        found
    }

    /// Vectorises the operations.
    pub fn vectorize(&mut self, handle: Handle) {
        self.line(format!("transform.structured.vectorize {} : {ANY}", name(handle)));
    }

    /// Wraps operand `operand` of the operations into a `tensor.pad` that adds nothing and is
    /// never folded: the seed of a copy. `zeros` are the padding values of all operands.
    pub fn pad_nothing(&mut self, handle: Handle, operand: usize, zeros: &[String]) -> Handle {
        let results = [self.fresh(), self.fresh(), self.fresh()];
        let names: Vec<_> = results.iter().map(|result| name(*result)).collect();
        let flags: Vec<_> =
            (0..zeros.len()).map(|index| i32::from(index == operand).to_string()).collect();
        self.line(format!(
            "{} = transform.structured.pad {} {{padding_values = [{}], nofold_flags = [{}], padding_dimensions = [], copy_back_op = \"none\"}} : ({ANY}) -> ({ANY}, {ANY}, {ANY})",
            names.join(", "),
            name(handle),
            zeros.join(", "),
            flags.join(", ")
        ));
        self.named(Self::FUNC, tensor::PAD)
    }

    /// Rewrites tensor operations so that they write into a destination.
    pub fn into_destination(&mut self, handle: Handle) {
        let result = self.fresh();
        self.line(format!(
            "{} = transform.structured.rewrite_in_destination_passing_style {} : ({ANY}) -> {ANY}",
            name(result),
            name(handle)
        ));
    }

    /// Collapses the loops of an elementwise operation into one.
    pub fn flatten(&mut self, handle: Handle) -> Handle {
        let result = self.fresh();
        self.line(format!(
            "{} = transform.structured.flatten_elementwise {} : ({ANY}) -> {ANY}",
            name(result),
            name(handle)
        ));
        result
    }

    /// Applies rewrite patterns to the whole function.
    pub fn patterns(&mut self, patterns: &[OpName<'_>]) {
        self.patterns_in(Self::FUNC, patterns);
    }

    /// Applies rewrite patterns inside `scope`.
    pub fn patterns_in(&mut self, scope: Handle, patterns: &[OpName<'_>]) {
        let list: Vec<_> = patterns.iter().map(|pattern| pattern.as_str()).collect();
        self.line(format!(
            "transform.strata.patterns to {} {{ {} }} {{rounds = 1 : i64}} : {ANY}",
            name(scope),
            list.join(" ")
        ));
    }

    /// Canonicalises the function.
    pub fn clean(&mut self) {
        self.line(format!(
            "transform.include @clean failures(propagate) ({}) : ({ANY}) -> ()",
            name(Self::FUNC)
        ));
    }

    /// Keeps a loop's accumulators in registers: reads before it, writes after it.
    pub fn hoist_accumulators(&mut self) {
        let loops = self.named(Self::FUNC, scf::FOR);
        self.hoist(loops);
    }

    /// The same for loops that carry the unit attribute `tag`.
    pub fn hoist_accumulators_of(&mut self, tag: &str) {
        let loops = self.tagged(Self::FUNC, tag);
        self.hoist(loops);
    }

    fn hoist(&mut self, loops: Handle) {
        self.line(format!("transform.strata.hoist_subsets {} : {ANY}", name(loops)));
    }

    /// Loop-invariant code motion.
    pub fn hoist_invariants(&mut self) {
        let loops = self.named(Self::FUNC, scf::FOR);
        self.line(format!("transform.apply_licm to {} : {ANY}", name(loops)));
    }

    /// The named sequence as text.
    pub fn finish(self, sequence: &str) -> String {
        let mut text = format!(
            "transform.named_sequence @{sequence}({}: {ANY} {{transform.readonly}}) {{\n",
            name(Self::FUNC)
        );
        for line in &self.lines {
            let _ = writeln!(text, "  {line}");
        }
        text.push_str("  transform.yield\n}\n");
        text
    }
}

fn name(handle: Handle) -> String {
    match handle.0 {
        0 => "%func".to_owned(),
        number => format!("%{number}"),
    }
}
