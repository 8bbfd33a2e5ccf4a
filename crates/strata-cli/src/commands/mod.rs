//! One file per command.

mod explain;
mod list;

use std::path::Path;

use strata_diag::Diagnostics;

use crate::args::Command;
use crate::reporter::Reporter;

/// How a command ends.
pub type Outcome = Result<(), Diagnostics>;

/// Does what the command line asks for.
pub fn run(command: &Command, _reporter: &Reporter) -> Outcome {
    match command {
        Command::List(args) => list::run(args),
        Command::Explain(args) => explain::run(args),
    }
}

impl Command {
    /// The program that the command reads; such commands run under the supervisor.
    pub fn program(&self) -> Option<&Path> {
        match self {
            Command::List(_) | Command::Explain(_) => None,
        }
    }
}
