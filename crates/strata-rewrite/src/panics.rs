//! A panic in a pattern is our bug: caught, named, reported.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_diag::{Diagnostic, codes};
use strata_ir::{Op, diagnostic_at};

/// Runs `body`; a panic becomes `S9001` that names the pattern and the operation.
pub(crate) fn guarded<R>(
    pattern: &str,
    op: Op<'_>,
    body: impl FnOnce() -> R,
) -> Result<R, Diagnostic> {
    // Taken before: the panic may have happened half-way through a rewrite of `op`.
    let blame = diagnostic_at(codes::S9001, op);
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        let words = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        blame.reason(format!("pattern `{pattern}` panicked: {words}"))
    })
}
