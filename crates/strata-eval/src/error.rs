//! Why an operation could not be evaluated.

use std::fmt;

use strata_diag::Location;

/// The class of an [`EvalError`]; it decides the code of the diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The evaluator does not know this operation or this form of it.
    Unsupported,
    /// The program's behaviour is undefined, such as shapes that differ at run time.
    Invalid,
    /// A `check.*` expectation does not hold.
    Check,
    /// An external function that is not available.
    Missing,
}

/// The operation that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The operation's name.
    pub operation: String,
    /// Its source location.
    pub location: Option<Location>,
}

/// A reason in words; the interpreter adds the operation and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The class.
    pub kind: ErrorKind,
    /// One sentence without a full stop.
    pub reason: String,
    /// The operation at fault, once it is known.
    pub place: Option<Box<Place>>,
}

impl EvalError {
    fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), place: None }
    }

    /// An operation, or a form of one, that the evaluator does not know.
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, reason)
    }

    /// A program that has no meaning for these values.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, reason)
    }

    /// An expectation that does not hold.
    pub fn check(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Check, reason)
    }

    /// An external function that is not available.
    pub fn missing(target: &str) -> Self {
        Self::new(
            ErrorKind::Missing,
            format!("the program calls `{target}`, which nothing defines"),
        )
    }

    /// A process that cannot continue.
    pub(crate) fn stuck(stuck: strata_processes::Stuck) -> Self {
        Self::invalid(stuck.to_string())
    }

    /// Names the operation at fault, unless a nested one is named already.
    #[must_use]
    pub fn at(mut self, operation: &str, location: Option<&Location>) -> Self {
        if self.place.is_none() {
            let place = Place { operation: operation.to_owned(), location: location.cloned() };
            self.place = Some(Box::new(place));
        }
        self
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for EvalError {}

/// The result of an operation.
pub type Result<T> = std::result::Result<T, EvalError>;
