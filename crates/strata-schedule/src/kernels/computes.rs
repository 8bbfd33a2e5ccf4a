//! What kernels compute, for remarks.

use std::collections::BTreeSet;

use strata_ir::{AttributeExt as _, Op, linalg, narrow};
use strata_target::{DotInstruction, Lane, Target, TileInstruction};

use crate::structured::Structured;

/// The loops of the deepest of some operations, and what they compute, in tiles or not, for remarks.
pub(super) fn shown(
    nests: &[Structured<'_>],
    target: &Target,
    in_tiles: bool,
) -> (Vec<(i64, bool)>, BTreeSet<String>) {
    let deepest = nests.iter().max_by_key(|nest| nest.extents.len());
    let loops = deepest.map(|nest| nest.extents.iter().copied().zip(nest.reduction.clone()));
    let inner = nests.iter().flat_map(|nest| nest.op.body(0).ops());
    let inner = inner.filter(|op| !op.is(linalg::YIELD) && !op.is(linalg::INDEX));
    let computes = inner.map(|op| described(op, target, in_tiles)).collect();
    (loops.map(Iterator::collect).unwrap_or_default(), computes)
}

/// The name of an operation in remarks, a dot of lanes with the instruction that it becomes.
fn described(op: Op<'_>, target: &Target, in_tiles: bool) -> String {
    let lane = |name: &str| Lane::named(op.attr(name)?.as_str()?);
    let lanes = || Some([lane("left")?, lane("right")?]);
    match op.is(narrow::DOT).then(lanes).flatten() {
        Some([left, right]) => {
            let of_tiles = TileInstruction::of_lanes(target, [left, right]).filter(|_| in_tiles);
            let of_vectors = || DotInstruction::of_lanes(target, [left, right]).map(|one| one.name);
            let found = of_tiles.map(|one| one.name).or_else(of_vectors);
            let by = found.unwrap_or("no instruction");
            format!("narrow.dot of {} and {} by {by}", left.name(), right.name())
        }
        None => op.name().into(),
    }
}
