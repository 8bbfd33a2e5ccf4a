//! Rows of a large input that are reduced one vector after the other, asked for ahead.
//!
//! Before:
//! ```mlir
//! %max = scf.for %j = 0 to 4096 step 64 iter_args(…) { … %x[%i, %j], %x[%i, %j + 16], … }
//! ```
//! After:
//! ```mlir
//! %max = scf.for %j = 0 to 4096 step 64 iter_args(…) {
//!   memref.prefetch %x[%i, %j + 256], %x[%i, %j + 272], …
//!   … as before
//! }
//! ```

use strata_ir::{Builder, Context, Op, TypeExt as _, Value, memref_layout, scf, vector};
use strata_target::tuning::{
    panels::LINE_BYTES,
    streams::{AHEAD_BYTES, MIN_ROWS_BYTES},
};

use super::{super::indices::Place, is_elsewhere, request};
use crate::nests::{accumulators::is_outside, counted::Counted};

/// Asks for what the innermost reductions in `root` read next of rows.
pub(super) fn ask_ahead<'c>(context: &'c Context, root: Op<'c>) {
    for reduction in root.collect(|op| op.is(scf::FOR) && op.result_count() > 0) {
        if let Some(rows) = Counted::of(reduction).and_then(Rows::of) {
            rows.ask(context);
        }
    }
}

/// A reduction of rows of one input.
struct Rows<'c> {
    /// The lanes of its reads at which a line begins.
    reads: Vec<(Op<'c>, i64)>,
    /// Bytes of an element.
    width: i64,
}

impl<'c> Rows<'c> {
    /// `None` if the loop reads anything else than whole steps of rows of one large input, beside what is small.
    fn of(reduction: Counted<'c>) -> Option<Self> {
        let ops = reduction.body().ops();
        if ops.iter().any(|op| op.region_count() > 0 || op.is(vector::TRANSFER_WRITE)) {
            return None;
        }
        let all = ops.into_iter().filter(|op| op.is(vector::TRANSFER_READ));
        let all: Vec<_> = all.filter(|read| is_large(read.operand(0))).collect();
        let input = all.first()?.operand(0);
        let ty = input.ty();
        let width = i64::try_from(ty.element().byte_width()?).ok()?;
        let columns = *ty.shape()?.last()?;
        let line = LINE_BYTES as i64;
        if !is_elsewhere(input) || !is_outside(input, reduction.op) {
            return None;
        }
        if (reduction.step * width) % line != 0 || columns * width < 2 * AHEAD_BYTES {
            return None;
        }
        let index = |read: Op<'c>| read.operand(read.operand(0).ty().rank().unwrap_or(1));
        let row = |read: Op<'c>| -> Vec<Value<'c>> {
            (1..input.ty().rank().unwrap_or(1)).map(|at| read.operand(at)).collect()
        };
        let mut reads = Vec::new();
        let mut rows: Vec<(Vec<Value<'c>>, i64)> = Vec::new();
        for read in all {
            let place = Place::of(index(read), reduction.op)?;
            let lanes = i64::try_from(read.result(0).ty().element_count()?).ok()?;
            let is_row = read.operand(0) == input
                && read.result(0).ty().rank() == Some(1)
                && place.factor == 1
                && row(read).into_iter().all(|at| is_outside(at, reduction.op));
            if !is_row {
                return None;
            }
            match rows.iter_mut().find(|(known, _)| *known == row(read)) {
                Some((_, read)) => *read += lanes,
                None => rows.push((row(read), lanes)),
            }
            // A vector may be a part of a line.
            let lines = (0..lanes).filter(|lane| (place.more + lane) * width % line == 0);
            reads.extend(lines.map(|lane| (read, lane)));
        }
        let are_whole = rows.iter().all(|(_, lanes)| *lanes == reduction.step);
        are_whole.then_some(Self { reads, width })
    }

    fn ask(&self, context: &'c Context) {
        for (read, lane) in &self.reads {
            let rank = read.operand(0).ty().rank().unwrap_or(1);
            let here = Builder::before(context, *read);
            // Beyond the row is the next one; a request beyond the buffer does nothing.
            let ahead = here.offset(read.operand(rank), lane + AHEAD_BYTES / self.width);
            let row = (1..rank).map(|at| read.operand(at));
            request(&here, read.operand(0), &row.chain([ahead]).collect::<Vec<_>>());
        }
    }
}

/// Whether it is a matrix of rows that the last cache may not hold when it is read.
fn is_large(matrix: Value<'_>) -> bool {
    let ty = matrix.ty();
    let Some(shape) = ty.shape().filter(|shape| shape.len() > 1) else { return false };
    let width = ty.element().byte_width().and_then(|width| i64::try_from(width).ok());
    let bytes = width.and_then(|width| {
        shape.iter().try_fold(width, |all, size| all.checked_mul((*size).max(0)))
    });
    bytes.is_some_and(|bytes| bytes >= MIN_ROWS_BYTES)
        && memref_layout(ty).is_some_and(|layout| layout.0.last() == Some(&1))
}
