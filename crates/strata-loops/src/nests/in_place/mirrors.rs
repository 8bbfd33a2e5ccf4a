//! Reads from the end of what is valid backwards, as of something reversed, in loops that end there.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c1 {
//!   %inside = arith.cmpi slt, %i, %size {strata.mask = [0, affine_map<(d0) -> (d0)>]}
//!   %at = arith.select %inside, %size - 1 - %i, %c0
//!   %e = memref.load %x[%at]
//!   %v = arith.select %inside, %e, %zero
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! becomes
//! ```mlir
//!   %e = memref.load %x[%size - 1 - %i] {strata.below = [0, affine_map<(d0) -> (d0)>]}
//! ```
//! The selection is for the iterations from the limit on, which only exist until buffers are assigned and checked.

use strata_ir::{
    AttributeExt as _, Builder, Context, LIMIT, MASK, Op, Value, affine, arith, boolean,
    constant_index, memref, scf,
};

use crate::nests::rests::{self, say_below};

/// Leaves out the selections in `entry` that are for iterations beyond limits, and places that only they read.
pub fn settle<'c>(context: &'c Context, entry: Op<'c>) {
    let mut is_any = false;
    for compare in entry.collect(|op| op.is(arith::CMPI) && op.has_attr(MASK)) {
        let mut place = compare.operand(0);
        if let Some(cast) = place.owner().filter(|owner| owner.is(arith::INDEX_CAST)) {
            place = cast.operand(0);
        }
        let counted = place.block_arg().filter(|(_, position)| *position == 0);
        let each = counted.and_then(|(block, _)| block.parent_op());
        let limit = compare.attr(MASK).and_then(|mask| mask.as_array()?.get(1).copied());
        let ends = |each: &Op<'c>| {
            (each.is(scf::FOR) || each.is(affine::FOR)) && each.attr(LIMIT) == limit
        };
        let (Some(limit), Some(_)) = (limit, each.filter(ends)) else { continue };
        for (select, operand) in compare.result(0).uses() {
            if !select.is(arith::SELECT) || operand != 0 {
                continue;
            }
            let (at, chosen) = (select.operand(1), select.result(0));
            if is_mirrored(at, place, compare.operand(1)) {
                for (access, index) in chosen.uses() {
                    if access.is(memref::LOAD) && index > 0 {
                        say_below(context, access, index as i64 - 1, limit);
                    }
                }
            }
        }
        is_any = true;
        let before = Builder::before(context, compare);
        let yes = before.splat(compare.result(0).ty(), boolean(context, true));
        for (user, operand) in compare.result(0).uses() {
            if user.is(arith::SELECT) && operand == 0 {
                user.result(0).replace_all_uses_with(user.operand(1));
            } else {
                user.set_operand(operand, yes);
            }
        }
    }
    if is_any {
        rests::erase_unread(entry);
    }
}

/// Whether `at` is `size - 1 - place`.
fn is_mirrored<'c>(at: Value<'c>, place: Value<'c>, size: Value<'c>) -> bool {
    let difference = at.owner().filter(|op| op.is(arith::SUBI) && op.operand(1) == place);
    let last = difference.and_then(|op| op.operand(0).owner()).filter(|op| op.is(arith::ADDI));
    last.is_some_and(|op| {
        op.operand(0) == size && constant_index(op.operand(1)) == Some(-1)
            || op.operand(1) == size && constant_index(op.operand(0)) == Some(-1)
    })
}
