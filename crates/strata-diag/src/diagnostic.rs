//! One diagnostic: built step by step, and returned as an error.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Code, Fault};

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The command cannot continue.
    Error,
    /// The command continues, but the user should know.
    Warning,
    /// The command succeeded, but there is a better way to use it.
    Note,
}

/// A location in a source file.
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
    /// A location in `file`; `line` and `column` count from 1.
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

/// A note attached to a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    /// Its location, if it differs from the diagnostic's.
    pub location: Option<Location>,
    /// The text of the line at that location, if it is to be shown.
    pub source: Option<String>,
}

/// An error or a warning for the user.
///
/// Cheap to move: the content is boxed to keep `Result<T, Diagnostic>` small.
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
    gives_sizes: bool,
    symbols: Vec<String>,
    notes: Vec<Note>,
    /// Lines between the shown locations, if they are too few to be elided.
    between: Vec<(u32, String)>,
    messages: Vec<String>,
}

impl Diagnostic {
    /// An error with that code only.
    pub fn new(code: Code) -> Self {
        Self(Box::new(Content {
            code,
            severity: Severity::Error,
            operation: None,
            location: None,
            source: None,
            reason: None,
            hint: None,
            gives_sizes: false,
            symbols: Vec::new(),
            notes: Vec::new(),
            between: Vec::new(),
            messages: Vec::new(),
        }))
    }

    /// Makes it a warning or an error.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// Replaces the code: the caller may know better whose fault it is.
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

    /// Sets the location.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.0.location = Some(location);
        self
    }

    /// Sets the text of the line at the location, without its end of line.
    #[must_use]
    pub fn source(mut self, line: impl Into<String>) -> Self {
        self.0.source = Some(line.into());
        self
    }

    /// Takes the source lines of the location and of the notes from the text of the file.
    ///
    /// Skips locations in other files or outside of the text, and those that have a line already.
    #[must_use]
    pub fn source_file(mut self, file: &str, text: &str) -> Self {
        let content = &mut *self.0;
        let number = |at: &Option<Location>| match at {
            Some(at) if at.file == file && at.line > 0 => Some(at.line),
            _ => None,
        };
        let wanted = |at: &Option<Location>, source: &Option<String>| {
            number(at).filter(|_| source.is_none()).is_some()
        };
        let is_told = !wanted(&content.location, &content.source)
            && !content.notes.iter().any(|note| wanted(&note.location, &note.source));
        if is_told {
            return self;
        }
        let mut numbers: Vec<u32> = std::iter::once(&content.location)
            .chain(content.notes.iter().map(|note| &note.location))
            .filter_map(number)
            .collect();
        numbers.sort_unstable();
        let gaps = numbers.windows(2).filter(|pair| pair[1] - pair[0] == 2);
        let gaps: Vec<u32> = gaps.map(|pair| pair[0] + 1).collect();
        let mut found = BTreeMap::new();
        for (number, line) in (1u32..).zip(text.lines()) {
            if numbers.binary_search(&number).is_ok() || gaps.contains(&number) {
                found.insert(number, line);
            }
            if numbers.last().is_some_and(|last| number >= *last) {
                break;
            }
        }
        let line = |at: &Option<Location>| found.get(&number(at)?).map(|line| (*line).to_owned());
        if content.source.is_none() {
            content.source = line(&content.location);
        }
        for note in &mut content.notes {
            if note.source.is_none() {
                note.source = line(&note.location);
            }
        }
        let between = gaps.iter().filter_map(|gap| Some((*gap, (*found.get(gap)?).to_owned())));
        content.between = between.collect();
        self
    }

    /// Sets the reason, one sentence without a full stop.
    #[must_use]
    pub fn reason(mut self, text: impl Into<String>) -> Self {
        self.0.reason = Some(text.into());
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.0.hint = Some(text.into());
        self.0.gives_sizes = false;
        self
    }

    /// Sets a hint at options with which the program compiles as it is: those that give it sizes.
    #[must_use]
    pub fn hint_at_sizes(mut self, text: impl Into<String>) -> Self {
        self.0.hint = Some(text.into());
        self.0.gives_sizes = true;
        self
    }

    /// Names the symbols of the object that it is about.
    #[must_use]
    pub fn about_symbols(mut self, names: Vec<String>) -> Self {
        self.0.symbols = names;
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.0.notes.push(Note { text: text.into(), location: None, source: None });
        self
    }

    /// Adds a note about another location.
    #[must_use]
    pub fn note_at(mut self, location: Location, text: impl Into<String>) -> Self {
        self.0.notes.push(Note { text: text.into(), location: Some(location), source: None });
        self
    }

    /// Keeps the original messages of MLIR or LLVM for the reason. They are not shown, but
    /// [`Self::messages`] has them for comparisons with expected errors.
    #[must_use]
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.0.messages.push(text.into());
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

    /// The reason.
    pub fn reason_text(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The hint.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Whether the hint is [`Self::hint_at_sizes`].
    pub fn is_solved_by_sizes(&self) -> bool {
        self.0.gives_sizes
    }

    /// The symbols of the object that it is about.
    pub fn symbols(&self) -> &[String] {
        &self.0.symbols
    }

    /// The original messages of MLIR or LLVM for the reason, one for each error.
    pub fn messages(&self) -> &[String] {
        &self.0.messages
    }

    /// The text of a line between two shown locations.
    pub(crate) fn line_between(&self, number: u32) -> &str {
        let found = self.0.between.iter().find(|(line, _)| *line == number);
        found.map_or("", |(_, text)| text)
    }

    /// The notes, in the order in which they were added.
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
