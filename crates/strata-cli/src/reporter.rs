//! Writes diagnostics to standard error.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use strata_diag::{Diagnostics, Style};

use crate::args::{Color, DiagnosticFormat};

/// Where diagnostics go and in which form.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    format: DiagnosticFormat,
    style: Style,
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
        Self { format, style: Style { color, ..Style::default() } }
    }

    /// For a command line that could not be understood: looks for the form only.
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

    /// Writes all of them and returns the exit code that they ask for.
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
        // Nobody is left to be told where standard error is closed.
        let _ = io::stderr().write_all(text.as_bytes());
        diagnostics.exit_code()
    }
}
