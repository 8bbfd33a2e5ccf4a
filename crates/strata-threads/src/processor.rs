//! Processors of threads, and their placement. Linux may wake a thread on the processor of its waker, where it waits while others
//! idle: a worker that finds itself there moves away. One that looks for work does not run there, and does not find itself: the
//! caller moves it.

#[cfg(target_os = "linux")]
pub use linux::{current, leave, thread, used};

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

    /// Moves a thread away from `processor`, to any other one that the process may run on.
    pub fn leave(thread: i32, processor: usize) {
        let size = size_of::<libc::cpu_set_t>();
        if processor >= 8 * size {
            return;
        }
        // SAFETY: a set of processors is numbers only, and the calls are given its size.
        unsafe {
            let mut allowed: libc::cpu_set_t = std::mem::zeroed();
            if libc::sched_getaffinity(libc::getpid(), size, &raw mut allowed) != 0 {
                return;
            }
            libc::CPU_CLR(processor, &mut allowed);
            if libc::CPU_COUNT(&allowed) > 0 {
                libc::sched_setaffinity(thread, size, &raw const allowed);
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

/// Nothing to do.
#[cfg(not(target_os = "linux"))]
pub fn leave(_: i32, _: usize) {}
