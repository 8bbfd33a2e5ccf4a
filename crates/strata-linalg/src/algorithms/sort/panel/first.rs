//! Panels of which only the first rows count, a number known at run time.

use strata_ir::{Builder, TypeExt as _, Value, arith};
use strata_rewrite::{Guard as _, Outcome};

use super::{Panel, exchanged, parts};
use crate::{
    algorithms::{
        short_vectors::{insert_block, slice_block},
        sort::network,
    },
    loops::{Carried, for_loop},
    lowerings::shape::transpose,
};

/// Where the lines of a panel are in a tensor.
pub enum Place<'c> {
    /// As many as there are lanes from this one on, along the last of two dimensions.
    Lines(Value<'c>),
    /// Along the second-to-last dimension: the places in dimensions before, and the first one in the last dimension.
    Columns(Vec<Value<'c>>, Value<'c>),
}

impl<'c> Panel<'_, 'c> {
    /// Writes the first `valid` elements of the lines of `from` in order to `to`, with others up to the end of the last block. Returns
    /// also the vectors of recorded state.
    pub fn sort_first(
        &self,
        b: &Builder<'c>,
        valid: Value<'c>,
        place: &Place<'c>,
        [from, to]: [Value<'c>; 2],
    ) -> Outcome<(Value<'c>, Vec<Value<'c>>)> {
        let ty = self.own.ty(b);
        let blocks = parts(b, valid, self.block);
        let unseen = self.own.unseen().into_iter();
        let mut carried = vec![b.empty(&[self.length, self.lanes.0], ty)];
        carried.extend(unseen.map(|unseen| b.filled(b.int(ty, unseen), &[self.lanes.0])));
        let sorted = self.each(b, blocks, &carried, |b, start, carried| {
            let elements = self.elements(b, place, from, start)?;
            let (keys, seen) = self.keys(b, elements, &carried[1..]);
            // Rows that do not count are the largest.
            let least = b.int(ty, !self.own.largest());
            let largest = b.int(ty, self.own.largest());
            let bounded = keys.into_iter().enumerate().map(|(row, key)| {
                let row = b.same(arith::ADDI, &[start, b.index(row as i64)]);
                let counts = b.cmpi(arith::CmpIPredicate::Ult, row, valid);
                let at_least = b.select(counts, least, largest);
                b.same(arith::MAXSI, &[key, self.lanes.splat(b, at_least)])
            });
            let keys = exchanged(b, bounded.collect(), &network::sorting(self.block as usize));
            let mut next = vec![self.stored(b, &keys, carried[0], start)];
            next.extend(seen);
            Ok(next)
        })?;
        let mut keys = self.rest(b, valid, sorted[0])?;
        let passes = network::merges(self.length, self.block);
        let (last, others) = passes.split_last().or_decline("there is nothing to merge")?;
        for pass in others {
            keys = self.pass(b, pass, Some(valid), keys)?;
        }
        let done = self.each(b, blocks, &[to], |b, start, carried| {
            let keys = exchanged(b, self.load(b, keys, start), &last.comparisons());
            Ok(vec![self.written(b, &keys, start, place, carried[0])?])
        })?;
        Ok((done[0], sorted[1..].to_vec()))
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

    /// The rows of a block.
    fn elements(
        &self,
        b: &Builder<'c>,
        place: &Place<'c>,
        from: Value<'c>,
        start: Value<'c>,
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
        Ok((0..self.block).map(row).collect())
    }

    /// `to` with the elements of the keys of a block.
    fn written(
        &self,
        b: &Builder<'c>,
        keys: &[Value<'c>],
        start: Value<'c>,
        place: &Place<'c>,
        to: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let (into, before, first, at) = match place {
            Place::Lines(_) => {
                let tile = b.empty(&[self.block, self.lanes.0], to.ty().element());
                (tile, Vec::new(), b.index(0), b.index(0))
            }
            Place::Columns(before, first) => (to, before.clone(), *first, start),
        };
        let rows = keys.iter().enumerate();
        let into = rows.fold(into, |into, (row, key)| {
            let row = b.same(arith::ADDI, &[at, b.index(row as i64)]);
            let at = [&before[..], &[row, first]].concat();
            self.lanes.store(b, self.own.element(b, *key), into, &at)
        });
        match place {
            Place::Lines(line) => {
                Ok(insert_block(b, transpose(b, into, &[1, 0])?, to, &[*line, start]))
            }
            Place::Columns(..) => Ok(into),
        }
    }
}
