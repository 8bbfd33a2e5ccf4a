//! Executors for compiled programs: entries take an [`Executor`] as their last argument.
//!
//! ```
//! use strata_threads::Pool;
//!
//! let pool = Pool::new(2);
//! // … mlp_main(inputs, outputs, workspace, pool.executor());
//! assert_eq!(pool.executor().concurrency, 2);
//! ```
//! Results have the same bits for any number of threads. Several threads may call programs with one pool concurrently: one of the
//! calls gets the threads, the others run alone. A thread that has done its part looks for the next one for 100 microseconds before
//! it sleeps; at once where the pool has more threads than there are processors, and while looking does not help or others want the
//! processors.
#![deny(missing_docs)]

pub mod devices;
mod processor;
#[cfg(feature = "rayon")]
mod rayon;
mod spin;

use std::{
    ffi::c_void,
    ptr,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

pub use strata_abi::{Executor, Task};

pub use crate::processor::current as processor;

#[cfg(feature = "rayon")]
pub use crate::rayon::executor as rayon_executor;

use crate::spin::{Costs, SPIN, Spin, Watch};

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
}

impl Job {
    /// The first task of a thread's share.
    fn begin_of(&self, thread: usize, threads: usize) -> u64 {
        thread as u64 * self.count / threads as u64
    }
}

/// The tasks of the last call, in cache lines that workers only read.
#[derive(Default)]
#[repr(align(128))]
struct Published {
    /// A [`Task`].
    task: AtomicPtr<c_void>,
    state: AtomicPtr<c_void>,
    count: AtomicU64,
    /// The processor that the caller runs on, from 1 on; 0 if that is not known.
    processor: AtomicUsize,
    /// The number of the call.
    call: AtomicU64,
}

/// What threads count, in its own cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Counted {
    /// Tasks that have ended.
    done: AtomicU64,
    /// Workers that sleep; changes under the lock.
    sleeping: AtomicUsize,
    /// The caller sleeps until all tasks have ended.
    is_awaited: AtomicBool,
}

struct Shared {
    /// Whether the pool ends; for threads that go to sleep.
    is_ending: Mutex<bool>,
    work: Condvar,
    finished: Condvar,
    spin: Spin,
    /// The processors that the thread may use that has made the pool.
    allowed: processor::Allowed,
    /// How often the caller has looked in vain, and what its tasks have taken.
    failures: AtomicU32,
    costs: Mutex<Costs>,
    /// Whether a call has the workers.
    is_busy: AtomicBool,
    /// How many there are.
    workers: AtomicUsize,
    published: Published,
    counted: Counted,
    /// The share that each thread starts with: the same tasks in all calls with equal counts, so that its data is still in the
    /// thread's caches.
    shares: Vec<Share>,
}

/// What a thread starts with, in its own cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Share {
    /// The call in the upper half, the next unclaimed task in the lower.
    next: AtomicU64,
    /// The worker, and where it has looked for work last, from 1 on; 0 if that is not known.
    thread: AtomicI32,
    processor: AtomicUsize,
}

/// The processor of the calling thread, from 1 on; 0 if that is not known.
fn place() -> usize {
    processor::current().map_or(0, |processor| processor + 1)
}

const LOW: u64 = u32::MAX as u64;

impl Pool {
    /// A pool of `threads` threads, including the calling one; 0 means one per available processor. It has fewer if the system
    /// cannot start as many.
    pub fn new(threads: usize) -> Self {
        Self::with_spin(threads, SPIN)
    }

    /// Such a pool whose threads look for work for `time` before they sleep.
    pub fn with_spin(threads: usize, time: Duration) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { processors } else { threads };
        let shared = Arc::new(Shared {
            is_ending: Mutex::new(false),
            work: Condvar::new(),
            finished: Condvar::new(),
            spin: Spin::new(if threads > processors { Duration::ZERO } else { time }),
            allowed: processor::Allowed::here(),
            failures: AtomicU32::new(0),
            costs: Mutex::default(),
            is_busy: AtomicBool::new(false),
            workers: AtomicUsize::new(0),
            published: Published::default(),
            counted: Counted::default(),
            shares: (0..threads).map(|_| Share::default()).collect(),
        });
        let start = |number| {
            let shared = Arc::clone(&shared);
            let builder = thread::Builder::new().name(format!("strata-{number}"));
            builder.spawn(move || shared.work(number)).ok()
        };
        let workers: Vec<_> = (1..threads).map_while(start).collect();
        shared.workers.store(workers.len(), Ordering::Relaxed);
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
        *self.shared.lock() = true;
        self.shared.work.notify_all();
        for worker in self.workers.drain(..) {
            // A worker runs nothing that panics.
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_ending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The main loop of a worker.
    fn work(&self, number: usize) {
        let (mut seen, failures, mut watch) = (0, AtomicU32::new(0), Watch::default());
        let Published { task, state, count, processor, call } = &self.published;
        let (own, thread) = (&self.shares[number], processor::thread());
        own.thread.store(thread, Ordering::Relaxed);
        loop {
            let is_there = || call.load(Ordering::Acquire) != seen;
            if !self.spin.until(&failures, Some(&mut watch), is_there) {
                watch.sleep();
                if !self.sleep(seen) {
                    return;
                }
            }
            seen = call.load(Ordering::Acquire);
            let caller = processor.load(Ordering::Relaxed);
            if caller > 0 && caller == place() {
                self.allowed.leave(thread, caller - 1);
            }
            // If one of these is of a later call, the shares, which are written before it, are too, and no task is claimed.
            // Otherwise a claimed task keeps the call from ending, and the next one from writing.
            let (task, state) = (task.load(Ordering::Acquire), state.load(Ordering::Acquire));
            // SAFETY: the number of the call is written after such a pointer.
            let task = unsafe { std::mem::transmute::<*mut c_void, Task>(task) };
            self.run(number, Job { task, state, count: count.load(Ordering::Acquire), call: seen });
            let place = place();
            if own.processor.load(Ordering::Relaxed) != place {
                own.processor.store(place, Ordering::Relaxed);
            }
        }
    }

    /// Sleeps until there is another call than `seen`; false if the pool ends.
    fn sleep(&self, seen: u64) -> bool {
        let mut is_ending = self.lock();
        // Either the caller sees that this sleeps, or this sees the call: both write, then read, in one order.
        self.counted.sleeping.fetch_add(1, Ordering::SeqCst);
        while !*is_ending && self.published.call.load(Ordering::SeqCst) == seen {
            is_ending = self.work.wait(is_ending).unwrap_or_else(PoisonError::into_inner);
        }
        self.counted.sleeping.fetch_sub(1, Ordering::SeqCst);
        !*is_ending
    }

    /// Runs unclaimed tasks of a job, those of its own share first, and says how many.
    fn run(&self, thread: usize, job: Job) -> u64 {
        let (threads, mut run) = (self.shares.len(), 0);
        for owner in (thread..threads).chain(0..thread) {
            let end = job.begin_of(owner + 1, threads);
            let place = &self.shares[owner].next;
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
                run += 1;
                if self.counted.done.fetch_add(1, Ordering::SeqCst) + 1 == job.count {
                    // Either this sees that the caller sleeps, or the caller sees the last task: both write, then read, in one
                    // order.
                    if self.counted.is_awaited.load(Ordering::SeqCst) {
                        drop(self.lock());
                        self.finished.notify_all();
                    }
                    return run;
                }
                next = place.load(Ordering::Acquire);
            }
        }
        run
    }

    fn run_all(&self, task: Task, state: *mut c_void, count: usize) {
        let (threads, counted) = (self.shares.len(), &self.counted);
        let is_alone = threads == 1 || count < 2 || count as u64 > LOW;
        if is_alone || self.is_busy.swap(true, Ordering::Acquire) {
            // SAFETY: the caller gave the task and its state.
            unsafe { task(state, 0, count) };
            return;
        }
        let published = &self.published;
        let call = published.call.load(Ordering::Relaxed) + 1;
        let job = Job { task, state, count: count as u64, call };
        let place = place();
        counted.done.store(0, Ordering::Relaxed);
        for (thread, share) in self.shares.iter().enumerate() {
            let first = job.begin_of(thread, threads);
            share.next.store((call & LOW) << 32 | first, Ordering::Release);
            if place > 0 && share.processor.load(Ordering::Relaxed) == place {
                share.processor.store(0, Ordering::Relaxed);
                self.allowed.leave(share.thread.load(Ordering::Relaxed), place - 1);
            }
        }
        published.task.store(task as *mut c_void, Ordering::Release);
        published.state.store(state, Ordering::Release);
        published.count.store(job.count, Ordering::Release);
        published.processor.store(place, Ordering::Relaxed);
        published.call.store(call, Ordering::SeqCst);
        let sleeping = counted.sleeping.load(Ordering::SeqCst);
        let awake = self.workers.load(Ordering::Relaxed) - sleeping;
        let missing = (count - 1).saturating_sub(awake);
        // Only the caller that has the workers takes it.
        let mut costs = self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (task as usize, job.count);
        // The clock is not asked where all threads are awake and it is known what tasks take.
        let mut begin = (sleeping > 0 || !costs.is_known(key)).then(Instant::now);
        let is_worth_it = |now| costs.is_worth_waking(key, now, &self.spin);
        if missing > 0 && sleeping > 0 && begin.is_some_and(is_worth_it) {
            // A worker that has counted itself is between its check and its wait as long as it has the lock.
            drop(self.lock());
            match missing < sleeping {
                true => (0..missing).for_each(|_| self.work.notify_one()),
                false => self.work.notify_all(),
            }
            begin = Some(Instant::now());
        }
        let run = self.run(0, job);
        if let Some(begin) = begin.filter(|_| run > 0) {
            costs.note(key, begin, run);
        }
        drop(costs);
        let is_done = |order| counted.done.load(order) == job.count;
        if !self.spin.until(&self.failures, None, || is_done(Ordering::Acquire)) {
            let mut guard = self.lock();
            counted.is_awaited.store(true, Ordering::SeqCst);
            while !is_done(Ordering::SeqCst) {
                guard = self.finished.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
            counted.is_awaited.store(false, Ordering::Relaxed);
        }
        self.is_busy.store(false, Ordering::Release);
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
            for time in [Duration::ZERO, Duration::from_micros(2), SPIN] {
                let pool = Pool::with_spin(threads, time);
                assert_eq!(pool.executor().concurrency, threads);
                for tasks in [0, 1, 2, 3, 7, 64, 1000] {
                    (0..50).for_each(|_| all_indices_once(pool.executor(), tasks));
                }
            }
        }
    }

    /// A thread that is late finds the numbers of the next call, and must not take them for those of its own.
    #[test]
    fn calls_of_other_lengths_follow_at_once() {
        let pool = Pool::with_spin(3, SPIN);
        for call in 0..100_000 {
            all_indices_once(pool.executor(), 2 + call * 7 % 61);
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
