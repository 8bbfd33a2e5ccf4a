//! Whom an error is told about: the program, a dump, a pass or a schedule of the user, or this compiler.

use strata_diag::{Diagnostic, Diagnostics, Fault, Location, codes};
use strata_options::Options;

use super::{Compiler, libm};
use crate::{
    advice,
    stage::{Stage, StageInfo},
};

/// If a contract does not hold before any stage has run, the input is wrong: it may be a dump of another stage.
pub(super) fn not_in_its_form(error: Diagnostic, from: Stage, like: Option<Stage>) -> Diagnostic {
    if error.code() != codes::S9002 {
        return error;
    }
    let error = error.with_code(codes::S0009);
    match like {
        // It is of that stage, and what is wrong with it is said.
        Some(like) if like == from => error,
        Some(like) => error.hint(resembles(like)),
        None => error.hint(
            "`--from` names the stage whose dump the program is; without it, it is StableHLO",
        ),
    }
}

/// The hint for a program that is a dump of another stage.
pub(super) fn resembles(like: Stage) -> String {
    match like {
        Stage::Input => "this looks like StableHLO: leave `--from` out".to_owned(),
        _ => format!(
            "this looks like a dump of stage `{like}`: `--from {like}`, which `strata compile` and `strata eval` have"
        ),
    }
}

/// If a contract held before the added passes, they violated it.
pub(super) fn blame_passes(info: &StageInfo, error: Diagnostic) -> Diagnostic {
    if error.code() != codes::S9002 {
        return error;
    }
    error
        .with_code(codes::S0010)
        .note(format!("the contract of stage `{}`: {}", info.name, info.contract))
}

/// What a compilation starts from, kept to find out whose an error is.
pub(super) struct Given {
    options: Options,
    from: Stage,
    to: Stage,
    /// The stages after which passes were added.
    passes: Vec<String>,
}

impl Given {
    pub fn of(compiler: &Compiler<'_>) -> Self {
        Self {
            options: compiler.options.clone(),
            from: compiler.from,
            to: compiler.to,
            passes: compiler.stages_with_passes(),
        }
    }

    /// The same errors as the user is told them: with whose they are, options that would compile the program, and its text.
    pub fn explain(&self, errors: Diagnostics, name: &str, bytes: &[u8]) -> Diagnostics {
        let errors = self.blame(errors, name, bytes);
        let errors = match self.from {
            Stage::Input => advice::advise(errors, &self.options, name, bytes),
            _ => errors,
        };
        let errors = libm::name_users(errors, (&self.options, self.from), name, bytes);
        with_source(errors, name, bytes)
    }

    /// The same errors; those that look like bugs of this compiler are the user's if they are due to what was given beside a
    /// program: its own dump, passes, a schedule. Whether the latter two are the cause is tried.
    fn blame(&self, errors: Diagnostics, name: &str, bytes: &[u8]) -> Diagnostics {
        let is_bug = |error: &Diagnostic| error.fault() == Fault::Bug;
        if !errors.iter().any(is_bug) {
            return errors;
        }
        let compiles = |options: Options| {
            Compiler::new(options).from(self.from).to(self.to).compile(name, bytes).is_ok()
        };
        let without_passes = Options { added: Vec::new(), ..self.options.clone() };
        let without_both = Options { schedule: None, ..without_passes.clone() };
        let culprit: fn(&Self, Diagnostic) -> Diagnostic =
            if !self.passes.is_empty() && compiles(without_passes) {
                Self::of_passes
            } else if self.options.schedule.is_some() && compiles(without_both) {
                Self::of_schedule
            } else if self.from > Stage::Spmd {
                Self::of_dump
            } else {
                return errors;
            };
        let blamed = errors.into_iter().map(|error| match (is_bug(&error), error.location()) {
            (true, Some(_)) => culprit(self, error),
            (true, None) => culprit(self, error).at(Location::file(name)),
            (false, _) => error,
        });
        blamed.collect()
    }

    fn of_passes(&self, error: Diagnostic) -> Diagnostic {
        let stages = self.passes.join("`, `");
        let reason =
            format!("what the passes after `{stages}` make cannot be compiled: {}", said(&error));
        error
            .with_code(codes::S0010)
            .reason(reason)
            .hint("without these passes the program compiles")
    }

    fn of_schedule(&self, error: Diagnostic) -> Diagnostic {
        let reason =
            format!("the given schedule produces code that cannot be compiled: {}", said(&error));
        error.with_code(codes::S1301).reason(reason).hint(
            "`strata schedule MODEL` prints the schedules that the compiler chooses; start from these",
        )
    }

    fn of_dump(&self, error: Diagnostic) -> Diagnostic {
        let reason =
            format!("the stages after `{}` cannot compile it: {}", self.from, said(&error));
        error.with_code(codes::S0009).reason(reason).hint(
            "undo what was changed in the dump; if nothing was, this is a bug in Strata: please report it with the program",
        )
    }
}

/// The code and reason of an error.
fn said(error: &Diagnostic) -> String {
    let (code, title) = (error.code(), error.code().title());
    match error.reason_text() {
        Some(reason) => format!("{title} ({code}): {reason}"),
        None => format!("{title} ({code})"),
    }
}

/// Adds the source line to diagnostics of later stages.
pub(crate) fn with_source(errors: Diagnostics, name: &str, bytes: &[u8]) -> Diagnostics {
    if errors.is_empty() {
        return errors;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => errors.into_iter().map(|error| error.source_file(name, text)).collect(),
        Err(_) => errors,
    }
}
