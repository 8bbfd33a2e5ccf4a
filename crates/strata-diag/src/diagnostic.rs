//! One diagnostic: a value that is built step by step and travels as an error.

use std::fmt;

use crate::{Code, Fault};

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The command cannot go on.
    Error,
    /// The command goes on, but the user should know.
    Warning,
    /// The command did what it was asked for, and there is a better way to ask.
    Note,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// File name as the user gave it, or as the program's locations name it.
    pub file: String,
    /// Line, counted from 1; 0 where it is not known.
    pub line: u32,
    /// Column in bytes, counted from 1; 0 where it is not known.
    pub column: u32,
}

impl Location {
    /// A place in `file`; `line` and `column` count from 1.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        Self { file: file.into(), line, column }
    }

    /// The file as a whole.
    pub fn file(file: impl Into<String>) -> Self {
        Self::new(file, 0, 0)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

/// A remark that belongs to a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What there is to say.
    pub text: String,
    /// The place that it is about, where it is another one.
    pub location: Option<Location>,
}

/// An error or a warning for the user.
///
/// Cheap to move: the content is boxed, so that `Result<T, Diagnostic>` stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Content>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    code: Code,
    severity: Severity,
    operation: Option<String>,
    location: Option<Location>,
    source: Option<String>,
    reason: Option<String>,
    hint: Option<String>,
    notes: Vec<Note>,
}

impl Diagnostic {
    /// An error with that code and nothing else yet.
    pub fn new(code: Code) -> Self {
        Self(Box::new(Content {
            code,
            severity: Severity::Error,
            operation: None,
            location: None,
            source: None,
            reason: None,
            hint: None,
            notes: Vec::new(),
        }))
    }

    /// Makes it a warning or an error.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// Gives it another code: whoever calls may know better whose fault it is.
    #[must_use]
    pub fn with_code(mut self, code: Code) -> Self {
        self.0.code = code;
        self
    }

    /// Names the operation at fault, such as `stablehlo.add`.
    #[must_use]
    pub fn operation(mut self, name: impl Into<String>) -> Self {
        self.0.operation = Some(name.into());
        self
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.0.location = Some(location);
        self
    }

    /// Gives the text of the line at the location, without its end of line.
    #[must_use]
    pub fn source(mut self, line: impl Into<String>) -> Self {
        self.0.source = Some(line.into());
        self
    }

    /// Takes the line that is shown out of the text of a whole file.
    ///
    /// Does nothing where the location is in another file, lies outside the text, or a line is there
    /// already.
    #[must_use]
    pub fn source_file(mut self, file: &str, text: &str) -> Self {
        let line = match &self.0.location {
            Some(at) if self.0.source.is_none() && at.file == file && at.line > 0 => {
                text.lines().nth(at.line as usize - 1)
            }
            _ => None,
        };
        if let Some(line) = line {
            self.0.source = Some(line.to_owned());
        }
        self
    }

    /// Says why, in one sentence without a full stop.
    #[must_use]
    pub fn reason(mut self, text: impl Into<String>) -> Self {
        self.0.reason = Some(text.into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.0.hint = Some(text.into());
        self
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.0.notes.push(Note { text: text.into(), location: None });
        self
    }

    /// Adds a remark about another place.
    #[must_use]
    pub fn note_at(mut self, location: Location, text: impl Into<String>) -> Self {
        self.0.notes.push(Note { text: text.into(), location: Some(location) });
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        self.0.code.fault()
    }

    /// The exit code of a command that ends with this diagnostic: 1, 2 or 3.
    pub fn exit_code(&self) -> u8 {
        self.fault().exit_code()
    }

    /// The operation at fault.
    pub fn operation_name(&self) -> Option<&str> {
        self.0.operation.as_deref()
    }

    /// Where.
    pub fn location(&self) -> Option<&Location> {
        self.0.location.as_ref()
    }

    /// The text of the line at the location.
    pub fn source_line(&self) -> Option<&str> {
        self.0.source.as_deref()
    }

    /// Why.
    pub fn reason_text(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// What to do about it.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The remarks, in the order in which they were added.
    pub fn notes(&self) -> &[Note] {
        &self.0.notes
    }
}

/// One line: `model.mlir:2:8: error[S1005]: operation violates its definition: …`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location() {
            write!(f, "{location}: ")?;
        }
        let level = match self.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        write!(f, "{level}[{}]: {}", self.code(), self.code().title())?;
        if let Some(name) = self.operation_name() {
            write!(f, ": {name}")?;
        }
        if let Some(reason) = self.reason_text() {
            write!(f, ": {reason}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Diagnostic {}
