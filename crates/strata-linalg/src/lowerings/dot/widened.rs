//! Dots of narrow operands: converted once if each element is used many times.
//!
//! Inside the contraction, every use of an element would convert it again, and vectors of bytes have
//! no multiply-add.
//!
//! ```text
//! %2 = stablehlo.dot_general %0, %1 … : (tensor<64x96xbf16>, tensor<96x64xbf16>) -> tensor<64x64xf32>
//! ```
//! becomes
//! ```text
//! %l = linalg.generic { arith.extf } ins(%0) : tensor<64x96xf32>
//! %r = linalg.generic { arith.extf } ins(%1) : tensor<96x64xf32>
//! %2 = linalg.matmul ins(%l, %r) : tensor<64x64xf32>
//! ```
//!
//! Integers of at most 8 bits are multiplied as `f32`: while a sum is within 2²⁴, each of its steps is
//! exact. Longer sums are split, and the pieces added as integers.

use strata_ir::{Builder, Type, TypeExt as _, Value, arith, f32_type, linalg::IteratorType};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::tuning::lowering::{MAX_WIDENED_BLOCKS, MIN_WIDENED_USES};

use crate::{
    generic::{Indexed, generic},
    lowerings::{
        convert::convert,
        dot::{Operand, Types, contract},
        shape::extract_slice,
    },
    numbers::element::Class,
};

/// Bits of the integers that `f32` holds exactly.
const EXACT_BITS: u32 = 24;
/// The dot in its accumulation type, if converting the operands first pays.
pub fn product<'c>(
    builder: &Builder<'c>,
    lhs: &Operand<'c>,
    rhs: &Operand<'c>,
    types: &Types<'c>,
) -> Outcome<Option<Value<'c>>> {
    if lhs.vectors() < MIN_WIDENED_USES || rhs.vectors() < MIN_WIDENED_USES {
        return Ok(None);
    }
    match types.class {
        Class::Float => floats(builder, lhs, rhs, types),
        Class::Signed | Class::Unsigned => integers(builder, lhs, rhs, types),
        Class::Bool | Class::Complex => Ok(None),
    }
}

fn floats<'c>(
    builder: &Builder<'c>,
    lhs: &Operand<'c>,
    rhs: &Operand<'c>,
    types: &Types<'c>,
) -> Outcome<Option<Value<'c>>> {
    let narrow = |ty: Type<'c>| ty.is_float_type() && ty != types.sum;
    if !narrow(types.lhs) && !narrow(types.rhs) {
        return Ok(None);
    }
    let lhs = widened(builder, lhs, &[types.lhs, types.sum])?;
    let rhs = widened(builder, rhs, &[types.rhs, types.sum])?;
    Ok(Some(contract(builder, &lhs, &rhs, &Types::floats(types.sum))?))
}

fn integers<'c>(
    builder: &Builder<'c>,
    lhs: &Operand<'c>,
    rhs: &Operand<'c>,
    types: &Types<'c>,
) -> Outcome<Option<Value<'c>>> {
    let wide_sum = types.sum.bit_width().is_some_and(|width| width >= 32);
    let (Some(left), Some(right)) = (magnitude(types.lhs), magnitude(types.rhs)) else {
        return Ok(None);
    };
    let (Some(left_dim), Some(right_dim)) = (lhs.summed(), rhs.summed()) else { return Ok(None) };
    let (length, piece) = (lhs.sizes[left_dim], 1 << (EXACT_BITS - left - right));
    if !wide_sum || length > MAX_WIDENED_BLOCKS * piece {
        return Ok(None);
    }
    let exact = f32_type(builder.context);
    let lhs = widened(builder, lhs, &[types.lhs, exact])?;
    let rhs = widened(builder, rhs, &[types.rhs, exact])?;
    let mut sum: Option<Value<'c>> = None;
    for start in (0..length).step_by(piece as usize) {
        let size = piece.min(length - start);
        let lhs = part(builder, &lhs, left_dim, start, size);
        let rhs = part(builder, &rhs, right_dim, start, size);
        let floats = contract(builder, &lhs, &rhs, &Types::floats(exact))?;
        sum = Some(added(builder, floats, sum, types.sum.signless())?);
    }
    Ok(sum)
}

/// The maximum number of bits of the absolute value of a byte or narrower; the lowest signed number is
/// a power of two.
fn magnitude(ty: Type<'_>) -> Option<u32> {
    let width = ty.bit_width().filter(|width| *width <= 8)?;
    match Class::of(ty)? {
        Class::Signed => Some(width - 1),
        Class::Unsigned => Some(width),
        _ => None,
    }
}

/// The operand with its elements converted through `types`, from the first to the last.
fn widened<'c>(
    builder: &Builder<'c>,
    operand: &Operand<'c>,
    types: &[Type<'c>],
) -> Outcome<Operand<'c>> {
    let (first, last) = (types[0], types[types.len() - 1]);
    let mut wide = operand.clone();
    if types.iter().all(|ty| *ty == first) {
        return Ok(wide);
    }
    let input = Indexed::identity(operand.value);
    let output = Indexed::identity(builder.empty(&operand.sizes, last.signless()));
    let loops = vec![IteratorType::Parallel; operand.sizes.len()];
    let values = generic(builder, &[input], &[output], &loops, |b, args| {
        let steps = types.windows(2);
        let value =
            steps.into_iter().try_fold(args[0], |x, step| convert(b, x, step[0], step[1]))?;
        Ok(vec![value])
    })?;
    wide.value = *values.first().or_decline("the nest has no result")?;
    Ok(wide)
}

/// `size` steps of the sum from `start` on.
pub fn part<'c>(
    builder: &Builder<'c>,
    operand: &Operand<'c>,
    dim: usize,
    start: i64,
    size: i64,
) -> Operand<'c> {
    let mut part = operand.clone();
    if size == operand.sizes[dim] {
        return part;
    }
    part.sizes[dim] = size;
    let mut offsets = vec![0; part.sizes.len()];
    offsets[dim] = start;
    let strides = vec![1; part.sizes.len()];
    part.value = extract_slice(builder, operand.value, &offsets, &part.sizes, &strides);
    part
}

/// `sum` and the integers that `floats` are.
fn added<'c>(
    builder: &Builder<'c>,
    floats: Value<'c>,
    sum: Option<Value<'c>>,
    ty: Type<'c>,
) -> Outcome<Value<'c>> {
    let shape = floats.ty().shape().or_decline("the shape is not static")?;
    let inputs: Vec<_> = [Some(floats), sum].into_iter().flatten().map(Indexed::identity).collect();
    let output = Indexed::identity(builder.empty(&shape, ty));
    let loops = vec![IteratorType::Parallel; shape.len()];
    let values = generic(builder, &inputs, &[output], &loops, |b, args| {
        let whole = b.cast(arith::FPTOSI, args[0], ty);
        Ok(vec![if sum.is_some() { b.same(arith::ADDI, &[args[1], whole]) } else { whole }])
    })?;
    values.first().copied().or_decline("the nest has no result")
}
