//! What kernels compute, for remarks.

use std::collections::BTreeSet;

use strata_ir::{AttributeExt as _, Op, linalg, narrow};
use strata_target::{DotInstruction, Lane, Target};

use crate::structured::Structured;

/// The loops of the deepest of some operations, and what they compute, for remarks.
pub(super) fn shown(
    nests: &[Structured<'_>],
    target: &Target,
) -> (Vec<(i64, bool)>, BTreeSet<String>) {
    let deepest = nests.iter().max_by_key(|nest| nest.extents.len());
    let loops = deepest.map(|nest| nest.extents.iter().copied().zip(nest.reduction.clone()));
    let inner = nests.iter().flat_map(|nest| nest.op.body(0).ops());
    let inner = inner.filter(|op| !op.is(linalg::YIELD) && !op.is(linalg::INDEX));
    let computes = inner.map(|op| described(op, target)).collect();
    (loops.map(Iterator::collect).unwrap_or_default(), computes)
}

/// The name of an operation in remarks, a dot of lanes with the instruction that it becomes.
fn described(op: Op<'_>, target: &Target) -> String {
    let lane = |name: &str| Lane::named(op.attr(name)?.as_str()?);
    let lanes = || Some([lane("left")?, lane("right")?]);
    match op.is(narrow::DOT).then(lanes).flatten() {
        Some([left, right]) => {
            let found = DotInstruction::of_lanes(target, [left, right]);
            let by = found.map_or("no instruction", |found| found.name);
            format!("narrow.dot of {} and {} by {by}", left.name(), right.name())
        }
        None => op.name().into(),
    }
}
