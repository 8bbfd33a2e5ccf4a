//! Errors of builder calls, with their locations.

use std::{fmt, panic};

use crate::spelling;

use strata_diag::{Code, Diagnostic, Diagnostics, Location, codes};

/// The result of a call on the builder.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation cannot be built, or a program not be compiled or run: one or more diagnostics.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Diagnostics);

impl Error {
    /// The code of the first diagnostic.
    pub fn code(&self) -> Code {
        self.first().map_or(codes::S9001, Diagnostic::code)
    }

    /// The same error at the location of the call that caused it.
    pub(crate) fn called_from(self, site: Site) -> Self {
        Self(self.0.into_iter().map(|one| one.at(site.location())).collect())
    }

    /// The same error, at the location of the call if it has none.
    pub(crate) fn or_called_from(self, site: Site) -> Self {
        let placed = |one: Diagnostic| match one.location() {
            Some(_) => one,
            None => one.at(site.location()),
        };
        Self(self.0.into_iter().map(placed).collect())
    }

    /// The line of Rust, or of the program, that the first diagnostic is about.
    pub fn location(&self) -> Option<&Location> {
        self.first()?.location()
    }

    /// The operation at fault, by its name in XLA's documents.
    pub fn operation(&self) -> Option<&str> {
        self.first()?.operation_name()
    }

    /// The violated rule.
    pub fn reason(&self) -> &str {
        self.first().and_then(Diagnostic::reason_text).unwrap_or_default()
    }

    /// All diagnostics.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.0
    }

    fn first(&self) -> Option<&Diagnostic> {
        self.0.iter().next()
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(diagnostic.into())
    }
}

impl From<Diagnostics> for Error {
    fn from(diagnostics: Diagnostics) -> Self {
        Self(diagnostics)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(formatter)?;
            }
            write!(formatter, "{diagnostic}")?;
            if let Some(hint) = diagnostic.hint_text() {
                write!(formatter, "\n  hint: {hint}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Error {}

/// A call of the builder: the operation's name in the documents and the line that made the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) operation: &'static str,
    pub(crate) place: &'static panic::Location<'static>,
}

impl Site {
    #[track_caller]
    pub(crate) fn new(operation: &'static str) -> Self {
        Self { operation, place: panic::Location::caller() }
    }

    pub(crate) fn location(self) -> Location {
        Location::new(self.place.file(), self.place.line(), self.place.column())
    }

    fn diagnostic(self, code: Code, reason: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code).operation(self.operation).at(self.location()).reason(reason)
    }

    /// A rule of XLA that the call violates.
    pub(crate) fn error(self, reason: impl Into<String>) -> Error {
        self.diagnostic(codes::S1014, reason).into()
    }

    /// As [`Self::error`], with a hint.
    pub(crate) fn hinted(self, reason: impl Into<String>, hint: impl Into<String>) -> Error {
        self.diagnostic(codes::S1014, reason).hint(hint).into()
    }

    /// An operand of another builder.
    pub(crate) fn foreign(self, what: &str) -> Error {
        self.diagnostic(codes::S1015, format!("{what} belongs to another builder"))
            .hint("pass it as a parameter, or build both with the same builder")
            .into()
    }

    /// The dialect's error for the operation.
    pub(crate) fn violated(self, name: &str, reports: &[strata_ir::Captured]) -> Error {
        let message = reports.iter().find(|report| report.is_error);
        let message = message.map_or("MLIR gave no reason", |report| report.message.as_str());
        let message = message.strip_prefix(&format!("'{name}' op ")).unwrap_or(message);
        self.diagnostic(codes::S1005, spelling::of_message(message))
            .note(format!("it becomes `{name}`"))
            .into()
    }
}
