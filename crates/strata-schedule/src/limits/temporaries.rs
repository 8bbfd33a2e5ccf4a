//! Which loops of a scheduled nest make elements of a temporary that only limited loops of the nest read, and these do not need.
//!
//! ```mlir
//! %row = scf.for %i = %c0 to %c128 step %c64 iter_args(%t = %empty) { … }          // a row of exponentials
//! %sum = scf.for %k = %c0 to %c128 step %c64 iter_args(%s = %zero) {               // up to d0, as the mask in it shows
//!   %x = vector.transfer_read %row[%c0, %k] : tensor<1x128xf32>, vector<16xf32>
//!   %y = arith.select %mask, %x, %zero {strata.mask = affine_map<(d0) -> (d0)>}
//!   %n = arith.addf %s, %y
//!   scf.yield %n
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! The last iteration of the sum reads elements beyond its limit, too, where the step does not divide it. They are not needed where
//! each lane of a vector that is computed from them is masked, or is written to a place that is not needed either.

use std::collections::HashSet;

use strata_ir::{
    AffineMap, Attribute, LIMIT, MASK, Op, TypeExt as _, Value, affine, arith, constant_index, scf,
    tensor, vector,
};

use super::{
    demand::is_risky,
    loops::{Start, is_written_from, offsets},
    reads,
};

/// Limits the loops in `func`, in which those that make its results and reductions have their limits. Returns how many.
pub fn limit<'c>(func: Op<'c>) -> usize {
    let mut count = 0;
    // Those that read come after those that write.
    for each in func.collect(|op| op.is(scf::FOR) && !op.has_attr(LIMIT)).into_iter().rev() {
        if let Some(limit) = needed(each) {
            each.set_attr(LIMIT, limit);
            count += 1;
        }
    }
    count
}

/// The limit of a loop that makes one temporary.
fn needed<'c>(each: Op<'c>) -> Option<Attribute<'c>> {
    let [first, last, step] = [0, 1, 2].map(|at| constant_index(each.operand(at)));
    let (first, last, step) = (first?, last?, step?);
    if first < 0 || step < 1 || last - first <= step || each.result_count() != 1 {
        return None;
    }
    let (temporary, carried) = (each.result(0), each.body(0).arg(1));
    let rank = temporary.ty().rank().filter(|_| temporary.ty().is_tensor_type())?;
    let made = each.body(0).terminator()?.operand(0);
    let uses = temporary.uses();
    if uses.is_empty() {
        return None;
    }
    (0..rank).find_map(|dim| {
        let mut limits = uses.iter().map(|(user, _)| reads::limit_of_use(*user, temporary, dim));
        let limit = limits.next()??;
        let is_written = is_written_from(made, carried, each.body(0).arg(0), dim);
        (is_written && limits.all(|other| other == Some(limit))).then_some(limit)
    })
}

/// From where on in dimension `dim` the elements of `temporary` that `read` gives are not needed.
pub(super) fn limit_of_read<'c>(
    read: Op<'c>,
    temporary: Value<'c>,
    dim: usize,
) -> Option<Attribute<'c>> {
    let rank = temporary.ty().rank()?;
    if !read.is(vector::TRANSFER_READ) || read.operand_count() > rank + 2 || !is_along(read, dim) {
        return None;
    }
    let index = read.operand(1 + dim);
    let mut around = std::iter::successors(read.parent(), |op| op.parent());
    let each = around.find(|op| op.is(scf::FOR) && offset(index, op.body(0).arg(0)).is_some())?;
    let limit = each.attr(LIMIT)?;
    let at = offset(index, each.body(0).arg(0))?;
    let first = constant_index(each.operand(0))?;
    (first >= 0 && at >= 0 && keeps_lanes(read, each, at, limit)).then_some(limit)
}

/// Whether a vector's only dimension is along dimension `dim` of the tensor.
fn is_along(transfer: Op<'_>, dim: usize) -> bool {
    let map = transfer.attr("permutation_map").and_then(AffineMap::of);
    map.is_some_and(|map| map.projected() == Some(vec![dim]))
}

/// Whether lanes of `read`, a vector of elements from `at` on after the counter of `each`, that are not below `limit` reach only masks
/// with that limit and places of results that are not below it.
fn keeps_lanes<'c>(read: Op<'c>, each: Op<'c>, at: i64, limit: Attribute<'c>) -> bool {
    let shape = read.result(0).ty().shape();
    let mut seen = HashSet::new();
    let mut open = read.results();
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        for (user, operand) in value.uses() {
            let is_mask = user.is(arith::SELECT)
                && operand == 1
                && user.operand(2) != value
                && user.attr(MASK) == Some(limit)
                && place_of_mask(user, each) == Some(at);
            if is_mask {
                continue;
            }
            if user.is(vector::TRANSFER_WRITE) && operand == 0 {
                if !writes_at(user, each, at) {
                    return false;
                }
                continue;
            }
            let is_lanewise = matches!(user.dialect(), "arith" | "math")
                && user.result_count() == 1
                && user.result(0).ty().shape() == shape
                && each.encloses(user)
                && !is_risky(user);
            if !is_lanewise {
                return false;
            }
            open.push(user.result(0));
        }
    }
    true
}

/// The place after the counter of `each` from which on a mask is for elements.
fn place_of_mask<'c>(mask: Op<'c>, each: Op<'c>) -> Option<i64> {
    let places = mask.operand(0).owner()?.operand(0).owner()?;
    let indices = places.operands().into_iter().skip(1);
    let rank = places.operand(0).ty().rank()?;
    let dim = places.attr("permutation_map").and_then(AffineMap::of)?.projected()?;
    offset(indices.take(rank).nth(*dim.first()?)?, each.body(0).arg(0))
}

/// Whether a write of a vector, the loop's limit being one of what it writes, puts it at `at` after the counter of `each`.
fn writes_at<'c>(write: Op<'c>, each: Op<'c>, at: i64) -> bool {
    let counter = each.body(0).arg(0);
    let place = || {
        let map = write.attr("permutation_map").and_then(AffineMap::of)?.projected()?;
        let [dim] = map[..] else { return None };
        let index = write.operand(2 + dim);
        let Some(inside) = constant_index(index) else { return offset(index, counter) };
        // In a slice that begins at the counter.
        let slice = slice_of(write.operand(1))?;
        if slice.operand(0).ty().rank() != write.operand(1).ty().rank() {
            return None;
        }
        match offsets(slice)?.get(dim)? {
            Start::At(_) => None,
            Start::Computed(start) => Some(offset(*start, counter)? + inside),
        }
    };
    place() == Some(at)
}

/// The slice of a tensor that `written` is, with writes to it.
fn slice_of(mut written: Value<'_>) -> Option<Op<'_>> {
    loop {
        let owner = written.owner()?;
        match owner.name() {
            tensor::EXTRACT_SLICE => return Some(owner),
            vector::TRANSFER_WRITE => written = owner.operand(1),
            _ => return None,
        }
    }
}

/// What is added to `counter` in an index that is otherwise constant.
pub(super) fn offset<'c>(index: Value<'c>, counter: Value<'c>) -> Option<i64> {
    if index == counter {
        return Some(0);
    }
    let owner = index.owner()?;
    match owner.name() {
        arith::ADDI => match [0, 1].map(|at| constant_index(owner.operand(at))) {
            [None, Some(more)] => offset(owner.operand(0), counter)?.checked_add(more),
            [Some(more), None] => offset(owner.operand(1), counter)?.checked_add(more),
            _ => None,
        },
        affine::APPLY => {
            let [operand] = owner.operands()[..] else { return None };
            let map = owner.attr("map").and_then(AffineMap::of)?;
            let [result] = &map.results[..] else { return None };
            let own = super::loops::with_symbols_as_dims(result, map.dims);
            let (factors, more) = own.linear(1)?;
            (factors == [1]).then_some(())?;
            offset(operand, counter)?.checked_add(more)
        }
        _ => None,
    }
}
