//! `convert`, `bitcast_convert` and `reduce_precision`.
//!
//! Integers wrap. Floats become integers by truncation, saturating at the ends of the range, NaN
//! becoming zero. Numbers become `i1` by comparison with zero. Of complex numbers the real part is taken.
//!
//! Types narrower than a byte and floats of 8 bits are values of type `i8` here: [`crate::numbers::narrow`].

pub(crate) mod bitcast;

use strata_ir::{
    AttributeExt as _, Builder, ElementType, Op, OpKind, Type, TypeExt as _, Value, arith,
    f32_type, f64_type, integer, math,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    numbers::{
        element::{Class, narrow, widen},
        functions::{bits_of, smallest},
        narrow::{logical, storage, wrap},
        small_float::{Format, decode, encode},
    },
    pointwise,
};

/// The lowering of conversions that keep the shape.
pub struct Convert;

impl Lowering for Convert {
    fn name(&self) -> &'static str {
        "convert"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Convert, OpKind::BitcastConvert, OpKind::ReducePrecision]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let same_shape = op.operand(0).ty().shape() == op.result(0).ty().shape();
        same_shape.or_decline("the shape changes")?;
        pointwise::lower(op, operands, lowerer, emit)
    }
}

/// Computes one element of the result.
pub fn emit<'c>(op: Op<'c>, builder: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
    let [from, to] = logical(op);
    match op.kind() {
        OpKind::Convert => convert(builder, args[0], from, to),
        OpKind::BitcastConvert => Ok(wrap(builder, bitcast(builder, args[0], storage(to))?, to)),
        _ => reduce_precision(op, builder, args[0]),
    }
}

/// `x`, of type `from` before lowering, as a number of type `to`; the types carry the signs.
pub fn convert<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    from: Type<'c>,
    to: Type<'c>,
) -> Outcome<Value<'c>> {
    if from == to {
        return Ok(x);
    }
    let source = Class::of(from).or_decline("the operand's element type is not supported")?;
    let target = Class::of(to).or_decline("the result's element type is not supported")?;
    if let Some(format) = Format::of(from) {
        let value = decode(b, x, format)?;
        return convert(b, value, value.ty(), to);
    }
    if let Some(format) = Format::of(to) {
        return to_small_float(b, x, from, format);
    }
    let ty = storage(to);
    match (source, target) {
        (Class::Complex, Class::Complex) => {
            let part = |ty: Type<'c>| ty.complex_element().unwrap_or(ty);
            let (re, im) = b.parts(x)?;
            let (re, im) =
                (convert(b, re, part(from), part(to))?, convert(b, im, part(from), part(to))?);
            Ok(b.complex(re, im))
        }
        (Class::Complex, _) => {
            let part = from.complex_element().or_decline("the operand is not complex")?;
            let (re, _) = b.parts(x)?;
            convert(b, re, part, to)
        }
        (_, Class::Complex) => {
            let part = to.complex_element().or_decline("the result is not complex")?;
            let re = convert(b, x, from, part)?;
            let im = b.float(part, 0.0);
            Ok(b.complex(re, im))
        }
        (Class::Float, Class::Bool) => {
            let wide = widen(b, x);
            let zero = b.float(wide.ty(), 0.0);
            Ok(b.cmpf(arith::CmpFPredicate::Une, wide, zero))
        }
        (_, Class::Bool) => {
            let zero = b.int(x.ty(), 0);
            Ok(b.cmpi(arith::CmpIPredicate::Ne, x, zero))
        }
        (Class::Float, Class::Float) => float_to_float(b, x, ty),
        (Class::Float, _) => {
            let width = to.bit_width().or_decline("the result is not an integer")?;
            float_to_int(b, widen(b, x), ty, width, target == Class::Signed)
        }
        (_, Class::Float) => int_to_float(b, x, ty, source == Class::Signed),
        _ => Ok(wrap(b, resize(b, x, ty, source == Class::Signed), to)),
    }
}

/// The nearest number of a small format: rounded once, from a type that contains `x`.
fn to_small_float<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    from: Type<'c>,
    format: Format,
) -> Outcome<Value<'c>> {
    let class = Class::of(from).or_decline("the operand's element type is not supported")?;
    let value = match class {
        Class::Complex => b.parts(x)?.0,
        Class::Float => x,
        _ => {
            let fits = x.ty().bit_width().is_some_and(|width| width <= 16);
            let wide = if fits { f32_type(b.context) } else { f64_type(b.context) };
            let signed = class == Class::Signed;
            let name = if signed { arith::SITOFP } else { arith::UITOFP };
            b.cast(name, sticky(b, x, signed), wide)
        }
    };
    encode(b, widen(b, value), format)
}

/// An integer of another width, sign- or zero-extended.
pub fn resize<'c>(b: &Builder<'c>, x: Value<'c>, ty: Type<'c>, signed: bool) -> Value<'c> {
    let (from, to) = (x.ty().bit_width(), ty.bit_width());
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => x,
        std::cmp::Ordering::Greater => b.cast(arith::TRUNCI, x, ty),
        std::cmp::Ordering::Less if signed || strata_ir::planted("linalg-widen-signed") => {
            b.cast(arith::EXTSI, x, ty)
        }
        std::cmp::Ordering::Less => b.cast(arith::EXTUI, x, ty),
    }
}

fn int_to_float<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    ty: Type<'c>,
    signed: bool,
) -> Outcome<Value<'c>> {
    let width = x.ty().bit_width().or_decline("the operand is not an integer")?;
    let name = if signed { arith::SITOFP } else { arith::UITOFP };
    if ty.bit_width().is_some_and(|bits| bits >= 32) {
        return Ok(b.cast(name, x, ty));
    }
    // Through a type that represents the integer exactly, or enough of it.
    let wide = if width <= 16 { f32_type(b.context) } else { f64_type(b.context) };
    let value = b.cast(name, sticky(b, x, signed), wide);
    float_to_float(b, value, ty)
}

/// A 64-bit integer with the bits that do not fit `f64` combined into a sticky bit: the conversion to `f64`
/// is then exact, and a later rounding to fewer bits is correct.
fn sticky<'c>(b: &Builder<'c>, x: Value<'c>, signed: bool) -> Value<'c> {
    if x.ty().bit_width() != Some(64) {
        return x;
    }
    let c = |value: i64| b.int(x.ty(), value);
    let lost = b.same(arith::ANDI, &[x, c(0x7FF)]);
    let kept = b.same(arith::XORI, &[x, lost]);
    let is_exact = b.cmpi(arith::CmpIPredicate::Eq, lost, c(0));
    let joined = b.select(is_exact, kept, b.same(arith::ORI, &[kept, c(0x800)]));
    let is_small = if signed {
        let shifted = b.same(arith::ADDI, &[x, c(1 << 53)]);
        b.cmpi(arith::CmpIPredicate::Ult, shifted, c(1 << 54))
    } else {
        b.cmpi(arith::CmpIPredicate::Ult, x, c(1 << 53))
    };
    b.select(is_small, x, joined)
}

fn float_to_float<'c>(b: &Builder<'c>, x: Value<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    let (from, to) = (x.ty().bit_width(), ty.bit_width());
    if from < to {
        let wide = widen(b, x);
        return Ok(if wide.ty() == ty { wide } else { b.cast(arith::EXTF, wide, ty) });
    }
    if from == Some(64) && to < Some(32) {
        let odd = round_to_odd(b, x);
        return Ok(narrow(b, odd, ty));
    }
    Ok(narrow(b, widen(b, x), ty))
}

/// `x : f64` as `f32`, with the last bit set where it is inexact: a second rounding, to fewer bits, is
/// then the correct one.
fn round_to_odd<'c>(b: &Builder<'c>, x: Value<'c>) -> Value<'c> {
    let (f32_type, i32_type) = (f32_type(b.context), integer(b.context, 32));
    let near = b.cast(arith::TRUNCF, x, f32_type);
    let back = b.cast(arith::EXTF, near, x.ty());
    let bits = b.cast(arith::BITCAST, near, i32_type);
    let (zero, one) = (b.int(i32_type, 0), b.int(i32_type, 1));
    let last = b.same(arith::ANDI, &[bits, one]);
    let is_even = b.cmpi(arith::CmpIPredicate::Eq, last, zero);
    let (size, back_size) = (b.same(math::ABSF, &[x]), b.same(math::ABSF, &[back]));
    let too_small = b.cmpf(arith::CmpFPredicate::Olt, back_size, size);
    let too_large = b.cmpf(arith::CmpFPredicate::Ogt, back_size, size);
    let (up, down) = (b.same(arith::ADDI, &[bits, one]), b.same(arith::SUBI, &[bits, one]));
    let raised = b.select(too_small, up, bits);
    let adjusted = b.select(too_large, down, raised);
    let odd = b.select(is_even, adjusted, bits);
    b.cast(arith::BITCAST, odd, f32_type)
}

fn float_to_int<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    ty: Type<'c>,
    width: u32,
    signed: bool,
) -> Outcome<Value<'c>> {
    let name = if signed { arith::FPTOSI } else { arith::FPTOUI };
    let value_bits = width - u32::from(signed);
    // Both ends are powers of two, hence exact.
    let end = b.float(x.ty(), 2f64.powi(value_bits as i32));
    let (low, low_int, high_int) = if signed {
        (-2f64.powi(value_bits as i32), smallest(width), !smallest(width))
    } else {
        let fills = ty.bit_width() == Some(width);
        (0.0, 0, if fills { -1 } else { !(-1 << width) })
    };
    let low = b.float(x.ty(), low);
    let (low_int, high_int) = (b.int(ty, low_int), b.int(ty, high_int));
    let zero = b.int(ty, 0);
    let inside = if width < 32 {
        // In range the signed conversion is equivalent, and there is an instruction for it.
        let wide = b.cast(arith::FPTOSI, x, integer(b.context, 32));
        b.cast(arith::TRUNCI, wide, ty)
    } else {
        b.cast(name, x, ty)
    };
    // Out-of-range values give poison above, which the selects below discard.
    let too_large = b.cmpf(arith::CmpFPredicate::Oge, x, end);
    let too_small = b.cmpf(arith::CmpFPredicate::Ole, x, low);
    let is_nan = b.cmpf(arith::CmpFPredicate::Uno, x, x);
    let value = b.select(too_large, high_int, inside);
    let value = b.select(too_small, low_int, value);
    Ok(b.select(is_nan, zero, value))
}

/// The same bits as another type of the same width.
fn bitcast<'c>(b: &Builder<'c>, x: Value<'c>, ty: Type<'c>) -> Outcome<Value<'c>> {
    if x.ty() == ty {
        return Ok(x);
    }
    let widths = (x.ty().bit_width(), ty.bit_width());
    if widths.0 != widths.1 {
        return Err("the width changes".into());
    }
    if x.ty().is_complex() || ty.is_complex() {
        return Err("complex numbers have no bits to reinterpret".into());
    }
    Ok(b.cast(arith::BITCAST, x, ty))
}

/// The exponent bits and explicit mantissa bits of a floating-point type.
pub fn format_bits(ty: Type<'_>) -> Option<(u32, u32)> {
    match ElementType::from_type(ty)? {
        ElementType::Float(64) => Some((11, 52)),
        ElementType::Float(32) => Some((8, 23)),
        ElementType::BFloat16 => Some((8, 7)),
        ElementType::Float(16) => Some((5, 10)),
        _ => None,
    }
}

/// Rounds to the given exponent and mantissa bits and back, on the bits of the number.
fn reduce_precision<'c>(op: Op<'c>, b: &Builder<'c>, x: Value<'c>) -> Outcome<Value<'c>> {
    let bits_attr = |name: &str| op.attr(name).and_then(|value| value.as_i64());
    let (Some(exponent), Some(mantissa)) = (bits_attr("exponent_bits"), bits_attr("mantissa_bits"))
    else {
        return Err("the format is missing".into());
    };
    let format = format_bits(x.ty()).or_decline("the element type is not supported")?;
    let (source_exponent, source_mantissa) = (i64::from(format.0), i64::from(format.1));
    let bits = bits_of(b, x)?;
    let ty = bits.ty();
    let constant = |value: i64| b.int(ty, value);
    let sign_mask = constant(smallest(ty.bit_width().unwrap_or(64)));
    let sign = b.same(arith::ANDI, &[bits, sign_mask]);
    let mut magnitude = b.same(arith::XORI, &[bits, sign]);
    if mantissa < source_mantissa {
        let dropped = source_mantissa - mantissa;
        let shifted = b.same(arith::SHRUI, &[magnitude, constant(dropped)]);
        let last = b.same(arith::ANDI, &[shifted, constant(1)]);
        let half = constant((1 << (dropped - 1)) - 1);
        let bias = b.same(arith::ADDI, &[last, half]);
        let sum = b.same(arith::ADDI, &[magnitude, bias]);
        magnitude = b.same(arith::ANDI, &[sum, constant(-1 << dropped)]);
    }
    if exponent < source_exponent {
        let bias = (1i64 << (source_exponent - 1)) - 1;
        let reduced = (1i64 << (exponent - 1)) - 1;
        let infinity = constant(((1i64 << source_exponent) - 1) << source_mantissa);
        // The smallest magnitudes above and the smallest magnitude not below the reduced range.
        let overflow = constant((bias + reduced + 1) << source_mantissa);
        let normal = constant((bias - reduced + 1) << source_mantissa);
        let too_large = b.cmpi(arith::CmpIPredicate::Uge, magnitude, overflow);
        let too_small = b.cmpi(arith::CmpIPredicate::Ult, magnitude, normal);
        let capped = b.select(too_large, infinity, magnitude);
        magnitude = b.select(too_small, constant(0), capped);
    }
    let joined = b.same(arith::ORI, &[sign, magnitude]);
    let reduced = b.cast(arith::BITCAST, joined, x.ty());
    // NaN is kept if the mantissa can distinguish it from infinity, otherwise it becomes infinity. Widened
    // because comparisons of narrow floats are computed in f32.
    let wide = widen(b, x);
    let is_nan = b.cmpf(arith::CmpFPredicate::Uno, wide, wide);
    let nan = if mantissa > 0 { x } else { b.float(x.ty(), f64::INFINITY) };
    Ok(b.select(is_nan, nan, reduced))
}
