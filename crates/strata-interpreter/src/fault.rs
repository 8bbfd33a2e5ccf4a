//! What stops a run.

use strata_diag::{Code, codes};

/// Why a run cannot go on, and at which operation.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub code: Code,
    pub reason: String,
    /// The position of the operation among those of the program; known once the fault has left it.
    pub place: Option<usize>,
}

impl Fault {
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), place: None }
    }

    /// An access beside what there is.
    pub fn outside(reason: impl Into<String>) -> Self {
        Self::new(codes::S1922, reason)
    }

    /// What has no meaning for the values at hand.
    pub fn undefined(reason: impl Into<String>) -> Self {
        Self::new(codes::S1912, reason)
    }

    /// Something that the verifier of a dialect rules out.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::new(codes::S9001, reason)
    }
}

/// What the steps of a run return.
pub(crate) type Run<T = ()> = Result<T, Fault>;
