//! Interrupts (Ctrl-C) that work may hear of before they end the process.
//!
//! The signal comes to the command twice where it is from a terminal: to each of its two processes. The old one of them passes it on and
//! waits, so that the new one decides how the command ends.

use std::{
    io,
    sync::atomic::{AtomicI32, AtomicI64, Ordering::SeqCst},
};

/// The process that interrupts are passed on to; 0 where there is none.
static WORKER: AtomicI32 = AtomicI32::new(0);

/// When the first interrupt came, in milliseconds of a clock that starts above 0; 0 before.
static FIRST: AtomicI64 = AtomicI64::new(0);

/// Whether the first interrupt is only noted.
static IS_HELD: AtomicI32 = AtomicI32::new(0);

/// Interrupts that come within so many milliseconds are one: a terminal's, and the same passed on.
const ONE: i64 = 500;

/// From here on the first interrupt of this process is noted for [`is_interrupted`], and a second one, half a second later or more, ends it.
pub fn hold_interrupts() {
    IS_HELD.store(1, SeqCst);
    install();
}

/// From here on interrupts of this process go to the one that [`interrupts_go_to`] names, and end this one only before.
pub fn pass_interrupts_on() {
    install();
}

/// Names the process that interrupts are passed on to; 0: none.
pub fn interrupts_go_to(worker: u32) {
    WORKER.store(i32::try_from(worker).unwrap_or(0), SeqCst);
}

/// Whether an interrupt came since [`hold_interrupts`].
pub fn is_interrupted() -> bool {
    FIRST.load(SeqCst) != 0
}

/// Ends this process as an interrupt does that nothing holds.
pub fn end_by_interrupt() -> ! {
    end();
    // Only where the signal is blocked.
    std::process::exit(130)
}

fn install() {
    let handler: extern "C" fn(libc::c_int) = heard;
    // SAFETY: the structure is plain data, for which zero is a value; the handler calls only functions that handlers may call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        // Where this fails, an interrupt ends the process as it did.
        libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn heard(_signal: libc::c_int) {
    let worker = WORKER.load(SeqCst);
    if worker > 0 {
        // SAFETY: the process is a child that was not waited for yet.
        unsafe { libc::kill(worker, libc::SIGINT) };
        return;
    }
    let now = now();
    let first = FIRST.load(SeqCst);
    if IS_HELD.load(SeqCst) == 0 || (first != 0 && now - first > ONE) {
        end();
    } else if first == 0 {
        FIRST.store(now, SeqCst);
    }
}

/// Milliseconds, above 0.
fn now() -> i64 {
    // SAFETY: the structure is plain data that the call writes.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time);
        1 + time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

fn end() {
    // SAFETY: the default action of a signal needs no handler; the signal is unblocked so that it arrives inside of a handler, too.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_DFL);
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, libc::SIGINT);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const only, std::ptr::null_mut());
        libc::raise(libc::SIGINT);
    }
}

/// Waits for a child, to which interrupts are passed on meanwhile.
///
/// # Errors
/// As [`std::process::Child::wait`].
pub fn wait_for(child: &mut std::process::Child) -> io::Result<std::process::ExitStatus> {
    interrupts_go_to(child.id());
    let status = child.wait();
    interrupts_go_to(0);
    status
}
