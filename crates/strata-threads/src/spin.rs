//! Looking for work before sleeping. `include/strata/threads.h` has the same in C.

use std::{
    hint,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use crate::processor;

/// For how long a thread looks for work before it sleeps.
///
/// Measured: 50 us are 0 to 1.5 % slower in whole models, 200 us up to 1.5 % faster.
pub const SPIN: Duration = Duration::from_micros(100);

/// No thread looks for so long after a worker, over [`WINDOW`], had no processor for a fifth of the time: others want it, and a
/// thread that sleeps is preferred to them when it wakes.
///
/// Measured beside one busy process on two processors: without it, BERT and ResNet-50 take 1.2 to 1.3 times as long.
const REST: Duration = Duration::from_millis(100);
const WINDOW: Duration = Duration::from_millis(30);

/// A thread whose looking has failed so often in a row does so only in some waits: its calls are rare, or its dispatches long.
const PATIENCE: u32 = 8;
const INTERVAL: u32 = 16;

/// Tasks of so much time together are worth waking threads for.
///
/// Measured: 20 us take 29 with a thread that sleeps, 80 us take 64.
const WAKE: Duration = Duration::from_micros(60);

/// For how long the threads of a pool look for work.
pub struct Spin {
    time: Duration,
    start: Instant,
    /// No thread looks until then: nanoseconds from the start.
    rest: AtomicU64,
}

/// For which part of its time a worker had no processor.
#[derive(Default)]
pub struct Watch {
    /// When it was looked at last, and the thread's processor time then; none if the thread has slept since.
    last: Option<(Instant, Duration)>,
    span: Duration,
    lost: Duration,
}

impl Watch {
    /// The thread sleeps: that is not lost.
    pub fn sleep(&mut self) {
        self.last = None;
    }

    /// Whether other work takes a fifth of the processor, and more.
    fn is_crowded(&mut self, now: Instant) -> bool {
        let Some(used) = processor::used() else { return false };
        if let Some((at, before)) = self.last.replace((now, used)) {
            let span = now.duration_since(at);
            self.span += span;
            self.lost += span.saturating_sub(used.saturating_sub(before));
        }
        if self.span < WINDOW {
            return false;
        }
        let Self { span, lost, .. } = std::mem::take(self);
        self.last = Some((now, used));
        lost > span / 5
    }
}

/// What the tasks of nests have taken.
pub struct Costs {
    /// Of a task with a number of them, one after the other.
    known: [((usize, u64), Duration); 64],
    /// When a call ended, and what has been done since without waking threads.
    ended: Option<Instant>,
    alone: Duration,
}

impl Default for Costs {
    fn default() -> Self {
        Self { known: [((0, 0), Duration::ZERO); 64], ended: None, alone: Duration::ZERO }
    }
}

impl Costs {
    /// Whether tasks are worth waking threads that sleep. Short ones are not, unless they follow each other: threads that are
    /// awake then look for the next ones.
    pub fn is_worth_waking(&mut self, key: (usize, u64), now: Instant, spin: &Spin) -> bool {
        let (known, time) = self.known[(key.0 >> 4) % 64];
        if known != key || time >= WAKE {
            return true;
        }
        let follows = self.ended.is_some_and(|ended| now.duration_since(ended) <= spin.time);
        self.alone = if follows { self.alone + time } else { time };
        if self.alone < WAKE || spin.time.is_zero() || spin.rests(now) {
            return false;
        }
        self.alone = Duration::ZERO;
        true
    }

    pub fn is_known(&self, key: (usize, u64)) -> bool {
        self.known[(key.0 >> 4) % 64].0 == key
    }

    /// Notes that some tasks of a call that began at a time have ended.
    pub fn note(&mut self, key: (usize, u64), begin: Instant, run: u64) {
        let now = Instant::now();
        self.ended = Some(now);
        let time = now.duration_since(begin).as_nanos() as f64 * key.1 as f64 / run as f64;
        self.known[(key.0 >> 4) % 64] = (key, Duration::from_nanos(time as u64));
    }
}

impl Spin {
    fn rests(&self, now: Instant) -> bool {
        let now = now.duration_since(self.start).as_nanos() as u64;
        now < self.rest.load(Ordering::Relaxed)
    }

    pub fn new(time: Duration) -> Self {
        Self { time, start: Instant::now(), rest: AtomicU64::new(0) }
    }

    /// Looks until `is_there`, for as long as that is worth it, and says whether it was. `failures` are those of the thread in a
    /// row, `watch` is that of a worker.
    pub fn until(
        &self,
        failures: &AtomicU32,
        watch: Option<&mut Watch>,
        is_there: impl Fn() -> bool,
    ) -> bool {
        if is_there() {
            return true;
        }
        let failed = failures.load(Ordering::Relaxed);
        if failed >= PATIENCE {
            failures.store(failed.wrapping_add(1), Ordering::Relaxed);
        }
        if self.time.is_zero() || failed >= PATIENCE && !failed.is_multiple_of(INTERVAL) {
            return false;
        }
        let begin = Instant::now();
        let since = |rest: Duration| (begin.duration_since(self.start) + rest).as_nanos() as u64;
        if self.rests(begin) {
            return false;
        }
        let look = || {
            (0..16).any(|_| {
                hint::spin_loop();
                is_there()
            })
        };
        let mut found = look();
        if !found && watch.is_some_and(|watch| watch.is_crowded(begin)) {
            self.rest.store(since(REST), Ordering::Relaxed);
            return false;
        }
        while !found && begin.elapsed() < self.time {
            found = look();
        }
        failures.store(if found { 0 } else { failed.saturating_add(1) }, Ordering::Relaxed);
        found
    }
}
