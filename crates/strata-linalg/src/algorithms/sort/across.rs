//! Sorts single lines by a network across the lanes of vectors, for which a line is a panel, row after row.
//!
//! ```text
//! for each row: read elements, store keys of them
//! for each block of 16 rows: columns sorted in registers             16 short runs
//!                            squares transposed, runs merged         1 run of 256
//! for each pass of the merges: for each group of rows: loaded, compared, stored
//! for each row: elements of its keys
//! ```
//! Runs are in rows one after the other, so that rows are merged as those of a panel are ([`network`]): for the mirrored comparison lanes
//! are reversed, and what is left at the end of a merge are distances within rows, which are those of rows once squares are transposed.

use strata_ir::{Builder, TypeExt as _, Value, arith};
use strata_rewrite::Outcome;
use strata_target::{
    Target,
    tuning::sorting::{MAX_SQUARE_SIDE, MIN_NETWORK_LANES, across_lengths},
};

use super::{
    Line,
    network::{self, Pass, distances, exchanged},
    own::Own,
};
use crate::{
    algorithms::short_vectors::{Lanes, places},
    loops::{Carried, for_loop, for_step, when},
    lowerings::shape::reshape::reshape,
};

/// Sorts along the line's dimension; `None` where lines are too long or too short.
pub fn sort<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    operand: Value<'c>,
    own: &Own<'c>,
    target: &Target,
) -> Option<Outcome<Vec<Value<'c>>>> {
    let (lanes, block) = shape_of(line, own, target)?;
    Some(Places::of(b, lanes).and_then(|places| {
        let across = Across { own, lanes: Lanes(lanes), block, length: line.length, places };
        across.sort(b, operand, line)
    }))
}

/// Lanes, and rows of a block; `None` where lines are too long or too short, or so many that each has a lane of its own ([`super::panel`]).
fn shape_of<'c>(line: &Line<'c>, own: &Own<'c>, target: &Target) -> Option<(i64, i64)> {
    let [lines, after] = line.around();
    let [shortest, longest] = across_lengths(target.vector_bits(), own.width)?;
    let longest = longest.min(target.l2_bytes as i64 * 8 / i64::from(own.width));
    let is_whole = after == 1 && line.valid.is_none();
    if !is_whole || !(shortest..=longest).contains(&line.length) {
        return None;
    }
    let registers = block(target);
    let widest = i64::from(target.lanes(own.width)).min(MAX_SQUARE_SIDE).min(registers);
    // Short lines are one square, or two.
    let bits = i64::BITS - (line.length - 1).leading_zeros();
    let lanes = widest.min(1 << (bits / 2));
    // More lines are faster in a panel, a lane for each.
    (2 * lines < lanes || lines < MIN_NETWORK_LANES)
        .then(|| (lanes, registers.min((1 << bits) / lanes)))
}

/// Rows that are sorted in registers.
pub fn block(target: &Target) -> i64 {
    if target.vector_registers() >= 32 { 16 } else { 8 }
}

/// How lines are laid out.
pub struct Across<'a, 'c> {
    pub own: &'a Own<'c>,
    pub lanes: Lanes,
    /// Rows that are sorted in registers: whole squares.
    pub block: i64,
    pub length: i64,
    pub places: Places<'c>,
}

/// Which lanes shuffles take.
pub struct Places<'c> {
    reversed: Value<'c>,
    /// For each step of a transposition, those of the first and of the second row.
    halves: Vec<[Value<'c>; 2]>,
}

impl<'c> Places<'c> {
    pub fn of(b: &Builder<'c>, lanes: i64) -> Outcome<Self> {
        let sides = (0..lanes.ilog2()).rev().map(|bit| 1 << bit);
        let halves = sides.map(|side| {
            let is_low = move |at: i64| at & side == 0;
            let first = (0..lanes).map(move |at| if is_low(at) { at } else { lanes + at - side });
            let second = (0..lanes).map(move |at| if is_low(at) { at + side } else { lanes + at });
            Ok([places(b, first)?, places(b, second)?])
        });
        Ok(Self { reversed: places(b, (0..lanes).rev())?, halves: halves.collect::<Outcome<_>>()? })
    }
}

/// Rows of keys of a block.
pub type Rows<'c> = Vec<Value<'c>>;

impl<'c> Across<'_, 'c> {
    /// Elements of a block.
    pub fn elements(&self) -> i64 {
        self.block * self.lanes.0
    }

    fn sort(&self, b: &Builder<'c>, operand: Value<'c>, line: &Line<'c>) -> Carried<'c> {
        let [lines, _] = line.around();
        let sizes = [lines, self.length];
        let from = reshape(b, operand, &sizes)?;
        let to = b.empty(&sizes, operand.ty().element());
        let flat = Line { sizes: sizes.to_vec(), dim: 1, length: self.length, valid: None };
        let sorted = for_loop(b, b.index(0), b.index(lines), &[to], |b, number, to| {
            let (to, seen) = self.sort_line(b, number, [from, to[0]])?;
            let Some(any) = self.own.found(b, &seen) else { return Ok(vec![to]) };
            when(b, any, &[to], |b| Ok(vec![self.own.restore(b, &flat, [from, to], &[number])?]))
        })?;
        Ok(vec![reshape(b, sorted[0], &line.sizes)?])
    }

    /// Writes the elements of a line of `from` in order to `to`; returns also the vectors of recorded state.
    fn sort_line(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        [from, to]: [Value<'c>; 2],
    ) -> Outcome<(Value<'c>, Rows<'c>)> {
        let blocks = (self.length + self.elements() - 1) / self.elements();
        let (mut keys, seen) = self.read(b, [line, from], blocks * self.elements())?;
        keys =
            self.each(b, [0, blocks * self.elements(), self.elements()], keys, |b, at, keys| {
                let rows = (0..self.block).map(|row| self.load(b, keys, self.row(b, at, row)));
                let sorted = self.sorted(b, rows.collect()).into_iter().zip(0..);
                sorted.fold(keys, |keys, (row, number)| {
                    self.lanes.store(b, row, keys, &[self.row(b, at, number)])
                })
            })?;
        for pass in network::merges(blocks * self.block, self.block) {
            let last = b.index(pass.first + pass.spans);
            keys = self.pass(b, &pass, last, keys)?;
        }
        Ok((self.write(b, keys, [line, to])?, seen))
    }

    /// A loop from one element to another, by so many.
    pub fn each(
        &self,
        b: &Builder<'c>,
        bounds: [i64; 3],
        into: Value<'c>,
        body: impl FnOnce(&Builder<'c>, Value<'c>, Value<'c>) -> Value<'c>,
    ) -> Outcome<Value<'c>> {
        let bounds = bounds.map(|bound| b.index(bound));
        let done = for_step(b, bounds, &[into], |b, at, into| Ok(vec![body(b, at, into[0])]))?;
        Ok(done[0])
    }

    /// The elements of whole rows.
    pub fn whole(&self) -> i64 {
        self.length / self.lanes.0 * self.lanes.0
    }

    /// The first element of the row so many rows after `start`.
    pub fn row(&self, b: &Builder<'c>, start: Value<'c>, row: i64) -> Value<'c> {
        b.same(arith::ADDI, &[start, b.index(row * self.lanes.0)])
    }

    pub fn load(&self, b: &Builder<'c>, keys: Value<'c>, at: Value<'c>) -> Value<'c> {
        self.lanes.load(b, keys, &[at])
    }

    /// The keys of a line, filled up with the largest ones to so many, and the vectors of recorded state.
    pub fn read(
        &self,
        b: &Builder<'c>,
        [line, from]: [Value<'c>; 2],
        padded: i64,
    ) -> Outcome<(Value<'c>, Rows<'c>)> {
        let (lanes, zero, ty) = (self.lanes, b.index(0), self.own.ty(b));
        let mut keys = b.empty(&[padded], ty);
        if self.length < padded {
            let largest = lanes.splat(b, b.int(ty, self.own.largest()));
            let rest = [self.whole(), padded, lanes.0];
            keys = self.each(b, rest, keys, |b, at, keys| lanes.store(b, largest, keys, &[at]))?;
        }
        let mut carried = vec![keys];
        let unseen = self.own.unseen().into_iter();
        carried.extend(unseen.map(|unseen| b.filled(b.int(ty, unseen), &[lanes.0])));
        let key = |b: &Builder<'c>, at: Value<'c>, carried: &[Value<'c>]| {
            let elements = lanes.load(b, from, &[line, at]);
            let seen: Rows<'c> =
                carried[1..].iter().map(|row| lanes.load(b, *row, &[zero])).collect();
            let seen = self.own.watch(b, elements, &seen);
            let mut next = vec![lanes.store(b, self.own.key(b, elements), carried[0], &[at])];
            let rows = seen.into_iter().zip(&carried[1..]);
            next.extend(rows.map(|(seen, row)| lanes.store(b, seen, *row, &[zero])));
            next
        };
        let bounds = [0, self.whole(), lanes.0].map(|bound| b.index(bound));
        carried = for_step(b, bounds, &carried, |b, at, carried| Ok(key(b, at, carried)))?;
        if self.whole() < self.length {
            // The vector that ends with the line, some of it again.
            carried = key(b, b.index(self.length - lanes.0), &carried);
        }
        Ok((carried[0], carried[1..].to_vec()))
    }

    /// Writes the elements of the keys of a line.
    fn write(
        &self,
        b: &Builder<'c>,
        keys: Value<'c>,
        [line, to]: [Value<'c>; 2],
    ) -> Outcome<Value<'c>> {
        let row = |b: &Builder<'c>, at: Value<'c>, to: Value<'c>| {
            let elements = self.own.element(b, self.load(b, keys, at));
            self.lanes.store(b, elements, to, &[line, at])
        };
        let to = self.each(b, [0, self.whole(), self.lanes.0], to, row)?;
        Ok(match self.whole() < self.length {
            true => row(b, b.index(self.length - self.lanes.0), to),
            false => to,
        })
    }

    /// The rows of a block as one run.
    pub fn sorted(&self, b: &Builder<'c>, rows: Rows<'c>) -> Rows<'c> {
        let (block, lanes) = (self.block as usize, self.lanes.0 as usize);
        let columns = exchanged(b, rows, &network::sorting(block));
        let squares = self.transposed(b, columns);
        // The parts of a column, which is a run, follow each other.
        let parts = block / lanes;
        let order = (0..block).map(|row| squares[row % parts * lanes + row / parts]);
        let mut rows: Rows<'c> = order.collect();
        let mut run = parts;
        while run < block {
            for start in (0..block).step_by(2 * run) {
                for at in 0..run {
                    let [one, other] = [start + at, start + 2 * run - 1 - at];
                    let mut pair = vec![rows[one], self.reversed(b, rows[other])];
                    pair = exchanged(b, pair, &[(0, 1)]);
                    rows[one] = pair[0];
                    rows[other] = self.reversed(b, pair[1]);
                }
            }
            rows = exchanged(b, rows, &distances(block, run / 2));
            rows = self.within(b, rows);
            run *= 2;
        }
        rows
    }

    /// Compares lanes of each row at half of a row's distance, at a quarter and so on.
    fn within(&self, b: &Builder<'c>, rows: Rows<'c>) -> Rows<'c> {
        let lanes = self.lanes.0 as usize;
        let mut rows = self.transposed(b, rows);
        for square in rows.chunks_mut(lanes) {
            let compared = exchanged(b, square.to_vec(), &distances(lanes, lanes / 2));
            square.copy_from_slice(&compared);
        }
        self.transposed(b, rows)
    }

    /// Rows with their lanes in the opposite order.
    fn reversed(&self, b: &Builder<'c>, row: Value<'c>) -> Value<'c> {
        self.lanes.shuffle(b, self.lanes.both(b, [row, row]), self.places.reversed)
    }

    /// Transposes each square of rows: halves of rows are exchanged, then quarters and so on.
    fn transposed(&self, b: &Builder<'c>, mut rows: Rows<'c>) -> Rows<'c> {
        let lanes = self.lanes.0 as usize;
        for square in rows.chunks_mut(lanes) {
            let mut side = lanes / 2;
            for places in &self.places.halves {
                for first in (0..lanes).filter(|at| at & side == 0) {
                    let both = self.lanes.both(b, [square[first], square[first + side]]);
                    square[first] = self.lanes.shuffle(b, both, places[0]);
                    square[first + side] = self.lanes.shuffle(b, both, places[1]);
                }
                side /= 2;
            }
        }
        rows
    }

    /// One pass over the keys up to a span, in place.
    pub fn pass(
        &self,
        b: &Builder<'c>,
        pass: &Pass,
        last: Value<'c>,
        keys: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let comparisons = pass.comparisons();
        // The second run of a mirrored comparison.
        let is_reversed = |position: usize| pass.mirrored && position >= pass.width / 2;
        let second_reversed = |b: &Builder<'c>, rows: Rows<'c>| -> Rows<'c> {
            let each = rows.into_iter().enumerate();
            each.map(|(at, row)| if is_reversed(at) { self.reversed(b, row) } else { row })
                .collect()
        };
        let lanes = b.index(self.lanes.0);
        let span = |b: &Builder<'c>, span: Value<'c>, keys: &[Value<'c>]| {
            let start = b.same(arith::MULI, &[span, b.index(pass.span)]);
            let [low, high] = pass.offsets.map(|offset| b.index(offset));
            for_loop(b, low, high, keys, |b, offset, keys| {
                let forward = b.same(arith::ADDI, &[start, offset]);
                let backward = b.same(arith::SUBI, &[start, offset]);
                let at: Vec<_> = (0..pass.present)
                    .map(|position| {
                        let (times, more) = pass.row(position);
                        let base = if times < 0 { backward } else { forward };
                        let row = b.same(arith::ADDI, &[base, b.index(more)]);
                        b.same(arith::MULI, &[row, lanes])
                    })
                    .collect();
                let rows = at.iter().map(|at| self.load(b, keys[0], *at)).collect();
                let mut rows =
                    second_reversed(b, exchanged(b, second_reversed(b, rows), &comparisons));
                if pass.ends_merge(self.block) {
                    rows = self.within(b, rows);
                }
                let pairs = rows.into_iter().zip(&at);
                let stored =
                    pairs.fold(keys[0], |keys, (row, at)| self.lanes.store(b, row, keys, &[*at]));
                Ok(vec![stored])
            })
        };
        let done = for_loop(b, b.index(pass.first), last, &[keys], span)?;
        Ok(done[0])
    }
}
