//! Stage 10: one entry function of core StableHLO, simplified.
//!
//! ```text
//! func.func public @main(%x) { %0 = call @relu(%x) … }        func.func public @main(%x) {
//! func.func private @relu(%x) { … }                     =>      %0 = stablehlo.maximum %x, %zero
//! ```
//!
//! The order: composites become calls, because the inliner knows only calls; calls are inlined,
//! because simplification does not look through them; CHLO is expanded before simplification,
//! because the broadcasts it leaves are mostly identities.
#![deny(missing_docs)]

mod chlo;
mod contract;
mod convert;
mod program;
mod shape;

pub use contract::check;
use strata_diag::Diagnostic;
use strata_ir::{Context, Module, Options, module_op, run_pipeline};
use strata_rewrite::{Pattern, apply_greedily};

/// The patterns of this stage, in the order in which they are registered.
pub const PATTERNS: &[&dyn Pattern] = &[
    &chlo::ExpandBroadcast,
    &chlo::ExpandBroadcastSelect,
    &chlo::ExpandConstant,
    &chlo::ExpandConstantLike,
    &chlo::ExpandSquare,
    &chlo::ExpandTan,
    &chlo::ExpandIsInf,
    &convert::DropIdentityConvert,
    &shape::DropIdentityBroadcast,
    &shape::DropIdentityReshape,
    &shape::DropIdentitySlice,
    &shape::DropIdentityTranspose,
    &shape::FoldSplat,
    &shape::MergeBroadcasts,
    &shape::MergeReshapes,
    &shape::MergeTransposes,
    &shape::ReshapeConstant,
    &shape::TransposeToReshape,
    &shape::UnwrapConcatenate,
];

/// Runs the stage.
///
/// # Errors
/// `S1006`, `S1007`, `S1010` for the entry; `S1201` for a call that cannot be inlined.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    program::isolate_entry(context, module, options)?;
    program::composites_to_calls(context, module);
    program::inline_calls(context, module)?;
    apply_greedily(context, module_op(module), PATTERNS)?;
    run_pipeline(context, module, "builtin.module(canonicalize{region-simplify=disabled},cse)")
}
