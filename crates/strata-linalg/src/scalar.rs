//! Regions on rank-0 tensors as code on scalars: bodies of reductions, windows, scatters and sorts.
//!
//! ```text
//! ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//!   %0 = stablehlo.add %a, %b : tensor<f32>
//!   stablehlo.return %0 : tensor<f32>
//! ```
//! becomes `arith.addf %a, %b : f32` wherever the body is needed.
//!
//! A region with anything else, such as a loop or a slice of a captured tensor, is lowered like any other code, on
//! tensors of rank 0 built from the scalars. Such code is placed in loops, never in the body of a nest: check
//! [`on_scalars`] first.

use std::collections::{HashMap, HashSet};

use strata_ir::{
    AttributeExt as _, Block, Builder, Op, OpKind, TypeExt as _, Value, WalkOrder, stablehlo,
    tensor,
};
use strata_rewrite::{Guard as _, Lowerer, Outcome};

use crate::lowerings::{compare_select, convert, elementwise};

/// Computes one element of the result of a pointwise operation.
pub fn emit<'c>(op: Op<'c>, builder: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
    match op.kind() {
        OpKind::Compare | OpKind::Select | OpKind::Clamp => compare_select::emit(op, builder, args),
        OpKind::Convert | OpKind::BitcastConvert | OpKind::ReducePrecision => {
            convert::emit(op, builder, args)
        }
        _ => elementwise::emit(op, builder, args),
    }
}

/// Whether a region's code is all on scalars.
pub fn on_scalars(block: Block<'_>) -> bool {
    let mut all = true;
    for op in block.ops() {
        op.walk(WalkOrder::Pre, &mut |op| all &= is_on_scalars(op));
    }
    all
}

fn is_on_scalars(op: Op<'_>) -> bool {
    let known = match op.kind() {
        OpKind::Constant
        | OpKind::BroadcastInDim
        | OpKind::Reshape
        | OpKind::Transpose
        | OpKind::OptimizationBarrier
        | OpKind::If
        | OpKind::Compare
        | OpKind::Select
        | OpKind::Clamp
        | OpKind::Convert
        | OpKind::BitcastConvert
        | OpKind::ReducePrecision => true,
        kind => elementwise::has_row(kind) || op.is(stablehlo::RETURN),
    };
    let mut values = op.operands().into_iter().chain(op.results());
    known && values.all(|value| value.ty().rank() == Some(0))
}

/// The scalars of rank-0 tensors.
type Scalars<'c> = HashMap<Value<'c>, Value<'c>>;

/// Emits the operations of `block` for scalar arguments and returns what it yields. Code that is not [`on_scalars`] has
/// tensors in it.
pub fn inline<'c>(
    block: Block<'c>,
    builder: &Builder<'c>,
    args: &[Value<'c>],
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    (block.arg_count() == args.len()).or_decline("the region's arguments do not match")?;
    if !on_scalars(block) {
        return on_tensors(block, builder, args, lowerer);
    }
    let mut values = block.args().into_iter().zip(args.iter().copied()).collect();
    inline_ops(block, builder, &mut values, lowerer)
}

fn on_tensors<'c>(
    block: Block<'c>,
    builder: &Builder<'c>,
    args: &[Value<'c>],
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let tensors: Vec<_> = args
        .iter()
        .map(|scalar| builder.cast(tensor::FROM_ELEMENTS, *scalar, tensor(&[], scalar.ty())))
        .collect();
    let results = lowerer.lower_copy(block, builder, &tensors)?;
    Ok(results.into_iter().map(|value| builder.extract(value, &[])).collect())
}

/// As [`inline`], but only what `wanted`, a value of the block, needs, which is returned.
pub fn inline_until<'c>(
    block: Block<'c>,
    builder: &Builder<'c>,
    args: &[Value<'c>],
    lowerer: &Lowerer<'c>,
    wanted: Value<'c>,
) -> Outcome<Value<'c>> {
    (block.arg_count() == args.len()).or_decline("the region's arguments do not match")?;
    let mut values: Scalars<'c> = block.args().into_iter().zip(args.iter().copied()).collect();
    let mut needed: HashSet<Value<'c>> = HashSet::from([wanted]);
    let ops = block.ops();
    for op in ops.iter().rev() {
        if op.results().iter().any(|result| needed.contains(result)) {
            needed.extend(op.operands());
        }
    }
    for op in ops {
        if op.results().iter().any(|result| needed.contains(result)) {
            inline_op(op, builder, &mut values, lowerer)?;
        }
    }
    match values.get(&wanted) {
        Some(value) => Ok(*value),
        None => outer(wanted, builder, lowerer),
    }
}

fn inline_ops<'c>(
    block: Block<'c>,
    builder: &Builder<'c>,
    values: &mut Scalars<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    for op in block.ops() {
        if op.is(stablehlo::RETURN) {
            return operands_of(op, builder, values, lowerer);
        }
        inline_op(op, builder, values, lowerer)?;
    }
    Err("its region has no terminator".into())
}

fn operands_of<'c>(
    op: Op<'c>,
    builder: &Builder<'c>,
    values: &Scalars<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    op.operands()
        .into_iter()
        .map(|old| match values.get(&old) {
            Some(new) => Ok(*new),
            None => outer(old, builder, lowerer),
        })
        .collect()
}

fn inline_op<'c>(
    op: Op<'c>,
    builder: &Builder<'c>,
    values: &mut Scalars<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome {
    let operands = operands_of(op, builder, values, lowerer)?;
    if op.result_types().iter().any(|ty| ty.rank() != Some(0)) {
        return Err(format!("its region holds {}, which is not on scalars", op.name()).into());
    }
    let results = lower(op, builder, &operands, values, lowerer)?;
    values.extend(op.results().into_iter().zip(results));
    Ok(())
}

fn lower<'c>(
    op: Op<'c>,
    builder: &Builder<'c>,
    operands: &[Value<'c>],
    values: &mut Scalars<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    match op.kind() {
        OpKind::Constant => {
            let element = op.attr("value").and_then(|value| value.splat_value());
            let element = element.or_decline("a constant has no value")?;
            Ok(vec![builder.scalar(op.result(0).ty().element(), element)?])
        }
        OpKind::BroadcastInDim
        | OpKind::Reshape
        | OpKind::Transpose
        | OpKind::OptimizationBarrier => Ok(operands.to_vec()),
        OpKind::If => {
            // Both sides are pure on scalars: computing both and selecting is cheaper than branching.
            let yes = inline_ops(op.body(0), builder, values, lowerer)?;
            let no = inline_ops(op.body(1), builder, values, lowerer)?;
            let pairs = yes.into_iter().zip(no);
            Ok(pairs.map(|(yes, no)| builder.select(operands[0], yes, no)).collect())
        }
        _ => emit(op, builder, operands)
            .map(|value| vec![value])
            .map_err(|declined| format!("{} in its region: {declined}", op.name()).into()),
    }
}

/// A captured value.
fn outer<'c>(old: Value<'c>, builder: &Builder<'c>, lowerer: &Lowerer<'c>) -> Outcome<Value<'c>> {
    let constant = old.owner().filter(|op| op.kind() == OpKind::Constant);
    let element = constant.and_then(|op| op.attr("value")?.splat_value());
    if let Some(element) = element
        && old.ty().rank() == Some(0)
    {
        return Ok(builder.scalar(old.ty().element(), element)?);
    }
    let new = lowerer.lookup(old).or_decline("its region uses an unknown value")?;
    (new.ty().rank() == Some(0)).or_decline("its region uses a tensor from outside")?;
    Ok(builder.extract(new, &[]))
}
