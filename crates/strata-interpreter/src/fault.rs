//! Errors that end a run.

use strata_diag::{Code, codes};

/// Why a run ended, and at which operation.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub code: Code,
    pub reason: String,
    /// The position of the operation among those of the program; set when the fault leaves it.
    pub place: Option<usize>,
}

impl Fault {
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), place: None }
    }

    /// An access out of bounds.
    pub fn outside(reason: impl Into<String>) -> Self {
        Self::new(codes::S1922, reason)
    }

    /// Undefined behaviour for these values.
    pub fn undefined(reason: impl Into<String>) -> Self {
        Self::new(codes::S1912, reason)
    }

    /// Something that a dialect's verifier rules out.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::new(codes::S9001, reason)
    }
}

/// What the steps of a run return.
pub(crate) type Run<T = ()> = Result<T, Fault>;
