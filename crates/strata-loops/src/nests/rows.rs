//! Two nests that read the same large buffer row by row become one: the second one finds the row in a cache.
//!
//! ```mlir
//! scf.for %i = %c0 to %c4096 step %c1 { … a maximum of the row %x[%i, …], to %max[%i] } {strata.schedule = "rows 16"}
//! affine.for %i = 0 to 4096 { affine.store %none, %out[%i] }
//! affine.for %i = 0 to 4096 { … the place of %max[%i] in the row %x[%i, …], to %out[%i] }
//! ```
//! becomes
//! ```mlir
//! affine.for %i = 0 to 4096 {
//!   … a maximum of the row, to %max[%i]
//!   affine.store %none, %out[%i]
//!   … the place of %max[%i] in the row, to %out[%i]
//! } {strata.schedule = "rows 16"}
//! ```
//! Only if no iteration of the result accesses what another one writes: then it does not matter which of the loops an
//! operation was in.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, Builder, Context, LIMIT, Op, SCHEDULE, Target, TypeExt as _, Value,
    WalkOrder, affine, memref, vector,
};

use super::{accumulators::origin, counted::Counted, tasks::trips_are_disjoint};

/// Joins such nests of the entry.
pub fn join<'c>(context: &'c Context, entry: Op<'c>, target: &Target) {
    let Some(body) = entry.region(0).first_block() else { return };
    let mut done: Vec<Op<'c>> = Vec::new();
    for first in body.ops() {
        if done.contains(&first) {
            continue;
        }
        if let Some(group) = group_of(first, target)
            && joined(context, &group)
        {
            done.extend(group.all);
        }
    }
}

/// A loop with a schedule for rows, and what follows it up to another loop over the same rows.
struct Group<'c> {
    all: Vec<Op<'c>>,
    rows: i64,
}

/// The group that begins with `first`, if it is worth joining.
fn group_of<'c>(first: Op<'c>, target: &Target) -> Option<Group<'c>> {
    let is_by_rows = first
        .attr(SCHEDULE)
        .is_some_and(|name| name.as_str().is_some_and(|name| name.starts_with("rows ")));
    let counted =
        Counted::of(first).filter(|each| is_by_rows && (each.first, each.step) == (0, 1))?;
    if first.result_count() > 0 {
        return None;
    }
    let mut all = vec![first];
    loop {
        let next = all.last()?.next()?;
        if rows(next)? != counted.last || next.has_attr(SCHEDULE) || next.result_count() > 0 {
            return None;
        }
        all.push(next);
        // Fills lie in between.
        if next.body(0).ops().iter().any(|op| op.is(affine::FOR)) {
            break;
        }
    }
    let sources = read_buffers(*all.last()?);
    let shared = read_buffers(first).into_iter().filter(|buffer| sources.contains(buffer));
    let is_large = |buffer: Value<'c>| {
        let ty = buffer.ty();
        let bytes = ty.element_count()?.checked_mul(ty.element().byte_width()?)?;
        let row = bytes / u64::try_from(counted.last).ok()?;
        let leads = ty.shape()?.first() == Some(&counted.last);
        Some(leads && bytes > target.l2_bytes && row <= target.l2_bytes / 2)
    };
    let is_worth_it = shared.into_iter().any(|buffer| is_large(buffer) == Some(true));
    is_worth_it.then_some(Group { all, rows: counted.last })
}

/// The trip count of an affine loop from 0 on.
fn rows(op: Op<'_>) -> Option<i64> {
    let own = op.cast::<affine::For>()?;
    let first = own.lower_bound_map()?.as_constant()?;
    let last = own.upper_bound_map()?.as_constant()?;
    (first == 0 && own.step() == Some(1)).then_some(last)
}

/// The buffers that a loop reads.
fn read_buffers<'c>(nest: Op<'c>) -> Vec<Value<'c>> {
    let mut found = Vec::new();
    nest.walk(WalkOrder::Pre, &mut |op| {
        if [affine::LOAD, memref::LOAD, vector::TRANSFER_READ].contains(&op.name())
            && let Some(buffer) = origin(op.operand(0))
        {
            found.push(buffer);
        }
    });
    found
}

/// Replaces the loops by one, if that is allowed.
fn joined<'c>(context: &'c Context, group: &Group<'c>) -> bool {
    let (Some(first), Some(last)) = (group.all.first(), group.all.last()) else { return false };
    let emit = Builder::before(context, *first);
    // An affine loop: indices of the affine accesses of the later ones must be counters of such loops.
    let one = emit.insert(last.clone_detached());
    let counter = one.body(0).arg(0);
    let Some(start) = one.body(0).first_op() else { return false };
    let inside = Builder::before(context, start);
    for earlier in &group.all[..group.all.len() - 1] {
        let mut known = FxHashMap::from_iter([(earlier.body(0).arg(0), counter)]);
        inside.copy_body(earlier.body(0), &mut known);
    }
    if rows(one) != Some(group.rows) || !trips_are_disjoint(one, 1) {
        one.erase();
        return false;
    }
    // The loops may end at different sizes.
    one.remove_attr(LIMIT);
    if let Some(name) = first.attr(SCHEDULE) {
        one.set_attr(SCHEDULE, name);
    }
    // Remarks find the nest by it.
    one.set_location(first.location());
    group.all.iter().for_each(|old| old.erase());
    true
}
