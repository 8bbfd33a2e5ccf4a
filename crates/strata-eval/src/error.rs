//! Why an operation could not be evaluated.

use std::fmt;

/// The class of an [`EvalError`]; it decides the code of the diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The evaluator does not know this operation or this form of it.
    Unsupported,
    /// The program asked for something that has no result, such as shapes that differ at run time.
    Invalid,
    /// A `check.*` expectation does not hold.
    Check,
}

/// A reason in words; the interpreter adds the operation and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The class.
    pub kind: ErrorKind,
    /// One sentence without a full stop.
    pub reason: String,
}

impl EvalError {
    /// An operation, or a form of one, that the evaluator does not know.
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unsupported, reason: reason.into() }
    }

    /// A program that has no meaning for these values.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Invalid, reason: reason.into() }
    }

    /// An expectation that does not hold.
    pub fn check(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Check, reason: reason.into() }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for EvalError {}

/// What an operation returns.
pub type Result<T> = std::result::Result<T, EvalError>;
