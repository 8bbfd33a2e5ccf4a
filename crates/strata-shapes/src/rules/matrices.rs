//! Functions of the innermost dimensions.

use strata_ir::{AttributeExt as _, Op, OpKind};

use super::{Ruled, ints, rank};
use crate::{DimRules, FactorKind::Parallel};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    match op.kind() {
        OpKind::Fft => batches(op, ints(op, "fft_length")?.len(), rules),
        OpKind::CustomCall => {
            if is_lapack(op) {
                batches(op, 2, rules);
            }
        }
        OpKind::TriangularSolve => {
            batches(op, 2, rules);
            let is_left = op.attr("left_side").and_then(|left| left.as_bool()).unwrap_or(true);
            // Each column, or row, of the right-hand sides is a system of its own.
            if let Some(dim) = rank(op.operand(1)).checked_sub(if is_left { 1 } else { 2 }) {
                rules.add(Parallel, [(1, dim)], [(0, dim)]);
            }
        }
        _ => batches(op, 2, rules),
    }
    Ok(())
}

/// Dimensions outside of the innermost `inner` of operand 0 are batches in all operands and results that have them.
fn batches(op: Op<'_>, inner: usize, rules: &mut DimRules) {
    let Some(first) = op.operands().first().copied() else { return };
    for dim in 0..rank(first).saturating_sub(inner) {
        let has = |value| rank(value) > dim;
        let operands = op.operands().into_iter().enumerate();
        let operands = operands.filter(|(_, value)| has(*value)).map(|(index, _)| (index, dim));
        let results = op.results().into_iter().enumerate();
        let results = results.filter(|(_, value)| has(*value)).map(|(index, _)| (index, dim));
        rules.add(Parallel, operands, results);
    }
}

/// JAX's functions of LAPACK, which work on each matrix of a batch.
fn is_lapack(op: Op<'_>) -> bool {
    let name = op.attr("call_target_name").and_then(|name| name.as_str()).unwrap_or_default();
    name.starts_with("lapack_") && name.ends_with("_ffi")
}
