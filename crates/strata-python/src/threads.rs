//! The threads that programs run on.

use std::{
    collections::BTreeMap,
    mem,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

use strata_diag::{Diagnostic, codes};
use strata_threads::Pool;

/// More is a mistake.
const MOST: usize = 1024;

/// The pools by their numbers of threads: each lives as long as a program that was called on it. Only the holder of the
/// interpreter's lock uses the table, so that it is free at a fork.
static POOLS: Mutex<BTreeMap<usize, Weak<Pool>>> = Mutex::new(BTreeMap::new());

/// How often this process became the child of a fork.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// The pool that a program was called on last, which it keeps.
#[derive(Default)]
pub struct Kept(Mutex<Option<Held>>);

struct Held {
    count: usize,
    forks: usize,
    pool: Option<Arc<Pool>>,
}

impl Held {
    /// Whether its threads are those of this process.
    fn is_own(&self) -> bool {
        self.forks == FORKS.load(Ordering::Relaxed)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The threads of another process do not end.
        if !self.is_own() {
            mem::forget(self.pool.take());
        }
    }
}

impl Kept {
    /// A pool of as many threads, 0 for one per processor; `None` for one.
    ///
    /// # Errors
    /// As [`check`].
    pub fn pool(
        &self,
        _held: pyo3::Python<'_>,
        count: usize,
    ) -> Result<Option<Arc<Pool>>, Diagnostic> {
        if count == 1 {
            return Ok(None);
        }
        check(count)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.as_ref().filter(|held| held.count == count && held.is_own());
        if let Some(pool) = known.and_then(|held| held.pool.clone()) {
            return Ok(Some(pool));
        }
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = pools.get(&count).and_then(Weak::upgrade).unwrap_or_else(|| {
            let pool = Arc::new(Pool::new(count));
            pools.insert(count, Arc::downgrade(&pool));
            pool
        });
        let forks = FORKS.load(Ordering::Relaxed);
        *kept = Some(Held { count, forks, pool: Some(Arc::clone(&pool)) });
        Ok(Some(pool))
    }
}

/// Whether calls can run on as many threads.
///
/// # Errors
/// `S0001` for an unreasonable number.
pub fn check(count: usize) -> Result<(), Diagnostic> {
    match count {
        0..=MOST => Ok(()),
        _ => Err(Diagnostic::new(codes::S0001)
            .reason(format!("threads is {count}, but the maximum is {MOST}"))
            .hint("`threads=0` uses one per processor")),
    }
}

/// Forgets all pools: their threads are those of the parent process.
pub fn forget() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    let pools = mem::take(&mut *POOLS.lock().unwrap_or_else(PoisonError::into_inner));
    mem::forget(pools);
}
