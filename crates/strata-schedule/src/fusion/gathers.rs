//! Fuses elementwise users of a row gather into it, which saves a pass over memory.
//!
//! ```text
//! %g = linalg.generic ins(%ids) { %x = tensor.extract %table[%id, linalg.index 1] }
//! %r = linalg.generic { select } ins(%inside, %g, %nan)
//! ```
//! becomes
//! ```text
//! %r = linalg.generic ins(%ids, %inside, %nan) { tensor.extract, select }
//! ```
//! No schedule handles such an operation; its loops are vectorised after stage `affine`. So long computations are
//! not fused.

use std::collections::HashSet;

use strata_ir::{AttributeExt as _, Block, Context, linalg, tensor};
use strata_target::tuning::fusion::MAX_GATHER_WORK;

use crate::{
    fusion::merge::{is_mergeable, merge, reads_inputs_only},
    structured::{Structured, is_identity},
};

/// Merges the row gathers of a block with short elementwise operations that are their only users.
pub fn merge_gathers<'c>(context: &'c Context, block: Block<'c>) {
    let mut gone = HashSet::new();
    for op in block.ops() {
        if gone.contains(&op) {
            continue;
        }
        let mut last = Structured::of_generic(op).filter(reads_rows);
        while let Some(gather) = last.take() {
            if let Some(reader) = follower(&gather) {
                gone.insert(reader.op);
                let results = reader.op.results();
                last = merge(context, &[gather, reader], &results).and_then(Structured::of_generic);
            }
        }
    }
}

/// The only user of the result, if it can be fused into the gather.
fn follower<'c>(gather: &Structured<'c>) -> Option<Structured<'c>> {
    let [(user, operand)] = gather.op.result(0).uses()[..] else { return None };
    let reader = Structured::of_generic(user).filter(|_| user.block() == gather.op.block())?;
    let follows = is_mergeable(&reader)
        && reader.is_pure_map()
        && reader.extents == gather.extents
        && reader.work() <= MAX_GATHER_WORK
        && user.result_count() == 1
        && operand < reader.inputs
        && (is_identity(&reader.maps[operand], reader.extents.len())
            || strata_ir::planted("schedule-gather-reader"));
    follows.then_some(reader)
}

/// Whether the innermost loop reads contiguous rows.
fn reads_rows(nest: &Structured<'_>) -> bool {
    let body = nest.op.body(0);
    let reads: Vec<_> = body.ops().into_iter().filter(|op| op.is(tensor::EXTRACT)).collect();
    let [read] = reads[..] else { return false };
    let innermost = nest.extents.len().checked_sub(1);
    let column = read.operands().last().and_then(|index| index.owner()).filter(|index| {
        index.is(linalg::INDEX)
            && index.attr("dim").and_then(|dim| dim.as_i64()).map(|dim| dim as usize) == innermost
    });
    nest.is_parallel()
        && nest.writes_identity()
        && nest.op.result_count() == 1
        && column.is_some()
        && body.terminator().is_some_and(|end| end.operand(0) == read.result(0))
        && reads_inputs_only(nest)
}
