//! Stage 20: StableHLO to linalg on tensors.
//!
//! Every operation of the entry function is visited once, in order, and rebuilt from linalg, tensor,
//! arith, math, complex and scf. One module per family of operations; the families are those of
//! `dialects/stablehlo/ops/`. The element types before lowering carry the signedness that signless types lose: it is resolved
//! here.
//!
//! `lowerings` has those modules, `algorithms` those with loops of their own (transforms, sorts, factorisations), `numbers`
//! scalar arithmetic.
//!
//! * Types narrower than a byte and floats of 8 bits become bytes before anything else: `narrow`.
//! * Pointwise operations, one table row each: `elementwise`, `compare_select`, `convert`; read
//!   through broadcasts: `pointwise`.
//! * Scalar regions, as in reductions and windows, are inlined: `scalar`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod algorithms;
mod dims;
mod donation;
mod emit;
mod generic;
mod loops;
mod lowerings;
mod masked;
mod numbers;
mod pointwise;
mod prepared;
mod scalar;
#[cfg(test)]
mod tests;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Context, DEVICES, Devices, Module, PROGRAM, TypeExt as _, WalkOrder,
    diagnostic_at, entry, function_types, i64s, marked_entry, module_op, program_names,
    record_names, record_signature, run_pipeline, timed,
};
use strata_options::Options;
use strata_rewrite::{Lowering, leftover_operations, lower_function};

use crate::{
    algorithms::{fft, linear_algebra, rng, sort},
    lowerings::{
        collective, compare_select, constant_iota, control_flow, conv,
        convert::{self, bitcast},
        custom_call, dot, dynamic, elementwise,
        gather_scatter::{gather, scatter},
        host_io, reduce,
        shape::{self, pad, reshape},
        tuple_token,
        window::{self, select_and_scatter},
    },
    numbers::narrow,
};

/// All lowerings, in the order in which they are tried.
pub const LOWERINGS: &[&dyn Lowering] = &[
    &elementwise::Elementwise,
    &elementwise::NextAfter,
    &compare_select::CompareSelect,
    &convert::Convert,
    &bitcast::BitcastWidth,
    &constant_iota::Constant,
    &constant_iota::Iota,
    &reshape::Reshape,
    &shape::Broadcast,
    &shape::Transpose,
    &shape::Slice,
    &shape::Concatenate,
    &shape::reverse::Reverse,
    &pad::Pad,
    &dynamic::DynamicSlice,
    &dynamic::DynamicUpdateSlice,
    &dot::Dot,
    &conv::Convolution,
    &reduce::Reduce,
    &reduce::Map,
    &window::ReduceWindow,
    &gather::Gather,
    &scatter::Scatter,
    &select_and_scatter::SelectAndScatter,
    &sort::Sort,
    &fft::Fft,
    &rng::RngBitGenerator,
    &linear_algebra::Cholesky,
    &linear_algebra::TriangularSolve,
    &custom_call::CustomCall,
    &host_io::HostTransfer,
    &collective::Collective,
    &collective::DeviceId,
    &tuple_token::Token,
    &control_flow::While,
    &control_flow::If,
    &control_flow::Case,
    &control_flow::PassThrough,
];

/// Those that come before [`LOWERINGS`] where a client waits for the compilation: they make less code.
pub const BRIEF_LOWERINGS: &[&dyn Lowering] = &[&sort::BriefSort];

/// The dialects allowed after the stage.
const TARGET_DIALECTS: &[&str] =
    &["arith", "builtin", "complex", "func", "linalg", "math", "narrow", "scf", "tensor"];

/// Lowers the entry function to linalg on signless tensors and records its original types on it.
///
/// # Errors
/// `S1201` for an operation that no lowering applies to, `S9001` for a panic in a lowering.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let func = entry(module, options.entry.as_deref())?;
    let marked = prepared::marked(func, options)?;
    tuple_token::leave_signature(context, func);
    let ty = func.attr("function_type").and_then(|attr| attr.as_type());
    let (inputs, outputs) = ty.and_then(function_types).unwrap_or_default();
    let original = tuple_token::recorded(func);
    let donated = donation::pairs(func, &inputs, &outputs);
    let names = program_names(func, inputs.len(), outputs.len());
    let wanted = prepared::inputs(func, marked, (&names, &donated), options)?;
    timed("narrow types", || narrow::resolve(context, func));
    let brief = if options.in_process { BRIEF_LOWERINGS } else { &[] };
    let lowerings = [brief, LOWERINGS].concat();
    let func = timed("lowerings", || {
        lower_function(context, func, &lowerings, &options.target, |ty| {
            tuple_token::converted(context, ty)
        })
    })?;
    let (inputs, outputs) = original.unwrap_or((inputs, outputs));
    record_signature(context, func, &inputs, &outputs);
    if !options.is_specialization {
        donation::record(context, func, &donated);
    }
    record_names(context, func, &names);
    prepared::record(context, func, &wanted);
    if module_op(module).has_attr(PROGRAM) {
        let Devices { replicas, partitions } = Devices::of(func);
        func.set_attr(DEVICES, i64s(context, &[replicas, partitions]));
    }
    // Broadcasts and constants that all readers looked through are dead now. No common subexpression elimination: it would
    // merge destinations that must be separate later.
    run_pipeline(context, module, "builtin.module(func.func(strata-canonicalize{programs=nests}))")
}

/// All operations that no lowering applies to, in program order. The module is unusable afterwards.
///
/// # Errors
/// As [`run`], except for operations that no lowering applies to.
pub fn unsupported<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let func = entry(module, options.entry.as_deref())?;
    tuple_token::leave_signature(context, func);
    narrow::resolve(context, func);
    leftover_operations(context, func, LOWERINGS, &options.target, |ty| {
        tuple_token::converted(context, ty)
    })
}

/// The contract of the stage: target dialects only, no signed or unsigned integer type.
///
/// # Errors
/// `S9002` for the first operation that violates it.
pub fn check(module: &Module<'_>, _options: &Options) -> Result<(), Diagnostic> {
    marked_entry(module)?;
    let mut broken = None;
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        let values = op.results().into_iter().chain(op.operands());
        let types = values.chain(blocks.flat_map(|block| block.args())).map(|value| value.ty());
        let types: Vec<_> = types.collect();
        let reason = if !TARGET_DIALECTS.contains(&op.dialect()) {
            "an operation of another dialect is left"
        } else if types.iter().any(|ty| ty.is_memref_type()) {
            "there is a buffer, but buffers are assigned later"
        } else if types.iter().any(|ty| narrow::storage(*ty) != *ty) {
            "a type with a sign, or narrower than a byte, is left"
        } else {
            return;
        };
        broken.get_or_insert_with(|| diagnostic_at(codes::S9002, op).reason(reason));
    });
    broken.map_or(Ok(()), Err)
}
