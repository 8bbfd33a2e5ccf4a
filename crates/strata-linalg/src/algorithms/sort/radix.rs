//! Radix sort by the digits of integer keys, the least significant first: stable, O(n).
//!
//! ```text
//! for i: key[i] = key of the elements at i; for each digit: count[digit of key[i]] += 1
//! for each digit: count = where its elements begin, the sums of the counts before
//!   for i: to = count[digit of key[i]]++; key'[to] = key[i]; place'[to] = place[i]
//! for i: result[i] = elements at place[i]
//! ```
//! If elements are their own keys there are no positions, and the last pass writes the elements.

use strata_ir::{Builder, TypeExt as _, Value, arith, integer};
use strata_rewrite::{Lowerer, Outcome};
use strata_target::{Target, tuning::sorting::MIN_WIDE_DIGITS_LENGTH};

use super::{Line, keys::Key, own::Own};
use crate::{
    algorithms::short_vectors::Lanes,
    loops::{for_loop, for_nest, for_step, insert, when},
};

/// Sorts `operands` along the line's dimension.
pub fn sort<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    operands: &[Value<'c>],
    key: &Key<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let to: Vec<_> =
        operands.iter().map(|value| b.empty(&line.sizes, value.ty().element())).collect();
    for_nest(b, &line.others(), &to, &mut |b, others, to| {
        let digits = Digits::of(key.width, line.length);
        let (zero, end) = (b.index(0), line.end(b));
        let (keys, counts) = digits.count(b, (line.length, end), &|b, position| {
            key.emit(b, &line.read(b, operands, others, position), lowerer)
        })?;
        let positions = digits.positions(b, (line.length, end), keys, counts)?;
        for_loop(b, zero, end, to, |b, position, to| {
            let place = b.extract(positions, &[position]);
            let place = b.cast(arith::INDEX_CASTUI, place, strata_ir::index(b.context));
            let elements = line.read(b, operands, others, place);
            let at = line.place(others, position);
            Ok(elements.iter().zip(to).map(|(value, to)| insert(b, *value, *to, &at)).collect())
        })
    })
}

/// Sorts an operand whose elements are their own keys: no positions, the elements follow from the
/// keys.
pub fn sort_own<'c>(
    b: &Builder<'c>,
    target: &Target,
    line: &Line<'c>,
    operand: Value<'c>,
    own: &Own<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let to = b.empty(&line.sizes, operand.ty().element());
    for_nest(b, &line.others(), &[to], &mut |b, others, to| {
        let (keys, found) = own_keys(b, target, line, operand, own, others)?;
        let result = by_digits(b, line, own, others, [keys, to[0]])?;
        match found {
            Some(found) => when(b, found, &[result], |b| {
                Ok(vec![own.restore(b, line, [operand, result], others)?])
            }),
            None => Ok(vec![result]),
        }
    })
}

/// Writes the elements of a line to `to`, of keys in their unsigned order.
pub fn by_digits<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    own: &Own<'c>,
    others: &[Value<'c>],
    [mut keys, to]: [Value<'c>; 2],
) -> Outcome<Value<'c>> {
    let digits = Digits { width: own.width, bits: 8 };
    let order = own.unsigned();
    let (zero, end) = (b.index(0), line.end(b));
    let counted = for_loop(b, zero, end, &[digits.none(b)], |b, i, counts| {
        Ok(vec![digits.add(b, b.extract(keys, &[i]), counts[0])])
    })?;
    let (mut counts, mut result) = (counted[0], to);
    for number in 0..digits.number() {
        let last = number + 1 == digits.number();
        counts = digits.begin(b, number, counts)?;
        let into = if last { result } else { b.empty(&[line.length], keys.ty().element()) };
        let moved = for_loop(b, zero, end, &[counts, into], |b, i, carried| {
            let key = b.extract(keys, &[i]);
            let (at, counts) = increment(b, carried[0], digits.slot(b, key, number));
            let at = b.cast(arith::INDEX_CASTUI, at, strata_ir::index(b.context));
            let into = match last {
                true => {
                    let element = order.element(b, key);
                    insert(b, element, carried[1], &line.place(others, at))
                }
                false => insert(b, key, carried[1], &[at]),
            };
            Ok(vec![counts, into])
        })?;
        counts = moved[0];
        match last {
            true => result = moved[1],
            false => keys = moved[1],
        }
    }
    Ok(result)
}

/// The keys of a line in their unsigned order, and whether elements have to be restored.
fn own_keys<'c>(
    b: &Builder<'c>,
    target: &Target,
    line: &Line<'c>,
    operand: Value<'c>,
    own: &Own<'c>,
    others: &[Value<'c>],
) -> Outcome<(Value<'c>, Option<Value<'c>>)> {
    let order = own.unsigned();
    let mut keys = b.empty(&[line.length], own.ty(b));
    let contiguous = line.sizes[line.dim + 1..].iter().all(|size| *size == 1);
    let wide = if contiguous {
        Lanes::along(line.length, operand.ty().element(), target)
    } else {
        Lanes(1)
    };
    let whole = line.length / wide.0 * wide.0;
    let mut found = None;
    for (lanes, [low, high]) in [(wide, [0, whole]), (Lanes(1), [whole, line.length])] {
        if low == high {
            continue;
        }
        let unseen = own.unseen().into_iter().map(|unseen| b.int(own.ty(b), unseen));
        let mut carried = vec![keys];
        carried.extend(unseen.map(|unseen| b.filled(unseen, &[lanes.0])));
        let bounds = [b.index(low), b.index(high), b.index(lanes.0)];
        let done = for_step(b, bounds, &carried, |b, position, carried| {
            let zero = [b.index(0)];
            let elements = lanes.load(b, operand, &line.place(others, position));
            let seen: Vec<_> = carried[1..].iter().map(|row| lanes.load(b, *row, &zero)).collect();
            let key = order.key(b, elements);
            let mut next = vec![lanes.store(b, key, carried[0], &[position])];
            let seen = own.watch(b, elements, &seen);
            let rows = seen.into_iter().zip(&carried[1..]);
            next.extend(rows.map(|(seen, row)| lanes.store(b, seen, *row, &zero)));
            Ok(next)
        })?;
        keys = done[0];
        found = [found, own.found(b, &done[1..])]
            .into_iter()
            .flatten()
            .reduce(|one, other| b.same(arith::ORI, &[one, other]));
    }
    Ok((keys, found))
}

/// How a key is split into digits.
#[derive(Clone, Copy)]
struct Digits {
    width: u32,
    bits: u32,
}

impl Digits {
    fn of(width: u32, length: i64) -> Self {
        let bits = if length >= MIN_WIDE_DIGITS_LENGTH && width > 16 { 11 } else { 8 };
        Self { width, bits }
    }

    fn number(self) -> u32 {
        self.width.div_ceil(self.bits)
    }

    fn values(self) -> i64 {
        1 << self.bits
    }

    /// The slot of the count of the key's digit `number`.
    fn slot<'c>(self, b: &Builder<'c>, key: Value<'c>, number: u32) -> Value<'c> {
        let shift = b.int(key.ty(), i64::from(number * self.bits));
        let shifted = if number == 0 { key } else { b.same(arith::SHRUI, &[key, shift]) };
        // The last digit has the remaining bits.
        let whole = (number + 1) * self.bits >= self.width;
        let digit = match whole {
            true => shifted,
            false => b.same(arith::ANDI, &[shifted, b.int(key.ty(), self.values() - 1)]),
        };
        let digit = b.cast(arith::INDEX_CASTUI, digit, strata_ir::index(b.context));
        b.same(arith::ADDI, &[digit, b.index(i64::from(number) * self.values())])
    }

    /// The keys, and how often each value of each digit occurs.
    fn count<'c>(
        self,
        b: &Builder<'c>,
        (length, end): (i64, Value<'c>),
        key: &dyn Fn(&Builder<'c>, Value<'c>) -> Outcome<Value<'c>>,
    ) -> Outcome<(Value<'c>, Value<'c>)> {
        let zeros = self.none(b);
        let keys = b.empty(&[length], integer(b.context, self.width));
        let done = for_loop(b, b.index(0), end, &[keys, zeros], |b, i, carried| {
            let key = key(b, i)?;
            let keys = insert(b, key, carried[0], &[i]);
            Ok(vec![keys, self.add(b, key, carried[1])])
        })?;
        Ok((done[0], done[1]))
    }

    /// Zero counts.
    fn none<'c>(self, b: &Builder<'c>) -> Value<'c> {
        let zero = b.int(integer(b.context, 32), 0);
        b.filled(zero, &[self.values() * i64::from(self.number())])
    }

    /// The counts with those of the digits of one more key.
    fn add<'c>(self, b: &Builder<'c>, key: Value<'c>, counts: Value<'c>) -> Value<'c> {
        (0..self.number()).fold(counts, |counts, number| {
            let slot = self.slot(b, key, number);
            increment(b, counts, slot).1
        })
    }

    /// The start of the elements with each value of the digit, replacing their counts.
    fn begin<'c>(self, b: &Builder<'c>, number: u32, counts: Value<'c>) -> Outcome<Value<'c>> {
        let start = b.index(i64::from(number) * self.values());
        let none = b.int(integer(b.context, 32), 0);
        let (zero, end) = (b.index(0), b.index(self.values()));
        let begun = for_loop(b, zero, end, &[counts, none], |b, digit, carried| {
            let slot = [b.same(arith::ADDI, &[start, digit])];
            let count = b.extract(carried[0], &slot);
            let next = b.same(arith::ADDI, &[carried[1], count]);
            Ok(vec![insert(b, carried[1], carried[0], &slot), next])
        })?;
        Ok(begun[0])
    }

    /// The positions of the elements in the order of their keys.
    fn positions<'c>(
        self,
        b: &Builder<'c>,
        (length, end): (i64, Value<'c>),
        mut keys: Value<'c>,
        mut counts: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let i32_type = integer(b.context, 32);
        let zero = b.index(0);
        let mut positions = None;
        for number in 0..self.number() {
            let begun = self.begin(b, number, counts)?;
            let last = number + 1 == self.number();
            let mut to = vec![begun, b.empty(&[length], i32_type)];
            if !last {
                to.push(b.empty(&[length], keys.ty().element()));
            }
            let moved = for_loop(b, zero, end, &to, |b, i, to| {
                let key = b.extract(keys, &[i]);
                let place = match positions {
                    Some(positions) => b.extract(positions, &[i]),
                    None => b.cast(arith::INDEX_CAST, i, i32_type),
                };
                let (at, counts) = increment(b, to[0], self.slot(b, key, number));
                let at = [b.cast(arith::INDEX_CASTUI, at, strata_ir::index(b.context))];
                let mut next = vec![counts, insert(b, place, to[1], &at)];
                if let Some(keys) = to.get(2) {
                    next.push(insert(b, key, *keys, &at));
                }
                Ok(next)
            })?;
            counts = moved[0];
            positions = Some(moved[1]);
            keys = moved.get(2).copied().unwrap_or(keys);
        }
        positions.ok_or_else(|| "the key has no digit".into())
    }
}

/// The count at `slot`, and the counts with one more there.
fn increment<'c>(b: &Builder<'c>, counts: Value<'c>, slot: Value<'c>) -> (Value<'c>, Value<'c>) {
    let count = b.extract(counts, &[slot]);
    let more = b.same(arith::ADDI, &[count, b.int(count.ty(), 1)]);
    (count, insert(b, more, counts, &[slot]))
}
