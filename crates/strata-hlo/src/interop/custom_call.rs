//! Custom calls: those without meaning for one device, tuple results, and targets that cannot be linked functions.
//!
//! ```text
//! custom_call @Sharding(x)                  → x
//! custom_call @shape_assertion(true, …)     →
//! custom_call @stablehlo.shape_refinement_operand_wrapper(x, its shape) → x
//! custom_call @f(x) : tuple<a, b>           → tuple(custom_call @f(x) : a, b)
//! custom_call @f(x) : tuple<a, tuple<b, c>> → tuple(p, tuple(q, r)), where p, q, r = custom_call @f(x) : a, b, c
//! custom_call @AllocateBuffer()             → zeros
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, CONDITION, Op, OpKind, TypeExt as _, Value, diagnostic_at, i64s, is_ragged,
    stablehlo, tuple_types, unit,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    entry::tuples,
    expansion::ragged_exchange,
    interop::{callbacks, known_targets},
    pattern::{constant, defined_by, patterns},
    sizes::declared,
};

/// Targets that specify placement or layout of a value.
const PLACEMENT: &[&str] = &[
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "LayoutConstraint",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
];

/// Prefixes of targets that call back into the exporting process.
const CALLBACKS: &[&str] =
    &["xla_python_", "xla_ffi_python_", "xla_ffi_partitioned_python_", "xla_buffer_python_"];

/// Marks a call whose result was a tuple: the target gets an array of buffers. For nested tuples it records, for each value,
/// outermost first, the number of its elements, -1 for a tensor.
const TUPLE: &str = "strata.tuple";

patterns! {
    /// Placement is irrelevant for one device.
    PlacementCall = "placement-call" on [CustomCall] by placement;
    /// A shape assertion that is known to hold.
    ShapeAssertion = "shape-assertion" on [CustomCall] by shape_assertion;
    /// A value of known shape whose shape is asserted.
    ShapeWrapper = "shape-wrapper" on [CustomCall] by shape_wrapper;
    /// Several results in place of a tuple of them.
    TupleCall = "tuple-call" on [CustomCall] by tuple_call;
    /// Uninitialised elements: zeros, for determinism.
    UninitialisedBuffer = "uninitialised-buffer" on [CustomCall] by uninitialised;
}

/// The target's name.
pub(crate) fn target(op: Op<'_>) -> &str {
    op.attr("call_target_name").and_then(|name| name.as_str()).unwrap_or_default()
}

fn placement<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    PLACEMENT.contains(&target(op)).or_decline("the call computes something")?;
    (op.operand_count() == 1 && op.result_count() == 1).or_decline("it has several values")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the value is split over devices")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn shape_assertion<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (target(op) == "shape_assertion").or_decline("it is another call")?;
    (op.result_count() == 0 && op.operand_count() > 0).or_decline("it has no condition")?;
    let condition = defined_by(op.operand(0), OpKind::Constant)?.attr("value");
    let elements = condition.and_then(|value| value.raw_elements()).unwrap_or_default();
    (elements == [1]).or_decline("the condition does not hold")?;
    rewriter.erase();
    Ok(())
}

fn shape_wrapper<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let is_wrapper = target(op) == "stablehlo.shape_refinement_operand_wrapper";
    is_wrapper.or_decline("it is another call")?;
    (op.operand_count() > 0 && op.result_count() == 1).or_decline("it has other values")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the shape is not known")?;
    declared::agree(op)?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn tuple_call<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.result_count() == 1).or_decline("it has several results")?;
    let tuple = op.result(0).ty();
    let types = tuple_types(tuple).or_decline("its result is not a tuple")?;
    let nested = types.iter().any(|ty| tuple_types(*ty).is_some());
    let builder = rewriter.builder();
    let mark = match nested {
        true => i64s(builder.context, &tuples::arities(tuple)),
        false => unit(builder.context),
    };
    let call = builder
        .op(stablehlo::CUSTOM_CALL)
        .operands(&op.operands())
        .attrs(&op.attrs())
        .attr(TUPLE, mark)
        .results(&tuples::leaves(tuple))
        .build();
    let value = tuples::packed(&builder, tuple, &mut call.results().into_iter());
    rewriter.replace(&[value.or_decline("the results do not fill the tuple")?]);
    Ok(())
}

fn uninitialised<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (target(op) == "AllocateBuffer").or_decline("it is another call")?;
    (op.operand_count() == 0 && op.result_count() == 1).or_decline("it has other values")?;
    let ty = op.result(0).ty();
    (ty.is_tensor_type() && ty.has_static_shape()).or_decline("the shape is not static")?;
    let zeros = rewriter.builder().zeros(ty)?;
    rewriter.replace(&[zeros]);
    Ok(())
}

/// The error for an unsupported call.
pub(crate) fn refused(op: Op<'_>, reason: String) -> Diagnostic {
    diagnostic_at(codes::S1202, op).reason(reason)
}

/// A shape assertion that is not known to hold. `{0}` in its message is the first operand after the condition, and so on.
fn failed_assertion(op: Op<'_>) -> Diagnostic {
    let number = |value: Value<'_>| {
        let numbers = constant(value).ok().and_then(|held| held.as_i64s());
        numbers.and_then(|numbers| numbers.first().copied())
    };
    let message = op.attr("error_message").and_then(|text| text.as_str()).unwrap_or_default();
    let mut message = message.to_owned();
    for (index, value) in op.operands().into_iter().skip(1).enumerate() {
        if let Some(number) = number(value) {
            message = message.replace(&format!("{{{index}}}"), &number.to_string());
        }
    }
    match op.operands().first().is_some_and(|condition| constant(*condition).is_ok()) {
        true => refused(op, format!("a shape assertion does not hold: {message}")),
        false => diagnostic_at(codes::S1101, op)
            .reason(format!("a shape assertion cannot be decided at compile time: {message}"))
            .hint("export the program with static shapes"),
    }
}

/// Whether a linked function can be the call's target.
///
/// # Errors
/// `S1202` if it cannot, `S1103` if it is for several devices.
pub fn check(op: Op<'_>) -> Result<(), Diagnostic> {
    let target = target(op);
    let refused = |reason: String| refused(op, reason);
    if CALLBACKS.iter().any(|callback| target.starts_with(callback)) {
        return Err(callbacks::refused(op, target));
    }
    if PLACEMENT.contains(&target) {
        return Err(diagnostic_at(codes::S1103, op)
            .reason(format!("`{target}` splits values over several devices"))
            .hint("export the program for one device"));
    }
    if target == "shape_assertion" {
        return if op.has_attr(CONDITION) { Ok(()) } else { Err(failed_assertion(op)) };
    }
    if is_ragged(op) {
        return ragged_exchange::check(op);
    }
    if let Some(error) = known_targets::refused(op, target) {
        return Err(error);
    }
    let called = op.attr("called_computations").and_then(|called| called.as_array());
    if called.is_some_and(|called| !called.is_empty()) {
        return Err(refused(format!(
            "`{target}` takes functions of the program, which cannot be passed to a linked function"
        ))
        .hint("write the computation in StableHLO"));
    }
    let is_word = |part: &str| part.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if target.is_empty()
        || target.starts_with(|first: char| first.is_ascii_digit())
        || !is_word(target)
    {
        return Err(refused(format!(
            "`{target}` is not a C identifier, so no function of that name can be linked"
        ))
        .hint("rename the target: letters, digits and `_` only"));
    }
    let values = op.operands().into_iter().chain(op.results());
    match values.map(|value| value.ty()).find(|ty| !ty.is_tensor_type()) {
        Some(ty) => Err(refused(format!("a `{ty}` cannot be passed to `{target}`"))),
        None => Ok(()),
    }
}
