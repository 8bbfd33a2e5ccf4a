//! Reductions, sorts and normalisations.

use strata_ir::{AttributeExt as _, Op, OpKind};

use super::{NoRules, Ruled, dim, dims, ints, rank};
use crate::{
    DimRules,
    FactorKind::{Parallel, Reduced, Sorted, Whole},
};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    match op.kind() {
        OpKind::Reduce => {
            let (inputs, reduced) = (op.operands().len() / 2, dims(&ints(op, "dimensions")?));
            let mut kept = 0..;
            for dim in 0..rank(op.operand(0)) {
                let operands = (0..inputs).map(|index| (index, dim));
                if reduced.contains(&dim) {
                    rules.add(Reduced, operands, []);
                } else {
                    let to = kept.next().ok_or(NoRules("a dimension is missing"))?;
                    rules.add(Parallel, operands, (0..inputs).map(|index| (index, to)));
                }
            }
        }
        OpKind::Sort => {
            let along = op.attr("dimension").and_then(|dim| dim.as_i64()).unwrap_or(-1);
            let rank = rank(op.operand(0));
            let along = if along < 0 { along + rank as i64 } else { along };
            for dim in 0..rank {
                let kind = if dim as i64 == along { Sorted } else { Parallel };
                let all = || (0..op.result_count()).map(|index| (index, dim));
                rules.add(kind, all(), all());
            }
        }
        OpKind::ChloTopK => {
            let rank = rank(op.operand(0));
            for dim in 0..rank {
                let results = [(0, dim), (1, dim)];
                if dim + 1 == rank {
                    rules.add(Sorted, [(0, dim)], []);
                    rules.add(Sorted, [], results);
                } else {
                    rules.add(Parallel, [(0, dim)], results);
                }
            }
        }
        _ => normalisation(op, rules)?,
    }
    Ok(())
}

/// Features are normalised apart: with given statistics, so is each element; else all others of the feature are needed.
fn normalisation(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let feature = dim(op, "feature_index")?;
    let full = rank(op.operand(0));
    let places = |values: Vec<strata_ir::Value<'_>>, dim: usize| -> Vec<(usize, usize)> {
        let place = |(index, value)| match rank(value) {
            rank if rank == full && full > 1 || index == 0 => Some((index, dim)),
            _ if dim == feature => Some((index, 0)),
            _ => None,
        };
        values.into_iter().enumerate().filter_map(place).collect()
    };
    for dim in 0..full {
        let is_apart = dim == feature || op.kind() == OpKind::BatchNormInference;
        let kind = if is_apart { Parallel } else { Whole };
        rules.add(kind, places(op.operands(), dim), places(op.results(), dim));
    }
    Ok(())
}
