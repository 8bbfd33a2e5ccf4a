//! Callbacks into Python: who put them into the program, as far as its locations tell.
//!
//! JAX names an operation after the functions around it, `jit(f)/cond/branch_1_fun/pure_callback`, and keeps the files of the
//! calls. Both are in the program where it was exported with them.

use strata_diag::{Diagnostic, codes};
use strata_ir::{Frame, Op, diagnostic_at, frames};

/// Part of a name or of a file, what it tells, what to do. The first that is found counts: those who use callbacks for
/// something of their own stand in front of JAX's.
const AUTHORS: &[(&str, &str, &str)] = &[
    (
        "equinox/_errors.py",
        "`equinox.error_if`, a check of equinox,",
        "export with the environment variable `EQX_ON_ERROR=nan`, or with `throw=False` where the library has it (diffrax, lineax, \
         optimistix)",
    ),
    (
        "branched_error_if",
        "`equinox.error_if`, a check of equinox,",
        "export with the environment variable `EQX_ON_ERROR=nan`, or with `throw=False` where the library has it (diffrax, lineax, \
         optimistix)",
    ),
    (
        "checkify.py",
        "a check of `jax.experimental.checkify`",
        "export what `checkify.checkify(f)` gives: its first result is the error, no callback is needed",
    ),
    ("host_callback", "`jax.experimental.host_callback`", "export the function without it"),
    (
        "jax/_src/debugging.py",
        "`jax.debug.print` or `jax.debug.callback`",
        "leave it out of the function that is exported",
    ),
    ("debug_print", "`jax.debug.print`", "leave it out of the function that is exported"),
    (
        "debug_callback",
        "`jax.debug.print` or `jax.debug.callback`",
        "leave it out of the function that is exported",
    ),
    (
        "io_callback",
        "`jax.experimental.io_callback`",
        "give what it reads as an argument, and return what it writes",
    ),
    (
        "pure_callback",
        "`jax.pure_callback`",
        "write the function in JAX, or give its values as an argument",
    ),
];

/// What to do where nothing is known.
const ANY: &str = "export the program without pure_callback, io_callback and debug.print, and for equinox with `EQX_ON_ERROR=nan`; \
                   `as_text(debug_info=True)` keeps the names that tell which it is";

/// Folders of code that somebody else wrote.
const INSTALLED: &[&str] = &["site-packages/", "dist-packages/", "<frozen"];

/// Why a callback cannot be compiled, and who put it there.
pub(crate) fn refused(op: Op<'_>, target: &str) -> Diagnostic {
    let way = frames(op.location());
    let error = diagnostic_at(codes::S1202, op);
    let reason = format!("`{target}` calls back into the Python process that exported the program");
    let Some((_, author, hint)) =
        AUTHORS.iter().find(|(sign, ..)| way.iter().any(|frame| tells(frame, sign)))
    else {
        return error.reason(reason).hint(ANY);
    };
    let error = error.reason(format!("{reason}; {author} put it there")).hint(*hint);
    let is_own = |frame: &&Frame| {
        let place = frame.place.as_ref();
        place.is_some_and(|at| {
            at.file.ends_with(".py") && !INSTALLED.iter().any(|folder| at.file.contains(folder))
        })
    };
    match way.iter().find(is_own).and_then(|frame| frame.place.clone()) {
        Some(place) if error.location() != Some(&place) => error.note_at(place, "called from here"),
        _ => error,
    }
}

fn tells(frame: &Frame, sign: &str) -> bool {
    let file = frame.place.as_ref().map(|place| place.file.as_str());
    [frame.name.as_deref(), file].into_iter().flatten().any(|text| text.contains(sign))
}
