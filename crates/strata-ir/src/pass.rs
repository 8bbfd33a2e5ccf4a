//! Running MLIR passes.

use std::collections::BTreeSet;

use melior::{Context, ir::Module, pass::PassManager, utility::parse_pass_pipeline};
use mlir_sys as sys;
use strata_diag::{Diagnostic, codes};

use crate::{
    diagnostics::{Captured, capture},
    handles::{Op, WalkOrder},
    module::module_op,
    timing,
};

// Defined in dialects/capi.
unsafe extern "C" {
    fn strataListenToPasses(
        manager: sys::MlirPassManager,
        hear: extern "C" fn(sys::MlirStringRef, bool),
    );
    fn strataFoldMemRefViews(root: sys::MlirOperation);
    fn strataForgetUnreadOutput();
}

/// Clears write errors of LLVM's output streams: a closed standard error is not a compilation failure, but LLVM would
/// report one when the process ends.
pub fn forget_unread_output() {
    // SAFETY: it touches two streams of LLVM's that live as long as the process.
    unsafe { strataForgetUnreadOutput() }
}

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
    let is_timed = timing::is_recording();
    let known = if is_timed { None } else { kept::take(context, pipeline) };
    let (outcome, reports) = capture(context, || {
        let manager = match known {
            Some(manager) => manager,
            None => made(context, pipeline, is_timed)?,
        };
        manager.run(module).map(|()| manager)
    });
    forget_unread_output();
    match outcome {
        Ok(manager) if !is_timed => kept::put(context, pipeline, manager),
        Ok(_) => {}
        Err(error) => {
            let what = format!("the passes `{pipeline}` failed");
            return Err(failure(&what, &error.to_string(), &reports));
        }
    }
    Ok(())
}

fn made(
    context: &Context,
    pipeline: &str,
    is_timed: bool,
) -> Result<PassManager<'static>, melior::Error> {
    let manager = PassManager::new(context);
    manager.enable_verifier(false);
    if is_timed {
        // SAFETY: the manager is alive and owns its instrumentation.
        unsafe { strataListenToPasses(manager.to_raw(), timing::hear_pass) };
    }
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)?;
    Ok(manager)
}

/// Pass managers of contexts that compile many programs: to parse a pipeline and to gather the patterns of its passes takes longer than
/// to run them on a small program.
pub(crate) mod kept {
    use std::{
        collections::BTreeMap,
        sync::{Mutex, PoisonError},
    };

    use melior::{Context, pass::PassManager};

    /// How many pipelines a context keeps: more than the stages have.
    const MOST: usize = 64;

    struct Idle(PassManager<'static>);

    // SAFETY: a manager belongs to no thread, and one in the list is used by none.
    unsafe impl Send for Idle {}

    /// By the address of the context, from [`begin`] to [`end`].
    static KEPT: Mutex<BTreeMap<usize, BTreeMap<String, Idle>>> = Mutex::new(BTreeMap::new());

    fn address(context: &Context) -> usize {
        context.to_raw().ptr as usize
    }

    /// The context keeps managers from now on; its owner calls [`end`] before it goes.
    pub fn begin(context: &Context) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(address(context), BTreeMap::new());
    }

    /// Drops the managers of a context, which is about to go.
    pub fn end(context: &Context) {
        let gone = KEPT.lock().unwrap_or_else(PoisonError::into_inner).remove(&address(context));
        drop(gone);
    }

    /// The manager of a pipeline; it is not in the list until it is [`put`] back.
    pub(super) fn take(context: &Context, pipeline: &str) -> Option<PassManager<'static>> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        Some(kept.get_mut(&address(context))?.remove(pipeline)?.0)
    }

    pub(super) fn put(context: &Context, pipeline: &str, manager: PassManager<'static>) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        // Of a context without an owner that ends it, managers would outlive it.
        if let Some(own) = kept.get_mut(&address(context)).filter(|own| own.len() < MOST) {
            own.insert(pipeline.to_owned(), Idle(manager));
        }
    }
}

/// A pass, and the dialects without whose operations it changes nothing; none for a pass that always runs.
pub type PassFor = (&'static str, &'static [&'static str]);

/// Runs the passes over a module one after the other, except those that would find none of their operations: to set up a conversion
/// takes longer than to convert a small program.
///
/// # Errors
/// As [`run_pipeline`].
pub fn run_passes_for(
    context: &Context,
    module: &mut Module<'_>,
    passes: &[PassFor],
) -> Result<(), Diagnostic> {
    let mut present = None;
    for (pass, dialects) in passes {
        let present_now = present.get_or_insert_with(|| dialects_in(module_op(module)));
        if dialects.is_empty() || dialects.iter().any(|one| present_now.contains(*one)) {
            run_pipeline(context, module, &format!("builtin.module({pass})"))?;
            present = None;
        }
    }
    Ok(())
}

/// The dialects of all operations in `root`.
fn dialects_in(root: Op<'_>) -> BTreeSet<String> {
    let mut dialects: BTreeSet<String> = BTreeSet::new();
    root.walk(WalkOrder::Pre, &mut |op| {
        if !dialects.contains(op.dialect()) {
            dialects.insert(op.dialect().to_owned());
        }
    });
    dialects
}

// The names of MLIR's passes, of which only some are registered.
include!(concat!(env!("OUT_DIR"), "/passes.rs"));

/// Passes that Strata itself registers.
const OWN: &[&str] = &["strata-canonicalize", "strata-to-llvm"];

/// The names of the passes that pipelines may have.
pub fn pass_names(context: &Context) -> Vec<&'static str> {
    let is_registered = |name: &&'static str| {
        let manager = PassManager::new(context);
        let pipeline = format!("any({name})");
        let (parsed, _) = capture(context, || {
            parse_pass_pipeline(manager.as_operation_pass_manager(), &pipeline)
        });
        unknown_pass(&parsed.err().map(|error| error.to_string()).unwrap_or_default()).is_none()
    };
    UPSTREAM.iter().chain(OWN).copied().filter(is_registered).collect()
}

/// The name in a message of MLIR that says that there is no such pass.
pub fn unknown_pass(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("' does not refer to a registered pass")?;
    before.rsplit_once('\'').map(|(_, name)| name)
}

/// Folds views of buffers into the operations in `root` that read and write them: the patterns of MLIR's
/// `fold-memref-alias-ops` alone. The pass also simplifies regions, which takes longer than the patterns.
pub fn fold_memref_views(root: Op<'_>) {
    // SAFETY: the operation is alive.
    unsafe { strataFoldMemRefViews(root.to_raw()) }
}

fn failure(what: &str, otherwise: &str, reports: &[Captured]) -> Diagnostic {
    let report = reports.iter().find(|report| report.is_error);
    let diagnostic = bug(what, &report.map_or_else(|| otherwise.to_owned(), Captured::with_notes));
    match report.and_then(|report| report.location.clone()) {
        Some(location) => diagnostic.at(location),
        None => diagnostic,
    }
}

pub(crate) fn bug(what: &str, detail: &str) -> Diagnostic {
    Diagnostic::new(codes::S9003).reason(format!("{what}: {detail}"))
}
