//! The threads for programs that run here.

use strata_diag::{Diagnostic, codes};
use strata_threads::Pool;

/// More is a mistake.
const MOST: usize = 1024;

/// A pool of as many threads as the command line says; `None` for one.
///
/// # Errors
/// `S0001` for an unreasonable number.
pub fn pool(threads: usize) -> Result<Option<Pool>, Diagnostic> {
    check(threads)?;
    Ok((threads != 1).then(|| Pool::new(threads)))
}

/// # Errors
/// As [`pool`].
pub fn check(threads: usize) -> Result<(), Diagnostic> {
    match threads {
        ..=MOST => Ok(()),
        _ => Err(Diagnostic::new(codes::S0001)
            .reason(format!("--threads {threads}: the maximum is {MOST}"))
            .hint("`--threads 0` uses one per processor")),
    }
}
