//! Turns a panic into a diagnostic.

use std::any::Any;
use std::env;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use strata_diag::{Diagnostic, Diagnostics, Fault, Location, codes};

use crate::commands::Outcome;
use crate::files;
use crate::reporter::Reporter;
use crate::reproducer::{self, Ran};

/// Stacks to try, in bytes. The parser and the passes of MLIR recurse over the program's nesting; address
/// space costs nothing until it is touched.
const STACKS: [usize; 3] = [1 << 29, 1 << 26, 1 << 23];

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
    thread::scope(|scope| {
        for size in STACKS {
            let worker = || panic::catch_unwind(AssertUnwindSafe(body));
            if let Ok(thread) = thread::Builder::new()
                .name("compiler".to_owned())
                .stack_size(size)
                .spawn_scoped(scope, worker)
            {
                return match thread.join() {
                    Ok(Ok(outcome)) => outcome,
                    Ok(Err(payload)) | Err(payload) => Err(from_panic(payload.as_ref())),
                };
            }
        }
        body()
    })
}

fn from_panic(payload: &(dyn Any + Send)) -> Diagnostics {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message");
    let diagnostic = Diagnostic::new(codes::S9001).reason(message);
    match PLACE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(place) => diagnostic.note(format!("panicked at {place}")).into(),
        None => diagnostic.into(),
    }
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

    #[test]
    fn deep_recursion_has_room() {
        fn depth(left: u32) -> u64 {
            let pad = std::hint::black_box([u64::from(left); 64]);
            if left == 0 { 0 } else { pad[7].min(1) + depth(left - 1) }
        }
        let outcome = on_large_stack(&|| {
            assert_eq!(depth(100_000), 100_000);
            Ok(())
        });
        assert!(outcome.is_ok());
    }
}
