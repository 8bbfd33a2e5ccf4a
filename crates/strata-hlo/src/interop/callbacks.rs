//! Callbacks into Python: their origin, as far as the program's locations show.
//!
//! JAX names an operation after the functions around it, `jit(f)/cond/branch_1_fun/pure_callback`, and keeps the files of the
//! calls. Both are in programs exported with locations.

use strata_diag::{Diagnostic, codes};
use strata_ir::{Frame, Op, diagnostic_at, frames};

/// A substring of a name or file, the origin, the hint. The first match counts: libraries that use callbacks come before JAX
/// itself.
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
        "export the result of `checkify.checkify(f)`: its first result is the error, without a callback",
    ),
    ("host_callback", "`jax.experimental.host_callback`", "export the function without it"),
    (
        "jax/_src/debugging.py",
        "`jax.debug.print` or `jax.debug.callback`",
        "remove it from the exported function",
    ),
    ("debug_print", "`jax.debug.print`", "remove it from the exported function"),
    (
        "debug_callback",
        "`jax.debug.print` or `jax.debug.callback`",
        "remove it from the exported function",
    ),
    (
        "io_callback",
        "`jax.experimental.io_callback`",
        "pass what it reads as an argument, and return what it writes",
    ),
    (
        "pure_callback",
        "`jax.pure_callback`",
        "write the function in JAX, or pass its values as an argument",
    ),
];

/// The default hint.
const ANY: &str = "export the program without pure_callback, io_callback and debug.print, and for equinox with `EQX_ON_ERROR=nan`; \
                   `as_text(debug_info=True)` keeps the names that tell which it is";

/// Folders of third-party code.
const INSTALLED: &[&str] = &["site-packages/", "dist-packages/", "<frozen"];

/// The error for a callback, with its origin.
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
