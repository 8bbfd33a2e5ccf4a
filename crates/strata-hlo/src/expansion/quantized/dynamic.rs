//! Dots of floats that are integers times scales that a call computes, as exporters write dynamically quantized networks.
//!
//! ```text
//! %a = multiply (subtract (convert %x : tensor<4x64xi8>), %point), %scale : tensor<4x64xf32>      // one of each for a row
//! %b = multiply (convert %w : tensor<64x32xi8>), %scales : tensor<64x32xf32>                      // constants
//! %y = dot_general %a, %b
//!   → if (all scales from 2^-40 to 2^40, all zero points whole numbers of at most 255) {
//!       multiply (convert (dot_general %x, %w : i32) - %point * (the sums of %w)), (%scale * %scales)
//!     } else { %y }
//! ```
//!
//! The sum is as exact as with constant scales ([`super::scaled`]). Scales that are infinite, NaN, or so large or small that a product of the
//! program leaves the range of normal numbers, are computed as the program says.

use std::collections::HashMap;

use strata_ir::{
    Builder, ComparisonDirection, Op, OpKind, QuantizedType, TypeExt as _, Value, bool_type,
    f32_type, float, integer, stablehlo, tensor,
};
use strata_rewrite::Outcome;
use strata_target::tuning::simplification::MAX_SCALED_OPERATIONS;

use super::{
    Expansion,
    contraction::Sums,
    numbers::along,
    scaled::{MAX_EXPONENT, MIN_PRODUCTS, Scaled, ValidRows, is_of_single_floats, scaled, widened},
};
use crate::{
    emit::Emit as _,
    pattern::{defined_by, ints, new_splat, splat},
};

/// Integers less a number for each row, times another one. Rows are all dimensions but the last.
pub(super) struct Rows<'c> {
    pub(super) stored: Value<'c>,
    /// The shape that the rows are computed in.
    pub(super) shape: Vec<i64>,
    /// What is repeated along the last dimension.
    point: Option<Value<'c>>,
    scale: Value<'c>,
}

/// The value of a dot whose operands are such numbers; `None` for others.
pub fn contracted<'c>(
    op: Op<'c>,
    builder: &Builder<'c>,
    (sums, rows): &(Sums, Rows<'c>),
    valid: ValidRows<'_, 'c>,
) -> Option<Value<'c>> {
    let [left, right] = [op.operand(0), op.operand(1)];
    let weights = scaled(right, MAX_SCALED_OPERATIONS, None)?;
    let right_ty = weights.ty(right)?;
    let is_of_features = match right_ty.axis {
        Some(axis) => sums.kept[1].get(axis)?.is_some(),
        None => true,
    };
    let is_signed = !right_ty.storage.is_unsigned_int() && right_ty.zero_points == [0];
    let left_ty = whole(rows.stored, left)?;
    // Less a zero point, which is that of a byte.
    let bound = sums.bound(&left_ty, &right_ty)
        + sums.count * i128::from(u8::MAX) * i128::from(-right_ty.min);
    let fits = sums.count >= MIN_PRODUCTS && bound <= i32::MAX.into();
    (is_of_features && is_signed && fits).then_some(())?;

    let stored = builder.reshaped(rows.stored, &left.ty().shape()?);
    let weights = scaled(right, MAX_SCALED_OPERATIONS, Some(builder))?.stored;
    let (scale, point) = rows.numbers(builder, left)?;
    let holds = are_plain(builder, (scale, point), valid().ok()?).ok()?;
    let types = HashMap::from([(stored, left_ty), (weights, right_ty)]);
    let expansion = Expansion { context: builder.context, types };
    let exact = builder.region(&[], |inner, _| {
        let value = product(inner, &expansion, (op, sums), [stored, weights], (scale, point));
        inner.returned(&[value]);
    });
    let plain = builder.region(&[], |inner, _| {
        // With the numbers, which nothing needs elsewhere.
        let mut known = HashMap::new();
        for operand in op.operands() {
            copy(inner, operand, rows.stored, &mut known);
        }
        inner.copy(op, &mut known);
        inner.returned(&[known[&op.result(0)]]);
    });
    let branch = builder.op(stablehlo::IF).operand(holds).result(op.result(0).ty());
    Some(branch.region(exact).region(plain).value())
}

/// The product of the scales and of the sums of products of integers.
fn product<'c>(
    b: &Builder<'c>,
    expansion: &Expansion<'c>,
    (op, sums): (Op<'c>, &Sums),
    [stored, weights]: [Value<'c>; 2],
    (scale, point): (Value<'c>, Option<Value<'c>>),
) -> Value<'c> {
    let (wide, single) = (integer(b.context, 32), f32_type(b.context));
    let shape = op.result(0).ty().shape().unwrap_or_default();
    let dims = |side: usize| -> Vec<i64> {
        sums.kept[side].iter().flatten().map(|dim| *dim as i64).collect()
    };
    let dot = b.op(op.name()).operands(&[stored, weights]).attrs(&op.attrs());
    let dot = dot.result(op.result(0).ty()).build();
    let mut sum = expansion.sum(dot, b, sums, wide);
    dot.erase();
    if let Some(point) = point {
        let of_columns = expansion.sums_of_weights(b, weights, sums, wide);
        let columns = b.broadcast_in_dim(of_columns, &shape, &dims(1));
        let points = b.broadcast_in_dim(b.converted(point, wide), &shape, &dims(0));
        sum = b.same(stablehlo::SUBTRACT, &[sum, b.same(stablehlo::MULTIPLY, &[points, columns])]);
    }
    let ty = &expansion.types[&weights];
    let axis = ty.axis.and_then(|axis| *sums.kept[1].get(axis)?);
    let of_rows = b.broadcast_in_dim(scale, &shape, &dims(0));
    let scales = [of_rows, along(b, &shape, single, axis, &ty.scales)];
    let scales = b.same(stablehlo::MULTIPLY, &scales);
    b.same(stablehlo::MULTIPLY, &[b.converted(sum, single), scales])
}

/// Copies what computes a value from stored integers, constants and the numbers of rows.
fn copy<'c>(
    b: &Builder<'c>,
    value: Value<'c>,
    stored: Value<'c>,
    known: &mut HashMap<Value<'c>, Value<'c>>,
) {
    let is_of_numbers = |op: &Op<'c>| {
        matches!(
            op.kind(),
            OpKind::Multiply
                | OpKind::Subtract
                | OpKind::Convert
                | OpKind::BroadcastInDim
                | OpKind::Reshape
                | OpKind::Transpose
        )
    };
    let Some(op) = value.owner().filter(is_of_numbers) else { return };
    if value == stored || known.contains_key(&value) {
        return;
    }
    for operand in op.operands() {
        copy(b, operand, stored, known);
    }
    b.copy(op, known);
}

/// Whether all scales are as constant ones have to be, and all zero points whole numbers of a byte, of the rows that are `valid`.
pub(super) fn are_plain<'c>(
    b: &Builder<'c>,
    (scale, point): (Value<'c>, Option<Value<'c>>),
    valid: Option<Value<'c>>,
) -> Outcome<Value<'c>> {
    let shape = scale.ty().shape().unwrap_or_default();
    let valid = valid.map(|valid| b.reshaped(valid, &shape));
    let all = |holds: Value<'c>| {
        // As other reductions of valid elements are written.
        let plain = b.int_constant(holds.ty(), 1);
        let holds = valid.map_or(holds, |valid| b.selected(valid, holds, plain));
        let rank = holds.ty().rank().unwrap_or(0);
        let start = b.int_constant(tensor(&[], bool_type(b.context)), 1);
        b.reduced(stablehlo::AND, [holds, start], &(0..rank).collect::<Vec<_>>())
    };
    let number = |like: Value<'c>, number| {
        new_splat(b, like.ty(), float(b.context, like.ty().element(), number))
    };
    let limit = 2_f64.powi(MAX_EXPONENT);
    let least = b.compare(ComparisonDirection::Ge, scale, number(scale, limit.recip()))?;
    let most = b.compare(ComparisonDirection::Le, scale, number(scale, limit))?;
    let mut holds = all(b.same(stablehlo::AND, &[least, most]))?;
    if let Some(point) = point {
        let whole = b.same(stablehlo::ROUND_NEAREST_EVEN, &[point]);
        let is_whole = b.compare(ComparisonDirection::Eq, point, whole)?;
        let modulus = b.same(stablehlo::ABS, &[point]);
        let most = number(point, f64::from(u8::MAX));
        let is_byte = b.compare(ComparisonDirection::Le, modulus, most)?;
        let points = all(b.same(stablehlo::AND, &[is_whole, is_byte]))?;
        holds = b.same(stablehlo::AND, &[holds, points]);
    }
    Ok(holds)
}

/// Stored integers as numbers with scale 1 and zero point 0.
pub(super) fn whole<'c>(stored: Value<'c>, number: Value<'c>) -> Option<QuantizedType<'c>> {
    Scaled { stored, zero_point: 0, axis: None, scales: vec![1.0] }.ty(number)
}

impl<'c> Rows<'c> {
    /// The left operand of a dot of `f32` that sums over its last dimension alone.
    pub(super) fn summed(op: Op<'c>) -> Option<(Sums, Self)> {
        (is_of_single_floats(op) && op.kind() != OpKind::Convolution).then_some(())?;
        let (sums, left) = (Sums::of(op), op.operand(0));
        let shape = left.ty().shape()?;
        let last = shape.len().checked_sub(1)?;
        let is_last = sums.kept[0].iter().position(Option::is_none) == Some(last);
        let rows = Self::of(left, MAX_SCALED_OPERATIONS)?;
        (is_last && rows.shape.last() == shape.last()).then_some((sums, rows))
    }

    fn of(value: Value<'c>, steps: usize) -> Option<Self> {
        let steps = steps.checked_sub(1)?;
        let op = value.owner()?;
        match op.kind() {
            OpKind::Multiply => {
                let (left, right) = (op.operand(0), op.operand(1));
                Self::scaled(left, right).or_else(|| Self::scaled(right, left))
            }
            OpKind::Reshape => {
                let rows = Self::of(op.operand(0), steps)?;
                (rows.shape.last() == value.ty().shape()?.last()).then_some(rows)
            }
            _ => None,
        }
    }

    /// The scale and the zero point of each row of `value`.
    pub(super) fn numbers(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
    ) -> Option<(Value<'c>, Option<Value<'c>>)> {
        let shape = value.ty().shape()?;
        let (rows, kept) =
            (&self.shape[..self.shape.len() - 1], &shape[..shape.len().checked_sub(1)?]);
        let of_rows = |value: Value<'c>| -> Option<Value<'c>> {
            Some(builder.reshaped(without_last(builder, value, rows)?, kept))
        };
        let point = match self.point {
            Some(point) => Some(of_rows(point)?),
            None => None,
        };
        Some((of_rows(self.scale)?, point))
    }

    fn scaled(integers: Value<'c>, scale: Value<'c>) -> Option<Self> {
        let shape = scale.ty().shape()?;
        is_of_rows(scale).then_some(())?;
        if let Ok(difference) = defined_by(integers, OpKind::Subtract) {
            let stored = widened(difference.operand(0))?;
            let point = difference.operand(1);
            let is_single = integers.ty().element().is_float_type();
            return (is_single && is_of_rows(point)).then_some(Self {
                stored,
                shape,
                point: Some(point),
                scale,
            });
        }
        Some(Self { stored: widened(integers)?, shape, point: None, scale })
    }
}

/// Whether a number is the same for all indices of the last dimension.
fn is_of_rows(value: Value<'_>) -> bool {
    let repeats = || {
        let op = defined_by(value, OpKind::BroadcastInDim).ok()?;
        let last = value.ty().rank()?.checked_sub(1)? as i64;
        let dims = ints(op, "broadcast_dimensions").ok()?;
        let sizes = op.operand(0).ty().shape()?;
        Some(dims.iter().zip(sizes).all(|(dim, size)| *dim != last || size == 1))
    };
    splat(value).is_ok() || repeats().unwrap_or(false)
}

/// Such a number for each row.
fn without_last<'c>(b: &Builder<'c>, value: Value<'c>, rows: &[i64]) -> Option<Value<'c>> {
    if let Ok(element) = splat(value) {
        return Some(new_splat(b, tensor(rows, value.ty().element()), element));
    }
    let op = defined_by(value, OpKind::BroadcastInDim).ok()?;
    let (mut dims, mut sizes) =
        (ints(op, "broadcast_dimensions").ok()?, op.operand(0).ty().shape()?);
    if let Some(place) = dims.iter().position(|dim| *dim == rows.len() as i64) {
        dims.remove(place);
        sizes.remove(place);
    }
    Some(b.broadcast_in_dim(b.reshaped(op.operand(0), &sizes), rows, &dims))
}
