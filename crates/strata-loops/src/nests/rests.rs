//! The last tile of a loop that ends at a size of the call: code for each number of rows that may be left.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c4 {                       // writes rows %i to %i + 3 of %y
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! becomes
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c4 {
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0 floordiv 4 * 4)>}
//! scf.index_switch %rest                                     // of %size, divided by 4
//! case 1 { … }                                               // the body for %i = %whole, which writes the row %whole only
//! case 2 { … }
//! case 3 { … }
//! default {}
//! ```
//! The rows that a case leaves out are those from the limit on, which nothing needs. So is what only they need, which is erased ([`unused`]).
//! Otherwise the last tile would be computed for all its rows, which are most of the work at small sizes.
//!
//! Sums of few rows wait for their own results: one row of a dot takes as long as three. A rest of at most half a tile and the tile before
//! it are therefore two parts of about as many rows, 3 and 2 for 5:
//! ```mlir
//! scf.for %part = %c0 to %parts step %c1 {
//!   scf.index_switch %count …                                // of the first part or the second one
//! }
//! ```

mod below;
mod beside;
mod chains;
mod columns;
pub mod few;
mod repeats;
mod rows;
mod sources;
mod strips;
mod sums;
mod tails;
mod unused;

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, Attribute, AttributeExt as _, BLOCKS, Block, Builder, Context, LIMIT,
    Op, TASKS, TypeExt as _, Value, View as _, affine, arith, array, constant_index, i64s, memref,
    narrow, scf, vector,
};
use strata_options::Options;
use strata_target::{TILE_ROWS, tuning::rests};

use self::{
    below::stay_below,
    repeats::{begins_anywhere, has_loops, has_sums},
    rows::Rows,
    sources::Sources,
};
pub use self::{
    below::{BELOW, excess, is_below, say_below},
    tails::is_idempotent,
};
use super::{
    counted::Counted,
    in_place::{flat, loops::to_scf},
    limits, masks,
    tasks::OF_TASKS,
    viewed,
};

/// On an access of the rows of a tile, the dimension along these, and where in the tile it ends.
const END: &str = "strata.end";

/// On a write, the first of the tile's rows that it writes; on a loop, that it counts these rows.
const ROW: &str = "strata.row";

/// Gives the loops of `entry` with limits their last tiles.
pub fn split<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let least = options.least_sizes();
    limits::drop_unneeded(entry, &least);
    masks::settle(context, entry);
    flat::mark(context, entry, options);
    for each in entry.collect(|op| is_open(op, entry)) {
        to_scf(context, each);
    }
    let mut known = FxHashMap::default();
    strips::cut(context, entry, &mut known);
    few::choose(context, entry, (&mut known, &least));
    beside::open(context, entry, &options.target, &mut known);
    let halved = columns::halve(context, entry, &mut known);
    let limited = |op: Op<'c>| {
        op.is(scf::FOR) && op.has_attr(LIMIT) && !flat::is_flat(op) && !halved.contains(&op)
    };
    // Inner ones first: a body with a choice in it is not copied.
    for each in entry.collect(limited).into_iter().rev() {
        split_one(context, entry, each, (&mut known, &least));
    }
    entry.collect(|op| op.remove_attr(OF_TASKS));
    if !known.is_empty() {
        unused::buffers(entry);
    }
}

/// Erases temporaries of `entry` that are only written.
pub fn erase_unread(entry: Op<'_>) {
    unused::buffers(entry);
}

/// Whether this is the outermost one of affine loops, one of which has a limit, and reads or writes an argument of `entry`. What it reads and
/// writes at its counter is known to be below the size.
fn is_open<'c>(each: Op<'c>, entry: Op<'c>) -> bool {
    let is_affine = |op: &Op<'c>| op.is(affine::FOR);
    let is_argument = |op: Op<'c>| {
        let place = match op.name() {
            affine::LOAD => 0,
            affine::STORE => 1,
            _ => return false,
        };
        let argument = viewed(op.operand(place)).block_arg();
        argument.is_some_and(|(block, _)| block.parent_op() == Some(entry))
    };
    is_affine(&each)
        && !std::iter::successors(each.parent(), |op| op.parent()).any(|op| is_affine(&op))
        && !each.collect(|op| is_affine(&op) && op.has_attr(LIMIT)).is_empty()
        && !each.collect(is_argument).is_empty()
}

/// Gives a loop with a limit its last tile. Sizes are at least `least`; `known` has limits.
pub fn split_one<'c>(
    context: &'c Context,
    entry: Op<'c>,
    each: Op<'c>,
    (known, least): (&mut FxHashMap<usize, Value<'c>>, &[i64]),
) {
    if let Some(tail) = tails::Tail::of(each) {
        tail.split(context, entry, known, least);
    } else if let Some(tile) = Tile::of(each) {
        tile.split(context, entry, known, least);
    } else {
        stay_below(context, each);
    }
}

/// A loop over tiles of rows.
struct Tile<'c> {
    each: Counted<'c>,
    limit: Attribute<'c>,
    writes: Vec<(Op<'c>, Rows<'c>)>,
    reads: Vec<(Op<'c>, Rows<'c>)>,
    /// Writes of sums to a temporary of the tile, whose rows are read one after the other, and the first row of each.
    sums: Vec<(Op<'c>, i64)>,
    /// The number of rows that are written together.
    unit: i64,
    /// The dimensions of accesses along the rows, where in the tile they end, and how many times the limit they are below there.
    ends: Vec<(Op<'c>, [i64; 2], i64)>,
    /// Whether a part may begin at any row, and few rows take longer for each than many.
    is_balanced: bool,
    /// Whether rows that are written together may be written once more, from any row on.
    may_repeat: bool,
}

impl<'c> Tile<'c> {
    fn of(each: Op<'c>) -> Option<Self> {
        let limit = each.attr(LIMIT)?;
        let is_of_tasks = each.has_attr(OF_TASKS);
        let own = if is_of_tasks { of_tasks(each) } else { Counted::of(each) };
        let own = own.filter(|own| own.step > 1)?;
        let is_whole = own.first % own.step == 0 && own.last % own.step == 0;
        if !is_whole || each.result_count() > 0 || each.has_attr(TASKS) {
            return None;
        }
        let ops = each.collect(|op| op != each);
        if ops.len() > rests::MAX_OPERATIONS {
            return None;
        }
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for op in ops {
            match op.name() {
                vector::TRANSFER_WRITE | memref::STORE => {
                    writes.extend(Rows::of(op, each)?.map(|rows| (op, rows)))
                }
                vector::TRANSFER_READ | memref::LOAD => {
                    reads.extend(Rows::of(op, each).flatten().map(|rows| (op, rows)))
                }
                scf::FOR | scf::YIELD => {}
                _ if is_plain(op) => {}
                _ => return None,
            }
        }
        let has_products = !each.collect(|op| op.is(narrow::MATMUL)).is_empty();
        let unit = writes.first()?.1.count;
        // Products of a tile are added to what the tile had.
        let unit = if has_products { TILE_ROWS } else { unit };
        // Which rows are computed together may not depend on how many tasks are run at once, nor may one write those of another.
        let may_repeat = unit > 1
            && !is_of_tasks
            && own.first == 0
            && !has_products
            && !each.has_attr(BLOCKS)
            && repeats::may_repeat(each, &writes);
        // What is written at once is written whole.
        let is_one = may_repeat && unit == own.step && has_loops(each);
        let is_part = unit < own.step && own.step % unit == 0;
        if !is_one && !is_part || own.step / unit > rests::MAX_PARTS {
            return None;
        }
        let end = |(op, rows): &(Op<'c>, Rows<'c>)| {
            let is_plain = rows.along.is_none() && rows.first >= 0;
            let times = if rows.is_shifted { rows.joined(limit)? } else { 1 };
            is_plain.then_some((*op, [rows.dim as i64, rows.first + rows.count], times))
        };
        let ends = writes.iter().chain(&reads).filter_map(end).collect();
        // Of two rows there is nothing to divide.
        let is_balanced = unit == 1
            && !is_of_tasks
            && (3..=rests::MAX_NUMBERS).contains(&own.step)
            && has_sums(each)
            && begins_anywhere(each);
        let along: Vec<_> = writes.iter().filter_map(|(_, rows)| rows.along).collect();
        let sums = sums::of(each, &along);
        let mut tile =
            Self { each: own, limit, writes, reads, sums, unit, ends, is_balanced, may_repeat };
        tile.number_rows()?;
        tile.keeps_rows_apart().then_some(tile)
    }

    /// Makes the rows of writes those of the tile, if each write is one of several that write all of them.
    fn number_rows(&mut self) -> Option<()> {
        let (step, unit) = (self.each.step, self.unit);
        let mut starts: HashMap<Value<'c>, i64> = HashMap::new();
        let mut groups: Vec<(Rows<'c>, Vec<i64>)> = Vec::new();
        for (_, rows) in &self.writes {
            let start = starts.entry(rows.buffer).or_insert(rows.first);
            *start = rows.first.min(*start);
            if let Some(inner) = rows.along {
                let inner = Counted::of(inner)?;
                if inner.op.result_count() > 0
                    || (inner.first, inner.last, inner.step) != (0, step, rows.count)
                    || unit % rows.count != 0
                {
                    return None;
                }
                continue;
            }
            if rows.count != unit {
                return None;
            }
            let is_beside = |(other, _): &&mut (Rows<'c>, Vec<i64>)| {
                other.buffer == rows.buffer && other.dim == rows.dim && other.others == rows.others
            };
            match groups.iter_mut().find(is_beside) {
                Some((_, firsts)) => firsts.push(rows.first),
                None => groups.push((rows.clone(), vec![rows.first])),
            }
        }
        for (rows, firsts) in &mut groups {
            firsts.sort_unstable();
            let start = starts[&rows.buffer];
            let all = (0..step / unit).map(|at| start + at * unit);
            if !all.eq(firsts.iter().copied()) {
                return None;
            }
        }
        let roots: HashSet<_> = self.writes.iter().map(|(_, rows)| viewed(rows.buffer)).collect();
        if roots.len() < starts.len() {
            return None;
        }
        let is_start = |(_, rows): &(Op<'c>, Rows<'c>)| {
            rows.along.is_none() || rows.first == starts[&rows.buffer]
        };
        if !self.writes.iter().all(is_start) {
            return None;
        }
        for (_, rows) in &mut self.writes {
            rows.first -= starts[&rows.buffer];
        }
        // What is read of the same buffers has to be rows, too.
        for op in
            self.each.op.collect(|op| matches!(op.name(), vector::TRANSFER_READ | memref::LOAD))
        {
            let buffer = op.operand(0);
            if !roots.contains(&viewed(buffer)) {
                continue;
            }
            let start = *starts.get(&buffer)?;
            let (_, rows) = self.reads.iter_mut().find(|(read, _)| *read == op)?;
            let written = self.writes.iter().find(|(_, other)| other.buffer == buffer)?;
            if rows.dim != written.1.dim {
                return None;
            }
            rows.first -= start;
        }
        Some(())
    }

    /// Whether no write depends on rows of the tile that are written after its own.
    fn keeps_rows_apart(&self) -> bool {
        let written: HashSet<_> = self.writes.iter().map(|(_, rows)| rows.buffer).collect();
        let read: HashMap<_, _> = self
            .reads
            .iter()
            .filter(|(_, rows)| written.contains(&rows.buffer))
            .map(|(op, rows)| (*op, rows.source()))
            .collect();
        let writes = self.writes.iter().map(|(op, rows)| (*op, rows.source())).collect();
        read.is_empty() || Sources { read, writes, values: HashMap::new() }.of_body(self.each.op)
    }

    fn split(
        &self,
        context: &'c Context,
        entry: Op<'c>,
        known: &mut FxHashMap<usize, Value<'c>>,
        least: &[i64],
    ) -> Option<()> {
        let each = self.each.op;
        let (step, unit) = (self.each.step, self.unit);
        let map = AffineMap::of(self.limit).filter(|map| map.results.len() == 1)?;
        let next = each.next()?;
        let size = limits::value(context, entry, self.limit, known)?;
        let least = map.results[0].value(least, least).unwrap_or(0);
        let whole = whole_tiles(&map.results[0], step, self.is_balanced);
        let whole = AffineMap::new(map.dims, vec![whole]).to_attribute(context);
        let tiles = match self.is_balanced {
            true => Some(limits::value(context, entry, whole, known)?),
            false => None,
        };
        each.set_attr(LIMIT, whole);
        let numbers = numbers(step / unit, unit == 1);
        self.mark_rows(context);
        for (op, end, times) in &self.ends {
            let all = map.results[0].clone() * *times;
            let all = AffineMap::new(map.dims, vec![all]).to_attribute(context);
            op.set_attr(END, array(context, &[i64s(context, end), all]));
        }
        let after = Builder { location: each.location(), ..Builder::before(context, next) };
        let end = self.within(&after, size);
        if let Some(tiles) = tiles {
            let start = self.within(&after, tiles);
            let left = after.same(arith::SUBI, &[end, start]);
            let are_two = after.cmpi(arith::CmpIPredicate::Sge, left, after.index(step));
            let half = after.same(arith::DIVUI, &[after.offset(left, 1), after.index(2)]);
            let first = after.select(are_two, half, left);
            let second = after.same(arith::SUBI, &[left, first]);
            let parts = after.select(are_two, after.index(2), after.index(1));
            let body = after.region(&[after.index(0).ty()], |inside, part| {
                let is_first = inside.cmpi(arith::CmpIPredicate::Eq, part[0], inside.index(0));
                let number = inside.select(is_first, first, second);
                let skipped = inside.select(is_first, inside.index(0), first);
                let start = inside.same(arith::ADDI, &[start, skipped]);
                self.choose(context, inside, start, (number, numbers.clone()), size);
                scf::yield_(inside, &[]).build();
            });
            scf::for_(&after, after.index(0), parts, after.index(1), &[], &[], body).build();
        } else {
            let rest = after.same(arith::REMUI, &[end, after.index(step)]);
            let start = after.same(arith::SUBI, &[end, rest]);
            let mut number = rest;
            if unit > 1 {
                let rounded = after.offset(rest, unit - 1);
                number = after.same(arith::DIVUI, &[rounded, after.index(unit)]);
            }
            match self.may_repeat {
                true => self.repeat(context, &after, [start, end], number, least),
                false => drop(self.choose(context, &after, start, (number, numbers), size)),
            }
        }
        self.unmark_rows();
        for op in each.collect(|op| op.has_attr(END)) {
            self.keep_below(context, op, step);
        }
        Some(())
    }

    /// A place along the loop, which is between its ends.
    fn within(&self, at: &Builder<'c>, place: Value<'c>) -> Value<'c> {
        let end = at.same(arith::MINSI, &[self.each.op.operand(1), place]);
        at.same(arith::MAXSI, &[end, self.each.op.operand(0)])
    }

    /// Notes which rows writes are of, as copies of the body have to know.
    fn mark_rows(&self, context: &'c Context) {
        for (op, rows) in &self.writes {
            rows.along.unwrap_or(*op).set_attr(ROW, i64s(context, &[rows.first]));
        }
        for (op, first) in &self.sums {
            op.set_attr(ROW, i64s(context, &[*first]));
        }
    }

    fn unmark_rows(&self) {
        for op in self.each.op.collect(|op| op.has_attr(ROW)) {
            op.remove_attr(ROW);
        }
    }

    /// The body for the first rows of a tile from `start` on, `number` times those that are written together; `numbers` have code.
    fn choose(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        start: Value<'c>,
        (mut number, numbers): (Value<'c>, Vec<i64>),
        size: Value<'c>,
    ) -> Op<'c> {
        let (each, unit) = (self.each.op, self.unit);
        // The next larger number that there is code for.
        for pair in numbers.windows(2).filter(|pair| pair[1] > pair[0] + 1) {
            let is_more = at.cmpi(arith::CmpIPredicate::Sgt, number, at.index(pair[0]));
            let rounded = at.same(arith::MAXSI, &[number, at.index(pair[1])]);
            number = at.select(is_more, rounded, number);
        }
        let copy = |_: &i64| {
            at.region(&[], |inside, _| {
                let mut copies = FxHashMap::default();
                copies.insert(each.body(0).arg(0), start);
                inside.copy_body(each.body(0), &mut copies);
                scf::yield_(inside, &[]).build();
            })
        };
        let regions = numbers.iter().map(copy).collect();
        let nothing = at.region(&[], |inside, _| {
            scf::yield_(inside, &[]).build();
        });
        let choice = scf::index_switch(at, number, &numbers, &[], nothing, regions).build().op();
        let mut before = 0;
        for (at, number) in numbers.into_iter().enumerate() {
            let body = choice.body(1 + at);
            let is_exact = number == before + 1 && unit == 1;
            self.keep_rows(context, body, number * unit, is_exact);
            if let Some(outer) = each.attr(BLOCKS) {
                self.end_blocks(context, body, outer, (start, size));
            }
            before = number;
        }
        choice
    }

    /// Lets loops over the rows of a tile that begins at `start`, a copy of which is no longer in the loop over `blocks`, end at the size.
    fn end_blocks(
        &self,
        context: &'c Context,
        body: Block<'c>,
        blocks: Attribute<'c>,
        (start, size): (Value<'c>, Value<'c>),
    ) {
        let of = |op: Op<'c>| op.attr(BLOCKS).and_then(|of| of.as_array()).unwrap_or_default();
        let is_own = |op: Op<'c>| of(op) == [blocks, self.limit];
        for op in body.ops().into_iter().flat_map(|op| op.collect(is_own)) {
            op.remove_attr(BLOCKS);
            let before = Builder::before(context, op);
            let left = before.same(arith::SUBI, &[size, start]);
            op.set_operand(1, before.same(arith::MINSI, &[op.operand(1), left]));
        }
    }

    /// Leaves the first `count` rows of a copy of the body, which are all below the limit where these `are_inside`.
    fn keep_rows(&self, context: &'c Context, body: Block<'c>, count: i64, are_inside: bool) {
        cut(context, body, count);
        unused::erase(context, body);
        chains::divide(context, body);
        let ops = body.ops().into_iter().flat_map(|op| op.collect(|op| op.has_attr(END)));
        ops.for_each(|op| self.keep_below(context, op, if are_inside { count } else { 0 }));
    }

    /// Says of an access in a tile of `count` rows, all below the limit, that it is of these.
    fn keep_below(&self, context: &'c Context, op: Op<'c>, count: i64) {
        let end = op.attr(END).and_then(|end| end.as_array()).unwrap_or_default();
        op.remove_attr(END);
        if let [place, limit] = end[..]
            && let Some([dim, end]) = place.as_i64s().as_deref()
            && *end <= count
            && count > 0
        {
            say_below(context, op, *dim, limit);
        }
    }
}

/// A loop over the tiles of some tasks, as if it were over those of the first one: its bounds are multiples of its step.
fn of_tasks<'c>(each: Op<'c>) -> Option<Counted<'c>> {
    let step = constant_index(each.operand(2)).filter(|_| each.is(scf::FOR))?;
    Some(Counted { op: each, first: 0, last: step, step })
}

/// Where the whole tiles of a loop up to `size` end: without the last one where the rest is balanced with it. There may be none, and less
/// than none.
fn whole_tiles(size: &AffineExpr, step: i64, is_balanced: bool) -> AffineExpr {
    let whole = size.clone().floor_div(step);
    if !is_balanced {
        return whole * step;
    }
    // Rests of 1 to `step / 2` are rounded up by one of these and not by the other.
    let rounded = |by: i64| (size.clone() + by).floor_div(step);
    (whole + rounded(step - 1) * -1 + rounded(step - 1 - step / 2)) * step
}

/// The numbers of parts of `count` that there is code for: all, or powers of two and `count`. All parts are left only if the last one
/// is not whole, which parts of one row are.
fn numbers(count: i64, are_rows: bool) -> Vec<i64> {
    if count <= rests::MAX_NUMBERS {
        return (1..count + i64::from(!are_rows)).collect();
    }
    let powers = std::iter::successors(Some(1), |number| Some(number * 2));
    powers.take_while(|number| *number < count).chain([count]).collect()
}

/// Leaves out the rows from `count` on.
fn cut<'c>(context: &'c Context, body: Block<'c>, count: i64) {
    for op in body.ops().into_iter().flat_map(|op| op.collect(|op| op.has_attr(ROW))) {
        let first =
            op.attr(ROW).and_then(|rows| rows.as_i64s()).and_then(|rows| rows.first().copied());
        op.remove_attr(ROW);
        if op.is(scf::FOR) {
            op.set_operand(1, Builder::before(context, op).index(count));
        } else if first.is_some_and(|first| first >= count) {
            op.erase();
        }
    }
}

/// Whether an operation only computes its results, and from other values than buffers.
fn is_plain(op: Op<'_>) -> bool {
    (matches!(op.dialect(), "arith" | "math" | "vector" | "affine" | "ub") || op.is(narrow::MATMUL))
        && op.region_count() == 0
        && !op.operands().into_iter().any(|value| value.ty().is_memref_type())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_of_half_a_tile_are_balanced_with_the_tile_before() {
        for step in 3..=rests::MAX_NUMBERS {
            for size in 0..40 {
                let end = |is_balanced| {
                    let size_of = AffineExpr::dim(0);
                    whole_tiles(&size_of, step, is_balanced).value(&[size], &[]).unwrap()
                };
                let rest = size % step;
                assert_eq!(end(false), size - rest);
                let less = if (1..=step / 2).contains(&rest) { step } else { 0 };
                assert_eq!(end(true), size - rest - less, "{size} in {step}");
                // Each part has code of its own, which is for less than a tile.
                let left = size - end(true).max(0);
                assert!(left < step || (left + 1) / 2 < step);
            }
        }
    }
}
