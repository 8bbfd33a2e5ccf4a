//! Roots and powers.

use super::{
    exp::{exp, exp_of_sum},
    log::{log, log_sum},
    num::Num,
};

/// `math.rsqrt`: `1 / sqrt(x)`, both correctly rounded.
pub fn rsqrt(x: Num<'_>) -> Num<'_> {
    x.constant(1.0) / x.sqrt()
}

/// The cube root on [1, 8) within 0.6 %, to start from.
const SEED: &[f64] = &[
    0.682_110_885_578_951_6,
    0.364_174_637_801_361_17,
    -0.043_222_914_876_539_335,
    0.002_306_843_510_033_945,
];

/// `math.cbrt` in `f64`: `x = m 2^(3q)` with `m` in [1, 8), two steps of Halley's iteration from
/// a polynomial, one of Newton's at the end for the rounding.
pub fn cbrt(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let small = magnitude.lt(x.constant(f64::MIN_POSITIVE));
    let scaled = small.select(magnitude * 54.0_f64.exp2(), magnitude);
    let bits = scaled.bits();
    let exponent = bits.shr(52).minus(bits.integer(1023)).to_float();
    // (e - 1) / 3 rounds to the floor of e / 3.
    let rounder = x.constant(6_755_399_441_055_744.0);
    let third = (exponent - 1.0).mul_add(x.constant(1.0 / 3.0), rounder);
    let q = third.bits().minus(rounder.bits());
    let m = bits.minus(q.plus(q).plus(q).shl(52)).as_float();
    let mut y = m.polynomial(SEED);
    for _ in 0..2 {
        let cube = y * y * y;
        y = y * ((cube + (m + m)) / (cube + cube + m));
    }
    let square = y * y;
    y = y - (square.mul_add(y, -m)) / (square * 3.0);
    let q = small.select(q.minus(q.integer(18)), q);
    let result = y * q.plus(q.integer(1023)).shl(52).as_float();
    // Zero, infinity and NaN are their own cube roots.
    let finite = magnitude.lt(x.constant(f64::INFINITY));
    let zero = magnitude.eq(x.constant(0.0));
    let result = finite.select(result, magnitude);
    zero.select(magnitude, result).copysign(x)
}

/// `math.powf` on `f32` values computed in `f64`: `exp(y log |x|)` has 29 bits to spare.
pub fn pow_single<'c>(x: Num<'c>, y: Num<'c>) -> Num<'c> {
    with_sign(x, y, exp(y * log(x.abs())))
}

/// `math.powf` in `f64`: the logarithm and its product with `y` as sums of two numbers.
pub fn pow<'c>(x: Num<'c>, y: Num<'c>) -> Num<'c> {
    let (high, low) = log_sum(x.abs());
    let (product, error) = y.mul_exact(high);
    let rest = error + y * low;
    // Where the power overflows or vanishes the rest may be NaN, and does not matter.
    let near = product.abs().lt(x.constant(746.0));
    let size = exp_of_sum(product, near.select(rest, x.constant(0.0)));
    with_sign(x, y, size)
}

/// The power from that of the magnitude, with the exceptions of C's Annex F.
fn with_sign<'c>(x: Num<'c>, y: Num<'c>, size: Num<'c>) -> Num<'c> {
    let one = x.constant(1.0);
    let zero = x.constant(0.0);
    let magnitude = x.abs();
    // Infinite powers of 1 would be NaN.
    let size = magnitude.eq(one).select(one, size);
    let half = y * 0.5;
    let whole = is_integer(y);
    let odd = whole & is_integer(half).not();
    // The sign bit counts, not the order: -0 to an odd power is -0 or -infinity.
    let negative = x.bits().int_lt(x.bits().integer(0));
    let result = (negative & odd).select(-size, size);
    let finite = magnitude.lt(x.constant(f64::INFINITY));
    let undefined = x.lt(zero) & finite & whole.not();
    let result = undefined.select(x.constant(f64::NAN), result);
    (y.eq(zero) | x.eq(one)).select(one, result)
}

/// Whether a number has no fraction.
fn is_integer(y: Num<'_>) -> Num<'_> {
    let magnitude = y.abs();
    let limit = y.constant(4_503_599_627_370_496.0);
    let rounded = (magnitude + limit) - limit;
    rounded.eq(magnitude) | magnitude.ge(limit)
}
