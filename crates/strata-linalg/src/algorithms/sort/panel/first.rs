//! Panels of which only the first rows count, a number known at run time.

use strata_ir::{Builder, TypeExt as _, Value, arith};
use strata_rewrite::{Guard as _, Outcome};

use super::Panel;
use crate::{
    algorithms::{
        short_vectors::{insert_block, slice_block},
        sort::network::{self, exchanged, parts},
    },
    loops::{Carried, for_loop, for_step},
    lowerings::shape::transpose,
};

/// Where the lines of a panel are in a tensor.
pub enum Place<'c> {
    /// As many as there are lanes from this one on, along the last of two dimensions.
    Lines(Value<'c>),
    /// Along the second-to-last dimension: the places in dimensions before, and the first one in the last dimension.
    Columns(Vec<Value<'c>>, Value<'c>),
}

/// The rows that count, as blocks: the first one has less than the others, unless all are whole, so that none begins or ends where no
/// row counts.
struct Rows<'c> {
    /// How many count.
    valid: Value<'c>,
    /// How many blocks they are.
    blocks: Value<'c>,
    /// How many the first block has, if it is not whole.
    left: Value<'c>,
    /// For numbers of rows that the first block may be taken for if it is not whole: 1 for the smallest that it has no more than, else 0.
    partial: [(i64, Value<'c>); 2],
}

impl<'c> Panel<'_, 'c> {
    /// Writes the first `valid` elements of the lines of `from` in order to `to`; if these are less than a block, others up to its end,
    /// too. Returns also the vectors of recorded state.
    pub fn sort_first(
        &self,
        b: &Builder<'c>,
        valid: Value<'c>,
        place: &Place<'c>,
        [from, to]: [Value<'c>; 2],
    ) -> Outcome<(Value<'c>, Vec<Value<'c>>)> {
        let left = b.same(arith::REMUI, &[valid, b.index(self.block)]);
        let one = b.index(1);
        let half = self.block / 2;
        let any = b.same(arith::MINUI, &[left, one]);
        let is_more = b.cmpi(arith::CmpIPredicate::Ugt, left, b.index(half));
        let more = b.select(is_more, one, b.index(0));
        let partial = [(half, b.same(arith::SUBI, &[any, more])), (self.block, more)];
        let rows = Rows { valid, blocks: parts(b, valid, self.block), left, partial };
        let read = self.sorted_blocks(b, &rows, place, from)?;
        let mut keys = self.rest(b, valid, read[0])?;
        let passes = network::merges(self.length, self.block);
        let (last, others) = passes.split_last().or_decline("there is nothing to merge")?;
        for pass in others {
            keys = self.pass(b, pass, Some(valid), keys)?;
        }
        let elements = b.empty(&[self.length, self.lanes.0], to.ty().element());
        let elements = self.each(b, rows.blocks, &[elements], |b, start, carried| {
            let keys = exchanged(b, self.load(b, keys, start), &last.comparisons());
            let rows = keys.into_iter().map(|key| self.own.element(b, key));
            Ok(vec![self.stored(b, &rows.collect::<Vec<_>>(), carried[0], start)])
        })?;
        let write = |b: &Builder<'c>, start: Value<'c>, carried: &[Value<'c>]| -> Carried<'c> {
            Ok(vec![self.written(b, elements[0], start, place, carried[0])?])
        };
        // Elements that are in two blocks are written twice.
        let any = b.same(arith::MINUI, &[rows.left, b.index(1)]);
        let done =
            for_loop(b, b.index(0), any, &[to], |b, _, carried| write(b, b.index(0), carried))?;
        let done = for_step(b, self.whole(b, &rows), &done, write)?;
        Ok((done[0], read[1..].to_vec()))
    }

    /// The keys of sorted blocks, of which the first one is filled up with the largest ones, and the recorded state.
    fn sorted_blocks(
        &self,
        b: &Builder<'c>,
        rows: &Rows<'c>,
        place: &Place<'c>,
        from: Value<'c>,
    ) -> Carried<'c> {
        let ty = self.own.ty(b);
        let unseen = self.own.unseen().into_iter();
        let mut carried = vec![b.empty(&[self.length, self.lanes.0], ty)];
        carried.extend(unseen.map(|unseen| b.filled(b.int(ty, unseen), &[self.lanes.0])));
        let sort =
            |b: &Builder<'c>, keys: Vec<Value<'c>>, start: Value<'c>, carried: &[Value<'c>]| {
                let sorting = network::sorting(keys.len());
                let mut keys = exchanged(b, keys, &sorting);
                keys.resize(self.block as usize, b.int(self.lanes.row(ty), self.own.largest()));
                self.stored(b, &keys, carried[0], start)
            };
        let least = b.int(ty, !self.own.largest());
        let largest = b.int(ty, self.own.largest());
        for (count, times) in rows.partial {
            carried = for_loop(b, b.index(0), times, &carried, |b, _, carried| {
                let elements = self.elements(b, place, from, (b.index(0), count))?;
                let (keys, seen) = self.keys(b, elements, &carried[1..]);
                // The other rows are in the second block.
                let bounded = keys.into_iter().enumerate().map(|(row, key)| {
                    let row = b.index(row as i64);
                    let counts = b.cmpi(arith::CmpIPredicate::Ult, row, rows.left);
                    let at_least = b.select(counts, least, largest);
                    b.same(arith::MAXSI, &[key, self.lanes.splat(b, at_least)])
                });
                let mut next = vec![sort(b, bounded.collect(), b.index(0), carried)];
                next.extend(seen);
                Ok(next)
            })?;
        }
        let some = b.same(arith::MINUI, &[rows.left, b.index(1)]);
        let shift = b.same(arith::MULI, &[some, b.index(self.block)]);
        let shift = b.same(arith::SUBI, &[shift, rows.left]);
        for_step(b, self.whole(b, rows), &carried, |b, start, carried| {
            let elements = self.elements(b, place, from, (start, self.block))?;
            let (keys, seen) = self.keys(b, elements, &carried[1..]);
            let at = b.same(arith::ADDI, &[start, shift]);
            let mut next = vec![sort(b, keys, at, carried)];
            next.extend(seen);
            Ok(next)
        })
    }

    /// The bounds of a loop over the first rows of whole blocks, and its step.
    fn whole(&self, b: &Builder<'c>, rows: &Rows<'c>) -> [Value<'c>; 3] {
        [rows.left, rows.valid, b.index(self.block)]
    }

    /// A loop over blocks; `body` gets the first row.
    fn each(
        &self,
        b: &Builder<'c>,
        blocks: Value<'c>,
        carried: &[Value<'c>],
        body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
    ) -> Carried<'c> {
        for_loop(b, b.index(0), blocks, carried, |b, number, carried| {
            body(b, b.same(arith::MULI, &[number, b.index(self.block)]), carried)
        })
    }

    /// The keys with the largest ones in the rows after the sorted blocks that these are merged with.
    fn rest(&self, b: &Builder<'c>, valid: Value<'c>, keys: Value<'c>) -> Outcome<Value<'c>> {
        let first = parts(b, valid, self.block);
        let first = b.same(arith::MULI, &[first, b.index(self.block)]);
        let runs = std::iter::successors(Some(self.block), |run| Some(2 * run));
        let end = runs.take_while(|run| *run < self.length).fold(b.index(0), |end, run| {
            let merges = b.cmpi(arith::CmpIPredicate::Ugt, valid, b.index(run));
            b.select(merges, b.index((2 * run).min(self.length)), end)
        });
        let filled = for_loop(b, first, end, &[keys], |b, row, keys| {
            let largest = self.lanes.splat(b, b.int(self.own.ty(b), self.own.largest()));
            Ok(vec![self.lanes.store(b, largest, keys[0], &[row, b.index(0)])])
        })?;
        Ok(filled[0])
    }

    /// The first rows, so many, of a block of elements.
    fn elements(
        &self,
        b: &Builder<'c>,
        place: &Place<'c>,
        from: Value<'c>,
        (start, count): (Value<'c>, i64),
    ) -> Outcome<Vec<Value<'c>>> {
        let (tensor, before, first, start) = match place {
            Place::Lines(first) => {
                let lines = slice_block(b, from, &[*first, start], &[self.lanes.0, self.block]);
                (transpose(b, lines, &[1, 0])?, Vec::new(), b.index(0), b.index(0))
            }
            Place::Columns(before, first) => (from, before.clone(), *first, start),
        };
        let row = |row: i64| {
            let row = b.same(arith::ADDI, &[start, b.index(row)]);
            self.lanes.load(b, tensor, &[&before[..], &[row, first]].concat())
        };
        Ok((0..count).map(row).collect())
    }

    /// `to` with a block of rows of elements.
    fn written(
        &self,
        b: &Builder<'c>,
        elements: Value<'c>,
        start: Value<'c>,
        place: &Place<'c>,
        to: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let zero = b.index(0);
        match place {
            Place::Lines(line) => {
                let rows = slice_block(b, elements, &[start, zero], &[self.block, self.lanes.0]);
                Ok(insert_block(b, transpose(b, rows, &[1, 0])?, to, &[*line, start]))
            }
            Place::Columns(before, first) => Ok((0..self.block).fold(to, |to, row| {
                let row = b.same(arith::ADDI, &[start, b.index(row)]);
                let elements = self.lanes.load(b, elements, &[row, zero]);
                self.lanes.store(b, elements, to, &[&before[..], &[row, *first]].concat())
            })),
        }
    }
}
