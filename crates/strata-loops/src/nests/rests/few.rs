//! Rows of a few vectors with several loops along them: code for each number of vectors up to a few, without loops, and for any number with one
//! loop for each.
//!
//! ```mlir
//! scf.for %i = %c0 to %c64 step %c1 {
//!   %m:4 = scf.for %j = %c0 to %c128 step %c64 iter_args(…) { … } {strata.limit = affine_map<(d0) -> (d0)>}    // a maximum
//!   scf.for %j = %c0 to %c128 step %c64 { … } {strata.limit = affine_map<(d0) -> (d0)>}                        // less this
//! }
//! ```
//! becomes
//! ```mlir
//! scf.index_switch %vectors                       // of %size, divided by 16 and rounded up
//! case 1 { scf.for %i … { a vector of the first loop, one of the second } }
//! case 2 { scf.for %i … { two vectors of each } }
//! …
//! default { scf.for %i … { scf.for %j = %c0 to %last step %c16 { … } a vector from %last on … } }
//! ```
//! The last vector has the masks of the loops and ends with the row; those before it are whole. Each loop would end in three or four others, of
//! which a processor guesses the ends in each row. Longer rows, and empty ones, keep the loops in another case.

use rustc_hash::FxHashMap;
use strata_ir::{
    AGAIN, AffineMap, Attribute, AttributeExt as _, Builder, Context, LIMIT, Op, TASKS,
    TypeExt as _, Value, arith, constant_index, int, integer, scf, vector,
};
use strata_target::tuning::rests;

use super::{
    beside,
    tails::{Tail, Vectors},
};
use crate::nests::{in_place::flat, limits};

/// On a loop over rows that have no loops any more, and meanwhile on the loops that go.
pub const FEW: &str = "strata.few";

/// Gives the rows of `entry` that have several loops up to the same limit code for few vectors. Sizes are at least `least`.
pub fn choose<'c>(
    context: &'c Context,
    entry: Op<'c>,
    (known, least): (&mut FxHashMap<usize, Value<'c>>, &[i64]),
) {
    let is_row = |op: Op<'c>| op.is(scf::FOR) && op.result_count() == 0 && !op.has_attr(TASKS);
    for row in entry.collect(is_row) {
        if let Some(few) = Few::of(row, least) {
            few.choose(context, entry, known);
        }
    }
}

/// Rows whose loops all end at the same limit.
struct Few<'c> {
    row: Op<'c>,
    loops: Vec<Op<'c>>,
    limit: Attribute<'c>,
    /// The elements of a vector.
    unit: i64,
    /// The largest number of vectors with code of its own.
    straight: i64,
    /// The largest number with code for any number.
    most: i64,
    /// The elements of a row at most, if none has more vectors than that, nor less than one.
    length: Option<i64>,
}

impl<'c> Few<'c> {
    /// Sizes are at least `least`.
    fn of(row: Op<'c>, least: &[i64]) -> Option<Self> {
        let loops: Vec<_> =
            row.body(0).ops().into_iter().filter(|op| op.region_count() > 0).collect();
        let limit = loops.first()?.attr(LIMIT)?;
        // Rows that nothing is reduced of, or that are only reduced, have their ends decided elsewhere. Of extrema with their places most of
        // the time is that of combining lanes.
        let is_reduced = loops.iter().any(|each| each.result_count() > 0);
        let is_read_again = loops.len() > 1 && !loops.iter().any(|each| each.has_attr(AGAIN));
        (is_reduced && is_read_again).then_some(())?;
        let (mut unit, mut operations, mut lengths) = (None, 0, Vec::new());
        for each in &loops {
            if flat::is_flat(*each) || each.attr(LIMIT) != Some(limit) {
                return None;
            }
            let (own, length, count) = Tail::read(*each)?.row()?;
            unit.get_or_insert(own);
            (unit == Some(own)).then_some(())?;
            operations += count;
            lengths.push(length);
        }
        // Of single elements a row is a column.
        let unit = unit.filter(|unit| *unit > 1)?;
        let fits = |copies: i64| {
            let copies = usize::try_from(copies).unwrap_or(usize::MAX);
            operations.saturating_mul(copies) <= rests::MAX_FEW_OPERATIONS
        };
        fits(2).then_some(())?;
        let shortest = *lengths.iter().min()?;
        let most = rests::MAX_FEW_VECTORS.min(shortest / unit);
        let numbers = 1..=rests::MAX_STRAIGHT_VECTORS.min(most);
        let straight = numbers.take_while(|number| fits(number * (number + 1) / 2)).last();
        let least = AffineMap::of(limit).and_then(|map| map.results.first()?.value(least, least));
        let is_all = most * unit == shortest
            && lengths.iter().all(|length| *length == shortest)
            && least.is_some_and(|least| least > 0);
        let length = is_all.then_some(shortest);
        (most > 0).then_some(Self {
            row,
            loops,
            limit,
            unit,
            straight: straight.unwrap_or(0),
            most,
            length,
        })
    }

    /// The outermost loop around the row that has nothing else with a region in its body than loops around.
    fn rows(&self) -> Op<'c> {
        let is_loop =
            |each: &Op<'c>| each.is(scf::FOR) && each.result_count() == 0 && !each.has_attr(TASKS);
        let mut rows = self.row;
        while let Some(outer) = rows.parent().filter(is_loop) {
            if outer.body(0).ops().into_iter().any(|op| op.region_count() > 0 && op != rows) {
                break;
            }
            rows = outer;
        }
        rows
    }

    fn choose(
        self,
        context: &'c Context,
        entry: Op<'c>,
        known: &mut FxHashMap<usize, Value<'c>>,
    ) -> Option<()> {
        let size = limits::value(context, entry, self.limit, known)?;
        let mark = |op: Op<'c>| op.set_attr(FEW, int(integer(context, 64), self.unit));
        self.loops.iter().for_each(|each| mark(*each));
        let rows = self.rows();
        let before = Builder { location: rows.location(), ..Builder::before(context, rows) };
        let mut size = before.same(arith::MAXSI, &[size, before.index(0)]);
        if let Some(length) = self.length {
            size = before.same(arith::MINSI, &[size, before.index(length)]);
        }
        let size = before.offset(size, self.unit - 1);
        let number = before.same(arith::DIVUI, &[size, before.index(self.unit)]);
        let mut ways: Vec<_> = (1..=self.straight).map(Vectors::Straight).collect();
        if self.straight < self.most {
            let last = before.offset(number, -1);
            ways.push(Vectors::From(before.same(arith::MULI, &[last, before.index(self.unit)])));
        }
        let (mut way, mut other) = (number, None);
        if self.length.is_some() {
            other = ways.pop();
        } else {
            let most = before.index(self.most);
            let is_more = before.cmpi(arith::CmpIPredicate::Sgt, number, most);
            way = before.same(arith::MINSI, &[number, before.index(self.straight + 1)]);
            way = before.select(is_more, before.index(0), way);
        }
        let mut of = |vectors: Option<Vectors<'c>>| {
            before.region(&[], |inside, _| {
                let copy = inside.copy(rows, &mut FxHashMap::default());
                let (mut row, mut unused) = (None, Vec::new());
                for each in copy.collect(|op| op.has_attr(FEW)) {
                    each.remove_attr(FEW);
                    if let Some((vectors, tail)) = vectors.zip(Tail::read(each)) {
                        row = each.parent();
                        unused.extend(tail.unroll(context, vectors));
                    }
                }
                if let Some(row) = row {
                    mark(row);
                    combine_first(context, row, &unused);
                    beside::several(context, entry, row, known);
                }
                scf::yield_(inside, &[]).build();
            })
        };
        let numbers: Vec<i64> = (1..).take(ways.len()).collect();
        let regions = ways.into_iter().map(|vectors| of(Some(vectors))).collect();
        let others = of(other);
        scf::index_switch(&before, way, &numbers, &[], others, regions).build();
        rows.erase();
        Some(())
    }
}

/// Lets reductions of a row's partial results, of which all but the first are among the `unused` ones, be of the first.
///
/// ```mlir
/// vector.transfer_write %unused, %partial[%c0, %c16]
/// vector.transfer_write %sum, %partial[%c0, %c0]
/// %all = vector.transfer_read %partial[%c0, %c0] : vector<32xf32>           // for the reduction `%sum`
/// ```
fn combine_first<'c>(context: &'c Context, row: Op<'c>, unused: &[Value<'c>]) {
    let block = row.body(0);
    for op in block.ops().into_iter().filter(|op| op.is(vector::MULTI_REDUCTION)) {
        let read = op.operand(0).owner().filter(|owner| owner.is(vector::BROADCAST));
        let read = read.and_then(|around| around.operand(0).owner());
        let read = read.filter(|read| read.is(vector::TRANSFER_READ) && read.parent() == Some(row));
        let first = read.and_then(|read| only_first(row, read, unused));
        let lanes = first.and_then(|first| first.ty().shape());
        let of_one = op.operand(0).ty().shape().and_then(|shape| {
            let (_, ones) = shape.split_last()?;
            let is_along = op.attr("reduction_dims")?.as_i64s()? == [ones.len() as i64];
            (is_along && ones.iter().all(|size| *size == 1)).then(|| ones.to_vec())
        });
        if let Some(((first, lanes), ones)) = first.zip(lanes).zip(of_one) {
            let at = Builder { location: op.location(), ..Builder::before(context, op) };
            let ty = vector(&[&ones, &lanes[..]].concat(), first.ty().element());
            let mut known = FxHashMap::default();
            known.insert(op.operand(0), at.broadcast(first, ty));
            let copy = at.copy(op, &mut known);
            op.result(0).replace_all_uses_with(copy.result(0));
            let around = op.operand(0).owner();
            op.erase();
            let unread = around.into_iter().chain(read).filter(|op| op.is_unused());
            unread.for_each(Op::erase);
        }
    }
}

/// The first of the vectors that `read` reads, where the others are all `unused` and all of them have just been written.
fn only_first<'c>(row: Op<'c>, read: Op<'c>, unused: &[Value<'c>]) -> Option<Value<'c>> {
    let buffer = read.operand(0);
    let place = |op: Op<'c>, first: usize| -> Option<i64> {
        let rank = buffer.ty().rank()?;
        let places = (0..rank).map(|dim| constant_index(op.operand(first + dim)));
        let places = places.collect::<Option<Vec<_>>>()?;
        let (last, others) = places.split_last()?;
        others.iter().all(|place| *place == 0).then_some(*last)
    };
    let lanes = |value: Value<'c>| {
        value.ty().shape().filter(|shape| shape.len() == 1).map(|shape| shape[0])
    };
    let all = lanes(read.result(0))?;
    (place(read, 1)? == 0).then_some(())?;
    let before: Vec<_> = row.body(0).ops().into_iter().take_while(|op| *op != read).collect();
    let writes = before.into_iter().rev().take_while(|op| op.is(vector::TRANSFER_WRITE));
    let (mut first, mut width, mut places) = (None, 0, Vec::new());
    for write in writes {
        let value = write.operand(0);
        (write.operand(1) == buffer && width < all).then_some(())?;
        let start = place(write, 2)?;
        (!places.contains(&start)).then_some(())?;
        places.push(start);
        match start {
            0 => first = Some(value),
            _ => unused.contains(&value).then_some(())?,
        }
        width += lanes(value)?;
        if width == all {
            break;
        }
    }
    (width == all).then_some(first)?
}
