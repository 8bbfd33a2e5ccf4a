//! The last rows of tiles that are only computed and written, several at once, as a transpose has them: they begin earlier.
//!
//! ```mlir
//! scf.for %i = %whole to %size step %c4 {                      // what is left after whole tiles of 16 rows, four at once
//!   %at = arith.minsi %i, %size - %c4
//!   …                                                          // rows %at to %at + 3, without masks
//! }
//! ```
//! Some are written twice, with the same values. Where there are less than four in all, they have masks.

use rustc_hash::FxHashMap;
use strata_ir::{Builder, Context, Op, TypeExt as _, Value, View as _, arith, memref, scf, vector};

use super::{Rows, Tile};
use crate::nests::{indices::Place, viewed};

/// Whether sums of vectors are computed in a loop in the body.
pub fn has_sums(each: Op<'_>) -> bool {
    let is_sum =
        |op: Op<'_>| op.is(scf::FOR) && op.result_types().iter().any(|ty| ty.is_vector_type());
    !each.collect(|op| op != each && is_sum(op)).is_empty()
}

/// Whether there is a loop in the body. The last vector of others begins earlier where buffers are those of callers.
pub fn has_loops(each: Op<'_>) -> bool {
    !each.collect(|op| op != each && op.is(scf::FOR)).is_empty()
}

/// Whether a tile may begin at any row: the counter is in no quotient, as that of packed tiles is.
pub fn begins_anywhere(each: Op<'_>) -> bool {
    let accesses = [vector::TRANSFER_READ, vector::TRANSFER_WRITE, memref::LOAD, memref::STORE];
    each.collect(|op| accesses.contains(&op.name())).into_iter().all(|op| {
        let buffers = usize::from(matches!(op.name(), vector::TRANSFER_WRITE | memref::STORE));
        let Some(rank) = op.operand(buffers).ty().rank() else { return false };
        let mut indices = op.operands().into_iter().skip(buffers + 1).take(rank);
        indices.all(|index| Place::with_inner(index, each).is_some())
    })
}

/// Whether what an iteration writes follows from what no iteration writes, at the same distance from its counter.
pub fn may_repeat<'c>(each: Op<'c>, writes: &[(Op<'c>, Rows<'c>)]) -> bool {
    let accesses = [vector::TRANSFER_READ, vector::TRANSFER_WRITE, memref::LOAD, memref::STORE];
    let accesses = each.collect(|op| accesses.contains(&op.name()));
    let is_written = |read: &Op<'c>| {
        writes.iter().any(|(_, rows)| viewed(rows.buffer) == viewed(read.operand(0)))
    };
    let is_read = |op: &Op<'c>| matches!(op.name(), vector::TRANSFER_READ | memref::LOAD);
    let carries = |op: Op<'c>| op != each && op.is(scf::FOR) && op.result_count() > 0;
    begins_anywhere(each)
        && !has_sums(each)
        && each.collect(carries).is_empty()
        && !accesses.iter().filter(|op| is_read(op)).any(is_written)
        && accesses
            .iter()
            .filter(|op| !is_read(op))
            .all(|op| writes.iter().any(|(own, _)| own == op))
        && accesses.iter().all(|op| moves_along(*op, each))
}

/// Whether an access is one element further on for each that the counter is, or the same in all iterations.
fn moves_along<'c>(access: Op<'c>, each: Op<'c>) -> bool {
    let buffers = usize::from(matches!(access.name(), vector::TRANSFER_WRITE | memref::STORE));
    let Some(rank) = access.operand(buffers).ty().rank() else { return false };
    let indices = access.operands().into_iter().skip(buffers + 1).take(rank);
    indices.into_iter().all(|index| {
        Place::with_inner(index, each).is_some_and(|place| matches!(place.factor, 0 | 1))
    })
}

impl<'c> Tile<'c> {
    /// The body for the rows from `start` on, those that are written together at a time, the last ones up to `end`: `number` times,
    /// where `end` is at least `least`.
    pub fn repeat(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        [start, end]: [Value<'c>; 2],
        number: Value<'c>,
        least: i64,
    ) {
        let (each, unit) = (self.each.op, self.unit);
        let parts = |at: &Builder<'c>| {
            let last = at.offset(end, -unit);
            let body = at.region(&[at.index(0).ty()], |inside, part| {
                let mut copies = FxHashMap::default();
                let first = inside.same(arith::MINSI, &[part[0], last]);
                copies.insert(each.body(0).arg(0), first);
                inside.copy_body(each.body(0), &mut copies);
                scf::yield_(inside, &[]).build();
            });
            let parts = scf::for_(at, start, end, at.index(unit), &[], &[], body).build().op();
            self.keep_rows(context, parts.body(0), unit, true);
        };
        if least.min(self.each.last) >= unit {
            return parts(at);
        }
        let fits = at.cmpi(arith::CmpIPredicate::Sge, end, at.index(unit));
        let whole = at.region(&[], |inside, _| {
            parts(inside);
            scf::yield_(inside, &[]).build();
        });
        let few = at.region(&[], |inside, _| {
            self.choose(context, inside, start, (number, vec![1]), end);
            scf::yield_(inside, &[]).build();
        });
        scf::if_(at, fits, &[], whole, few).build();
    }
}
