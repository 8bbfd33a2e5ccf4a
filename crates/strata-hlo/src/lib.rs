//! Stage 10: one entry function of core StableHLO, simplified.
//!
//! ```text
//! func.func public @main(%x) { %0 = call @relu(%x) … }        func.func public @main(%x) {
//! func.func private @relu(%x) { … }                     =>      %0 = stablehlo.maximum %x, %zero
//! ```
//!
//! The order: composites become calls, because the inliner only handles calls; calls are inlined, because
//! simplification does not look through them; the entry's tuples are flattened after that, because no other
//! function uses them then; CHLO is expanded before simplification, because the resulting broadcasts are
//! mostly identities.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod contract;
mod counted;
mod emit;
mod entry;
mod expansion;
mod interop;
mod layout;
mod legality;
mod pattern;
mod precision;
mod simplification;
mod sizes;
#[cfg(test)]
mod tests;

pub use contract::{check, violations};
pub use interop::chlo_calls::express as express_chlo;
pub use legality::{Legality, legality};
pub use sizes::{LARGEST, Symbols};
use strata_diag::Diagnostic;
use strata_ir::{
    Context, Devices, Module, Op, OpKind, SPLIT, VALID, ZEROS, allow_excess_precision,
    allows_excess_precision, check_devices, entry, is_split, module_op, run_pipeline, timed, unit,
};
use strata_options::Options;
use strata_rewrite::{Pattern, apply_greedily, apply_to_present};
use strata_shapes::DIMS;
use strata_target::tuning::simplification::{MAX_REPEATED_DIMENSIONS, MAX_SPLIT_DIMENSIONS};

use crate::{
    entry::{asynchronous, symbols, tuples},
    expansion::{
        batch_norm, chlo, collective, dot_algorithm, einsum, narrow_sums, other_kinds, quantized,
        ragged_dot, ragged_exchange, rng, scan, top_k, zeta,
    },
    interop::{annotations, chlo_calls, custom_call, old_lapack, shards, xla_linear_algebra},
    simplification::{
        algebra, bits, broadcast, concatenate_splitting, control_flow, conv, diagonal, dot,
        dynamic, fold, fold_elementwise, fold_movement, gather, iota, joined_dims, known_indices,
        loop_invariant, loop_rows, loop_unrolling, repeated_indices, repeated_values, reshape,
        same_operand, scatter, short_rows, slice_pad, slices, softplus, transposed, windows,
    },
};

/// Marks a module whose work at some sizes is compared with that at others: it gets what objects for sizes up to a bound get.
pub const COMPARED: &str = "strata.compared";

/// The patterns of this stage, in the order in which they are registered.
pub const PATTERNS: &[&dyn Pattern] = &[
    &algebra::NeutralRight,
    &algebra::NeutralLeft,
    &algebra::SelectOfConstant,
    &algebra::Involution,
    &annotations::ShardingConstraint,
    &annotations::ShardingGroup,
    &annotations::ElementOfTuple,
    &annotations::CreateTokenUpgrade,
    &asynchronous::WaitBeforeMove,
    &asynchronous::WaitForNothing,
    &shards::ManualComputation,
    &batch_norm::ExpandInference,
    &batch_norm::ExpandTraining,
    &batch_norm::ExpandGrad,
    &broadcast::IdentityBroadcast,
    &broadcast::BroadcastOfBroadcast,
    &broadcast::BroadcastOfReshape,
    &broadcast::BroadcastOfJoined,
    &broadcast::BroadcastOfSplat,
    &broadcast::BroadcastUpgrade,
    &chlo::ExpandBroadcast,
    &chlo::ExpandBroadcastSelect,
    &chlo::ExpandConstant,
    &chlo::ExpandConstantLike,
    &chlo::ExpandSquare,
    &chlo::ExpandTan,
    &chlo::ExpandIsInf,
    &chlo_calls::RecomposeCall,
    &control_flow::KnownBranch,
    &control_flow::LoopWithoutTrips,
    &control_flow::LoopInvariant,
    &loop_unrolling::ShortLoop,
    &loop_invariant::InvariantOperation,
    &loop_rows::DotOfRows,
    &bits::NarrowSum,
    &bits::ShiftOfPredicate,
    &bits::ReshapeOfPredicate,
    &bits::CompareWithBoolean,
    &control_flow::DeadCarry,
    &control_flow::DeadCall,
    &control_flow::EmptyReduce,
    &custom_call::PlacementCall,
    &custom_call::ShapeAssertion,
    &custom_call::TupleCall,
    &custom_call::UninitialisedBuffer,
    &diagonal::SumOfDiagonal,
    &dot::DotOfTranspose,
    &dot::NarrowOperands,
    &dot::TransposeOfDot,
    &dynamic::SlidingSlice,
    &dynamic::StaticShapeOperand,
    &dynamic::StaticPad,
    &dynamic::StaticSlice,
    &dynamic::StaticGather,
    &dynamic::StaticConvolution,
    &dynamic::FullDimension,
    &dynamic::ShorterDimension,
    &dot_algorithm::ResolveAlgorithm,
    &einsum::ExpandEinsum,
    &einsum::ExpandUnaryEinsum,
    &einsum::ExpandIndexSelect,
    &fold::ReshapeOfConstant,
    &fold::MoveOfSplat,
    &fold::IdentityConvert,
    &fold::StaticDimensionSize,
    &fold_elementwise::FoldElementwise,
    &fold_movement::FoldPick,
    &fold_movement::FoldConcatenate,
    &fold_movement::FoldPad,
    &gather::GatherOfWindow,
    &gather::GatherOfRun,
    &gather::GatherOfRepeats,
    &iota::ConvertOfIota,
    &iota::ShiftOfIota,
    &known_indices::GatherAtKnown,
    &known_indices::ScatterAtKnown,
    &repeated_indices::GatherAtRepeated,
    &joined_dims::ReduceOfSpread,
    &joined_dims::ReduceOfSeparated,
    &joined_dims::ReduceByRows,
    &old_lapack::TypedLapack,
    &narrow_sums::Widen,
    &ragged_dot::ExpandRaggedDot,
    &ragged_exchange::RaggedExchange,
    // After what expands ragged dots and convolutions of known sizes.
    &other_kinds::ConvertSums,
    &conv::ConvolutionOfDilated,
    &conv::ConvolutionAtBorders,
    &reshape::IdentityReshape,
    &reshape::ReshapeOfReshape,
    &reshape::IdentityTranspose,
    &reshape::TransposeOfTranspose,
    &reshape::TransposeToReshape,
    &collective::CollectiveOfOne,
    &collective::PermuteOfOne,
    &collective::IdOfOne,
    &collective::GatherAlongFirst,
    &collective::ScatterAlongFirst,
    &collective::ExchangeAlongFirst,
    &collective::SumToReduction,
    &collective::ReductionOfNarrower,
    &collective::BroadcastFrom,
    &collective::ReduceForOne,
    &collective::GroupsOfMesh,
    &scatter::ScatterOfWindow,
    &same_operand::SameOperands,
    &same_operand::AbsorbingOperand,
    &same_operand::ShiftByZero,
    &same_operand::CompareOfSame,
    &same_operand::SelectOfSame,
    &same_operand::SelectByNot,
    &same_operand::ConvertOfConvert,
    &same_operand::PartOfComplex,
    &same_operand::ComplexOfParts,
    &scan::ExpandScan,
    &short_rows::ReduceOfShortRows,
    &short_rows::DotOfShortRows,
    &slice_pad::IdentitySlice,
    &slice_pad::IdentityPad,
    &slice_pad::IdentityConcatenate,
    &slice_pad::ConcatenateOfEmpty,
    &slice_pad::IdentityReverse,
    &slices::SliceOfSlice,
    &slices::SliceOfConcatenate,
    &slices::ConcatenateOfSlices,
    &slices::ConcatenateOfConcatenate,
    &slices::StaticDynamicSlice,
    &slices::FullUpdate,
    &slices::ReverseOfReverse,
    &softplus::TanhOfSoftplus,
    &softplus::ExponentialOfSoftplus,
    &top_k::ExpandTopK,
    &transposed::ReduceOfTransposed,
    &transposed::TransposeOfSpread,
    &transposed::BroadcastOfTranspose,
    &windows::WindowsApart,
    &windows::WindowsOfPadded,
    &xla_linear_algebra::LapackCall,
    &zeta::ExpandZeta,
    &zeta::ExpandPolygamma,
];

/// Those of them that write one operation as others, and round as it does: others leave out what rounds numbers, such as loops, branches
/// and slices.
const EXPANSIONS: &[&dyn Pattern] = &[
    &annotations::ShardingConstraint,
    &annotations::ShardingGroup,
    &shards::ManualComputation,
    &batch_norm::ExpandInference,
    &batch_norm::ExpandTraining,
    &batch_norm::ExpandGrad,
    &broadcast::BroadcastUpgrade,
    &chlo::ExpandBroadcast,
    &chlo::ExpandBroadcastSelect,
    &chlo::ExpandConstant,
    &chlo::ExpandConstantLike,
    &chlo::ExpandSquare,
    &chlo::ExpandTan,
    &chlo::ExpandIsInf,
    &chlo_calls::RecomposeCall,
    &dynamic::StaticShapeOperand,
    &dot_algorithm::ResolveAlgorithm,
    &einsum::ExpandEinsum,
    &einsum::ExpandUnaryEinsum,
    &einsum::ExpandIndexSelect,
    &fold::IdentityConvert,
    &narrow_sums::Widen,
    &scan::ExpandScan,
    &top_k::ExpandTopK,
    &zeta::ExpandZeta,
    &zeta::ExpandPolygamma,
];

/// The pattern of this stage that removes operations of a kind: the first that matches them, if no later
/// stage lowers them.
pub fn taken_by(kind: OpKind) -> Option<&'static str> {
    match kind {
        OpKind::Return => Some("the region's operation"),
        OpKind::Composite => Some("inlining"),
        OpKind::SdyMesh => Some("dropping of meshes"),
        OpKind::SdyAllGather
        | OpKind::SdyAllReduce
        | OpKind::SdyAllSlice
        | OpKind::SdyAllToAll
        | OpKind::SdyCollectivePermute
        | OpKind::SdyConstant
        | OpKind::SdyNamedComputation
        | OpKind::SdyReduceScatter
        | OpKind::SdyReplicatedToUnreduced
        | OpKind::SdyShardedToUnreduced => Some("reading of shardings"),
        OpKind::UniformDequantize | OpKind::UniformQuantize => Some("expansion to integers"),
        _ => {
            let pattern = PATTERNS.iter().find(|pattern| pattern.roots().contains(&kind));
            pattern.map(|pattern| pattern.name())
        }
    }
}

/// What the sizes of the entry's inputs depend on; `None` if all sizes of the program are static.
///
/// # Errors
/// `S1006`, `S1007`, `S1010` for the entry.
pub fn symbols_of<'c>(
    module: &Module<'c>,
    options: &Options,
) -> Result<Option<Symbols>, Diagnostic> {
    let func = entry(module, options.entry.as_deref())?;
    let is_asked =
        !options.bind.is_empty() || !options.bounds.is_empty() || options.input_shapes.is_some();
    let is_open = is_asked || sizes::has_unknown_sizes(module_op(module));
    Ok(is_open.then(|| Symbols::of(module, func)))
}

/// Finds out what is known of the sizes where the options leave symbols open: the entry gets it as an attribute
/// ([`DynamicShapes`](strata_shapes::DynamicShapes)), and none where all sizes are given. `has_rows` says whether one of several symbols
/// that have bounds may be a number of rows. The module is changed otherwise, too, and is of no further use.
///
/// # Errors
/// As [`run`]; `S1101` for symbols that cannot stay open.
pub fn open<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
    has_rows: bool,
) -> Result<(), Diagnostic> {
    let Some((symbols, func)) = one_function(context, module, options)? else { return Ok(()) };
    if let Some(shapes) = sizes::open(context, func, &symbols, options, has_rows)? {
        shapes.set(context, func);
    }
    Ok(())
}

/// The same for the sizes of symbols up to the bounds of the options, all of which have one or a value.
///
/// # Errors
/// As [`run`]; `S1101` at an operation that cannot be computed for these sizes.
pub fn open_up_to<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    match one_function(context, module, options)? {
        Some((symbols, func)) => sizes::pad(context, func, &symbols, options),
        None => Ok(()),
    }
}

/// The symbols of the program, and its entry with all calls inlined; `None` if all sizes are static.
fn one_function<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<Option<(Symbols, Op<'c>)>, Diagnostic> {
    drop_claims(module);
    let Some(symbols) = symbols_of(module, options)? else { return Ok(None) };
    symbols::inline_all(context, module, options)?;
    asynchronous::run_in_order(context, module_op(module), false);
    let func = entry(module, options.entry.as_deref())?;
    tuples::flatten(context, func);
    Ok(Some((symbols, func)))
}

/// Gives every value of the entry, with all calls inlined, the sharding that follows from those that the program names: a pass on its
/// own, to look at what is propagated.
///
/// # Errors
/// `S1006`, `S1007`, `S1010` for the entry; `S1201` for a call that cannot be inlined; `S1103` for shardings that cannot be read or do
/// not fit their values.
pub fn propagate_shardings<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    strata_sharding::gspmd::read(context, module)?;
    strata_sharding::exchanges::read(context, module);
    symbols::inline_all(context, module, options)?;
    strata_sharding::propagate(context, module).map(|_| ())
}

/// What is known of sizes, and of what callers give and read, follows from the program, which must not claim it.
fn drop_claims(module: &Module<'_>) {
    let claims = [VALID, ZEROS, DIMS];
    for func in module_op(module).collect(|op| claims.iter().any(|claim| op.has_attr(claim))) {
        for claim in claims {
            func.remove_attr(claim);
        }
    }
}

/// Runs the stage.
///
/// # Errors
/// `S1107` for a number of devices that is none, `S1101` for inputs of unknown size, `S1106` for sizes that contradict the program; `S1006`, `S1007`, `S1010` for the entry; `S1201` for a call that cannot be inlined and for random numbers
/// that cannot be drawn.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    drop_claims(module);
    if options.excess_precision {
        allow_excess_precision(context, module);
    }
    let keeps_digits = allows_excess_precision(module);
    Devices::declared(module_op(module))?;
    strata_sharding::gspmd::read(context, module)?;
    strata_sharding::exchanges::read(context, module);
    check_devices(module)?;
    let is_split = is_split(module);
    if is_split {
        module_op(module).set_attr(SPLIT, unit(context));
        annotations::constrain(context, module_op(module));
    }
    collective::name_program(context, module);
    // Calls name what they pass: before they are inlined.
    let sizes = symbols_of(module, options)?;
    timed("inlining", || symbols::inline_all(context, module, options))?;
    timed("expansion", || {
        asynchronous::run_in_order(context, module_op(module), sizes.is_none() && !is_split);
        let func = entry(module, options.entry.as_deref())?;
        tuples::flatten(context, func);
        let has_calls = match &sizes {
            Some(_) => true,
            None => sizes::resolve_calls(context, func)?,
        };
        if let Some(sizes) = &sizes {
            match options.bounds.is_empty() {
                true => sizes::resolve(context, func, sizes, options)?,
                false => sizes::pad(context, func, sizes, options)?,
            }
            if let Some(error) = sizes::unbound(func, &sizes.bound(&options.bind)) {
                return Err(error);
            }
            sizes::mask(context, func, sizes, options)?;
        }
        if has_calls {
            // Calls that named functions have become operations.
            run_pipeline(context, module, "builtin.module(symbol-dce)")?;
        }
        let func = entry(module, options.entry.as_deref())?;
        collective::fill_left_out(context, func)?;
        quantized::expand(context, func)?;
        quantized::contract(context, func);
        sizes::declared::assert_drawn(context, func)?;
        rng::expand(context, func)
    })?;
    if keeps_digits {
        // Which numbers keep their digits follows from the program as it is, not from what patterns make of it.
        timed("expansion", || apply_to_present(context, module_op(module), EXPANSIONS))?;
        let func = entry(module, options.entry.as_deref())?;
        timed("excess precision", || precision::keep_digits(context, func));
    }
    simplify(context, module, options.in_process)?;
    if sizes::declared::settle(context, entry(module, options.entry.as_deref())?)? {
        simplify(context, module, options.in_process)?;
    }
    if is_split {
        return canonicalize(context, module);
    }
    symbols::drop_shardings(context, module);
    canonicalize(context, module)?;
    lay_out(context, module, options)
}

/// Chooses the layouts of values, once nothing else changes which operations there are.
fn lay_out<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let func = entry(module, options.entry.as_deref())?;
    if timed("layouts", || layout::choose(context, func)) {
        simplify(context, module, options.in_process)?;
        canonicalize(context, module)?;
    }
    Ok(())
}

/// Simplifies a program of this stage's contract that another stage has changed, and names it if it now exchanges values between
/// devices.
///
/// # Errors
/// Those of a pattern: bugs.
pub fn resume<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    collective::name_program(context, module);
    canonicalize(context, module)?;
    simplify(context, module, false)?;
    canonicalize(context, module)?;
    lay_out(context, module, options)
}

fn canonicalize<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), Diagnostic> {
    let pipeline = "builtin.module(strata-canonicalize{programs=hlo regions=false},cse)";
    run_pipeline(context, module, pipeline)
}

fn simplify<'c>(
    context: &'c Context,
    module: &Module<'c>,
    client_waits: bool,
) -> Result<(), Diagnostic> {
    let simplify = || match client_waits {
        true => apply_to_present(context, module_op(module), PATTERNS),
        false => apply_greedily(context, module_op(module), PATTERNS).map(drop),
    };
    timed("patterns", simplify)?;
    // Once per dimension along which values are the same.
    for _ in 0..MAX_REPEATED_DIMENSIONS {
        if !timed("once", || repeated_values::compute_once(context, module_op(module))) {
            break;
        }
        timed("patterns", simplify)?;
    }
    // Once per dimension of concatenation; after the patterns, which expose concatenations.
    for _ in 0..MAX_SPLIT_DIMENSIONS {
        if !timed("parts", || concatenate_splitting::compute_by_parts(context, module_op(module))) {
            break;
        }
        timed("patterns", simplify)?;
    }
    Ok(())
}
