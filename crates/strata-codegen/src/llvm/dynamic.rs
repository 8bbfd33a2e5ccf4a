//! The exports of an entry with dynamic shapes: as those of one with static shapes, but with the values of symbols, and beside them
//! functions that give symbols and shapes, and say which condition is violated. All of them call what stage `vector` left beside the
//! entry ([`Helper`]).

use std::fmt::Write as _;

use strata_ir::TensorSpec;
use strata_shapes::{DimExpr, Helper, Specializations};

use super::{
    Entry,
    call_text::DEVICES,
    tables::{global_list, names_table, signature_table, string_constant},
    wrapper::{Checks, refuse_alone},
};
use crate::{
    abi::WRONG_SIZES,
    open::{constraint_texts, dimension_texts},
};

/// The functions and tables of an entry.
pub(super) fn exports(
    text: &mut String,
    entry: &Entry,
    all: &Specializations,
    leaves: bool,
) -> std::fmt::Result {
    let exported = Exported { entry, all };
    exported.entry_function(text, leaves)?;
    exported.workspace_size(text)?;
    exported.constraint(text)?;
    exported.dims(text)?;
    exported.mismatch(text)?;
    exported.output_shapes(text)?;
    exported.declarations(text)?;
    signature_table(text, entry)?;
    names_table(text, entry)?;
    let mut conditions = constraint_texts(all, &entry.signature);
    conditions.extend(dimension_texts(all, &entry.signature));
    text_list(text, &entry.symbols.constraints(), &conditions)?;
    text_list(text, &entry.symbols.symbol_names(), &all.shapes.symbols)
}

struct Exported<'e> {
    entry: &'e Entry,
    all: &'e Specializations,
}

/// How many dimensions tensors have together.
fn count(shapes: &[Vec<DimExpr>]) -> usize {
    shapes.iter().map(Vec::len).sum()
}

/// Room for a list of `i64`, in the first block of a function.
fn room(text: &mut String, name: &str, count: usize) -> std::fmt::Result {
    let count = count.max(1);
    writeln!(
        text,
        "  %room_{name} = llvm.mlir.constant({count} : i64) : i64\n  \
         %{name} = llvm.alloca %room_{name} x i64 : (i64) -> !llvm.ptr"
    )
}

/// The value of an element of a list.
fn read(text: &mut String, value: &str, list: &str, at: usize, ty: &str) -> std::fmt::Result {
    writeln!(
        text,
        "  {value}_at = llvm.getelementptr {list}[{at}] : (!llvm.ptr) -> !llvm.ptr, {ty}\n  \
         {value} = llvm.load {value}_at : !llvm.ptr -> {ty}"
    )
}

/// Sets an element of a list of `i64`.
fn write_word(text: &mut String, value: &str, list: &str, at: usize) -> std::fmt::Result {
    writeln!(
        text,
        "  {value}_in = llvm.getelementptr {list}[{at}] : (!llvm.ptr) -> !llvm.ptr, i64\n  \
         llvm.store {value}, {value}_in : i64, !llvm.ptr"
    )
}

impl Exported<'_> {
    fn helper(&self, helper: Helper) -> String {
        format!("@\"{}\"", helper.name(&self.entry.signature.entry))
    }

    fn no_symbols(&self) -> String {
        format!("@\"{}.no_symbols\"", self.entry.symbols.entry)
    }

    /// The list of symbols, or one of values that are never right if the caller gives none.
    fn given(&self, text: &mut String) -> std::fmt::Result {
        writeln!(
            text,
            "  %no_symbols = llvm.mlir.addressof {} : !llvm.ptr\n  \
             %is_absent = llvm.icmp \"eq\" %symbols, %null : !llvm.ptr\n  \
             %given = llvm.select %is_absent, %no_symbols, %symbols : i1, !llvm.ptr",
            self.no_symbols()
        )
    }

    /// Whether symbols violate a condition, as `%violates`, and which one first, as `%first`.
    fn ask(&self, text: &mut String, symbols: &str) -> std::fmt::Result {
        writeln!(
            text,
            "  %first = llvm.call {}({symbols}) : (!llvm.ptr) -> i32\n  \
             %nothing = llvm.mlir.constant(-1 : i32) : i32\n  \
             %violates = llvm.icmp \"ne\" %first, %nothing : i32",
            self.helper(Helper::Violation)
        )
    }

    /// Calls a function that writes a list.
    fn fill(&self, text: &mut String, helper: Helper, from: &str, to: &str) -> std::fmt::Result {
        let helper = self.helper(helper);
        writeln!(text, "  llvm.call {helper}({from}, {to}) : (!llvm.ptr, !llvm.ptr) -> ()")
    }

    /// The checks, then the call of the entry with the pointers from the arrays.
    fn entry_function(&self, text: &mut String, leaves: bool) -> std::fmt::Result {
        let Self { entry, all } = self;
        let (signature, shapes) = (&entry.signature, &all.shapes);
        writeln!(
            text,
            "llvm.func @{}(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr, \
             %executor: !llvm.ptr, %symbols: !llvm.ptr) -> i32 {{\n  %null = llvm.mlir.zero : !llvm.ptr\n  \
             %done = llvm.mlir.constant(0 : i32) : i32\n  %zero = llvm.mlir.constant(0 : i64) : i64",
            entry.symbols.entry
        )?;
        room(text, "in_sizes", count(&shapes.inputs))?;
        room(text, "out_sizes", count(&shapes.outputs))?;
        refuse_alone(text, entry)?;
        self.given(text)?;
        self.ask(text, "%given")?;
        let mut checks = Checks::new(text);
        checks.branch("%violates", WRONG_SIZES)?;
        self.fill(checks.text, Helper::InputShapes, "%given", "%in_sizes")?;
        self.fill(checks.text, Helper::OutputShapes, "%given", "%out_sizes")?;
        let mut arguments = Vec::new();
        let lists = [
            ("in", "inputs", 1, &signature.inputs, &shapes.inputs),
            ("out", "outputs", 2, &signature.outputs, &shapes.outputs),
        ];
        for (what, array, status, specs, shapes) in lists {
            let has_weights = status == 1 && signature.weights.is_some();
            if specs.is_empty() && !has_weights {
                continue;
            }
            checks.refuse_null(&[&format!("%{array}")], status)?;
            if has_weights {
                read(checks.text, "%weights", "%inputs", specs.len(), "!llvm.ptr")?;
                checks.refuse_null(&["%weights"], 6)?;
                checks.refuse_unaligned("%weights", 6)?;
            }
            let mut first = 0;
            for (at, (spec, sizes)) in specs.iter().zip(shapes).enumerate() {
                let pointer = format!("%{what}_{at}");
                read(checks.text, &pointer, &format!("%{array}"), at, "!llvm.ptr")?;
                refuse_lacking(&mut checks, (&pointer, what, first), (spec, sizes), status)?;
                first += sizes.len();
                arguments.push(pointer);
            }
        }
        let size = self.helper(Helper::WorkspaceSize);
        writeln!(
            checks.text,
            "  %needed = llvm.call {size}(%given) : (!llvm.ptr) -> i64\n  \
             %needs = llvm.icmp \"ne\" %needed, %zero : i64"
        )?;
        checks.refuse_null_if(Some("%needs"), "%workspace", 3)?;
        checks.refuse_unaligned_if(Some("%needs"), "%workspace", 4)?;
        arguments.extend(["%workspace".to_owned(), "%given".to_owned()]);
        arguments.extend(signature.weights.map(|_| "%weights".to_owned()));
        if leaves {
            arguments.push("%executor".to_owned());
        }
        let types = vec!["!llvm.ptr"; arguments.len()].join(", ");
        let (arguments, kernel) = (arguments.join(", "), entry.symbols.kernel());
        if leaves {
            writeln!(
                text,
                "  %status = llvm.call @{kernel}({arguments}) : ({types}) -> i32\n  \
                 llvm.return %status : i32\n}}\nllvm.func @{kernel}({types}) -> i32"
            )
        } else {
            writeln!(
                text,
                "  llvm.call @{kernel}({arguments}) : ({types}) -> ()\n  llvm.return %done : i32\n}}\n\
                 llvm.func @{kernel}({types})"
            )
        }
    }

    fn workspace_size(&self, text: &mut String) -> std::fmt::Result {
        let name = self.entry.symbols.workspace_size();
        writeln!(
            text,
            "llvm.func @{name}(%symbols: !llvm.ptr) -> i64 {{\n  %null = llvm.mlir.zero : !llvm.ptr"
        )?;
        self.given(text)?;
        self.ask(text, "%given")?;
        writeln!(
            text,
            "  llvm.cond_br %violates weights([0, 1]), ^fail, ^good\n\
             ^good:\n  %size = llvm.call {}(%given) : (!llvm.ptr) -> i64\n  llvm.return %size : i64\n\
             ^fail:\n  %none = llvm.mlir.constant(-1 : i64) : i64\n  llvm.return %none : i64\n}}",
            self.helper(Helper::WorkspaceSize)
        )
    }

    fn constraint(&self, text: &mut String) -> std::fmt::Result {
        let name = self.entry.symbols.constraint();
        writeln!(
            text,
            "llvm.func @{name}(%symbols: !llvm.ptr) -> i32 {{\n  %null = llvm.mlir.zero : !llvm.ptr"
        )?;
        self.given(text)?;
        self.ask(text, "%given")?;
        writeln!(text, "  llvm.return %first : i32\n}}")
    }

    /// The head of a function that finds symbols, which are written to `symbols`, and compares shapes of inputs with those that
    /// follow: `%fits0`, `%fits1`, ….
    fn compared(&self, text: &mut String, name: &str, symbols: &str) -> std::fmt::Result {
        let shapes = &self.all.shapes;
        let dims = count(&shapes.inputs);
        writeln!(text, "llvm.func @{name}(%shapes: !llvm.ptr, %symbols: !llvm.ptr) -> i32 {{")?;
        room(text, "dims", dims)?;
        room(text, "expected", dims)?;
        room(text, "own", shapes.symbols.len())?;
        let mut at = 0;
        for (input, sizes) in shapes.inputs.iter().enumerate() {
            let list = format!("%list{input}");
            if !sizes.is_empty() {
                read(text, &list, "%shapes", input, "!llvm.ptr")?;
            }
            for dim in 0..sizes.len() {
                let value = format!("%dim{at}");
                read(text, &value, &list, dim, "i64")?;
                write_word(text, &value, "%dims", at)?;
                at += 1;
            }
        }
        self.fill(text, Helper::Symbols, "%dims", symbols)?;
        self.ask(text, symbols)?;
        self.fill(text, Helper::InputShapes, symbols, "%expected")?;
        for at in 0..dims {
            read(text, &format!("%size{at}"), "%expected", at, "i64")?;
            writeln!(text, "  %fits{at} = llvm.icmp \"eq\" %size{at}, %dim{at} : i64")?;
        }
        Ok(())
    }

    /// The symbols from the shapes of the inputs.
    fn dims(&self, text: &mut String) -> std::fmt::Result {
        let shapes = &self.all.shapes;
        self.compared(text, &self.entry.symbols.dims(), "%own")?;
        let mut wrong = "%violates".to_owned();
        writeln!(text, "  %yes = llvm.mlir.constant(true) : i1")?;
        for at in 0..count(&shapes.inputs) {
            writeln!(
                text,
                "  %differs{at} = llvm.xor %fits{at}, %yes : i1\n  \
                 %wrong{at} = llvm.or {wrong}, %differs{at} : i1"
            )?;
            wrong = format!("%wrong{at}");
        }
        Checks::new(text).branch(&wrong, WRONG_SIZES)?;
        for at in 0..shapes.symbols.len() {
            let value = format!("%symbol{at}");
            read(text, &value, "%own", at, "i64")?;
            write_word(text, &value, "%symbols", at)?;
        }
        writeln!(text, "  %done = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %done : i32\n}}")
    }

    /// The index of the first condition that shapes of the inputs violate, -1 if they violate none: those on the symbols, which are
    /// written in any case, and then one for each dimension.
    fn mismatch(&self, text: &mut String) -> std::fmt::Result {
        let shapes = &self.all.shapes;
        self.compared(text, &self.entry.symbols.mismatch(), "%symbols")?;
        let before = shapes.constraints.len() + shapes.symbols.len();
        let mut first = "%nothing".to_owned();
        for at in (0..count(&shapes.inputs)).rev() {
            writeln!(
                text,
                "  %index{at} = llvm.mlir.constant({} : i32) : i32\n  \
                 %first{at} = llvm.select %fits{at}, {first}, %index{at} : i1, i32",
                before + at
            )?;
            first = format!("%first{at}");
        }
        writeln!(
            text,
            "  %found = llvm.select %violates, %first, {first} : i1, i32\n  llvm.return %found : i32\n}}"
        )
    }

    fn output_shapes(&self, text: &mut String) -> std::fmt::Result {
        let shapes = &self.all.shapes;
        writeln!(
            text,
            "llvm.func @{}(%symbols: !llvm.ptr, %shapes: !llvm.ptr) -> i32 {{\n  \
             %null = llvm.mlir.zero : !llvm.ptr\n  %done = llvm.mlir.constant(0 : i32) : i32",
            self.entry.symbols.output_shapes()
        )?;
        room(text, "sizes", count(&shapes.outputs))?;
        self.given(text)?;
        self.ask(text, "%given")?;
        Checks::new(text).branch("%violates", WRONG_SIZES)?;
        self.fill(text, Helper::OutputShapes, "%given", "%sizes")?;
        let mut at = 0;
        for (output, sizes) in shapes.outputs.iter().enumerate() {
            let list = format!("%list{output}");
            if !sizes.is_empty() {
                read(text, &list, "%shapes", output, "!llvm.ptr")?;
            }
            for dim in 0..sizes.len() {
                let value = format!("%size{at}");
                read(text, &value, "%sizes", at, "i64")?;
                write_word(text, &value, &list, dim)?;
                at += 1;
            }
        }
        writeln!(text, "  llvm.return %done : i32\n}}")
    }

    /// What the functions above call, and the symbols of callers that give none.
    fn declarations(&self, text: &mut String) -> std::fmt::Result {
        let symbols = self.all.shapes.symbols.len();
        writeln!(
            text,
            "llvm.mlir.global private constant {}(dense<-1> : tensor<{symbols}xi64>) \
             {{alignment = 8 : i64}} : !llvm.array<{symbols} x i64>",
            self.no_symbols()
        )?;
        for (helper, ty) in [
            (Helper::Violation, "(!llvm.ptr) -> i32"),
            (Helper::WorkspaceSize, "(!llvm.ptr) -> i64"),
            (Helper::Symbols, "(!llvm.ptr, !llvm.ptr)"),
            (Helper::InputShapes, "(!llvm.ptr, !llvm.ptr)"),
            (Helper::OutputShapes, "(!llvm.ptr, !llvm.ptr)"),
        ] {
            writeln!(text, "llvm.func {}{ty}", self.helper(helper))?;
        }
        match self.entry.devices {
            Some(_) => writeln!(text, "llvm.func @{DEVICES}(!llvm.ptr) -> i32"),
            None => Ok(()),
        }
    }
}

/// Refuses a tensor without a buffer, if it has elements; its sizes begin at `first` of those of the inputs or outputs.
fn refuse_lacking(
    checks: &mut Checks<'_>,
    (pointer, what, first): (&str, &str, usize),
    (spec, sizes): (&TensorSpec, &[DimExpr]),
    status: i32,
) -> std::fmt::Result {
    let open: Vec<_> = (0..sizes.len()).filter(|dim| sizes[*dim].as_constant().is_none()).collect();
    if open.is_empty() {
        return match spec.element_count() {
            0 => Ok(()),
            _ => checks.refuse_null(&[pointer], status),
        };
    }
    if spec.shape.contains(&0) {
        return Ok(());
    }
    let mut has: Option<String> = None;
    for dim in open {
        let size = format!("{pointer}_size{dim}");
        read(checks.text, &size, &format!("%{what}_sizes"), first + dim, "i64")?;
        writeln!(checks.text, "  {size}_some = llvm.icmp \"ne\" {size}, %zero : i64")?;
        has = Some(match has {
            None => format!("{size}_some"),
            Some(before) => {
                writeln!(checks.text, "  {size}_all = llvm.and {before}, {size}_some : i1")?;
                format!("{size}_all")
            }
        });
    }
    checks.refuse_null_if(has.as_deref(), pointer, status)
}

/// An exported list of texts, which ends with null.
fn text_list(text: &mut String, symbol: &str, texts: &[String]) -> std::fmt::Result {
    for (at, one) in texts.iter().enumerate() {
        string_constant(text, &format!("{symbol}.{at}"), one)?;
    }
    global_list(text, ("external", symbol), "ptr", texts.len() + 1, |text, at| {
        let value = format!("%text{at}");
        match at < texts.len() {
            true => writeln!(text, "  {value} = llvm.mlir.addressof @{symbol}.{at} : !llvm.ptr")?,
            false => writeln!(text, "  {value} = llvm.mlir.zero : !llvm.ptr")?,
        }
        Ok(value)
    })
}
