use std::fmt;

/// A result with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no module: the diagnostics, as text.
///
/// `Debug` is the same text, because that is what a `main` that returns the error shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\n{}", self.0)
    }
}

impl std::error::Error for Error {}
