//! Operations on the same element of each operand.

use strata_ir::{AttributeExt as _, Op, Value};

use super::{NoRules, Ruled, dims, rank};
use crate::{
    DimRules,
    FactorKind::{Expanded, Parallel},
    factors::size,
};

pub fn pointwise(op: Op<'_>, rules: &mut DimRules) {
    let Some(result) = op.results().first().copied() else { return };
    for dim in 0..rank(result) {
        let operands = op.operands().into_iter().enumerate();
        let operands = operands.filter(|(_, value)| rank(*value) == rank(result));
        let results = (0..op.result_count()).map(|index| (index, dim));
        rules.add(Parallel, operands.map(|(index, _)| (index, dim)), results);
    }
}

/// Operands of lower rank have the innermost dimensions of the result, or those that the attribute names.
pub fn expanding(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let result = op.results().first().copied().ok_or(NoRules("there is no result"))?;
    let named = op.attr("broadcast_dimensions").and_then(|list| list.as_i64s());
    let places = |value: Value<'_>| -> Vec<usize> {
        match &named {
            Some(named) if rank(value) == named.len() && rank(value) < rank(result) => dims(named),
            _ => {
                (0..rank(value)).map(|dim| dim + rank(result).saturating_sub(rank(value))).collect()
            }
        }
    };
    for to in 0..rank(result) {
        let mut operands = Vec::new();
        for (index, value) in op.operands().into_iter().enumerate() {
            operands
                .extend(places(value).iter().position(|dim| *dim == to).map(|dim| (index, dim)));
        }
        broadcast(op, operands, to, rules);
    }
    Ok(())
}

/// Dimensions of operands that are broadcast to dimension `to` of the result.
pub fn broadcast(op: Op<'_>, operands: Vec<(usize, usize)>, to: usize, rules: &mut DimRules) {
    let whole = size(op.result(0), to);
    let own = |(index, dim): &(usize, usize)| size(op.operand(*index), *dim);
    if whole.is_some() && operands.iter().all(|place| own(place).is_some()) {
        // What has size 1 is the same at all indices of the result.
        let full = operands.into_iter().filter(|place| own(place) == whole);
        rules.add(Parallel, full, [(0, to)]);
    } else {
        let kind = if operands.is_empty() { Parallel } else { Expanded };
        rules.add(kind, operands, [(0, to)]);
    }
}

/// Results that are the operands, each on its own.
pub fn carried(op: Op<'_>, rules: &mut DimRules) {
    for (index, value) in op.operands().into_iter().enumerate() {
        for dim in 0..rank(value) {
            rules.add(Parallel, [(index, dim)], [(index, dim)]);
        }
    }
}
