//! The memory of temporaries over a call: the plan of the compiler, along the time that was measured.

use std::collections::BTreeMap;

use strata::{Origin, Remarks};

use crate::report::Row;

/// A part of a call in which the same temporaries are live.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its part of the time.
    pub share: f64,
    /// Bytes of temporaries that are live in it.
    pub bytes: u64,
    /// The nest that runs, as a position in the remarks; none for other code.
    pub nest: Option<usize>,
    /// The operation, where the code is of no nest and one is known.
    pub operation: Option<usize>,
}

/// The steps of a call, in the order of the program. Loops are one round of each of their points.
pub fn steps(remarks: &Remarks, nests: &[Row<usize>], operations: &[Row<usize>]) -> Vec<Step> {
    let Some(arena) = &remarks.arena else { return Vec::new() };
    let share = |rows: &[Row<usize>]| -> BTreeMap<usize, f64> {
        rows.iter().map(|row| (row.key, row.share)).collect()
    };
    let (nests, operations) = (share(nests), share(operations));
    // What runs at several points takes an equal part of its time at each.
    let mut points: BTreeMap<Thing, f64> = BTreeMap::new();
    for (_, of) in &arena.points {
        for thing in Thing::all(of) {
            *points.entry(thing).or_default() += 1.0;
        }
    }
    // The changes of what is live, by the point from which on they hold.
    let mut changes: BTreeMap<u64, i128> = BTreeMap::new();
    for one in &arena.temporaries {
        *changes.entry(one.first).or_default() += i128::from(one.bytes);
        *changes.entry(one.last.saturating_add(1)).or_default() -= i128::from(one.bytes);
    }
    let mut live = 0;
    let lives: BTreeMap<u64, u64> = changes
        .into_iter()
        .map(|(at, change)| {
            live += change;
            (at, u64::try_from(live).unwrap_or(0))
        })
        .collect();
    let of = |(at, of): &(u64, Origin)| {
        let all = Thing::all(of);
        let time = |thing: &Thing| {
            let whole = match thing {
                Thing::Nest(nest) => nests.get(nest),
                Thing::Operation(operation) => operations.get(operation),
            };
            whole.copied().unwrap_or(0.0) / points.get(thing).copied().unwrap_or(1.0)
        };
        Step {
            share: all.iter().map(time).sum(),
            bytes: lives.range(..=*at).next_back().map_or(0, |(_, bytes)| *bytes),
            nest: of.nests.first().copied(),
            operation: of.operations.first().copied().filter(|_| of.nests.is_empty()),
        }
    };
    let mut steps: Vec<Step> = Vec::new();
    for step in arena.points.iter().map(of) {
        match steps.last_mut() {
            Some(last)
                if (last.bytes, last.nest, last.operation)
                    == (step.bytes, step.nest, step.operation) =>
            {
                last.share += step.share;
            }
            _ => steps.push(step),
        }
    }
    steps
}

/// What runs at a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Nest(usize),
    Operation(usize),
}

impl Thing {
    fn all(of: &Origin) -> Vec<Self> {
        match of.nests.is_empty() {
            false => of.nests.iter().map(|nest| Self::Nest(*nest)).collect(),
            true => of.operations.iter().map(|one| Self::Operation(*one)).collect(),
        }
    }
}

/// The most that is live in each of `count` equal parts of the time; none where no time is known.
pub fn over_time(steps: &[Step], count: usize) -> Vec<u64> {
    let total: f64 = steps.iter().map(|step| step.share).sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut found = vec![0; count];
    let mut at = 0.0;
    for step in steps {
        let (from, to) = (at / total, (at + step.share) / total);
        at += step.share;
        let of = |time: f64| ((time * count as f64).floor() as usize).min(count - 1);
        for part in &mut found[of(from)..=of(to)] {
            *part = step.bytes.max(*part);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Step, over_time};

    #[test]
    fn parts_of_the_time_have_the_most_that_is_live_in_them() {
        let step = |share, bytes| Step { share, bytes, nest: None, operation: None };
        let steps = [step(0.1, 5), step(0.3, 2), step(0.0, 9), step(0.4, 1)];
        assert_eq!(over_time(&steps, 4), [5, 2, 9, 1]);
        assert!(over_time(&[], 4).is_empty() && over_time(&[step(0.0, 3)], 4).is_empty());
    }
}
