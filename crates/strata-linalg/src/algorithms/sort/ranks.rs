//! Short lines by counting: the place of an element is the number of those that come before it. That takes the square of the length,
//! but only a few short loops, for programs whose compilation a client waits for.
//!
//! ```text
//! for i: key[i] = key of the elements at i; rank[i] = where the block of i begins; taken[i] = 0
//! for j: for each block of i up to that of j: rank[i] += key[j] < key[i]
//!        for each block after that of j:      rank[i] -= key[i] < key[j]
//! for i: result[rank[i] + taken[rank[i]]++] = elements at i
//! ```
//! Blocks are short vectors. Of equal keys those of earlier blocks count as before; in one block they have the same rank, and take the
//! places from there on in their order: the sort is stable.

use strata_ir::{Builder, Type, TypeExt as _, Value, arith, integer};
use strata_rewrite::{Lowerer, Outcome};
use strata_target::{Target, tuning::sorting::MAX_COUNTED_WORK};

use super::{Line, keys::Key};
use crate::{
    algorithms::short_vectors::Lanes,
    loops::{for_loop, for_nest, insert},
};

/// Bits of a rank, and of a key at least.
const RANK_BITS: u32 = 32;

/// How the elements of a line are counted.
pub struct Ranks<'c> {
    /// The integers that keys and ranks are.
    ty: Type<'c>,
    lanes: Lanes,
    length: i64,
}

impl<'c> Ranks<'c> {
    /// The way for lines with this key; `None` where they are too long or too many.
    pub fn of(b: &Builder<'c>, line: &Line<'c>, key: &Key<'c>, target: &Target) -> Option<Self> {
        let ty = integer(b.context, key.width.max(RANK_BITS));
        let ranks = Self { ty, lanes: Lanes::along(i64::MAX, ty, target), length: line.length };
        let lines: i64 = line.around().iter().product();
        let work = [line.length, ranks.blocks()]
            .iter()
            .try_fold(lines, |work, factor| work.checked_mul(*factor));
        work.is_some_and(|work| work <= MAX_COUNTED_WORK).then_some(ranks)
    }

    fn blocks(&self) -> i64 {
        (self.length + self.lanes.0 - 1) / self.lanes.0
    }

    /// Sorts `operands` along the line's dimension.
    pub fn sort(
        &self,
        b: &Builder<'c>,
        line: &Line<'c>,
        operands: &[Value<'c>],
        key: &Key<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let to: Vec<_> =
            operands.iter().map(|value| b.empty(&line.sizes, value.ty().element())).collect();
        for_nest(b, &line.others(), &to, &mut |b, others, to| {
            let read = |b: &Builder<'c>, position| line.read(b, operands, others, position);
            let [keys, ranks, taken] = self.begin(b, &|b, position| {
                let key = key.emit(b, &read(b, position), lowerer)?;
                Ok(self.signed(b, key))
            })?;
            let ranks = self.count(b, keys, ranks)?;
            let mut carried = vec![taken];
            carried.extend(to);
            let done = for_loop(b, b.index(0), b.index(self.length), &carried, |b, i, carried| {
                let rank = b.extract(ranks, &[i]);
                let at = [to_index(b, rank)];
                let before = b.extract(carried[0], &at);
                let more = b.same(arith::ADDI, &[before, b.int(self.ty, 1)]);
                let mut next = vec![insert(b, more, carried[0], &at)];
                let place = to_index(b, b.same(arith::ADDI, &[rank, before]));
                let place = line.place(others, place);
                let pairs = read(b, i).into_iter().zip(&carried[1..]);
                next.extend(pairs.map(|(value, to)| insert(b, value, *to, &place)));
                Ok(next)
            })?;
            Ok(done[1..].to_vec())
        })
    }

    /// An unsigned key as a signed number of the same order.
    fn signed(&self, b: &Builder<'c>, key: Value<'c>) -> Value<'c> {
        match key.ty() == self.ty {
            false => b.cast(arith::EXTUI, key, self.ty),
            true => {
                let sign = i64::MIN >> (64 - self.ty.bit_width().unwrap_or(64));
                b.same(arith::XORI, &[key, b.int(self.ty, sign)])
            }
        }
    }

    /// The keys, what is counted before anything is compared, and zeros. Past the end, where nothing is read but by whole blocks, the
    /// last element is repeated.
    fn begin(
        &self,
        b: &Builder<'c>,
        key: &dyn Fn(&Builder<'c>, Value<'c>) -> Outcome<Value<'c>>,
    ) -> Outcome<[Value<'c>; 3]> {
        let padded = self.blocks() * self.lanes.0;
        let empty = b.empty(&[padded], self.ty);
        let all = [empty, b.empty(&[padded], self.ty), b.empty(&[padded], self.ty)];
        let done = for_loop(b, b.index(0), b.index(padded), &all, |b, i, all| {
            let read = match padded == self.length {
                true => i,
                false => b.same(arith::MINUI, &[i, b.index(self.length - 1)]),
            };
            let within = b.same(arith::REMUI, &[i, b.index(self.lanes.0)]);
            let first = b.cast(arith::INDEX_CAST, b.same(arith::SUBI, &[i, within]), self.ty);
            let values = [key(b, read)?, first, b.int(self.ty, 0)];
            Ok(values.into_iter().zip(all).map(|(value, to)| insert(b, value, *to, &[i])).collect())
        })?;
        Ok([done[0], done[1], done[2]])
    }

    /// The ranks of all elements, equal ones of a block having the same.
    fn count(&self, b: &Builder<'c>, keys: Value<'c>, ranks: Value<'c>) -> Outcome<Value<'c>> {
        let lanes = self.lanes;
        let counted = for_loop(b, b.index(0), b.index(self.length), &[ranks], |b, j, ranks| {
            let other = lanes.splat(b, b.extract(keys, &[j]));
            let own = b.same(arith::DIVUI, &[j, b.index(lanes.0)]);
            let next = b.same(arith::ADDI, &[own, b.index(1)]);
            let blocks = |b: &Builder<'c>, [low, high]: [Value<'c>; 2], ranks, is_up_to: bool| {
                for_loop(b, low, high, &[ranks], |b, block, ranks| {
                    let at = [b.same(arith::MULI, &[block, b.index(lanes.0)])];
                    let mine = lanes.load(b, keys, &at);
                    let [less, more] = if is_up_to { [other, mine] } else { [mine, other] };
                    let truth = lanes.row(integer(b.context, 1));
                    let comes =
                        arith::cmpi(b, arith::CmpIPredicate::Slt, less, more, truth).value();
                    // All bits of a lane where it holds.
                    let minus = b.cast(arith::EXTSI, comes, lanes.row(self.ty));
                    let rank = lanes.load(b, ranks[0], &at);
                    let change = if is_up_to { arith::SUBI } else { arith::ADDI };
                    let rank = b.same(change, &[rank, minus]);
                    Ok(vec![lanes.store(b, rank, ranks[0], &at)])
                })
            };
            let counted = blocks(b, [b.index(0), next], ranks[0], true)?;
            match self.blocks() {
                1 => Ok(counted),
                all => blocks(b, [next, b.index(all)], counted[0], false),
            }
        })?;
        Ok(counted[0])
    }
}

fn to_index<'c>(b: &Builder<'c>, number: Value<'c>) -> Value<'c> {
    b.cast(arith::INDEX_CASTUI, number, strata_ir::index(b.context))
}
