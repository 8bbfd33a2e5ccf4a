//! The search for the schedule of one nest.

use std::{collections::BTreeMap, time::Duration};

use strata::{Choice, Entry, Gains, Schedules, TunableNest};
use strata_diag::Diagnostic;

use crate::{
    measure::{Measure, Rejection, Subject},
    statistics::Compared,
};

/// Rounds in which a candidate is looked at.
const FIRST_ROUNDS: usize = 3;
/// More rounds of a candidate that is not far from the best so far.
const SECOND_ROUNDS: usize = 4;
/// A candidate is far from the best one below this share of its speed.
const FAR: f64 = 0.93;
/// More rounds of a candidate that looks better than the best so far.
const THIRD_ROUNDS: usize = 10;
/// Rounds of the best one against the compiler's own choice.
const LAST_ROUNDS: usize = 41;
/// Schedules of each other kind that are looked at first.
const OTHER_KINDS: usize = 3;
/// A step to another schedule gains this at least.
const STEP: f64 = 1.005;
/// A schedule is worth keeping from this gain on.
pub const WORTH: f64 = 1.02;

/// What a search of a nest found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The schedule that is faster than the compiler's own choice; `None` where there is none.
    pub choice: Option<Choice>,
    /// How many times as fast it is as the compiler's own choice; 1 without one.
    pub gain: f64,
    /// Schedules that were measured, the compiler's own not counted.
    pub tried: usize,
    /// Those that did not apply, and why.
    pub rejected: Vec<(Choice, String)>,
    /// Whether the search ended by itself, not by its budget.
    pub is_complete: bool,
    /// How long it took.
    pub time: Duration,
    /// Schedules with other results than the untuned object: bugs, which are reported.
    pub wrong: Vec<String>,
}

/// A schedule as the numbers that it consists of, and its kind.
fn numbers(choice: &Choice) -> (u8, Vec<i64>) {
    match *choice {
        Choice::Registers {
            rows,
            columns,
            lanes,
            row_block,
            depth_block,
            outer_block,
            pack,
            transpose_panels,
        } => {
            // Blocks in tiles, so that they stay as large as rows change.
            let blocks = row_block / rows.max(1);
            (
                0,
                vec![
                    rows,
                    columns,
                    lanes,
                    blocks,
                    depth_block,
                    outer_block,
                    pack.into(),
                    transpose_panels.into(),
                ],
            )
        }
        Choice::Rows { lanes, accumulators, unroll, together } => {
            (1, vec![lanes, accumulators, unroll, together])
        }
        Choice::Elementwise { lanes, unroll, flat } => (2, vec![lanes, unroll, flat.into()]),
        Choice::Transpose { side, block } => (3, vec![side, block]),
        Choice::Apart => (4, Vec::new()),
        Choice::Loops => (5, Vec::new()),
        Choice::Tiles { pack, transpose_panels } => (6, vec![pack.into(), transpose_panels.into()]),
    }
}

/// The schedules next to one: with the next smaller or larger number that the space has in one place, or in the first two, the rows and
/// columns of a register tile, opposite ways. Those of other kinds follow.
pub fn neighbours<'s>(choice: &Choice, space: &'s [Choice]) -> Vec<&'s Choice> {
    let (kind, own) = numbers(choice);
    let all: Vec<_> = space.iter().map(|one| (one, numbers(one))).collect();
    let mut steps: Vec<[Option<i64>; 2]> = Vec::new();
    for (place, number) in own.iter().enumerate() {
        let values = || {
            let same = all.iter().filter(|(_, (other, _))| *other == kind);
            same.filter_map(|(_, (_, numbers))| numbers.get(place).copied())
        };
        steps.push([
            values().filter(|other| other < number).max(),
            values().filter(|other| other > number).min(),
        ]);
    }
    let mut near: Vec<Vec<i64>> = Vec::new();
    let moved = |places: &[(usize, Option<i64>)]| {
        let mut numbers = own.clone();
        for (place, number) in places {
            *numbers.get_mut(*place)? = (*number)?;
        }
        Some(numbers)
    };
    for (place, [less, more]) in steps.iter().enumerate() {
        near.extend([*less, *more].into_iter().filter_map(|step| moved(&[(place, step)])));
    }
    if let (0, [rows, columns, ..]) = (kind, steps.as_slice()) {
        near.extend(moved(&[(0, rows[0]), (1, columns[1])]));
        near.extend(moved(&[(0, rows[1]), (1, columns[0])]));
    }
    let is_near = |numbers: &(u8, Vec<i64>)| numbers.0 == kind && near.contains(&numbers.1);
    all.iter().filter(|(_, numbers)| is_near(numbers)).map(|(one, _)| *one).collect()
}

/// The schedules in the order in which a search looks at those that are not next to the best one: some of each other kind, then all. Of
/// these every second one is the next of the space, which has what the cost model expects most of first; those between them are far apart,
/// so that no part of the space is left out.
fn spread<'s>(chosen: &Choice, space: &'s [Choice]) -> Vec<&'s Choice> {
    let own = numbers(chosen).0;
    let mut kinds: BTreeMap<u8, Vec<&Choice>> = BTreeMap::new();
    for one in space {
        kinds.entry(numbers(one).0).or_default().push(one);
    }
    let mut all = Vec::new();
    for list in kinds.iter().filter(|(kind, _)| **kind != own).map(|(_, list)| list) {
        let count = OTHER_KINDS.min(list.len());
        all.extend((0..count).map(|at| list[(2 * at + 1) * list.len() / (2 * count)]));
    }
    // Multiples of the golden ratio, without a common divisor with the length.
    let count = space.len().max(1);
    let divisor = |mut one: usize, mut other: usize| {
        while other > 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    let step = (count as f64 * 0.618) as usize;
    let step = (step.max(1)..).find(|step| divisor(*step, count) == 1).unwrap_or(1);
    all.extend((0..space.len()).flat_map(|at| [&space[at], &space[at * step % count]]));
    all
}

/// The entry of a nest with this schedule.
pub fn entry(nest: &TunableNest, schedule: Choice, gains: Option<Gains>) -> Entry {
    Entry {
        nest: nest.fingerprint,
        target: nest.target.clone(),
        about: nest.about.clone(),
        schedule,
        gains,
    }
}

/// Searches the schedules of a nest, measured as `subject` beside what `around` has for other nests, until `budget` has passed.
/// `tell` hears of progress: the schedules tried, and the best gain.
///
/// # Errors
/// Why the subject cannot be measured at all: an inner rejection where the compiler's own choice is rejected.
pub fn search(
    measure: &mut dyn Measure,
    (nest, subject): (&TunableNest, Subject),
    around: &Schedules,
    budget: Duration,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<Result<Found, Rejection>, Diagnostic> {
    let started = measure.elapsed();
    let own = match measure.load(subject, around) {
        Ok(own) => own,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let mut walk = Walk {
        nest,
        subject,
        around,
        own,
        known: BTreeMap::from([(nest.chosen.clone(), Some(1.0))]),
        best: (nest.chosen.clone(), 1.0),
        tried: 0,
        rejected: Vec::new(),
        wrong: Vec::new(),
    };
    let is_over = |measure: &dyn Measure, share: f64| {
        (measure.elapsed().saturating_sub(started)).as_secs_f64() > share * budget.as_secs_f64()
    };
    let mut others = spread(&nest.chosen, &nest.space).into_iter();
    let mut open = neighbours(&nest.chosen, &nest.space);
    // The last rounds need a part of the time.
    let is_complete = loop {
        let next = if open.is_empty() { others.next() } else { Some(open.remove(0)) };
        let Some(choice) = next else { break true };
        if is_over(measure, 0.85) || measure.is_interrupted() {
            break false;
        }
        if walk.known.contains_key(choice) {
            continue;
        }
        if walk.look_at(measure, choice)? {
            open = neighbours(choice, &nest.space);
        }
        tell(walk.tried, walk.best.1);
    };
    let mut found = Found {
        choice: None,
        gain: 1.0,
        tried: walk.tried,
        rejected: std::mem::take(&mut walk.rejected),
        is_complete,
        time: Duration::ZERO,
        wrong: std::mem::take(&mut walk.wrong),
    };
    if let Some(compared) = walk.confirm(measure)?.filter(|compared| compared.is_faster(WORTH)) {
        (found.choice, found.gain) = (Some(walk.best.0.clone()), compared.ratio);
    }
    measure.unload(own);
    found.time = measure.elapsed().saturating_sub(started);
    Ok(Ok(found))
}

struct Walk<'a> {
    nest: &'a TunableNest,
    subject: Subject,
    around: &'a Schedules,
    /// The object with the compiler's own choice.
    own: usize,
    /// How many times as fast each is that was looked at; `None` of those that were rejected.
    known: BTreeMap<Choice, Option<f64>>,
    best: (Choice, f64),
    tried: usize,
    rejected: Vec<(Choice, String)>,
    wrong: Vec<String>,
}

impl Walk<'_> {
    fn load(&self, measure: &mut dyn Measure, choice: &Choice) -> Result<usize, Rejection> {
        let mut schedules = self.around.clone();
        schedules.insert(entry(self.nest, choice.clone(), None));
        measure.load(self.subject, &schedules)
    }

    /// Measures a schedule, and makes it the best one if it is; returns whether it is.
    fn look_at(&mut self, measure: &mut dyn Measure, choice: &Choice) -> Result<bool, Diagnostic> {
        self.tried += 1;
        let object = match self.load(measure, choice) {
            Ok(object) => object,
            Err(rejection) => {
                match rejection {
                    Rejection::Differs(place) => {
                        self.wrong.push(format!("{}: {place}", choice.in_full()));
                    }
                    Rejection::Fails(reason) => self.rejected.push((choice.clone(), reason)),
                }
                self.known.insert(choice.clone(), None);
                return Ok(false);
            }
        };
        let pair = [self.own, object];
        let mut rounds = measure.times(&pair, FIRST_ROUNDS)?;
        let mut ratio = Compared::of(&rounds, 0, 1).ratio;
        for (share, more) in [(FAR, SECOND_ROUNDS), (STEP, THIRD_ROUNDS)] {
            if ratio > self.best.1 * share {
                rounds.extend(measure.times(&pair, more)?);
                ratio = Compared::of(&rounds, 0, 1).ratio;
            }
        }
        measure.unload(object);
        self.known.insert(choice.clone(), Some(ratio));
        let is_best = ratio > self.best.1 * STEP;
        if is_best {
            self.best = (choice.clone(), ratio);
        }
        Ok(is_best)
    }

    /// Compares the best one with the compiler's own choice.
    fn confirm(&self, measure: &mut dyn Measure) -> Result<Option<Compared>, Diagnostic> {
        if self.best.0 == self.nest.chosen {
            return Ok(None);
        }
        let Ok(object) = self.load(measure, &self.best.0) else { return Ok(None) };
        let rounds = measure.times(&[self.own, object], LAST_ROUNDS)?;
        measure.unload(object);
        Ok(Some(Compared::of(&rounds, 0, 1)))
    }
}
