//! Calls of programs that go on when the function has returned that asked for them.
//!
//! A call starts when those have ended whose results it takes. Threads are started when there is something for them; after a
//! fork the new process has none of them, and runs its calls where they are asked for.

use std::{
    collections::VecDeque,
    process,
    sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, Weak},
    thread,
};

use crate::event::Pending;

/// Calls that have not ended. The client waits for one before it adds more, so that their memory has a limit.
const MOST: usize = 32;

/// The queues that have threads, of which the process waits before it ends: their code must not go away.
static STARTED: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// A call: what it waits for, and what runs it.
struct Job {
    after: Vec<Arc<Pending>>,
    run: Box<dyn FnOnce() + Send>,
}

impl Job {
    fn is_ready(&self) -> bool {
        self.after.iter().all(|one| one.is_ready())
    }
}

/// Calls in the order in which they were asked for, and threads that run them.
pub struct Queue {
    shared: Arc<Shared>,
    threads: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is a call to start, or no more will come.
    work: Condvar,
    /// A call has ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    running: usize,
    threads: usize,
    idle: usize,
    is_closed: bool,
    /// The process that the threads are of.
    process: u32,
}

impl Queue {
    /// A queue with at most so many threads.
    pub fn new(threads: usize) -> Self {
        Self { shared: Arc::default(), threads }
    }

    /// Runs `run` on a thread of the queue after these have happened. Gives it back where no thread can be had.
    pub fn add<F: FnOnce() + Send + 'static>(&self, after: Vec<Arc<Pending>>, run: F) -> Option<F> {
        let mut state = self.shared.lock();
        if state.threads == 0 {
            state.process = process::id();
        } else if state.process != process::id() {
            return Some(run);
        }
        while state.jobs.len() + state.running >= MOST {
            state = self.shared.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let is_ready = after.iter().all(|one| one.is_ready());
        let ready = state.jobs.iter().filter(|job| job.is_ready()).count();
        let has_thread = state.idle > ready || state.threads >= self.threads;
        if is_ready && !has_thread && self.shared.start() {
            state.threads += 1;
        }
        if state.threads == 0 {
            return Some(run);
        }
        state.jobs.push_back(Job { after, run: Box::new(run) });
        drop(state);
        if is_ready {
            self.shared.work.notify_one();
        }
        None
    }

    /// Waits until all calls have ended.
    pub fn finish(&self) {
        self.shared.finish();
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // The last call may drop the queue, on a thread of it, so that the threads are not waited for.
        self.shared.lock().is_closed = true;
        self.shared.work.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread, if the system can.
    fn start(self: &Arc<Self>) -> bool {
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| {
            // SAFETY: the function is there as long as the library. Without memory for it, the process ends without waiting.
            let _ = unsafe { libc::atexit(finish_all) };
        });
        let shared = Arc::clone(self);
        let builder = thread::Builder::new().name("strata-calls".to_owned());
        let is_started = builder.spawn(move || shared.work()).is_ok();
        if is_started {
            let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
            started.retain(|one| one.strong_count() > 0);
            started.push(Arc::downgrade(self));
        }
        is_started
    }

    fn finish(&self) {
        let mut state = self.lock();
        while state.process == process::id() && state.jobs.len() + state.running > 0 {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs the calls that are ready, the first ones first. Those that are not wait for one that runs, after which its thread
    /// looks again.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(at) = state.jobs.iter().position(Job::is_ready) else {
                if state.is_closed {
                    return;
                }
                state.idle += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            let Some(job) = state.jobs.remove(at) else { continue };
            state.running += 1;
            let has_more = state.idle > 0 && state.jobs.iter().any(Job::is_ready);
            drop(state);
            if has_more {
                self.work.notify_one();
            }
            (job.run)();
            state = self.lock();
            state.running -= 1;
            self.ended.notify_all();
        }
    }
}

extern "C" fn finish_all() {
    let started = std::mem::take(&mut *STARTED.lock().unwrap_or_else(PoisonError::into_inner));
    started.iter().filter_map(Weak::upgrade).for_each(|one| one.finish());
}
