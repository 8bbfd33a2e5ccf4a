//! The place of a row's maximum is found while the maximum is.
//!
//! ```mlir
//! %most:4 = scf.for %j = %c0 to %c4096 step %c64 iter_args(…) { … arith.maximumf %x, %acc : vector<16xf32> … }
//! … the maximum of %most, to %max[%i]
//! %place = affine.for %j = 0 to 4096 iter_args(%least = %start) { … the smallest %j whose element is %max[%i], or NaN }
//! ```
//! becomes
//! ```mlir
//! %most:8 = scf.for %j = … { …  %newer = arith.cmpf ogt, %x, %acc;  arith.select %newer, %j, %at : vector<16xi32> … }
//! … the maximum of %most, to %max[%i]
//! %place = scf.if (no lane of %most#0 to #3 is above %max[%i], or NaN) {
//!   the smallest place of the lanes that are %max[%i]
//! } else { the search }
//! ```
//! If no lane's maximum is above the value, or NaN, the elements that are the value are maxima of their lanes, and each lane knows
//! where it met its maximum first: nothing else is assumed of what `%max` holds.

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, Type, TypeExt as _, Value, View as _,
    affine, arith, dense_bytes, index, integer, scf, vector,
};

use super::counted::Counted;

/// Rewrites the searches in `entry` whose maximum is computed next to them.
pub fn track<'c>(context: &'c Context, entry: Op<'c>) {
    for op in entry.collect(|op| op.is(affine::FOR) && op.result_count() == 1) {
        let Some(search) = Search::of(op) else { continue };
        let block = op.block();
        let before = block.into_iter().flat_map(|block| block.ops());
        let maxima = before.take_while(|one| *one != op).filter_map(|one| Maxima::of(one, &search));
        if let Some(maxima) = maxima.last() {
            let places = maxima.with_places(context);
            search.replace(context, &places);
        }
    }
}

/// A loop over a row for the smallest index of an element that is a value, or NaN.
struct Search<'c> {
    op: Op<'c>,
    /// The read of the element, and of the value.
    element: Op<'c>,
    value: Op<'c>,
    /// What stands for no index.
    none: Value<'c>,
    length: i64,
}

impl<'c> Search<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let own = op.cast::<affine::For>()?;
        let first = own.lower_bound_map()?.as_constant()?;
        let length = own.upper_bound_map()?.as_constant()?;
        let body = op.body(0);
        let (counter, least) = (body.arg(0), body.arg(1));
        let by = |value: Value<'c>, name| value.owner().filter(|owner| owner.is(name));
        let smallest = by(body.terminator()?.operand(0), arith::MINSI)?;
        let chosen = by(smallest.operand(0), arith::SELECT)?;
        let place = by(chosen.operand(1), arith::INDEX_CAST)?;
        let none = by(chosen.operand(2), arith::CONSTANT)?.result(0);
        let found = by(chosen.operand(0), arith::ORI)?;
        let [equal, unordered] =
            [by(found.operand(0), arith::CMPF)?, by(found.operand(1), arith::CMPF)?];
        let element = by(equal.operand(0), affine::LOAD)?;
        let value = by(equal.operand(1), affine::LOAD)?;
        let is_nan = unordered.operands().iter().all(|one| *one == element.result(0));
        let reads_row = is_identity(element) && element.operands().last() == Some(&counter);
        let fits = (first, own.step()) == (0, Some(1))
            && i32::try_from(length).is_ok()
            && smallest.operand(1) == least
            && least.ty().is_int()
            && least.ty().bit_width() == Some(32)
            && place.operand(0) == counter
            && has(equal, arith::CmpFPredicate::Oeq)
            && has(unordered, arith::CmpFPredicate::Uno)
            && is_nan
            && reads_row
            && !value.operands().contains(&counter)
            // Nothing is stored in between.
            && body.ops().iter().all(|one| !one.is(affine::STORE) && one.region_count() == 0);
        fits.then_some(Self { op, element, value, none, length })
    }

    /// Replaces the loop by a look at the lanes' maxima.
    fn replace(&self, context: &'c Context, lanes: &[(Value<'c>, Value<'c>)]) {
        let emit = Builder::before(context, self.op);
        let Some(start) =
            self.op.cast::<affine::For>().and_then(|own| own.inits().first().copied())
        else {
            return;
        };
        let value = emit.insert(self.value.clone_detached()).result(0);
        let value = emit.broadcast(value, lanes[0].0.ty());
        let below =
            lanes.iter().map(|(most, _)| emit.cmpf(arith::CmpFPredicate::Ole, *most, value));
        let Some(below) = below.reduce(|all, one| emit.same(arith::ANDI, &[all, one])) else {
            return;
        };
        let is_most = emit.reduction(vector::CombiningKind::And, below);
        let then = emit.region(&[], |inside, _| {
            let none = inside.broadcast(self.none, lanes[0].1.ty());
            let places = lanes.iter().map(|(most, place)| {
                let is_it = inside.cmpf(arith::CmpFPredicate::Oeq, *most, value);
                inside.select(is_it, *place, none)
            });
            let least = places.reduce(|least, one| inside.same(arith::MINSI, &[least, one]));
            let least = inside.reduction(vector::CombiningKind::Minsi, least.unwrap_or(none));
            scf::yield_(inside, &[inside.same(arith::MINSI, &[least, start])]).build();
        });
        let or_else = emit.region(&[], |inside, _| {
            let search = inside.insert(self.op.clone_detached());
            scf::yield_(inside, &[search.result(0)]).build();
        });
        let result = self.op.result(0);
        let chosen = scf::if_(&emit, is_most, &[result.ty()], then, or_else).build().op();
        result.replace_all_uses_with(chosen.result(0));
        self.op.erase();
    }
}

/// A loop over the same row for the maximum of each lane.
struct Maxima<'c> {
    whole: Counted<'c>,
    /// For each accumulator the elements that it takes, and the column of the first of them in an iteration.
    parts: Vec<(Value<'c>, i64)>,
    lanes: i64,
}

impl<'c> Maxima<'c> {
    fn of(op: Op<'c>, search: &Search<'c>) -> Option<Self> {
        let whole = Counted::of(op).filter(|each| each.first == 0 && each.last == search.length)?;
        let body = whole.body();
        let mut parts = Vec::new();
        let mut lanes = 0;
        for (number, most) in body.terminator()?.operands().into_iter().enumerate() {
            let most = most.owner().filter(|owner| owner.is(arith::MAXIMUMF))?;
            let accumulator = body.arg(1 + number);
            let [left, right] = [most.operand(0), most.operand(1)];
            let elements = if left == accumulator { right } else { left };
            let takes = [left, right].contains(&accumulator) && left != right;
            lanes = i64::try_from(elements.ty().element_count()?).ok()?;
            let read = elements.owner().filter(|owner| owner.is(vector::TRANSFER_READ))?;
            let column = column_of(read, search.element, whole.counter())?;
            let begins = is_lowest(op.operand(3 + number));
            let is_vector = elements.ty().rank() == Some(1) && accumulator.ty() == elements.ty();
            (takes && begins && is_vector).then_some(())?;
            parts.push((elements, column));
        }
        let count = i64::try_from(parts.len()).ok()?;
        let mut columns: Vec<_> = parts.iter().map(|(_, column)| *column).collect();
        columns.sort_unstable();
        let is_whole = columns.into_iter().eq((0..count).map(|part| part * lanes))
            && count > 0
            && whole.step == count * lanes
            && whole.last % whole.step == 0;
        is_whole.then_some(Self { whole, parts, lanes })
    }

    /// Adds the places; returns each lane's maximum with the place where it was met first.
    fn with_places(&self, context: &'c Context) -> Vec<(Value<'c>, Value<'c>)> {
        let (op, count) = (self.whole.op, self.parts.len());
        let emit = Builder::before(context, op);
        let number = integer(context, 32);
        let ty = strata_ir::vector(&[self.lanes], number);
        let none = emit.int(ty, 0);
        let starts = [&op.operands()[3..], &vec![none; count]].concat();
        let types: Vec<Type<'c>> = starts.iter().map(|start| start.ty()).collect();
        let arguments = [&[index(context)], &types[..]].concat();
        let body = emit.region(&arguments, |inside, own| {
            let mut known: FxHashMap<_, _> =
                self.whole.body().args().into_iter().zip(own.iter().copied()).collect();
            let mut all = inside.copy_body(self.whole.body(), &mut known);
            let here = inside.cast(arith::INDEX_CAST, own[0], number);
            let here = inside.broadcast(here, ty);
            for (part, (elements, _)) in self.parts.iter().enumerate() {
                let (most, place) = (own[1 + part], own[1 + count + part]);
                let elements = known.get(elements).copied().unwrap_or(*elements);
                let is_newer = inside.cmpf(arith::CmpFPredicate::Ogt, elements, most);
                all.push(inside.select(is_newer, here, place));
            }
            scf::yield_(inside, &all).build();
        });
        let bounds = [0, 1, 2].map(|bound| op.operand(bound));
        let both =
            scf::for_(&emit, bounds[0], bounds[1], bounds[2], &starts, &types, body).build().op();
        let lanes = self.parts.iter().enumerate().map(|(part, (_, column))| {
            op.result(part).replace_all_uses_with(both.result(part));
            let columns: Vec<u8> =
                (*column..column + self.lanes).flat_map(|at| (at as i32).to_le_bytes()).collect();
            let place = both.result(count + part);
            let place = dense_bytes(ty, &columns).map_or(place, |columns| {
                let columns = arith::constant(&emit, columns, ty).value();
                emit.same(arith::ADDI, &[place, columns])
            });
            (both.result(part), place)
        });
        let lanes = lanes.collect();
        op.erase();
        lanes
    }
}

/// Whether a comparison has this predicate.
fn has(op: Op<'_>, predicate: arith::CmpFPredicate) -> bool {
    op.cast::<arith::Cmpf>().and_then(arith::Cmpf::predicate) == Some(predicate)
}

/// Whether an affine access has its operands as indices.
fn is_identity(op: Op<'_>) -> bool {
    let map = op.attr("map").and_then(AffineMap::of);
    map.is_some_and(|map| map == AffineMap::identity(op.operand_count() - 1))
}

/// The column, without the counter, from which on `read` reads the row that `element` is in.
fn column_of<'c>(read: Op<'c>, element: Op<'c>, counter: Value<'c>) -> Option<i64> {
    let (mut from, row) = (read.operands(), element.operands());
    from.truncate(row.len());
    let column = from.pop()?;
    let is_plain = read
        .attr("permutation_map")
        .and_then(AffineMap::of)
        .is_none_or(|map| map.results.len() == 1 && map.results[0].as_dim() == Some(row.len() - 2));
    let bounds = read.attr("in_bounds").and_then(|all| all.as_array()).unwrap_or_default();
    let is_whole = bounds.len() == 1 && bounds[0].as_bool() == Some(true);
    (is_plain && is_whole && from == row[..row.len() - 1] && read.operand_count() == row.len() + 1)
        .then_some(())?;
    if column == counter {
        return Some(0);
    }
    let apply = column.owner().filter(|owner| owner.is(affine::APPLY))?;
    let map = apply.attr("map").and_then(AffineMap::of)?;
    let [result] = &map.results[..] else { return None };
    let at = |place: i64| result.value(&[place], &[place]);
    let offset = at(0)?;
    let is_sum = apply.operands() == [counter] && at(1 << 20)? == offset + (1 << 20);
    is_sum.then_some(offset)
}

/// Whether all elements of a constant are minus infinity.
fn is_lowest(value: Value<'_>) -> bool {
    let owner = value.owner().filter(|owner| owner.is(arith::CONSTANT));
    let bytes = owner
        .and_then(|owner| owner.attr("value"))
        .and_then(|all| all.dense_bytes().map(|all| all.to_vec()));
    let lowest = f32::NEG_INFINITY.to_le_bytes();
    value.ty().element().bit_width() == Some(32)
        && bytes.is_some_and(|bytes| bytes.chunks(4).all(|one| one == lowest))
}
