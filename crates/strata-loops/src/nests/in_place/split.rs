//! Loops with accesses that may be beyond the end of a buffer, in two: the iterations that end before it, and the others.

use rustc_hash::FxHashMap;
use strata_ir::{
    Builder, Context, Op, TASKS, Value, WalkOrder, affine, arith, constant_index, scf,
};
use strata_target::tuning::in_place::MAX_SPLIT_OPERATIONS;

use super::{
    GUARDED,
    back::Movable,
    choices::Row,
    guards::{Access, Dim},
    loops::to_scf,
    writes,
};
use crate::nests::{indices::Place, masks, rests::few::FEW};

/// Cuts all loops of `entry` with such accesses in their bodies.
pub fn loops<'c>(context: &'c Context, entry: Op<'c>) {
    for op in entry.collect(|op| op.has_attr(GUARDED)) {
        if let Some(each) = op.parent().filter(|each| each.is(affine::FOR)) {
            to_scf(context, each);
        }
    }
    let mut found: Vec<Op<'c>> = Vec::new();
    for op in entry.collect(|op| op.has_attr(GUARDED)) {
        // Of rows without loops only the last vectors are guarded.
        let is_cut = |each: &Op<'c>| each.is(scf::FOR) && !each.has_attr(FEW);
        if let Some(each) = op.parent().filter(|each| is_cut(each) && !found.contains(each)) {
            found.push(each);
        }
    }
    // As in the program: the first access of a loop may come after the loops in it.
    found.sort_by_key(|each| depth(*each));
    for each in entry.collect(|op| op.is(scf::FOR)) {
        writes::end(context, each);
    }
    for each in found.clone() {
        if let Some(inner) = split_rows(context, each) {
            found.retain(|other| *other != each);
            found.extend(inner);
        }
    }
    found.sort_by_key(|each| depth(*each));
    // Inner ones first: loops around them are copied with both parts.
    while let Some(each) = found.pop() {
        split(context, each, &found);
    }
}

fn depth(op: Op<'_>) -> usize {
    std::iter::successors(op.parent(), |op| op.parent()).count()
}

/// Cuts a loop in two; `others` are those around it that come later.
fn split<'c>(context: &'c Context, each: Op<'c>, others: &[Op<'c>]) -> Option<()> {
    let step = constant_index(each.operand(2)).filter(|step| *step > 0)?;
    let mut count = 0;
    each.walk(WalkOrder::Pre, &mut |_| count += 1);
    if count > MAX_SPLIT_OPERATIONS || each.has_attr(TASKS) {
        return None;
    }
    let guarded = each.body(0).ops().into_iter().filter(|op| op.has_attr(GUARDED));
    let accesses = guarded.map(Access::of).collect::<Option<Vec<_>>>()?;
    let dims = accesses.iter().flat_map(|access| &access.dims);
    let ends = Ends::of(each, dims.filter(|dim| !dim.is_inside))?;
    let before = Builder::before(context, each);
    let (low, high) = (each.operand(0), each.operand(1));
    let end = ends.emit(&before, low, high);
    let mut known = FxHashMap::default();
    let first = before.copy(each, &mut known);
    first.set_operand(1, end);
    let mut inside = Vec::new();
    for op in first.body(0).ops() {
        if op.remove_attr(GUARDED)
            && let Some(access) = Access::of(op)
        {
            inside.extend(access.dims.iter().map(|dim| (dim.at, dim.size)));
        }
    }
    masks::settle_below(context, first, &inside);
    for (index, result) in first.results().into_iter().enumerate() {
        each.set_operand(3 + index, result);
    }
    let rest = rest(&before, low, end, step);
    each.set_operand(0, rest);
    if let Some(movable) = Movable::of(each, step) {
        let (is_alone, end) = (movable.is_alone(), each.operand(1));
        let (last, rest) = movable.move_back(&before, rest);
        if is_alone {
            Row { whole: first, last, rest, end, unit: step }.choose(context, others);
        }
    }
    Some(())
}

/// Cuts a loop over several rows at a time, with loops along these, in two before those are: the tiles of rows that end before the buffers do,
/// whose accesses in the inner loops are known to be of rows that are there, and the others. Returns the inner loops of the first part that
/// are to be cut.
///
/// ```mlir
/// scf.for %i = %c0 to %c128 step %c8 {
///   %s:8 = scf.for %j … {                      // reads rows %i to %i + 7 of memref<?x?xf32>
///   …
///   vector.transfer_write %t, %y[%i] : vector<8xf32>, memref<?xf32>
/// }
/// ```
fn split_rows<'c>(context: &'c Context, each: Op<'c>) -> Option<Vec<Op<'c>>> {
    let step = constant_index(each.operand(2)).filter(|step| *step > 1)?;
    let all = each.collect(|op| op != each);
    if all.len() > MAX_SPLIT_OPERATIONS || each.has_attr(TASKS) || each.result_count() > 0 {
        return None;
    }
    let guarded = all.into_iter().filter(|op| op.has_attr(GUARDED));
    let (own, inner): (Vec<_>, Vec<_>) = guarded.partition(|op| op.parent() == Some(each));
    let accesses =
        |ops: &[Op<'c>]| ops.iter().map(|op| Access::of(*op)).collect::<Option<Vec<_>>>();
    let (own, inner) = (accesses(&own)?, accesses(&inner)?);
    let is_of_rows = |dim: &Dim<'c>, each: Op<'c>| {
        Place::of(dim.at, each).is_some_and(|place| place.factor > 0 && place.terms.is_empty())
    };
    let is_of_own_rows = |dim: &&Dim<'c>| is_of_rows(dim, each);
    let of_inner: Vec<_> =
        inner.iter().flat_map(|access| &access.dims).filter(is_of_own_rows).collect();
    let of_own = || own.iter().flat_map(|access| &access.dims);
    if of_inner.is_empty() || own.is_empty() || !of_own().all(|dim| is_of_rows(dim, each)) {
        return None;
    }
    let ends = Ends::of(each, of_own().chain(of_inner))?;
    let before = Builder::before(context, each);
    let (low, high) = (each.operand(0), each.operand(1));
    let end = ends.emit(&before, low, high);
    let first = before.copy(each, &mut FxHashMap::default());
    first.set_operand(1, end);
    let (mut known, mut loops) = (Vec::new(), Vec::new());
    for op in first.collect(|op| op.has_attr(GUARDED)) {
        let access = Access::of(op)?;
        let rows = access.dims.iter().filter(|dim| is_of_rows(dim, first));
        known.extend(rows.map(|dim| (dim.at, dim.size)));
        if access.settle(context, &|dim| is_of_rows(dim, first)) {
            op.remove_attr(GUARDED);
        } else if let Some(inner) = op.parent().filter(|inner| inner.is(scf::FOR))
            && !loops.contains(&inner)
        {
            loops.push(inner);
        }
    }
    masks::settle_below(context, first, &known);
    each.set_operand(0, rest(&before, low, end, step));
    Some(loops)
}

/// Where the iterations from `end` on begin, in a loop from `low`.
fn rest<'c>(before: &Builder<'c>, low: Value<'c>, end: Value<'c>, step: i64) -> Value<'c> {
    if step == 1 {
        return before.same(arith::MAXSI, &[low, end]);
    }
    let length = before.same(arith::SUBI, &[end, low]);
    let length = before.same(arith::MAXSI, &[before.offset(length, step - 1), before.index(0)]);
    let step = before.index(step);
    let steps = before.same(arith::DIVUI, &[length, step]);
    before.same(arith::ADDI, &[low, before.same(arith::MULI, &[steps, step])])
}

/// Where the accesses of a loop's body end: `factor * counter + places + more`, which is inside up to `size`.
struct Ends<'c>(Vec<End<'c>>);

struct End<'c> {
    place: Place<'c>,
    size: Value<'c>,
}

impl<'c> Ends<'c> {
    /// Those of accesses in `each`; `None` if one does not move on with the counter by a constant.
    fn of<'d>(each: Op<'c>, dims: impl Iterator<Item = &'d Dim<'c>>) -> Option<Self>
    where
        'c: 'd,
    {
        let mut all: Vec<End<'c>> = Vec::new();
        for dim in dims {
            let mut place = Place::of(dim.at, each).filter(|place| place.factor >= 0)?;
            place.more += dim.count;
            let is_same = |end: &&mut End<'c>| {
                let own = &end.place;
                (own.factor, &own.terms, end.size) == (place.factor, &place.terms, dim.size)
            };
            match all.iter_mut().find(is_same) {
                Some(end) => end.place.more = end.place.more.max(place.more),
                None => all.push(End { place, size: dim.size }),
            }
        }
        Some(Self(all))
    }

    /// The first value of the counter from `low` on that is not below `high`, or for which an access is beyond its end.
    fn emit(&self, before: &Builder<'c>, low: Value<'c>, high: Value<'c>) -> Value<'c> {
        let mut end = high;
        for own in self.0.iter().filter(|own| own.place.factor > 0) {
            // Rounded down before the 1 is added.
            let factor = own.place.factor;
            let left = own.left(before, factor);
            let next = match factor {
                1 => left,
                factor => before.same(arith::FLOORDIVSI, &[left, before.index(factor)]),
            };
            end = before.same(arith::MINSI, &[end, next]);
        }
        for own in self.0.iter().filter(|own| own.place.factor == 0) {
            let is_inside =
                before.cmpi(arith::CmpIPredicate::Sge, own.left(before, 0), before.index(0));
            end = before.select(is_inside, end, low);
        }
        end
    }
}

impl<'c> End<'c> {
    /// What is left of the size without the counter, and more.
    fn left(&self, before: &Builder<'c>, more: i64) -> Value<'c> {
        self.place.left(before, before.offset(self.size, more - self.place.more))
    }
}
