//! Text of LLVM IR that evaluates expressions of sizes.

use std::fmt::Write as _;

use strata_shapes::{Constraint, DimExpr, DimFactor, Variable};

/// What stands for a list of symbols that a caller left out.
const NO_SYMBOLS: &str = "@strata.no_symbols";

/// The definition of [`NO_SYMBOLS`], for that many.
pub(super) fn no_symbols(count: usize) -> String {
    let values = vec!["i64 -1"; count].join(", ");
    format!("{NO_SYMBOLS} = private unnamed_addr constant [{count} x i64] [{values}], align 8\n\n")
}

/// The text of LLVM IR, with numbered values. Symbols are the values `%s0`, `%s1`, …, dimensions of inputs are read from the
/// lists at `%shapes`.
#[derive(Default)]
pub(super) struct Text {
    pub(super) text: String,
    count: usize,
}

impl Text {
    /// A line that defines a value; its name.
    pub(super) fn value(&mut self, line: &str) -> String {
        self.count += 1;
        let name = format!("%v{}", self.count);
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {name} = {line}");
        name
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text += "  ";
        self.text += line;
        self.text.push('\n');
    }

    /// The beginning of a block.
    pub(super) fn label(&mut self, name: &str) {
        self.text += name;
        self.text += ":\n";
    }

    /// Reads the values of the symbols from the list at `%symbols`; -1 for each where there is none.
    pub(super) fn load_symbols(&mut self, count: usize) {
        self.line("%no_symbols = icmp eq ptr %symbols, null");
        self.line(&format!("%given = select i1 %no_symbols, ptr {NO_SYMBOLS}, ptr %symbols"));
        for index in 0..count {
            self.line(&format!("%p{index} = getelementptr i64, ptr %given, i64 {index}"));
            self.line(&format!("%s{index} = load i64, ptr %p{index}, align 8"));
        }
    }

    /// The element of a list of pointers.
    pub(super) fn pointer(&mut self, list: &str, index: usize) -> String {
        let place = self.value(&format!("getelementptr ptr, ptr {list}, i64 {index}"));
        self.value(&format!("load ptr, ptr {place}, align 8"))
    }

    /// Writes an element of a list of pointers.
    pub(super) fn set_pointer(&mut self, list: &str, index: usize, pointer: &str) {
        let place = self.value(&format!("getelementptr ptr, ptr {list}, i64 {index}"));
        self.line(&format!("store ptr {pointer}, ptr {place}, align 8"));
    }

    /// The place of a dimension in lists of dimensions.
    pub(super) fn dimension(&mut self, tensor: usize, dim: usize) -> String {
        let list = self.pointer("%shapes", tensor);
        self.value(&format!("getelementptr i64, ptr {list}, i64 {dim}"))
    }

    /// The product of two numbers.
    pub(super) fn product(&mut self, a: &str, b: &str) -> String {
        match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(a), Ok(b)) => a.wrapping_mul(b).to_string(),
            (Ok(1), _) => b.to_owned(),
            (_, Ok(1)) => a.to_owned(),
            _ => self.value(&format!("mul i64 {a}, {b}")),
        }
    }

    /// The sum of two numbers.
    pub(super) fn sum(&mut self, a: &str, b: &str) -> String {
        match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(a), Ok(b)) => a.wrapping_add(b).to_string(),
            (Ok(0), _) => b.to_owned(),
            (_, Ok(0)) => a.to_owned(),
            _ => self.value(&format!("add i64 {a}, {b}")),
        }
    }

    /// Whether one of two conditions holds.
    pub(super) fn either(&mut self, a: &str, b: &str) -> String {
        if a == "false" { b.to_owned() } else { self.value(&format!("or i1 {a}, {b}")) }
    }

    /// An expression, as `i64`.
    pub(super) fn size(&mut self, size: &DimExpr) -> String {
        let mut sum = "0".to_owned();
        for (atoms, factor) in size.terms() {
            let mut term = factor.to_string();
            for atom in atoms {
                let atom = self.atom(atom);
                term = self.product(&atom, &term);
            }
            sum = self.sum(&sum, &term);
        }
        sum
    }

    fn atom(&mut self, atom: &DimFactor) -> String {
        let extreme = |text: &mut Self, a: &DimExpr, b: &DimExpr, name: &str| {
            let (a, b) = (text.size(a), text.size(b));
            text.value(&format!("call i64 @llvm.{name}.i64(i64 {a}, i64 {b})"))
        };
        match atom {
            DimFactor::Variable(Variable::Symbol(index)) => format!("%s{index}"),
            DimFactor::Variable(Variable::Dimension(input, dim)) => {
                let place = self.dimension(*input, *dim);
                self.value(&format!("load i64, ptr {place}, align 8"))
            }
            DimFactor::Max(a, b) => extreme(self, a, b, "smax"),
            DimFactor::Min(a, b) => extreme(self, a, b, "smin"),
            DimFactor::Sign(a) => {
                let a = self.size(a);
                let low = self.value(&format!("call i64 @llvm.smax.i64(i64 {a}, i64 -1)"));
                self.value(&format!("call i64 @llvm.smin.i64(i64 {low}, i64 1)"))
            }
            // Rounded down: the remainder of a negative number is made positive.
            DimFactor::FloorDiv(a, by) | DimFactor::Mod(a, by) => {
                let (a, by) = (self.size(a), by.as_constant().unwrap_or(1));
                let rest = self.value(&format!("srem i64 {a}, {by}"));
                let is_negative = self.value(&format!("icmp slt i64 {rest}, 0"));
                let more = self.value(&format!("select i1 {is_negative}, i64 {by}, i64 0"));
                let rest = self.value(&format!("add i64 {rest}, {more}"));
                if matches!(atom, DimFactor::Mod(..)) {
                    return rest;
                }
                let whole = self.value(&format!("sub i64 {a}, {rest}"));
                self.value(&format!("sdiv i64 {whole}, {by}"))
            }
        }
    }

    pub(super) fn truth(&mut self, truth: &Constraint) -> String {
        let compare = |text: &mut Self, size: &DimExpr, how: &str| {
            let size = text.size(size);
            text.value(&format!("icmp {how} i64 {size}, 0"))
        };
        match truth {
            Constraint::Known(holds) => holds.to_string(),
            Constraint::Zero(size) => compare(self, size, "eq"),
            Constraint::NotZero(size) => compare(self, size, "ne"),
            Constraint::NotNegative(size) => compare(self, size, "sge"),
            Constraint::All(list) => list.iter().fold("true".to_owned(), |all, one| {
                let one = self.truth(one);
                self.value(&format!("and i1 {all}, {one}"))
            }),
        }
    }
}
