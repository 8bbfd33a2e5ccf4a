//! Whom an error is told about: the program, a pass or a schedule of the user, or this compiler.

use strata_diag::{Diagnostic, Diagnostics, Fault, codes};

use crate::stage::StageInfo;

/// If a contract does not hold before any stage has run, the input is wrong.
pub(super) fn not_in_its_form(error: Diagnostic) -> Diagnostic {
    if error.code() != codes::S9002 {
        return error;
    }
    error
        .with_code(codes::S0009)
        .hint("`--from` names the stage whose dump the program is; without it, it is StableHLO")
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

/// Added passes may cause what looks like our bug.
pub(super) fn suspect_passes(errors: Diagnostics, with_passes: &[String]) -> Diagnostics {
    let suspect = |error: Diagnostic| match with_passes {
        [_, ..] if error.code().fault() == Fault::Bug => error.note(format!(
            "passes were added after `{}` and may be the cause",
            with_passes.join("`, `")
        )),
        _ => error,
    };
    errors.into_iter().map(suspect).collect()
}

/// A given schedule may produce code that cannot be compiled: that is not our bug.
pub(super) fn blame_schedule(errors: Diagnostics) -> Diagnostics {
    let blame = |error: Diagnostic| match [codes::S9002, codes::S9003].contains(&error.code()) {
        true => {
            let reason = error.reason_text().unwrap_or_default();
            let blamed = Diagnostic::new(codes::S1301)
                .reason(format!("the given schedule produces code that cannot be compiled: {reason}"))
                .hint("`strata schedule MODEL` prints the schedules that the compiler chooses; start from these");
            match error.location() {
                Some(place) => blamed.at(place.clone()),
                None => blamed,
            }
        }
        false => error,
    };
    errors.into_iter().map(blame).collect()
}

/// Adds the source line to diagnostics of later stages.
pub(super) fn with_source(errors: Diagnostics, name: &str, bytes: &[u8]) -> Diagnostics {
    match std::str::from_utf8(bytes) {
        Ok(text) => errors.into_iter().map(|error| error.source_file(name, text)).collect(),
        Err(_) => errors,
    }
}
