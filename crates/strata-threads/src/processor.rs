//! Processors of threads, and their placement. Linux may wake a thread on the processor of its waker, where it waits while others
//! idle: a worker that finds itself there moves away. One that looks for work does not run there, and does not find itself: the
//! caller moves it.

#[cfg(target_os = "linux")]
pub use linux::{Allowed, current, thread, used};

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    /// The processor that the calling thread runs on.
    pub fn current() -> Option<usize> {
        // SAFETY: it only asks for a number.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    /// The processor time of the calling thread.
    pub fn used() -> Option<Duration> {
        // SAFETY: a time is numbers only, and the call writes one.
        let (status, time) = unsafe {
            let mut time: libc::timespec = std::mem::zeroed();
            (libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time), time)
        };
        let seconds = u64::try_from(time.tv_sec).ok().filter(|_| status == 0)?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }

    /// The calling thread, for [`leave`].
    pub fn thread() -> i32 {
        // SAFETY: it only asks for a number.
        unsafe { libc::gettid() }
    }

    /// The processors that a thread may use; none if that is not known.
    pub struct Allowed(Option<libc::cpu_set_t>);

    impl Allowed {
        /// Those of the calling thread.
        pub fn here() -> Self {
            Self::of(0)
        }

        /// Those of the first thread of the process.
        pub fn of_process() -> Self {
            // SAFETY: it only asks for a number.
            Self::of(unsafe { libc::getpid() })
        }

        fn of(thread: i32) -> Self {
            // SAFETY: a set of processors is numbers only, and the call is given its size.
            let (status, allowed) = unsafe {
                let mut allowed: libc::cpu_set_t = std::mem::zeroed();
                let size = size_of::<libc::cpu_set_t>();
                (libc::sched_getaffinity(thread, size, &raw mut allowed), allowed)
            };
            Self((status == 0).then_some(allowed))
        }

        /// Moves a thread away from `processor`, to any other one of these.
        pub fn leave(&self, thread: i32, processor: usize) {
            let size = size_of::<libc::cpu_set_t>();
            let Some(mut allowed) = self.0.filter(|_| processor < 8 * size) else { return };
            // SAFETY: the calls are given a set of processors and its size.
            unsafe {
                libc::CPU_CLR(processor, &mut allowed);
                if libc::CPU_COUNT(&allowed) > 0 {
                    libc::sched_setaffinity(thread, size, &raw const allowed);
                }
            }
        }
    }
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub fn current() -> Option<usize> {
    None
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub fn used() -> Option<std::time::Duration> {
    None
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub fn thread() -> i32 {
    0
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub struct Allowed;

#[cfg(not(target_os = "linux"))]
impl Allowed {
    /// Nothing is known.
    pub fn here() -> Self {
        Self
    }

    /// Nothing is known.
    pub fn of_process() -> Self {
        Self
    }

    /// Nothing to do.
    pub fn leave(&self, _: i32, _: usize) {}
}
