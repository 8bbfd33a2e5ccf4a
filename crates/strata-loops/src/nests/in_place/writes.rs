//! Loops that do nothing but write beyond the end of buffers from some iteration on: they end there.
//!
//! ```mlir
//! %r = scf.for %j = %c0 to %c128 step %c1 iter_args(%sum = %zero) -> (f32) {       // %r has no user
//!   …
//!   memref.store %next, %own[%i, %j] {strata.guarded} : memref<64x?xf32>           // up to %size
//!   scf.yield %next : f32
//! }
//! ```

use strata_ir::{Builder, Context, Op, TASKS, TypeExt as _, Value, arith, memref, scf, vector};

use super::{GUARDED, guards::Access};
use crate::nests::indices::Place;

/// Ends `each` where its writes do, if it has no other effect.
pub fn end<'c>(context: &'c Context, each: Op<'c>) -> Option<()> {
    if each.results().iter().any(|result| result.has_uses()) || each.has_attr(TASKS) {
        return None;
    }
    let mut ends: Vec<(Place<'c>, Value<'c>)> = Vec::new();
    for op in each.collect(|op| op != each) {
        match op.name() {
            memref::STORE | vector::TRANSFER_WRITE => {
                let access = Access::of(op).filter(|_| op.has_attr(GUARDED))?;
                let along = access.dims.iter().find_map(|dim| {
                    let place = Place::least(dim.at, each)?;
                    (place.factor > 0).then_some((place, dim.size))
                });
                ends.push(along?);
            }
            memref::LOAD | vector::TRANSFER_READ | scf::FOR | scf::YIELD => {}
            _ if matches!(op.dialect(), "arith" | "math" | "vector" | "affine")
                && op.region_count() == 0
                && !has_memory(op) => {}
            _ => return None,
        }
    }
    let before = Builder::before(context, each);
    let ends = ends.into_iter().map(|(place, size)| {
        let left = place.left(&before, before.offset(size, place.factor - 1 - place.more));
        match place.factor {
            1 => left,
            factor => before.same(arith::FLOORDIVSI, &[left, before.index(factor)]),
        }
    });
    let last = ends.reduce(|one, other| before.same(arith::MAXSI, &[one, other]))?;
    each.set_operand(1, before.same(arith::MINSI, &[each.operand(1), last]));
    Some(())
}

fn has_memory(op: Op<'_>) -> bool {
    op.operands().into_iter().any(|value| value.ty().is_memref_type())
}
