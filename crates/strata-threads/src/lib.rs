//! Executors for compiled programs: entries take an [`Executor`] as their last argument.
//!
//! ```
//! use strata_threads::Pool;
//!
//! let pool = Pool::new(2);
//! // … mlp_main(inputs, outputs, workspace, pool.executor());
//! assert_eq!(pool.executor().concurrency, 2);
//! ```
//! Results have the same bits for any number of threads. A pool sleeps between calls. Several threads may call programs with one
//! pool concurrently: one of the calls gets the threads, the others run alone.
#![deny(missing_docs)]

pub mod devices;
mod processor;
#[cfg(feature = "rayon")]
mod rayon;

use std::{
    ffi::c_void,
    ptr,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

pub use strata_abi::{Executor, Task};

pub use crate::processor::current as processor;

#[cfg(feature = "rayon")]
pub use crate::rayon::executor as rayon_executor;

/// Threads of the standard library that wait for tasks.
pub struct Pool {
    executor: Box<Executor>,
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

// SAFETY: the executor is read only, and what its context points to is shared between threads by design.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

/// A call's tasks.
#[derive(Clone, Copy)]
struct Job {
    task: Task,
    state: *mut c_void,
    count: u64,
    /// The number of the call.
    call: u64,
    /// The processor that the caller runs on.
    processor: Option<usize>,
}

// SAFETY: all threads may use the state until all tasks have ended.
unsafe impl Send for Job {}

impl Job {
    /// The first task of a thread's share.
    fn begin_of(&self, thread: usize, threads: usize) -> u64 {
        thread as u64 * self.count / threads as u64
    }
}

#[derive(Default)]
struct Waiting {
    job: Option<Job>,
    calls: u64,
    /// Whether a call has the workers.
    is_busy: bool,
    is_ending: bool,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    work: Condvar,
    finished: Condvar,
    /// The share that each thread starts with: the same tasks in all calls with equal counts, so that its data is still in the
    /// thread's caches.
    shares: Vec<Share>,
    /// Tasks that have ended.
    done: AtomicU64,
}

/// The call in the upper half, the next unclaimed task in the lower; in its own cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Share(AtomicU64);

const LOW: u64 = u32::MAX as u64;

impl Pool {
    /// A pool of `threads` threads, including the calling one; 0 means one per available processor. It has fewer if the system
    /// cannot start as many.
    pub fn new(threads: usize) -> Self {
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let shares = (0..threads).map(|_| Share::default()).collect();
        let shared = Arc::new(Shared { shares, ..Shared::default() });
        let start = |number| {
            let shared = Arc::clone(&shared);
            let builder = thread::Builder::new().name(format!("strata-{number}"));
            builder.spawn(move || shared.work(number)).ok()
        };
        let workers: Vec<_> = (1..threads).map_while(start).collect();
        let executor = Executor {
            context: ptr::from_ref::<Shared>(&shared).cast_mut().cast(),
            concurrency: workers.len() + 1,
            parallel_for: Some(parallel_for),
            host: ptr::null(),
        };
        Self { executor: Box::new(executor), shared, workers }
    }

    /// The executor, valid as long as the pool lives.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().is_ending = true;
        self.shared.work.notify_all();
        for worker in self.workers.drain(..) {
            // A worker runs nothing that panics.
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The main loop of a worker.
    fn work(&self, number: usize) {
        let mut seen = 0;
        let mut waiting = self.lock();
        loop {
            if waiting.is_ending {
                return;
            }
            match waiting.job.filter(|job| job.call != seen) {
                Some(job) => {
                    seen = job.call;
                    drop(waiting);
                    processor::leave(job.processor);
                    self.run(number, job);
                    waiting = self.lock();
                }
                None => {
                    waiting = self.work.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Runs unclaimed tasks of a job, those of its own share first.
    fn run(&self, thread: usize, job: Job) {
        let threads = self.shares.len();
        for owner in (thread..threads).chain(0..thread) {
            let end = job.begin_of(owner + 1, threads);
            let place = &self.shares[owner].0;
            let mut next = place.load(Ordering::Acquire);
            while next >> 32 == job.call & LOW && next & LOW < end {
                let taken =
                    place.compare_exchange(next, next + 1, Ordering::AcqRel, Ordering::Acquire);
                if let Err(other) = taken {
                    next = other;
                    continue;
                }
                let index = (next & LOW) as usize;
                // SAFETY: the task was given with this state, which is alive until all tasks have ended; none is run twice.
                unsafe { (job.task)(job.state, index, index + 1) };
                if self.done.fetch_add(1, Ordering::AcqRel) + 1 == job.count {
                    // Under the lock, so that a waiter is not between its check and its wait.
                    drop(self.lock());
                    self.finished.notify_all();
                    return;
                }
                next = place.load(Ordering::Acquire);
            }
        }
    }

    fn run_all(&self, task: Task, state: *mut c_void, count: usize) {
        let mut waiting = self.lock();
        let workers = self.shares.len() - 1;
        if waiting.is_busy || workers == 0 || count < 2 || count as u64 > LOW {
            drop(waiting);
            // SAFETY: the caller gave the task and its state.
            unsafe { task(state, 0, count) };
            return;
        }
        waiting.is_busy = true;
        waiting.calls += 1;
        let (count_of_all, call) = (count as u64, waiting.calls);
        let job = Job { task, state, count: count_of_all, call, processor: processor::current() };
        waiting.job = Some(job);
        self.done.store(0, Ordering::Relaxed);
        for (thread, share) in self.shares.iter().enumerate() {
            let first = job.begin_of(thread, self.shares.len());
            share.0.store((job.call & LOW) << 32 | first, Ordering::Release);
        }
        match count - 1 < workers {
            true => (1..count).for_each(|_| self.work.notify_one()),
            false => self.work.notify_all(),
        }
        drop(waiting);
        self.run(0, job);
        let mut waiting = self.lock();
        while self.done.load(Ordering::Acquire) < job.count {
            waiting = self.finished.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.is_busy = false;
        waiting.job = None;
    }
}

/// # Safety
/// `context` is the [`Shared`] of a pool that lives; `task` may be called with `state` for disjoint ranges by several threads.
unsafe extern "C" fn parallel_for(
    context: *mut c_void,
    count: usize,
    task: Task,
    state: *mut c_void,
) {
    // SAFETY: as the caller promises.
    let shared = unsafe { &*context.cast::<Shared>() };
    shared.run_all(task, state, count);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Counts how often each index is given, and asks for the pool again in between.
    unsafe extern "C" fn count(state: *mut c_void, begin: usize, end: usize) {
        // SAFETY: the state is the one of `all_indices_once`.
        let seen = unsafe { &*state.cast::<Vec<AtomicUsize>>() };
        for one in &seen[begin..end] {
            one.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn all_indices_once(executor: &Executor, tasks: usize) {
        let seen: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
        let parallel_for = executor.parallel_for.expect("a pool has one");
        // SAFETY: `count` shares nothing but atomic numbers.
        unsafe {
            let state = ptr::from_ref(&seen).cast_mut().cast();
            parallel_for(executor.context, tasks, count, state);
        }
        assert!(seen.iter().all(|one| one.load(Ordering::Relaxed) == 1), "{tasks} tasks");
    }

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 3, 8] {
            let pool = Pool::new(threads);
            assert_eq!(pool.executor().concurrency, threads);
            for tasks in [0, 1, 2, 3, 7, 64, 1000] {
                (0..50).for_each(|_| all_indices_once(pool.executor(), tasks));
            }
        }
    }

    #[test]
    fn one_pool_serves_calls_from_several_threads() {
        let pool = Pool::new(3);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| all_indices_once(pool.executor(), 5)));
            }
        });
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn rayon_does_every_task_once() {
        for tasks in [0, 1, 2, 64, 1000] {
            all_indices_once(&rayon_executor(), tasks);
        }
    }
}
