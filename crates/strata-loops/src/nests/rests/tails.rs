//! The last tile of a loop over several vectors of a row: a loop over one vector after the other.
//!
//! ```mlir
//! %s:4 = scf.for %i = %c0 to %c128 step %c64 iter_args(…) {     // adds four vectors from %i on to four sums
//!   %x = vector.transfer_read %row[%i] : memref<128xf32>, vector<16xf32>
//!   %y = arith.select %mask, %x, %zero {strata.mask = affine_map<(d0) -> (d0)>}
//!   %n = arith.addf %s0, %y
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! becomes
//! ```mlir
//! %s:4 = scf.for %i = %c0 to %c128 step %c64 iter_args(…) {     // all elements are below the size: without masks
//!   %x = vector.transfer_read %row[%i] {strata.below = [0, affine_map<(d0) -> (d0)>]}
//!   %n = arith.addf %s0, %x
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0 floordiv 64 * 64)>}
//! %t = scf.for %i = %whole to %size step %c16 iter_args(%s#0) { // the first part of the body: one vector, with its mask
//!   …
//! }
//! ```
//! Extrema, also with their places ([`AGAIN`]), have no masks: the last vector begins where it ends with the elements below the size, and meets some
//! of them again. What the loop before has just written is met once, with the mask.
//!
//! The parts of the body have to be the same computation, of vectors that follow each other.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;
use strata_ir::{
    AGAIN, AffineMap, Attribute, Builder, Context, LIMIT, MASK, Op, OpName, TASKS, Value,
    View as _, arith, index, memref, scf, vector,
};
use strata_target::tuning::rests;

use super::{Rows, below::beyond, is_plain, say_below};
use crate::{
    nests::{counted::Counted, indices::Place, limits, viewed},
    vector::unroll::roll,
};

/// A loop whose body is several equal parts.
pub struct Tail<'c> {
    each: Counted<'c>,
    limit: Attribute<'c>,
    /// The elements of a part along the loop.
    unit: i64,
    parts: Vec<Part<'c>>,
    /// The first part's operations, in order.
    first: Vec<Op<'c>>,
    /// Accesses along the loop: the dimension, the first element after the counter, and how many.
    accesses: Vec<(Op<'c>, [i64; 3])>,
    /// Selections that choose their first value in whole tiles.
    masks: Vec<Op<'c>>,
}

/// What a part of a body writes, and the loop-carried values that it computes, in the same order in each part.
#[derive(Default)]
struct Part<'c> {
    writes: Vec<Op<'c>>,
    carried: Vec<usize>,
}

/// Which vectors a row has.
#[derive(Clone, Copy)]
pub enum Vectors<'c> {
    /// So many, one after the other.
    Straight(i64),
    /// A loop over whole ones, and one from this element on.
    From(Value<'c>),
}

impl<'c> Tail<'c> {
    /// The tail of a loop with a limit.
    pub fn of(each: Op<'c>) -> Option<Self> {
        // One vector is what accesses beyond an end are limited to without this.
        Self::read(each).filter(|tail| tail.parts.len() > 1 || !tail.masks.is_empty())
    }

    /// The same, also where it is that of one vector without masks.
    pub fn read(each: Op<'c>) -> Option<Self> {
        let limit = each.attr(LIMIT)?;
        let own = Counted::of(each).filter(|own| own.first >= 0 && own.first % own.step == 0)?;
        if own.last % own.step != 0 || each.has_attr(TASKS) {
            return None;
        }
        let end = own.body().terminator()?;
        let ops: Vec<_> = own.body().ops().into_iter().filter(|op| *op != end).collect();
        if ops.len() > rests::MAX_OPERATIONS {
            return None;
        }
        let mut along = HashMap::new();
        for op in &ops {
            match op.name() {
                vector::TRANSFER_READ | vector::TRANSFER_WRITE | memref::LOAD | memref::STORE => {
                    if let Some(rows) = Rows::of(*op, each)? {
                        along.insert(*op, rows);
                    }
                }
                _ if is_plain(*op) => {}
                _ => return None,
            }
        }
        let accesses = || ops.iter().filter_map(|op| along.get(op));
        let unit = accesses().next()?.count;
        if accesses().any(|rows| rows.count != unit || rows.first < 0 || rows.is_shifted)
            || own.step % unit != 0
        {
            return None;
        }
        let mut tail = Self {
            each: own,
            limit,
            unit,
            parts: Vec::new(),
            first: Vec::new(),
            accesses: Vec::new(),
            masks: Vec::new(),
        };
        tail.find_parts(&ops, &along, &end.operands())?;
        let inside = |op: &Op<'c>| along.get(op).filter(|rows| rows.first + unit <= own.step);
        let access = |op: &Op<'c>| {
            along.get(op).map(|rows| (*op, [rows.dim as i64, rows.first, rows.count]))
        };
        tail.accesses = ops.iter().filter_map(access).collect();
        let is_true = |op: &Op<'c>| {
            let places = || op.operand(0).owner()?.operand(0).owner();
            op.attr(MASK) == Some(limit) && places().is_some_and(|places| inside(&places).is_some())
        };
        tail.masks = ops.iter().copied().filter(is_true).collect();
        (tail.are_equal(&end.operands()) && tail.is_apart(&along)).then_some(tail)
    }

    /// Finds which writes and loop-carried values each part has.
    fn find_parts(
        &mut self,
        ops: &[Op<'c>],
        along: &HashMap<Op<'c>, Rows<'c>>,
        returned: &[Value<'c>],
    ) -> Option<()> {
        let count = usize::try_from(self.each.step / self.unit).ok()?;
        let mut parts: Vec<Part<'c>> = (0..count).map(|_| Part::default()).collect();
        let is_write = |op: &Op<'c>| matches!(op.name(), vector::TRANSFER_WRITE | memref::STORE);
        let writes: Vec<_> = ops.iter().copied().filter(is_write).collect();
        let reads: Vec<_> = ops.iter().filter(|op| !is_write(op)).collect();
        let number = |first: i64, start: i64| usize::try_from((first - start) / self.unit).ok();
        for write in &writes {
            let rows = along.get(write)?;
            let start = writes.iter().filter_map(|other| along.get(other));
            let start = start.filter(|other| other.buffer == rows.buffer).map(|other| other.first);
            parts.get_mut(number(rows.first, start.min()?)?)?.writes.push(*write);
        }
        let start = reads.iter().filter_map(|op| along.get(*op)).map(|rows| rows.first).min();
        for (position, value) in returned.iter().enumerate() {
            let slice = slice(self.each.op, &[*value]);
            let own = ops.iter().filter(|op| slice.contains(*op));
            let first = own.filter_map(|op| along.get(op)).map(|rows| rows.first).min();
            parts.get_mut(number(first?, start?)?)?.carried.push(position);
        }
        let size = |part: &Part<'c>| (part.writes.len(), part.carried.len());
        if size(&parts[0]) == (0, 0) || parts.iter().any(|part| size(part) != size(&parts[0])) {
            return None;
        }
        let first = parts[0].carried.iter().map(|position| returned[*position]);
        let roots: Vec<_> =
            first.chain(parts[0].writes.iter().flat_map(|write| write.operands())).collect();
        let needed = slice(self.each.op, &roots);
        let is_first = |op: &&Op<'c>| needed.contains(*op) || parts[0].writes.contains(*op);
        self.first = ops.iter().filter(is_first).copied().collect();
        self.parts = parts;
        Some(())
    }

    /// Whether each part computes what the first one does, further on.
    fn are_equal(&self, returned: &[Value<'c>]) -> bool {
        let varying = self.varying();
        let Some((first, others)) = self.parts.split_first() else { return false };
        others.iter().zip(1..).all(|(part, number)| {
            let mut pair = Pair {
                tail: self,
                part,
                varying: &varying,
                more: number * self.unit,
                known: HashMap::new(),
            };
            let values = first.carried.iter().zip(&part.carried);
            first.writes.iter().zip(&part.writes).all(|(one, other)| pair.are_same(*one, *other))
                && values
                    .into_iter()
                    .all(|(one, other)| pair.is_same(returned[*one], returned[*other]))
        })
    }

    /// The values that differ between iterations.
    fn varying(&self) -> HashSet<Value<'c>> {
        let mut varying: HashSet<_> = self.each.body().args().into_iter().collect();
        for op in self.each.body().ops() {
            if op.operands().iter().any(|operand| varying.contains(operand)) {
                varying.extend(op.results());
            }
        }
        varying
    }

    /// Whether the first part, and so each, reads of what the loop writes only what it writes itself.
    fn is_apart(&self, along: &HashMap<Op<'c>, Rows<'c>>) -> bool {
        let written: Vec<_> =
            self.parts[0].writes.iter().filter_map(|write| along.get(write)).collect();
        let buffers: HashSet<_> = written.iter().map(|rows| rows.buffer).collect();
        let roots: HashSet<_> = written.iter().map(|rows| viewed(rows.buffer)).collect();
        let is_own = |op: &Op<'c>| {
            let read = along.get(op);
            written.iter().any(|write| {
                read.is_some_and(|read| {
                    (read.buffer, read.dim, read.first) == (write.buffer, write.dim, write.first)
                        && read.others == write.others
                })
            })
        };
        let mut reads = self
            .first
            .iter()
            .filter(|op| matches!(op.name(), vector::TRANSFER_READ | memref::LOAD))
            .filter(|op| roots.contains(&viewed(op.operand(0))));
        roots.len() == buffers.len() && reads.all(is_own)
    }

    /// Makes the loop one over whole tiles, and another one over the vectors that are left.
    pub fn split(
        self,
        context: &'c Context,
        entry: Op<'c>,
        known: &mut FxHashMap<usize, Value<'c>>,
        least: &[i64],
    ) -> Option<()> {
        let each = self.each.op;
        let map = AffineMap::of(self.limit).filter(|map| map.results.len() == 1)?;
        let next = each.next()?;
        let size = limits::value(context, entry, self.limit, known)?;
        let whole = map.results[0].clone().floor_div(self.each.step) * self.each.step;
        each.set_attr(LIMIT, AffineMap { results: vec![whole], ..map }.to_attribute(context));
        let after = Builder { location: each.location(), ..Builder::before(context, next) };
        let end = after.same(arith::MINSI, &[each.operand(1), size]);
        let end = after.same(arith::MAXSI, &[end, each.operand(0)]);
        let rest = after.same(arith::REMUI, &[end, after.index(self.each.step)]);
        let start = after.same(arith::SUBI, &[end, rest]);
        let results: Vec<_> = self.parts[0].carried.iter().map(|at| each.result(*at)).collect();
        let users: Vec<_> = results.iter().map(|result| result.uses()).collect();
        let (start, end, results) = match self.may_repeat() {
            true => self.end_with_a_whole_vector(context, &after, [start, end], &results, least),
            false => (start, Some(end), results),
        };
        let results = match end {
            Some(end) => self.single(context, &after, [start, end], &results, false).results(),
            None => results,
        };
        for (users, result) in users.into_iter().zip(results) {
            users.into_iter().for_each(|(user, operand)| user.set_operand(operand, result));
        }
        for (access, [dim, first, count]) in &self.accesses {
            let more = (first + count - self.each.step).max(0);
            say_below(context, *access, *dim, beyond(context, self.limit, more));
        }
        for mask in &self.masks {
            mask.result(0).replace_all_uses_with(mask.operand(1));
        }
        erase_unused(self.each.body().ops());
        Some(())
    }

    /// The elements of a vector, those of a row, and the operations on a vector, where the loop is over a whole row.
    pub fn row(&self) -> Option<(i64, i64, usize)> {
        (self.each.first == 0).then_some((self.unit, self.each.last, self.first.len()))
    }

    /// Replaces the loop by these vectors, all but the last one of which are whole. Returns what the partial results of other vectors of a tile
    /// are.
    pub fn unroll(self, context: &'c Context, vectors: Vectors<'c>) -> Vec<Value<'c>> {
        let each = self.each.op;
        let at = Builder { location: each.location(), ..Builder::before(context, each) };
        let start = |position: usize| each.operand(3 + position);
        let own = &self.parts[0].carried;
        let mut carried: Vec<_> = own.iter().map(|position| start(*position)).collect();
        let last = match vectors {
            Vectors::Straight(number) => {
                for vector in 0..number - 1 {
                    let place = at.index(vector * self.unit);
                    carried = self.vector(context, &at, place, &carried, true);
                }
                at.index((number - 1) * self.unit)
            }
            Vectors::From(last) => {
                let whole = self.single(context, &at, [at.index(0), last], &carried, true);
                // LLVM would add a loop for more vectors than there are.
                roll(context, whole);
                carried = whole.results();
                last
            }
        };
        carried = self.vector(context, &at, last, &carried, false);
        let mut unused = Vec::new();
        for (position, result) in each.results().into_iter().enumerate() {
            let last = own.iter().position(|one| *one == position).map(|one| carried[one]);
            unused.extend(last.is_none().then(|| start(position)));
            result.replace_all_uses_with(last.unwrap_or(start(position)));
        }
        each.erase();
        unused
    }

    /// Whether a vector may begin anywhere, before elements that others have read.
    fn may_repeat(&self) -> bool {
        let first = |(op, [_, first, count]): &(Op<'c>, [i64; 3])| {
            self.first.contains(op) && *first > 0 && first + count <= self.each.step
        };
        (self.each.op.has_attr(AGAIN)
            || (self.finds_extrema() && !self.reads_what_was_just_written()))
            && self.parts[0].writes.is_empty()
            && !self.accesses.iter().any(first)
    }

    /// Whether the loop before this one, in the same row, wrote what it reads: processors wait for a read of parts of two vectors
    /// that were written shortly before, for longer than a mask takes.
    fn reads_what_was_just_written(&self) -> bool {
        let each = self.each.op;
        let Some(row) = each.parent().filter(|row| row.is(scf::FOR)) else { return false };
        let before = row.body(0).ops().into_iter().take_while(|op| *op != each);
        let writes = before.flat_map(|op| op.collect(|op| op.is(vector::TRANSFER_WRITE)));
        let written: HashSet<_> = writes.map(|write| viewed(write.operand(1))).collect();
        let mut reads = self.first.iter().filter(|op| op.is(vector::TRANSFER_READ));
        reads.any(|read| written.contains(&viewed(read.operand(0))))
    }

    /// Whether all that is carried are extrema, or bits that are set in all or in one of the elements: it is the same where an element is met
    /// twice.
    fn finds_extrema(&self) -> bool {
        let Some(end) = self.each.body().terminator() else { return false };
        let mut carried = self.parts[0].carried.iter();
        carried.all(|position| {
            let own = self.each.body().arg(1 + position);
            let Some(op) = end.operand(*position).owner() else { return false };
            let others: Vec<_> = op.operands().into_iter().filter(|one| *one != own).collect();
            let carries = |op: &Op<'c>| {
                let block = |value: Value<'c>| value.block_arg().map(|(block, _)| block);
                let is_carried = |value: &Value<'c>| {
                    block(*value) == Some(self.each.body()) && *value != self.each.counter()
                };
                op.operands().iter().any(is_carried)
            };
            #[allow(clippy::disallowed_methods, reason = "all are asked, in any order")]
            let is_apart = !slice(self.each.op, &others).iter().any(carries);
            is_idempotent(op.name())
                && others.len() == 1
                && others[0].block_arg().is_none()
                && is_apart
        })
    }

    /// From `start` on whole vectors, and one that ends at `end` if elements are left, all without masks. Returns what they leave, which is
    /// all where less than a vector is valid, and what is carried. Sizes are at least `least`.
    fn end_with_a_whole_vector(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        [mut start, end]: [Value<'c>; 2],
        carried: &[Value<'c>],
        least: &[i64],
    ) -> (Value<'c>, Option<Value<'c>>, Vec<Value<'c>>) {
        let unit = self.unit;
        let mut carried = carried.to_vec();
        if self.each.step > unit {
            let left = at.same(arith::SUBI, &[end, start]);
            let left = at.same(arith::REMUI, &[left, at.index(unit)]);
            let whole = at.same(arith::SUBI, &[end, left]);
            carried = self.single(context, at, [start, whole], &carried, true).results();
            start = whole;
        }
        let least = AffineMap::of(self.limit).and_then(|map| map.results[0].value(least, least));
        let is_long = self.each.last.min(least.unwrap_or(0)) >= unit;
        let mut is_moved = at.cmpi(arith::CmpIPredicate::Slt, start, end);
        if !is_long {
            let fits = at.cmpi(arith::CmpIPredicate::Sge, end, at.index(unit));
            is_moved = at.same(arith::ANDI, &[is_moved, fits]);
        }
        let moved = at.region(&[], |inside, _| {
            let last = inside.offset(end, -unit);
            let next = self.vector(context, inside, last, &carried, true);
            scf::yield_(inside, &next).build();
        });
        let same = at.region(&[], |inside, _| {
            scf::yield_(inside, &carried).build();
        });
        let types: Vec<_> = carried.iter().map(|value| value.ty()).collect();
        let next = scf::if_(at, is_moved, &types, moved, same).build().op().results();
        let rest = (!is_long).then(|| at.select(is_moved, start, end));
        (start, rest, next)
    }

    /// A loop over single vectors, which carries these values. Where all are `whole` they have no masks.
    fn single(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        [start, end]: [Value<'c>; 2],
        carried: &[Value<'c>],
        are_whole: bool,
    ) -> Op<'c> {
        let types: Vec<_> = carried.iter().map(|value| value.ty()).collect();
        let arguments = [&[index(context)], &types[..]].concat();
        let body = at.region(&arguments, |inside, own| {
            let next = self.vector(context, inside, own[0], &own[1..], are_whole);
            scf::yield_(inside, &next).build();
        });
        let step = at.index(self.unit);
        scf::for_(at, start, end, step, carried, &types, body).build().op()
    }

    /// The first part of the body for the vector from `place` on; what it carries on.
    fn vector(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        place: Value<'c>,
        carried: &[Value<'c>],
        is_whole: bool,
    ) -> Vec<Value<'c>> {
        let mut known = FxHashMap::default();
        known.insert(self.each.counter(), place);
        for (number, value) in self.parts[0].carried.iter().zip(carried) {
            known.insert(self.each.body().arg(1 + number), *value);
        }
        let mut copies = Vec::new();
        for op in &self.first {
            if is_whole && self.masks.contains(op) {
                let valid = op.operand(1);
                known.insert(op.result(0), known.get(&valid).copied().unwrap_or(valid));
                continue;
            }
            let copy = at.copy(*op, &mut known);
            if let Some((_, [dim, first, _])) =
                self.accesses.iter().find(|(own, _)| is_whole && own == op)
            {
                say_below(context, copy, *dim, beyond(context, self.limit, *first));
            }
            copies.push(copy);
        }
        let returned = self.each.body().terminator().map(Op::operands).unwrap_or_default();
        let value =
            |number: &usize| known.get(&returned[*number]).copied().unwrap_or(returned[*number]);
        let next: Vec<_> = self.parts[0].carried.iter().map(value).collect();
        if is_whole {
            // What only masks need.
            copies.retain(|op: &Op<'c>| !op.results().iter().any(|result| next.contains(result)));
            erase_unused(copies);
        }
        next
    }
}

/// Erases what is computed and read only.
fn erase_unused(ops: Vec<Op<'_>>) {
    for op in ops.into_iter().rev() {
        let is_read = matches!(op.name(), vector::TRANSFER_READ | memref::LOAD);
        if op.is_unused() && (is_read || is_plain(op)) {
            op.erase();
        }
    }
}

/// Whether the operation of a value and what it is computed from is the value.
pub fn is_idempotent(name: OpName<'_>) -> bool {
    matches!(
        name,
        arith::MAXIMUMF
            | arith::MINIMUMF
            | arith::MAXNUMF
            | arith::MINNUMF
            | arith::MAXSI
            | arith::MINSI
            | arith::MAXUI
            | arith::MINUI
            | arith::ANDI
            | arith::ORI
    )
}

/// The first part of a body and another one.
struct Pair<'c, 't> {
    tail: &'t Tail<'c>,
    part: &'t Part<'c>,
    varying: &'t HashSet<Value<'c>>,
    /// How many elements after the first one the other part begins.
    more: i64,
    known: HashMap<(Value<'c>, Value<'c>), bool>,
}

impl<'c> Pair<'c, '_> {
    fn is_same(&mut self, one: Value<'c>, other: Value<'c>) -> bool {
        if let Some(known) = self.known.get(&(one, other)) {
            return *known;
        }
        let is_same = self.compare(one, other);
        self.known.insert((one, other), is_same);
        is_same
    }

    fn compare(&mut self, one: Value<'c>, other: Value<'c>) -> bool {
        let each = self.tail.each.op;
        if one.ty() != other.ty() {
            return false;
        }
        if one.ty() == self.tail.each.counter().ty() {
            let place = |value| Place::of(value, each);
            return place(one).zip(place(other)).is_some_and(|(one, other)| {
                let more = one.factor.checked_mul(self.more);
                (one.factor, &one.terms) == (other.factor, &other.terms)
                    && more.and_then(|more| more.checked_add(one.more)) == Some(other.more)
            });
        }
        if one == other {
            return !self.varying.contains(&one);
        }
        match (one.owner(), other.owner()) {
            (Some(own), Some(its)) if each.encloses(own) && each.encloses(its) => {
                one.result_index() == other.result_index() && self.are_same(own, its)
            }
            (None, None) => {
                let of = |value: Value<'c>| {
                    let (block, position) = value.block_arg()?;
                    (block == each.body(0)).then_some(position.checked_sub(1)?)
                };
                let place =
                    |list: &[usize], value| list.iter().position(|own| Some(*own) == of(value));
                let first = place(&self.tail.parts[0].carried, one);
                first.is_some() && first == place(&self.part.carried, other)
            }
            _ => false,
        }
    }

    fn are_same(&mut self, one: Op<'c>, other: Op<'c>) -> bool {
        one.name() == other.name()
            && one.attrs() == other.attrs()
            && one.operand_count() == other.operand_count()
            && one.result_types() == other.result_types()
            && one
                .operands()
                .into_iter()
                .zip(other.operands())
                .all(|(one, other)| self.is_same(one, other))
    }
}

/// The operations in the body of `each` that values are computed by.
fn slice<'c>(each: Op<'c>, values: &[Value<'c>]) -> HashSet<Op<'c>> {
    let mut open: Vec<_> = values.iter().filter_map(|value| value.owner()).collect();
    let mut found = HashSet::new();
    while let Some(op) = open.pop() {
        if each.encloses(op) && found.insert(op) {
            open.extend(op.operands().into_iter().filter_map(Value::owner));
        }
    }
    found
}
