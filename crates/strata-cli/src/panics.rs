//! Turns a panic into a diagnostic.

use std::env;
use std::ffi::OsString;
use std::panic;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use strata_diag::{Diagnostic, Fault, Location, codes};

use crate::commands::Outcome;
use crate::files;
use crate::reporter::Reporter;
use crate::reproducer::{self, Ran};

/// Where a thread's latest panic happened, which the caught payload does not contain.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Keeps the location of a panic for the diagnostic instead of printing it, unless `RUST_BACKTRACE` asks
/// for the usual output.
pub fn keep_for_the_report() {
    let usual = panic::take_hook();
    let is_wanted = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |info| {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) =
            info.location().map(ToString::to_string);
        if is_wanted {
            usual(info);
        }
    }));
}

/// Runs `body` on a large stack, reports what it returns and gives the exit code.
///
/// For bugs of ours, including panics, a reproducer is written.
pub fn guard(
    reporter: &Reporter,
    arguments: &[OsString],
    program: Option<&Path>,
    body: impl Fn() -> Outcome + Sync,
) -> u8 {
    let Err(diagnostics) = on_large_stack(&body) else {
        return 0;
    };
    let is_ours = |one: &Diagnostic| one.fault() == Fault::Bug;
    if !diagnostics.iter().any(is_ours) {
        return reporter.report(&diagnostics);
    }
    let message = diagnostics.render();
    let ran = Ran { arguments, program, piped: files::piped() };
    let note = reproducer::write(reporter.crash_dir(), &ran, &message);
    let diagnostics = diagnostics.map(|one| {
        let one = match program {
            Some(program) if one.location().is_none() => {
                one.at(Location::file(program.to_string_lossy()))
            }
            _ => one,
        };
        match one.hint_text() {
            _ if !is_ours(&one) => one,
            Some(_) => one.note(&note),
            None => one.note(&note).hint(reproducer::HINT),
        }
    });
    reporter.report(&diagnostics)
}

fn on_large_stack(body: &(impl Fn() -> Outcome + Sync)) -> Outcome {
    strata::on_large_stack(body).unwrap_or_else(|message| {
        let diagnostic = Diagnostic::new(codes::S9001).reason(message);
        Err(match PLACE.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(place) => diagnostic.note(format!("panicked at {place}")).into(),
            None => diagnostic.into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::on_large_stack;
    use strata_diag::codes;

    #[test]
    fn a_panic_is_an_internal_error() {
        let outcome = on_large_stack(&|| panic!("index {} out of bounds", 2));
        let all = outcome.expect_err("the panic is reported");
        let one = all.iter().next().expect("one diagnostic");
        assert_eq!(one.code(), codes::S9001);
        assert_eq!(one.reason_text(), Some("index 2 out of bounds"));
        assert_eq!(all.exit_code(), 3);
    }
}
