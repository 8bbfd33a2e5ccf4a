//! Long sums of floats are taken block by block: the error of one that adds element after element grows with their
//! number, and ones stop counting at 2^24.
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
//! A start is added once, to the sum of the blocks or in front of it. Partial sums start from -0.0, which changes no number,
//! -0.0 included.
//!
//! | sums | where they are cut |
//! |---|---|
//! | in vectors, which scheduled loops carry | [`in_registers`], once panels are interleaved |
//! | in a tensor that a scheduled loop carries from one stretch of the reduction to the next | [`on_tensors`] |
//! | of nests without a schedule | [`on_tensors`]: the nest in a loop over blocks first (`unscheduled`) |
//!
//! Loops that carry sums in tensors are known by [`SUMS`]. Loops that the program itself wrote carry tensors or scalars without
//! it, and keep their order.

mod blocks;
mod chain;
mod unscheduled;

use strata_diag::Diagnostic;
use strata_ir::{Context, Op, Options, scf};

/// On an `scf.for`: the tensors that it carries are sums, to which each trip adds. Stage `schedule` sets it, too.
const SUMS: &str = "strata.sums";
/// On the outermost loops of a scheduled nest.
const SCHEDULE: &str = "strata.schedule";

/// Cuts the sums that tensors hold.
///
/// # Errors
/// `S9003` when a nest cannot be cut: our bug.
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

/// Cuts the sums that loops carry in registers.
pub fn in_registers<'c>(context: &'c Context, entry: Op<'c>) {
    let loops = entry.collect(|op| op.is(scf::FOR) && !chain::sums(op).is_empty());
    shorten_outermost(context, loops);
}

/// Shortens the chains of `loops`, which hold outer loops before inner ones.
fn shorten_outermost<'c>(context: &'c Context, loops: Vec<Op<'c>>) {
    let mut outermost: Vec<Op<'c>> = Vec::new();
    for op in loops {
        // Loops follow each other in the order of the program: only the last one found can be around this one.
        if outermost.last().is_none_or(|outer| !outer.encloses(op)) {
            outermost.push(op);
        }
    }
    for op in outermost {
        blocks::shorten_whole(context, op);
    }
}
