//! Stage 40, `affine`: from tensors to buffers.
//!
//! Before:
//! ```mlir
//! func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {strata.entry}
//! ```
//! After:
//! ```mlir
//! func.func @main(%x: memref<4xf32>, %out: memref<4xf32>, %workspace: memref<0xi8>)
//!     attributes {strata.entry, strata.workspace_size = 0 : i64}
//! ```
//! Results are written in place into the output arguments, inputs are never written unless they are
//! donated, constants are globals, and every temporary is a view of `%workspace` at a fixed offset.

mod accumulators;
mod arena;
mod boundary;
mod branches;
mod calls;
mod carried;
mod clobbers;
mod contract;
mod copies;
mod destinations;
mod donation;
mod forwarding;
mod kernels;
mod liveness;
mod offsets;
mod panels;
pub mod plan;
mod reductions;
mod rotation;
mod state;

use strata_diag::Diagnostic;
use strata_ir::{
    Context, Module, Op, Options, TypeExt as _, marked_entry, module_op, run_pipeline, verify,
};

pub(crate) use accumulators::is_view;
pub use contract::check;
use plan::PlanReport;

use crate::views;

/// Runs the stage on a module at the end of stage `schedule`.
///
/// # Errors
/// `S9002` or `S9003` when the module is not what the stage expects or a pass fails: our bug.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    run_reported(context, module, options).map(|_| ())
}

/// As [`run`], with a report on the memory plan.
///
/// # Errors
/// As [`run`].
pub fn run_reported<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<PlanReport, Diagnostic> {
    let function = marked_entry(module)?;
    boundary::take_buffers(context, function)?;
    // Own empties first, because the elimination below mishandles one that two operations share.
    destinations::split_empties(context, function);
    let assembled = destinations::assemble_outputs(context, function);
    destinations::hoist_empties(function);
    // Before the elimination, which lets the first content be computed where the loop wants it.
    state::expose(context, function);
    verify(context, module, "affine")?;
    let mut known = clobbers::tensors_of_buffers(function);
    // What parts are put together in must not be overwritten early either.
    known.retain(|op| !assembled.contains(op));
    // Elimination before in-place reuse, because a result's destination is the output argument
    // where that is possible.
    run_pipeline(context, module, "builtin.module(func.func(eliminate-empty-tensors))")?;
    let function = marked_entry(module)?;
    clobbers::move_out(context, function, &known);
    destinations::reuse_operands(function);
    donation::reuse_inputs(function);
    // Right in front of bufferization: until then a call is an operation on values.
    calls::take_buffers(context, module_op(module), function)?;
    // No buffer may leave a loop in the end, but `carried` copies only where it must: bufferization
    // itself would refuse the program.
    run_pipeline(
        context,
        module,
        "builtin.module(one-shot-bufferize{allow-return-allocs-from-loops=true \
         buffer-alignment=64})",
    )?;
    let function = marked_entry(module)?;
    carried::settle(context, function)?;
    // CSE before canonicalization, because copies of a buffer onto itself show only then.
    run_pipeline(context, module, "builtin.module(func.func(cse,canonicalize))")?;
    views::fold(context, module)?;
    run_pipeline(context, module, "builtin.module(func.func(cse,canonicalize))")?;
    let function = marked_entry(module)?;
    // Behind the clean-up, which shows what is a view of what.
    donation::overwrite(function);
    forwarding::between_temporaries(function);
    rotation::rotate(context, function);
    // Behind rotation, because outputs of the program cannot change roles.
    forwarding::to_outputs(function);
    donation::settle(context, function);
    calls::write_outputs(module_op(module), function);
    copies::expand_strided(context, function);
    verify(context, module, "affine")?;
    run_pipeline(context, module, "builtin.module(func.func(linalg-generalize-named-ops))")?;
    let function = marked_entry(module)?;
    reductions::relax(context, function);
    reductions::innermost_parallel(context, function);
    // Run-time sizes within `scf` loops are no affine symbols, so such functions get `scf` loops.
    let loops = if has_dynamic_nests(function) {
        "convert-linalg-to-loops"
    } else {
        "convert-linalg-to-affine-loops"
    };
    run_pipeline(context, module, &format!("builtin.module(func.func({loops},canonicalize,cse))"))?;
    let function = marked_entry(module)?;
    accumulators::promote(context, function);
    panels::interleave(context, function);
    let report = arena::place(context, function)?;
    // Last, because which temporaries share memory is known only now.
    kernels::outline(context, module, function, options)?;
    Ok(report)
}

fn has_dynamic_nests(root: Op<'_>) -> bool {
    !root
        .collect(|op| {
            op.dialect() == "linalg"
                && op
                    .operands()
                    .iter()
                    .any(|value| value.ty().is_memref_type() && !value.ty().has_static_shape())
        })
        .is_empty()
}
