//! Programs that treat the rows of their inputs alike: where a symbol is the number of rows, and each row of the outputs depends on
//! that row of the inputs only, a call for many rows is several calls for fewer.
//!
//! ```text
//! %0 = dot_general %x, %w : (tensor<?x16xf32>, tensor<16x32xf32>)     rows of %0 depend on those of %x
//! %1 = reduce add %0 across [1] : tensor<?xf32>                        so do those of %1
//! %2 = reduce add %0 across [0] : tensor<32xf32>                       refused: it mixes rows
//! ```
//!
//! The analysis goes through the program once: each value is the same for all rows, has rows along one dimension, or is a number
//! that the number of rows enters, which only shapes may depend on. Whatever is not known to keep rows apart is refused.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{Block, DYNAMIC, Op, OpKind, TypeExt as _, Value, diagnostic_at, func};
use strata_options::Options;
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{BatchDim, Constraint, DimExpr, Domain, Interval, Variable, shape_operands};

use super::{
    LARGEST, Symbols,
    declared::{self, ONE_SIZE},
    shapes,
    walk::Walk,
};
use crate::interop::custom_call::target;

/// How the rows of a program's inputs and outputs lie in memory; `None` for what is the same for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The symbol.
    pub symbol: usize,
    /// Of the inputs.
    pub inputs: Vec<Option<BatchDim>>,
    /// Of the outputs.
    pub outputs: Vec<Option<BatchDim>>,
    /// Whether all dimensions before those of rows have size 1, so that rows are contiguous.
    pub contiguous: bool,
    /// Conditions on symbols under which this holds, besides the program's own.
    pub conditions: Vec<Constraint>,
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is the same whatever the number of rows.
    Same,
    /// Along dimension `dim` there are `factor` elements for each row, which depend on that row only.
    Rows { dim: usize, factor: DimExpr },
    /// A number, or a list of them, that the number of rows enters.
    Count,
}

use Kind::{Count, Rows as Along, Same};

pub struct Analysis<'a, 'c> {
    walk: Walk<'c>,
    symbols: &'a Symbols,
    symbol: usize,
    kinds: HashMap<Value<'c>, Kind>,
    dims: HashMap<Value<'c>, Vec<Option<DimExpr>>>,
}

impl<'c> shapes::Known<'c> for Analysis<'_, 'c> {
    fn dims(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        self.dims.get(&value).cloned()
    }

    fn elements(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        self.numbers(value)
    }
}

/// The sizes of each output.
type Shapes = Vec<Vec<DimExpr>>;

/// The rows of the function along a symbol, and the sizes of its outputs, if all are known.
///
/// # Errors
/// `S1101` at the first operation that is not known to keep rows apart.
pub fn of(
    func: Op<'_>,
    symbols: &Symbols,
    symbol: usize,
    options: &Options,
) -> Result<(Rows, Option<Shapes>), Diagnostic> {
    let refuse = |op: Op<'_>, reason: &str| {
        let name = &symbols.names[symbol];
        diagnostic_at(codes::S1101, op)
            .reason(format!("rows of `{name}` cannot be computed apart: {reason}"))
            .hint(super::open::HINT)
    };
    let mut analysis = Analysis::new(symbols, symbol, options);
    let Some(block) = func.region(0).first_block() else {
        return Err(refuse(func, "the function has no body"));
    };
    let mut inputs = Vec::new();
    let mut contiguous = true;
    for (index, value) in block.args().into_iter().enumerate() {
        let kind = analysis.input(index).map_err(|why| refuse(func, why.reason()))?;
        let sizes = symbols.shapes.get(index).cloned().unwrap_or_default();
        analysis.set_dims(value, &sizes.into_iter().map(Some).collect::<Vec<_>>());
        analysis.kinds.insert(value, kind.clone());
        inputs.push(match kind {
            Along { dim, factor } => {
                let number = factor.as_constant().and_then(|number| u64::try_from(number).ok());
                let factor =
                    number.ok_or_else(|| refuse(func, "rows of an input have an open size"))?;
                contiguous &= leads(value, dim);
                Some(BatchDim { dim, factor })
            }
            _ => None,
        });
    }
    analysis.block(block).map_err(|(op, why)| refuse(op, &why))?;
    let returned = block.terminator().map(|end| end.operands()).unwrap_or_default();
    let mut outputs = Vec::new();
    for value in returned.iter().copied() {
        let kind = analysis.kind(value);
        outputs.push(match kind {
            Same => None,
            Along { dim, factor } => {
                let number = factor.as_constant().and_then(|number| u64::try_from(number).ok());
                let factor =
                    number.ok_or_else(|| refuse(func, "rows of an output have an open size"))?;
                contiguous &= leads(value, dim);
                Some(BatchDim { dim, factor })
            }
            Count => return Err(refuse(func, "an output is a number of rows")),
        });
    }
    let conditions = analysis.walk.conditions();
    let sizes = |value: &Value<'_>| analysis.dims.get(value)?.iter().cloned().collect();
    let sizes = returned.iter().map(sizes).collect();
    Ok((Rows { symbol, inputs, outputs, contiguous, conditions }, sizes))
}

/// Whether all dimensions before `dim` have size 1, so that rows are contiguous.
fn leads(value: Value<'_>, dim: usize) -> bool {
    let shape = value.ty().shape().unwrap_or_default();
    shape.iter().take(dim).all(|size| *size == 1)
}

/// The operation that is refused, and why.
type Refused<'c> = (Op<'c>, String);

impl<'c> Analysis<'_, 'c> {
    fn new<'a>(symbols: &'a Symbols, symbol: usize, options: &Options) -> Analysis<'a, 'c> {
        let mut domain = Domain::default();
        for (index, name) in symbols.names.iter().enumerate() {
            let variable = Variable::Symbol(index);
            let max = options.max.iter().find(|(own, _)| own == name);
            let high = max.map_or(LARGEST, |(_, most)| *most);
            let low = symbols.least(variable);
            domain.set(variable, Interval { low: Some(low), high: Some(high) });
        }
        let (dims, kinds) = (HashMap::new(), HashMap::new());
        Analysis { walk: Walk::stepping(domain), symbols, symbol, kinds, dims }
    }

    /// The sizes of a value, as far as they are known.
    fn set_dims(&mut self, value: Value<'c>, sizes: &[Option<DimExpr>]) {
        for (dim, size) in sizes.iter().enumerate() {
            if let Some(size) = size {
                self.walk.set_dimension(value, dim, size.clone());
            }
        }
        self.dims.insert(value, sizes.to_vec());
    }

    /// Whether a size is the same for all numbers of rows.
    pub fn is_same(&self, size: &DimExpr) -> bool {
        !size.variables().contains(&Variable::Symbol(self.symbol))
    }

    fn input(&self, index: usize) -> Outcome<Kind> {
        let sizes = self.symbols.shapes.get(index).cloned().unwrap_or_default();
        let mut open = (0..sizes.len()).filter(|dim| !self.is_same(&sizes[*dim]));
        let Some(dim) = open.next() else { return Ok(Same) };
        open.next().is_none().or_decline("an input has two dimensions of unknown size")?;
        let factor = self.factor(&sizes[dim]);
        let factor = factor.or_decline("the size of an input is not a multiple of it")?;
        Ok(Along { dim, factor })
    }

    /// `f` of a size `f * symbol`, where no number of rows enters `f`.
    pub fn factor(&self, size: &DimExpr) -> Option<DimExpr> {
        let factor = size.quotient(&DimExpr::variable(Variable::Symbol(self.symbol)))?;
        let is_positive = factor.as_constant().is_none_or(|number| number > 0);
        (self.is_same(&factor) && is_positive).then_some(factor)
    }

    /// The elements of an integer value, in terms of symbols.
    pub fn numbers(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        self.walk.numbers(value).map(<[_]>::to_vec)
    }

    /// The dimension of rows in a shape that is an operand; `None` if it has none.
    pub fn dimension_in(&self, shape: Value<'c>) -> Outcome<Option<(usize, DimExpr)>> {
        let sizes = self.numbers(shape).or_decline("a shape is not known")?;
        let mut found = None;
        for (dim, size) in sizes.iter().enumerate() {
            let size = size.as_ref().or_decline("a size is not known")?;
            if self.is_same(size) {
                continue;
            }
            let factor = self.factor(size).or_decline("a size is not a multiple of it")?;
            found.is_none().or_decline("two dimensions of a shape depend on it")?;
            found = Some((dim, factor));
        }
        Ok(found)
    }

    pub fn kind(&self, value: Value<'c>) -> Kind {
        self.kinds.get(&value).cloned().unwrap_or(Count)
    }

    fn block(&mut self, block: Block<'c>) -> Result<(), Refused<'c>> {
        for op in block.ops() {
            if op.is(func::RETURN) || op.kind() == OpKind::Return {
                continue;
            }
            self.walk.step(op);
            let kinds = match op.kind() {
                OpKind::While => self.repeat(op)?,
                OpKind::If | OpKind::Case => self.branches(op)?,
                OpKind::OptimizationBarrier => {
                    op.operands().into_iter().map(|value| self.kind(value)).collect()
                }
                _ => self.results(op).map_err(|why| (op, why.reason().to_owned()))?,
            };
            for ((result, kind), sizes) in
                op.results().into_iter().zip(kinds).zip(shapes::of(op, self))
            {
                let is_fixed = |dim: usize| {
                    let shape = result.ty().shape().unwrap_or_default();
                    shape.get(dim).is_some_and(|size| *size != DYNAMIC)
                };
                if matches!(kind, Along { dim, .. } if is_fixed(dim)) {
                    return Err((op, ONE_SIZE.to_owned()));
                }
                let sizes = self.with_rows(sizes, &kind);
                self.set_dims(result, &sizes);
                self.kinds.insert(result, kind);
            }
        }
        Ok(())
    }

    /// The sizes of a value with that of its rows.
    fn with_rows(&self, mut sizes: Vec<Option<DimExpr>>, kind: &Kind) -> Vec<Option<DimExpr>> {
        if let Along { dim, factor } = kind
            && let Some(size) = sizes.get_mut(*dim)
        {
            *size = DimExpr::variable(Variable::Symbol(self.symbol)).times(factor);
        }
        sizes
    }

    /// The state of a loop is of the kinds that it starts with.
    fn repeat(&mut self, op: Op<'c>) -> Result<Vec<Kind>, Refused<'c>> {
        let refuse = |reason: &str| (op, reason.to_owned());
        let kinds: Vec<_> = op.operands().into_iter().map(|value| self.kind(value)).collect();
        for (at, region) in op.regions().into_iter().enumerate() {
            let block = region.first_block().ok_or_else(|| refuse("a region is empty"))?;
            for ((argument, kind), operand) in
                block.args().into_iter().zip(&kinds).zip(op.operands())
            {
                let sizes = self.dims.get(&operand).cloned().unwrap_or_default();
                self.set_dims(argument, &sizes);
                self.kinds.insert(argument, kind.clone());
            }
            self.block(block)?;
            let returned = block.terminator().map(|end| end.operands()).unwrap_or_default();
            let returned: Vec<_> = returned.into_iter().map(|value| self.kind(value)).collect();
            match at {
                0 if returned != [Same] => return Err(refuse("how often it runs depends on rows")),
                1 if returned != kinds => return Err(refuse("its state changes its kind")),
                _ => {}
            }
        }
        Ok(kinds)
    }

    fn branches(&mut self, op: Op<'c>) -> Result<Vec<Kind>, Refused<'c>> {
        let refuse = |reason: &str| (op, reason.to_owned());
        if self.kind(op.operand(0)) != Same {
            return Err(refuse("the branch depends on rows"));
        }
        let mut kinds: Option<Vec<Kind>> = None;
        for region in op.regions() {
            let block = region.first_block().ok_or_else(|| refuse("a region is empty"))?;
            self.block(block)?;
            let returned = block.terminator().map(|end| end.operands()).unwrap_or_default();
            let returned: Vec<_> = returned.into_iter().map(|value| self.kind(value)).collect();
            match &kinds {
                Some(known) if *known != returned => return Err(refuse("its branches differ")),
                _ => kinds = Some(returned),
            }
        }
        Ok(kinds.unwrap_or_default())
    }

    /// The kinds of the results of an operation.
    fn results(&self, op: Op<'c>) -> Outcome<Vec<Kind>> {
        let all = |kind: Kind| vec![kind; op.result_count()];
        if op.kind() == OpKind::CustomCall && target(op) == "shape_assertion" {
            let is_known = op.operands().first().is_some_and(|of| self.walk.is_condition(*of));
            is_known.or_decline("the program asserts what is not a condition on sizes")?;
            return Ok(all(Same));
        }
        for declared in declared::of(op, self) {
            match declared.agrees() {
                Some(false) => return Err(declared.reason().into()),
                None if declared.said.is_some() => {
                    return Err(ONE_SIZE.into());
                }
                _ => {}
            }
        }
        let shapes = shape_operands(op);
        let values = op.operands().into_iter().enumerate();
        let kind = |(at, value)| if shapes.contains(&at) { Same } else { self.kind(value) };
        let kinds: Vec<Kind> = values.map(kind).collect();
        if let Some(count) = self.count(op, &kinds) {
            return Ok(all(count));
        }
        (!kinds.contains(&Count)).or_decline("it computes with the number of rows")?;
        self.captures_nothing_of_rows(op)?;
        match op.kind() {
            OpKind::DynamicBroadcastInDim => return self.of_shape(op, 1, &kinds),
            OpKind::DynamicIota => return self.of_shape(op, 0, &kinds),
            OpKind::DynamicReshape => return self.reshape(op).map(all),
            _ => {}
        }
        if kinds.iter().all(|kind| *kind == Same) {
            let is_pure = op.kind() != OpKind::CustomCall && is_repeatable(op.kind());
            is_pure.or_decline("it may do something at each call")?;
            let is_same = shapes.iter().all(|at| self.is_same_but(op.operand(*at), None));
            is_same.or_decline("its size depends on more than rows")?;
            return Ok(all(Same));
        }
        self.of_rows(op, &kinds)
    }

    /// Whether the number of rows does not enter a shape, but for the entry of one dimension.
    pub fn is_same_but(&self, shape: Value<'c>, dim: Option<usize>) -> bool {
        let is_same = |(at, size): (usize, &Option<DimExpr>)| {
            Some(at) == dim || size.as_ref().is_some_and(|size| self.is_same(size))
        };
        let sizes = self.numbers(shape);
        self.kind(shape) == Same || sizes.is_some_and(|all| all.iter().enumerate().all(is_same))
    }

    /// Numbers that are followed: the same for all, or a count of rows.
    fn count(&self, op: Op<'c>, kinds: &[Kind]) -> Option<Kind> {
        if op.result_count() != 1 || !op.result(0).ty().element().is_int() {
            return None;
        }
        if op.kind() == OpKind::GetDimensionSize {
            let size = self.numbers(op.result(0)).and_then(|sizes| sizes.first()?.clone());
            let is_same = size.is_some_and(|size| self.is_same(&size));
            return Some(if is_same { Same } else { Count });
        }
        if !kinds.contains(&Count) {
            return None;
        }
        // A number that the number of rows cancels out of is one for all.
        let sizes = self.numbers(op.result(0));
        let is_same = |size: &Option<DimExpr>| size.as_ref().is_some_and(|size| self.is_same(size));
        match sizes {
            Some(sizes) if sizes.iter().all(is_same) => Some(Same),
            Some(_) => Some(Count),
            // Conditions, and lists with a part that is the same for all, such as the start of a slice.
            None => {
                let is_list = op.result(0).ty().rank() <= Some(1);
                let apart = !kinds.iter().any(|kind| matches!(kind, Along { .. }));
                (is_list && apart).then_some(Count)
            }
        }
    }

    /// Regions may use values of outside that are the same for all rows only.
    fn captures_nothing_of_rows(&self, op: Op<'c>) -> Outcome {
        let mut captured = true;
        for region in op.regions() {
            for block in region.blocks() {
                for inner in block.ops() {
                    inner.walk(strata_ir::WalkOrder::Pre, &mut |inner| {
                        for value in inner.operands() {
                            let kind = self.kinds.get(&value);
                            captured &= kind.is_none_or(|kind| *kind == Same);
                        }
                    });
                }
            }
        }
        captured.or_decline("its region uses rows")
    }

    fn reshape(&self, op: Op<'c>) -> Outcome<Kind> {
        let found = self.dimension_in(op.operand(1))?;
        let is_same = found.is_none();
        let (Along { dim: from, factor: of }, Some((to, factor))) =
            (self.kind(op.operand(0)), found)
        else {
            let both = self.kind(op.operand(0)) == Same && is_same;
            both.or_decline("rows are lost")?;
            return Ok(Same);
        };
        let old = self.dims.get(&op.operand(0)).cloned().unwrap_or_default();
        let new = self.numbers(op.operand(1)).or_decline("a shape is not known")?;
        let product = |sizes: &[Option<DimExpr>]| {
            sizes.iter().try_fold(DimExpr::constant(1), |all, size| all.times(size.as_ref()?))
        };
        let around = |shape: &[Option<DimExpr>], dim: usize, factor: &DimExpr| {
            Some((product(shape.get(..dim)?)?, product(shape.get(dim + 1..)?)?.times(factor)?))
        };
        let (old, new) = (around(&old, from, &of), around(&new, to, &factor));
        (old.is_some() && old == new).or_decline("elements of different rows share a row")?;
        Ok(Along { dim: to, factor })
    }
}

/// Operations without an effect that a second call would repeat.
fn is_repeatable(kind: OpKind) -> bool {
    !matches!(kind, OpKind::Infeed | OpKind::Outfeed | OpKind::Send | OpKind::Recv | OpKind::Rng)
}
