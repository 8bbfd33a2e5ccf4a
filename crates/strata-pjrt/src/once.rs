//! Callbacks of a program on several devices that one of them makes for all, as the attribute `device` of a call says: the
//! others wait for the results and copy them. Without that attribute each device calls.

use std::{
    cell::RefCell,
    collections::HashMap,
    ptr, slice,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use strata_abi::Call;
use strata_threads::devices::Devices;

use crate::element;

/// How often a device that waits looks whether another one has failed.
const LOOK: Duration = Duration::from_millis(20);

thread_local! {
    /// The device that this thread is, and the run that it takes part in.
    static PLACE: RefCell<Option<(usize, Arc<Run>)>> = const { RefCell::new(None) };
}

/// One run of a program on its devices.
pub struct Run {
    devices: Arc<Devices>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How many calls of a function a device has come to. All come to the same ones in the same order.
    counts: HashMap<(usize, i64), u64>,
    /// What came of a call that some devices still wait for, and how many.
    made: HashMap<(i64, u64), (Made, usize)>,
}

/// The bytes of the results, or why there are none.
type Made = Result<Arc<Vec<Vec<u8>>>, Option<String>>;

impl Run {
    pub fn new(devices: &Arc<Devices>) -> Arc<Self> {
        let devices = Arc::clone(devices);
        Arc::new(Self { devices, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Calls `body` as that device of the run.
    pub fn take_part<R>(self: &Arc<Self>, device: usize, body: impl FnOnce() -> R) -> R {
        let outer = PLACE.replace(Some((device, Arc::clone(self))));
        let result = body();
        PLACE.replace(outer);
        result
    }

    fn count(&self, device: usize, number: i64) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = state.counts.entry((device, number)).or_default();
        *count += 1;
        *count
    }

    fn publish(&self, call: (i64, u64), made: Made) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.made.insert(call, (made, self.devices.count() - 1));
        drop(state);
        self.changed.notify_all();
    }

    fn wait(&self, call: (i64, u64)) -> Made {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((made, left)) = state.made.get_mut(&call) {
                let made = made.clone();
                *left -= 1;
                if *left == 0 {
                    state.made.remove(&call);
                }
                return made;
            }
            if self.devices.failure().is_some() {
                return Err(Some("another device has failed".to_owned()));
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Makes the call of function `number` on the device that makes it for all, and copies the results on the others.
///
/// # Errors
/// Why the function failed, if it says so.
///
/// # Safety
/// `call` describes a call, as a compiled program does.
pub unsafe fn call(
    call: &Call,
    number: i64,
    caller: Option<i64>,
    make: impl FnOnce() -> Result<(), Option<String>>,
) -> Result<(), Option<String>> {
    let place = PLACE.with(|place| place.borrow().clone());
    let (Some(caller), Some((device, run))) = (caller, place) else { return make() };
    let known = usize::try_from(caller).ok().filter(|one| *one < run.devices.count());
    let Some(known) = known else {
        // All would wait for it.
        return Err(Some(format!("device {caller} is to call a function, which is not there")));
    };
    let is_caller = known == device;
    // SAFETY: as the caller promises.
    let outputs = unsafe { outputs(call) };
    if outputs.is_empty() {
        // There is nothing to wait for.
        return if is_caller { make() } else { Ok(()) };
    }
    let name = (number, run.count(device, number));
    if is_caller {
        let made = make();
        let copy = |(data, size): &(*mut u8, usize)| match size {
            0 => Vec::new(),
            // SAFETY: as the caller promises.
            _ => unsafe { slice::from_raw_parts(*data, *size) }.to_vec(),
        };
        run.publish(name, made.clone().map(|()| Arc::new(outputs.iter().map(copy).collect())));
        return made;
    }
    for ((data, size), bytes) in outputs.into_iter().zip(run.wait(name)?.iter()) {
        // SAFETY: as the caller promises; results have the same types on all devices.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), data, size.min(bytes.len())) };
    }
    Ok(())
}

/// The memory of a call's results, with its sizes.
///
/// # Safety
/// As for [`call`].
unsafe fn outputs(call: &Call) -> Vec<(*mut u8, usize)> {
    let count = usize::try_from(call.output_count).unwrap_or(0);
    let all = match count {
        0 => &[][..],
        // SAFETY: as the caller promises.
        _ => unsafe { slice::from_raw_parts(call.outputs, count) },
    };
    let memory = |one: &strata_abi::Buffer| {
        let dims = match one.rank {
            ..=0 => &[][..],
            // SAFETY: as the caller promises.
            rank => unsafe { slice::from_raw_parts(one.dimensions, rank as usize) },
        };
        let elements: i64 = dims.iter().product();
        (one.data.cast(), elements as usize * element::width_of_code(one.element_type))
    };
    all.iter().map(memory).collect()
}
