//! Objects for any number of rows: the program was compiled for several numbers, and the exported function calls these versions for
//! consecutive rows, largest first.
//!
//! ```llvm
//! define i32 @mlp_main(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor, ptr %symbols) {
//!   …                      ; 17 rows are a call of the version for 16 and one of that for 1,
//!   %status = call i32 @mlp_main.16(ptr %in, ptr %out, …)      ; whose buffers begin 16 rows further
//! ```

use std::{collections::BTreeMap, fmt::Write as _};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Signature, TensorSpec,
    sizes::{Atom, Size, Truth, Variable},
};

use crate::{
    abi::{SIGNATURE_VERSION, WORKSPACE_ALIGNMENT, WRONG_SIZES, element_code},
    symbols::Symbols,
};

/// The largest number of rows, unless these are so large that their bytes overflow before.
pub const MOST_ROWS: i64 = 1 << 40;

/// No factor of a condition may be larger, so that it is evaluated without overflow.
const LARGEST_FACTOR: i64 = 1 << 20;

/// The dimension of a tensor that has the rows, and how many of its elements belong to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowDimension {
    /// The dimension.
    pub dim: usize,
    /// Its size for one row.
    pub factor: u64,
}

/// An entry for any number of rows.
#[derive(Clone, Debug)]
pub struct RowEntry {
    /// The name of the number.
    pub symbol: String,
    /// For each input its rows.
    pub inputs: Vec<Option<RowDimension>>,
    /// For each output its rows.
    pub outputs: Vec<Option<RowDimension>>,
    /// Conditions on the number, which is the only variable, with a text for each.
    pub conditions: Vec<(Truth, String)>,
    /// The numbers of rows of the versions.
    pub versions: Vec<u64>,
}

impl RowEntry {
    /// # Errors
    /// `S1101` for a condition whose evaluation could overflow.
    pub fn check(&self) -> Result<(), Diagnostic> {
        match self.conditions.iter().find(|(truth, _)| !is_small(truth)) {
            None => Ok(()),
            Some((_, text)) => Err(Diagnostic::new(codes::S1101)
                .reason(format!("the condition {text} cannot be evaluated at run time"))
                .hint(format!("`--bind {}=8` compiles for one size", self.symbol))),
        }
    }

    /// The largest number of rows: their bytes do not overflow.
    pub(crate) fn most_rows(&self, signature: &Signature) -> i64 {
        let tensors = self.tensors(signature).into_iter().flatten();
        let largest = tensors.map(|(spec, rows)| row_bytes(spec, rows)).max().unwrap_or(0);
        MOST_ROWS.min((i64::MAX as u64 / largest.max(1)) as i64 / 2)
    }

    /// Each tensor with its rows.
    fn tensors<'e>(
        &'e self,
        signature: &'e Signature,
    ) -> [Vec<(&'e TensorSpec, Option<RowDimension>)>; 2] {
        let pair = |specs: &'e [TensorSpec], rows: &'e [Option<RowDimension>]| {
            specs.iter().zip(rows.iter().copied()).collect()
        };
        [pair(&signature.inputs, &self.inputs), pair(&signature.outputs, &self.outputs)]
    }
}

/// Bytes of one row of a tensor; 0 for one that is the same for all.
pub(crate) fn row_bytes(spec: &TensorSpec, rows: Option<RowDimension>) -> u64 {
    let Some(rows) = rows else { return 0 };
    let inner: u64 = spec.shape[rows.dim + 1..].iter().product();
    inner * rows.factor * spec.element.byte_width()
}

fn is_small(truth: &Truth) -> bool {
    match truth {
        Truth::Known(_) => true,
        Truth::Zero(size) | Truth::NotZero(size) | Truth::NotNegative(size) => is_linear(size),
        Truth::All(list) => list.iter().all(is_small),
    }
}

/// A sum of at most one atom per term, with small factors.
fn is_linear(size: &Size) -> bool {
    size.terms().all(|(atoms, factor)| {
        let bounded =
            factor.abs() <= LARGEST_FACTOR || atoms.is_empty() && factor.abs() <= MOST_ROWS;
        let atom = match atoms {
            [] | [Atom::Variable(_)] => true,
            [Atom::Floor(size, by) | Atom::Mod(size, by)] => {
                is_linear(size) && by.as_known().is_some_and(|by| by > 0)
            }
            [Atom::Max(a, b) | Atom::Min(a, b)] => is_linear(a) && is_linear(b),
            [Atom::Sign(size)] => is_linear(size),
            _ => false,
        };
        bounded && atom
    })
}

/// The text of LLVM IR, with numbered values.
#[derive(Default)]
struct Text {
    text: String,
    count: usize,
}

impl Text {
    /// A line that defines a value; its name.
    fn value(&mut self, line: &str) -> String {
        self.count += 1;
        let name = format!("%v{}", self.count);
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {name} = {line}");
        name
    }

    fn line(&mut self, line: &str) {
        self.text += "  ";
        self.text += line;
        self.text.push('\n');
    }

    /// An expression of the number of rows `%n`, as `i64`.
    fn size(&mut self, size: &Size) -> String {
        let mut sum = "0".to_owned();
        for (atoms, factor) in size.terms() {
            let term = match atoms {
                [] => factor.to_string(),
                [atom, ..] => {
                    let atom = self.atom(atom);
                    self.value(&format!("mul i64 {atom}, {factor}"))
                }
            };
            sum = self.value(&format!("add i64 {sum}, {term}"));
        }
        sum
    }

    fn atom(&mut self, atom: &Atom) -> String {
        let extreme = |text: &mut Self, a: &Size, b: &Size, name: &str| {
            let (a, b) = (text.size(a), text.size(b));
            text.value(&format!("call i64 @llvm.{name}.i64(i64 {a}, i64 {b})"))
        };
        match atom {
            Atom::Variable(Variable::Symbol(_) | Variable::Dimension(..)) => "%n".to_owned(),
            Atom::Max(a, b) => extreme(self, a, b, "smax"),
            Atom::Min(a, b) => extreme(self, a, b, "smin"),
            Atom::Sign(a) => {
                let a = self.size(a);
                let low = self.value(&format!("call i64 @llvm.smax.i64(i64 {a}, i64 -1)"));
                self.value(&format!("call i64 @llvm.smin.i64(i64 {low}, i64 1)"))
            }
            // Rounded down: the remainder of a negative number is made positive.
            Atom::Floor(a, by) | Atom::Mod(a, by) => {
                let (a, by) = (self.size(a), by.as_known().unwrap_or(1));
                let rest = self.value(&format!("srem i64 {a}, {by}"));
                let is_negative = self.value(&format!("icmp slt i64 {rest}, 0"));
                let more = self.value(&format!("select i1 {is_negative}, i64 {by}, i64 0"));
                let rest = self.value(&format!("add i64 {rest}, {more}"));
                if matches!(atom, Atom::Mod(..)) {
                    return rest;
                }
                let whole = self.value(&format!("sub i64 {a}, {rest}"));
                self.value(&format!("sdiv i64 {whole}, {by}"))
            }
        }
    }

    fn truth(&mut self, truth: &Truth) -> String {
        let compare = |text: &mut Self, size: &Size, how: &str| {
            let size = text.size(size);
            text.value(&format!("icmp {how} i64 {size}, 0"))
        };
        match truth {
            Truth::Known(holds) => holds.to_string(),
            Truth::Zero(size) => compare(self, size, "eq"),
            Truth::NotZero(size) => compare(self, size, "ne"),
            Truth::NotNegative(size) => compare(self, size, "sge"),
            Truth::All(list) => list.iter().fold("true".to_owned(), |all, one| {
                let one = self.truth(one);
                self.value(&format!("and i1 {all}, {one}"))
            }),
        }
    }
}

/// The name of a version.
fn version_name(entry: &str, rows: u64) -> String {
    format!("{entry}.{rows}")
}

/// The functions and tables of an entry. `signature` is that of one row, `workspaces` the bytes that each version needs, by its
/// number of rows.
pub(crate) fn functions(
    symbols: &Symbols,
    entry: &RowEntry,
    signature: &Signature,
    workspaces: &BTreeMap<u64, u64>,
) -> String {
    let workspace_size = workspaces.values().copied().max().unwrap_or(0);
    let mut text = String::from(
        "declare i64 @llvm.smax.i64(i64, i64)\ndeclare i64 @llvm.smin.i64(i64, i64)\n\n",
    );
    text += &conditions(symbols, entry, signature);
    text += &workspace(symbols, workspaces);
    text += &dims(symbols, entry, signature);
    text += &output_shapes(symbols, entry, signature);
    text += &main(symbols, entry, signature);
    text + &tables(symbols, entry, signature, workspace_size)
}

/// The index of the first condition that the number of rows violates, -1 if it violates none; the last one is its range.
fn conditions(symbols: &Symbols, entry: &RowEntry, signature: &Signature) -> String {
    let mut text = Text::default();
    let count = entry.conditions.len();
    // Out of range, conditions may overflow.
    let low = text.value("icmp sge i64 %n, 0");
    let high = text.value(&format!("icmp sle i64 %n, {}", entry.most_rows(signature)));
    let range = text.value(&format!("and i1 {low}, {high}"));
    let mut first = "-1".to_owned();
    for (index, (truth, _)) in entry.conditions.iter().enumerate().rev() {
        let holds = text.truth(truth);
        first = text.value(&format!("select i1 {holds}, i32 {first}, i32 {index}"));
    }
    let first = text.value(&format!("select i1 {range}, i32 {first}, i32 {count}"));
    let name = symbols.constraint();
    format!(
        "define internal i32 @\"{name}.of\"(i64 %n) {{\n{}  ret i32 {first}\n}}\n\n\
         define i32 @{name}(ptr %symbols) {{\n  %n = load i64, ptr %symbols, align 8\n  \
         %first = call i32 @\"{name}.of\"(i64 %n)\n  ret i32 %first\n}}\n\n",
        text.text
    )
}

/// The bytes that the versions for up to that number of rows need.
fn workspace(symbols: &Symbols, workspaces: &BTreeMap<u64, u64>) -> String {
    let mut text = Text::default();
    let (mut needed, mut size) = (0, "0".to_owned());
    for (rows, bytes) in workspaces {
        needed = needed.max(*bytes);
        let reached = text.value(&format!("icmp sge i64 %n, {rows}"));
        size = text.value(&format!("select i1 {reached}, i64 {needed}, i64 {size}"));
    }
    format!(
        "define i64 @{}(ptr %symbols) {{\n  %n = load i64, ptr %symbols, align 8\n{}  \
         %first = call i32 @\"{}.of\"(i64 %n)\n  %holds = icmp eq i32 %first, -1\n  \
         %size = select i1 %holds, i64 {size}, i64 -1\n  ret i64 %size\n}}\n\n",
        symbols.workspace_size(),
        text.text,
        symbols.constraint()
    )
}

/// The number of rows from the shapes of the inputs.
fn dims(symbols: &Symbols, entry: &RowEntry, signature: &Signature) -> String {
    let [inputs, _] = entry.tensors(signature);
    let mut text = Text::default();
    let (mut holds, mut number) = ("true".to_owned(), None::<String>);
    for (index, (spec, rows)) in inputs.into_iter().enumerate() {
        for (dim, size) in spec.shape.iter().enumerate() {
            let list = text.value(&format!("getelementptr ptr, ptr %shapes, i64 {index}"));
            let list = text.value(&format!("load ptr, ptr {list}, align 8"));
            let place = text.value(&format!("getelementptr i64, ptr {list}, i64 {dim}"));
            let found = text.value(&format!("load i64, ptr {place}, align 8"));
            let fits = match rows.filter(|rows| rows.dim == dim) {
                None => text.value(&format!("icmp eq i64 {found}, {size}")),
                Some(rows) => {
                    let factor = rows.factor;
                    let rest = text.value(&format!("srem i64 {found}, {factor}"));
                    let whole = text.value(&format!("icmp eq i64 {rest}, 0"));
                    let own = text.value(&format!("sdiv i64 {found}, {factor}"));
                    let other = number.get_or_insert_with(|| own.clone()).clone();
                    let same = text.value(&format!("icmp eq i64 {own}, {other}"));
                    text.value(&format!("and i1 {whole}, {same}"))
                }
            };
            holds = text.value(&format!("and i1 {holds}, {fits}"));
        }
    }
    let number = number.unwrap_or_else(|| "0".to_owned());
    format!(
        "define i32 @{}(ptr %shapes, ptr %symbols) {{\n{}  \
         %first = call i32 @\"{}.of\"(i64 {number})\n  %known = icmp eq i32 %first, -1\n  \
         %good = and i1 %known, {holds}\n  br i1 %good, label %store, label %fail\n\
         store:\n  store i64 {number}, ptr %symbols, align 8\n  ret i32 0\n\
         fail:\n  ret i32 {WRONG_SIZES}\n}}\n\n",
        symbols.dims(),
        text.text,
        symbols.constraint()
    )
}

fn output_shapes(symbols: &Symbols, entry: &RowEntry, signature: &Signature) -> String {
    let [_, outputs] = entry.tensors(signature);
    let mut text = Text::default();
    for (index, (spec, rows)) in outputs.into_iter().enumerate() {
        for (dim, size) in spec.shape.iter().enumerate() {
            let list = text.value(&format!("getelementptr ptr, ptr %shapes, i64 {index}"));
            let list = text.value(&format!("load ptr, ptr {list}, align 8"));
            let place = text.value(&format!("getelementptr i64, ptr {list}, i64 {dim}"));
            let size = match rows.filter(|rows| rows.dim == dim) {
                None => size.to_string(),
                Some(rows) => text.value(&format!("mul i64 %n, {}", rows.factor)),
            };
            text.line(&format!("store i64 {size}, ptr {place}, align 8"));
        }
    }
    format!(
        "define i32 @{}(ptr %symbols, ptr %shapes) {{\n  %n = load i64, ptr %symbols, align 8\n  \
         %first = call i32 @\"{}.of\"(i64 %n)\n  %good = icmp eq i32 %first, -1\n  \
         br i1 %good, label %write, label %fail\nwrite:\n{}  ret i32 0\nfail:\n  ret i32 {WRONG_SIZES}\n}}\n\n",
        symbols.output_shapes(),
        symbols.constraint(),
        text.text
    )
}

/// Pointers to the rows of one call from the caller's, in `list`.
fn advance(text: &mut Text, from: &str, list: &str, bytes: &[u64]) {
    for (index, bytes) in bytes.iter().enumerate() {
        let place = text.value(&format!("getelementptr ptr, ptr {from}, i64 {index}"));
        let mut pointer = text.value(&format!("load ptr, ptr {place}, align 8"));
        if *bytes != 0 {
            let offset = text.value(&format!("mul i64 %done, {bytes}"));
            pointer = text.value(&format!("getelementptr i8, ptr {pointer}, i64 {offset}"));
        }
        let place = text.value(&format!("getelementptr ptr, ptr {list}, i64 {index}"));
        text.line(&format!("store ptr {pointer}, ptr {place}, align 8"));
    }
}

/// The exported function.
fn main(symbols: &Symbols, entry: &RowEntry, signature: &Signature) -> String {
    let name = &symbols.entry;
    let [inputs, outputs] = entry.tensors(signature);
    let bytes = |tensors: Vec<(&TensorSpec, Option<RowDimension>)>| -> Vec<u64> {
        tensors.into_iter().map(|(spec, rows)| row_bytes(spec, rows)).collect()
    };
    let (mut inputs, outputs) = (bytes(inputs), bytes(outputs));
    // The weights are the last input.
    inputs.extend(signature.weights.map(|_| 0));
    let mut versions = entry.versions.clone();
    versions.sort_unstable_by(|a, b| b.cmp(a));
    let mut text = String::new();
    for rows in &versions {
        let name = version_name(name, *rows);
        text += &format!("declare hidden i32 @\"{name}\"(ptr, ptr, ptr, ptr)\n");
    }
    let mut body = Text::default();
    advance(&mut body, "%inputs", "%in", &inputs);
    advance(&mut body, "%outputs", "%out", &outputs);
    let (ins, outs) = (inputs.len().max(1), outputs.len().max(1));
    let mut choice = String::new();
    for (at, rows) in versions.iter().enumerate() {
        let next =
            if at + 1 == versions.len() { "fail".to_owned() } else { format!("try{}", at + 1) };
        choice += &format!(
            "try{at}:\n  %fits{at} = icmp sge i64 %left, {rows}\n  br i1 %fits{at}, label %run{at}, label %{next}\n\
             run{at}:\n  %status{at} = call i32 @\"{}\"(ptr %in, ptr %out, ptr %workspace, ptr %executor)\n  \
             %after{at} = add i64 %done, {rows}\n  br label %ran\n",
            version_name(name, *rows)
        );
    }
    let phi = |what: &str| {
        let list = (0..versions.len()).map(|at| format!("[ %{what}{at}, %run{at} ]"));
        list.collect::<Vec<_>>().join(", ")
    };
    text + &format!(
        "\ndefine i32 @{name}(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor, ptr %symbols) {{\n\
         entry:\n  %in = alloca [{ins} x ptr], align 8\n  %out = alloca [{outs} x ptr], align 8\n  \
         %none = icmp eq ptr %symbols, null\n  br i1 %none, label %fail, label %checks\n\
         checks:\n  %n = load i64, ptr %symbols, align 8\n  %first = call i32 @\"{}.of\"(i64 %n)\n  \
         %good = icmp eq i32 %first, -1\n  br i1 %good, label %input, label %fail\n\
         input:\n  %no_inputs = icmp eq ptr %inputs, null\n  br i1 %no_inputs, label %fail1, label %output\n\
         output:\n  %no_outputs = icmp eq ptr %outputs, null\n  br i1 %no_outputs, label %fail2, label %loop\n\
         loop:\n  %done = phi i64 [ 0, %output ], [ %after, %ran ]\n  %left = sub i64 %n, %done\n  \
         %is_done = icmp eq i64 %left, 0\n  br i1 %is_done, label %end, label %next\n\
         next:\n{}  br label %try0\n{choice}\
         ran:\n  %status = phi i32 {}\n  %after = phi i64 {}\n  %is_ok = icmp eq i32 %status, 0\n  \
         br i1 %is_ok, label %loop, label %stop\n\
         stop:\n  ret i32 %status\nend:\n  ret i32 0\nfail:\n  ret i32 {WRONG_SIZES}\n\
         fail1:\n  ret i32 1\nfail2:\n  ret i32 2\n}}\n\n",
        symbols.constraint(),
        body.text,
        phi("status"),
        phi("after")
    )
}

/// The signature table, with -1 for the rows, and the texts of the conditions.
fn tables(
    symbols: &Symbols,
    entry: &RowEntry,
    signature: &Signature,
    workspace_size: u64,
) -> String {
    let mut text = String::new();
    let mut lists = Vec::new();
    for (what, tensors) in ["in", "out"].into_iter().zip(entry.tensors(signature)) {
        let mut rows_of = Vec::new();
        for (index, (spec, rows)) in tensors.iter().enumerate() {
            let rank = spec.shape.len();
            let sizes = spec.shape.iter().enumerate().map(|(dim, size)| {
                match rows.filter(|rows| rows.dim == dim) {
                    Some(_) => "i64 -1".to_owned(),
                    None => format!("i64 {size}"),
                }
            });
            let sizes: Vec<_> = sizes.collect();
            let name = format!("@\"{}.{what}{index}\"", symbols.entry);
            let dims = if rank == 0 { "null".to_owned() } else { name.clone() };
            if rank != 0 {
                let list = sizes.join(", ");
                text += &format!("{name} = internal constant [{rank} x i64] [{list}]\n");
            }
            let code = element_code(spec.element);
            rows_of.push(format!("{{ i32, i32, ptr }} {{ i32 {code}, i32 {rank}, ptr {dims} }}"));
        }
        let name = format!("@\"{}.{what}\"", symbols.entry);
        let count = rows_of.len();
        match count {
            0 => lists.push("null".to_owned()),
            _ => {
                let list = rows_of.join(", ");
                text += &format!(
                    "{name} = internal constant [{count} x {{ i32, i32, ptr }}] [{list}]\n"
                );
                lists.push(name);
            }
        }
    }
    let weights = signature.weights.map_or(0, |file| file.size);
    text += &format!(
        "@{} = constant {{ i32, i32, i32, i32, i64, ptr, ptr, i64, ptr }} {{ i32 {SIGNATURE_VERSION}, \
         i32 {WORKSPACE_ALIGNMENT}, i32 {}, i32 {}, i64 {workspace_size}, ptr {}, ptr {}, i64 {weights}, ptr null }}\n",
        symbols.signature(),
        signature.inputs.len(),
        signature.outputs.len(),
        lists[0],
        lists[1]
    );
    let texts = constraint_texts(entry, signature);
    let mut names = Vec::new();
    for (index, one) in texts.iter().enumerate() {
        let bytes: String = one.bytes().map(|byte| format!("\\{byte:02X}")).collect();
        let name = format!("@\"{}.c{index}\"", symbols.entry);
        let length = one.len() + 1;
        text += &format!("{name} = internal constant [{length} x i8] c\"{bytes}\\00\"\n");
        names.push(format!("ptr {name}"));
    }
    let (count, list) = (names.len(), names.join(", "));
    text + &format!("@{} = constant [{count} x ptr] [{list}]\n", symbols.constraints())
}

/// The texts of the conditions, the range of the number last.
pub(crate) fn constraint_texts(entry: &RowEntry, signature: &Signature) -> Vec<String> {
    let own = entry.conditions.iter().map(|(_, text)| text.clone());
    own.chain([format!("0 <= {} <= {}", entry.symbol, entry.most_rows(signature))]).collect()
}
