//! Running MLIR passes.

use melior::{Context, ir::Module, pass::PassManager, utility::parse_pass_pipeline};
use strata_diag::{Diagnostic, codes};

use crate::diagnostics::capture;

/// Runs a textual pass pipeline such as `func.func(canonicalize,cse)` on the module.
///
/// Verification between passes is off: the stage loop verifies once after each stage.
///
/// # Errors
/// `S9003` (our bug) when the pipeline does not parse or a pass fails, with MLIR's words.
pub fn run_pipeline(
    context: &Context,
    module: &mut Module<'_>,
    pipeline: &str,
) -> Result<(), Diagnostic> {
    let manager = PassManager::new(context);
    manager.enable_verifier(false);
    let (outcome, reports) = capture(context, || {
        parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
            .and_then(|()| manager.run(module))
    });
    outcome.map_err(|error| {
        let report = reports.iter().find(|report| report.is_error);
        let mut diagnostic = bug(
            &format!("the passes `{pipeline}` failed"),
            &report.map_or_else(|| error.to_string(), |report| report.message.clone()),
        );
        if let Some(location) = report.and_then(|report| report.location.clone()) {
            diagnostic = diagnostic.at(location);
        }
        diagnostic
    })
}

pub(crate) fn bug(what: &str, detail: &str) -> Diagnostic {
    Diagnostic::new(codes::S9003).reason(format!("{what}: {detail}"))
}
