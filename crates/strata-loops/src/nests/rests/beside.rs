//! Rows of few vectors several at a time, whose reductions are one: with lanes for the rows. A loop along each row is one along all of them.
//!
//! ```mlir
//! scf.for %i = %c0 to %c64 step %c1 {
//!   …                                                                             // %x: a vector of row %i
//!   %r = vector.multi_reduction <add>, %x, %zero [1] : vector<1x16xf32> to vector<1xf32>
//!   %q = arith.divf %r, %n : vector<1xf32>
//!   %all = vector.broadcast %q : vector<1xf32> to vector<16xf32>
//!   …
//! }
//! ```
//! becomes
//! ```mlir
//! scf.for %i = %c0 to %c64 step %c4 {
//!   …                                                                             // the vectors of four rows
//!   %r = vector.multi_reduction <add>, %rows, %zeros [1] : vector<4x16xf32> to vector<4xf32>
//!   %q = arith.divf %r, %ns : vector<4xf32>
//!   …                                                                             // a lane of it for each row
//! }
//! ```
//! Stage `vector` combines the lanes of several rows with fewer shuffles, and quotients and roots are taken of four numbers at once. What a row
//! keeps in a buffer of its own is a value; the buffer has that of the last row in the end, as before.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    Attribute, AttributeExt as _, BLOCKS, Builder, Context, LIMIT, Op, TASKS, TypeExt as _, Value,
    View as _, arith, constant_index, memref, scf, vector,
};
use strata_target::{
    Isa, Target,
    tuning::{rests::FEW_ROWS, tiling::SURROUNDED_ROWS_BYTES},
};

use super::{few::FEW, is_plain, say_below};
use crate::nests::{counted::Counted, in_place::flat, limits, viewed};

/// What is written to a buffer that each row has for itself: the buffer, the places, and what each row writes.
type Kept<'c> = (Value<'c>, Vec<Value<'c>>, Vec<Value<'c>>);

/// Computes the open rows of `entry` that are one value each, such as those of a normalisation, several at a time.
pub fn open<'c>(
    context: &'c Context,
    entry: Op<'c>,
    target: &Target,
    known: &mut FxHashMap<usize, Value<'c>>,
) {
    let most = SURROUNDED_ROWS_BYTES[usize::from(target.isa == Isa::Avx512)] / FEW_ROWS;
    let is_row = |op: Op<'c>| op.is(scf::FOR) && op.has_attr(LIMIT) && !flat::is_flat(op);
    for row in entry.collect(is_row) {
        let bytes = |value: Value<'c>| {
            let (count, width) = (value.ty().element_count()?, value.ty().element().byte_width()?);
            i64::try_from(count * width).ok()
        };
        let results = row.body(0).ops().into_iter().flat_map(Op::results);
        let widest = results.filter(|value| value.ty().is_vector_type()).filter_map(bytes).max();
        if widest.is_some_and(|widest| widest <= most) {
            several(context, entry, row, known);
        }
    }
}

/// Computes the rows of a loop several at a time, if none depends on another.
pub fn several<'c>(
    context: &'c Context,
    entry: Op<'c>,
    row: Op<'c>,
    limits: &mut FxHashMap<usize, Value<'c>>,
) -> Option<()> {
    let own = Counted::of(row)?;
    let trips = own.last / FEW_ROWS * FEW_ROWS;
    let is_simple = own.step == 1 && own.first == 0 && row.result_count() == 0;
    (is_simple && trips > 0 && !row.has_attr(TASKS) && !row.has_attr(BLOCKS)).then_some(())?;
    are_apart(&own)?;
    let limit = row.attr(LIMIT);
    let size = match limit {
        Some(limit) => Some(limits::value(context, entry, limit, limits)?),
        None => None,
    };
    let at = Builder { location: row.location(), ..Builder::before(context, row) };
    let end = match size {
        Some(size) => {
            let end = at.same(arith::MINSI, &[at.index(own.last), size]);
            let end = at.same(arith::MAXSI, &[end, at.index(0)]);
            let rest = at.same(arith::REMUI, &[end, at.index(FEW_ROWS)]);
            at.same(arith::SUBI, &[end, rest])
        }
        None => at.index(trips),
    };
    let body = at.region(&[own.counter().ty()], |inside, counter| {
        let of = (0..FEW_ROWS).map(|number| {
            let mut known = FxHashMap::default();
            known.insert(own.counter(), inside.offset(counter[0], number));
            known
        });
        let mut rows = Rows {
            of: of.collect(),
            counter: own.counter(),
            limit,
            varying: FxHashSet::from_iter([own.counter()]),
            joint: FxHashMap::default(),
            kept: Vec::new(),
        };
        for op in own.body().ops().into_iter().filter(|op| !op.is(scf::YIELD)) {
            rows.add(context, &Builder { location: op.location(), ..*inside }, op);
        }
        scf::yield_(inside, &[]).build();
    });
    let all = scf::for_(&at, at.index(0), end, at.index(FEW_ROWS), &[], &[], body);
    let all = all.attrs(&row.discardable_attrs()).build().op();
    all.remove_attr(LIMIT);
    match limit.is_some() || trips < own.last {
        true => row.set_operand(0, end),
        false => row.erase(),
    }
    Some(())
}

fn places<'c>(access: Op<'c>) -> (Value<'c>, Vec<Value<'c>>) {
    let first = 1 + usize::from(access.is(vector::TRANSFER_WRITE));
    let buffer = access.operand(first - 1);
    let rank = buffer.ty().rank().unwrap_or_default();
    (buffer, access.operands()[first..first + rank].to_vec())
}

/// Whether two lists of places are the same ones.
fn are_same(one: &[Value<'_>], other: &[Value<'_>]) -> bool {
    let is_same = |(one, other): (&Value<'_>, &Value<'_>)| {
        one == other || constant_index(*one).is_some_and(|at| constant_index(*other) == Some(at))
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// Declines where rows depend on each other: what a row writes has a place of its own along one dimension, which all accesses of the buffer
/// are at, or is read by the same row, where it has just been written.
fn are_apart<'c>(own: &Counted<'c>) -> Option<()> {
    let is_transfer =
        |op: &Op<'c>| matches!(op.name(), vector::TRANSFER_READ | vector::TRANSFER_WRITE);
    let ops = own.op.collect(|op| op != own.op && !op.is(scf::YIELD));
    // Loops of rows of a few vectors.
    let is_loop = |op: &Op<'c>| {
        op.is(scf::FOR)
            && own.op.has_attr(FEW)
            && op.parent() == Some(own.op)
            && !op.has_attr(LIMIT)
    };
    ops.iter().all(|op| is_transfer(op) || is_plain(*op) || is_loop(op)).then_some(())?;
    ops.iter().any(|op| op.is(vector::MULTI_REDUCTION)).then_some(())?;
    // Places are counters and numbers.
    let mut varying = FxHashSet::from_iter([own.counter()]);
    for op in &ops {
        if is_loop(op) {
            op.operands()[..3].iter().all(|bound| !varying.contains(bound)).then_some(())?;
            varying.extend(op.body(0).args().into_iter().skip(1).chain(op.results()));
        } else if op.is(vector::TRANSFER_READ)
            || op.operands().iter().any(|operand| varying.contains(operand))
        {
            varying.extend(op.results());
        }
    }
    let row_of = |places: &[Value<'c>]| {
        let mut dims = (0..places.len()).filter(|dim| varying.contains(&places[*dim]));
        let dim = dims.next();
        let is_plain = dims.next().is_none() && dim.is_none_or(|dim| places[dim] == own.counter());
        is_plain.then_some(dim)
    };
    let is_write = |op: &&Op<'c>| op.is(vector::TRANSFER_WRITE);
    for write in ops.iter().filter(is_write) {
        (write.result_count() == 0).then_some(())?;
        let (buffer, at) = places(*write);
        let dim = row_of(&at)?;
        (dim.is_some() || write.parent() == Some(own.op)).then_some(())?;
        for (number, other) in ops.iter().enumerate().filter(|(_, op)| is_transfer(op)) {
            let (its, own_at) = places(*other);
            if its != buffer {
                are_disjoint(*write, *other)?;
            } else if row_of(&own_at)? != dim {
                return None;
            } else if dim.is_none() && other.is(vector::TRANSFER_READ) {
                is_kept(&ops[..number], *other)?;
            }
        }
    }
    Some(())
}

/// Declines where a read of another buffer may be of what `write` writes.
fn are_disjoint<'c>(write: Op<'c>, other: Op<'c>) -> Option<()> {
    let (buffer, its) = (places(write).0, places(other).0);
    if viewed(buffer) != viewed(its) {
        return Some(());
    }
    let bytes = |buffer: Value<'c>| {
        let view = buffer.owner().filter(|view| view.is(memref::VIEW))?;
        let start = constant_index(view.operand(1))?;
        let count = i64::try_from(buffer.ty().element_count()?).ok()?;
        let width = i64::try_from(buffer.ty().element().byte_width()?).ok()?;
        Some((start, start + count * width))
    };
    let ((start, end), (its_start, its_end)) = (bytes(buffer)?, bytes(its)?);
    // Of two temporaries in the same place only one is in use.
    (end <= its_start || its_end <= start || other.is(vector::TRANSFER_WRITE)).then_some(())
}

/// Declines where a read is not of what one of the operations `before` has written there.
fn is_kept<'c>(before: &[Op<'c>], read: Op<'c>) -> Option<()> {
    let (buffer, at) = places(read);
    let lanes =
        |value: Value<'c>| value.ty().shape().filter(|shape| shape.len() == 1).map(|one| one[0]);
    let own = lanes(read.result(0))?;
    (read.operand_count() == 2 + at.len()).then_some(())?;
    for write in before.iter().rev().filter(|op| op.is(vector::TRANSFER_WRITE)) {
        let (its, other) = places(*write);
        if its != buffer {
            continue;
        }
        let value = write.operand(0);
        if are_same(&other, &at) {
            let is_whole = write.operand_count() == 2 + at.len()
                && value.ty() == read.result(0).ty()
                && write.attr("permutation_map") == read.attr("permutation_map");
            return is_whole.then_some(());
        }
        // Elements after it or before it.
        let (last, others) = other.split_last()?;
        let (own_last, own_others) = at.split_last()?;
        let distance = constant_index(*last)? - constant_index(*own_last)?;
        let is_beside = distance >= own || -distance >= lanes(value)?;
        (is_beside && are_same(others, own_others)).then_some(())?;
    }
    None
}

/// Values of several rows.
struct Rows<'c> {
    /// Which row it is, and below which number that stays.
    counter: Value<'c>,
    limit: Option<Attribute<'c>>,
    /// What values are in each row.
    of: Vec<FxHashMap<Value<'c>, Value<'c>>>,
    /// Those that differ between rows.
    varying: FxHashSet<Value<'c>>,
    /// Vectors of one element for each row, as a vector of those of all rows.
    joint: FxHashMap<Value<'c>, Value<'c>>,
    kept: Vec<Kept<'c>>,
}

impl<'c> Rows<'c> {
    fn add(&mut self, context: &'c Context, b: &Builder<'c>, op: Op<'c>) {
        let is_transfer = matches!(op.name(), vector::TRANSFER_READ | vector::TRANSFER_WRITE);
        if is_transfer {
            let (buffer, at) = places(op);
            if op.is(vector::TRANSFER_READ) {
                let is_it = |(its, own, _): &&Kept<'c>| *its == buffer && are_same(own, &at);
                if let Some((.., values)) = self.kept.iter().rev().find(is_it) {
                    let values = values.clone();
                    self.set(op.result(0), &values);
                    return;
                }
            } else if !at.contains(&self.counter) {
                self.part(b, op.operand(0));
                let values: Vec<_> = self
                    .of
                    .iter()
                    .map(|known| known.get(&op.operand(0)).copied().unwrap_or(op.operand(0)))
                    .collect();
                self.kept.push((buffer, at, values));
                if let Some(known) = self.of.last_mut() {
                    b.copy(op, known);
                }
                return;
            }
        } else if op.is(scf::FOR) {
            self.loop_of_all(context, b, op);
            return;
        } else if self.join(b, op).is_some() || self.spread(b, op).is_some() {
            return;
        }
        op.operands().into_iter().for_each(|operand| self.part(b, operand));
        if op.operands().iter().any(|operand| self.varying.contains(operand)) {
            self.varying.extend(op.results());
            let row = is_transfer
                .then(|| places(op).1)
                .and_then(|at| at.iter().position(|at| *at == self.counter));
            for known in &mut self.of {
                let copy = b.copy(op, known);
                if let Some((limit, dim)) = self.limit.zip(row) {
                    say_below(context, copy, dim as i64, limit);
                }
            }
            return;
        }
        // One of all rows.
        let copy = b.copy(op, &mut self.of[0]);
        for known in &mut self.of[1..] {
            known.extend(op.results().into_iter().zip(copy.results()));
        }
    }

    /// One loop, whose body has what each row does in an iteration.
    fn loop_of_all(&mut self, context: &'c Context, b: &Builder<'c>, each: Op<'c>) {
        // Lanes are taken before the loop.
        for op in each.collect(|_| true) {
            op.operands().into_iter().for_each(|operand| self.part(b, operand));
        }
        let body = each.body(0);
        let ops = body.ops();
        let Some((end, ops)) = ops.split_last() else { return };
        let bounds: Vec<_> = each.operands()[..3].iter().map(|bound| self.own(0, *bound)).collect();
        let starts = self.of_rows(&each.operands()[3..]);
        let types: Vec<_> = starts.iter().map(|start| start.ty()).collect();
        let arguments = [&[body.arg(0).ty()], &types[..]].concat();
        let count = each.result_count();
        let inside = b.region(&arguments, |inside, own| {
            for known in &mut self.of {
                known.insert(body.arg(0), own[0]);
            }
            for number in 0..count {
                let rows: Vec<_> =
                    (0..self.of.len()).map(|row| own[1 + row * count + number]).collect();
                self.set(body.arg(1 + number), &rows);
            }
            for op in ops {
                self.add(context, &Builder { location: op.location(), ..*inside }, *op);
            }
            end.operands().into_iter().for_each(|value| self.part(inside, value));
            scf::yield_(inside, &self.of_rows(&end.operands())).build();
        });
        let all = scf::for_(b, bounds[0], bounds[1], bounds[2], &starts, &types, inside);
        let all = all.attrs(&each.discardable_attrs()).build().op();
        for number in 0..count {
            let rows: Vec<_> =
                (0..self.of.len()).map(|row| all.result(row * count + number)).collect();
            self.set(each.result(number), &rows);
        }
    }

    /// What values are in each row, one row after the other.
    fn of_rows(&self, values: &[Value<'c>]) -> Vec<Value<'c>> {
        let rows = 0..self.of.len();
        rows.flat_map(|row| values.iter().map(move |value| self.own(row, *value))).collect()
    }

    /// What a value is in a row.
    fn own(&self, row: usize, value: Value<'c>) -> Value<'c> {
        self.of[row].get(&value).copied().unwrap_or(value)
    }

    fn set(&mut self, value: Value<'c>, of: &[Value<'c>]) {
        self.varying.insert(value);
        for (known, own) in self.of.iter_mut().zip(of) {
            known.insert(value, *own);
        }
    }

    /// What one row has of a vector of all.
    fn part(&mut self, b: &Builder<'c>, value: Value<'c>) {
        if let Some(all) = self.joint.get(&value).copied()
            && !self.of[0].contains_key(&value)
        {
            let parts: Vec<_> =
                (0..FEW_ROWS).map(|row| b.broadcast(b.lane(all, row), value.ty())).collect();
            self.set(value, &parts);
        }
    }

    /// A reduction of each row, or what is computed of such, on vectors of all rows.
    fn join(&mut self, b: &Builder<'c>, op: Op<'c>) -> Option<()> {
        let [result] = op.results()[..] else { return None };
        let wide = |value: Value<'c>| {
            let shape = value.ty().shape().filter(|shape| shape.first() == Some(&1))?;
            Some(strata_ir::vector(&[&[FEW_ROWS], &shape[1..]].concat(), value.ty().element()))
        };
        let ty =
            wide(result).filter(|_| result.ty().shape().is_some_and(|shape| shape.len() == 1))?;
        let operands = op.operands();
        let is_reduction = op.is(vector::MULTI_REDUCTION)
            && op.attr("reduction_dims")?.as_i64s()? == [1]
            && operands[0].ty().shape()?.len() == 2
            && self.varying.contains(&operands[0])
            && !self.varying.contains(&operands[1]);
        let is_of_joint = matches!(op.dialect(), "arith" | "math")
            && operands.iter().any(|one| self.joint.contains_key(one))
            && operands.iter().all(|one| {
                one.ty().shape().is_some_and(|shape| shape == [1])
                    && (self.joint.contains_key(one) || !self.varying.contains(one))
            });
        (is_reduction || is_of_joint).then_some(())?;
        let mut all_rows = Vec::new();
        for (at, operand) in operands.into_iter().enumerate() {
            let one = |row: usize| self.of[row].get(&operand).copied().unwrap_or(operand);
            let all = if is_reduction && at == 0 {
                let zero = b.zero(operand.ty().element());
                let (mut all, ty) = (b.broadcast(zero, wide(operand)?), wide(operand)?);
                for row in 0..self.of.len() {
                    let lanes = operand.ty().shape()?[1..].to_vec();
                    let lanes = strata_ir::vector(&lanes, operand.ty().element());
                    let own = vector::extract(b, one(row), &[], &[0], lanes).value();
                    all = vector::insert(b, own, all, &[], &[row as i64], ty).value();
                }
                all
            } else {
                match self.joint.get(&operand) {
                    Some(all) => *all,
                    None => b.broadcast(b.lane(one(0), 0), wide(operand)?),
                }
            };
            all_rows.push(all);
        }
        let joint = b.op(op.name()).operands(&all_rows).attrs(&op.attrs()).result(ty).value();
        self.varying.insert(result);
        self.joint.insert(result, joint);
        Some(())
    }

    /// What one number for each row is as a vector along it.
    fn spread(&mut self, b: &Builder<'c>, op: Op<'c>) -> Option<()> {
        let all = *self.joint.get(&op.operands().first().copied()?)?;
        op.is(vector::BROADCAST).then_some(())?;
        let ty = op.result(0).ty();
        let rows: Vec<_> = (0..FEW_ROWS).map(|row| b.broadcast(b.lane(all, row), ty)).collect();
        self.set(op.result(0), &rows);
        Some(())
    }
}
