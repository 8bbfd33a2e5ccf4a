//! Blocked summation of long float sums: the error of a sequential sum grows with its length, and a sum of ones in `f32` gets
//! stuck at 2^24.
//!
//! Before:
//! ```mlir
//! %sum = scf.for %k = 0 to 1024 step 1 iter_args(%s = %start) -> (vector<16xf32>) {
//!   … %next = arith.addf %s, %x …
//! }
//! ```
//! After:
//! ```mlir
//! %sum = scf.for %group = 0 to 1024 step 256 iter_args(%total = %start) -> (vector<16xf32>) {
//!   %part = scf.for %block = 0 to 256 step 32 iter_args(%t = -0.0) -> (vector<16xf32>) {
//!     %short = scf.for %k = 0 to 32 step 1 iter_args(%s = -0.0) { … at %group + %block + %k … }
//!     … arith.addf %t, %short …
//!   }
//!   … arith.addf %total, %part …
//! }
//! ```
//! The initial value is added once, before or after the blocks. Partial sums start from -0.0, which is neutral, also for -0.0.
//!
//! | sums | where they are split |
//! |---|---|
//! | in vectors carried by scheduled loops | [`in_registers`], once panels are interleaved |
//! | in a tensor that a scheduled loop carries from one K block to the next | [`on_tensors`] |
//! | of nests without a schedule | [`on_tensors`]: the nest in a loop over blocks first (`unscheduled`) |
//!
//! Loops that carry sums in tensors are marked by [`SUMS`]. Loops of the program itself are not marked, and keep their order.

mod blocks;
mod chain;
mod unscheduled;

use strata_diag::Diagnostic;
use strata_ir::{Context, Op, SCHEDULE, scf};
use strata_options::Options;

/// On an `scf.for`: its loop-carried tensors are sums, to which each iteration adds. Stage `schedule` sets it, too.
const SUMS: &str = "strata.sums";

/// Splits sums in tensors.
///
/// # Errors
/// `S9003` when a nest cannot be split: our bug.
pub fn on_tensors<'c>(
    context: &'c Context,
    entry: Op<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    unscheduled::cut(context, entry, options)?;
    let marked = || entry.collect(|op| op.is(scf::FOR) && op.has_attr(SUMS));
    shorten_outermost(context, marked());
    for op in marked() {
        op.remove_attr(SUMS);
    }
    Ok(())
}

/// Splits loop-carried sums in registers.
pub fn in_registers<'c>(context: &'c Context, entry: Op<'c>) {
    let loops = entry.collect(|op| op.is(scf::FOR) && !chain::sums(op).is_empty());
    shorten_outermost(context, loops);
}

/// Splits a loop that adds sums of blocks, if these are many.
pub fn of_blocks<'c>(context: &'c Context, blocks: Op<'c>) {
    blocks::shorten_blocks(context, blocks);
}

/// Shortens the chains of `loops`, in which outer loops come before inner ones.
fn shorten_outermost<'c>(context: &'c Context, loops: Vec<Op<'c>>) {
    let mut outermost: Vec<Op<'c>> = Vec::new();
    for op in loops {
        // Loops are in program order: only the last one found can contain this one.
        if outermost.last().is_none_or(|outer| !outer.encloses(op)) {
            outermost.push(op);
        }
    }
    for op in outermost {
        blocks::shorten_whole(context, op);
    }
}
