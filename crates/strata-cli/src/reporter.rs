//! Writes diagnostics to standard error.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use strata_diag::{Diagnostics, Style};
use terminal_size::{Width, terminal_size_of};

use crate::args::{Color, DiagnosticFormat};

/// The format of diagnostics and reports on standard error, and the folder for reproducers.
#[derive(Clone, Debug)]
pub struct Reporter {
    format: DiagnosticFormat,
    style: Style,
    is_quiet: bool,
    crash_dir: Option<PathBuf>,
}

/// The width of a terminal, or that which `COLUMNS` says of one that does not tell; `None` for other streams.
pub fn terminal_width(stream: impl IsTerminal + std::os::fd::AsFd) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let told = terminal_size_of(stream).map(|(Width(width), _)| usize::from(width));
    let said = || env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    told.filter(|width| *width > 0).or_else(said)
}

impl Reporter {
    /// A reporter for these options, this terminal and `NO_COLOR`.
    pub fn new(format: DiagnosticFormat, color: Color) -> Self {
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
            }
        };
        let terminal = terminal_width(io::stderr());
        let width = terminal.unwrap_or(Style::WIDTH);
        let style = Style { color, width, wraps: terminal.is_some() };
        Self { format, style, is_quiet: false, crash_dir: None }
    }

    /// Shows neither progress nor what was done, if `is_quiet`.
    pub fn quiet(self, is_quiet: bool) -> Self {
        Self { is_quiet, ..self }
    }

    /// Sets the folder for reproducers.
    pub fn with_crash_dir(self, crash_dir: Option<PathBuf>) -> Self {
        Self { crash_dir, ..self }
    }

    /// The folder for reproducers, where one is named.
    pub fn crash_dir(&self) -> Option<&Path> {
        self.crash_dir.as_deref()
    }

    /// Whether standard error is a terminal that can show progress, and may.
    pub fn shows_progress(&self) -> bool {
        !self.is_quiet && self.format == DiagnosticFormat::Text && io::stderr().is_terminal()
    }

    /// Says on a terminal what was done: `verb` and the rest of a line.
    pub fn done(&self, verb: &str, rest: &str) {
        if !self.shows_progress() {
            return;
        }
        let verb = match self.style.color {
            true => format!("\x1b[1;32m{verb}\x1b[0m"),
            false => verb.to_owned(),
        };
        // As for diagnostics.
        let _ = writeln!(io::stderr(), "{verb} {rest}");
    }

    /// Writes a report: its text, which ends with a line break, or its object on a line.
    pub fn tell(&self, text: &str, object: &Value) {
        let text = match self.format {
            DiagnosticFormat::Text => text.to_owned(),
            DiagnosticFormat::Json => format!("{object}\n"),
        };
        // As for diagnostics.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// For a command line that could not be parsed: looks for the format option only.
    pub fn from_arguments(arguments: &[OsString]) -> Self {
        let has = |text: &str| arguments.iter().any(|argument| argument == text);
        let pair = |name: &str, value: &str| {
            arguments.windows(2).any(|two| two[0] == name && two[1] == value)
        };
        let json = has("--diagnostic-format=json") || pair("--diagnostic-format", "json");
        let format = if json { DiagnosticFormat::Json } else { DiagnosticFormat::Text };
        Self::new(format, Color::Auto)
    }

    /// Writes warnings, if there are any.
    pub fn warn(&self, warnings: &Diagnostics) {
        if !warnings.is_empty() {
            self.report(warnings);
        }
    }

    /// Writes all of them and returns their exit code.
    pub fn report(&self, diagnostics: &Diagnostics) -> u8 {
        let mut text = String::new();
        match self.format {
            DiagnosticFormat::Text => {
                text.push_str(&diagnostics.render_with(self.style));
                text.push('\n');
            }
            DiagnosticFormat::Json => {
                for one in diagnostics {
                    text.push_str(&one.to_json().to_string());
                    text.push('\n');
                }
            }
        }
        // If standard error is closed, the error has nowhere to go.
        let _ = io::stderr().write_all(text.as_bytes());
        diagnostics.exit_code()
    }
}
