//! The first few elements of a sorted line, without sorting the line: those that come before the last one kept so
//! far are collected, and whenever there are too many the collection is sorted and truncated.
//!
//! ```text
//! for each block of 64 elements: if any key < threshold or the collection is not full yet
//!   for each of them with such a key: append key and place
//!   if the collection is long: sort it, keep the first k, threshold = key of the last one kept
//! ```
//! A block without such a key, which most are, costs one comparison per element, vectorised. A short collection is
//! kept sorted instead: see [`insertion`].

use strata_ir::{Builder, TypeExt as _, Value, arith, integer};
use strata_rewrite::{Lowerer, Outcome};
use strata_target::tuning::sorting::{
    MAX_SELECTED, MIN_SELECTED_FROM, MIN_SELECTED_RATIO, MIN_SELECTION_ROOM, SELECT_BLOCK,
};

use super::{Line, insertion, insertion::Insertion, keys::Key, merge, open::Open};
use crate::{
    loops::{for_loop, for_nest, for_step, insert, when},
    lowerings::shape::insert_slice,
};

/// Whether selecting is worth it.
pub fn pays(first: i64, length: i64, key: &Key<'_>) -> bool {
    let is_short = first <= MAX_SELECTED && MIN_SELECTED_RATIO * first <= length;
    insertion::pays(first, length, key) || (length >= MIN_SELECTED_FROM && is_short)
}

/// As sorting `operands`, but only the first `first` elements of each line are defined.
pub fn first<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    (operands, open): (&Operands<'c>, Option<&Open<'c>>),
    first: i64,
    key: &Key<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let mut sizes = line.sizes.clone();
    sizes[line.dim] = first;
    let all = &operands.values;
    let to: Vec<_> = all.iter().map(|value| b.empty(&sizes, value.ty().element())).collect();
    let length = line.end(b);
    let selection =
        Selection { first, room: first + first.max(MIN_SELECTION_ROOM) + SELECT_BLOCK, length };
    let inserts = insertion::pays(first, line.length, key);
    let kept = for_nest(b, &line.others(), &to, &mut |b, others, to| {
        let source = Source { line, operands: all, others, key, lowerer };
        let insertion = Insertion { first, length };
        let positions = match inserts {
            true if first == 1 => insertion.smallest(b, &source)?,
            true => insertion.entries(b, &source)?,
            false => selection.positions(b, &source)?,
        };
        for_loop(b, b.index(0), b.index(first), to, |b, position, to| {
            let place = match inserts {
                true if first == 1 => positions,
                true => Insertion::place(b, positions, position),
                false => {
                    let place = b.extract(positions, &[position]);
                    b.cast(arith::INDEX_CASTUI, place, strata_ir::index(b.context))
                }
            };
            let elements = match (open, line.valid) {
                // Where there are less, those after them stay where they are.
                (Some(open), Some(valid)) => {
                    let counts = b.cmpi(arith::CmpIPredicate::Ult, position, valid);
                    let place = b.select(counts, place, position);
                    open.masked(b, &operands.at(b, line, others, place), counts)
                }
                _ => operands.at(b, line, others, place),
            };
            let at = line.place(others, position);
            Ok(elements.iter().zip(to).map(|(value, to)| insert(b, *value, *to, &at)).collect())
        })
    })?;
    let zeros = vec![0; sizes.len()];
    let ones = vec![1; sizes.len()];
    kept.into_iter()
        .map(|value| {
            let whole = b.empty(&line.sizes, value.ty().element());
            insert_slice(b, value, whole, &zeros, &ones)
        })
        .collect()
}

/// What is sorted.
pub struct Operands<'c> {
    /// The tensors.
    pub values: Vec<Value<'c>>,
    /// Which of them have the place in its line as each element, of integers.
    pub are_places: Vec<bool>,
}

impl<'c> Operands<'c> {
    /// The elements at `place` of the line at `others`.
    fn at(
        &self,
        b: &Builder<'c>,
        line: &Line<'c>,
        others: &[Value<'c>],
        place: Value<'c>,
    ) -> Vec<Value<'c>> {
        let at = line.place(others, place);
        let all = self.values.iter().zip(&self.are_places);
        let element = |(value, is_place): (&Value<'c>, &bool)| match is_place {
            true => b.cast(arith::INDEX_CAST, place, value.ty().element()),
            false => b.extract(*value, &at),
        };
        all.map(element).collect()
    }
}

/// The source of keys: a line of the operands.
pub struct Source<'a, 'c> {
    line: &'a Line<'c>,
    operands: &'a [Value<'c>],
    others: &'a [Value<'c>],
    /// The key.
    pub key: &'a Key<'c>,
    lowerer: &'a Lowerer<'c>,
}

impl<'c> Source<'_, 'c> {
    /// The key of the element at `position`.
    pub fn key(&self, b: &Builder<'c>, position: Value<'c>) -> Outcome<Value<'c>> {
        self.key.emit(b, &self.line.read(b, self.operands, self.others, position), self.lowerer)
    }
}

#[derive(Clone, Copy)]
struct Selection<'c> {
    first: i64,
    /// The maximum number of collected elements.
    room: i64,
    length: Value<'c>,
}

/// The loop-carried values: the collected keys and positions, their number, the threshold.
struct Collected<'c> {
    keys: Value<'c>,
    positions: Value<'c>,
    count: Value<'c>,
    threshold: Value<'c>,
}

impl<'c> Collected<'c> {
    fn of(values: &[Value<'c>]) -> Self {
        Self { keys: values[0], positions: values[1], count: values[2], threshold: values[3] }
    }

    fn all(&self) -> Vec<Value<'c>> {
        vec![self.keys, self.positions, self.count, self.threshold]
    }
}

impl<'c> Selection<'c> {
    /// The positions of the first elements, in order.
    fn positions(self, b: &Builder<'c>, source: &Source<'_, 'c>) -> Outcome<Value<'c>> {
        let key_type = integer(b.context, source.key.width);
        let start = Collected {
            keys: b.empty(&[self.room], key_type),
            positions: b.filled(b.int(integer(b.context, 32), 0), &[self.room]),
            count: b.index(0),
            threshold: b.int(key_type, -1),
        };
        let bounds = [b.index(0), self.length, b.index(SELECT_BLOCK)];
        let done = for_step(b, bounds, &start.all(), |b, block, carried| {
            let end = b.same(arith::ADDI, &[block, b.index(SELECT_BLOCK)]);
            let end = b.same(arith::MINUI, &[end, self.length]);
            let collected = Collected::of(carried);
            let any = self.any(b, source, [block, end], &collected)?;
            when(b, any, carried, |b| {
                let appended = for_loop(b, block, end, carried, |b, place, carried| {
                    self.append(b, source, place, carried)
                })?;
                let count = Collected::of(&appended).count;
                let long =
                    b.cmpi(arith::CmpIPredicate::Ugt, count, b.index(self.room - SELECT_BLOCK));
                when(b, long, &appended, |b| self.cut(b, &Collected::of(&appended)))
            })
        })?;
        Ok(Collected::of(&self.cut(b, &Collected::of(&done))?).positions)
    }

    fn is_filling(self, b: &Builder<'c>, count: Value<'c>) -> Value<'c> {
        b.cmpi(arith::CmpIPredicate::Ult, count, b.index(self.first))
    }

    /// Whether an element of the block may have to be collected.
    fn any(
        self,
        b: &Builder<'c>,
        source: &Source<'_, 'c>,
        [block, end]: [Value<'c>; 2],
        collected: &Collected<'c>,
    ) -> Outcome<Value<'c>> {
        let filling = self.is_filling(b, collected.count);
        let least = for_loop(b, block, end, &[collected.threshold], |b, place, least| {
            let key = source.key(b, place)?;
            Ok(vec![b.same(arith::MINUI, &[least[0], key])])
        })?;
        let below = b.cmpi(arith::CmpIPredicate::Ult, least[0], collected.threshold);
        Ok(b.same(arith::ORI, &[filling, below]))
    }

    /// Appends the element to the collection, counting it only if it is to be kept.
    fn append(
        self,
        b: &Builder<'c>,
        source: &Source<'_, 'c>,
        place: Value<'c>,
        carried: &[Value<'c>],
    ) -> Outcome<Vec<Value<'c>>> {
        let collected = Collected::of(carried);
        let key = source.key(b, place)?;
        let below = b.cmpi(arith::CmpIPredicate::Ult, key, collected.threshold);
        let stays = b.same(arith::ORI, &[self.is_filling(b, collected.count), below]);
        let number = b.cast(arith::INDEX_CAST, place, integer(b.context, 32));
        let more = b.same(arith::ADDI, &[collected.count, b.index(1)]);
        let next = Collected {
            keys: insert(b, key, collected.keys, &[collected.count]),
            positions: insert(b, number, collected.positions, &[collected.count]),
            count: b.select(stays, more, collected.count),
            threshold: collected.threshold,
        };
        Ok(next.all())
    }

    /// Sorts the collection and keeps its first elements.
    fn cut(self, b: &Builder<'c>, collected: &Collected<'c>) -> Outcome<Vec<Value<'c>>> {
        let largest = b.int(collected.threshold.ty(), -1);
        let room = b.index(self.room);
        let filled = for_loop(b, collected.count, room, &[collected.keys], |b, at, keys| {
            Ok(vec![insert(b, largest, keys[0], &[at])])
        })?;
        let line = Line { sizes: vec![self.room], dim: 0, length: self.room, valid: None };
        let values = [filled[0], collected.positions];
        let sorted = merge::sort(b, &line, &values, &mut |b, lhs, rhs| {
            Ok(b.cmpi(arith::CmpIPredicate::Ult, lhs[0], rhs[0]))
        })?;
        let next = Collected {
            keys: sorted[0],
            positions: sorted[1],
            count: b.index(self.first),
            threshold: b.extract(sorted[0], &[b.index(self.first - 1)]),
        };
        Ok(next.all())
    }
}
