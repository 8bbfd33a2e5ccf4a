//! Rematerialises cheap producers at their users.
//!
//! ```text
//! %i = linalg.generic { index } -> tensor<9xi32>
//! … %i has several users …
//! ```
//! becomes a copy of `%i` before each user, which is fused with it when nests are formed. Cheap are
//! iotas, and values computed from fewer elements than they have.

use strata_ir::{
    Block, Builder, Context, Op, linalg,
    tuning::fusion::{MAX_REMATERIALIZED_OPERATIONS, MAX_REMATERIALIZED_USES},
};

use crate::{
    fusion::merge::is_mergeable,
    structured::{Structured, is_division, is_identity},
};

/// Gives each user of a cheap value in `block` its own copy.
pub fn rematerialize<'c>(context: &'c Context, block: Block<'c>) {
    // From last to first: copies of a value read others, which then have more users.
    for op in block.ops().into_iter().rev() {
        if op.result_count() != 1 || !op.is(linalg::GENERIC) {
            continue;
        }
        let uses = op.result(0).uses();
        if uses.len() < 2 || uses.len() > MAX_REMATERIALIZED_USES {
            continue;
        }
        let Some(nest) = Structured::of_generic(op).filter(is_cheap) else { continue };
        let mut readers: Vec<Op<'c>> = uses.iter().map(|(user, _)| *user).collect();
        readers.dedup();
        // The last reader uses the original.
        let takes = |reader: &Op<'c>| {
            reader.block() == Some(block)
                && Structured::of_generic(*reader).is_some_and(|reader| takes(&reader, &nest))
        };
        for reader in readers.into_iter().filter(takes) {
            if op.result(0).has_one_use() {
                break;
            }
            let copy = Builder::before(context, reader).insert(op.clone_detached());
            for (user, operand) in uses.iter().filter(|(user, _)| *user == reader) {
                user.set_operand(*operand, copy.result(0));
            }
        }
        if op.is_unused() {
            op.erase();
        }
    }
}

/// Whether rematerialising the value in a nest does not increase its memory traffic.
fn is_cheap(nest: &Structured<'_>) -> bool {
    let body = nest.op.body(0).ops();
    let plain = |op: &Op<'_>| op.dialect() != "math" && !is_division(op.name());
    is_mergeable(nest)
        && body.len() <= MAX_REMATERIALIZED_OPERATIONS + 1
        && body.iter().all(plain)
        && nest.maps[..nest.inputs].iter().all(|map| map.len() < nest.extents.len())
}

/// Whether the value can be fused into the reader.
fn takes<'c>(reader: &Structured<'c>, nest: &Structured<'c>) -> bool {
    let loops = nest.extents.len();
    let maps = reader.reads_of(nest.op.result(0));
    reader.extents == nest.extents
        && reader.is_elementwise()
        && !maps.is_empty()
        && maps.iter().all(|map| is_identity(map, loops))
}
