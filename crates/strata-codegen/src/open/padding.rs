//! Calls of a version for larger sizes than the caller's, or for a part of rows that is not contiguous: inputs are copied to
//! buffers of the version's shapes, with zeros beyond them, and outputs from there.
//!
//! ```llvm
//! define internal i32 @"mlp_main.16.padded"(ptr %from, ptr %to, ptr %workspace, ptr %executor, ptr %symbols) {
//!   …                                        ; where an input is smaller than the version's
//!   call void @"mlp_main.pad2"(ptr %wide, ptr %tight, i64 3, i64 3, i64 8, i64 20, i64 20, i64 32)
//! ```
//!
//! The copies are in the workspace after what the version itself needs.

use strata_shapes::{DimExpr, Variable};

use super::{Compiled, Object, Tensor, aligned, call::version_name, is_strided, text::Text};
use crate::abi::WORKSPACE_ALIGNMENT;

/// The name of the function that calls a version on copies.
pub(super) fn name(entry: &str, version: &Compiled) -> String {
    format!("{}.padded", version_name(entry, version))
}

/// Adjacent dimensions of a tensor as one; the last one is in bytes.
struct Group {
    /// How many are copied.
    count: String,
    /// The caller's size.
    tight: String,
    /// The version's size.
    wide: u64,
}

/// A tensor of a version where its shape may differ from the caller's.
struct Copy {
    /// Its position among the inputs or the outputs.
    at: usize,
    groups: Vec<Group>,
    /// Whether a size differs.
    differs: String,
    /// Bytes of the version's buffer.
    bytes: u64,
}

impl Group {
    /// Joins a dimension of that size, which follows.
    fn scale(&mut self, text: &mut Text, size: u64) {
        let number = size.to_string();
        self.count = text.product(&self.count, &number);
        self.tight = text.product(&self.tight, &number);
        self.wide *= size;
    }
}

impl Copy {
    /// That of a tensor; `None` if its shape is the caller's for all sizes.
    fn of(
        text: &mut Text,
        (at, tensor): (usize, &Tensor<'_>),
        shape: &[u64],
        is_bounded: &dyn Fn(&DimExpr) -> bool,
    ) -> Option<Self> {
        let rows = tensor.rows.filter(|_| is_strided(tensor.sizes, tensor.rows));
        if rows.is_none() && !tensor.sizes.iter().any(is_bounded) {
            return None;
        }
        let mut differs = "false".to_owned();
        let mut groups: Vec<Group> = Vec::new();
        for (dim, (size, whole)) in tensor.sizes.iter().zip(shape).enumerate() {
            let is_rows = rows.is_some_and(|rows| rows.dim == dim);
            let number = whole.to_string();
            if is_rows || is_bounded(size) {
                let tight = text.size(size);
                let other = text.value(&format!("icmp ne i64 {tight}, {whole}"));
                differs = text.either(&differs, &other);
                let count = if is_rows { number } else { tight.clone() };
                groups.push(Group { count, tight, wide: *whole });
            } else if let Some(group) = groups.last_mut() {
                // Elements of one dimension of the same size follow those of the other.
                group.scale(text, *whole);
            } else if *whole != 1 {
                groups.push(Group { count: number.clone(), tight: number, wide: *whole });
            }
        }
        groups.last_mut()?.scale(text, tensor.bytes);
        let bytes = groups.iter().map(|group| group.wide).product();
        Some(Self { at, groups, differs, bytes })
    }

    /// Those of a version.
    fn all(text: &mut Text, object: &Object<'_>, version: &Compiled) -> [Vec<Self>; 2] {
        let entry = object.entry;
        let is_bounded = |size: &DimExpr| {
            let variables = size.variables();
            let mut bounds = entry.bounds.iter();
            bounds.any(|bound| variables.contains(&Variable::Symbol(bound.symbol)))
        };
        let [inputs, outputs] = object.tensors();
        [(inputs, &version.inputs), (outputs, &version.outputs)].map(|(tensors, specs)| {
            let pairs = tensors.iter().enumerate().zip(specs);
            pairs.filter_map(|(one, spec)| Self::of(text, one, &spec.shape, &is_bounded)).collect()
        })
    }

    /// Bytes of its buffer in the workspace.
    fn space(&self, text: &mut Text) -> String {
        text.value(&format!("select i1 {}, i64 {}, i64 0", self.differs, aligned(self.bytes)))
    }

    /// The copy from the caller's buffer or to it.
    fn call(&self, text: &mut Text, entry: &str, what: &str, (wide, tight): (&str, &str)) {
        let sizes = |Group { count, tight, wide }: &Group| {
            format!(", i64 {count}, i64 {tight}, i64 {wide}")
        };
        let sizes: String = self.groups.iter().map(sizes).collect();
        let count = self.groups.len();
        text.line(&format!("call void @\"{entry}.{what}{count}\"(ptr {wide}, ptr {tight}{sizes})"));
    }

    /// Whether it needs a buffer of the caller, which is null.
    fn lacks(&self, text: &mut Text, pointer: &str) -> String {
        let mut elements = "1".to_owned();
        for group in &self.groups {
            elements = text.product(&elements, &group.count);
        }
        let has = text.value(&format!("icmp ne i64 {elements}, 0"));
        let null = text.value(&format!("icmp eq ptr {pointer}, null"));
        let lacks = text.value(&format!("and i1 {has}, {null}"));
        text.value(&format!("and i1 {lacks}, {}", self.differs))
    }
}

/// The bytes of workspace that a call of a version needs, with its copies.
pub(super) fn needed(text: &mut Text, object: &Object<'_>, version: &Compiled) -> String {
    let copies = Copy::all(text, object, version);
    let mut extra = "0".to_owned();
    for copy in copies.iter().flatten() {
        let space = copy.space(text);
        extra = text.sum(&extra, &space);
    }
    let own = version.workspace_size;
    if extra == "0" {
        return own.to_string();
    }
    let whole = text.sum(&extra, &aligned(own).to_string());
    let is_alone = text.value(&format!("icmp eq i64 {extra}, 0"));
    text.value(&format!("select i1 {is_alone}, i64 {own}, i64 {whole}"))
}

/// The functions that call versions on copies, and those that copy.
pub(super) fn functions(object: &Object<'_>) -> String {
    if !object.copies() {
        return String::new();
    }
    let ranks = object.entry.shapes.inputs.iter().chain(&object.entry.shapes.outputs).map(Vec::len);
    let mut text = String::new();
    for count in 1..=ranks.max().unwrap_or(0) {
        text += &copying(&object.symbols.entry, count, true);
        text += &copying(&object.symbols.entry, count, false);
    }
    object.versions.iter().fold(text, |text, version| text + &padded(object, version))
}

/// The function that copies a block with `count` dimensions from the caller's buffer to the version's, with zeros beyond it, or
/// back. The last dimension is in bytes.
fn copying(entry: &str, count: usize, pads: bool) -> String {
    let what = if pads { "pad" } else { "cut" };
    let parameters = (1..=count).map(|at| format!(", i64 %a{at}, i64 %c{at}, i64 %b{at}"));
    let mut text = Text::default();
    let mut rest = ["1", "1"].map(str::to_owned);
    if count == 1 {
        let (to, from) = if pads { ("%wide", "%tight") } else { ("%tight", "%wide") };
        text.line(&format!(
            "call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {from}, i64 %a1, i1 false)"
        ));
    } else {
        for at in 2..=count {
            rest = [("c", 0), ("b", 1)]
                .map(|(name, of)| text.product(&rest[of], &format!("%{name}{at}")));
        }
        text.line("br label %loop");
        text.label("loop");
        text.line("%i = phi i64 [ 0, %entry ], [ %next, %body ]");
        text.line("%is_done = icmp eq i64 %i, %a1");
        text.line("br i1 %is_done, label %end, label %body");
        text.label("body");
        let [small, large] = &rest;
        let tight = text.value(&format!("mul i64 %i, {small}"));
        let tight = text.value(&format!("getelementptr i8, ptr %tight, i64 {tight}"));
        let wide = text.value(&format!("mul i64 %i, {large}"));
        let wide = text.value(&format!("getelementptr i8, ptr %wide, i64 {wide}"));
        let sizes = (2..=count).map(|at| format!(", i64 %a{at}, i64 %c{at}, i64 %b{at}"));
        let sizes: String = sizes.collect();
        let inner = count - 1;
        text.line(&format!("call void @\"{entry}.{what}{inner}\"(ptr {wide}, ptr {tight}{sizes})"));
        text.line("%next = add i64 %i, 1");
        text.line("br label %loop");
        text.label("end");
    }
    if pads {
        let whole = &rest[1];
        let start = text.product("%a1", whole);
        let start = text.value(&format!("getelementptr i8, ptr %wide, i64 {start}"));
        let more = text.value("sub i64 %b1, %a1");
        let bytes = text.product(&more, whole);
        text.line(&format!(
            "call void @llvm.memset.p0.i64(ptr {start}, i8 0, i64 {bytes}, i1 false)"
        ));
    }
    format!(
        "define internal void @\"{entry}.{what}{count}\"(ptr %wide, ptr %tight{}) {{\nentry:\n{}  ret void\n}}\n\n",
        parameters.collect::<String>(),
        text.text
    )
}

/// The function that calls a version on copies, where sizes differ.
fn padded(object: &Object<'_>, version: &Compiled) -> String {
    let entry = &object.symbols.entry;
    let mut text = Text::default();
    let weights = usize::from(object.signature.weights.is_some());
    let ins = version.inputs.len() + object.entry.bounds.len() + weights;
    let outs = version.outputs.len();
    text.line(&format!("%in = alloca [{ins} x ptr], align 8"));
    text.line(&format!("%out = alloca [{} x ptr], align 8", outs.max(1)));
    text.load_symbols(object.entry.shapes.symbols.len());
    let copies = Copy::all(&mut text, object, version);
    let inputs: Vec<_> =
        (0..version.inputs.len() + weights).map(|at| text.pointer("%from", at)).collect();
    let outputs: Vec<_> = (0..outs).map(|at| text.pointer("%to", at)).collect();
    let places = places(&mut text, version, &copies, [&inputs, &outputs]);
    // Sizes come after the inputs, before the weights.
    for (at, pointer) in inputs[..version.inputs.len()].iter().enumerate() {
        text.set_pointer("%in", at, pointer);
    }
    for (at, bound) in object.entry.bounds.iter().enumerate() {
        text.set_pointer("%in", version.inputs.len() + at, &format!("%p{}", bound.symbol));
    }
    if weights == 1 {
        text.set_pointer("%in", ins - 1, &inputs[version.inputs.len()]);
    }
    for (at, pointer) in outputs.iter().enumerate() {
        text.set_pointer("%out", at, pointer);
    }
    for (copy, place) in copies[0].iter().zip(&places[0]) {
        let at = copy.at;
        text.line(&format!("br i1 {}, label %pad{at}, label %padded{at}", copy.differs));
        text.label(&format!("pad{at}"));
        copy.call(&mut text, entry, "pad", (place, &inputs[at]));
        text.set_pointer("%in", at, place);
        text.line(&format!("br label %padded{at}"));
        text.label(&format!("padded{at}"));
    }
    for (copy, place) in copies[1].iter().zip(&places[1]) {
        let pointer = text
            .value(&format!("select i1 {}, ptr {place}, ptr {}", copy.differs, outputs[copy.at]));
        text.set_pointer("%out", copy.at, &pointer);
    }
    text.line(&format!(
        "%status = call i32 @\"{}\"(ptr %in, ptr %out, ptr %workspace, ptr %executor)",
        version_name(entry, version)
    ));
    text.line("%is_ok = icmp eq i32 %status, 0");
    text.line("br i1 %is_ok, label %done, label %stop");
    text.label("done");
    for (copy, place) in copies[1].iter().zip(&places[1]) {
        let at = copy.at;
        text.line(&format!("br i1 {}, label %cut{at}, label %ended{at}", copy.differs));
        text.label(&format!("cut{at}"));
        copy.call(&mut text, entry, "cut", (place, &outputs[at]));
        text.line(&format!("br label %ended{at}"));
        text.label(&format!("ended{at}"));
    }
    let fails: String =
        (1..=4).map(|status| format!("fail{status}:\n  ret i32 {status}\n")).collect();
    format!(
        "define internal i32 @\"{}\"(ptr %from, ptr %to, ptr %workspace, ptr %executor, ptr %symbols) {{\n\
         entry:\n{}  ret i32 0\nstop:\n  ret i32 %status\n{fails}}}\n\n",
        name(entry, version),
        text.text
    )
}

/// The places of copies in the workspace. Buffers and workspace are checked as in an entry, before anything is copied.
fn places(
    text: &mut Text,
    version: &Compiled,
    copies: &[Vec<Copy>; 2],
    pointers: [&[String]; 2],
) -> [Vec<String>; 2] {
    for (status, (copies, pointers)) in (1..).zip(copies.iter().zip(pointers)) {
        let mut lacks = "false".to_owned();
        for copy in copies {
            let one = copy.lacks(text, &pointers[copy.at]);
            lacks = text.either(&lacks, &one);
        }
        text.line(&format!("br i1 {lacks}, label %fail{status}, label %passed{status}"));
        text.label(&format!("passed{status}"));
    }
    let mut end = aligned(version.workspace_size).to_string();
    let mut is_used = "false".to_owned();
    let places = [0, 1].map(|which| {
        let mut own = Vec::new();
        for copy in &copies[which] {
            own.push(text.value(&format!("getelementptr i8, ptr %workspace, i64 {end}")));
            let space = copy.space(text);
            let is_some = text.value(&format!("icmp ne i64 {space}, 0"));
            is_used = text.either(&is_used, &is_some);
            end = text.value(&format!("add i64 {end}, {space}"));
        }
        own
    });
    let null = text.value("icmp eq ptr %workspace, null");
    let lacks = text.value(&format!("and i1 {is_used}, {null}"));
    text.line(&format!("br i1 {lacks}, label %fail3, label %passed3"));
    text.label("passed3");
    let address = text.value("ptrtoint ptr %workspace to i64");
    let rest = text.value(&format!("urem i64 {address}, {WORKSPACE_ALIGNMENT}"));
    let is_wrong = text.value(&format!("icmp ne i64 {rest}, 0"));
    let is_wrong = text.value(&format!("and i1 {is_used}, {is_wrong}"));
    text.line(&format!("br i1 {is_wrong}, label %fail4, label %passed4"));
    text.label("passed4");
    places
}
