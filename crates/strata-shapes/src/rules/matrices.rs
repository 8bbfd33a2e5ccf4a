//! Functions of the innermost dimensions.

use strata_ir::{AttributeExt as _, Op, OpKind, TypeExt as _};

use super::{Ruled, ints, rank};
use crate::{
    DimRules,
    FactorKind::{Parallel, Whole},
    is_lapack, shape_operands,
};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    match op.kind() {
        OpKind::Fft => {
            let (inner, rank) = (ints(op, "fft_length")?.len(), rank(op.operand(0)));
            batches(op, inner, rules);
            // Half of what real numbers are transformed to says all.
            let is_equal = op.operand(0).ty().element() == op.result(0).ty().element();
            let equal = if is_equal { rank } else { rank.saturating_sub(1) };
            for dim in rank.saturating_sub(inner)..equal {
                rules.add(Whole, [(0, dim)], [(0, dim)]);
            }
        }
        OpKind::CustomCall => {
            if is_lapack(op) {
                batches(op, 2, rules);
            }
        }
        OpKind::TriangularSolve => {
            batches(op, 2, rules);
            let is_left = op.attr("left_side").and_then(|left| left.as_bool()).unwrap_or(true);
            let rank = rank(op.operand(1));
            for dim in rank.saturating_sub(2)..rank {
                // Each column, or row, of the right-hand sides is a system of its own.
                let is_free = (dim + 1 == rank) == is_left;
                rules.add(if is_free { Parallel } else { Whole }, [(1, dim)], [(0, dim)]);
            }
        }
        _ => {
            batches(op, 2, rules);
            let rank = rank(op.operand(0));
            for dim in rank.saturating_sub(2)..rank {
                rules.add(Whole, [(0, dim)], [(0, dim)]);
            }
        }
    }
    Ok(())
}

/// The sides of matrices that have to be square, with what has as many rows or columns.
pub fn squares(op: Op<'_>) -> Vec<Vec<(usize, usize)>> {
    let sides = |index: usize| rank(op.operand(index)).checked_sub(2).map(|dim| [dim, dim + 1]);
    #[allow(clippy::wildcard_enum_match_arm)] // No other one has such a matrix.
    let square = match op.kind() {
        OpKind::Cholesky => sides(0).map(|[row, column]| vec![(0, row), (0, column)]),
        OpKind::TriangularSolve => sides(0).zip(sides(1)).map(|([row, column], others)| {
            let is_left = op.attr("left_side").and_then(|left| left.as_bool()).unwrap_or(true);
            vec![(0, row), (0, column), (1, others[usize::from(!is_left)])]
        }),
        _ => None,
    };
    square.into_iter().collect()
}

/// Dimensions outside of the innermost `inner` of operand 0 are batches in all operands and results that have them.
fn batches(op: Op<'_>, inner: usize, rules: &mut DimRules) {
    let Some(first) = op.operands().first().copied() else { return };
    let shapes = shape_operands(op);
    for dim in 0..rank(first).saturating_sub(inner) {
        let has = |value| rank(value) > dim;
        let operands = op.operands().into_iter().enumerate();
        let operands = operands.filter(|(index, value)| has(*value) && !shapes.contains(index));
        let operands = operands.map(|(index, _)| (index, dim));
        let results = op.results().into_iter().enumerate();
        let results = results.filter(|(_, value)| has(*value)).map(|(index, _)| (index, dim));
        rules.add(Parallel, operands, results);
    }
}
