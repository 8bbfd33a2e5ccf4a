//! Programs for several devices: all of them call the object, each on a thread of this process.

use std::{
    sync::{
        Arc, Barrier, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use strata::Signature;
use strata_abi::DEVICE_FAILED;
use strata_diag::{Diagnostic, codes};
use strata_run::{
    Loaded,
    sampling::{self, Method, Sampler, Samples},
};
use strata_threads::devices::{Device, Devices};

use crate::spent::Spent;

/// How long a device waits for another: all call the object equally often.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The entry with the inputs of each device.
pub struct OnDevices<'l> {
    loaded: &'l Loaded,
    inputs: Vec<Vec<Vec<u8>>>,
    grid: (usize, usize),
}

/// Starts to take samples of threads.
pub(crate) type Start<'s> = &'s (dyn Fn(&[i32]) -> Result<Sampler, Diagnostic> + Sync);

/// How long devices call the object.
#[derive(Clone, Copy)]
enum Until {
    /// So many calls.
    Calls(u64),
    /// Until so much time is over, in rounds of calls.
    Over(Duration),
}

/// Parts of the time, after which the devices agree whether it is over.
const ROUNDS: u32 = 16;

/// Of the calls that the fastest round has time for, one in so many are made even where other work takes the processors: devices that wait
/// for one another make few calls then.
const LEAST_CALLS: f64 = 4.0;

/// So many times the time is the longest that devices call for.
const LONGEST: u32 = 8;

/// What decides how many calls follow.
struct Rounds {
    until: Until,
    calls: u64,
    /// Seconds of a call in the fastest round.
    fastest: f64,
}

impl Rounds {
    fn new(until: Until) -> Self {
        Self { until, calls: 0, fastest: f64::INFINITY }
    }

    /// The calls of the first round.
    fn first(until: Until) -> u64 {
        if let Until::Calls(calls) = until { calls } else { 1 }
    }

    /// The calls of the next round, after one of so many; none at the end. `took` is the time of the round, `elapsed` that of all.
    fn next(&mut self, round: u64, took: Duration, elapsed: Duration) -> u64 {
        let Until::Over(total) = self.until else { return 0 };
        self.calls += round;
        let latest = took.as_secs_f64().max(1e-9) / round as f64;
        self.fastest = self.fastest.min(latest);
        let all = |call: f64| total.as_secs_f64() / call;
        let is_over = elapsed >= total && self.calls as f64 >= all(self.fastest) / LEAST_CALLS;
        if is_over || elapsed >= total * LONGEST {
            return 0;
        }
        let share = f64::from(ROUNDS).recip().min(match total.checked_sub(elapsed) {
            Some(rest) if !rest.is_zero() => rest.as_secs_f64() / total.as_secs_f64(),
            _ => 1.0,
        });
        // The first calls are slow.
        ((all(latest) * share) as u64).clamp(1, round.saturating_mul(8))
    }
}

/// What was seen of calls.
pub(crate) struct Seen {
    /// How many calls each device made.
    pub calls: u64,
    /// How samples were taken, in words, too.
    pub how: (Option<Method>, String),
    /// Why not by events, where that was tried.
    pub refused: Option<String>,
    /// Of the threads of all devices.
    pub samples: Samples,
    /// Seconds from when all devices were ready to when the last one had ended.
    pub seconds: f64,
    /// What a device did in these, on average.
    pub spent: Spent,
}

impl<'l> OnDevices<'l> {
    /// `inputs` are those of the whole program, of which devices have parts where its values are split. `None` for a program of one device.
    pub fn new(loaded: &'l Loaded, signature: &Signature, inputs: &[Vec<u8>]) -> Option<Self> {
        let grid = signature.grid()?;
        let grid = (usize::try_from(grid.replicas).ok()?, usize::try_from(grid.partitions).ok()?);
        let count = grid.0.checked_mul(grid.1).filter(|count| *count > 1)?;
        let inputs = match &signature.shards {
            Some(shards) => shards.split(&signature.fillers(), inputs),
            None => vec![inputs.to_vec(); count],
        };
        Some(Self { loaded, inputs, grid })
    }

    /// How many devices there are.
    pub fn count(&self) -> usize {
        self.inputs.len()
    }

    /// The seconds of so many calls, from when all devices are ready to when the last one has ended.
    ///
    /// # Errors
    /// `S1805` where a device fails, `S1807` where there is no memory for its buffers.
    pub fn time(&self, calls: u64) -> Result<f64, Diagnostic> {
        Ok(self.run(Until::Calls(calls), None)?.seconds)
    }

    /// Calls for at least so long.
    ///
    /// # Errors
    /// As [`Self::time`].
    pub(crate) fn during(&self, total: Duration) -> Result<Seen, Diagnostic> {
        self.run(Until::Over(total), None)
    }

    /// As [`Self::during`], with samples of all devices.
    ///
    /// # Errors
    /// As [`Self::time`], and those of `start`.
    pub(crate) fn sampled(&self, total: Duration, start: Start<'_>) -> Result<Seen, Diagnostic> {
        self.run(Until::Over(total), Some(start))
    }

    fn run(&self, until: Until, start: Option<Start<'_>>) -> Result<Seen, Diagnostic> {
        let devices = Devices::new(self.grid.0, self.grid.1).with_time_limit(TIME_LIMIT);
        let devices = Arc::new(devices);
        let ready = Barrier::new(self.count());
        let threads = Mutex::new(Vec::new());
        let failed: Mutex<Option<Diagnostic>> = Mutex::new(None);
        let seen = Mutex::new(None);
        let spent = Mutex::new(Spent::NOTHING);
        // How many calls the next round has: zero at the end, and after a failure.
        let next = AtomicU64::new(Rounds::first(until));
        let is_failing = AtomicBool::new(false);
        let statuses = devices.run(|device| {
            let bound = self.loaded.bind(&self.inputs[device.number()]);
            let mut bound = bound.map_err(|error| *held(&failed) = Some(error)).ok();
            let own: Vec<_> = sampling::this_thread().into_iter().collect();
            held(&threads).extend(&own);
            ready.wait();
            // One of them has the sampler, since that belongs to the thread that made it.
            let sampler = start.filter(|_| device.number() == 0 && held(&failed).is_none());
            let sampler = sampler.map(|start| start(&held(&threads)));
            let sampler =
                sampler.and_then(|begun| begun.map_err(|error| *held(&failed) = Some(error)).ok());
            ready.wait();
            let Some(bound) = bound.as_mut().filter(|_| held(&failed).is_none()) else {
                return DEVICE_FAILED;
            };
            let begin = Instant::now();
            let before = Spent::of(&own);
            let host = device.host();
            let executor = Device::executor(&host);
            let mut round = Rounds::first(until);
            let mut rounds = Rounds::new(until);
            let (mut calls, mut begun) = (0, begin);
            let mut failing = None;
            while round > 0 {
                failing = (0..round).map(|_| bound.call_on(&executor)).find(|status| *status != 0);
                if let Some(status) = failing {
                    // The others do not have to wait for it.
                    device.end(status);
                    is_failing.store(true, Ordering::Release);
                }
                calls += round;
                ready.wait();
                if device.number() == 0 {
                    let (took, elapsed) = (begun.elapsed(), begin.elapsed());
                    let has_failed = is_failing.load(Ordering::Acquire);
                    let more = if has_failed { 0 } else { rounds.next(round, took, elapsed) };
                    next.store(more, Ordering::Release);
                    begun = Instant::now();
                }
                ready.wait();
                round = next.load(Ordering::Acquire);
            }
            let since = Spent::of(&own).since(before);
            let mut all = held(&spent);
            *all = all.and(since);
            drop(all);
            ready.wait();
            if device.number() == 0 {
                let seconds = begin.elapsed().as_secs_f64();
                let told = |sampler: &Sampler| {
                    let how = (Some(sampler.method()), sampler.how().to_owned());
                    (how, sampler.refused().map(str::to_owned))
                };
                let (how, refused) = sampler.as_ref().map(told).unwrap_or_default();
                let samples = sampler.map(Sampler::stop).unwrap_or_default();
                let spent = Spent::NOTHING;
                *held(&seen) = Some(Seen { calls, how, refused, samples, seconds, spent });
            }
            failing.unwrap_or(0)
        });
        if let Some(error) = held(&failed).take() {
            return Err(error);
        }
        let seen = held(&seen).take();
        let spent = held(&spent).per(self.count() as f64);
        if let Some(seen) = seen.filter(|_| statuses.iter().all(|status| *status == 0)) {
            return Ok(Seen { spent, ..seen });
        }
        let reason = devices.failure().map_or_else(
            || format!("the devices returned {statuses:?}"),
            |failure| format!("device {}: {}", failure.device, failure.reason),
        );
        Err(Diagnostic::new(codes::S1805).reason(reason))
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Rounds, Until};

    /// Makes calls that take as long as `seconds` says of the time at which they begin, and returns how many, and for how long.
    fn called(total: f64, seconds: impl Fn(f64) -> f64) -> (u64, f64) {
        let until = Until::Over(Duration::from_secs_f64(total));
        let mut rounds = Rounds::new(until);
        let (mut round, mut elapsed, mut calls) = (Rounds::first(until), 0.0, 0);
        while round > 0 {
            let begun = elapsed;
            (0..round).for_each(|_| elapsed += seconds(elapsed));
            calls += round;
            let [took, all] = [elapsed - begun, elapsed].map(Duration::from_secs_f64);
            round = rounds.next(round, took, all);
        }
        (calls, elapsed)
    }

    /// Seconds.
    const CALL: f64 = 1.0 / 8192.0;

    #[test]
    fn calls_take_about_the_time() {
        let (calls, elapsed) = called(0.5, |_| CALL);
        assert!((0.5..0.55).contains(&elapsed) && calls >= 4_000, "{calls} {elapsed}");
        // A call that takes longer than all is made once.
        assert_eq!(called(0.5, |_| 2.0), (1, 2.0));
        assert_eq!(called(0.0, |_| CALL), (1, CALL));
    }

    /// Other work delays the first call by a fifth of the time.
    #[test]
    fn a_delay_does_not_say_how_long_calls_take() {
        let (calls, elapsed) = called(0.5, |at| if at < 0.05 { 0.1 } else { CALL });
        assert!(calls >= 3_200 && elapsed < 0.55, "{calls} {elapsed}");
    }

    /// Of a second, other work leaves the devices a tenth together.
    #[test]
    fn devices_that_get_no_processor_call_for_longer() {
        let (calls, elapsed) = called(0.5, |at| if at.fract() < 0.1 { CALL } else { 0.05 });
        assert!(calls >= 1_024 && elapsed <= 4.5, "{calls} {elapsed}");
        let (_, elapsed) = called(0.5, |at| if at < 2.0 * CALL { CALL } else { 0.05 });
        assert!((4.0..=4.5).contains(&elapsed), "{elapsed}");
    }
}
