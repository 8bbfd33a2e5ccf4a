//! The first few elements of a sorted line by insertion: keeps a short sorted list, into which elements before its
//! last entry are inserted.
//!
//! ```text
//! list = k times the largest number
//! for each block of 64 elements: if any key < key of the last entry or the list is not full yet
//!   for each of them: entry = key · 2³² + place
//!     if entry < last entry: for j = k - 1 … 1: list[j] = max(list[j - 1], min(list[j], entry));  list[0] = min(…)
//! ```
//! The smallest element alone is looked for by its key, and then its place by the key.
//!
//! Positions in the low bits keep equal elements in their order. Entries are inserted `k ln(n / k)` times if the
//! elements are in no order, so that most blocks cost one comparison per element, vectorised.

use strata_ir::{Builder, Value, arith, index, integer};
use strata_rewrite::Outcome;
use strata_target::tuning::sorting::{INSERTION_BLOCK, MAX_INSERTED};

use super::{keys::Key, select::Source};
use crate::loops::{for_loop, for_step, insert, when};

/// Bits of a position.
const POSITION_BITS: i64 = 32;

/// Whether inserting is worth it.
pub fn pays(first: i64, length: i64, key: &Key<'_>) -> bool {
    first <= MAX_INSERTED && 2 * first <= length && i64::from(key.width) <= POSITION_BITS
}

/// The first elements of a line.
#[derive(Clone, Copy)]
pub struct Insertion<'c> {
    /// How many elements are kept.
    pub first: i64,
    /// The length of the line.
    pub length: Value<'c>,
}

impl<'c> Insertion<'c> {
    /// The place of the first of the smallest elements: two loops without branches.
    pub fn smallest(self, b: &Builder<'c>, source: &Source<'_, 'c>) -> Outcome<Value<'c>> {
        let least = self.least(b, source, [b.index(0), self.length])?;
        let number = integer(b.context, POSITION_BITS as u32);
        let none = b.int(number, -1);
        let found = for_loop(b, b.index(0), self.length, &[none], |b, place, found| {
            let is_least = b.cmpi(arith::CmpIPredicate::Eq, source.key(b, place)?, least);
            let place = b.cast(arith::INDEX_CAST, place, number);
            Ok(vec![b.same(arith::MINUI, &[found[0], b.select(is_least, place, none)])])
        })?;
        Ok(b.cast(arith::INDEX_CASTUI, found[0], index(b.context)))
    }

    /// The entries of the first elements, in order.
    pub fn entries(self, b: &Builder<'c>, source: &Source<'_, 'c>) -> Outcome<Value<'c>> {
        let list = b.filled(b.int(integer(b.context, 64), -1), &[self.first]);
        let bounds = [b.index(0), self.length, b.index(INSERTION_BLOCK)];
        let done = for_step(b, bounds, &[list], |b, block, carried| {
            let end = b.same(arith::ADDI, &[block, b.index(INSERTION_BLOCK)]);
            let end = b.same(arith::MINUI, &[end, self.length]);
            let any = self.any(b, source, [block, end], carried[0])?;
            when(b, any, carried, |b| {
                for_loop(b, block, end, carried, |b, place, carried| {
                    let entry = entry(b, source, place)?;
                    let comes = b.cmpi(arith::CmpIPredicate::Ult, entry, self.last(b, carried[0]));
                    when(b, comes, carried, |b| self.insert(b, entry, carried[0]))
                })
            })
        })?;
        Ok(done[0])
    }

    /// The position of the element of entry `position`.
    pub fn place(b: &Builder<'c>, entries: Value<'c>, position: Value<'c>) -> Value<'c> {
        let entry = b.extract(entries, &[position]);
        let place = b.cast(arith::TRUNCI, entry, integer(b.context, POSITION_BITS as u32));
        b.cast(arith::INDEX_CASTUI, place, index(b.context))
    }

    fn last(self, b: &Builder<'c>, list: Value<'c>) -> Value<'c> {
        b.extract(list, &[b.index(self.first - 1)])
    }

    /// Whether an element of the block may have to be inserted.
    fn any(
        self,
        b: &Builder<'c>,
        source: &Source<'_, 'c>,
        [block, end]: [Value<'c>; 2],
        list: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let least = self.least(b, source, [block, end])?;
        let last = self.last(b, list);
        let threshold = b.same(arith::SHRUI, &[last, b.int(last.ty(), POSITION_BITS)]);
        let below = b.cmpi(arith::CmpIPredicate::Ult, widened(b, least), threshold);
        let filling = b.cmpi(arith::CmpIPredicate::Eq, last, b.int(last.ty(), -1));
        Ok(b.same(arith::ORI, &[filling, below]))
    }

    /// The smallest key from one place to another.
    fn least(
        self,
        b: &Builder<'c>,
        source: &Source<'_, 'c>,
        [begin, end]: [Value<'c>; 2],
    ) -> Outcome<Value<'c>> {
        let largest = b.int(integer(b.context, source.key.width), -1);
        let least = for_loop(b, begin, end, &[largest], |b, place, least| {
            let key = source.key(b, place)?;
            Ok(vec![b.same(arith::MINUI, &[least[0], key])])
        })?;
        Ok(least[0])
    }

    /// Inserts `entry` into the list and drops the last entry.
    fn insert(self, b: &Builder<'c>, entry: Value<'c>, list: Value<'c>) -> Outcome<Vec<Value<'c>>> {
        let from_end = b.index(self.first - 1);
        let moved = for_loop(b, b.index(0), from_end, &[list], |b, step, list| {
            let here = b.same(arith::SUBI, &[from_end, step]);
            let before = b.same(arith::SUBI, &[here, b.index(1)]);
            let least = b.same(arith::MINUI, &[b.extract(list[0], &[here]), entry]);
            let next = b.same(arith::MAXUI, &[b.extract(list[0], &[before]), least]);
            Ok(vec![insert(b, next, list[0], &[here])])
        })?;
        let start = [b.index(0)];
        let least = b.same(arith::MINUI, &[b.extract(moved[0], &start), entry]);
        Ok(vec![insert(b, least, moved[0], &start)])
    }
}

/// The key and the position of an element as one number.
fn entry<'c>(b: &Builder<'c>, source: &Source<'_, 'c>, place: Value<'c>) -> Outcome<Value<'c>> {
    let key = widened(b, source.key(b, place)?);
    let key = b.same(arith::SHLI, &[key, b.int(key.ty(), POSITION_BITS)]);
    let number = b.cast(arith::INDEX_CAST, place, key.ty());
    Ok(b.same(arith::ORI, &[key, number]))
}

fn widened<'c>(b: &Builder<'c>, key: Value<'c>) -> Value<'c> {
    b.cast(arith::EXTUI, key, integer(b.context, 64))
}
