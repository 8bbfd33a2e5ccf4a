//! Applying transform-dialect schedules.

use melior::Context;
use mlir_sys as sys;

use crate::{
    diagnostics::{Captured, capture},
    handles::Op,
};

/// Applies the named sequence `sequence` to `payload`, with the symbols of `library` available.
///
/// `library` is the module that holds `sequence`; neither of the two may lie inside `payload`.
/// After a failure the payload may be half transformed: callers work on a copy.
///
/// # Errors
/// What MLIR reported, when the sequence fails, definitely or silenceably.
pub fn apply_named_sequence(
    context: &Context,
    payload: Op<'_>,
    sequence: Op<'_>,
    library: Op<'_>,
) -> Result<(), Captured> {
    // SAFETY: the three operations are alive, and the options are destroyed once, after the call.
    let (outcome, reports) = capture(context, || unsafe {
        let options = sys::mlirTransformOptionsCreate();
        let outcome = sys::mlirTransformApplyNamedSequence(
            payload.to_raw(),
            sequence.to_raw(),
            library.to_raw(),
            options,
        );
        sys::mlirTransformOptionsDestroy(options);
        outcome
    });
    if outcome.value != 0 {
        return Ok(());
    }
    let report = reports.into_iter().find(|report| report.is_error);
    Err(report.unwrap_or_else(|| Captured {
        message: "MLIR gave no reason".to_owned(),
        notes: Vec::new(),
        location: None,
        is_error: true,
    }))
}
