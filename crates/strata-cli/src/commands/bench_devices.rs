//! `strata bench` of programs for several devices: all of them call the object, each on a thread of this process.

use std::{
    sync::{Arc, Barrier, Mutex, PoisonError},
    time::{Duration, Instant},
};

use strata::Signature;
use strata_abi::DEVICE_FAILED;
use strata_diag::{Diagnostic, codes};
use strata_run::Loaded;
use strata_threads::devices::{Device, Devices};

/// How long a device waits for another: all call the object equally often.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The entry with the inputs of each device.
pub struct OnDevices<'l> {
    loaded: &'l Loaded,
    inputs: Vec<Vec<Vec<u8>>>,
    grid: (usize, usize),
}

impl<'l> OnDevices<'l> {
    /// `inputs` are those of the whole program, of which devices have parts where its values are split.
    pub fn new(
        loaded: &'l Loaded,
        signature: &Signature,
        grid: (usize, usize),
        inputs: &[Vec<u8>],
    ) -> Self {
        let inputs = match &signature.shards {
            Some(shards) => shards.split(&signature.widths()[0], inputs),
            None => vec![inputs.to_vec(); grid.0 * grid.1],
        };
        Self { loaded, inputs, grid }
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
        let devices = Devices::new(self.grid.0, self.grid.1).with_time_limit(TIME_LIMIT);
        let devices = Arc::new(devices);
        let ready = Barrier::new(self.count());
        let (begin, failed) = (Mutex::new(None), Mutex::new(None));
        let statuses = devices.run(|device| {
            let bound = self.loaded.bind(&self.inputs[device.number()]);
            ready.wait();
            begin.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
            let mut bound = match bound {
                Ok(bound) => bound,
                Err(error) => {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return DEVICE_FAILED;
                }
            };
            let host = device.host();
            let executor = Device::executor(&host);
            (0..calls).map(|_| bound.call_on(&executor)).find(|status| *status != 0).unwrap_or(0)
        });
        let begin = *begin.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = begin.map_or(0.0, |begin| begin.elapsed().as_secs_f64());
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if statuses.iter().all(|status| *status == 0) {
            return Ok(elapsed);
        }
        let reason = devices.failure().map_or_else(
            || format!("the devices returned {statuses:?}"),
            |failure| format!("device {}: {}", failure.device, failure.reason),
        );
        Err(Diagnostic::new(codes::S1805).reason(reason))
    }
}
