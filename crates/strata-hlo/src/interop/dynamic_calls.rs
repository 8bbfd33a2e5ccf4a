//! Custom calls that stand for operations whose attributes are computed, as JAX exports them with symbolic shapes: the operations,
//! once the attributes are constants.
//!
//! ```text
//! custom_call @stablehlo.dynamic_reduce_window(x, init, sizes, strides, base, window, padding) {called_computations = [@f]}
//!   => reduce_window(x, init) { the body of @f }
//! custom_call @stablehlo.dynamic_rng_bit_generator(state, shape)  => rng_bit_generator(state)
//! custom_call @stablehlo.dynamic_top_k(x, k)                      => chlo.top_k(x, k)
//! ```

use std::collections::HashMap;

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Op, TypeExt as _, Value, capture, chlo, func, i64s, int,
    integer, parse_attr, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    interop::custom_call::target,
    pattern::{constant, patterns},
    sizes::{declared, sizes_of},
};

patterns! {
    /// The operation that the call stands for, with its attributes.
    DynamicCall = "dynamic-call" on [CustomCall] by dynamic_call;
}

/// Operands of a window: sizes, strides, dilations of operand and window, padding.
const WINDOW: usize = 5;

fn dynamic_call<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    match target(op) {
        "stablehlo.dynamic_reduce_window" => reduce_window(op, rewriter),
        "stablehlo.dynamic_rng_bit_generator" => random_bits(op, rewriter),
        "stablehlo.dynamic_top_k" => top_k(op, rewriter),
        _ => Err("the call does not stand for an operation".into()),
    }
}

fn integers(value: Value<'_>) -> Outcome<Vec<i64>> {
    constant(value)?.as_i64s().or_decline("the constant holds no integers")
}

/// The function that the call names.
fn computation<'c>(op: Op<'c>) -> Outcome<Op<'c>> {
    let names = op.attr("called_computations").and_then(|names| names.as_array());
    let name = match names.as_deref() {
        Some([one]) => one.as_symbol(),
        _ => None,
    };
    let name = name.or_decline("the call names no function")?;
    let mut root = op;
    while let Some(parent) = root.parent() {
        root = parent;
    }
    let is_named = |op: &Op<'c>| op.is(func::FUNC) && strata_ir::function_name(*op) == name;
    root.body(0).ops().into_iter().find(is_named).or_decline("there is no such function")
}

fn reduce_window<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let builder = rewriter.builder();
    let new = window(op, &builder)?;
    let (is_valid, _) = capture(builder.context, || new.verify());
    if !is_valid {
        new.erase();
        return Err("its sizes contradict its types".into());
    }
    rewriter.replace(&builder.insert(new).results());
    Ok(())
}

/// What the verifier says of the operation that a call with constant attributes stands for; `None` if it is right.
pub fn contradiction<'c>(op: Op<'c>, builder: &Builder<'c>) -> Option<String> {
    let is_window = target(op) == "stablehlo.dynamic_reduce_window";
    let new = is_window.then(|| window(op, builder).ok()).flatten()?;
    let (is_valid, reports) = capture(builder.context, || new.verify());
    new.erase();
    let report = reports.into_iter().find(|report| report.is_error && !is_valid);
    report.map(|report| report.message)
}

/// The window, which has no place yet.
fn window<'c>(op: Op<'c>, builder: &Builder<'c>) -> Outcome<Op<'c>> {
    let operands = op.operands();
    let count = op.result_count();
    let fits = operands.len() == 2 * count + WINDOW && count > 0;
    fits.or_decline("the number of operands is wrong")?;
    let (values, window) = operands.split_at(2 * count);
    let lists = window.iter().map(|list| integers(*list)).collect::<Outcome<Vec<_>>>()?;
    let body = computation(op)?.region(0).first_block().or_decline("the function has no body")?;
    let padding = padding(builder.context, &lists[4]).or_decline("the padding has no elements")?;
    let types: Vec<_> = body.args().into_iter().map(|argument| argument.ty()).collect();
    let region = builder.region(&types, |inner, args| {
        let mut known: HashMap<_, _> = body.args().into_iter().zip(args.iter().copied()).collect();
        let returned = inner.copy_body(body, &mut known);
        inner.op(stablehlo::RETURN).operands(&returned).build();
    });
    let names = ["window_dimensions", "window_strides", "base_dilations", "window_dilations"];
    let mut new = builder.op(stablehlo::REDUCE_WINDOW).operands(values).attr("padding", padding);
    for (name, list) in names.into_iter().zip(&lists) {
        new = new.attr(name, i64s(builder.context, list));
    }
    Ok(new.results(&op.result_types()).region(region).build_detached())
}

/// Pairs of padding before and after.
fn padding<'c>(context: &'c strata_ir::Context, list: &[i64]) -> Option<Attribute<'c>> {
    let pairs = list.chunks(2).collect::<Vec<_>>();
    parse_attr(context, &format!("dense<{pairs:?}> : tensor<{}x2xi64>", pairs.len()))
}

fn random_bits<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand_count() == 2 && op.result_count() == 2).or_decline("it has other values")?;
    let shape = sizes_of(op.operand(1))?;
    declared::agree(op)?;
    let algorithm = op.attr("rng_algorithm").or_decline("attribute `rng_algorithm` is missing")?;
    let bits = tensor(&shape, op.result(1).ty().element());
    let new = rewriter
        .builder()
        .op(stablehlo::RNG_BIT_GENERATOR)
        .operand(op.operand(0))
        .attr("rng_algorithm", algorithm)
        .results(&[op.operand(0).ty(), bits])
        .build();
    rewriter.replace(&new.results());
    Ok(())
}

fn top_k<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand_count() == 2 && op.result_count() == 2).or_decline("it has other values")?;
    let k = sizes_of(op.operand(1))?;
    declared::agree(op)?;
    let k = *k.first().or_decline("there is no `k`")?;
    let builder = rewriter.builder();
    let mut shape = op.operand(0).ty().shape().or_decline("the operand has no rank")?;
    *shape.last_mut().or_decline("the operand has no dimension")? = k;
    let types = op.results().into_iter().map(|result| tensor(&shape, result.ty().element()));
    let new = builder
        .op(chlo::TOP_K)
        .operand(op.operand(0))
        .attr("k", int(integer(builder.context, 64), k))
        .results(&types.collect::<Vec<_>>())
        .build();
    rewriter.replace(&new.results());
    Ok(())
}
