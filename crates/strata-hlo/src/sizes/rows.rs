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
use strata_ir::{
    AttributeExt as _, Block, DYNAMIC, Op, OpKind, TypeExt as _, Value, diagnostic_at, func,
    sizes::{Size, Variable},
};
use strata_rewrite::{Guard as _, Outcome};

use super::{Symbols, walk::Walk};
use crate::{interop::custom_call::target, pattern::ints};

/// The dimension that has the rows, and how many of its elements belong to one. Dimensions before it have size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowDimension {
    /// The dimension.
    pub dim: usize,
    /// Its size for one row.
    pub factor: i64,
}

/// How the rows of a program's inputs and outputs lie in memory; `None` for what is the same for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The symbol.
    pub symbol: usize,
    /// Of the inputs.
    pub inputs: Vec<Option<RowDimension>>,
    /// Of the outputs.
    pub outputs: Vec<Option<RowDimension>>,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is the same whatever the number of rows.
    Same,
    /// Along dimension `dim` there are `factor` elements for each row, which depend on that row only.
    Rows { dim: usize, factor: i64 },
    /// A number, or a list of them, that the number of rows enters.
    Count,
}

use Kind::{Count, Rows as Along, Same};

pub struct Analysis<'a, 'c> {
    walk: Walk<'c>,
    symbols: &'a Symbols,
    symbol: usize,
    kinds: HashMap<Value<'c>, Kind>,
}

/// The rows of the function along a symbol, which all dimensions of unknown size depend on.
///
/// # Errors
/// `S1101` at the first operation that is not known to keep rows apart.
pub fn of(func: Op<'_>, symbols: &Symbols, symbol: usize) -> Result<Rows, Diagnostic> {
    let refuse = |op: Op<'_>, reason: &str| {
        let name = &symbols.names[symbol];
        diagnostic_at(codes::S1101, op)
            .reason(format!("rows of `{name}` cannot be computed apart: {reason}"))
            .hint(super::open::hint(name))
    };
    let walk = Walk::inlined(func);
    let mut analysis = Analysis { walk, symbols, symbol, kinds: HashMap::new() };
    let Some(block) = func.region(0).first_block() else {
        return Err(refuse(func, "the function has no body"));
    };
    let mut inputs = Vec::new();
    for (index, value) in block.args().into_iter().enumerate() {
        let kind = analysis.input(index, value).map_err(|why| refuse(func, why.reason()))?;
        analysis.kinds.insert(value, kind);
        inputs.push(match kind {
            Along { dim, factor } => Some(RowDimension { dim, factor }),
            _ => None,
        });
    }
    analysis.block(block).map_err(|(op, why)| refuse(op, &why))?;
    let returned = block.terminator().map(|end| end.operands()).unwrap_or_default();
    let mut outputs = Vec::new();
    for value in returned {
        let kind = analysis.kinds.get(&value).copied().unwrap_or(Count);
        outputs.push(match kind {
            Same => None,
            Along { dim, factor } if leads(value, dim) => Some(RowDimension { dim, factor }),
            Along { dim, .. } => {
                let reason = format!("dimension {dim} of an output has them, not the outermost");
                return Err(refuse(func, &reason));
            }
            Count => return Err(refuse(func, "an output is a number of rows")),
        });
    }
    Ok(Rows { symbol, inputs, outputs })
}

/// Whether all dimensions before `dim` have size 1, so that rows are contiguous.
fn leads(value: Value<'_>, dim: usize) -> bool {
    let shape = value.ty().shape().unwrap_or_default();
    shape.iter().take(dim).all(|size| *size == 1)
}

/// The operation that is refused, and why.
type Refused<'c> = (Op<'c>, String);

impl<'c> Analysis<'_, 'c> {
    fn input(&self, index: usize, value: Value<'c>) -> Outcome<Kind> {
        let shape = value.ty().shape().unwrap_or_default();
        let mut open = (0..shape.len()).filter(|dim| shape[*dim] == DYNAMIC);
        let Some(dim) = open.next() else { return Ok(Same) };
        open.next().is_none().or_decline("an input has two dimensions of unknown size")?;
        let sizes = self.symbols.shapes.get(index).and_then(|shape| shape.get(dim));
        let factor = sizes.and_then(|size| self.factor(size));
        let factor = factor.or_decline("the size of an input is not a multiple of it")?;
        leads(value, dim)
            .or_decline("a dimension of an input that is not the outermost has them")?;
        Ok(Along { dim, factor })
    }

    /// `f` of a size `f * symbol`.
    pub fn factor(&self, size: &Size) -> Option<i64> {
        let variable = Variable::Symbol(self.symbol);
        let factor = size.linear_factor(variable)?;
        let whole = Size::variable(variable).times(&Size::known(factor))?;
        (*size == whole && factor > 0).then_some(factor)
    }

    /// The elements of an integer value, in terms of symbols.
    pub fn numbers(&self, value: Value<'c>) -> Option<Vec<Option<Size>>> {
        let by = |variable| match variable {
            Variable::Dimension(input, dim) => self.symbols.shapes.get(input)?.get(dim).cloned(),
            Variable::Symbol(_) => None,
        };
        let sizes = self.walk.sizes(value)?;
        Some(sizes.iter().map(|size| size.as_ref()?.replaced(&by)).collect())
    }

    /// The dimension of rows in a shape that is an operand; `None` if it has none.
    fn dimension_in(&self, shape: Value<'c>) -> Outcome<Option<(usize, i64)>> {
        let sizes = self.numbers(shape).or_decline("a shape is not known")?;
        let mut found = None;
        for (dim, size) in sizes.iter().enumerate() {
            let size = size.as_ref().or_decline("a size is not known")?;
            if size.as_known().is_some() {
                continue;
            }
            let factor = self.factor(size).or_decline("a size is not a multiple of it")?;
            found.is_none().or_decline("two dimensions of a shape depend on it")?;
            found = Some((dim, factor));
        }
        Ok(found)
    }

    pub fn kind(&self, value: Value<'c>) -> Kind {
        self.kinds.get(&value).copied().unwrap_or(Count)
    }

    fn block(&mut self, block: Block<'c>) -> Result<(), Refused<'c>> {
        for op in block.ops() {
            if op.is(func::RETURN) || op.kind() == OpKind::Return {
                continue;
            }
            let kinds = match op.kind() {
                OpKind::While => self.repeat(op)?,
                OpKind::If | OpKind::Case => self.branches(op)?,
                OpKind::OptimizationBarrier => {
                    op.operands().into_iter().map(|value| self.kind(value)).collect()
                }
                _ => {
                    let one = self.result(op).map_err(|why| (op, why.reason().to_owned()))?;
                    vec![one; op.result_count()]
                }
            };
            for (result, kind) in op.results().into_iter().zip(kinds) {
                self.kinds.insert(result, kind);
            }
        }
        Ok(())
    }

    /// The state of a loop is of the kinds that it starts with.
    fn repeat(&mut self, op: Op<'c>) -> Result<Vec<Kind>, Refused<'c>> {
        let refuse = |reason: &str| (op, reason.to_owned());
        let kinds: Vec<_> = op.operands().into_iter().map(|value| self.kind(value)).collect();
        for (at, region) in op.regions().into_iter().enumerate() {
            let block = region.first_block().ok_or_else(|| refuse("a region is empty"))?;
            for (argument, kind) in block.args().into_iter().zip(&kinds) {
                self.kinds.insert(argument, *kind);
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

    /// The kind of all results of an operation.
    fn result(&self, op: Op<'c>) -> Outcome<Kind> {
        if op.kind() == OpKind::CustomCall && target(op) == "shape_assertion" {
            return Ok(Same);
        }
        let shape_operands = shape_operands(op);
        let values = op.operands().into_iter().enumerate();
        let values = values.filter(|(at, _)| !shape_operands.contains(at)).map(|(_, value)| value);
        let kinds: Vec<Kind> = values.map(|value| self.kind(value)).collect();
        if let Some(count) = self.count(op, &kinds) {
            return Ok(count);
        }
        (!kinds.contains(&Count)).or_decline("it computes with the number of rows")?;
        self.captures_nothing_of_rows(op)?;
        match op.kind() {
            OpKind::DynamicBroadcastInDim => return self.broadcast(op),
            OpKind::DynamicIota => return self.iota(op),
            OpKind::DynamicReshape => return self.reshape(op),
            _ => {}
        }
        if kinds.iter().all(|kind| *kind == Same) {
            let is_pure = op.kind() != OpKind::CustomCall && is_repeatable(op.kind());
            let is_static = op.results().iter().all(|result| result.ty().has_static_shape());
            is_pure.or_decline("it may do something at each call")?;
            is_static.or_decline("its size depends on more than rows")?;
            return Ok(Same);
        }
        self.of_rows(op, &kinds)
    }

    /// Numbers that are followed: the same for all, or a count of rows.
    fn count(&self, op: Op<'c>, kinds: &[Kind]) -> Option<Kind> {
        if op.result_count() != 1 || !op.result(0).ty().element().is_int() {
            return None;
        }
        if op.kind() == OpKind::GetDimensionSize {
            let size = self.numbers(op.result(0)).and_then(|sizes| sizes.first()?.clone());
            let is_known = size.is_some_and(|size| size.as_known().is_some());
            return Some(if is_known { Same } else { Count });
        }
        if !kinds.contains(&Count) {
            return None;
        }
        // A number that the number of rows cancels out of is one for all.
        let sizes = self.numbers(op.result(0));
        let is_known =
            |size: &Option<Size>| size.as_ref().is_some_and(|size| size.as_known().is_some());
        match sizes {
            Some(sizes) if sizes.iter().all(is_known) => Some(Same),
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

    fn broadcast(&self, op: Op<'c>) -> Outcome<Kind> {
        let found = self.dimension_in(op.operand(1))?;
        let dims = ints(op, "broadcast_dimensions")?;
        match (self.kind(op.operand(0)), found) {
            (Same, None) => Ok(Same),
            // Each row gets the same elements, unless the operand has as many of its own.
            (Same, Some((dim, factor))) => {
                let shape = op.operand(0).ty().shape().or_decline("the operand has no rank")?;
                let stretched = dims.iter().position(|to| *to == dim as i64);
                let is_one = stretched.is_none_or(|from| shape[from] == 1);
                is_one.or_decline("it has a row of its own for each row")?;
                Ok(Along { dim, factor })
            }
            (Along { dim: from, factor: of }, Some((dim, factor))) => {
                let same = dims.get(from) == Some(&(dim as i64)) && of == factor;
                same.or_decline("rows are repeated")?;
                Ok(Along { dim, factor })
            }
            _ => Err("rows are lost".into()),
        }
    }

    fn iota(&self, op: Op<'c>) -> Outcome<Kind> {
        let counted = op.attr("iota_dimension").and_then(|dim| dim.as_i64());
        match self.dimension_in(op.operand(0))? {
            None => Ok(Same),
            Some((dim, factor)) => {
                (counted != Some(dim as i64)).or_decline("it numbers the rows")?;
                Ok(Along { dim, factor })
            }
        }
    }

    fn reshape(&self, op: Op<'c>) -> Outcome<Kind> {
        let found = self.dimension_in(op.operand(1))?;
        let (Along { dim: from, factor: of }, Some((to, factor))) =
            (self.kind(op.operand(0)), found)
        else {
            let both = self.kind(op.operand(0)) == Same && found.is_none();
            both.or_decline("rows are lost")?;
            return Ok(Same);
        };
        let old = op.operand(0).ty().shape().or_decline("the operand has no rank")?;
        let sizes = self.numbers(op.operand(1)).or_decline("a shape is not known")?;
        let known = |size: &Option<Size>| size.as_ref().and_then(Size::as_known);
        let new: Vec<i64> = sizes.iter().map(|size| known(size).unwrap_or(DYNAMIC)).collect();
        let product = |sizes: &[i64]| {
            let known = |size: &i64| Some(*size).filter(|size| *size >= 0);
            sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(known(size)?))
        };
        let around = |shape: &[i64], dim: usize, factor: i64| {
            Some((product(&shape[..dim])?, product(&shape[dim + 1..])?.checked_mul(factor)?))
        };
        let (old, new) = (around(&old, from, of), around(&new, to, factor));
        (old.is_some() && old == new).or_decline("elements of different rows share a row")?;
        Ok(Along { dim: to, factor })
    }
}

/// The operands of an operation that are shapes or bounds, not elements.
fn shape_operands(op: Op<'_>) -> Vec<usize> {
    match op.kind() {
        OpKind::DynamicIota => vec![0],
        OpKind::DynamicBroadcastInDim | OpKind::DynamicReshape => vec![1],
        OpKind::DynamicGather => vec![2],
        OpKind::RealDynamicSlice => vec![1, 2, 3],
        OpKind::DynamicPad => vec![2, 3, 4],
        _ => Vec::new(),
    }
}

/// Operations that compute each element of the result from the same element of operands.
pub fn is_pointwise(kind: OpKind) -> bool {
    let family = kind.definition().family;
    matches!(family, "elementwise" | "compare_select" | "convert") && kind != OpKind::BitcastConvert
        || matches!(kind, OpKind::Map | OpKind::Complex)
}

/// Operations without an effect that a second call would repeat.
fn is_repeatable(kind: OpKind) -> bool {
    !matches!(kind, OpKind::Infeed | OpKind::Outfeed | OpKind::Send | OpKind::Recv | OpKind::Rng)
}
