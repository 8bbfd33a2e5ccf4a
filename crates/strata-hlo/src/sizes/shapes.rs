//! The sizes of results in terms of symbols, where they follow from those of operands: from the rules of dimensions
//! (`strata-shapes`), and where operands or attributes say them.

use strata_ir::{DYNAMIC, Op, OpKind, TypeExt as _, Value};
use strata_shapes::{DimExpr, DimRules, Factor, FactorKind, rules, shape_operands};

use crate::{
    interop::custom_call::target,
    pattern::{defined_by, ints},
};

/// What is known of the values before an operation.
pub trait Known<'c> {
    /// The sizes of a value's dimensions.
    fn dims(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>>;
    /// The elements of an integer value.
    fn elements(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>>;

    /// The size of a dimension.
    fn size(&self, value: Value<'c>, dim: usize) -> Option<DimExpr> {
        self.dims(value)?.get(dim)?.clone()
    }

    /// An element of an integer value.
    fn element(&self, value: Value<'c>, at: usize) -> Option<DimExpr> {
        self.elements(value)?.get(at)?.clone()
    }
}

/// The sizes of each result; `None` for those that are not found out.
pub fn of<'c>(op: Op<'c>, known: &impl Known<'c>) -> Vec<Vec<Option<DimExpr>>> {
    let table = rules(op).ok();
    let result = |(index, result): (usize, Value<'c>)| {
        let shape = result.ty().shape().unwrap_or_default();
        let size = |(dim, size): (usize, &i64)| match *size {
            DYNAMIC => stated(op, known, index, dim)
                .or_else(|| inferred(op, known, table.as_ref()?, (index, dim))),
            size => Some(DimExpr::constant(size)),
        };
        shape.iter().enumerate().map(size).collect()
    };
    op.results().into_iter().enumerate().map(result).collect()
}

/// The size of a dimension of a result that an operand says, or that a loop starts with.
#[allow(clippy::wildcard_enum_match_arm)] // Of all others, sizes follow from rules.
pub fn stated<'c>(op: Op<'c>, known: &impl Known<'c>, index: usize, dim: usize) -> Option<DimExpr> {
    let shapes = shape_operands(op);
    let shape = |at: usize| op.operands().get(*shapes.get(at)?).copied();
    match op.kind() {
        OpKind::While => known.size(op.operand(index), dim),
        OpKind::DynamicBroadcastInDim
        | OpKind::DynamicReshape
        | OpKind::DynamicIota
        | OpKind::Rng => known.element(shape(0)?, dim),
        OpKind::CustomCall => match target(op) {
            "stablehlo.dynamic_rng_bit_generator" if index == 1 => {
                known.element(op.operands().get(1).copied()?, dim)
            }
            "stablehlo.dynamic_top_k" if op.result(index).ty().rank() == Some(dim + 1) => {
                known.element(op.operands().get(1).copied()?, 0)
            }
            _ => known.element(shape(index)?, dim),
        },
        OpKind::RealDynamicSlice => {
            let [start, limit, stride] = [shape(0)?, shape(1)?, shape(2)?];
            if known.element(stride, dim)?.as_constant() != Some(1) {
                return None;
            }
            let length = || known.element(limit, dim)?.minus(&known.element(start, dim)?);
            added([start, limit], known, dim).or_else(length)
        }
        _ => None,
    }
}

/// What is added to the start of a slice for its end, whatever the start is: extrema in it need not cancel each other.
pub fn added<'c>(
    [start, limit]: [Value<'c>; 2],
    known: &impl Known<'c>,
    dim: usize,
) -> Option<DimExpr> {
    let sum = defined_by(limit, OpKind::Add).ok()?;
    let size = match (sum.operand(0) == start, sum.operand(1) == start) {
        (true, _) => sum.operand(1),
        (_, true) => sum.operand(0),
        _ => return None,
    };
    known.element(size, dim)
}

/// The size of a dimension of a result by the rule that it has.
fn inferred<'c>(
    op: Op<'c>,
    known: &impl Known<'c>,
    table: &DimRules,
    (index, dim): (usize, usize),
) -> Option<DimExpr> {
    let factor = only(table.of_result(index, dim))?;
    let own = |(operand, dim): &(usize, usize)| known.size(op.operand(*operand), *dim);
    match factor.kind {
        kind if kind.keeps_size() => factor.operands().iter().find_map(own),
        FactorKind::Updated | FactorKind::Scattered => own(factor.operands().first()?),
        FactorKind::Concatenated => {
            let mut parts = factor.operands().iter().map(own);
            parts.try_fold(DimExpr::constant(0), |sum, part| sum.plus(&part?))
        }
        FactorKind::Gathered => {
            let dim = factor.operand(0)?;
            match shape_operands(op).first() {
                Some(sizes) => known.element(op.operand(*sizes), dim),
                None => ints(op, "slice_sizes").ok()?.get(dim).copied().map(DimExpr::constant),
            }
        }
        _ => None,
    }
}

/// The factor that is all of a dimension.
pub fn only<'a>(mut factors: impl Iterator<Item = &'a Factor>) -> Option<&'a Factor> {
    let factor = factors.next().filter(|factor| factor.part.is_none())?;
    factors.next().is_none().then_some(factor)
}
