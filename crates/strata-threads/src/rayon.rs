//! The threads of rayon's pool.

use std::{ffi::c_void, ptr};

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use strata_abi::{Executor, Task};

/// The threads of the rayon pool that the caller is in, or of the global one.
pub fn executor() -> Executor {
    Executor {
        context: ptr::null_mut(),
        concurrency: rayon::current_num_threads(),
        parallel_for: Some(parallel_for),
        host: ptr::null(),
    }
}

/// The state of all tasks.
#[derive(Clone, Copy)]
struct State(*mut c_void);

// SAFETY: tasks may be called with it by several threads.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

impl State {
    fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// # Safety
/// `task` may be called with `state` for disjoint ranges by several threads.
unsafe extern "C" fn parallel_for(_: *mut c_void, count: usize, task: Task, state: *mut c_void) {
    let state = State(state);
    (0..count).into_par_iter().with_max_len(1).for_each(|index| {
        // SAFETY: as the caller promises; rayon gives each index once.
        unsafe { task(state.pointer(), index, index + 1) }
    });
}
