//! Programs for several devices, on threads of this process.

use std::sync::{Arc, Mutex, PoisonError};

use strata_abi::{DEVICE_FAILED, DIFFERENT_PROGRAMS, TIMED_OUT};
use strata_diag::{Diagnostic, codes};
use strata_threads::devices::Devices;

use crate::{
    linked::{Environment, HostIo},
    loaded::Loaded,
};

/// What a device waits for at most when its host is asked for.
type Hosts<'h> = &'h (dyn Fn(usize) -> Option<Box<dyn HostIo>> + Sync);

/// Calls a program with its inputs on each of the devices, all at once; returns the outputs of each. `host` makes the host of a
/// device, if it has one.
///
/// # Errors
/// `S1805` if a program returns another status than 0, with what happened first, or if something that was sent is not received; `S9001` and `S1807` as [`Loaded::call`].
pub fn call_on_devices(
    devices: &Arc<Devices>,
    calls: &[(&Loaded, &[Vec<u8>])],
    host: Hosts<'_>,
) -> Result<Vec<Vec<Vec<u8>>>, Diagnostic> {
    if calls.len() != devices.count() {
        let reason = format!("{} calls for {} devices", calls.len(), devices.count());
        return Err(Diagnostic::new(codes::S9001).reason(reason));
    }
    strata_ir::Devices { replicas: 1, partitions: devices.count() as i64 }.check_threads()?;
    let outcomes: Vec<_> = calls.iter().map(|_| Mutex::new(None)).collect();
    let statuses = devices.run(|device| {
        let (program, inputs) = calls[device.number()];
        let mut own = host(device.number());
        let collectives = Some(device.collectives());
        let mut environment = Environment { collectives, ..Environment::default() };
        if let Some(own) = &mut own {
            environment.host = Some(&mut **own);
        }
        let outcome = program.call_on(inputs, &mut environment, 0xFF, &[]);
        let status = outcome.as_ref().map_or(DEVICE_FAILED, |(status, _)| *status);
        *outcomes[device.number()].lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        status
    });
    let mut outputs = Vec::new();
    for outcome in outcomes {
        let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        let panicked = || Diagnostic::new(codes::S9001).reason("the thread of a device panicked");
        outputs.push(outcome.ok_or_else(panicked)??.1);
    }
    if statuses.iter().all(|status| *status == 0) {
        return match devices.unreceived() {
            Some(reason) => Err(Diagnostic::new(codes::S1805).reason(reason)),
            None => Ok(outputs),
        };
    }
    let Some(failure) = devices.failure() else {
        let reason = format!("the devices returned {statuses:?}");
        return Err(Diagnostic::new(codes::S1805).reason(reason));
    };
    let reason = format!(
        "device {} ended with status {}: {}",
        failure.device, failure.status, failure.reason
    );
    Err(hinted(Diagnostic::new(codes::S1805).reason(reason), failure.status))
}

/// What to do about devices that do not meet.
pub(crate) fn hinted(failed: Diagnostic, status: i32) -> Diagnostic {
    match status {
        TIMED_OUT => failed.hint(
            "`--time-limit` lets devices wait longer; others that never come do something else, or do not run",
        ),
        DIFFERENT_PROGRAMS => failed.hint(
            "all devices run the same program, and those of a group come to the same exchanges in the same order: conditions around them have the same value on all",
        ),
        _ => failed,
    }
}
