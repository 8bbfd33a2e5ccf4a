//! The expressions for rows of [`crate::lowerings::elementwise`] that need more than one operation.
//!
//! Integer rules: `x / 0` has all bits set and `x % 0` is `x`; the smallest number divided by -1 is
//! itself with remainder 0; a shift by the width or more, as an unsigned number, shifts everything out.

use strata_ir::{Builder, OpName, TypeExt as _, Value, arith, bool_type, integer, math, scf};
use strata_rewrite::{Guard as _, Outcome};

type Result<'c> = Outcome<Value<'c>>;

fn width(value: Value<'_>) -> Outcome<u32> {
    value.ty().bit_width().or_decline("the operand is not a number")
}

/// The smallest signed integer of `width` bits.
pub fn smallest(width: u32) -> i64 {
    i64::MIN >> (64 - width.clamp(1, 64))
}

/// The operand.
pub fn same<'c>(_: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    Ok(x[0])
}

/// Zero of the operand's type.
pub fn zero<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    Ok(b.number(x[0].ty(), 0.0))
}

/// `complex.create`.
pub fn make_complex<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    Ok(b.complex(x[0], x[1]))
}

/// Real part.
pub fn real<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    Ok(b.parts(x[0])?.0)
}

/// Imaginary part.
pub fn imaginary<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    Ok(b.parts(x[0])?.1)
}

/// The imaginary part negated.
pub fn conjugate<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let (re, im) = b.parts(x[0])?;
    Ok(b.complex(re, b.same(arith::NEGF, &[im])))
}

/// The upper half of a product of signed integers.
pub fn high_signed<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let ty = x[0].ty();
    let high = high_half(b, x, arith::EXTSI)?;
    if width(x[0])? < 64 {
        return Ok(high);
    }
    // As unsigned numbers, a negative operand is 2^64 too large.
    let zero = b.int(ty, 0);
    let excess = |of: Value<'c>, other: Value<'c>| {
        let is_negative = b.cmpi(arith::CmpIPredicate::Slt, of, zero);
        b.select(is_negative, other, zero)
    };
    let high = b.same(arith::SUBI, &[high, excess(x[0], x[1])]);
    Ok(b.same(arith::SUBI, &[high, excess(x[1], x[0])]))
}

/// The upper half of a product of unsigned integers.
pub fn high_unsigned<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    high_half(b, x, arith::EXTUI)
}

/// The upper half of a product in a type of 64 bits; of 64-bit numbers, as unsigned ones, from the
/// products of their halves.
fn high_half<'c>(b: &Builder<'c>, x: &[Value<'c>], extend: OpName<'static>) -> Result<'c> {
    let ty = x[0].ty();
    let width = width(x[0])?;
    let wide = integer(b.context, 64);
    if width < 64 {
        let [left, right] = [x[0], x[1]].map(|x| b.cast(extend, x, wide));
        let product = b.same(arith::MULI, &[left, right]);
        let shift = b.int(wide, i64::from(width));
        let high = b.same(arith::SHRUI, &[product, shift]);
        return Ok(b.cast(arith::TRUNCI, high, ty));
    }
    let half = b.int(wide, 32);
    let mask = b.int(wide, 0xffff_ffff);
    let high_of = |x| b.same(arith::SHRUI, &[x, half]);
    let low_of = |x| b.same(arith::ANDI, &[x, mask]);
    let times = |x, y| b.same(arith::MULI, &[x, y]);
    let plus = |x, y| b.same(arith::ADDI, &[x, y]);
    let (a, c) = (high_of(x[0]), high_of(x[1]));
    let (d, e) = (low_of(x[0]), low_of(x[1]));
    // No sum overflows: a product of halves leaves room for two more halves.
    let first = plus(times(a, e), high_of(times(d, e)));
    let second = plus(times(d, c), low_of(first));
    Ok(plus(plus(times(a, c), high_of(first)), high_of(second)))
}

/// `1 / (1 + exp(-x))`; of a negative number `exp(x) / (1 + exp(x))`, which does not overflow on the way to results below the
/// normal range.
pub fn logistic<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let (zero, one) = (b.float(x[0].ty(), 0.0), b.float(x[0].ty(), 1.0));
    let size = b.same(math::ABSF, x);
    let shrunk = b.same(math::EXP, &[b.same(arith::NEGF, &[size])]);
    let sum = b.same(arith::ADDF, &[one, shrunk]);
    let is_negative = b.cmpf(arith::CmpFPredicate::Olt, x[0], zero);
    let share = b.select(is_negative, shrunk, one);
    Ok(b.same(arith::DIVF, &[share, sum]))
}

/// `|x| < infinity`, false for NaN.
pub fn is_finite<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let infinity = b.float(x[0].ty(), f64::INFINITY);
    let magnitude = b.same(math::ABSF, x);
    Ok(b.cmpf(arith::CmpFPredicate::Olt, magnitude, infinity))
}

/// -1 or 1 with the operand's sign; zeros and NaN are kept.
pub fn sign_float<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let one = b.float(x[0].ty(), 1.0);
    let zero = b.float(x[0].ty(), 0.0);
    let signed = b.same(math::COPYSIGN, &[one, x[0]]);
    let is_zero = b.cmpf(arith::CmpFPredicate::Oeq, x[0], zero);
    let is_nan = b.cmpf(arith::CmpFPredicate::Uno, x[0], x[0]);
    let stays = b.same(arith::ORI, &[is_zero, is_nan]);
    Ok(b.select(stays, x[0], signed))
}

/// -1, 0 or 1.
pub fn sign_int<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let ty = x[0].ty();
    let (low, high) = (b.int(ty, -1), b.int(ty, 1));
    let above = b.same(arith::MAXSI, &[x[0], low]);
    Ok(b.same(arith::MINSI, &[above, high]))
}

/// `0 - x`, wrapping.
pub fn negate_int<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let zero = b.int(x[0].ty(), 0);
    Ok(b.same(arith::SUBI, &[zero, x[0]]))
}

/// Complement of every bit.
pub fn not<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let ones = b.int(x[0].ty(), -1);
    Ok(b.same(arith::XORI, &[x[0], ones]))
}

/// A safe divisor, whether the original was zero, and whether the quotient overflows.
fn safe_divisor<'c>(
    b: &Builder<'c>,
    x: &[Value<'c>],
    signed: bool,
) -> Outcome<(Value<'c>, Value<'c>, Value<'c>)> {
    let ty = x[0].ty();
    let (zero, one) = (b.int(ty, 0), b.int(ty, 1));
    let by_zero = b.cmpi(arith::CmpIPredicate::Eq, x[1], zero);
    let overflows = if signed {
        let least = b.int(ty, smallest(width(x[0])?));
        let minus_one = b.int(ty, -1);
        let is_least = b.cmpi(arith::CmpIPredicate::Eq, x[0], least);
        let by_minus_one = b.cmpi(arith::CmpIPredicate::Eq, x[1], minus_one);
        b.same(arith::ANDI, &[is_least, by_minus_one])
    } else {
        b.int(bool_type(b.context), 0)
    };
    let unsafe_divisor = if signed { b.same(arith::ORI, &[by_zero, overflows]) } else { by_zero };
    Ok((b.select(unsafe_divisor, one, x[1]), by_zero, overflows))
}

/// Quotient rounded toward zero.
pub fn divide_signed<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    // The smallest number divided by the harmless 1 is itself, as it should be when it overflows.
    let (divisor, by_zero, _) = safe_divisor(b, x, true)?;
    let quotient = b.same(arith::DIVSI, &[x[0], divisor]);
    let ones = b.int(x[0].ty(), -1);
    Ok(b.select(by_zero, ones, quotient))
}

/// Quotient rounded down.
pub fn divide_unsigned<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let (divisor, by_zero, _) = safe_divisor(b, x, false)?;
    let quotient = b.same(arith::DIVUI, &[x[0], divisor]);
    let ones = b.int(x[0].ty(), -1);
    Ok(b.select(by_zero, ones, quotient))
}

/// Remainder with the dividend's sign.
pub fn remainder_signed<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let (divisor, by_zero, _) = safe_divisor(b, x, true)?;
    let remainder = b.same(arith::REMSI, &[x[0], divisor]);
    Ok(b.select(by_zero, x[0], remainder))
}

/// Remainder.
pub fn remainder_unsigned<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let (divisor, by_zero, _) = safe_divisor(b, x, false)?;
    let remainder = b.same(arith::REMUI, &[x[0], divisor]);
    Ok(b.select(by_zero, x[0], remainder))
}

fn shift<'c>(
    b: &Builder<'c>,
    x: &[Value<'c>],
    name: OpName<'static>,
    all_out: impl FnOnce(&Builder<'c>) -> Value<'c>,
) -> Result<'c> {
    let ty = x[0].ty();
    let (zero, limit) = (b.int(ty, 0), b.int(ty, i64::from(width(x[0])?)));
    let in_range = b.cmpi(arith::CmpIPredicate::Ult, x[1], limit);
    let amount = b.select(in_range, x[1], zero);
    let shifted = b.same(name, &[x[0], amount]);
    let out = all_out(b);
    Ok(b.select(in_range, shifted, out))
}

/// `x << n`.
pub fn shift_left<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    shift(b, x, arith::SHLI, |b| b.int(x[0].ty(), 0))
}

/// `x >> n` with zeros.
pub fn shift_right_logical<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    shift(b, x, arith::SHRUI, |b| b.int(x[0].ty(), 0))
}

/// `x >> n` with copies of the sign bit.
pub fn shift_right_arithmetic<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let last = i64::from(width(x[0])?) - 1;
    shift(b, x, arith::SHRSI, |b| {
        let all = b.int(x[0].ty(), last);
        b.same(arith::SHRSI, &[x[0], all])
    })
}

/// `x ** n` by squaring, once per bit of the exponent; wraps.
fn power<'c>(b: &Builder<'c>, x: Value<'c>, n: Value<'c>) -> Result<'c> {
    let ty = x.ty();
    let bits = width(x)?;
    let (zero, one) = (b.int(ty, 0), b.int(ty, 1));
    let before = b.region(&[ty, ty, ty], |inner, args| {
        let goes_on = inner.cmpi(arith::CmpIPredicate::Ne, args[2], zero);
        inner.op(scf::CONDITION).operand(goes_on).operands(args).build();
    });
    let after = b.region(&[ty, ty, ty], |inner, args| {
        let lowest = inner.same(arith::ANDI, &[args[2], one]);
        let is_set = inner.cmpi(arith::CmpIPredicate::Ne, lowest, zero);
        let product = inner.same(arith::MULI, &[args[0], args[1]]);
        let power = inner.select(is_set, product, args[0]);
        let square = inner.same(arith::MULI, &[args[1], args[1]]);
        // A shift by one is past the width of a one-bit integer.
        let rest = if bits > 1 { inner.same(arith::SHRUI, &[args[2], one]) } else { zero };
        inner.op(scf::YIELD).operands(&[power, square, rest]).build();
    });
    let state = b
        .op(scf::WHILE)
        .operands(&[one, x, n])
        .results(&[ty, ty, ty])
        .region(before)
        .region(after)
        .build();
    Ok(state.result(0))
}

/// `x ** n`, wrapping.
pub fn power_unsigned<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    power(b, x[0], x[1])
}

/// `x ** n`, wrapping; for a negative `n`: 1 and -1 keep magnitude one, all others give 0.
pub fn power_signed<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let ty = x[0].ty();
    let (zero, one, minus_one) = (b.int(ty, 0), b.int(ty, 1), b.int(ty, -1));
    let is_negative = b.cmpi(arith::CmpIPredicate::Slt, x[1], zero);
    // Of a negative exponent only its parity matters.
    let parity = b.same(arith::ANDI, &[x[1], one]);
    let exponent = b.select(is_negative, parity, x[1]);
    let value = power(b, x[0], exponent)?;
    let is_one = b.cmpi(arith::CmpIPredicate::Eq, x[0], one);
    let is_minus_one = b.cmpi(arith::CmpIPredicate::Eq, x[0], minus_one);
    let is_unit = b.same(arith::ORI, &[is_one, is_minus_one]);
    let reciprocal = b.select(is_unit, value, zero);
    Ok(b.select(is_negative, reciprocal, value))
}

/// Whether `x > y`, comparing real parts and then imaginary ones.
pub fn complex_greater<'c>(b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Result<'c> {
    let ((xr, xi), (yr, yi)) = (b.parts(x)?, b.parts(y)?);
    let real = b.cmpf(arith::CmpFPredicate::Ogt, xr, yr);
    let tie = b.cmpf(arith::CmpFPredicate::Oeq, xr, yr);
    let imaginary = b.cmpf(arith::CmpFPredicate::Ogt, xi, yi);
    let by_tie = b.same(arith::ANDI, &[tie, imaginary]);
    Ok(b.same(arith::ORI, &[real, by_tie]))
}

/// The larger one in lexicographic order.
pub fn complex_max<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    complex_extremum(b, [x[0], x[1]], [x[0], x[1]], arith::MAXIMUMF)
}

/// The smaller one in lexicographic order.
pub fn complex_min<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    complex_extremum(b, [x[0], x[1]], [x[1], x[0]], arith::MINIMUMF)
}

/// The first of two numbers where the first in `order` is greater, the second where the other one is. If neither is, part by
/// part, so that the operation is commutative: NaN is kept, and zeros are ordered by their signs.
fn complex_extremum<'c>(
    b: &Builder<'c>,
    [x, y]: [Value<'c>; 2],
    order: [Value<'c>; 2],
    of_parts: OpName<'static>,
) -> Result<'c> {
    let ((xr, xi), (yr, yi)) = (b.parts(x)?, b.parts(y)?);
    let mixed = b.complex(b.same(of_parts, &[xr, yr]), b.same(of_parts, &[xi, yi]));
    let first = complex_greater(b, order[0], order[1])?;
    let second = complex_greater(b, order[1], order[0])?;
    Ok(b.select(first, x, b.select(second, y, mixed)))
}

/// The bits of a float or integer as an integer of the same width.
pub fn bits_of<'c>(b: &Builder<'c>, x: Value<'c>) -> Result<'c> {
    let ty = integer(b.context, width(x)?);
    Ok(if x.ty() == ty { x } else { b.cast(arith::BITCAST, x, ty) })
}
