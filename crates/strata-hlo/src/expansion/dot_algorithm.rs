//! Expands the algorithm of a `dot_general` to conversions around a plain dot.
//!
//! ```text
//! dot_general(x, y) : (f32, f32) -> f32, algorithm = <bf16, bf16, f32, 1 component, 1 operation>
//!   → dot_general(convert(x) : bf16, convert(y) : bf16) : (bf16, bf16) -> f32
//! ```
//!
//! Operands are rounded to the algorithm's types (to `tf32` by `reduce_precision`), and accumulation uses the accumulation
//! type if it is wider than the default, or `f32` for a wider result. An algorithm of several operations splits its
//! operands to recover what rounding loses: here nothing is rounded. Integers and complex numbers are not affected.

use strata_ir::{
    Builder, DotAlgorithm, Op, Type, TypeExt as _, Value, f32_type, f64_type, int, integer,
    stablehlo,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use super::other_kinds;
use crate::{emit::Emit as _, pattern::patterns};

patterns! {
    /// A dot whose algorithm can be expressed by conversions.
    ResolveAlgorithm = "resolve-dot-algorithm" on [DotGeneral] by resolve;
}

fn resolve<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let attribute = op.attr("algorithm").or_decline("it names no algorithm")?;
    let algorithm =
        DotAlgorithm::from_attribute(attribute).or_decline("the algorithm is unknown")?;
    let numbers = op.attr("dot_dimension_numbers").or_decline("it has no dimension numbers")?;
    let ty = op.result(0).ty();
    let builder = rewriter.builder();
    // Then the algorithm is that of the sums.
    let is_converted = other_kinds::sum_type(&builder, op).is_some();
    (!is_converted).or_decline("its result is of another kind than its sums")?;
    let (mut operands, mut sums) = (vec![op.operand(0), op.operand(1)], ty);
    let floats = [op.operand(0), op.operand(1), op.result(0)];
    let floats = floats.iter().all(|value| value.ty().element().is_float_type());
    if floats && algorithm.num_primitive_operations == 1 {
        let types = [algorithm.lhs_precision_type, algorithm.rhs_precision_type];
        for (operand, to) in operands.iter_mut().zip(types) {
            *operand = rounded(&builder, *operand, to);
        }
        sums = ty.with_element(accumulated(&builder, ty.element(), algorithm.accumulation_type));
    }
    let product = builder.op(stablehlo::DOT_GENERAL).operands(&operands);
    let product = product.attr("dot_dimension_numbers", numbers);
    let product = match op.attr("precision_config") {
        Some(precision) => product.attr("precision_config", precision),
        None => product,
    };
    let product = product.result(sums).value();
    let product = if sums == ty { product } else { builder.converted(product, ty.element()) };
    rewriter.replace(&[product]);
    Ok(())
}

/// The type for accumulation: the accumulation type, if it differs from the default, `f32` for results up to `f32`.
fn accumulated<'c>(builder: &Builder<'c>, result: Type<'c>, accumulator: Type<'c>) -> Type<'c> {
    let (single, double) = (f32_type(builder.context), f64_type(builder.context));
    if accumulator == double {
        double
    } else if result == double {
        single
    } else {
        result
    }
}

/// Rounds `value` to type `to`, in a type that contains it.
fn rounded<'c>(builder: &Builder<'c>, value: Value<'c>, to: Type<'c>) -> Value<'c> {
    let from = value.ty().element();
    if from == to {
        return value;
    }
    if !to.is_tf32() {
        return builder.converted(value, to);
    }
    if from.bit_width() <= Some(16) {
        return value;
    }
    let bits = |count| int(integer(builder.context, 32), count);
    let reduced = builder.op(stablehlo::REDUCE_PRECISION).operand(value);
    let reduced = reduced.attr("exponent_bits", bits(8)).attr("mantissa_bits", bits(10));
    reduced.result(value.ty()).value()
}
