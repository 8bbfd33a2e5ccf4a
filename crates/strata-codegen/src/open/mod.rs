//! Objects whose sizes are open: the program was compiled for several sizes, and the exported function calls the versions that
//! compute the sizes of a call.
//!
//! One symbol at most is a number of rows: the versions are called for consecutive rows, largest first. The other symbols have
//! bounds: the version with the smallest sizes that are large enough is called, on copies of inputs and outputs where the sizes
//! differ. Rows that are not contiguous are copied, too.
//!
//! ```llvm
//! define i32 @mlp_main(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor, ptr %symbols) {
//!   …                      ; 17 rows are a call of the version for 16 and one of that for 1,
//!   %status = call i32 @mlp_main.16(ptr %in, ptr %out, …)      ; whose buffers begin 16 rows further
//! ```

mod call;
mod expressions;
mod functions;
mod padding;
mod text;
pub mod wrappers;

use strata_diag::{Diagnostic, codes};
use strata_ir::{Signature, TensorSpec};
use strata_shapes::{Batch, BatchDim, Constraint, DimExpr, DimFactor, DynamicShapes, Variable};

pub(crate) use call::PARAMETERS;
pub(crate) use functions::functions;

use crate::{abi::WORKSPACE_ALIGNMENT, machine::bug, symbols::Symbols};

/// The largest number of rows, unless these are so large that their bytes overflow before.
pub const MOST_ROWS: i64 = i32::MAX as i64;

/// No expression may be larger, so that it is evaluated without overflow.
const LARGEST_VALUE: i64 = 1 << 61;

/// A symbol with a largest value.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Its index.
    pub symbol: usize,
    /// The sizes that there are versions for, ascending; the last one is the largest value.
    pub sizes: Vec<u64>,
    /// For each of them the size that its version's buffers have: the same or a larger one.
    pub buffers: Vec<u64>,
}

impl Bound {
    /// The size of the buffers of the version for a size.
    pub fn buffer(&self, size: u64) -> u64 {
        let at = self.sizes.iter().position(|one| *one == size);
        at.and_then(|at| self.buffers.get(at)).copied().unwrap_or(size)
    }
}

/// The sizes that a version is compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenVersion {
    /// The number of rows, if a symbol is one.
    pub rows: Option<u64>,
    /// The size for each symbol with a bound.
    pub bounds: Vec<u64>,
}

impl OpenVersion {
    /// What distinguishes it from the others: `16`, `16.128`.
    pub fn label(&self) -> String {
        let sizes = self.rows.iter().chain(&self.bounds).map(u64::to_string);
        sizes.collect::<Vec<_>>().join(".")
    }
}

/// An entry with open symbols.
#[derive(Clone, Debug)]
pub struct OpenEntry {
    /// What is known of its sizes.
    pub shapes: DynamicShapes,
    /// All symbols but the size of a batch.
    pub bounds: Vec<Bound>,
    /// Each number of rows with each combination of bounds.
    pub versions: Vec<OpenVersion>,
}

/// A version for one processor, and what is known after its compilation.
pub(crate) struct Compiled {
    pub(crate) version: OpenVersion,
    /// The processor, of an object for several.
    pub(crate) cpu: Option<String>,
    /// The types of its inputs, without the sizes at their end.
    pub(crate) inputs: Vec<TensorSpec>,
    pub(crate) outputs: Vec<TensorSpec>,
    pub(crate) workspace_size: u64,
}

/// What is written of an entry.
pub(crate) struct Object<'o> {
    pub(crate) symbols: &'o Symbols,
    pub(crate) entry: &'o OpenEntry,
    /// Types of elements and weights; its shapes are those of a version.
    pub(crate) signature: &'o Signature,
    /// Each size for each processor.
    pub(crate) versions: &'o [Compiled],
}

impl Compiled {
    /// What distinguishes it from the others: `16.128`, `x86-64-v3.16.128`.
    pub(crate) fn label(&self) -> String {
        let cpu = self.cpu.iter().cloned();
        cpu.chain([self.version.label()]).collect::<Vec<_>>().join(".")
    }
}

impl OpenEntry {
    /// # Errors
    /// `S1101` for an expression whose evaluation could overflow.
    pub fn check(&self) -> Result<(), Diagnostic> {
        let limit = |variable| match variable {
            Variable::Symbol(index) => self.bound(index).unwrap_or(MOST_ROWS),
            Variable::Dimension(..) => 1,
        };
        let is_small = |size: &DimExpr| magnitude(size, &limit).is_some();
        let refuse = |reason: String| {
            let name = self.shapes.symbols.first().map_or("", String::as_str);
            Err(Diagnostic::new(codes::S1101)
                .reason(reason)
                .hint(format!("`{name}` needs a value or a bound, or a smaller one")))
        };
        let shapes = &self.shapes;
        let wrong = shapes.constraints.iter().find(|one| !all_sizes(one, &is_small));
        if let Some(condition) = wrong {
            let text = condition.text(&|variable| shapes.shown(variable));
            return refuse(format!("the condition {text} cannot be evaluated at run time"));
        }
        let sizes = shapes.inputs.iter().chain(&shapes.outputs).flatten().chain(&shapes.values);
        match sizes.clone().find(|size| !is_small(size)) {
            Some(size) => {
                let name = |variable| shapes.shown(variable);
                refuse(format!("the size {} cannot be evaluated at run time", size.text(&name)))
            }
            None => Ok(()),
        }
    }

    /// The largest value of a symbol with a bound.
    pub(crate) fn bound(&self, symbol: usize) -> Option<i64> {
        let bound = self.bounds.iter().find(|bound| bound.symbol == symbol)?;
        bound.sizes.last().map(|size| *size as i64)
    }

    /// The largest value of a symbol: bytes of rows do not overflow.
    pub(crate) fn most(&self, symbol: usize, signature: &Signature) -> i64 {
        if let Some(bound) = self.bound(symbol) {
            return bound;
        }
        let Some(rows) = &self.shapes.batch else { return MOST_ROWS };
        let value = |variable| match variable {
            Variable::Symbol(index) if index == rows.symbol => Some(1),
            Variable::Symbol(index) => self.bound(index),
            Variable::Dimension(..) => None,
        };
        let bytes = |(sizes, spec): (&Vec<DimExpr>, &TensorSpec)| {
            let sizes = sizes.iter().map(|size| size.value(&value).unwrap_or(i64::MAX).max(1));
            sizes.fold(spec.element.byte_width() as i64, i64::saturating_mul)
        };
        let of_rows = |list: &'_ [Option<BatchDim>], at: usize| list[at].is_some();
        let inputs = self.shapes.inputs.iter().zip(&signature.inputs).enumerate();
        let inputs = inputs.filter(|(at, _)| of_rows(&rows.inputs, *at));
        let outputs = self.shapes.outputs.iter().zip(&signature.outputs).enumerate();
        let outputs = outputs.filter(|(at, _)| of_rows(&rows.outputs, *at));
        let largest = inputs.chain(outputs).map(|(_, pair)| bytes(pair)).max().unwrap_or(1);
        MOST_ROWS.min(i64::MAX / largest.max(1) / 2)
    }

    /// The value of each symbol in a version.
    fn values_of(&self, version: &OpenVersion) -> impl Fn(Variable) -> Option<i64> {
        let mut values = vec![None; self.shapes.symbols.len()];
        if let (Some(rows), Some(number)) = (&self.shapes.batch, version.rows) {
            values[rows.symbol] = Some(number as i64);
        }
        for (bound, size) in self.bounds.iter().zip(&version.bounds) {
            values[bound.symbol] = Some(bound.buffer(*size) as i64);
        }
        move |variable| match variable {
            Variable::Symbol(index) => values.get(index).copied().flatten(),
            Variable::Dimension(..) => None,
        }
    }

    /// Bytes of workspace that are enough for each call of a version, which itself needs `own`.
    pub fn workspace_size(&self, signature: &Signature, own: u64) -> u64 {
        let padded = |sizes: &[DimExpr]| {
            let has = |size: &DimExpr, bound: &Bound| {
                size.variables().contains(&Variable::Symbol(bound.symbol))
            };
            sizes.iter().any(|size| self.bounds.iter().any(|bound| has(size, bound)))
        };
        let rows = |list: fn(&Batch) -> &Vec<Option<BatchDim>>, at: usize| {
            self.shapes.batch.as_ref().and_then(|rows| list(rows)[at])
        };
        let inputs = self.shapes.inputs.iter().zip(&signature.inputs).enumerate();
        let inputs = inputs.map(|(at, pair)| (pair, rows(|rows| &rows.inputs, at)));
        let outputs = self.shapes.outputs.iter().zip(&signature.outputs).enumerate();
        let outputs = outputs.map(|(at, pair)| (pair, rows(|rows| &rows.outputs, at)));
        let all = inputs.chain(outputs);
        let copied = all.filter(|((sizes, _), rows)| padded(sizes) || is_strided(sizes, *rows));
        let copies = copied.map(|((_, spec), _)| aligned(spec.byte_count()));
        let copies = copies.fold(0, u64::saturating_add);
        if copies == 0 { own } else { aligned(own).saturating_add(copies) }
    }
}

/// Whether a part of the rows is not contiguous.
fn is_strided(sizes: &[DimExpr], rows: Option<BatchDim>) -> bool {
    rows.is_some_and(|rows| sizes[..rows.dim].iter().any(|size| size.as_constant() != Some(1)))
}

impl<'o> Object<'o> {
    /// Whether versions are called on copies of inputs and outputs: for larger sizes, or for a part of rows that is not contiguous.
    fn copies(&self) -> bool {
        let mut tensors = self.tensors().into_iter().flatten();
        !self.entry.bounds.is_empty() || tensors.any(|one| is_strided(one.sizes, one.rows))
    }

    /// # Errors
    /// `S9003` for a version whose types are not those that the sizes say.
    pub(crate) fn check(&self) -> Result<(), Diagnostic> {
        for one in self.versions {
            let value = self.entry.values_of(&one.version);
            let tensors = self.entry.shapes.inputs.iter().zip(&one.inputs);
            for (sizes, spec) in tensors.chain(self.entry.shapes.outputs.iter().zip(&one.outputs)) {
                let shape: Option<Vec<_>> = sizes
                    .iter()
                    .map(|size| size.value(&value).and_then(|size| u64::try_from(size).ok()))
                    .collect();
                if shape.as_ref() != Some(&spec.shape) {
                    let text = format!("{shape:?} in the object, {spec} in version");
                    let label = one.label();
                    return Err(bug("shapes of a version disagree", &format!("{text} {label}")));
                }
            }
        }
        Ok(())
    }

    /// The inputs and the outputs.
    fn tensors(&self) -> [Vec<Tensor<'o>>; 2] {
        let rows = self.entry.shapes.batch.as_ref();
        let list = |sizes: &'o [Vec<DimExpr>], specs: &[TensorSpec], rows: Option<&Vec<_>>| {
            let pairs = sizes.iter().zip(specs).enumerate();
            let tensor = |(at, (sizes, spec)): (usize, (&'o Vec<DimExpr>, &TensorSpec))| Tensor {
                sizes,
                bytes: spec.element.byte_width(),
                rows: rows.and_then(|rows: &Vec<Option<BatchDim>>| rows[at]),
            };
            pairs.map(tensor).collect()
        };
        let (entry, signature) = (self.entry, self.signature);
        [
            list(&entry.shapes.inputs, &signature.inputs, rows.map(|rows| &rows.inputs)),
            list(&entry.shapes.outputs, &signature.outputs, rows.map(|rows| &rows.outputs)),
        ]
    }
}

/// An input or output.
struct Tensor<'o> {
    sizes: &'o Vec<DimExpr>,
    /// Bytes of an element.
    bytes: u64,
    rows: Option<BatchDim>,
}

/// A multiple of the alignment of workspaces.
fn aligned(bytes: u64) -> u64 {
    bytes.saturating_add(WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT
}

/// Whether `is_small` holds for all expressions of a condition.
fn all_sizes(truth: &Constraint, is_small: &impl Fn(&DimExpr) -> bool) -> bool {
    match truth {
        Constraint::Known(_) => true,
        Constraint::Zero(size) | Constraint::NotZero(size) | Constraint::NotNegative(size) => {
            is_small(size)
        }
        Constraint::All(list) => list.iter().all(|one| all_sizes(one, is_small)),
    }
}

/// What the value of an expression and of its parts is never above, nor below its negative, where variables are between 0 and
/// `limit`; `None` if that could overflow, or a divisor is not known.
fn magnitude(size: &DimExpr, limit: &impl Fn(Variable) -> i64) -> Option<i64> {
    let mut sum = 0_i64;
    for (atoms, factor) in size.terms() {
        let mut product = factor.checked_abs()?;
        for atom in atoms {
            let one = match atom {
                DimFactor::Variable(variable) => limit(*variable),
                DimFactor::FloorDiv(size, by) | DimFactor::Mod(size, by) => {
                    let by = by.as_constant().filter(|by| *by > 0)?;
                    let of = magnitude(size, limit)?;
                    if matches!(atom, DimFactor::Mod(..)) { by } else { of }
                }
                DimFactor::Max(a, b) | DimFactor::Min(a, b) => {
                    magnitude(a, limit)?.max(magnitude(b, limit)?)
                }
                DimFactor::Sign(size) => magnitude(size, limit).map(|_| 1)?,
            };
            product = product.checked_mul(one.max(1))?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum).filter(|sum| *sum <= LARGEST_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bounded() {
        let variable = |index| DimExpr::variable(Variable::Symbol(index));
        let number = DimExpr::constant;
        let limit = |variable| if variable == Variable::Symbol(0) { MOST_ROWS } else { 512 };
        let (rows, size) = (variable(0), variable(1));
        let product = rows.times(&size).unwrap();
        assert_eq!(magnitude(&product, &limit), Some(MOST_ROWS * 512));
        let cube = rows.times(&rows).unwrap().times(&rows).unwrap();
        assert_eq!(magnitude(&cube, &limit), None);
        let rest = rows.modulo(&number(8)).unwrap().minus(&size).unwrap();
        assert_eq!(magnitude(&rest, &limit), Some(520));
        assert_eq!(magnitude(&rows.floordiv(&size).unwrap(), &limit), None);
    }
}
