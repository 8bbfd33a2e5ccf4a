//! Reductions of the lanes of several vectors, one for each row, to a vector with a lane for each row.
//!
//! Two vectors become one in each step: lanes of both that are to be combined are brought below each other by two shuffles. As many steps as
//! there are within 128 bits come first, with the shuffles that interleave two vectors, and then whole groups of 128 bits move.
//!
//! ```text
//! a0 a1 a2 a3   b0 b1 b2 b3    ⇒   a0 b0 a1 b1 + a2 b2 a3 b3
//! ```

use strata_ir::{Builder, TypeExt as _, Value, vector::CombiningKind};

use super::{Outcome, Parts, width_of};

/// Bits of a group of lanes that processors shuffle within.
const GROUP_BITS: i64 = 128;

impl<'c> Parts<'c> {
    /// One vector with a lane for each row; there are a power of two of them, as many as a row has lanes at most.
    pub(super) fn fold_rows(
        &self,
        emit: Builder<'c>,
        kind: CombiningKind,
        rows: &[Value<'c>],
    ) -> Outcome<Value<'c>> {
        let first = *rows.first().ok_or("it has no rows")?;
        let (width, count) = (width_of(first), rows.len() as i64);
        let bits = i64::from(first.ty().element().bit_width().ok_or("an element has no width")?);
        let group = (GROUP_BITS / bits).clamp(1, width);
        // Within groups: blocks of as many rows as a group has lanes.
        let block = group.min(count) as usize;
        let blocks = rows.chunks(block).map(|rows| self.fold_block(emit, kind, rows, group));
        let mut vectors = blocks.collect::<Outcome<Vec<_>>>()?;
        // Of `rows` blocks a vector has `again` groups each beside each other, which are to be combined.
        let mut again = width / group;
        while vectors.len() > 1 {
            let lanes = |high: i64| picked(width, group, again, high);
            let pairs = vectors.chunks(2);
            let pairs = pairs.map(|pair| {
                let both = |high: i64| {
                    let of_one = lanes(high);
                    let mask = of_one.iter().copied().chain(of_one.iter().map(|lane| lane + width));
                    emit.shuffle(pair[0], pair[1], &mask.collect::<Vec<_>>())
                };
                self.combine(emit, kind, both(0), both(1))
            });
            vectors = pairs.collect::<Outcome<_>>()?;
            again /= 2;
        }
        let mut whole = vectors[0];
        let mut unit = group;
        while width_of(whole) > count {
            if again == 1 {
                // Fewer rows than a group has lanes: it repeats them.
                (again, unit) = (unit / count, count);
            }
            let width = width_of(whole);
            let half = |high: i64| emit.shuffle(whole, whole, &picked(width, unit, again, high));
            whole = self.combine(emit, kind, half(0), half(1))?;
            again /= 2;
        }
        Ok(whole)
    }

    /// Rows in one vector, whose groups have a lane of each row in order, repeated.
    fn fold_block(
        &self,
        emit: Builder<'c>,
        kind: CombiningKind,
        rows: &[Value<'c>],
        group: i64,
    ) -> Outcome<Value<'c>> {
        let mut rows = rows.to_vec();
        while rows.len() > 1 {
            // The last step makes neighbours, which are rows beside each other.
            let (low, high) = rows.split_at(rows.len() / 2);
            let pairs = low.iter().zip(high).map(|(left, right)| {
                let width = width_of(*left);
                let interleaved = |high: i64| {
                    let lane = |at: i64| {
                        let (start, within) = (at / group * group, at % group);
                        start + high * (group / 2) + within / 2 + (within % 2) * width
                    };
                    let mask: Vec<_> = (0..width).map(lane).collect();
                    emit.shuffle(*left, *right, &mask)
                };
                self.combine(emit, kind, interleaved(0), interleaved(1))
            });
            rows = pairs.collect::<Outcome<_>>()?;
        }
        Ok(rows[0])
    }
}

/// Of runs of `again` units of lanes, the lanes of their lower or upper halves.
fn picked(width: i64, unit: i64, again: i64, high: i64) -> Vec<i64> {
    let half = again / 2;
    (0..width).filter(|lane| (lane / unit % again) / half.max(1) == high).collect()
}
