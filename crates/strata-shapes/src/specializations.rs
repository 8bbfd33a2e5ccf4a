//! The functions that an entry with dynamic shapes consists of: specialisations, each of which is compiled for given sizes.
//!
//! ```mlir
//! func.func @main(%x: memref<?xi8>, %out: memref<?xi8>, %workspace: memref<?xi8>, %symbols: memref<16xi8>)
//!   attributes {strata.entry, strata.dispatch, strata.dims = {symbols = ["b", "s"], …}, …}
//! func.func private @main.4.16(%x: memref<4x16xf32>, %b: …) attributes {
//!   strata.specialization = {batch = 4 : i64, sizes = array<i64: 16>, buffers = array<i64: 16>}, …}
//! ```

use std::collections::{BTreeMap, BTreeSet};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Context, DISPATCH, Module, Op, Signature, TensorSpec,
    WORKSPACE_ALIGNMENT, diagnostic_at, dictionary, i64s, int, integer, marked_entry, module_op,
};

use crate::{BatchDim, Constraint, DimExpr, DimFactor, DynamicShapes, Variable};

/// On a function: the sizes that it is compiled for.
pub const SPECIALIZATION: &str = "strata.specialization";

/// The largest size of a batch, unless it is so large that its bytes overflow before.
pub const LARGEST_BATCH: i64 = i32::MAX as i64;

/// No expression may be larger, so that it is evaluated without overflow.
const LARGEST_VALUE: i64 = 1 << 61;

/// A symbol with a largest value.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Its index.
    pub symbol: usize,
    /// The sizes that there is code for, ascending; the last one is the largest value.
    pub sizes: Vec<u64>,
    /// For each of them the size that its buffers have: the same or a larger one.
    pub buffers: Vec<u64>,
}

impl Bound {
    /// The size of the buffers of the code for a size.
    pub fn buffer(&self, size: u64) -> u64 {
        let at = self.sizes.iter().position(|one| *one == size);
        at.and_then(|at| self.buffers.get(at)).copied().unwrap_or(size)
    }
}

/// The sizes that a function is compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// The size of the batch, if a symbol is one.
    pub batch: Option<u64>,
    /// The size for each symbol with a bound.
    pub bounds: Vec<u64>,
}

/// Rows of a call that a version computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// How many come before.
    pub before: u64,
    /// How many it computes.
    pub count: u64,
}

impl Specialization {
    /// What distinguishes it from the others: `16`, `16.128`.
    pub fn label(&self) -> String {
        let sizes = self.batch.iter().chain(&self.bounds).map(u64::to_string);
        sizes.collect::<Vec<_>>().join(".")
    }
}

impl Specialization {
    /// Gives a function the attribute.
    fn set<'c>(&self, context: &'c Context, func: Op<'c>, bounds: &[Bound]) {
        let buffers = bounds.iter().zip(&self.bounds);
        let buffers: Vec<_> = buffers.map(|(bound, size)| bound.buffer(*size) as i64).collect();
        let sizes: Vec<_> = self.bounds.iter().map(|size| *size as i64).collect();
        let batch = self.batch.map(|size| ("batch", int(integer(context, 64), size as i64)));
        let lists = [("sizes", i64s(context, &sizes)), ("buffers", i64s(context, &buffers))];
        let entries: Vec<_> = batch.into_iter().chain(lists).collect();
        if let Some(attribute) = dictionary(context, &entries) {
            func.set_attr(SPECIALIZATION, attribute);
        }
    }

    /// Reads the attribute, with the sizes of the buffers.
    fn of(attribute: Attribute<'_>, bounds: usize) -> Option<(Self, Vec<u64>)> {
        let list = |name: &str| -> Option<Vec<u64>> {
            let numbers = attribute.entry(name)?.as_i64s()?;
            let list: Option<Vec<_>> =
                numbers.into_iter().map(|number| u64::try_from(number).ok()).collect();
            list.filter(|list| list.len() == bounds)
        };
        let batch = match attribute.entry("batch") {
            Some(size) => Some(u64::try_from(size.as_i64()?).ok().filter(|size| *size > 0)?),
            None => None,
        };
        Some((Self { batch, bounds: list("sizes")? }, list("buffers")?))
    }
}

/// The functions beside an entry with dynamic shapes. They take lists of `i64`: the values of the symbols, or the dimensions of all
/// inputs or outputs, one tensor after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    /// `(symbols) -> i32`: the index of the first condition that they violate, -1 for none. The last ones are their ranges.
    Violation,
    /// `(symbols) -> i64`: the bytes of workspace for symbols that violate none.
    WorkspaceSize,
    /// `(dimensions of inputs, symbols)`: writes the symbols.
    Symbols,
    /// `(symbols, dimensions)`: writes the dimensions of the inputs.
    InputShapes,
    /// The same for the outputs.
    OutputShapes,
}

impl Helper {
    /// Its name beside an entry of that name.
    pub fn name(self, entry: &str) -> String {
        let own = match self {
            Self::Violation => "violation",
            Self::WorkspaceSize => "workspace_size",
            Self::Symbols => "symbols",
            Self::InputShapes => "input_shapes",
            Self::OutputShapes => "output_shapes",
        };
        format!("{entry}.{own}")
    }
}

/// An entry with dynamic shapes, and the sizes that there is code for.
#[derive(Clone, Debug)]
pub struct Specializations {
    /// What is known of its sizes.
    pub shapes: DynamicShapes,
    /// All symbols but the size of a batch.
    pub bounds: Vec<Bound>,
    /// Each size of the batch with each combination of bounds.
    pub versions: Vec<Specialization>,
}

/// An input or an output of an entry with dynamic shapes.
#[derive(Clone, Copy)]
pub struct DynamicTensor<'s> {
    /// Its sizes.
    pub sizes: &'s [DimExpr],
    /// Bytes of an element.
    pub bytes: u64,
    /// The dimension that has the batch.
    pub batch: Option<BatchDim>,
}

impl DynamicTensor<'_> {
    /// Whether a part of the batch is not contiguous.
    pub fn is_strided(&self) -> bool {
        let is_one = |size: &DimExpr| size.as_constant() == Some(1);
        self.batch.is_some_and(|batch| !self.sizes[..batch.dim].iter().all(is_one))
    }
}

impl Specializations {
    /// What a module from the end of stage `vector` on says; `None` if the shapes of its entry are static.
    ///
    /// # Errors
    /// `S9002` for attributes that say less than they have to.
    pub fn of(module: &Module<'_>) -> Result<Option<Self>, Diagnostic> {
        let Some(entry) = marked_entry(module).ok().filter(|entry| entry.has_attr(DISPATCH)) else {
            return Ok(None);
        };
        let wrong = |op: Op<'_>, why: &str| diagnostic_at(codes::S9002, op).reason(why.to_owned());
        let shapes = DynamicShapes::of(entry)?.ok_or_else(|| {
            wrong(entry, "an entry that chooses among functions has no `strata.dims`")
        })?;
        let batch = shapes.batch.as_ref().map(|batch| batch.symbol);
        let symbols = (0..shapes.symbols.len()).filter(|symbol| Some(*symbol) != batch);
        let symbols: Vec<_> = symbols.collect();
        let mut found: Vec<BTreeMap<u64, u64>> = vec![BTreeMap::new(); symbols.len()];
        let mut versions = Vec::new();
        for func in module_op(module).body(0).ops() {
            let Some(attribute) = func.attr(SPECIALIZATION) else { continue };
            let read = Specialization::of(attribute, symbols.len());
            let read = read.filter(|(own, _)| own.batch.is_some() == batch.is_some());
            let (own, buffers) =
                read.ok_or_else(|| wrong(func, "`strata.specialization` does not name its sizes"))?;
            for ((sizes, size), buffer) in found.iter_mut().zip(&own.bounds).zip(buffers) {
                if *sizes.entry(*size).or_insert(buffer) != buffer || buffer < *size {
                    return Err(wrong(func, "functions for one size have buffers of several"));
                }
            }
            versions.push(own);
        }
        let bounds = symbols.into_iter().zip(found).map(|(symbol, sizes)| Bound {
            symbol,
            sizes: sizes.keys().copied().collect(),
            buffers: sizes.values().copied().collect(),
        });
        let read = Self { shapes, bounds: bounds.collect(), versions };
        let distinct: BTreeSet<_> =
            read.versions.iter().map(|one| (read.combination_of(one), one.batch)).collect();
        let all = read.combinations() * read.batch_sizes().len();
        if all == 0 || distinct.len() != all || read.versions.len() != all {
            return Err(wrong(entry, "there is not one function for each combination of sizes"));
        }
        Ok(Some(read))
    }

    /// The functions of a module, in the order of [`Self::versions`].
    pub fn functions<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
        let all = module_op(module).body(0).ops().into_iter();
        all.filter(|func| func.has_attr(SPECIALIZATION)).collect()
    }

    /// Gives the function of a version its attribute.
    pub fn mark<'c>(&self, context: &'c Context, func: Op<'c>, version: &Specialization) {
        version.set(context, func, &self.bounds);
    }

    /// The number of combinations of bounds.
    pub fn combinations(&self) -> usize {
        self.bounds.iter().map(|bound| bound.sizes.len()).product()
    }

    /// The number of the combination that a version is for: that of its sizes in [`Self::bounds`], the last bound first.
    pub fn combination_of(&self, version: &Specialization) -> usize {
        let pairs = self.bounds.iter().zip(&version.bounds);
        pairs.fold(0, |number, (bound, size)| {
            let at = bound.sizes.iter().position(|one| one == size).unwrap_or(0);
            number * bound.sizes.len() + at
        })
    }

    /// The sizes of the batch that there is code for, ascending; 1 if no symbol is one.
    pub fn batch_sizes(&self) -> Vec<u64> {
        let all: BTreeSet<_> =
            self.versions.iter().map(|version| version.batch.unwrap_or(1)).collect();
        all.into_iter().collect()
    }

    /// The inputs and the outputs, of these types.
    pub fn tensors(&self, signature: &Signature) -> [Vec<DynamicTensor<'_>>; 2] {
        let (shapes, batch) = (&self.shapes, self.shapes.batch.as_ref());
        let inputs = tensors(&shapes.inputs, &signature.inputs, batch.map(|batch| &batch.inputs));
        let outputs =
            tensors(shapes.output_buffers(), &signature.outputs, batch.map(|batch| &batch.outputs));
        [inputs, outputs]
    }

    /// Whether a function is called with the sizes of its buffers only.
    pub fn is_exact(&self, version: &Specialization) -> bool {
        self.is_for_its_sizes(version, &|bound| !self.may_be_zero(bound))
    }

    /// Whether a function is called with the sizes of its buffers only, wherever no symbol is 0.
    pub fn is_exact_beyond_zero(&self, version: &Specialization) -> bool {
        self.is_for_its_sizes(version, &|_| true)
    }

    /// The same; `begins` says where calls with the smallest size have no other one.
    fn is_for_its_sizes(&self, version: &Specialization, begins: &dyn Fn(&Bound) -> bool) -> bool {
        self.bounds.iter().zip(&version.bounds).all(|(bound, size)| {
            let follows = match bound.sizes.iter().filter(|other| *other < size).max() {
                Some(before) => before + 1 == *size,
                None => *size == 1 && begins(bound),
            };
            follows && bound.buffer(*size) == *size
        })
    }

    /// Whether no condition on a symbol with a bound alone refuses 0.
    pub fn may_be_zero(&self, bound: &Bound) -> bool {
        let zero = |at| (at == Variable::Symbol(bound.symbol)).then_some(0);
        !self.shapes.constraints.iter().any(|truth| truth.holds(&zero) == Some(false))
    }

    /// Whether a size depends on a symbol with a bound.
    pub fn is_bounded(&self, size: &DimExpr) -> bool {
        let variables = size.variables();
        self.bounds.iter().any(|bound| variables.contains(&Variable::Symbol(bound.symbol)))
    }

    /// Whether a function may be called with a copy of a tensor: for larger sizes, or for a part of the batch that is not
    /// contiguous.
    pub fn is_copied(&self, tensor: &DynamicTensor<'_>) -> bool {
        tensor.is_strided() || tensor.sizes.iter().any(|size| self.is_bounded(size))
    }

    /// # Errors
    /// `S1101` for an expression whose evaluation could overflow.
    pub fn check(&self) -> Result<(), Diagnostic> {
        let limit = |variable| match variable {
            Variable::Symbol(index) => self.bound(index).unwrap_or(LARGEST_BATCH),
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
    pub fn bound(&self, symbol: usize) -> Option<i64> {
        let bound = self.bounds.iter().find(|bound| bound.symbol == symbol)?;
        bound.sizes.last().map(|size| *size as i64)
    }

    /// The largest value of a symbol: bytes of rows do not overflow.
    pub fn most(&self, symbol: usize, signature: &Signature) -> i64 {
        if let Some(bound) = self.bound(symbol) {
            return bound;
        }
        let Some(rows) = &self.shapes.batch else { return LARGEST_BATCH };
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
        LARGEST_BATCH.min(i64::MAX / largest.max(1) / 2)
    }

    /// The sizes of a version for readers: `b=4,s=64`.
    pub fn text(&self, version: &Specialization) -> String {
        let name = |symbol: usize| &self.shapes.symbols[symbol];
        let rows = self.shapes.batch.as_ref().zip(version.batch);
        let rows = rows.map(|(rows, number)| format!("{}={number}", name(rows.symbol)));
        let bounds = self.bounds.iter().zip(&version.bounds);
        let bounds = bounds.map(|(bound, size)| format!("{}={size}", name(bound.symbol)));
        rows.into_iter().chain(bounds).collect::<Vec<_>>().join(",")
    }

    /// The versions that a call with these values of symbols runs, one after the other, with how many rows come before and how many
    /// each computes: as the entry chooses them at the end of stage `vector`.
    pub fn called(&self, symbols: &[i64]) -> Vec<(&Specialization, Rows)> {
        let size = |bound: &Bound| {
            let enough = bound.sizes.iter().find(|size| **size as i64 >= symbols[bound.symbol]);
            enough.or(bound.sizes.last()).copied().unwrap_or_default()
        };
        let bounds: Vec<u64> = self.bounds.iter().map(size).collect();
        let own = |batch: Option<u64>| {
            self.versions.iter().find(|one| one.batch == batch && one.bounds == bounds)
        };
        let Some(rows) = &self.shapes.batch else {
            let whole = own(None).map(|version| (version, Rows::default()));
            return whole.into_iter().collect();
        };
        let (total, sizes) = (symbols[rows.symbol].max(0) as u64, self.batch_sizes());
        let (mut before, mut called) = (0, Vec::new());
        while before < total {
            let fitting = sizes.iter().rev().find(|size| **size <= total - before);
            let Some((count, version)) =
                fitting.and_then(|count| Some((*count, own(Some(*count))?)))
            else {
                break;
            };
            called.push((version, Rows { before, count }));
            before += count;
        }
        called
    }

    /// The value of each symbol in a version.
    pub fn values_of(&self, version: &Specialization) -> impl Fn(Variable) -> Option<i64> {
        let mut values = vec![None; self.shapes.symbols.len()];
        if let (Some(rows), Some(number)) = (&self.shapes.batch, version.batch) {
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

    /// Bytes of workspace that are enough for each call of a version with these inputs and outputs, which itself needs `own` and takes
    /// the arguments in place that `is_in_place` says.
    pub fn workspace_size(
        &self,
        signature: &Signature,
        own: u64,
        is_in_place: impl Fn(usize) -> bool,
    ) -> u64 {
        let [inputs, outputs] = self.tensors(signature);
        let pairs = inputs.iter().zip(&signature.inputs);
        let pairs = pairs.chain(outputs.iter().zip(&signature.outputs));
        let copied = pairs.enumerate().filter(|(at, (tensor, _))| {
            tensor.is_strided() || self.is_copied(tensor) && !is_in_place(*at)
        });
        let copies = copied.map(|(_, (_, spec))| aligned(spec.byte_count()));
        copies.fold(own, u64::saturating_add)
    }
}

fn tensors<'s>(
    shapes: &'s [Vec<DimExpr>],
    specs: &[TensorSpec],
    batch: Option<&Vec<Option<BatchDim>>>,
) -> Vec<DynamicTensor<'s>> {
    let pairs = shapes.iter().zip(specs).enumerate();
    let tensor = |(at, (sizes, spec)): (usize, (&'s Vec<DimExpr>, &TensorSpec))| DynamicTensor {
        sizes,
        bytes: spec.element.byte_width(),
        batch: batch.and_then(|dims| dims.get(at).copied().flatten()),
    };
    pairs.map(tensor).collect()
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
    use crate::Batch;

    #[test]
    fn values_are_bounded() {
        let variable = |index| DimExpr::variable(Variable::Symbol(index));
        let number = DimExpr::constant;
        let limit = |variable| if variable == Variable::Symbol(0) { LARGEST_BATCH } else { 512 };
        let (rows, size) = (variable(0), variable(1));
        let product = rows.times(&size).unwrap();
        assert_eq!(magnitude(&product, &limit), Some(LARGEST_BATCH * 512));
        let cube = rows.times(&rows).unwrap().times(&rows).unwrap();
        assert_eq!(magnitude(&cube, &limit), None);
        let rest = rows.modulo(&number(8)).unwrap().minus(&size).unwrap();
        assert_eq!(magnitude(&rest, &limit), Some(520));
        assert_eq!(magnitude(&rows.floordiv(&size).unwrap(), &limit), None);
    }
    #[test]
    fn calls_run_versions_for_the_next_larger_sizes_and_the_most_rows() {
        let named = |name: &str| name.to_owned();
        let batch = Batch { symbol: 0, inputs: Vec::new(), outputs: Vec::new() };
        let bound = Bound { symbol: 1, sizes: vec![2, 5, 8], buffers: vec![2, 5, 16] };
        let versions = [1, 2, 4].into_iter().flat_map(|rows| {
            let of = move |size| Specialization { batch: Some(rows), bounds: vec![size] };
            [2, 5, 8].map(of)
        });
        let all = Specializations {
            shapes: DynamicShapes {
                symbols: vec![named("b"), named("s")],
                batch: Some(batch),
                ..DynamicShapes::default()
            },
            bounds: vec![bound],
            versions: versions.collect(),
        };
        let called = |symbols: &[i64]| -> Vec<(String, u64)> {
            let called = all.called(symbols).into_iter();
            called.map(|(version, rows)| (all.text(version), rows.before)).collect()
        };
        let text = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
            list.iter().map(|(name, before)| (named(name), *before)).collect()
        };
        assert_eq!(
            called(&[11, 3]),
            text(&[("b=4,s=5", 0), ("b=4,s=5", 4), ("b=2,s=5", 8), ("b=1,s=5", 10)])
        );
        assert_eq!(called(&[2, 0]), text(&[("b=2,s=2", 0)]));
        assert_eq!(called(&[1, 8]), text(&[("b=1,s=8", 0)]));
        assert_eq!(called(&[0, 8]), []);
    }
}
