//! Dots and convolutions of floats that are integers times constant scales, as exporters write quantized networks.
//!
//! ```text
//! %a = multiply (subtract (convert %x : tensor<4x64xui8>), 133.0), 0.03 : tensor<4x64xf32>
//! %b = multiply (convert %w : tensor<64x32xi8>), %scales : tensor<64x32xf32>
//! %y = dot_general %a, %b
//!   → multiply (convert (the sum of products of integers)), 0.03 * %scales
//! ```
//!
//! The sum is exact, and rounded three times, with its scale. The program rounds each number that it multiplies, and adds in an open
//! order: with [`MIN_PRODUCTS`] products or more, what is computed here is as near to the sum of its products as any order is.

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Builder, Context, ElementType, OPEN_SUMS, Op, OpKind, QuantizedType,
    TypeExt as _, Value, WalkOrder, i64s, stablehlo, tensor,
};
use strata_rewrite::Outcome;
use strata_target::tuning::{lowering::MIN_LANE_DEPTH, simplification::MAX_SCALED_OPERATIONS};

use super::{
    Expansion,
    contraction::{Sums, has_byte_sums, offset},
    declined,
    dynamic::{self, Rows},
    grouped,
};
use crate::{
    emit::Emit as _,
    interop::annotations::unsplit,
    pattern::{defined_by, ints, is_whole},
    simplification::elements::{Element, Kind},
};

/// Sums of fewer products are rounded less often than a sum of integers with its scale and the numbers multiplied are.
pub(super) const MIN_PRODUCTS: i128 = 8;
/// Scales beyond 2 to this power, or below its reciprocal, are left alone: products stay in the range of normal numbers.
pub(super) const MAX_EXPONENT: i32 = 40;

/// One number, or one for each index along a dimension.
struct Line {
    axis: Option<usize>,
    values: Vec<Element>,
}

/// Integers, and which numbers they stand for.
pub(super) struct Scaled<'c> {
    pub(super) stored: Value<'c>,
    pub(super) zero_point: i64,
    pub(super) axis: Option<usize>,
    pub(super) scales: Vec<f64>,
}

/// Rewrites the dots and convolutions of `func` whose operands are such numbers.
pub fn contract<'c>(context: &'c Context, func: Op<'c>) {
    let mut found = Vec::new();
    func.walk(WalkOrder::Pre, &mut |op| {
        if matches!(op.kind(), OpKind::DotGeneral | OpKind::Dot | OpKind::Convolution) {
            found.push(op);
        }
    });
    for op in found {
        if let Err(because) = unsplit(op) {
            declined::record(op, || because.to_string());
            continue;
        }
        let builder = Builder::before(context, op);
        let is_open = is_whole(op).is_err();
        // Dots were seen when they got the sizes of bounds, together with which rows are valid.
        let value = match is_open {
            false => contracted_dot(op, &builder, &|| Ok(None)),
            true => contracted(op, &builder),
        };
        if let Some(value) = value.or_else(|| of_integers(op, &builder)) {
            op.result(0).replace_all_uses_with(value);
            op.erase();
        } else if !is_open || op.parent() == Some(func) {
            // Not of the side of a branch whose other side is one of integers.
            declined::record(op, || declined::because(op).into());
        }
    }
}

/// Which rows of the left operand a call has, as booleans; `None` for all.
pub type ValidRows<'f, 'c> = &'f dyn Fn() -> Outcome<Option<Value<'c>>>;

/// The value of a dot or convolution of such numbers, or of a dot of numbers whose scales a call computes, one for each row of the left
/// operand; `None` for others.
pub fn contracted_dot<'c>(
    op: Op<'c>,
    builder: &Builder<'c>,
    valid: ValidRows<'_, 'c>,
) -> Option<Value<'c>> {
    (unsplit(op).is_ok() && !op.has_attr(OPEN_SUMS)).then_some(())?;
    contracted(op, builder).or_else(|| {
        let left = Rows::summed(op)?;
        dynamic::contracted(op, builder, &left, valid)
            .or_else(|| grouped::contracted(op, builder, &left, valid))
    })
}

fn contracted<'c>(op: Op<'c>, builder: &Builder<'c>) -> Option<Value<'c>> {
    (is_of_single_floats(op) && !op.has_attr(OPEN_SUMS)).then_some(())?;
    let values = [op.operand(0), op.operand(1), op.result(0)];
    let sums = Sums::of(op);
    // Before anything is built: both are such numbers.
    let sides = [
        scaled(values[0], MAX_SCALED_OPERATIONS, None)?,
        scaled(values[1], MAX_SCALED_OPERATIONS, None)?,
    ];
    let types = [sides[0].ty(values[0])?, sides[1].ty(values[1])?];
    let is_of_features = match sides[1].axis {
        Some(axis) => sums.kept[1].get(axis)?.is_some(),
        None => true,
    };
    // Convolutions whose kernels have a zero point are not sums of products of bytes; those that keep features apart are faster in floats
    // but with AVX-512.
    let is_plain = op.kind() != OpKind::Convolution
        || types[1].zero_points == [0] && has_byte_sums(op) && !keeps_apart(op);
    let fits = sums.count >= MIN_PRODUCTS && sums.bound(&types[0], &types[1]) <= i32::MAX.into();
    (sides[0].axis.is_none() && is_of_features && is_plain && fits).then_some(())?;
    let stored =
        |index: usize| Some(scaled(values[index], MAX_SCALED_OPERATIONS, Some(builder))?.stored);
    let operands = [stored(0)?, stored(1)?];
    let other = builder.op(op.name()).operands(&operands).attrs(&op.attrs());
    let other = other.result(op.result(0).ty()).build();
    let types = operands.into_iter().zip(types).collect();
    let value = Expansion { context: builder.context, types }.contracted(other, builder);
    other.erase();
    Some(value)
}

/// The value of a dot or convolution of 32-bit integers that are bytes less zero points, as ONNX's `MatMulInteger` and `ConvInteger` are
/// written: the same sums modulo 2^32. Bytes of one kind without zero points are patterns' (`narrow-operands`).
fn of_integers<'c>(op: Op<'c>, builder: &Builder<'c>) -> Option<Value<'c>> {
    let values = [op.operand(0), op.operand(1), op.result(0)];
    let is_word = |value: &Value<'c>| {
        let ty = value.ty();
        ElementType::from_type(ty.element()) == Some(ElementType::Signed(32))
            && ty.has_static_shape()
    };
    (values.iter().all(is_word) && !op.has_attr(OPEN_SUMS)).then_some(())?;
    let side = |value: Value<'c>| {
        let (stored, zero_point) = centered(value, MAX_SCALED_OPERATIONS)?;
        let ty = Scaled { stored, zero_point, axis: None, scales: vec![1.0] }.ty(value)?;
        Some((stored, ty))
    };
    let [left, right] = [side(values[0])?, side(values[1])?];
    let sums = Sums::of(op);
    let has_points = [&left, &right].iter().any(|(_, ty)| ty.zero_points != [0]);
    let is_byte_sum = match op.kind() {
        OpKind::Convolution => {
            let is_centered = right.1.zero_points == [offset(&right.1)];
            let differ = left.0.ty().element() != right.0.ty().element();
            (has_points || differ) && is_centered && has_byte_sums(op) && !keeps_apart(op)
        }
        _ => has_points && sums.count >= i128::from(MIN_LANE_DEPTH),
    };
    is_byte_sum.then_some(())?;
    let operands = [left.0, right.0];
    let other = builder.op(op.name()).operands(&operands).attrs(&op.attrs());
    let other = other.result(op.result(0).ty()).build();
    let expansion = Expansion { context: builder.context, types: HashMap::from([left, right]) };
    let value = expansion.sum(other, builder, &sums, op.result(0).ty().element());
    other.erase();
    Some(value)
}

/// Whether operands and result are `f32`, multiplied as they are.
pub(super) fn is_of_single_floats(op: Op<'_>) -> bool {
    let is_single = |value: Value<'_>| {
        let ty = value.ty();
        ElementType::from_type(ty.element()) == Some(ElementType::Float(32))
            && ty.has_static_shape()
    };
    [op.operand(0), op.operand(1), op.result(0)].into_iter().all(is_single)
        && op.attr("algorithm").is_none()
}

/// Whether a convolution has features in groups.
pub(super) fn keeps_apart(op: Op<'_>) -> bool {
    op.attr("feature_group_count").and_then(|count| count.as_i64()).is_some_and(|count| count > 1)
}

impl<'c> Scaled<'c> {
    /// The type that says so; `None` where products of two such numbers may leave the range of normal ones.
    pub(super) fn ty(&self, number: Value<'c>) -> Option<QuantizedType<'c>> {
        let storage = self.stored.ty().element();
        let bits = storage.bit_width()?;
        let (min, max) = match storage.is_unsigned_int() {
            true => (0, (1 << bits) - 1),
            false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        };
        let limit = 2f64.powi(MAX_EXPONENT);
        let is_plain = |scale: &f64| (limit.recip()..=limit).contains(scale);
        let fits = (min..=max).contains(&self.zero_point) && self.scales.iter().all(is_plain);
        fits.then(|| QuantizedType {
            storage,
            expressed: number.ty().element(),
            axis: self.axis,
            scales: self.scales.clone(),
            zero_points: vec![self.zero_point],
            min,
            max,
        })
    }
}

/// `value` as integers times scales. What moves elements is done to the integers, with a builder.
pub(super) fn scaled<'c>(
    value: Value<'c>,
    steps: usize,
    builder: Option<&Builder<'c>>,
) -> Option<Scaled<'c>> {
    let steps = steps.checked_sub(1)?;
    let op = value.owner()?;
    match op.kind() {
        OpKind::Multiply => {
            let (left, right) = (op.operand(0), op.operand(1));
            let of = |integers: Value<'c>, scales: Value<'c>| {
                let (stored, zero_point) = centered(integers, steps)?;
                let line = line(scales, steps)?;
                let scales = line.values.iter().map(|value| match value {
                    Element::Float(scale) => Some(*scale),
                    _ => None,
                });
                let mut scales = scales.collect::<Option<Vec<_>>>()?;
                let is_one = scales.windows(2).all(|two| two[0] == two[1]);
                if is_one {
                    scales.truncate(1);
                }
                let axis = line.axis.filter(|_| !is_one);
                (!scales.is_empty()).then_some(Scaled { stored, zero_point, axis, scales })
            };
            of(left, right).or_else(|| of(right, left))
        }
        OpKind::Transpose | OpKind::Reshape => {
            let mut found = scaled(op.operand(0), steps, builder)?;
            let from = op.operand(0).ty().shape()?;
            let shape = value.ty().shape()?;
            if op.kind() == OpKind::Transpose {
                let permutation = ints(op, "permutation").ok()?;
                let place = |axis| permutation.iter().position(|dim| *dim == axis as i64);
                found.axis = place_of(found.axis, place)?;
                if let Some(builder) = builder {
                    let ty = tensor(&shape, found.stored.ty().element());
                    let moved = builder.op(stablehlo::TRANSPOSE).operand(found.stored);
                    let moved = moved.attr("permutation", i64s(builder.context, &permutation));
                    found.stored = moved.result(ty).value();
                }
            } else {
                let place = |axis: usize| {
                    let before: i64 = from[..axis].iter().product();
                    let is_same = |dim: &usize| {
                        shape[*dim] == from[axis] && shape[..*dim].iter().product::<i64>() == before
                    };
                    (0..shape.len()).find(is_same)
                };
                found.axis = place_of(found.axis, place)?;
                if let Some(builder) = builder {
                    found.stored = builder.reshaped(found.stored, &shape);
                }
            }
            Some(found)
        }
        _ => {
            let (stored, zero_point) = centered(value, steps)?;
            Some(Scaled { stored, zero_point, axis: None, scales: vec![1.0] })
        }
    }
}

/// The place of a dimension, if there is one; `None` where it has none of its own.
fn place_of(axis: Option<usize>, place: impl Fn(usize) -> Option<usize>) -> Option<Option<usize>> {
    axis.map_or(Some(None), |axis| place(axis).map(Some))
}

/// Small integers and what was taken from each of them, of floats or wider integers that are the differences.
pub(super) fn centered(value: Value<'_>, steps: usize) -> Option<(Value<'_>, i64)> {
    let steps = steps.checked_sub(1)?;
    let op = value.owner()?;
    match op.kind() {
        OpKind::Subtract => {
            let stored = widened(op.operand(0))?;
            let Line { values, .. } = line(op.operand(1), steps)?;
            let point = match *values.first()? {
                Element::Int(point) => i64::try_from(point).ok()?,
                Element::Float(point)
                    if point.fract() == 0.0 && point.abs() <= f64::from(u8::MAX) =>
                {
                    point as i64
                }
                _ => return None,
            };
            values.iter().all(|value| *value == values[0]).then_some((stored, point))
        }
        // Wider integers, whose differences do not wrap.
        OpKind::Convert if is_wide(op.operand(0)) => centered(op.operand(0), steps),
        _ => Some((widened(value)?, 0)),
    }
}

fn is_wide(value: Value<'_>) -> bool {
    let element = value.ty().element();
    element.is_int()
        && element.bit_width().is_some_and(|bits| bits >= 16)
        && !element.is_unsigned_int()
}

/// The integers of at most eight bits that `value` has in another type.
pub(super) fn widened(value: Value<'_>) -> Option<Value<'_>> {
    let stored = defined_by(value, OpKind::Convert).ok()?.operand(0);
    let element = stored.ty().element();
    let is_small =
        element.is_int() && element.bit_width().is_some_and(|bits| (2..=8).contains(&bits));
    let is_float = value.ty().element().is_float_type();
    (is_small && (is_float || is_wide(value))).then_some(stored)
}

/// A constant that has one element for all places, or for each index of a dimension.
fn line(value: Value<'_>, steps: usize) -> Option<Line> {
    let steps = steps.checked_sub(1)?;
    let op = value.owner()?;
    let ty = value.ty();
    let kind = Kind::of(ty.element())?;
    let shape = ty.shape()?;
    // The dimension that alone has several indices.
    let single = || {
        let mut long = (0..shape.len()).filter(|dim| shape[*dim] != 1);
        Some((long.next(), long.next())).filter(|(_, other)| other.is_none())?.0
    };
    match op.kind() {
        OpKind::Constant => {
            let attribute = op.attr("value")?;
            if let Some(value) = attribute.splat_value() {
                let value = match kind.is_float() {
                    true => Element::Float(value.as_f64()?),
                    false => kind.fit(Element::Int(value.as_i64()?.into()))?,
                };
                return Some(Line { axis: None, values: vec![value] });
            }
            let axis = single();
            let count = axis.map_or(1, |axis| shape[axis]);
            (ty.element_count() == u64::try_from(count).ok()).then_some(())?;
            let bytes = attribute.raw_elements()?;
            let read = |bytes| kind.read(bytes);
            Some(Line { axis, values: bytes.chunks_exact(kind.bytes()).map(read).collect() })
        }
        OpKind::BroadcastInDim => {
            let found = line(op.operand(0), steps)?;
            let dims = ints(op, "broadcast_dimensions").ok()?;
            let place = |axis: usize| usize::try_from(*dims.get(axis)?).ok();
            Some(Line { axis: place_of(found.axis, place)?, ..found })
        }
        OpKind::Reshape => {
            let found = line(op.operand(0), steps)?;
            Some(Line { axis: place_of(found.axis, |_| single())?, ..found })
        }
        OpKind::Multiply if kind.is_float() => {
            let (mut left, mut right) = (line(op.operand(0), steps)?, line(op.operand(1), steps)?);
            if left.axis.is_some() {
                (left, right) = (right, left);
            }
            // One number, or as many along the same dimension.
            let is_one = left.axis.is_none();
            (is_one || left.axis == right.axis).then_some(())?;
            let product = |(place, other): (usize, &Element)| {
                let one = left.values.get(if is_one { 0 } else { place })?;
                let (Element::Float(one), Element::Float(other)) = (one, other) else {
                    return None;
                };
                kind.fit(Element::Float(one * other))
            };
            let values = right.values.iter().enumerate().map(product).collect::<Option<_>>()?;
            Some(Line { axis: right.axis, values })
        }
        OpKind::Convert => {
            let found = line(op.operand(0), steps)?;
            let convert = |value: &Element| match value {
                Element::Int(number) if kind.is_float() => kind.fit(Element::Float(*number as f64)),
                Element::Float(_) if !kind.is_float() => None,
                other => kind.fit(*other),
            };
            let values = found.values.iter().map(convert).collect::<Option<_>>()?;
            Some(Line { axis: found.axis, values })
        }
        _ => None,
    }
}
