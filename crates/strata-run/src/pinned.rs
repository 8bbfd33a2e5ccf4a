//! Work that stays on one processor while it is timed.

/// Runs `work` on the processor that this thread is on, where the system can be told so, and lets the thread move again afterwards.
#[cfg(target_os = "linux")]
pub fn pinned<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: both structures are plain data, for which zero is a value; the calls write no more than their size.
    let before = unsafe {
        let mut before: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        let cpu = usize::try_from(libc::sched_getcpu()).ok();
        let is_known = libc::sched_getaffinity(0, size, &raw mut before) == 0;
        cpu.filter(|cpu| is_known && *cpu < 8 * size).map(|cpu| {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut one);
            // Where this fails, the thread moves as it did.
            libc::sched_setaffinity(0, size, &raw const one);
            before
        })
    };
    let result = work();
    if let Some(before) = before {
        // SAFETY: the set is the one that the system gave.
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const before) };
    }
    result
}

/// Runs `work`: threads move as the system likes.
#[cfg(not(target_os = "linux"))]
pub fn pinned<R>(work: impl FnOnce() -> R) -> R {
    work()
}
