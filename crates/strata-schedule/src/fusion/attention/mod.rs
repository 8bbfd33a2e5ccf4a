//! Attention without the matrix of scores in memory.
//!
//! ```text
//! %s = linalg.matmul %q, %k                   // 4096 x 4096 scores
//! %t = … scaled and masked, element by element …
//! %m = … the maximum of each row of %t …
//! %e = … exp(%t - %m) …
//! %l = … the sum of each row of %e …
//! %r = linalg.matmul (%e / %l), %v
//! ```
//! becomes, for blocks of rows of `%q` and blocks of rows of `%k` and `%v` ("keys"), whose scores fit in L2,
//! ```text
//! scf.for %i = 0 to 4096 step 128 {
//!   %m, %l, %r = scf.for %j = 0 to 4096 step 256 iter_args(%m = -inf, %l = 0, %r = 0) {
//!     %t = … scores of 128 x 256 elements …
//!     %m1 = max(%m, … the maximum of each row of %t …)
//!     %e = exp(%t - %m1)
//!     %c = exp(%m - %m1)                      // what the earlier blocks are rescaled by
//!     yield %m1, %l * %c + … sums of %e …, %r * %c + %e %v
//!   }
//!   … %r / %l …
//! }
//! ```
//! The operations of the body are nests like any others. Memory is linear in the numbers of rows and keys.
//!
//! The results are those of the operations as written but for the order of sums and their rounding, infinities included:
//!
//! - A row whose scores so far are all -inf has the maximum -inf; 0 is subtracted from them instead, so that their exponentials
//!   are 0 and not NaN. A row that stays so has the sum 0, and 0 / 0 is NaN, as it is when -inf is subtracted from -inf.
//! - The exponentials are scaled by a power of two, so that their sum is at most 1: sums of products with `%v` are within its
//!   range, as they are of normalised weights.
//!
//! Blocks of keys that a mask hides from all rows of a block are left out if that changes no result ([`skip`]).
//!
//! Attention of other types, or whose weights are rounded or computed in another way, is on blocks of rows with all keys ([`by_rows`]).
//!
//! [`find`] recognises attention, [`tile`] computes what precedes the maximum on one block, [`masked`] says which blocks a mask
//! hides, [`emit`] writes the loops.

mod by_rows;
mod coords;
mod emit;
mod find;
mod masked;
mod place;
mod skip;
mod tile;

use strata_ir::{Block, Context, VALID};
use strata_target::Target;

/// Rewrites the attentions in a block that are worth it.
pub(crate) fn block_attention<'c>(context: &'c Context, block: Block<'c>, target: &Target) {
    let found: Vec<_> = block.ops().into_iter().filter_map(find::Attention::of).collect();
    let mut is_changed = false;
    for attention in found {
        is_changed |= emit::emit(context, &attention, target);
    }
    if is_changed {
        sweep_unused(block);
    }
    // Where sizes are open, loops of their own end at the sizes of a call.
    if block.parent_op().is_some_and(|func| func.has_attr(VALID)) {
        return;
    }
    let mut is_changed = false;
    for op in block.ops() {
        if let Some(found) = by_rows::ByRows::of(op) {
            is_changed |= by_rows::emit(context, &found, target);
        }
    }
    if is_changed {
        sweep_unused(block);
    }
}

/// Erases what nothing uses any more.
fn sweep_unused(block: Block<'_>) {
    for op in block.ops().into_iter().rev() {
        if matches!(op.dialect(), "linalg" | "tensor" | "arith" | "narrow") && op.is_unused() {
            op.erase();
        }
    }
}
