//! Runs programs on bytes.

use std::borrow::Cow;

use strata_ir::{Value, unload};
use strata_target::{packed_lanes, tuning::constants::MOST_LOADED};

use super::{Machine, Move, Place, Program, Slot, Target, Translator};

impl<'c> Machine<'c> {
    /// Sets an index.
    pub(crate) fn set(&mut self, index: Slot, value: i64) {
        self.indices[index] = value;
    }

    /// The bytes of a value that was computed.
    pub(crate) fn bytes(&self, translator: &Translator<'c>, value: Value<'c>) -> Option<&[u8]> {
        self.data.get(*translator.data.get(&value)?)?.as_deref()
    }

    /// As [`Self::bytes`], which are gone then.
    pub(crate) fn take_bytes(
        &mut self,
        translator: &Translator<'c>,
        value: Value<'c>,
    ) -> Option<Vec<u8>> {
        self.data.get_mut(*translator.data.get(&value)?)?.take().map(Cow::into_owned)
    }

    /// Takes what was read of mapped files out of memory.
    pub(crate) fn unload(&mut self) {
        self.loaded = 0;
        for data in self.data.iter().flatten() {
            if let Cow::Borrowed(constant) = data {
                unload(constant);
            }
        }
    }

    /// Runs a program; `None` where it leaves an array.
    pub(crate) fn run(&mut self, program: &Program<'c>) -> Option<()> {
        program.0.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Move<'c>) -> Option<()> {
        match step {
            Move::Index { to, expr, operands } => {
                let mut values = [0; 8];
                let values = values.get_mut(..operands.len())?;
                values.iter_mut().zip(operands).for_each(|(value, at)| *value = self.indices[*at]);
                self.indices[*to] = expr.value(values, &[])?;
            }
            Move::Bytes { to, bytes } => self.data[*to] = Some(bytes.clone()),
            Move::Fill { to, value, bytes } => {
                let value = self.data[*value].as_deref()?;
                let filled = value.repeat(bytes.checked_div(value.len())?);
                self.data[*to] = Some(Cow::Owned(filled));
            }
            Move::Same { to, from } => self.data[*to] = self.data[*from].clone(),
            Move::Copy { from, at, into, place, block, to } => {
                let (at, place) = (self.place(at)?, self.place(place)?);
                let mut target = self.take(*into)?;
                let source = self.data[*from].as_deref()?;
                block.copy((source, at), (&mut target, place))?;
                self.data[*to] = Some(Cow::Owned(target));
                self.loaded += block.bytes();
                if self.loaded > MOST_LOADED {
                    self.unload();
                }
            }
            Move::Lanes { from, shape, dim, lanes: [of, into], to } => {
                let lanes = packed_lanes(self.data[*from].as_deref()?, shape, *dim, (*of, *into))?;
                self.data[*to] = Some(Cow::Owned(lanes));
            }
            Move::Join { from, to } => {
                let mut found = Vec::new();
                for one in from {
                    found.extend_from_slice(self.data[*one].as_deref()?);
                }
                self.data[*to] = Some(Cow::Owned(found));
            }
            Move::Rows { from, row, rows, to } => {
                let both = [self.data[from[0]].as_deref()?, self.data[from[1]].as_deref()?];
                let first = both[0].len() / row.max(&1);
                let mut found = Vec::with_capacity(row * rows.len());
                for at in rows {
                    let (side, at) = if *at < first { (0, *at) } else { (1, at - first) };
                    found.extend_from_slice(both[side].get(at * row..(at + 1) * row)?);
                }
                self.data[*to] = Some(Cow::Owned(found));
            }
            Move::Loop { counter, bounds, carried, body, next, to } => {
                for (target, arg) in carried {
                    let first = self.take(*target)?;
                    self.data[*arg] = Some(Cow::Owned(first));
                }
                let [first, last, step] = bounds.map(|bound| self.indices[bound]);
                let mut at = first;
                while at < last {
                    self.indices[*counter] = at;
                    body.iter().try_for_each(|step| self.step(step))?;
                    let values = next.iter().map(|target| self.take(*target));
                    let values = values.collect::<Option<Vec<_>>>()?;
                    for ((_, arg), value) in carried.iter().zip(values) {
                        self.data[*arg] = Some(Cow::Owned(value));
                    }
                    at = at.checked_add(step).filter(|_| step > 0)?;
                }
                for ((_, arg), to) in carried.iter().zip(to) {
                    self.data[*to] = self.data[*arg].take();
                }
            }
        }
        Some(())
    }

    fn place(&self, place: &Place) -> Option<i64> {
        let is_inside = |(index, last): &(Slot, i64)| (0..=*last).contains(&self.indices[*index]);
        place.limits.iter().all(is_inside).then(|| {
            place.terms.iter().fold(place.base, |at, (index, stride)| {
                at.wrapping_add(self.indices[*index].wrapping_mul(*stride))
            })
        })
    }

    fn take(&mut self, target: Target) -> Option<Vec<u8>> {
        match target {
            Target::New(bytes) => Some(vec![0; bytes]),
            Target::CopyOf(slot) => self.data[slot].as_deref().map(<[u8]>::to_vec),
            Target::Own(slot) => self.data[slot].take().map(Cow::into_owned),
        }
    }
}
