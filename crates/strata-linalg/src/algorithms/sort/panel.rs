//! Sorts short lines in parallel: a panel has a column for each line, as many as a vector has lanes, and all columns are
//! sorted by the same comparisons of rows ([`network`]), each a minimum and a maximum of vectors.
//!
//! ```text
//! for each block of 16 rows: read elements, keys of them, sorted in registers, stored
//! for each pass of the merges: for each group of 16 rows: loaded, compared, stored; the last one writes elements
//! ```
//! Lines along the last dimension are transposed into a panel and back.
//!
//! Where only the first rows count, blocks of those are read and written, and rows up to the end of the last span that has some are the
//! largest. Passes end with the rows, and pairs of runs of which only the first one has rows are not merged.

mod first;

use strata_ir::{Builder, TypeExt as _, Value, arith};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::{
    Isa, Target,
    tuning::sorting::{
        MAX_NETWORK_LENGTH, MAX_SCALAR_NETWORK_LENGTH, MAX_SQUARE_SIDE, MIN_NETWORK_LANES,
    },
};

use self::first::Place;
use super::{
    Line,
    network::{self, Pass, exchanged},
    own::Own,
};
use crate::{
    algorithms::short_vectors::{Lanes, insert_block, slice_block},
    loops::{Carried, for_loop, for_step, insert, when},
    lowerings::shape::{extract_slice, insert_slice, reshape::reshape, transpose},
};

/// Sorts along the line's dimension; `None` where lines are too long or too few.
pub fn sort<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    operand: Value<'c>,
    own: &Own<'c>,
    target: &Target,
) -> Option<Outcome<Vec<Value<'c>>>> {
    let panel = Panel::of(line, own, target)?;
    let [before, after] = line.around();
    let sorted = match after {
        1 => panel.sort_lines(b, operand, before),
        _ => panel.sort_columns(b, operand, [before, after]),
    };
    Some(sorted.and_then(|sorted| Ok(vec![reshape(b, sorted, &line.sizes)?])))
}

/// Some lines as columns.
pub struct Panel<'a, 'c> {
    own: &'a Own<'c>,
    lanes: Lanes,
    /// Rows of the panel.
    length: i64,
    /// How many rows count, if not all.
    valid: Option<Value<'c>>,
    /// Rows that are sorted in registers.
    block: i64,
}

/// As many columns of a tensor as there are lanes, along its second-to-last dimension.
struct Columns<'c> {
    tensor: Value<'c>,
    /// Their position in the leading dimensions.
    before: Vec<Value<'c>>,
    first: Value<'c>,
}

impl<'c> Columns<'c> {
    /// The same columns of another tensor.
    fn of(&self, tensor: Value<'c>) -> Self {
        Self { tensor, before: self.before.clone(), first: self.first }
    }

    fn at(&self, row: Value<'c>) -> Vec<Value<'c>> {
        let mut at = self.before.clone();
        at.extend([row, self.first]);
        at
    }
}

impl<'a, 'c> Panel<'a, 'c> {
    /// The panel for lines; `None` where they are too long or too few.
    pub fn of(line: &Line<'c>, own: &'a Own<'c>, target: &Target) -> Option<Self> {
        let [before, after] = line.around();
        let count = if after == 1 { before } else { after };
        let widest = i64::from(target.lanes(own.width)).min(count);
        // Without an instruction for it, a minimum of 64 bits is a dozen of them.
        let compares = target.isa != Isa::Sse2 || own.width < 64;
        let (lanes, longest) = match widest >= MIN_NETWORK_LANES && compares {
            true => (1 << widest.ilog2(), MAX_NETWORK_LENGTH),
            false => (1, MAX_SCALAR_NETWORK_LENGTH),
        };
        (line.length <= longest).then(|| Panel {
            own,
            lanes: Lanes(lanes),
            length: line.length,
            valid: line.valid,
            block: if target.vector_registers() >= 32 { 16 } else { 8 },
        })
    }

    /// Whether it consists of several whole blocks.
    pub fn has_blocks(&self) -> bool {
        self.length > self.block && self.length % self.block == 0
    }

    fn sort_lines(&self, b: &Builder<'c>, operand: Value<'c>, count: i64) -> Outcome<Value<'c>> {
        let sizes = [count, self.length];
        let from = reshape(b, operand, &sizes)?;
        let to = b.empty(&sizes, operand.ty().element());
        let line = self.line(&sizes);
        self.groups(b, count, to, |b, first, to| {
            if let Some(valid) = self.valid {
                let place = Place::Lines(first);
                let (to, seen) = self.sort_first(b, valid, &place, [from, to])?;
                return self.restore(b, &line, [from, to], &seen, &|lane| vec![lane], first);
            }
            let zero = b.index(0);
            let columns = |tensor| Columns { tensor, before: Vec::new(), first: zero };
            let transposed = self.transposed(b, from, first)?;
            let into = b.empty(&[self.length, self.lanes.0], operand.ty().element());
            let (sorted, seen) = self.sort(b, &columns(transposed), &columns(into))?;
            let to = self.transposed_back(b, sorted, to, first)?;
            self.restore(b, &line, [from, to], &seen, &|lane| vec![lane], first)
        })
    }

    /// Lines of these sizes along the second dimension.
    fn line(&self, sizes: &[i64]) -> Line<'c> {
        Line { sizes: sizes.to_vec(), dim: 1, length: self.length, valid: self.valid }
    }

    /// Positions of lines that fill squares. The others are moved one by one, because accesses to slices of another shape
    /// would hide that groups of lines are disjoint.
    fn square(&self) -> i64 {
        let side = self.lanes.0.min(MAX_SQUARE_SIDE);
        self.length / side * side
    }

    /// The lines from `first` on as columns.
    fn transposed(&self, b: &Builder<'c>, from: Value<'c>, first: Value<'c>) -> Outcome<Value<'c>> {
        let (lanes, whole) = (self.lanes.0, self.square());
        let mut panel = b.empty(&[self.length, lanes], from.ty().element());
        if whole > 0 {
            let lines = slice_block(b, from, &[first, b.index(0)], &[lanes, whole]);
            let columns = transpose(b, lines, &[1, 0])?;
            if whole == self.length {
                return Ok(columns);
            }
            panel = insert_slice(b, columns, panel, &[0, 0], &[1, 1])?;
        }
        self.others(b, panel, |b, [position, lane], panel| {
            let line = b.same(arith::ADDI, &[first, lane]);
            insert(b, b.extract(from, &[line, position]), panel, &[position, lane])
        })
    }

    /// `to` with columns as the lines from `first` on.
    fn transposed_back(
        &self,
        b: &Builder<'c>,
        panel: Value<'c>,
        mut to: Value<'c>,
        first: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let (lanes, whole) = (self.lanes.0, self.square());
        if whole > 0 {
            let columns = match whole == self.length {
                true => panel,
                false => extract_slice(b, panel, &[0, 0], &[whole, lanes], &[1, 1]),
            };
            to = insert_block(b, transpose(b, columns, &[1, 0])?, to, &[first, b.index(0)]);
        }
        self.others(b, to, |b, [position, lane], to| {
            let line = b.same(arith::ADDI, &[first, lane]);
            insert(b, b.extract(panel, &[position, lane]), to, &[line, position])
        })
    }

    /// A loop over the remaining positions, of all lines.
    fn others(
        &self,
        b: &Builder<'c>,
        into: Value<'c>,
        body: impl Fn(&Builder<'c>, [Value<'c>; 2], Value<'c>) -> Value<'c>,
    ) -> Outcome<Value<'c>> {
        let whole = self.square();
        if whole == self.length {
            return Ok(into);
        }
        let done = between(b, [whole, self.length], &[into], |b, position, into| {
            for_loop(b, b.index(0), b.index(self.lanes.0), into, |b, lane, into| {
                Ok(vec![body(b, [position, lane], into[0])])
            })
        })?;
        Ok(done[0])
    }

    fn sort_columns(
        &self,
        b: &Builder<'c>,
        operand: Value<'c>,
        [before, after]: [i64; 2],
    ) -> Outcome<Value<'c>> {
        let sizes = [before, self.length, after];
        let from = reshape(b, operand, &sizes)?;
        let to = b.empty(&sizes, operand.ty().element());
        let line = self.line(&sizes);
        let done = for_loop(b, b.index(0), b.index(before), &[to], |b, number, to| {
            let to = self.groups(b, after, to[0], |b, first, to| {
                let columns = |tensor| Columns { tensor, before: vec![number], first };
                let (to, seen) = match self.valid {
                    Some(valid) => {
                        let place = Place::Columns(vec![number], first);
                        self.sort_first(b, valid, &place, [from, to])?
                    }
                    None => self.sort(b, &columns(from), &columns(to))?,
                };
                self.restore(b, &line, [from, to], &seen, &|lane| vec![number, lane], first)
            })?;
            Ok(vec![to])
        })?;
        Ok(done[0])
    }

    /// A loop over groups of as many lines as there are lanes: `body` gets the first one. The last group may overlap the
    /// one before.
    fn groups(
        &self,
        b: &Builder<'c>,
        count: i64,
        to: Value<'c>,
        body: impl Fn(&Builder<'c>, Value<'c>, Value<'c>) -> Outcome<Value<'c>>,
    ) -> Outcome<Value<'c>> {
        let lanes = self.lanes.0;
        let bounds = [b.index(0), b.index(count / lanes * lanes), b.index(lanes)];
        let done = for_step(b, bounds, &[to], |b, first, to| Ok(vec![body(b, first, to[0])?]))?;
        match count % lanes {
            0 => Ok(done[0]),
            _ => body(b, b.index(count - lanes), done[0]),
        }
    }

    /// Restores the order of equal elements of the lines from `first` on, if there are distinguishable ones.
    fn restore(
        &self,
        b: &Builder<'c>,
        line: &Line<'c>,
        [from, to]: [Value<'c>; 2],
        seen: &[Value<'c>],
        others: &dyn Fn(Value<'c>) -> Vec<Value<'c>>,
        first: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let Some(any) = self.own.found(b, seen) else { return Ok(to) };
        let restored = when(b, any, &[to], |b| {
            for_loop(b, b.index(0), b.index(self.lanes.0), &[to], |b, lane, to| {
                let lane = b.same(arith::ADDI, &[first, lane]);
                Ok(vec![self.own.restore(b, line, [from, to[0]], &others(lane))?])
            })
        })?;
        Ok(restored[0])
    }

    /// Sorts columns and returns the tensor that they were written to, and the vectors of recorded state.
    fn sort(
        &self,
        b: &Builder<'c>,
        from: &Columns<'c>,
        to: &Columns<'c>,
    ) -> Outcome<(Value<'c>, Vec<Value<'c>>)> {
        let ty = self.own.ty(b);
        let unseen = self.own.unseen().into_iter();
        let seen: Vec<_> =
            unseen.map(|unseen| b.filled(b.int(ty, unseen), &[self.lanes.0])).collect();
        let (whole, left) = (self.length / self.block, self.length % self.block);
        if self.length <= self.block {
            let (keys, seen) = self.read_block(b, from, b.index(0), self.length, &seen);
            let keys = exchanged(b, keys, &network::sorting(self.length as usize));
            return Ok((self.write(b, &keys, b.index(0), to), seen));
        }
        let rows = whole + i64::from(left > 0);
        let mut carried = vec![b.empty(&[rows * self.block, self.lanes.0], ty)];
        carried.extend(seen);
        let mut carried = self.blocks(b, whole, &carried, |b, start, carried| {
            Ok(self.sorted_block(b, from, start, self.block, carried))
        })?;
        if left > 0 {
            let start = b.index(whole * self.block);
            carried = self.sorted_block(b, from, start, left, &carried);
        }
        let passes = network::merges(rows * self.block, self.block);
        let (last, others) = passes.split_last().or_decline("there is nothing to merge")?;
        let mut keys = carried[0];
        for pass in others {
            keys = self.pass(b, pass, None, keys)?;
        }
        // The last pass merges within blocks, and elements follow from its keys.
        let merged =
            |b: &Builder<'c>, start| exchanged(b, self.load(b, keys, start), &last.comparisons());
        let done = self.blocks(b, whole, &[to.tensor], |b, start, carried| {
            Ok(vec![self.write(b, &merged(b, start), start, &to.of(carried[0]))])
        })?;
        let mut done = done[0];
        if left > 0 {
            let start = b.index(whole * self.block);
            done = self.write(b, &merged(b, start)[..left as usize], start, &to.of(done));
        }
        Ok((done, carried[1..].to_vec()))
    }

    /// A loop over blocks; `body` gets the first row.
    fn blocks(
        &self,
        b: &Builder<'c>,
        count: i64,
        carried: &[Value<'c>],
        body: impl Fn(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
    ) -> Carried<'c> {
        for_loop(b, b.index(0), b.index(count), carried, |b, number, carried| {
            body(b, b.same(arith::MULI, &[number, b.index(self.block)]), carried)
        })
    }

    /// Reads `count` rows of elements: their keys, and the recorded state.
    fn read_block(
        &self,
        b: &Builder<'c>,
        from: &Columns<'c>,
        start: Value<'c>,
        count: i64,
        seen: &[Value<'c>],
    ) -> (Vec<Value<'c>>, Vec<Value<'c>>) {
        let row = |row| {
            let at = from.at(b.same(arith::ADDI, &[start, b.index(row)]));
            self.lanes.load(b, from.tensor, &at)
        };
        self.keys(b, (0..count).map(row), seen)
    }

    /// The keys of rows of elements, and the recorded state.
    fn keys(
        &self,
        b: &Builder<'c>,
        rows: impl IntoIterator<Item = Value<'c>>,
        seen: &[Value<'c>],
    ) -> (Vec<Value<'c>>, Vec<Value<'c>>) {
        let zero = b.index(0);
        let mut now: Vec<_> = seen.iter().map(|row| self.lanes.load(b, *row, &[zero])).collect();
        let mut keys = Vec::new();
        for elements in rows {
            now = self.own.watch(b, elements, &now);
            keys.push(self.own.key(b, elements));
        }
        let stored =
            now.iter().zip(seen).map(|(row, into)| self.lanes.store(b, *row, *into, &[zero]));
        (keys, stored.collect())
    }

    /// Reads, sorts and stores a block of `count` existing rows, padded with the largest keys; the carried values are the
    /// keys and the recorded state.
    fn sorted_block(
        &self,
        b: &Builder<'c>,
        from: &Columns<'c>,
        start: Value<'c>,
        count: i64,
        carried: &[Value<'c>],
    ) -> Vec<Value<'c>> {
        let (keys, seen) = self.read_block(b, from, start, count, &carried[1..]);
        let mut keys = exchanged(b, keys, &network::sorting(count as usize));
        let largest = b.int(self.lanes.row(self.own.ty(b)), self.own.largest());
        keys.resize(self.block as usize, largest);
        let mut next = vec![self.stored(b, &keys, carried[0], start)];
        next.extend(seen);
        next
    }

    /// A block of keys.
    fn load(&self, b: &Builder<'c>, keys: Value<'c>, start: Value<'c>) -> Vec<Value<'c>> {
        let rows = 0..self.block;
        rows.map(|row| {
            let row = b.same(arith::ADDI, &[start, b.index(row)]);
            self.lanes.load(b, keys, &[row, b.index(0)])
        })
        .collect()
    }

    fn stored(
        &self,
        b: &Builder<'c>,
        rows: &[Value<'c>],
        keys: Value<'c>,
        start: Value<'c>,
    ) -> Value<'c> {
        rows.iter().enumerate().fold(keys, |keys, (row, value)| {
            let row = b.same(arith::ADDI, &[start, b.index(row as i64)]);
            self.lanes.store(b, *value, keys, &[row, b.index(0)])
        })
    }

    /// Writes the elements of keys.
    fn write(
        &self,
        b: &Builder<'c>,
        keys: &[Value<'c>],
        start: Value<'c>,
        to: &Columns<'c>,
    ) -> Value<'c> {
        keys.iter().enumerate().fold(to.tensor, |tensor, (row, key)| {
            let at = to.at(b.same(arith::ADDI, &[start, b.index(row as i64)]));
            self.lanes.store(b, self.own.element(b, *key), tensor, &at)
        })
    }

    /// One pass over the keys, in place; where only `valid` rows count, over spans with one of them that belongs to a merge.
    fn pass(
        &self,
        b: &Builder<'c>,
        pass: &Pass,
        valid: Option<Value<'c>>,
        keys: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let comparisons = pass.comparisons();
        let [first, last] = [pass.first, pass.first + pass.spans];
        let span = |b: &Builder<'c>, span: Value<'c>, keys: &[Value<'c>]| {
            let start = b.same(arith::MULI, &[span, b.index(pass.span)]);
            between(b, pass.offsets, keys, |b, offset, keys| {
                let forward = b.same(arith::ADDI, &[start, offset]);
                let backward = b.same(arith::SUBI, &[start, offset]);
                let at: Vec<_> = (0..pass.present)
                    .map(|position| {
                        let (times, more) = pass.row(position);
                        let base = if times < 0 { backward } else { forward };
                        [b.same(arith::ADDI, &[base, b.index(more)]), b.index(0)]
                    })
                    .collect();
                let rows = at.iter().map(|at| self.lanes.load(b, keys[0], at)).collect();
                let rows = exchanged(b, rows, &comparisons);
                let pairs = rows.into_iter().zip(&at);
                Ok(vec![pairs.fold(keys[0], |keys, (row, at)| self.lanes.store(b, row, keys, at))])
            })
        };
        let done = match valid {
            None => between(b, [first, last], &[keys], span),
            Some(valid) => {
                let spans = pass.last_span(b, valid, self.block);
                for_loop(b, b.index(first), spans, &[keys], span)
            }
        }?;
        Ok(done[0])
    }
}

/// A loop from one constant to another; no loop for a single iteration.
fn between<'c>(
    b: &Builder<'c>,
    [low, high]: [i64; 2],
    carried: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    if high - low == 1 {
        return body(b, b.index(low), carried);
    }
    for_loop(b, b.index(low), b.index(high), carried, body)
}
