//! The exported function: it calls the versions that compute the sizes of a call.

use super::{Bound, Compiled, Object, OpenEntry, OpenVersion, Tensor, padding, text::Text};
use crate::abi::WRONG_SIZES;

impl OpenEntry {
    /// The number of combinations of bounds.
    pub(super) fn combinations(&self) -> usize {
        self.bounds.iter().map(|bound| bound.sizes.len()).product()
    }

    /// The number of the combination that a version is for.
    pub(super) fn combination_of(&self, version: &OpenVersion) -> usize {
        let pairs = self.bounds.iter().zip(&version.bounds);
        pairs.fold(0, |number, (bound, size)| {
            let at = bound.sizes.iter().position(|one| one == size).unwrap_or(0);
            number * bound.sizes.len() + at
        })
    }

    /// The numbers of rows that there are versions for, largest first; 1 if no symbol is a number of rows.
    fn row_numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> =
            self.versions.iter().map(|version| version.rows.unwrap_or(1)).collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.dedup();
        numbers
    }
}

/// The parameters of the exported function.
pub(crate) const PARAMETERS: &str =
    "ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor, ptr %symbols";

/// The name of a version.
pub(super) fn version_name(entry: &str, version: &Compiled) -> String {
    format!("{entry}.{}", version.label())
}

/// The number of the combination of the smallest bounds that are large enough.
pub(super) fn combination(text: &mut Text, entry: &OpenEntry) -> String {
    let mut number = "0".to_owned();
    for Bound { symbol, sizes, .. } in &entry.bounds {
        number = text.product(&number, &sizes.len().to_string());
        for size in &sizes[..sizes.len() - 1] {
            let larger = text.value(&format!("icmp sgt i64 %s{symbol}, {size}"));
            let one = text.value(&format!("zext i1 {larger} to i64"));
            number = text.sum(&number, &one);
        }
    }
    number
}

/// Bytes of one row of a tensor; 0 for one that is the same for all.
fn row_bytes(text: &mut Text, tensor: &Tensor<'_>) -> String {
    let Some(rows) = tensor.rows else { return "0".to_owned() };
    let mut bytes = (rows.factor * tensor.bytes).to_string();
    for size in &tensor.sizes[rows.dim + 1..] {
        let size = text.size(size);
        bytes = text.product(&bytes, &size);
    }
    bytes
}

/// Pointers to the rows of one call from the caller's, in `list`.
fn advance(text: &mut Text, from: &str, list: &str, bytes: &[String]) {
    for (index, bytes) in bytes.iter().enumerate() {
        let mut pointer = text.pointer(from, index);
        if bytes != "0" {
            let offset = text.value(&format!("mul i64 %done, {bytes}"));
            pointer = text.value(&format!("getelementptr i8, ptr {pointer}, i64 {offset}"));
        }
        text.set_pointer(list, index, &pointer);
    }
}

/// The exported function; of an object for several processors that of each, which [`crate::joint`] chooses from.
pub(super) fn mains(object: &Object<'_>) -> String {
    let mut text = String::new();
    for one in object.versions {
        let name = version_name(&object.symbols.entry, one);
        text += &format!("declare hidden i32 @\"{name}\"(ptr, ptr, ptr, ptr)\n");
    }
    let mut cpus: Vec<Option<&str>> = Vec::new();
    for one in object.versions {
        let cpu = one.cpu.as_deref();
        if !cpus.contains(&cpu) {
            cpus.push(cpu);
        }
    }
    cpus.into_iter().fold(text, |text, cpu| text + &main(object, cpu))
}

/// The function that calls the versions for a processor.
fn main(object: &Object<'_>, cpu: Option<&str>) -> String {
    let Object { symbols, entry, signature, .. } = object;
    let mut body = Text::default();
    let [inputs, outputs] = object.tensors();
    let weights = usize::from(signature.weights.is_some());
    let (ins, outs) = ((inputs.len() + weights).max(1), outputs.len().max(1));
    body.line(&format!("%in = alloca [{ins} x ptr], align 8"));
    body.line(&format!("%out = alloca [{outs} x ptr], align 8"));
    body.load_symbols(entry.shapes.symbols.len());
    body.line(&format!("%first = {}", object.ask_symbols()));
    body.line("%good = icmp eq i32 %first, -1");
    body.line("br i1 %good, label %input, label %fail");
    body.label("input");
    body.line("%no_inputs = icmp eq ptr %inputs, null");
    body.line("br i1 %no_inputs, label %fail1, label %output");
    body.label("output");
    body.line("%no_outputs = icmp eq ptr %outputs, null");
    body.line("br i1 %no_outputs, label %fail2, label %choose");
    body.label("choose");
    let chosen = combination(&mut body, entry);
    let mut steps = |tensors: &[Tensor<'_>]| -> Vec<String> {
        tensors.iter().map(|tensor| row_bytes(&mut body, tensor)).collect()
    };
    let (mut inputs, outputs) = (steps(&inputs), steps(&outputs));
    // The weights are the last input.
    inputs.extend(signature.weights.map(|_| "0".to_owned()));
    body.line("br label %loop");
    let total =
        entry.shapes.batch.as_ref().map_or("1".to_owned(), |rows| format!("%s{}", rows.symbol));
    let (calls, statuses, afters) = calls(object, cpu, &chosen);
    // It is called from another module, until they are linked.
    let name = match cpu {
        None => format!("i32 @{}", symbols.entry),
        Some(cpu) => format!("hidden i32 @\"{}.{cpu}\"", symbols.entry),
    };
    body.label("loop");
    body.line("%done = phi i64 [ 0, %choose ], [ %after, %ran ]");
    body.line(&format!("%left = sub i64 {total}, %done"));
    body.line("%is_done = icmp eq i64 %left, 0");
    body.line("br i1 %is_done, label %end, label %next");
    body.label("next");
    advance(&mut body, "%inputs", "%in", &inputs);
    advance(&mut body, "%outputs", "%out", &outputs);
    body.line("br label %try0");
    format!(
        "\ndefine {name}({PARAMETERS}) {{\n\
         entry:\n{}{calls}ran:\n  %status = phi i32 {statuses}\n  %after = phi i64 {afters}\n  \
         %is_ok = icmp eq i32 %status, 0\n  br i1 %is_ok, label %loop, label %stop\n\
         stop:\n  ret i32 %status\nend:\n  ret i32 0\nfail:\n  ret i32 {WRONG_SIZES}\n\
         fail1:\n  ret i32 1\nfail2:\n  ret i32 2\n}}\n\n",
        body.text,
    )
}

/// The calls of all versions, from the largest number of rows on, and what follows from each: its status and the rows done.
fn calls(object: &Object<'_>, cpu: Option<&str>, chosen: &str) -> (String, String, String) {
    let Object { symbols, entry, versions, .. } = object;
    let mut text = Text::default();
    let (mut statuses, mut afters) = (Vec::new(), Vec::new());
    let numbers = entry.row_numbers();
    for (at, rows) in numbers.iter().enumerate() {
        let next =
            if at + 1 == numbers.len() { "fail".to_owned() } else { format!("try{}", at + 1) };
        text.label(&format!("try{at}"));
        text.line(&format!("%fits{at} = icmp sge i64 %left, {rows}"));
        text.line(&format!("br i1 %fits{at}, label %run{at}, label %{next}"));
        text.label(&format!("run{at}"));
        text.line(&format!("%after{at} = add i64 %done, {rows}"));
        let own = versions.iter().filter(|one| one.cpu.as_deref() == cpu);
        let own = own.filter(|one| one.version.rows.unwrap_or(1) == *rows);
        let cases: Vec<_> = own.map(|one| (entry.combination_of(&one.version), one)).collect();
        let labels: Vec<_> =
            cases.iter().map(|(case, _)| format!("i64 {case}, label %run{at}.{case}")).collect();
        text.line(&format!("switch i64 {chosen}, label %fail [ {} ]", labels.join(" ")));
        for (case, version) in cases {
            text.label(&format!("run{at}.{case}"));
            let mut name = version_name(&symbols.entry, version);
            let mut last = "%executor".to_owned();
            if object.copies() {
                name = padding::name(&symbols.entry, version);
                last += ", ptr %symbols";
            }
            text.line(&format!(
                "%status{at}.{case} = call i32 @\"{name}\"(ptr %in, ptr %out, ptr %workspace, ptr {last})"
            ));
            text.line("br label %ran");
            statuses.push(format!("[ %status{at}.{case}, %run{at}.{case} ]"));
            afters.push(format!("[ %after{at}, %run{at}.{case} ]"));
        }
    }
    (text.text, statuses.join(", "), afters.join(", "))
}
