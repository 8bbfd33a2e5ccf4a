//! Running the stage: every nest gets its schedule, or stays as it is.

use std::collections::HashMap;

use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Module, Op, Options, TypeExt as _, Value,
    WalkOrder, apply_named_sequence, capture, function, module_op, parse, parse_text, print,
    remarks::{Attempt, Decision, Remark, Subject, mark, remark, subject, wants_remarks},
    run_pipeline, string, timed, type_attr, unit,
};

use crate::{
    cleanup::destinations::thread_destinations,
    fusion::{
        comparisons::fuse_booleans,
        gathers::merge_gathers,
        merge::{merge, merge_into_users},
        nest::{Nest, is_heavy, partition, role},
        rematerialize::rematerialize,
        siblings::join,
    },
    layout::{
        bool_storage::store_as_bytes, collapse::collapse_reductions,
        transpose_operands::turn_operands,
    },
    structured::Structured,
    tiling::{
        candidates::{self, Considered, Parts, consider, parts},
        elementwise::is_contiguous,
        rows::step_tag,
    },
    transform::{
        allowed,
        outline::{function_of, inline_before, outline},
        script::CLEAN,
        tags,
    },
    vectors::{fma::fuse_multiply_add, index_vectors::narrow_places, short_vectors::vectorize},
};

/// Vectors above this size come from an operation that was vectorised without being tiled: code
/// for them would grow without bound.
const MAX_VECTOR_BYTES: u64 = 4096;

/// Schedules every nest, by `options.schedule` if given, else by the cost model.
///
/// # Errors
/// `S1301` when a schedule that the user gave does not parse or apply. A schedule of our own that
/// fails is no error: its nest stays linalg.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    match &options.schedule {
        Some(text) => run_with(context, module, options, text),
        None => Stage::new(context, options, None).run(module),
    }
}

/// Schedules the nests by the named sequences of `schedule`, a module as [`print_schedule`]
/// prints it. A nest without a sequence stays linalg.
///
/// # Errors
/// `S1301` when the text does not parse or has what no schedule may have, a sequence does not apply, or there is no nest of its
/// name.
pub fn run_with<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
    schedule: &str,
) -> Result<(), Diagnostic> {
    let name = options.schedule_name.as_deref().unwrap_or("schedule");
    let library = parse(context, name, schedule.as_bytes()).map_err(unreadable)?;
    allowed::check(&library).map_err(|error| error.source_file(name, schedule))?;
    let sequences = sequences(&library);
    let unusable = |reason: String| {
        Diagnostic::new(codes::S1301)
            .at(Location::file(name))
            .reason(reason)
            .hint("`strata schedule MODEL` prints the nests with their schedules")
    };
    if !module_op(&library).has_attr("transform.with_named_sequence") {
        return Err(unusable(
            "it is no schedule: its module lacks `transform.with_named_sequence`".to_owned(),
        ));
    }
    let included = module_op(&library).collect(|op| op.is("transform.include"));
    let included: Vec<_> =
        included.iter().filter_map(|op| op.attr("target")?.as_symbol()).collect();
    let has_no_use = |name: &&String| {
        !name.starts_with("nest") && *name != "clean" && !included.contains(&name.as_str())
    };
    if let Some(unused) = sequences.iter().find(has_no_use) {
        return Err(unusable(format!(
            "the sequence `@{unused}` is for no nest: those for nests are called `@nest0`, `@nest1`, …"
        )));
    }
    let mut stage = Stage::new(context, options, Some(library));
    stage.run(module)?;
    let is_nest = |name: &String| {
        let number = name.strip_prefix("nest").and_then(|number| number.parse::<usize>().ok());
        number.is_none_or(|number| number < stage.next)
    };
    let Some(unknown) = sequences.into_iter().find(|name| !is_nest(name)) else { return Ok(()) };
    let nests = match stage.next {
        0 => "it has no nest that a schedule is for".to_owned(),
        1 => "its only nest is `nest0`".to_owned(),
        count => format!("its nests are `nest0` to `nest{}`", count - 1),
    };
    Err(Diagnostic::new(codes::S1301)
        .reason(format!("the sequence `@{unknown}` is for no nest of the program: {nests}"))
        .hint("`strata schedule MODEL` prints the nests with their schedules"))
}

/// What is wrong with the text, where it is in its file.
fn unreadable(errors: Diagnostics) -> Diagnostic {
    let Some(error) = errors.into_iter().next() else {
        return Diagnostic::new(codes::S1301).reason("it does not parse");
    };
    let title = error.code().title();
    let reason = match error.reason_text() {
        Some(reason) => format!("{title}: {reason}"),
        None => title.to_owned(),
    };
    error.with_code(codes::S1301).reason(reason)
}

/// The names of all sequences.
fn sequences(library: &Module<'_>) -> Vec<String> {
    let sequences = module_op(library).body(0).ops().into_iter();
    let named = sequences.filter(|op| op.is("transform.named_sequence"));
    named.filter_map(|op| op.attr("sym_name")?.as_str().map(str::to_owned)).collect()
}

/// The schedules that [`run`] chooses, as a module with a named sequence for every distinct nest.
///
/// # Errors
/// As [`run`].
pub fn print_schedule<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<String, Diagnostic> {
    let mut copy = parse_text(context, &print(module, false))?;
    let mut stage = Stage::new(context, options, None);
    stage.run(&mut copy)?;
    Ok(library_text(&stage.chosen))
}

/// Dialects of what the stage leaves.
const DIALECTS: &[&str] = &[
    "affine", "arith", "builtin", "complex", "func", "linalg", "math", "scf", "tensor", "ub",
    "vector",
];

/// What holds after the stage: operations on tensors in regions of one block, no vector that is larger than a schedule may make
/// it, and no helper attribute of a schedule.
///
/// # Errors
/// `S9002` for the first operation that breaks the contract.
pub fn check(module: &Module<'_>, _options: &Options) -> Result<(), Diagnostic> {
    let mut outcome = Ok(());
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        if outcome.is_ok()
            && let Some(reason) = violation(op)
        {
            outcome = Err(strata_ir::diagnostic_at(codes::S9002, op).reason(reason));
        }
    });
    outcome
}

fn violation(op: Op<'_>) -> Option<&'static str> {
    let values = op.results().into_iter().chain(op.operands());
    let mut types = values.map(|value| value.ty());
    if !DIALECTS.contains(&op.dialect()) || op.is("builtin.unrealized_conversion_cast") {
        return Some("an operation of another dialect is left");
    }
    if types.any(|ty| ty.is_memref_type()) {
        return Some("there is a buffer, and buffers are chosen for all tensors later");
    }
    if op.regions().into_iter().any(|region| region.blocks().len() > 1) {
        return Some("a region has several blocks");
    }
    if has_huge_vector(op) {
        return Some("a vector is larger than any schedule makes it");
    }
    let helper = [tags::ROOT, tags::REDUCTION, tags::FILL];
    helper.iter().any(|tag| op.has_attr(tag)).then_some("a tag that a schedule uses is left")
}

/// A kernel that was scheduled, for the nests that equal it.
struct Kernel<'c> {
    /// The transformed function; `None` when the nest is left alone.
    module: Option<Module<'c>>,
    /// What is recorded on the nest.
    name: String,
    /// The name of its sequence, where there are schedules for it.
    sequence: Option<String>,
    /// The loops of its deepest operation: trip counts, and whether they are reductions.
    loops: Vec<(i64, bool)>,
    /// The schedules that were considered.
    attempts: Vec<Attempt>,
}

impl Kernel<'_> {
    fn left_alone(attempts: Vec<Attempt>) -> Self {
        Self { module: None, name: String::new(), sequence: None, loops: Vec::new(), attempts }
    }

    fn declined(reason: &str) -> Self {
        Self::left_alone(vec![Attempt {
            schedule: "all".to_owned(),
            declined: Some(reason.to_owned()),
        }])
    }
}

struct Stage<'c, 'o> {
    context: &'c Context,
    options: &'o Options,
    given: Option<Module<'c>>,
    kernels: HashMap<String, Kernel<'c>>,
    /// The sequences that were applied, in the order of their kernels.
    chosen: Vec<String>,
    next: usize,
    /// How many nests there were, equal ones counted, for remarks.
    nests: usize,
}

fn library_text(sequences: &[String]) -> String {
    let mut text = String::from("module attributes {transform.with_named_sequence} {\n");
    text.push_str(CLEAN);
    for sequence in sequences {
        text.push('\n');
        text.push_str(sequence);
    }
    text.push_str("}\n");
    text
}

impl<'c, 'o> Stage<'c, 'o> {
    fn new(context: &'c Context, options: &'o Options, given: Option<Module<'c>>) -> Self {
        Self {
            context,
            options,
            given,
            kernels: HashMap::new(),
            chosen: Vec::new(),
            next: 0,
            nests: 0,
        }
    }

    fn run(&mut self, module: &mut Module<'c>) -> Result<(), Diagnostic> {
        timed("lanes", || vectorize(self.context, module_op(module)));
        timed("generalization", || self.generalize(module, false))?;
        // Dimensions of size 1 hide that two operations run over the same elements.
        run_pipeline(
            self.context,
            module,
            "builtin.module(func.func(linalg-fold-unit-extent-dims,canonicalize))",
        )?;
        for block in blocks_of(module_op(module)) {
            timed("booleans", || fuse_booleans(self.context, block))?;
            // Behind that, because the comparisons of a mask are part of what uses it.
            timed("gathers", || {
                merge_gathers(self.context, block);
                sweep(block);
            });
        }
        // Behind that, because only what is left of them goes through memory.
        store_as_bytes(self.context, module_op(module));
        for block in blocks_of(module_op(module)) {
            timed("rematerialization", || rematerialize(self.context, block));
            let nests = timed("nests", || join(block, partition(block)));
            if nests.iter().any(|nest| !nest.parts.is_empty()) {
                gather(&nests);
            }
            for nest in nests {
                self.nest(&nest)?;
            }
            sweep(block);
        }
        Ok(())
    }

    /// Named operations become generic; the `heavy` ones only once nests are formed.
    fn generalize(&self, module: &Module<'c>, heavy: bool) -> Result<(), Diagnostic> {
        let named = module_op(module).collect(|op| {
            op.dialect() == "linalg"
                && op.region_count() > 0
                && (heavy || !is_heavy(op.name()))
                && !matches!(op.name(), "linalg.generic" | "linalg.fill")
        });
        let mut names: Vec<_> = named.iter().map(|op| format!("{:?}", op.name())).collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            return Ok(());
        }
        let text = library_text(&[format!(
            "transform.named_sequence @generalize(%func: !transform.any_op {{transform.readonly}}) {{\n\
             %0 = transform.structured.match ops{{[{}]}} in %func : (!transform.any_op) -> !transform.any_op\n\
             %1 = transform.structured.generalize %0 : (!transform.any_op) -> !transform.any_op\n\
             transform.yield\n}}\n",
            names.join(", ")
        )]);
        let library = parse_text(self.context, &text)?;
        let Some(sequence) = sequence_of(&library, "generalize") else { return Ok(()) };
        apply_named_sequence(self.context, module_op(module), sequence, module_op(&library))
            .map_err(|reason| Diagnostic::new(codes::S9003).reason(reason))
    }

    fn nest(&mut self, nest: &Nest<'c>) -> Result<(), Diagnostic> {
        let root = nest.ops[nest.ops.len() - 1];
        let (mut outlined, key) = timed("outlining", || {
            let outlined = outline(self.context, nest)?;
            let key = print(&outlined.module, false);
            Ok::<_, Diagnostic>((outlined, key))
        })?;
        if !self.kernels.contains_key(&key) {
            timed("generalization", || self.generalize(&outlined.module, true))?;
            timed("fusion", || self.fuse(&mut outlined.module, !nest.parts.is_empty()))?;
            let kernel = timed("schedules", || self.kernel(outlined.module))?;
            self.kernels.insert(key.clone(), kernel);
        }
        let Some(kernel) = self.kernels.get(&key) else { return Ok(()) };
        let number = self.nests;
        self.nests += 1;
        remark(|| about(nest, kernel, number));
        let Some(func) = kernel.module.as_ref().and_then(function_of) else {
            return nest.parts.iter().try_for_each(|part| self.nest(part));
        };
        let copy = func.clone_detached();
        let name = string(self.context, &kernel.name);
        for op in inline_before(copy, &outlined.inputs, &nest.results, root) {
            if op.is("scf.for") || op.dialect() == "linalg" {
                op.set_attr(tags::SCHEDULE, name);
            }
            if wants_remarks() {
                mark(self.context, op, number);
            }
        }
        copy.erase();
        for op in nest.ops.iter().rev() {
            if op.is_unused() {
                op.erase();
            }
        }
        Ok(())
    }

    /// Fuses elementwise chains, so that an epilogue is one operation; a joint nest becomes one altogether.
    fn fuse(&self, module: &mut Module<'c>, is_joint: bool) -> Result<(), Diagnostic> {
        let Some(func) = function_of(module) else { return Ok(()) };
        let generics = || func.body(0).ops().into_iter().filter_map(Structured::of_generic);
        if func.body(0).ops().into_iter().filter(|op| role(*op).is_some()).count() < 2 {
            return Ok(());
        }
        let nests: Vec<_> = generics().collect();
        if is_joint {
            let results = func.body(0).terminator().map(Op::operands).unwrap_or_default();
            merge(self.context, &nests, &results);
            return Ok(());
        }
        merge_into_users(self.context, &nests);
        let Some(root) = parts(func).map(|parts| parts.root) else { return Ok(()) };
        let loops = Structured::of_generic(root).map_or(usize::MAX, |nest| nest.extents.len());
        // What is left reads others in another order.
        let is_left = |nest: Structured<'c>| {
            let value = nest.op.result(0);
            nest.is_parallel()
                && nest.extents.len() == loops
                && value.has_one_use()
                && value.uses().iter().any(|(user, _)| user.is("linalg.generic"))
        };
        if !generics().any(is_left) {
            return Ok(());
        }
        // Fused into operations over whole rows, what is computed once per row would be computed
        // for each element. As a result of the function it has a second use, which forbids that.
        let mut shown = root.results();
        for op in func.body(0).ops() {
            match Structured::of_generic(op) {
                Some(nest) if nest.extents.len() < loops => shown.extend(op.results()),
                _ => {}
            }
        }
        let results = root.result_count();
        let many = shown.len() > results;
        if many {
            set_results(self.context, func, &shown);
        }
        run_pipeline(
            self.context,
            module,
            "builtin.module(func.func(linalg-fuse-elementwise-ops))",
        )?;
        if let Some(func) = function_of(module).filter(|_| many) {
            let kept: Vec<_> = func.body(0).terminator().map(Op::operands).unwrap_or_default();
            set_results(self.context, func, &kept[..results.min(kept.len())]);
        }
        Ok(())
    }

    /// Tries the schedules of a kernel until one works.
    fn kernel(&mut self, module: Module<'c>) -> Result<Kernel<'c>, Diagnostic> {
        let Some(func) = function_of(&module) else {
            return Ok(Kernel::declined("it has no function"));
        };
        // A value that is the same everywhere, fused into what reduces it, leaves loops whose extents no operand tells;
        // MLIR tiles them without looking.
        let has_extents = |op: &Op<'c>| Structured::of_generic(*op).is_some();
        let mut generics = func.body(0).ops().into_iter().filter(|op| op.is("linalg.generic"));
        if !generics.all(|op| has_extents(&op)) {
            return Ok(Kernel::declined("the trip count of a loop follows from no operand"));
        }
        let prepared = parts(func).and_then(|parts| self.prepare(func, parts));
        let Some(parts) = prepared else {
            return Ok(Kernel::declined("its result is one of its operands"));
        };
        let deepest = parts.generics.iter().max_by_key(|nest| nest.extents.len());
        let loops = deepest.map(|nest| nest.extents.iter().copied().zip(nest.reduction.clone()));
        let loops = loops.map(Iterator::collect).unwrap_or_default();
        let sequence = format!("nest{}", self.next);
        let Considered { candidates, declined } = consider(&parts, &self.options.target, &sequence);
        let mut kernel = Kernel { loops, ..Kernel::left_alone(declined) };
        if candidates.is_empty() {
            return Ok(kernel);
        }
        self.next += 1;
        kernel.sequence = Some(sequence.clone());
        if self.given.is_some() {
            return self.apply_given(&module, &sequence, kernel);
        }
        for candidate in candidates {
            let text = library_text(std::slice::from_ref(&candidate.sequence));
            let library = parse_text(self.context, &text)?;
            let scheduled = self.apply(&module, &library, &sequence);
            kernel.attempts.push(Attempt {
                schedule: candidate.name.clone(),
                declined: scheduled.as_ref().err().cloned(),
            });
            if let Ok(scheduled) = scheduled {
                self.chosen.push(candidate.sequence);
                return Ok(Kernel { module: Some(scheduled), name: candidate.name, ..kernel });
            }
        }
        Ok(kernel)
    }

    /// Rewrites reductions into the form that register tiles want and tags all operations.
    fn prepare(&self, func: Op<'c>, parts: Parts<'c>) -> Option<Parts<'c>> {
        if let [only] = parts.generics.as_slice() {
            collapse_reductions(self.context, only);
        }
        let parts = candidates::parts(func)?;
        let is_row = |nest: &Structured<'c>| nest.row_loops().is_some() && is_contiguous(nest);
        for nest in parts.generics.iter().filter(|nest| !nest.is_parallel()) {
            let turned = parts.generics.len() <= 2 && turn_operands(self.context, nest);
            if (turned || !is_row(nest)) && self.options.target.has_fma() {
                fuse_multiply_add(self.context, nest);
            }
        }
        let parts = candidates::parts(func)?;
        parts.root.set_attr(tags::ROOT, unit(self.context));
        for (index, nest) in parts.generics.iter().enumerate() {
            nest.op.set_attr(&step_tag(index), unit(self.context));
            if !nest.is_parallel() {
                nest.op.set_attr(tags::REDUCTION, unit(self.context));
            }
        }
        Some(parts)
    }

    fn apply_given(
        &self,
        module: &Module<'c>,
        sequence: &str,
        mut kernel: Kernel<'c>,
    ) -> Result<Kernel<'c>, Diagnostic> {
        let given = self.given.as_ref().filter(|given| sequence_of(given, sequence).is_some());
        let schedule = format!("given @{sequence}");
        let Some(library) = given else {
            let declined = Some("the given schedule has no such sequence".to_owned());
            kernel.attempts.push(Attempt { schedule, declined });
            return Ok(kernel);
        };
        let scheduled = self.apply(module, library, sequence).map_err(|reason| {
            Diagnostic::new(codes::S1301)
                .reason(format!("its sequence `@{sequence}` fails: {reason}"))
        })?;
        kernel.attempts.push(Attempt { schedule: schedule.clone(), declined: None });
        Ok(Kernel { module: Some(scheduled), name: schedule, ..kernel })
    }

    /// Applies a sequence to a copy of a kernel.
    fn apply(
        &self,
        module: &Module<'c>,
        library: &Module<'c>,
        sequence: &str,
    ) -> Result<Module<'c>, String> {
        let missing = || format!("there is no sequence `@{sequence}`");
        let entry = sequence_of(library, sequence).ok_or_else(missing)?;
        let copy = parse_text(self.context, "module {}").map_err(|error| error.to_string())?;
        let original = function_of(module).ok_or_else(missing)?;
        let func = Builder::at_end(self.context, module_op(&copy).body(0), original.location())
            .insert(original.clone_detached());
        timed("transformation", || {
            apply_named_sequence(self.context, func, entry, module_op(library))
        })?;
        let func = function_of(&copy).ok_or("the function is gone")?;
        timed("tidying", || {
            tidy(self.context, func);
            thread_destinations(self.context, func);
        });
        if !narrow_places(self.context, func) {
            return Err("a vector holds places of elements".to_owned());
        }
        let (valid, reports) =
            timed("verification", || capture(self.context, || module_op(&copy).verify()));
        if !valid {
            let report = reports.into_iter().find(|report| report.is_error);
            return Err(report.map_or_else(String::new, |report| report.with_notes()));
        }
        if !func.collect(has_huge_vector).is_empty() {
            return Err("a vector is larger than 4 KiB".to_owned());
        }
        Ok(copy)
    }
}

/// What is said of a nest: its operations, its loops, and the schedules that were considered for it.
fn about(nest: &Nest<'_>, kernel: &Kernel<'_>, number: usize) -> Remark {
    let mut about = Subject::default();
    for op in &nest.ops {
        about.extend(subject(*op));
    }
    Remark {
        subject: about,
        decision: Decision::Nest {
            number,
            kernel: kernel.sequence.clone(),
            loops: kernel.loops.clone(),
            attempts: kernel.attempts.clone(),
        },
    }
}

/// Brings the operations of each nest together: left alone, they must not use what a joint nest has moved
/// behind them.
fn gather(nests: &[Nest<'_>]) {
    for nest in nests {
        if let Some((root, others)) = nest.ops.split_last() {
            others.iter().for_each(|op| op.move_before(*root));
        }
    }
}

/// Makes the function return `values`.
fn set_results<'c>(context: &'c Context, func: Op<'c>, values: &[Value<'c>]) {
    let body = func.body(0);
    if let Some(old) = body.terminator() {
        Builder::before(context, old).op("func.return").operands(values).build();
        old.erase();
    }
    let inputs: Vec<_> = body.args().into_iter().map(Value::ty).collect();
    let outputs: Vec<_> = values.iter().map(|value| value.ty()).collect();
    func.set_attr("function_type", type_attr(function(context, &inputs, &outputs)));
}

/// Removes what only schedules need.
fn tidy(context: &Context, func: Op<'_>) {
    for op in func.collect(|_| true) {
        let tags: Vec<_> = op
            .discardable_attrs()
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| name.starts_with("strata.") && *name != tags::SUMS)
            .collect();
        for tag in tags {
            op.remove_attr(tag);
        }
        // A panel is an ordinary temporary, whose buffer stage `affine` chooses.
        if op.is("bufferization.alloc_tensor") && op.operand_count() == 0 {
            let empty =
                Builder::before(context, op).op("tensor.empty").result(op.result(0).ty()).value();
            op.result(0).replace_all_uses_with(empty);
            op.erase();
        }
    }
}

/// Erases the initial values that only scheduled nests used.
fn sweep(block: Block<'_>) {
    for op in block.ops().into_iter().rev() {
        let initial = matches!(op.name(), "linalg.fill" | "tensor.empty" | "arith.constant");
        if initial && op.is_unused() {
            op.erase();
        }
    }
}

fn has_huge_vector(op: Op<'_>) -> bool {
    op.result_types().into_iter().any(|ty| {
        ty.is_vector_type()
            && ty.element_count().is_none_or(|count| {
                count * u64::from(ty.element().bit_width().unwrap_or(64)) / 8 > MAX_VECTOR_BYTES
            })
    })
}

/// The blocks that can hold nests: those of functions and of control flow, not linalg bodies.
fn blocks_of(top: Op<'_>) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    for region in top.regions() {
        for block in region.blocks() {
            if !top.is("builtin.module") {
                blocks.push(block);
            }
            for op in block.ops() {
                if matches!(op.dialect(), "func" | "scf" | "builtin") {
                    blocks.extend(blocks_of(op));
                }
            }
        }
    }
    blocks
}

fn sequence_of<'c>(library: &Module<'c>, name: &str) -> Option<Op<'c>> {
    module_op(library)
        .body(0)
        .ops()
        .into_iter()
        .find(|op| op.is("transform.named_sequence") && strata_ir::function_name(*op) == name)
}
