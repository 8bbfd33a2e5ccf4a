//! The search of all nests of a program.

use std::time::Duration;

use strata::{Gains, Schedules, TunableNest};
use strata_diag::{Diagnostic, codes};

use crate::{
    database::{Database, Record},
    measure::{Measure, Rejection, Subject},
    search::{Found, entry, search},
    statistics::Compared,
};

/// Rounds of the program with a schedule against that without it.
const ROUNDS: usize = 21;
/// Rounds of the tuned program against the untuned one.
const LAST_ROUNDS: usize = 41;
/// A schedule that is faster alone stays unless the program is slower than this with it.
const HARMLESS: f64 = 0.995;
/// The schedules of a program are worth keeping from this gain on.
const WORTH: f64 = 1.01;

/// How long searches may take.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// For one nest.
    pub budget: Duration,
    /// For all.
    pub total: Duration,
    /// The version of the compiler.
    pub compiler: &'a str,
}

/// What became of a nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its position in the list of nests.
    pub nest: usize,
    /// What the search found; `None` where the nest cannot be measured, or the time was over.
    pub found: Option<Found>,
    /// Whether it is from the database.
    pub is_known: bool,
    /// How many times as fast the program is with the schedule, where that was measured.
    pub in_program: Option<f64>,
    /// Whether the schedule is in the result.
    pub is_kept: bool,
    /// Why there is none.
    pub reason: String,
}

/// What became of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The nests, in the order of the search.
    pub outcomes: Vec<Outcome>,
    /// The schedules that are faster.
    pub schedules: Schedules,
    /// The tuned program beside the untuned one; `None` where no schedule was kept, or the search was interrupted before.
    pub compared: Option<Compared>,
    /// Whether the user ended the search: what was not searched is not in it, and the schedules were not measured together.
    pub is_interrupted: bool,
}

/// Hears of a search.
pub trait Listener {
    /// What it does.
    fn progress(&mut self, _text: &str) {}
    /// A nest was searched.
    fn found(&mut self, _record: &Record) {}
    /// The schedules that were kept so far are these.
    fn kept(&mut self, _schedules: &Schedules) {}
}

/// Measures the nests of a program, the longest first, each alone and then in the program.
///
/// # Errors
/// `S1805` where the program cannot be run, and errors of calls.
pub fn tune(
    measure: &mut dyn Measure,
    nests: &[TunableNest],
    database: &Database,
    settings: Settings<'_>,
    listener: &mut dyn Listener,
) -> Result<Report, Diagnostic> {
    listener.progress("the untuned program");
    let untuned = measure.load(Subject::Program, &Schedules::default());
    let untuned = untuned.map_err(|rejection| match rejection {
        Rejection::Fails(reason) | Rejection::Differs(reason) => {
            Diagnostic::new(codes::S1805).reason(reason)
        }
    })?;
    let mut run =
        Run { measure, nests, settings, listener, current: untuned, kept: Schedules::default() };
    let mut order: Vec<_> = (0..nests.len()).collect();
    let work = |at: &usize| nests[*at].work * nests[*at].count as f64;
    order.sort_by(|one, other| work(other).total_cmp(&work(one)).then(one.cmp(other)));
    let mut outcomes = Vec::new();
    for (place, at) in order.into_iter().enumerate() {
        let outcome = run.nest(at, (place, untuned), database)?;
        outcomes.push(outcome);
    }
    let Run { measure, listener, current, kept: mut schedules, .. } = run;
    let mut compared = None;
    let is_interrupted = measure.is_interrupted();
    if !schedules.is_empty() && !is_interrupted {
        listener.progress("the tuned program beside the untuned one");
        let rounds = measure.times(&[untuned, current], LAST_ROUNDS)?;
        let all = Compared::of(&rounds, 0, 1);
        compared = Some(all);
        if !all.is_faster(WORTH) {
            schedules = Schedules::default();
            for outcome in outcomes.iter_mut().filter(|outcome| outcome.is_kept) {
                outcome.is_kept = false;
                outcome.reason =
                    "the program is not faster with all of them, by more than may be chance"
                        .to_owned();
            }
            listener.kept(&schedules);
        }
    }
    Ok(Report { outcomes, schedules, compared, is_interrupted })
}

struct Run<'a> {
    measure: &'a mut dyn Measure,
    nests: &'a [TunableNest],
    settings: Settings<'a>,
    listener: &'a mut dyn Listener,
    /// The program with what was kept.
    current: usize,
    kept: Schedules,
}

impl Run<'_> {
    fn nest(
        &mut self,
        at: usize,
        (place, untuned): (usize, usize),
        database: &Database,
    ) -> Result<Outcome, Diagnostic> {
        let nest = &self.nests[at];
        let mut outcome = Outcome {
            nest: at,
            found: None,
            is_known: false,
            in_program: None,
            is_kept: false,
            reason: String::new(),
        };
        let seconds = self.settings.budget.as_secs_f64();
        let left = self.left();
        let known = database.get(nest.fingerprint);
        let known = known.filter(|record| record.serves(self.settings.compiler, seconds));
        let found = match known {
            _ if self.measure.is_interrupted() => {
                outcome.reason = "the search was interrupted".to_owned();
                return Ok(outcome);
            }
            Some(record) => {
                outcome.is_known = true;
                Ok(Found {
                    choice: record.schedule.clone(),
                    gain: record.gain,
                    tried: record.tried,
                    rejected: Vec::new(),
                    is_complete: record.complete,
                    time: Duration::ZERO,
                    wrong: Vec::new(),
                })
            }
            None if self.measure.elapsed() >= self.settings.total => {
                outcome.reason = "the time was over".to_owned();
                return Ok(outcome);
            }
            None => self.search(at, place)?,
        };
        let found = match found {
            Ok(found) => found,
            Err(Rejection::Fails(reason) | Rejection::Differs(reason)) => {
                outcome.reason = format!("it cannot be measured: {reason}");
                return Ok(outcome);
            }
        };
        if found.tried == 0 && !found.is_complete {
            outcome.reason = "the time was over before a schedule was measured".to_owned();
            return Ok(outcome);
        }
        if !outcome.is_known {
            let was_cut = self.measure.is_interrupted() || left < self.settings.budget;
            self.listener.found(&Record {
                nest: nest.fingerprint,
                target: nest.target.clone(),
                about: nest.about.clone(),
                compiler: self.settings.compiler.to_owned(),
                schedule: found.choice.clone(),
                gain: found.gain,
                tried: found.tried,
                // What a search had less than its budget, another one may have.
                seconds: if was_cut { found.time.as_secs_f64() } else { seconds },
                complete: found.is_complete,
            });
        }
        self.try_in_program(&mut outcome, &found, untuned)?;
        outcome.found = Some(found);
        Ok(outcome)
    }

    /// How long all searches may still take.
    fn left(&self) -> Duration {
        self.settings.total.saturating_sub(self.measure.elapsed())
    }

    /// Alone, or in the program where that is not possible.
    fn search(&mut self, at: usize, place: usize) -> Result<Result<Found, Rejection>, Diagnostic> {
        let budget = self.settings.budget.min(self.left());
        let nest = &self.nests[at];
        let count = self.nests.len();
        let listener = &mut *self.listener;
        let mut tell = |tried: usize, best: f64| {
            listener.progress(&format!(
                "nest {} of {count}: {tried} of {} schedules, the best {best:.2} times as fast",
                place + 1,
                nest.space.len()
            ));
        };
        let alone = (nest, Subject::Nest(at));
        let none = Schedules::default();
        if nest.program.is_some()
            && let Ok(found) = search(self.measure, alone, &none, budget, &mut tell)?
        {
            return Ok(Ok(found));
        }
        search(self.measure, (nest, Subject::Program), &self.kept, budget, &mut tell)
    }

    /// Keeps what is faster alone, unless the program is slower with it.
    fn try_in_program(
        &mut self,
        outcome: &mut Outcome,
        found: &Found,
        untuned: usize,
    ) -> Result<(), Diagnostic> {
        let nest = &self.nests[outcome.nest];
        let Some(choice) = &found.choice else {
            outcome.reason = "the compiler's own schedule is the fastest that was tried".to_owned();
            return Ok(());
        };
        let mut schedules = self.kept.clone();
        schedules.insert(entry(nest, choice.clone(), None));
        let object = match self.measure.load(Subject::Program, &schedules) {
            Ok(object) => object,
            Err(Rejection::Fails(reason)) => {
                outcome.reason = format!("the program with it cannot be compiled: {reason}");
                return Ok(());
            }
            Err(Rejection::Differs(place)) => {
                outcome.reason = format!("the program has other results with it: {place}");
                return Ok(());
            }
        };
        let rounds = self.measure.times(&[self.current, object], ROUNDS)?;
        let compared = Compared::of(&rounds, 0, 1);
        outcome.in_program = Some(compared.ratio);
        if compared.is_slower() || compared.ratio < HARMLESS {
            outcome.reason = "the program is not faster with it".to_owned();
            self.measure.unload(object);
            return Ok(());
        }
        if self.current != untuned {
            self.measure.unload(self.current);
        }
        self.current = object;
        let hundredths = |ratio: f64| Some((ratio * 100.0).round() / 100.0);
        let gains = Gains { alone: hundredths(found.gain), program: hundredths(compared.ratio) };
        self.kept.insert(entry(nest, choice.clone(), Some(gains)));
        outcome.is_kept = true;
        self.listener.kept(&self.kept);
        Ok(())
    }
}
