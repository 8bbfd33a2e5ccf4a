//! Operations that move, repeat and leave out elements.

use strata_ir::{Op, OpKind};

use super::{Ruled, dim, dims, ints, pointwise::broadcast, rank};
use crate::{
    DimRules,
    FactorKind::{self, Concatenated, Padded, Parallel, Reversed, Sliced, Updated},
    factors::size,
};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let result = rank(op.result(0));
    match op.kind() {
        OpKind::Broadcast => {
            let added = ints(op, "broadcast_sizes")?.len();
            for to in 0..result {
                rules.add(Parallel, to.checked_sub(added).map(|from| (0, from)), [(0, to)]);
            }
        }
        OpKind::BroadcastInDim | OpKind::DynamicBroadcastInDim => {
            let places = dims(&ints(op, "broadcast_dimensions")?);
            for to in 0..result {
                let from = places.iter().position(|dim| *dim == to);
                broadcast(op, from.map(|dim| (0, dim)).into_iter().collect(), to, rules);
            }
        }
        OpKind::Iota | OpKind::DynamicIota => {
            let counted = dim(op, "iota_dimension")?;
            for to in (0..result).filter(|to| *to != counted) {
                rules.add(Parallel, [], [(0, to)]);
            }
        }
        OpKind::Transpose => {
            for (to, from) in dims(&ints(op, "permutation")?).into_iter().enumerate() {
                rules.add(Parallel, [(0, from)], [(0, to)]);
            }
        }
        OpKind::Reverse => {
            let reversed = dims(&ints(op, "dimensions")?);
            for dim in 0..result {
                let kind = if reversed.contains(&dim) { Reversed } else { Parallel };
                rules.add(kind, [(0, dim)], [(0, dim)]);
            }
        }
        OpKind::Concatenate => {
            let along = dim(op, "dimension")?;
            for dim in 0..result {
                let kind = if dim == along { Concatenated } else { Parallel };
                let operands = (0..op.operands().len()).map(|index| (index, dim));
                rules.add(kind, operands, [(0, dim)]);
            }
        }
        OpKind::Pad => pad(op, rules)?,
        OpKind::DynamicPad => {
            for dim in 0..result {
                rules.add(Padded, [(0, dim)], [(0, dim)]);
            }
        }
        OpKind::DynamicUpdateSlice => {
            for dim in 0..result {
                rules.add(whole_or(Updated, op, 1, dim), [(0, dim), (1, dim)], [(0, dim)]);
            }
        }
        // Slices: of all of a dimension there is one.
        _ => {
            for dim in 0..result {
                let whole = size(op.result(0), dim);
                let is_whole = whole.is_some() && whole == size(op.operand(0), dim);
                let kind = if is_whole { Parallel } else { Sliced };
                rules.add(kind, [(0, dim)], [(0, dim)]);
            }
        }
    }
    Ok(())
}

/// `kind`, unless operand `part` is known to be all of operand 0 along `dim`.
fn whole_or(kind: FactorKind, op: Op<'_>, part: usize, dim: usize) -> FactorKind {
    let whole = size(op.operand(0), dim);
    let is_whole = whole.is_some() && whole == size(op.operand(part), dim);
    if is_whole { Parallel } else { kind }
}

fn pad(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
    let [low, high, interior] = names.map(|name| ints(op, name));
    let amounts = [low?, high?, interior?];
    for dim in 0..rank(op.result(0)) {
        let is_kept = amounts.iter().all(|amount| amount.get(dim) == Some(&0));
        rules.add(if is_kept { Parallel } else { Padded }, [(0, dim)], [(0, dim)]);
    }
    Ok(())
}
