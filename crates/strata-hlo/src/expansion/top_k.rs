//! Expands `chlo.top_k` to a sort of the values with their indices, largest first, of which the
//! first `k` are taken.
//!
//! ```text
//! %values, %indices = chlo.top_k(%x, k = 2) : tensor<5xf32> -> (tensor<2xf32>, tensor<2xi32>)
//! ```
//! becomes
//! ```text
//! %positions = stablehlo.iota dim = 0 : tensor<5xi32>
//! %sorted:2 = stablehlo.sort(%x, %positions) dimension = 0, stable, compare GT
//! %values = stablehlo.slice %sorted#0 [0:2];  %indices = stablehlo.slice %sorted#1 [0:2]
//! ```
//!
//! Floats are compared by their total order: a NaN is larger than infinity.

use strata_ir::{
    AttributeExt as _, Builder, Op, TypeExt as _, Value, boolean, i64s, int, integer, parse_attr,
    stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::patterns;

patterns! {
    /// The largest elements of each row.
    ExpandTopK = "expand-top-k" on [ChloTopK] by expand;
}

fn expand<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let k = op.attr("k").and_then(|k| k.as_i64()).or_decline("attribute `k` is missing")?;
    let ty = op.operand(0).ty();
    ty.has_static_shape().or_decline("the shape is not static")?;
    let shape = ty.shape().or_decline("the shape is not static")?;
    let last = shape.len().checked_sub(1).or_decline("the operand has no dimension")?;
    let builder = rewriter.builder();
    let (context, i64_type) = (rewriter.context(), integer(rewriter.context(), 64));
    let positions = builder.op(stablehlo::IOTA).attr("iota_dimension", int(i64_type, last as i64));
    let positions = positions.result(tensor(&shape, op.result(1).ty().element())).value();
    let comparator = comparator(&builder, [op.operand(0), positions])?;
    let sorted = builder
        .op(stablehlo::SORT)
        .operands(&[op.operand(0), positions])
        .attr("dimension", int(i64_type, last as i64))
        .attr("is_stable", boolean(context, true))
        .results(&[ty, positions.ty()])
        .region(comparator)
        .build();
    let mut limits = shape.clone();
    limits[last] = k;
    let first = |value: Value<'c>, number: usize| {
        let slice = builder.op(stablehlo::SLICE).operand(value);
        let slice = slice.attr("start_indices", i64s(context, &vec![0; shape.len()]));
        let slice = slice.attr("limit_indices", i64s(context, &limits));
        let slice = slice.attr("strides", i64s(context, &vec![1; shape.len()]));
        slice.result(op.result(number).ty()).value()
    };
    let (values, indices) = (first(sorted.result(0), 0), first(sorted.result(1), 1));
    rewriter.replace(&[values, indices]);
    Ok(())
}

/// Whether the first of two values is the larger one, ignoring indices.
fn comparator<'c>(
    builder: &Builder<'c>,
    operands: [Value<'c>; 2],
) -> Outcome<strata_ir::RegionBuilder> {
    let attribute =
        |text| parse_attr(builder.context, text).or_decline("MLIR refuses a comparison");
    let greater = attribute("#stablehlo<comparison_direction GT>")?;
    let total = attribute("#stablehlo<comparison_type TOTALORDER>")?;
    let [value, place] = operands.map(|operand| tensor(&[], operand.ty().element()));
    let i1 = tensor(&[], strata_ir::bool_type(builder.context));
    Ok(builder.region(&[value, value, place, place], |inner, args| {
        let compare = inner.op(stablehlo::COMPARE).operands(&args[..2]);
        let compare = compare.attr("comparison_direction", greater);
        let compare = match value.element().is_float_type() {
            true => compare.attr("compare_type", total),
            false => compare,
        };
        let holds = compare.result(i1).value();
        inner.op(stablehlo::RETURN).operand(holds).build();
    }))
}
