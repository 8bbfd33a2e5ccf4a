//! Time that a thread worked, where other work shares the machine.

use std::time::Duration;

/// What a thread has cost so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The time that a processor worked for it: what others did meanwhile is not in it.
    pub time: Duration,
    /// How often the system took the processor away from it, after which its data is in no cache.
    pub interruptions: u64,
}

impl Effort {
    /// Of this thread.
    #[cfg(target_os = "linux")]
    pub fn now() -> Self {
        // SAFETY: both structures are plain data that the calls write.
        let (time, usage) = unsafe {
            let mut time: libc::timespec = std::mem::zeroed();
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time);
            libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
            (time, usage)
        };
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
        Self {
            time: Duration::new(seconds, nanoseconds),
            interruptions: u64::try_from(usage.ru_nivcsw).unwrap_or(0),
        }
    }

    /// The time that has passed: what others take is not known.
    #[cfg(not(target_os = "linux"))]
    pub fn now() -> Self {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        let start = START.get_or_init(std::time::Instant::now);
        Self { time: start.elapsed(), interruptions: 0 }
    }
}

/// How much sooner than others a thread gets a processor while it is measured, where the system allows that: half of the range.
#[cfg(target_os = "linux")]
const PRIORITY: libc::c_int = -10;

/// Runs `work` on the processor that this thread is on, and before what others want of it, where the system can be told so. Afterwards
/// the thread is as it was.
#[cfg(target_os = "linux")]
pub fn undisturbed<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: both structures are plain data, for which zero is a value; the calls write no more than their size.
    let before = unsafe {
        let mut before: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        let cpu = usize::try_from(libc::sched_getcpu()).ok();
        let is_known = libc::sched_getaffinity(0, size, &raw mut before) == 0;
        cpu.filter(|cpu| is_known && *cpu < 8 * size).map(|cpu| {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut one);
            // Where this fails, the thread moves as it did.
            libc::sched_setaffinity(0, size, &raw const one);
            before
        })
    };
    // SAFETY: the calls take and return numbers. For Linux, 0 is this thread. A user without the right keeps the priority.
    let priority = unsafe {
        let before = libc::getpriority(libc::PRIO_PROCESS as _, 0);
        let is_raised =
            before > PRIORITY && libc::setpriority(libc::PRIO_PROCESS as _, 0, PRIORITY) == 0;
        is_raised.then_some(before)
    };
    let result = work();
    if let Some(priority) = priority {
        // SAFETY: as above; any thread may lower its priority.
        unsafe { libc::setpriority(libc::PRIO_PROCESS as _, 0, priority) };
    }
    if let Some(before) = before {
        // SAFETY: the set is the one that the system gave.
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const before) };
    }
    result
}

/// Runs `work`: threads move as the system likes.
#[cfg(not(target_os = "linux"))]
pub fn undisturbed<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Effort, undisturbed};

    #[test]
    fn a_thread_that_sleeps_costs_no_time() {
        let (before, started) = (Effort::now(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        let slept = Effort::now();
        assert!(slept.time - before.time < Duration::from_millis(25));
        while Effort::now().time - slept.time < Duration::from_millis(5) {
            std::hint::black_box(0);
        }
        assert!(started.elapsed() > Duration::from_millis(50));
    }

    #[test]
    fn a_thread_is_afterwards_as_it_was() {
        // SAFETY: the call takes and returns numbers.
        let priority = || unsafe { libc::getpriority(libc::PRIO_PROCESS as _, 0) };
        let before = priority();
        let inside = undisturbed(priority);
        assert!(inside <= before);
        assert_eq!(priority(), before);
    }
}
