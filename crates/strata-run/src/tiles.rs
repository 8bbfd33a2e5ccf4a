//! The permission to use tiles (AMX), which Linux gives to a process that asks, and objects that are told of it.

use std::{
    ffi::c_void,
    sync::{
        OnceLock,
        atomic::{AtomicI32, Ordering},
    },
};

/// Whether the system permits this process the use of tiles. It is asked once.
pub fn are_permitted() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(ask)
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn ask() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: the call takes no pointer; it only changes which registers the system saves for this process.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn ask() -> bool {
    false
}

/// Tells code of ours whether tiles are permitted.
///
/// # Safety
/// `variable` is its `strata_tiles`, which lives as long as the code.
pub(crate) unsafe fn tell(variable: *const c_void) {
    // SAFETY: it is a word that is aligned as such, and that the code reads atomically.
    let variable = unsafe { AtomicI32::from_ptr(variable.cast_mut().cast()) };
    variable.store(i32::from(are_permitted()), Ordering::Relaxed);
}
