//! Passes added after stages: MLIR and LLVM pipelines, and functions in Rust, by name or passed directly.

use std::sync::{Mutex, PoisonError};

use strata_codegen::{LlvmIr, llvmir};
use strata_diag::{Diagnostic, codes, did_you_mean};
use strata_ir::{Context, Module, pass_names, run_pipeline, unknown_pass};
use strata_options::Options;

/// A pass over a module, which is rewritten in place.
pub type Pass = for<'c> fn(&'c Context, &mut Module<'c>, &Options) -> Result<(), Diagnostic>;

/// A pass with captured state, for [`crate::Compiler::after`].
pub(crate) type Hook<'o> =
    Box<dyn for<'c> FnMut(&'c Context, &mut Module<'c>) -> Result<(), Diagnostic> + 'o>;

/// Passes that are there without being registered.
const BUILT_IN: &[(&str, Pass)] = &[("propagate-shardings", strata_hlo::propagate_shardings)];

static REGISTERED: Mutex<Vec<(&'static str, Pass)>> = Mutex::new(Vec::new());

/// Registers a pass under a name for `Options::added` and `--after STAGE=NAME` in this process. Registering a name again
/// replaces the pass.
pub fn register_pass(name: &'static str, pass: Pass) {
    // A panic does not leave the list inconsistent.
    let mut known = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(old, _)| *old != name);
    known.push((name, pass));
}

/// The names of the passes that were registered and of those that need not be, in order.
pub fn registered_passes() -> Vec<&'static str> {
    let known = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut names: Vec<_> = known.iter().chain(BUILT_IN).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names
}

/// Runs the pass of that name, or else the pipeline.
///
/// # Errors
/// `S0008` for a pipeline that fails; what the pass gives.
pub(crate) fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    passes: &str,
    options: &Options,
) -> Result<(), Diagnostic> {
    let known = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = known.iter().chain(BUILT_IN);
    let found = all.find(|(name, _)| *name == passes).map(|(_, pass)| *pass);
    drop(known);
    match found {
        Some(pass) => pass(context, module, options),
        None => user_pipeline(context, module, passes),
    }
}

/// Runs a pipeline that a user chose: its failure is not our bug. Passes over functions may be named without
/// `builtin.module(…)` around them.
///
/// # Errors
/// `S0008`.
pub fn user_pipeline<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    passes: &str,
) -> Result<(), Diagnostic> {
    let pipeline = match passes.starts_with("builtin.module(") {
        true => passes.to_owned(),
        false => format!("builtin.module({passes})"),
    };
    run_pipeline(context, module, &pipeline).map_err(|error| {
        if let Some(name) = error.reason_text().and_then(unknown_pass) {
            return no_such_pass(context, name);
        }
        let blame = Diagnostic::new(codes::S0008)
            .reason(error.reason_text().unwrap_or("MLIR gave no reason"));
        match error.location() {
            Some(place) => blame.at(place.clone()),
            None => blame,
        }
    })
}

/// The error for the name of a pass that does not exist, with those that differ little.
fn no_such_pass(context: &Context, name: &str) -> Diagnostic {
    let known = [registered_passes(), pass_names(context)].concat();
    let error = Diagnostic::new(codes::S0008).reason(format!("there is no pass `{name}`"));
    error.hint(did_you_mean(name, known).unwrap_or_else(|| {
        "MLIR's passes go by their names there, such as `canonicalize`, with those over functions as `func.func(NAME)`".to_owned()
    }))
}

/// As [`run`], for LLVM IR.
pub(crate) fn run_on_llvm(
    ir: &LlvmIr,
    passes: &str,
    options: &Options,
) -> Result<LlvmIr, Diagnostic> {
    llvmir::run_passes(ir, passes, options)
}
