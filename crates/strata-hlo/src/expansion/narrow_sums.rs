//! Computes sums and products of floats of less than 32 bits in `f32`, with one rounding.
//!
//! ```text
//! reduce(%x : tensor<4096xbf16>) add
//!   → convert(reduce(convert(%x) : tensor<4096xf32>) add)
//! ```
//!
//! Rounded after each element, a sum of ones in `bf16` does not get beyond 256. XLA also computes `reduce` this way; order
//! and precision of intermediate sums are implementation-defined.

use strata_ir::{Builder, Op, OpKind, Type, TypeExt as _, Value, stablehlo, tensor, wide_float};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::patterns;

patterns! {
    /// Sums and products of narrow floats.
    Widen = "widen-narrow-sums" on [Reduce, ReduceWindow] by widen;
}

fn widen<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let block = op.body(0);
    let end = block.terminator().or_decline("the body has no end")?;
    block.args().iter().all(|argument| is_narrow(argument.ty())).or_decline("nothing is narrow")?;
    let is_fold = |inner: &Op<'c>| {
        *inner == end
            || (matches!(inner.kind(), OpKind::Add | OpKind::Multiply)
                && inner.operands().iter().all(|value| is_inside(*value, op)))
    };
    block.ops().iter().all(is_fold).or_decline("the body is not a sum or product")?;
    end.operands().iter().all(|value| is_inside(*value, op)).or_decline("the body is not a sum")?;

    let builder = rewriter.builder();
    let convert =
        |value: Value<'c>, ty| builder.op(stablehlo::CONVERT).operand(value).result(ty).value();
    let mut operands = Vec::new();
    for operand in op.operands() {
        let ty = wide(&builder, operand.ty()).or_decline("an operand has no rank")?;
        operands.push(convert(operand, ty));
    }
    let scalars: Option<Vec<_>> = block.args().iter().map(|one| wide(&builder, one.ty())).collect();
    let scalars = scalars.or_decline("an argument has no rank")?;
    let region = builder.region(&scalars, |inside, arguments| {
        let mut known: Vec<(Value<'c>, Value<'c>)> =
            block.args().into_iter().zip(arguments.iter().copied()).collect();
        let now = |known: &[(Value<'c>, Value<'c>)], value: Value<'c>| {
            known.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
        };
        for one in block.ops() {
            let operands: Vec<_> =
                one.operands().into_iter().map(|value| now(&known, value)).collect();
            if one == end {
                inside.op(stablehlo::RETURN).operands(&operands).build();
            } else {
                let ty = operands[0].ty();
                let folded = inside.op(one.name()).operands(&operands).result(ty).value();
                known.push((one.result(0), folded));
            }
        }
    });
    let types: Option<Vec<_>> =
        op.result_types().into_iter().map(|ty| wide(&builder, ty)).collect();
    let folded = builder
        .op(op.name())
        .operands(&operands)
        .attrs(&op.attrs())
        .results(&types.or_decline("a result has no rank")?)
        .region(region)
        .build();
    let results: Vec<_> = folded
        .results()
        .into_iter()
        .zip(op.result_types())
        .map(|(value, ty)| convert(value, ty))
        .collect();
    rewriter.replace(&results);
    Ok(())
}

/// A float of less than 32 bits.
fn is_narrow(ty: Type<'_>) -> bool {
    let element = ty.element();
    element.is_float_type() && element.bit_width().is_some_and(|bits| bits < 32)
}

fn is_inside<'c>(value: Value<'c>, op: Op<'c>) -> bool {
    let owner = value.owner().or_else(|| value.block_arg()?.0.parent_op());
    owner.is_some_and(|owner| op.encloses(owner))
}

fn wide<'c>(builder: &Builder<'c>, ty: Type<'c>) -> Option<Type<'c>> {
    Some(tensor(&ty.shape()?, wide_float(builder.context, ty.element())))
}
