//! Radix sort by the digits of integer keys, the least significant first: stable, O(n).
//!
//! ```text
//! for i: key[i] = key of the elements at i; for each digit: count[digit of key[i]] += 1
//! for each digit: count = where its elements begin, the sums of the counts before
//!   for i: to = count[digit of key[i]]++; key'[to] = key[i]; place'[to] = place[i]
//! for i: result[i] = elements at place[i]
//! ```

use strata_ir::{Builder, TypeExt as _, Value, integer};
use strata_rewrite::{Lowerer, Outcome};

use super::{Line, keys::Key};
use crate::{
    emit::Emit as _,
    loops::{for_loop, for_nest, insert},
};

/// Lines from this length on have digits of 11 bits, shorter ones of 8.
const LONG: i64 = 1 << 14;

/// Sorts `operands` along the line's dimension.
pub fn sort<'c>(
    b: &Builder<'c>,
    line: &Line,
    operands: &[Value<'c>],
    key: &Key<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let to: Vec<_> =
        operands.iter().map(|value| b.empty(&line.sizes, value.ty().element())).collect();
    for_nest(b, &line.others(), &to, &mut |b, others, to| {
        let digits = Digits::of(key.width, line.length);
        let (zero, length) = (b.index(0), b.index(line.length));
        let (keys, counts) = digits.count(b, line.length, &|b, position| {
            key.emit(b, &line.read(b, operands, others, position), lowerer)
        })?;
        let places = digits.places(b, line.length, keys, counts)?;
        for_loop(b, zero, length, to, |b, position, to| {
            let place = b.extract(places, &[position]);
            let place = b.cast("arith.index_castui", place, strata_ir::index(b.context));
            let elements = line.read(b, operands, others, place);
            let at = line.place(others, position);
            Ok(elements.iter().zip(to).map(|(value, to)| insert(b, *value, *to, &at)).collect())
        })
    })
}

/// How a key is cut into digits.
#[derive(Clone, Copy)]
struct Digits {
    width: u32,
    bits: u32,
}

impl Digits {
    fn of(width: u32, length: i64) -> Self {
        let bits = if length >= LONG && width > 16 { 11 } else { 8 };
        Self { width, bits }
    }

    fn number(self) -> u32 {
        self.width.div_ceil(self.bits)
    }

    fn values(self) -> i64 {
        1 << self.bits
    }

    /// Where the count of the key's digit `number` is.
    fn slot<'c>(self, b: &Builder<'c>, key: Value<'c>, number: u32) -> Value<'c> {
        let shift = b.int(key.ty(), i64::from(number * self.bits));
        let shifted = if number == 0 { key } else { b.same("arith.shrui", &[key, shift]) };
        // The last digit holds what bits are left.
        let whole = (number + 1) * self.bits >= self.width;
        let digit = match whole {
            true => shifted,
            false => b.same("arith.andi", &[shifted, b.int(key.ty(), self.values() - 1)]),
        };
        let digit = b.cast("arith.index_castui", digit, strata_ir::index(b.context));
        b.same("arith.addi", &[digit, b.index(i64::from(number) * self.values())])
    }

    /// The keys, and how often each value of each digit occurs.
    fn count<'c>(
        self,
        b: &Builder<'c>,
        length: i64,
        key: &dyn Fn(&Builder<'c>, Value<'c>) -> Outcome<Value<'c>>,
    ) -> Outcome<(Value<'c>, Value<'c>)> {
        let i32_type = integer(b.context, 32);
        let zeros = b.filled(b.int(i32_type, 0), &[self.values() * i64::from(self.number())]);
        let keys = b.empty(&[length], integer(b.context, self.width));
        let done = for_loop(b, b.index(0), b.index(length), &[keys, zeros], |b, i, carried| {
            let key = key(b, i)?;
            let keys = insert(b, key, carried[0], &[i]);
            let mut counts = carried[1];
            for number in 0..self.number() {
                let slot = self.slot(b, key, number);
                counts = increment(b, counts, slot).1;
            }
            Ok(vec![keys, counts])
        })?;
        Ok((done[0], done[1]))
    }

    /// The places of the elements in the order of their keys.
    fn places<'c>(
        self,
        b: &Builder<'c>,
        length: i64,
        mut keys: Value<'c>,
        mut counts: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let i32_type = integer(b.context, 32);
        let (zero, end) = (b.index(0), b.index(length));
        let mut places = None;
        for number in 0..self.number() {
            let start = b.index(i64::from(number) * self.values());
            let none = b.int(i32_type, 0);
            let begun =
                for_loop(b, zero, b.index(self.values()), &[counts, none], |b, digit, carried| {
                    let slot = [b.same("arith.addi", &[start, digit])];
                    let count = b.extract(carried[0], &slot);
                    let next = b.same("arith.addi", &[carried[1], count]);
                    Ok(vec![insert(b, carried[1], carried[0], &slot), next])
                })?;
            let last = number + 1 == self.number();
            let mut to = vec![begun[0], b.empty(&[length], i32_type)];
            if !last {
                to.push(b.empty(&[length], keys.ty().element()));
            }
            let moved = for_loop(b, zero, end, &to, |b, i, to| {
                let key = b.extract(keys, &[i]);
                let place = match places {
                    Some(places) => b.extract(places, &[i]),
                    None => b.cast("arith.index_cast", i, i32_type),
                };
                let (at, counts) = increment(b, to[0], self.slot(b, key, number));
                let at = [b.cast("arith.index_castui", at, strata_ir::index(b.context))];
                let mut next = vec![counts, insert(b, place, to[1], &at)];
                if let Some(keys) = to.get(2) {
                    next.push(insert(b, key, *keys, &at));
                }
                Ok(next)
            })?;
            counts = moved[0];
            places = Some(moved[1]);
            keys = moved.get(2).copied().unwrap_or(keys);
        }
        places.ok_or_else(|| "the key has no digit".into())
    }
}

/// The count at `slot`, and the counts with one more there.
fn increment<'c>(b: &Builder<'c>, counts: Value<'c>, slot: Value<'c>) -> (Value<'c>, Value<'c>) {
    let count = b.extract(counts, &[slot]);
    let more = b.same("arith.addi", &[count, b.int(count.ty(), 1)]);
    (count, insert(b, more, counts, &[slot]))
}
