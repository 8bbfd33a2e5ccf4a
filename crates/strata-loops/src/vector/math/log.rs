//! The logarithm and its relatives.
//!
//! `x = 2^k (1 + f)` with `1 + f` between `sqrt(1/2)` and `sqrt(2)`. In `f32` `log(1 + f)` is
//! `f - f^2/2 + f^3 P(f)`; in `f64` it is `f - s (f - z P(z))` with `s = f / (2 + f)` and
//! `z = s^2`, the series of the inverse hyperbolic tangent. Both `P` are minimax polynomials.

use std::f64::consts::LN_2;

use super::num::Num;

/// Relative error of `log(1 + f)` 2^-30 at most, before rounding.
const P32: &[f64] = &[
    0.333_333_104_848_861_7,
    -0.249_999_865_889_549_26,
    0.200_022_220_611_572_27,
    -0.166_692_301_630_973_82,
    0.142_187_565_565_109_25,
    -0.123_848_348_855_972_29,
    0.118_727_304_041_385_65,
    -0.117_865_256_965_160_37,
    0.069_117_531_180_381_77,
];

/// Relative error of `log(1 + f)` 2^-65 at most, before rounding.
const P64: &[f64] = &[
    0.666_666_666_666_666_6,
    0.400_000_000_000_062_86,
    0.285_714_285_690_732_9,
    0.222_222_226_487_072_65,
    0.181_817_755_115_194_02,
    0.153_870_975_359_225_45,
    0.132_499_643_323_140_7,
    0.132_527_359_453_034_5,
];

/// `R` of [`log_sum`]; relative error 2^-53 at most, which is 2^-71 of `log(1 + f)`.
const R64: &[f64] = &[
    0.285_714_285_714_285_7,
    0.222_222_222_222_222_15,
    0.181_818_181_818_239_8,
    0.153_846_153_826_006_03,
    0.133_333_336_836_483_88,
    0.117_646_717_183_142_79,
    0.105_282_680_729_375_06,
    0.094_591_052_116_225_39,
    0.098_382_047_092_029_15,
];

/// `2/3` and `2/5`, each as a sum of two numbers.
const TWO_THIRDS: [f64; 2] = [2.0 / 3.0, 3.700_743_415_417_188e-17];
const TWO_FIFTHS: [f64; 2] = [0.4, -2.220_446_049_250_313_2e-17];

/// `k` as a float and `f`, for a positive normal `x`.
fn split(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let (mantissa, root_half) =
        if x.width() == 64 { (52, 0x3fe6_a09e_667f_3bcd) } else { (23, 0x3f35_04f3) };
    let bits = x.bits();
    // Bits above those of sqrt(1/2) carry into the exponent at sqrt(2).
    let above = bits.minus(bits.integer(root_half));
    let k = above.sar(mantissa);
    let one_plus_f = bits.minus(k.shl(mantissa)).as_float();
    (k.to_float(), one_plus_f - 1.0)
}

/// `log(1 + f) + k ln 2 + low`.
fn combine<'c>(k: Num<'c>, f: Num<'c>, low: Num<'c>) -> Num<'c> {
    if f.width() == 64 {
        let s = f / (f + 2.0);
        let z = s * s;
        let tail = s * (f - z * z.polynomial(P64));
        let low = k.mul_add(k.constant(1.908_214_929_270_587_7e-10), low);
        return k.mul_add(k.constant(0.693_147_180_369_123_8), f - (tail - low));
    }
    let square = f * f;
    let tail = f.polynomial(P32) * f;
    let tail = square.mul_add(tail, k.mul_add(k.constant(-2.121_944_400_546_905_8e-4), low));
    let sum = f + square.mul_add(f.constant(-0.5), tail);
    k.mul_add(k.constant(0.693_359_375), sum)
}

/// The results that no formula gives: for zero, negative numbers, infinity and NaN.
fn with_specials<'c>(x: Num<'c>, result: Num<'c>) -> Num<'c> {
    let infinity = x.constant(f64::INFINITY);
    let zero = x.constant(0.0);
    let result = x.eq(infinity).select(x, result);
    let result = x.eq(zero).select(-infinity, result);
    // False for NaN, too.
    x.ge(zero).select(result, x.constant(f64::NAN))
}

/// Scales numbers below the normal range up; the second result is what that adds to `k`.
fn normalised(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let (smallest, shift): (f64, f64) = if x.width() == 64 {
        (f64::MIN_POSITIVE, 54.0)
    } else {
        (f64::from(f32::MIN_POSITIVE), 25.0)
    };
    let small = x.lt(x.constant(smallest));
    let scaled = small.select(x * shift.exp2(), x);
    (scaled, small.select(x.constant(-shift), x.constant(0.0)))
}

/// `math.log`.
pub fn log(x: Num<'_>) -> Num<'_> {
    let (scaled, shift) = normalised(x);
    let (k, f) = split(scaled);
    with_specials(x, combine(k + shift, f, x.constant(0.0)))
}

/// `log(x)` of an `f64` as a sum of two numbers, to about 68 bits.
pub fn log_sum(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let (scaled, shift) = normalised(x);
    let (k, f) = split(scaled);
    let k = k + shift;
    // s = f / (2 + f), the remainder of the division divided again.
    let divisor = f + 2.0;
    let divisor_low = f - (divisor - 2.0);
    let s = f / divisor;
    let (product, error) = s.mul_exact(divisor);
    let s_low = (((f - product) - error) - s * divisor_low) / divisor;
    // log(1 + f) = 2 s + s z (2/3 + z (2/5 + z R(z))).
    let (z, error) = s.mul_exact(s);
    let z_low = error + (s + s) * s_low;
    let (q, q_low) = sum_with(z * z.polynomial(R64), TWO_FIFTHS);
    let (product, error) = q.mul_exact(z);
    let (p, p_low) = sum_with(product, TWO_THIRDS);
    let p_low = p_low + (error + (q * z_low + q_low * z));
    let (cube, error) = s.mul_exact(z);
    let cube_low = error + (s * z_low + s_low * z);
    let (w, error) = cube.mul_exact(p);
    let w_low = error + (cube * p_low + cube_low * p);
    // The sum, largest terms first; the product of k with the short part of ln 2 is exact.
    let k_high = k * 0.693_147_180_369_123_8;
    let twice = s + s;
    let first = k_high + twice;
    let first_low = lost(k_high, twice, first);
    let high = first + w;
    let high_low = lost(first, w, high);
    let rest = k.mul_add(k.constant(1.908_214_929_270_587_7e-10), w_low + (s_low + s_low));
    let low = (first_low + high_low) + rest;
    // The second number has to be lost beside the first.
    let sum = high + low;
    let low = low - (sum - high);
    let infinity = x.constant(f64::INFINITY);
    let zero = x.constant(0.0);
    (with_specials(x, sum), (x.eq(infinity) | x.eq(zero)).select(zero, low))
}

/// A constant of two parts plus a smaller number, as a sum of two numbers.
fn sum_with<'c>(x: Num<'c>, [high, low]: [f64; 2]) -> (Num<'c>, Num<'c>) {
    let constant = x.constant(high);
    let sum = constant + x;
    (sum, (constant - sum) + x + low)
}

/// What the sum of `a` and `b` lost, whichever is larger.
fn lost<'c>(a: Num<'c>, b: Num<'c>, sum: Num<'c>) -> Num<'c> {
    let b_part = sum - a;
    (a - (sum - b_part)) + (b - b_part)
}

/// `math.log1p`: the logarithm of the rounded `1 + x`, plus what rounding lost over `1 + x`.
pub fn log1p(x: Num<'_>) -> Num<'_> {
    let sum = x + 1.0;
    // What rounding lost; of the larger term first, so that the difference is exact.
    let lost = x.lt(x.constant(1.0)).select(x - (sum - 1.0), x.constant(1.0) - (sum - x));
    let (k, f) = split(sum);
    let result = with_specials(sum, combine(k, f, lost / sum));
    // Keeps -0, and numbers so small that 1 + x is 1.
    sum.eq(x.constant(1.0)).select(x, result)
}

/// `math.log2`, by the logarithm of the fraction: powers of two are exact.
pub fn log2(x: Num<'_>) -> Num<'_> {
    let (scaled, shift) = normalised(x);
    let (k, f) = split(scaled);
    let zero = x.constant(0.0);
    let fraction = combine(zero, f, zero);
    with_specials(x, fraction.mul_add(x.constant(std::f64::consts::LOG2_E), k + shift))
}

/// `math.log10`.
pub fn log10(x: Num<'_>) -> Num<'_> {
    log(x) * std::f64::consts::LOG10_E
}

/// `math.asinh`: `log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))`, by the logarithm where `x^2` is large.
pub fn asinh(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let near = log1p(magnitude + square / ((square + 1.0).sqrt() + 1.0));
    let far = log(magnitude) + LN_2;
    magnitude.gt(x.constant(far_from_one(x))).select(far, near).copysign(x)
}

/// `math.acosh`: `log1p(t + sqrt(2 t + t^2))` with `t = x - 1`.
pub fn acosh(x: Num<'_>) -> Num<'_> {
    let t = x - 1.0;
    let near = log1p(t + t.mul_add(t, t + t).sqrt());
    let far = log(x) + LN_2;
    let result = x.gt(x.constant(far_from_one(x))).select(far, near);
    // Below 1 the square of `t` would hide that there is no result.
    t.ge(x.constant(0.0)).select(result, x.constant(f64::NAN))
}

/// `math.atanh`: `log1p(2 |x| / (1 - |x|)) / 2`.
pub fn atanh(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let ratio = (magnitude + magnitude) / (magnitude.constant(1.0) - magnitude);
    (log1p(ratio) * 0.5).copysign(x)
}

/// Where 1 is lost beside the square.
fn far_from_one(x: Num<'_>) -> f64 {
    if x.width() == 64 { 268_435_456.0 } else { 65_536.0 }
}
