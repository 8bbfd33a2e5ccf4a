//! Compilations that the client wants to end: a user of JAX has pressed Ctrl-C.

use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::failure::{Code, Failure};

const TEXT: &str = "the compilation was interrupted";

/// How often compilations were interrupted.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Ends the compilations of this process that have begun, each before its next stage, with the error `CANCELLED`.
#[unsafe(no_mangle)]
pub extern "C" fn StrataInterruptCompilations() {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

/// When a compilation has begun.
#[derive(Clone, Copy)]
pub struct Begun(u64);

impl Begun {
    /// It begins now.
    pub fn now() -> Self {
        Self(COUNT.load(Ordering::Relaxed))
    }

    /// Whether it was interrupted since.
    pub fn is_interrupted(self) -> bool {
        self.0 != COUNT.load(Ordering::Relaxed)
    }

    /// Unwinds to where the compilation began if it was interrupted, without the message of a panic.
    pub fn check(self) {
        if self.is_interrupted() {
            resume_unwind(Box::new(TEXT));
        }
    }

    /// The error of a compilation, if that is not the interruption.
    pub fn failure(self, other: Failure) -> Failure {
        match self.is_interrupted() {
            true => Failure::new(Code::Cancelled, TEXT),
            false => other,
        }
    }
}
