//! Between stored integers and the numbers that they mean.

use strata_ir::{
    AttributeExt as _, Builder, Context, QuantizedType, Type, TypeExt as _, Value, dense_bytes,
    f32_type, f64_type, float, int, integer, stablehlo, tensor,
};

use crate::{
    emit::Emit as _,
    pattern::{new_constant, new_splat},
};

/// `value` as a number of type `element`: the nearest, ties to even.
pub fn rounded<'c>(context: &'c Context, element: Type<'c>, value: f64) -> f64 {
    float(context, element, value).as_f64().unwrap_or(value)
}

/// Numbers along dimension `axis` of `shape`, the same for all other indices; one number for all without an axis.
pub fn along<'c>(
    builder: &Builder<'c>,
    shape: &[i64],
    element: Type<'c>,
    axis: Option<usize>,
    values: &[f64],
) -> Value<'c> {
    let context = builder.context;
    let first = values.first().copied().unwrap_or_default();
    let axis = match axis {
        Some(axis) if values.iter().any(|value| *value != first) => axis,
        _ => {
            let ty = tensor(shape, element);
            let value = match element.is_float_type() {
                true => float(context, element, first),
                false => int(element, first as i64),
            };
            return new_splat(builder, ty, value);
        }
    };
    // Every number is one of `f64`, and the conversion rounds it once.
    let wide = tensor(&[values.len() as i64], f64_type(context));
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let line = match dense_bytes(wide, &bytes) {
        Some(line) => new_constant(builder, wide, line),
        None => new_splat(builder, wide, float(context, f64_type(context), first)),
    };
    let line = builder.converted(line, element);
    builder.broadcast_in_dim(line, shape, &[axis as i64])
}

fn shape_of(value: Value<'_>) -> Vec<i64> {
    value.ty().shape().unwrap_or_default()
}

/// The integers that differences from zero points fit in.
fn difference_type<'c>(context: &'c Context, ty: &QuantizedType<'c>) -> Type<'c> {
    let bits = ty.storage.bit_width().unwrap_or(32);
    integer(context, if bits <= 16 { 32 } else { 64 })
}

/// Stored integers less their zero points, as integers of type `element`.
pub fn centered<'c>(
    builder: &Builder<'c>,
    stored: Value<'c>,
    ty: &QuantizedType<'c>,
    element: Type<'c>,
) -> Value<'c> {
    let wide = builder.converted(stored, element);
    if ty.zero_points.iter().all(|zero_point| *zero_point == 0) {
        return wide;
    }
    let zero_points: Vec<_> = ty.zero_points.iter().map(|zero_point| *zero_point as f64).collect();
    let zero_points = along(builder, &shape_of(stored), element, ty.axis, &zero_points);
    builder.same(stablehlo::SUBTRACT, &[wide, zero_points])
}

/// The numbers that stored integers mean.
pub fn dequantized<'c>(
    builder: &Builder<'c>,
    stored: Value<'c>,
    ty: &QuantizedType<'c>,
) -> Value<'c> {
    let difference = match ty.zero_points.iter().all(|zero_point| *zero_point == 0) {
        true => stored,
        false => centered(builder, stored, ty, difference_type(builder.context, ty)),
    };
    let number = builder.converted(difference, ty.expressed);
    if ty.scales.iter().all(|scale| *scale == 1.0) {
        return number;
    }
    let scales = along(builder, &shape_of(stored), ty.expressed, ty.axis, &ty.scales);
    builder.same(stablehlo::MULTIPLY, &[number, scales])
}

/// Numbers of the expressed type as the integers that are stored for them.
pub fn quantized<'c>(
    builder: &Builder<'c>,
    number: Value<'c>,
    ty: &QuantizedType<'c>,
) -> Value<'c> {
    let context = builder.context;
    let shape = shape_of(number);
    let mut shifted = number;
    if ty.scales.iter().any(|scale| *scale != 1.0) {
        let scales = along(builder, &shape, ty.expressed, ty.axis, &ty.scales);
        shifted = builder.same(stablehlo::DIVIDE, &[shifted, scales]);
    }
    if ty.zero_points.iter().any(|zero_point| *zero_point != 0) {
        let points: Vec<_> = ty.zero_points.iter().map(|point| *point as f64).collect();
        let points = along(builder, &shape, ty.expressed, ty.axis, &points);
        shifted = builder.same(stablehlo::ADD, &[shifted, points]);
    }
    // A type that has both bounds.
    let is_wide = ty.storage.bit_width().is_none_or(|bits| bits > 16);
    let is_double = is_wide || ty.expressed.bit_width() == Some(64);
    let exact = if is_double { f64_type(context) } else { f32_type(context) };
    let shifted = builder.converted(shifted, exact);
    let bound =
        |value: i64| new_splat(builder, tensor(&[], exact), float(context, exact, value as f64));
    let clamped = builder
        .op(stablehlo::CLAMP)
        .operands(&[bound(ty.min), shifted, bound(ty.max)])
        .result(shifted.ty())
        .value();
    let whole = builder.same(stablehlo::ROUND_NEAREST_EVEN, &[clamped]);
    let stored = builder.converted(whole, ty.storage);
    if ty.min <= 0 && ty.max >= 0 {
        return stored;
    }
    // NaN has become 0, which is outside of the bounds.
    let bound = |value: i64| builder.int_constant(tensor(&[], ty.storage), value);
    builder
        .op(stablehlo::CLAMP)
        .operands(&[bound(ty.min), stored, bound(ty.max)])
        .result(stored.ty())
        .value()
}
