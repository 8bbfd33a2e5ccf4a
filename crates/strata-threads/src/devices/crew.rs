//! Threads that run devices at the same time. They wait for the next program when one has ended.

use std::{
    hint,
    panic::{AssertUnwindSafe, catch_unwind},
    process,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::processor;

/// Threads that have nothing to do, and the process that they are of: after a fork the new one has none. There are as many as
/// devices ran at the same time once.
static IDLE: Mutex<(u32, Vec<Arc<Worker>>)> = Mutex::new((0, Vec::new()));

type Job = Box<dyn FnOnce() + Send>;

/// For the first devices the processor that each ran on last, plus 1; 0 if it is not known. What a device computes with is in the
/// caches there.
static HOMES: [AtomicUsize; 64] = [const { AtomicUsize::new(0) }; 64];

/// The devices that no thread has taken.
struct Numbers(Mutex<Vec<usize>>);

impl Numbers {
    /// The number of a device for a thread on `processor`: one that ran there last, else one that has not run, else any.
    fn take(&self, processor: Option<usize>) -> Option<usize> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let home = |number: &usize| HOMES.get(*number).map_or(0, |one| one.load(Ordering::Relaxed));
        let wanted = processor.map_or(0, |processor| processor + 1);
        let own = left.iter().position(|number| wanted > 0 && home(number) == wanted);
        let at = own.or_else(|| left.iter().position(|number| home(number) == 0));
        let at = at.unwrap_or(0);
        (at < left.len()).then(|| left.remove(at))
    }
}

/// Notes where a device has run.
fn note(number: usize, processor: Option<usize>) {
    if let (Some(home), Some(processor)) = (HOMES.get(number), processor) {
        home.store(processor + 1, Ordering::Relaxed);
    }
}

/// A thread that waits for a job.
#[derive(Default)]
struct Worker {
    job: Mutex<Option<Job>>,
    changed: Condvar,
    /// Whether there is one.
    has_job: AtomicUsize,
}

impl Worker {
    fn give(&self, job: Job) {
        *self.job.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
        self.has_job.store(1, Ordering::Release);
        self.changed.notify_one();
    }

    fn take(&self, looks: usize) -> Job {
        look(looks, || self.has_job.load(Ordering::Acquire) == 1);
        let mut job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = job.take() {
                self.has_job.store(0, Ordering::Release);
                return job;
            }
            job = self.changed.wait(job).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Looks up to `looks` times whether `is_ready`.
fn look(looks: usize, is_ready: impl Fn() -> bool) {
    for _ in 0..looks {
        if is_ready() {
            return;
        }
        hint::spin_loop();
    }
}

/// The jobs of a call that have not ended.
struct Left {
    count: AtomicUsize,
    mutex: Mutex<()>,
    ended: Condvar,
}

impl Left {
    fn end(&self) {
        // With the mutex, so that the caller is not between its look and its wait, and does not go on before this has returned.
        let _held = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        self.count.fetch_sub(1, Ordering::AcqRel);
        self.ended.notify_one();
    }

    fn wait(&self, looks: usize) {
        look(looks, || self.count.load(Ordering::Acquire) == 0);
        let mut held = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        while self.count.load(Ordering::Acquire) > 0 {
            held = self.ended.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Calls `body` with the numbers from 0 to `count`, all at the same time, one of them on the calling thread, the others on threads of
/// their own. Returns when all have ended. `lacking` is called for those that the system has no thread for, and has to make the others
/// end. Threads look `looks` times for the next job before they sleep. If they do at all, there is a processor for each, and a thread
/// takes the number that ran on its processor last, whose data is in the caches there: a block of GPT-2 on two devices takes 9.2 ms, and
/// 9.8 where they change places.
///
/// # Panics
/// `body` must not panic; where it does, the process goes on as if it had returned.
pub fn run(count: usize, looks: usize, body: &(dyn Fn(usize) + Sync), lacking: &dyn Fn(usize)) {
    let left = Left { count: AtomicUsize::new(0), mutex: Mutex::new(()), ended: Condvar::new() };
    let numbers = Numbers(Mutex::new((0..count).collect()));
    let (left, numbers) = (&left, &numbers);
    let processor = move || if looks > 0 { processor::current() } else { None };
    let work = move |number: usize| {
        let _ = catch_unwind(AssertUnwindSafe(|| body(number)));
        note(number, processor());
    };
    // A thread that is woken on the caller's processor waits there while the caller looks for it.
    let here = processor();
    let Some(own) = numbers.take(here) else { return };
    for _ in 1..count {
        let Some(worker) = worker(looks) else {
            numbers.take(None).into_iter().for_each(lacking);
            continue;
        };
        left.count.fetch_add(1, Ordering::AcqRel);
        let own = Arc::clone(&worker);
        let job: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
            if let Some(here) = here.filter(|_| processor() == here) {
                processor::Allowed::of_process().leave(processor::thread(), here);
            }
            numbers.take(processor()).into_iter().for_each(work);
            // Before the caller goes on, whose next call takes it.
            idle(|all| all.push(own));
            left.end();
        });
        // SAFETY: this function waits until the job has ended, which is when its borrows are used last; nothing before that panics.
        worker.give(unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Job>(job) });
    }
    work(own);
    left.wait(looks);
}

/// Changes the list of threads that have nothing to do.
fn idle<R>(change: impl FnOnce(&mut Vec<Arc<Worker>>) -> R) -> R {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.0 != process::id() {
        *idle = (process::id(), Vec::new());
    }
    change(&mut idle.1)
}

/// A thread that waits for a job: one that is there, or a new one.
fn worker(looks: usize) -> Option<Arc<Worker>> {
    if let Some(worker) = idle(Vec::pop) {
        return Some(worker);
    }
    let worker = Arc::new(Worker::default());
    let own = Arc::clone(&worker);
    let work = move || {
        loop {
            own.take(looks)();
        }
    };
    let builder = thread::Builder::new().name("strata-device".to_owned());
    builder.spawn(work).ok().map(|_| worker)
}
