//! Programs for several devices: all of them call the object, each on a thread of this process.

use std::{
    sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError},
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

/// What was seen of calls with samples.
pub(crate) struct Seen {
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
        Ok(self.timed(calls)?.seconds)
    }

    /// As [`Self::time`], with what else is known of the calls.
    pub(crate) fn timed(&self, calls: u64) -> Result<Seen, Diagnostic> {
        self.run(calls, None)
    }

    /// As [`Self::time`], with samples of all devices.
    ///
    /// # Errors
    /// As [`Self::time`], and those of `start`.
    pub(crate) fn sampled(&self, calls: u64, start: Start<'_>) -> Result<Seen, Diagnostic> {
        self.run(calls, Some(start))
    }

    fn run(&self, calls: u64, start: Option<Start<'_>>) -> Result<Seen, Diagnostic> {
        let devices = Devices::new(self.grid.0, self.grid.1).with_time_limit(TIME_LIMIT);
        let devices = Arc::new(devices);
        let ready = Barrier::new(self.count());
        let threads = Mutex::new(Vec::new());
        let failed: Mutex<Option<Diagnostic>> = Mutex::new(None);
        let seen = Mutex::new(None);
        let spent = Mutex::new(Spent::NOTHING);
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
            let failing = (0..calls).map(|_| bound.call_on(&executor)).find(|status| *status != 0);
            if let Some(status) = failing {
                // The others do not have to wait for it.
                device.end(status);
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
                *held(&seen) = Some(Seen { how, refused, samples, seconds, spent: Spent::NOTHING });
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
