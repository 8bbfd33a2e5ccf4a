//! The threads that programs run on.

use std::{
    collections::BTreeMap,
    ptr,
    sync::{Mutex, PoisonError},
};

use strata_diag::{Diagnostic, codes};
use strata_threads::{Executor, Pool};

/// More is a mistake.
pub const MOST: usize = 1024;

/// The pools by their numbers of threads. They live as long as the process. Only the holder of the interpreter's lock uses the
/// table, so that it is free at a fork.
static POOLS: Mutex<BTreeMap<usize, &'static Pool>> = Mutex::new(BTreeMap::new());

/// An executor for as many threads, 0 for one per processor; null for one.
///
/// # Errors
/// `S0001` for an unreasonable number.
pub fn executor(_held: pyo3::Python<'_>, threads: usize) -> Result<*const Executor, Diagnostic> {
    match threads {
        1 => Ok(ptr::null()),
        0..=MOST => {
            let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
            let pool =
                pools.entry(threads).or_insert_with(|| Box::leak(Box::new(Pool::new(threads))));
            Ok(ptr::from_ref(pool.executor()))
        }
        _ => Err(Diagnostic::new(codes::S0001)
            .reason(format!("threads is {threads}, but the maximum is {MOST}"))
            .hint("`threads=0` uses one per processor")),
    }
}

/// Forgets all pools: their threads are those of the parent process.
pub fn forget() {
    POOLS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
