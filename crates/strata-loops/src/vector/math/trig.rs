//! Sine, cosine and tangent in `f32`, for arguments of any size.
//!
//! `x = q pi/2 + r` with `|r| <= pi/4`. Up to 804 sine and cosine subtract the product of `q` and `pi/2` in `f32`, in three
//! parts, with what rounding loses; that needs fused multiply-add. Up to 2^25 the product is subtracted in `f64`. Beyond, the bits
//! of `2/pi` that matter are multiplied with the mantissa of `x` as integers. The paths for larger numbers are taken only if a
//! lane needs them.

use super::num::Num;

/// `sin(r) = r + r z S(z)` with `z = r^2`; relative error 2^-37 at most, before rounding.
const SINE: &[f64] =
    &[-0.1666666716337204, 0.008333329111337662, -0.00019839336164295673, 2.718319819905446e-06];

/// `cos(r) = 1 - z/2 + z^2 C(z)`; error 2^-43 at most, before rounding.
const COSINE: &[f64] =
    &[0.0416666679084301, -0.0013888883404433727, 2.479951763234567e-05, -2.721006069350551e-07];

/// `cos(r) = 1 + z D(z)`, as long as `S`; relative error 2^-32 at most, before rounding.
const SHORT_COSINE: &[f64] =
    &[-0.5, 0.04166664555668831, -0.0013887309469282627, 2.4432327336398885e-05];

/// `pi/2` in three parts: the products of the first two with an integer below 2^25 are exact.
const HALF_PI: [f64; 3] = [1.570796325802803, 9.920935184482005e-10, 6.123233995736766e-17];

/// `pi/2` in three parts of 24, 15 and 24 bits: of an integer up to 512, the product with the first one is exact beside `x`, and
/// that with the second one is exact.
const HALF_PI32: [f64; 3] =
    [1.570_796_251_296_997, 7.549_533_620_476_723e-8, 2.563_344_068_257_089_6e-12];

/// As [`ROUNDER`], for `f32`: `1.5 * 2^23`.
const ROUNDER32: f64 = 12_582_912.0;

/// Above it `q` is larger than 512.
const MIDDLE: f64 = 804.0;

/// `1.5 * 2^52`: adding it rounds to an integer that is left in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Above it the integer path is taken.
const LARGE: f64 = 33_554_432.0;

/// The first bits of the fraction of `2/pi`, 32 in a word.
const TWO_OVER_PI: [i64; 7] =
    [0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab];

/// The quadrant `q` (its low two bits matter) and `r` in `f64`.
fn reduce(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let wide = x.to_f64();
    let shifted = wide * std::f64::consts::FRAC_2_PI + ROUNDER;
    let n = shifted - ROUNDER;
    let near = HALF_PI.iter().fold(wide, |rest, part| rest - n * *part);
    let quadrant = shifted.bits().resized(32);
    let [quadrant, r] = is_above(x, LARGE).choose_any(
        |x| {
            let (far_quadrant, far) = reduce_large(x);
            let large = is_above(x, LARGE);
            [large.select(far_quadrant, quadrant), large.select(far, near)]
        },
        x,
        [quadrant, near],
    );
    // Infinities and NaN become NaN, all else keeps its value and the sign of zero.
    (quadrant, r + wide * 0.0)
}

/// Whether the magnitude of a number is at least `limit`.
fn is_above(x: Num<'_>, limit: f64) -> Num<'_> {
    x.abs().ge(x.constant(limit))
}

/// As [`reduce`], with `r` in `f32`.
fn reduce_to_f32(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    if !x.has_fma() {
        let (quadrant, r) = reduce(x);
        return (quadrant, r.to_f32());
    }
    let [first, second, third] = HALF_PI32.map(|part| x.constant(part));
    let rounder = x.constant(ROUNDER32);
    let shifted = x.mul_add(x.constant(std::f64::consts::FRAC_2_PI), rounder);
    let n = shifted - rounder;
    // Exact.
    let rest = n.mul_add(-first, x);
    let high = n.mul_add(-second, rest);
    // What `high` is too large by: exact but for the product with the third part.
    let low = n.mul_add(third, n.mul_add(second, high - rest));
    let (quadrant, near) = (shifted.bits(), high - low);
    let [quadrant, r] = is_above(x, MIDDLE).choose_any(
        |x| {
            let (far_quadrant, r) = reduce(x);
            let far = is_above(x, MIDDLE);
            [far.select(far_quadrant, quadrant), far.select(r.to_f32(), near)]
        },
        x,
        [quadrant, near],
    );
    (quadrant, r)
}

/// As [`reduce`], for `|x| >= 2^25`.
fn reduce_large(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let bits = x.bits();
    let exponent = bits.shr(23) & bits.integer(0xff);
    let mantissa = (bits & bits.integer(0x7f_ffff)) | bits.integer(0x80_0000);
    let mantissa = mantissa.zero_extended(64);
    // x = mantissa * 2^e with e = exponent - 150: bits of 2/pi before e - 1 give multiples of 4, which do not matter.
    let position = exponent.plus(exponent.integer(-152)).zero_extended(64);
    let word = position.shr(5);
    let shift = position & position.integer(31);
    let pick = |offset: usize| {
        let constant = |index: usize| word.integer(TWO_OVER_PI[index]);
        (1..4).fold(constant(offset), |found, index| {
            word.int_eq(word.integer(index as i64)).select(constant(index + offset), found)
        })
    };
    let high = pick(0).shl(32) | pick(1);
    let low = pick(2).shl(32) | pick(3);
    let back = shift.integer(32).minus(shift);
    let first = high.shl_by(shift) | low.shr(32).shr_by(back);
    let second = low.shl_by(shift).shr(32);
    // The product in units of 2^-62, modulo 4.
    let product = mantissa.times(first).plus(mantissa.times(second).shr(32));
    let quadrant = product.plus(product.integer(1 << 61)).shr(62);
    let fraction = product.minus(quadrant.shl(62));
    let r = fraction.to_float() * (std::f64::consts::FRAC_PI_2 / (1_i64 << 62) as f64);
    let quadrant = quadrant.resized(32);
    let negative = bits.int_lt(bits.integer(0));
    let zero = quadrant.integer(0);
    (negative.select(zero.minus(quadrant), quadrant), negative.select(-r, r))
}

fn sine_of(r: Num<'_>) -> Num<'_> {
    let z = r * r;
    // The sum of zeros of different sign would lose that of `r`.
    (r * z).mul_add(z.polynomial(SINE), r).copysign(r)
}

fn cosine_of(r: Num<'_>) -> Num<'_> {
    let z = r * r;
    (z * z).mul_add(z.polynomial(COSINE), z.mul_add(z.constant(-0.5), z.constant(1.0)))
}

/// The sine of `r` plus `quadrant` right angles: `b + b z P(z)`, where `b` is `r` or 1, and `P` is chosen lane by lane. One polynomial
/// of chosen coefficients takes half as many multiply-adds as both.
fn rotated<'c>(quadrant: Num<'c>, r: Num<'c>) -> Num<'c> {
    let one = quadrant.integer(1);
    let odd = (quadrant & one).int_eq(one);
    let chosen = |cosine: f64, sine: f64| odd.select(r.constant(cosine), r.constant(sine));
    let base = odd.select(r.constant(1.0), r);
    let z = r * r;
    let factor = SHORT_COSINE
        .iter()
        .zip(SINE)
        .rev()
        .map(|(cosine, sine)| chosen(*cosine, *sine))
        .reduce(|sum, coefficient| sum.mul_add(z, coefficient));
    let rest = factor.map_or(base, |factor| (base * z).mul_add(factor, base));
    // The sum of zeros of different sign would lose that of `r`.
    let value = rest.copysign(base);
    let sign = (quadrant & quadrant.integer(2)).shl(30);
    value.bits().xor(sign).as_float()
}

/// `math.sin`.
pub fn sin(x: Num<'_>) -> Num<'_> {
    let (quadrant, r) = reduce_to_f32(x);
    rotated(quadrant, r)
}

/// `math.cos`.
pub fn cos(x: Num<'_>) -> Num<'_> {
    let (quadrant, r) = reduce_to_f32(x);
    rotated(quadrant.plus(quadrant.integer(1)), r)
}

/// `math.tan`: in `f64` to the end, the quotient would add up three roundings.
pub fn tan(x: Num<'_>) -> Num<'_> {
    let (quadrant, r) = reduce(x);
    let (sine, cosine) = (sine_of(r), cosine_of(r));
    let one = quadrant.integer(1);
    let odd = (quadrant & one).int_eq(one);
    (odd.select(-cosine, sine) / odd.select(sine, cosine)).to_f32()
}
