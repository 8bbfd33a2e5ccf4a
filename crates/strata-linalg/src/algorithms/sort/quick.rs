//! Sorts long lines by parting their keys at pivots, in place, by partitions of vectors (`narrow.partition`): a quicksort.
//!
//! ```text
//! while parts wait: part = the first of them
//!   short: copied, filled up with the largest key, sorted by a network (across.rs), written to the result
//!   long:  pivot = mean of the medians of five, a lane each
//!          vectors of both ends are held; of the others, those at the end with less room are read and written to both ends
//! ```
//! Parts are sorted from the first to the last one, so that whole vectors are written: what comes after a part is written later. Where
//! no key comes before the pivot, it is the least one: those equal to it are parted from the others, and are in order.
//!
//! A line whose parts shrink too slowly is sorted by digits.

use strata_ir::{Builder, TypeExt as _, Value, arith, index, integer, narrow};
use strata_rewrite::Outcome;
use strata_target::{
    Isa, Target,
    tuning::sorting::{
        MAX_NETWORK_LENGTH, MAX_PARTS, MIN_NETWORK_LANES, PARTED_TOGETHER, max_part, max_partings,
        min_parted_length,
    },
};

use super::{
    Line,
    across::{self, Across, Places, Rows},
    network::{self, exchanged},
    own::Own,
    radix,
};
use crate::{
    algorithms::short_vectors::{Lanes, places},
    loops::{Carried, for_loop, for_step, insert, when, while_loop},
    lowerings::shape::reshape::reshape,
};

/// Sorts along the line's dimension; `None` where lines are too short, or the target does not part vectors.
pub fn sort<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    operand: Value<'c>,
    own: &Own<'c>,
    target: &Target,
) -> Option<Outcome<Vec<Value<'c>>>> {
    let shortest = min_parted_length(target.vector_bits(), own.width)?;
    let [lines, after] = line.around();
    // Of short ones, many are faster in a panel.
    let is_alone = line.length > MAX_NETWORK_LENGTH || lines < MIN_NETWORK_LANES;
    // Ends of parts are numbers of 32 bits.
    let is_whole = after == 1 && line.valid.is_none() && u32::try_from(line.length).is_ok();
    let has_partitions = matches!(target.isa, Isa::Avx512 | Isa::Avx2);
    if !has_partitions || !is_whole || !is_alone || line.length < shortest {
        return None;
    }
    Some(Quick::of(b, line, own, target).and_then(|quick| quick.sort(b, operand, line)))
}

/// How lines are sorted.
struct Quick<'a, 'c> {
    own: &'a Own<'c>,
    lanes: Lanes,
    length: i64,
    /// Keys of a short part, at most.
    most: i64,
    network: Across<'a, 'c>,
    /// The lanes that the mean of all is computed with: those at half of the distance, at a quarter and so on.
    rotated: Vec<Value<'c>>,
    /// The number of each lane.
    numbers: Value<'c>,
}

/// What a step of the sort changes.
#[derive(Clone, Copy)]
struct State<'c> {
    keys: Value<'c>,
    /// The elements in order.
    to: Value<'c>,
    /// Keys of a short part.
    short: Value<'c>,
    /// Where the parts that wait end, the last one first.
    ends: Value<'c>,
    waiting: Value<'c>,
    /// Where the first part that waits begins.
    start: Value<'c>,
    /// How many keys were parted.
    work: Value<'c>,
    /// The pivot of the step before, and whether it is the least key of the part.
    pivot: Value<'c>,
    is_least: Value<'c>,
}

impl<'c> State<'c> {
    fn all(self) -> [Value<'c>; 9] {
        let Self { keys, to, short, ends, waiting, start, work, pivot, is_least } = self;
        [keys, to, short, ends, waiting, start, work, pivot, is_least]
    }

    fn of(all: &[Value<'c>]) -> Self {
        let [keys, to, short, ends, waiting, start, work, pivot, is_least] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|at| all[at]);
        Self { keys, to, short, ends, waiting, start, work, pivot, is_least }
    }
}

/// Where keys are parted: both sides of what is read already.
#[derive(Clone, Copy)]
struct Ends<'c> {
    keys: Value<'c>,
    /// Where the next keys before the pivot go, and where the first of the others is.
    written: [Value<'c>; 2],
    /// Where the first key is that was not read, and where the last one ends.
    read: [Value<'c>; 2],
}

impl<'a, 'c> Quick<'a, 'c> {
    fn of(b: &Builder<'c>, line: &Line<'c>, own: &'a Own<'c>, target: &Target) -> Outcome<Self> {
        let count = i64::from(target.lanes(own.width));
        let lanes = Lanes(count);
        let rotated = (0..count.ilog2()).rev().map(|bit| {
            let distance = 1 << bit;
            places(b, (0..count).map(move |lane| (lane + distance) % count))
        });
        let rotated = rotated.collect::<Outcome<Vec<_>>>()?;
        let mut numbers = b.empty(&[count], own.ty(b));
        for lane in 0..count {
            numbers = insert(b, b.int(own.ty(b), lane), numbers, &[b.index(lane)]);
        }
        let length = line.length;
        let block = across::block(target);
        let network = Across { own, lanes, block, length, places: Places::of(b, count)? };
        let most = max_part(target.vector_bits(), own.width);
        Ok(Self { own, lanes, length, most, network, rotated, numbers })
    }

    fn sort(&self, b: &Builder<'c>, operand: Value<'c>, line: &Line<'c>) -> Carried<'c> {
        let [lines, _] = line.around();
        let sizes = [lines, self.length];
        let from = reshape(b, operand, &sizes)?;
        let to = b.empty(&sizes, operand.ty().element());
        let flat = Line { sizes: sizes.to_vec(), dim: 1, length: self.length, valid: None };
        let sorted = for_loop(b, b.index(0), b.index(lines), &[to], |b, number, to| {
            let padded = self.network.whole() + 2 * self.lanes.0;
            let (keys, seen) = self.network.read(b, [number, from], padded)?;
            let state = self.parted(b, number, keys, to[0])?;
            let is_left = b.cmpi(arith::CmpIPredicate::Ne, state.waiting, b.index(0));
            let to = when(b, is_left, &[state.to], |b| {
                let keys = self.unsigned(b, state.keys)?;
                let own = [keys, state.to];
                Ok(vec![radix::by_digits(b, &flat, self.own, &[number], own)?])
            })?;
            let Some(any) = self.own.found(b, &seen) else { return Ok(to) };
            when(b, any, &to, |b| Ok(vec![self.own.restore(b, &flat, [from, to[0]], &[number])?]))
        })?;
        Ok(vec![reshape(b, sorted[0], &line.sizes)?])
    }

    /// Keys in their unsigned order.
    fn unsigned(&self, b: &Builder<'c>, keys: Value<'c>) -> Outcome<Value<'c>> {
        let lowest = b.int(self.lanes.row(self.own.ty(b)), i64::MIN >> (64 - self.own.width));
        let bounds = [0, self.network.whole() + self.lanes.0, self.lanes.0];
        self.network.each(b, bounds, keys, |b, at, keys| {
            let flipped = b.same(arith::XORI, &[self.lanes.load(b, keys, &[at]), lowest]);
            self.lanes.store(b, flipped, keys, &[at])
        })
    }

    /// Sorts the parts of a line; some wait still where that takes too long.
    fn parted(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        keys: Value<'c>,
        to: Value<'c>,
    ) -> Outcome<State<'c>> {
        let (zero, ty) = (b.index(0), self.own.ty(b));
        let whole = b.int(integer(b.context, 32), self.length);
        let ends = b.empty(&[MAX_PARTS], integer(b.context, 32));
        let first = State {
            keys,
            to,
            short: b.empty(&[self.most + self.lanes.0], ty),
            ends: insert(b, whole, ends, &[zero]),
            waiting: b.index(1),
            start: zero,
            work: zero,
            pivot: b.int(ty, 0),
            is_least: b.int(integer(b.context, 1), 0),
        };
        let most_work = self.length * max_partings(self.length, self.most);
        let goes_on = |b: &Builder<'c>, state: &[Value<'c>]| {
            let State { waiting, work, .. } = State::of(state);
            let others = b.same(arith::SUBI, &[waiting, b.index(1)]);
            let has_room = b.cmpi(arith::CmpIPredicate::Ult, others, b.index(MAX_PARTS - 1));
            let is_fast = b.cmpi(arith::CmpIPredicate::Ule, work, b.index(most_work));
            b.same(arith::ANDI, &[has_room, is_fast])
        };
        let done = while_loop(b, &first.all(), goes_on, |b, state| {
            let state = State::of(state);
            let last = b.same(arith::SUBI, &[state.waiting, b.index(1)]);
            let end = b.extract(state.ends, &[last]);
            let end = b.cast(arith::INDEX_CASTUI, end, index(b.context));
            let count = b.same(arith::SUBI, &[end, state.start]);
            let is_short = b.cmpi(arith::CmpIPredicate::Ule, count, b.index(self.most));
            let short = when(b, is_short, &[state.short, state.to], |b| {
                self.short(b, line, [state.start, count], state.keys, [state.short, state.to])
            })?;
            let next = State {
                short: short[0],
                to: short[1],
                waiting: b.select(is_short, last, state.waiting),
                start: b.select(is_short, end, state.start),
                ..state
            };
            let is_long = b.cmpi(arith::CmpIPredicate::Ugt, count, b.index(self.most));
            when(b, is_long, &next.all(), |b| {
                Ok(self.long(b, line, [end, count], next)?.all().to_vec())
            })
        })?;
        Ok(State::of(&done))
    }

    /// Sorts a short part: `short` is for its keys.
    fn short(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        [start, count]: [Value<'c>; 2],
        keys: Value<'c>,
        [mut short, to]: [Value<'c>; 2],
    ) -> Carried<'c> {
        let (lanes, network) = (self.lanes, &self.network);
        let (zero, step) = (b.index(0), b.index(lanes.0));
        let copied = for_step(b, [zero, count, step], &[short], |b, at, short| {
            let from = b.same(arith::ADDI, &[start, at]);
            Ok(vec![lanes.store(b, lanes.load(b, keys, &[from]), short[0], &[at])])
        })?;
        let largest = b.int(lanes.row(self.own.ty(b)), self.own.largest());
        let bounds = [count, b.index(self.most), step];
        let filled = for_step(b, bounds, &copied, |b, at, short| {
            Ok(vec![lanes.store(b, largest, short[0], &[at])])
        })?;
        let size = b.index(network.elements());
        let blocks = for_step(b, [zero, count, size], &filled, |b, at, short| {
            let rows =
                (0..network.block).map(|row| network.load(b, short[0], network.row(b, at, row)));
            let sorted = network.sorted(b, rows.collect()).into_iter().zip(0..);
            Ok(vec![sorted.fold(short[0], |keys, (row, number)| {
                lanes.store(b, row, keys, &[network.row(b, at, number)])
            })])
        })?;
        short = blocks[0];
        let number = network::parts(b, count, network.elements());
        let valid = b.same(arith::MULI, &[number, b.index(network.block)]);
        let passes = network::merges(self.most / lanes.0, network.block);
        for pass in &passes {
            let last = pass.last_span(b, valid, network.block);
            short = network.pass(b, pass, last, short)?;
        }
        // What ends the last merge is for all blocks.
        if let Some(pass) = passes.last() {
            short = network.pass(b, pass, number, short)?;
        }
        let row = |b: &Builder<'c>, lanes: Lanes, at| lanes.load(b, short, &[at]);
        Ok(vec![short, self.write(b, line, [start, count], to, row)?])
    }

    /// Writes elements of keys from `start` on, in whole vectors unless these end after the line.
    fn write(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        [start, count]: [Value<'c>; 2],
        to: Value<'c>,
        keys: impl Fn(&Builder<'c>, Lanes, Value<'c>) -> Value<'c>,
    ) -> Outcome<Value<'c>> {
        let step = b.index(self.lanes.0);
        let left = b.same(arith::SUBI, &[b.index(self.length), start]);
        let left = b.same(arith::DIVUI, &[left, step]);
        let rows = network::parts(b, count, self.lanes.0);
        let rows = b.same(arith::MINUI, &[rows, left]);
        let whole = b.same(arith::MULI, &[rows, step]);
        let mut done = vec![to];
        for (lanes, bounds) in
            [(self.lanes, [b.index(0), whole, step]), (Lanes(1), [whole, count, b.index(1)])]
        {
            done = for_step(b, bounds, &done, |b, at, to| {
                let element = self.own.element(b, keys(b, lanes, at));
                let place = b.same(arith::ADDI, &[start, at]);
                Ok(vec![lanes.store(b, element, to[0], &[line, place])])
            })?;
        }
        Ok(done[0])
    }

    /// Parts a part of so many keys up to `end`.
    fn long(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        [end, count]: [Value<'c>; 2],
        state: State<'c>,
    ) -> Outcome<State<'c>> {
        use arith::CmpIPredicate::{Eq, Ne};
        let (start, ty) = (state.start, self.own.ty(b));
        let median = self.median(b, state.keys, [start, count]);
        let short = self.lanes.store(b, median, state.short, &[b.index(0)]);
        let median = b.extract(short, &[b.index(0)]);
        let more = b.same(arith::ADDI, &[state.pivot, b.int(ty, 1)]);
        let pivot = b.select(state.is_least, more, median);
        let (keys, middle) = self.part(b, state.keys, [start, end], pivot)?;
        let is_empty = b.cmpi(Eq, middle, start);
        let is_largest = b.cmpi(Eq, pivot, b.int(ty, self.own.largest()));
        let are_largest = b.same(arith::ANDI, &[is_empty, is_largest]);
        // All keys up to there are equal.
        let are_equal = b.same(arith::ORI, &[state.is_least, are_largest]);
        let equal_end = b.select(are_largest, end, middle);
        let to = when(b, are_equal, &[state.to], |b| {
            let key = b.extract(keys, &[start]);
            let count = b.same(arith::SUBI, &[equal_end, start]);
            let row = |b: &Builder<'c>, lanes: Lanes, _| lanes.splat(b, key);
            Ok(vec![self.write(b, line, [start, count], state.to, row)?])
        })?;
        let is_parted = b.cmpi(Ne, b.select(are_equal, start, middle), start);
        let place = b.cast(arith::INDEX_CASTUI, middle, integer(b.context, 32));
        let one_more = b.same(arith::ADDI, &[state.waiting, b.index(1)]);
        let is_least = b.cmpi(Eq, b.select(are_equal, end, middle), start);
        Ok(State {
            keys,
            to: to[0],
            short,
            ends: insert(b, place, state.ends, &[state.waiting]),
            waiting: b.select(is_parted, one_more, state.waiting),
            start: b.select(are_equal, equal_end, start),
            work: b.same(arith::ADDI, &[state.work, count]),
            pivot,
            is_least,
        })
    }

    /// The mean of medians of five keys, in all lanes.
    fn median(
        &self,
        b: &Builder<'c>,
        keys: Value<'c>,
        [start, count]: [Value<'c>; 2],
    ) -> Value<'c> {
        let distance = b.same(arith::SUBI, &[count, b.index(self.lanes.0)]);
        let distance = b.same(arith::DIVUI, &[distance, b.index(4)]);
        let rows: Rows<'c> = (0..5)
            .map(|number| {
                let more = b.same(arith::MULI, &[distance, b.index(number)]);
                self.lanes.load(b, keys, &[b.same(arith::ADDI, &[start, more])])
            })
            .collect();
        let five = [(0, 1), (3, 4), (0, 3), (1, 4), (1, 2), (2, 3), (1, 2)];
        let mut mean = exchanged(b, rows, &five)[2];
        for places in &self.rotated {
            let other = self.lanes.shuffle(b, self.lanes.both(b, [mean, mean]), *places);
            let same = b.same(arith::ANDI, &[mean, other]);
            let differ = b.same(arith::XORI, &[mean, other]);
            let half = b.same(arith::SHRSI, &[differ, b.int(differ.ty(), 1)]);
            mean = b.same(arith::ADDI, &[same, half]);
        }
        mean
    }

    /// Moves keys less than the pivot before the others; returns also where the others begin.
    fn part(
        &self,
        b: &Builder<'c>,
        keys: Value<'c>,
        [start, end]: [Value<'c>; 2],
        pivot: Value<'c>,
    ) -> Outcome<(Value<'c>, Value<'c>)> {
        let lanes = self.lanes.0;
        let together = PARTED_TOGETHER * lanes;
        let pivot = self.lanes.splat(b, pivot);
        let count = b.same(arith::SUBI, &[end, start]);
        let last = b.same(arith::ANDI, &[count, b.index(lanes - 1)]);
        let whole = b.same(arith::SUBI, &[end, last]);
        let first = b.same(arith::ADDI, &[start, b.index(together)]);
        let beyond = b.same(arith::SUBI, &[whole, b.index(together)]);
        let held: Rows<'c> = [start, beyond]
            .into_iter()
            .flat_map(|at| self.rows(b, keys, at, PARTED_TOGETHER))
            .collect();
        let mut ends = Ends { keys, written: [start, end], read: [first, beyond] };
        ends = self.write_last(b, ends, [whole, last], pivot);
        for number in [PARTED_TOGETHER, 1] {
            let size = b.index(number * lanes);
            let left = b.same(arith::SUBI, &[ends.read[1], ends.read[0]]);
            let times = b.same(arith::DIVUI, &[left, size]);
            let carried = |ends: Ends<'c>| {
                [ends.keys, ends.written[0], ends.written[1], ends.read[0], ends.read[1]]
            };
            let done = for_loop(b, b.index(0), times, &carried(ends), |b, _, now| {
                let mut ends =
                    Ends { keys: now[0], written: [now[1], now[2]], read: [now[3], now[4]] };
                // There is room for what is read at either end.
                let room = b.same(arith::SUBI, &[ends.read[0], ends.written[0]]);
                let other = b.same(arith::SUBI, &[ends.written[1], ends.read[1]]);
                let is_last = b.cmpi(arith::CmpIPredicate::Ult, other, room);
                let last = b.same(arith::SUBI, &[ends.read[1], size]);
                let next = b.same(arith::ADDI, &[ends.read[0], size]);
                let at = b.select(is_last, last, ends.read[0]);
                ends.read[1] = b.select(is_last, last, ends.read[1]);
                ends.read[0] = b.select(is_last, ends.read[0], next);
                for row in self.rows(b, ends.keys, at, number) {
                    ends = self.write_parted(b, ends, row, pivot);
                }
                Ok(carried(ends).to_vec())
            })?;
            ends = Ends { keys: done[0], written: [done[1], done[2]], read: [done[3], done[4]] };
        }
        for row in held {
            ends = self.write_parted(b, ends, row, pivot);
        }
        Ok((ends.keys, ends.written[0]))
    }

    /// So many vectors of keys.
    fn rows(&self, b: &Builder<'c>, keys: Value<'c>, at: Value<'c>, number: i64) -> Rows<'c> {
        (0..number).map(|row| self.network.load(b, keys, self.network.row(b, at, row))).collect()
    }

    /// Writes a vector to both ends: at each, its other lanes are where nothing is kept.
    fn write_parted(
        &self,
        b: &Builder<'c>,
        ends: Ends<'c>,
        row: Value<'c>,
        pivot: Value<'c>,
    ) -> Ends<'c> {
        let mask = self.is_less(b, row, pivot);
        self.write_lanes(b, ends, row, mask, b.index(self.lanes.0))
    }

    /// Writes the keys of a part that do not fill a vector: those after them stay where they are.
    fn write_last(
        &self,
        b: &Builder<'c>,
        ends: Ends<'c>,
        [at, count]: [Value<'c>; 2],
        pivot: Value<'c>,
    ) -> Ends<'c> {
        let row = self.network.load(b, ends.keys, at);
        let numbers = self.lanes.load(b, self.numbers, &[b.index(0)]);
        let own = self.lanes.splat(b, b.cast(arith::INDEX_CASTUI, count, self.own.ty(b)));
        let is_own = self.is_less(b, numbers, own);
        let is_less = self.is_less(b, row, pivot);
        self.write_lanes(b, ends, row, b.same(arith::ANDI, &[is_less, is_own]), count)
    }

    /// In which lanes a vector is less than another.
    fn is_less(&self, b: &Builder<'c>, one: Value<'c>, other: Value<'c>) -> Value<'c> {
        let ty = self.lanes.row(integer(b.context, 1));
        arith::cmpi(b, arith::CmpIPredicate::Slt, one, other, ty).value()
    }

    /// Writes the first `count` lanes, those of the mask at the start, the others at the end.
    fn write_lanes(
        &self,
        b: &Builder<'c>,
        ends: Ends<'c>,
        row: Value<'c>,
        mask: Value<'c>,
        count: Value<'c>,
    ) -> Ends<'c> {
        let types = [row.ty(), index(b.context)];
        let parted = b.op(narrow::PARTITION).operands(&[row, mask]).results(&types).build();
        let [row, less] = [0, 1].map(|number| parted.result(number));
        let keys = self.lanes.store(b, row, ends.keys, &[ends.written[0]]);
        let last = b.same(arith::SUBI, &[ends.written[1], count]);
        let keys = self.lanes.store(b, row, keys, &[last]);
        let written = [ends.written[0], last].map(|at| b.same(arith::ADDI, &[at, less]));
        Ends { keys, written, ..ends }
    }
}
