//! Samples of where threads of this process are while they run an object's code.
//!
//! Two methods: `perf_event_open`, where the system allows it, and signals of timers, which every Linux has. Both give the program counter of
//! each sample and those of the calls around it in the object's code, which [`Frames`] finds; other code in this process has no callers.

use std::{sync::Arc, time::Duration};

use strata_diag::{Diagnostic, codes};

mod frames;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod perf;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod signals;
#[cfg(target_os = "linux")]
mod threads;

pub use frames::{Base, Frames, ReturnAddress, Row};

/// How samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By Linux's interface for performance events.
    Perf,
    /// By signals of a timer for each thread.
    Signals,
}

/// What a [`Sampler`] found.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// For each sample the program counter, and the return addresses of the calls around it as far as they are in the object's code.
    pub stacks: Vec<Vec<u64>>,
    /// Samples for which there was no room.
    pub lost: u64,
}

/// The threads that this process has, by the system's numbers.
///
/// # Errors
/// `S1808` if the system does not say it.
pub fn threads() -> Result<Vec<i32>, Diagnostic> {
    #[cfg(target_os = "linux")]
    return threads::all().map_err(|error| {
        Diagnostic::new(codes::S1808).reason(format!("/proc/self/task: {error}"))
    });
    #[cfg(not(target_os = "linux"))]
    Ok(Vec::new())
}

/// The thread that calls this; `None` where threads have no numbers.
pub fn this_thread() -> Option<i32> {
    #[cfg(target_os = "linux")]
    // SAFETY: it only asks for a number.
    return Some(unsafe { libc::gettid() });
    #[cfg(not(target_os = "linux"))]
    None
}

/// The processor time that the calling thread has taken; none where the system does not say it.
pub fn processor_time() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the system writes the time to the structure.
        let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
        if failed == 0 { Duration::new(seconds, nanoseconds) } else { Duration::ZERO }
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}

/// How long a thread of this process has run so far, and for how long it could have and waited for a processor; none where the system does
/// not count that, or the thread has ended.
pub fn scheduled(thread: i32) -> Option<(Duration, Duration)> {
    #[cfg(target_os = "linux")]
    return threads::scheduled(thread);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = thread;
        None
    }
}

/// Takes samples of threads, until it is stopped.
pub struct Sampler {
    how: String,
    refused: Option<String>,
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    running: Running,
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
enum Running {
    Perf(perf::Sampler),
    Signals(signals::Sampler),
}

impl Sampler {
    /// Starts to take samples of these threads, which run the object with these frames, `frequency` times a second in each; by events
    /// where they are allowed, else by signals, if no method is given.
    ///
    /// # Errors
    /// `S1808` if the system allows neither, or not the one that is asked for.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub fn start(
        threads: &[i32],
        frames: Arc<Frames>,
        frequency: u32,
        method: Option<Method>,
    ) -> Result<Self, Diagnostic> {
        let failed = |what: &str, reason: String| {
            Diagnostic::new(codes::S1808).reason(format!("{what}: {reason}"))
        };
        let mut refused = None;
        if method != Some(Method::Signals) {
            match perf::Sampler::start(&frames, frequency, threads) {
                Ok((running, clock)) => {
                    let how = format!("perf_event_open, {clock}");
                    return Ok(Self { how, refused, running: Running::Perf(running) });
                }
                Err(reason) if method.is_some() => {
                    return Err(failed("perf_event_open", reason).hint(
                        "`sysctl kernel.perf_event_paranoid=2` allows it, in a container also `--cap-add PERFMON`; \
                         `--method signals` needs no permission",
                    ));
                }
                Err(reason) => refused = Some(reason),
            }
        }
        let running = signals::Sampler::start(frames, frequency, threads)
            .map_err(|reason| failed("a timer for each thread", reason))?;
        let how = "signals of a timer for each thread".to_owned();
        Ok(Self { how, refused, running: Running::Signals(running) })
    }

    /// As above, for systems without a method.
    ///
    /// # Errors
    /// `S1808`, always.
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    pub fn start(_: &[i32], _: Arc<Frames>, _: u32, _: Option<Method>) -> Result<Self, Diagnostic> {
        Err(Diagnostic::new(codes::S1808)
            .reason("samples are taken on Linux, on x86-64 and AArch64"))
    }

    /// Which method it is.
    pub fn method(&self) -> Method {
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        if matches!(self.running, Running::Perf(_)) {
            return Method::Perf;
        }
        Method::Signals
    }

    /// The method, in words.
    pub fn how(&self) -> &str {
        &self.how
    }

    /// Why samples are not taken by events, where that was tried before.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Ends it.
    pub fn stop(self) -> Samples {
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        return match self.running {
            Running::Perf(running) => running.stop(),
            Running::Signals(running) => running.stop(),
        };
        #[cfg(not(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        Samples::default()
    }
}
