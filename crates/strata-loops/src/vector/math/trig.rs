//! Sine, cosine and tangent in `f32`, for arguments of any size.
//!
//! `x = q pi/2 + r` with `|r| <= pi/4`. Up to 2^25 the product of `q` and `pi/2` is subtracted in
//! `f64`. Beyond, the bits of `2/pi` that matter are multiplied with the mantissa of `x` as
//! integers; that way is taken only when a lane needs it.

use super::num::Num;

/// `sin(r) = r + r z S(z)` with `z = r^2`; relative error 2^-37 at most, before rounding.
const SINE: &[f64] =
    &[-0.1666666716337204, 0.008333329111337662, -0.00019839336164295673, 2.718319819905446e-06];

/// `cos(r) = 1 - z/2 + z^2 C(z)`; error 2^-43 at most, before rounding.
const COSINE: &[f64] =
    &[0.0416666679084301, -0.0013888883404433727, 2.479951763234567e-05, -2.721006069350551e-07];

/// `pi/2` in three parts: the products of the first two with an integer below 2^25 are exact.
const HALF_PI: [f64; 3] = [1.570796325802803, 9.920935184482005e-10, 6.123233995736766e-17];

/// `1.5 * 2^52`: adding it rounds to an integer that is left in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Above it the integer way is taken.
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
    let large = x.abs().ge(x.constant(LARGE));
    let [quadrant, r] = large.choose_any(
        |x| {
            let (far_quadrant, far) = reduce_large(x);
            let large = x.abs().ge(x.constant(LARGE));
            [large.select(far_quadrant, quadrant), large.select(far, near)]
        },
        x,
        [quadrant, near],
    );
    // Infinities and NaN become NaN, all else keeps its value and the sign of zero.
    (quadrant, r + wide * 0.0)
}

/// As [`reduce`], for `|x| >= 2^25`.
fn reduce_large(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let bits = x.bits();
    let exponent = bits.shr(23) & bits.integer(0xff);
    let mantissa = (bits & bits.integer(0x7f_ffff)) | bits.integer(0x80_0000);
    let mantissa = mantissa.zero_extended(64);
    // x = mantissa * 2^e with e = exponent - 150: bits of 2/pi in front of e - 1 give multiples
    // of 4, which make no difference.
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

/// The sine of `r` plus `quadrant` right angles.
fn turned<'c>(quadrant: Num<'c>, r: Num<'c>) -> Num<'c> {
    let one = quadrant.integer(1);
    let odd = (quadrant & one).int_eq(one);
    let value = odd.select(cosine_of(r), sine_of(r));
    let sign = (quadrant & quadrant.integer(2)).shl(30);
    value.bits().xor(sign).as_float()
}

/// `math.sin`.
pub fn sin(x: Num<'_>) -> Num<'_> {
    let (quadrant, r) = reduce(x);
    turned(quadrant, r.to_f32())
}

/// `math.cos`.
pub fn cos(x: Num<'_>) -> Num<'_> {
    let (quadrant, r) = reduce(x);
    turned(quadrant.plus(quadrant.integer(1)), r.to_f32())
}

/// `math.tan`: in `f64` to the end, the quotient would add up three roundings.
pub fn tan(x: Num<'_>) -> Num<'_> {
    let (quadrant, r) = reduce(x);
    let (sine, cosine) = (sine_of(r), cosine_of(r));
    let one = quadrant.integer(1);
    let odd = (quadrant & one).int_eq(one);
    (odd.select(-cosine, sine) / odd.select(sine, cosine)).to_f32()
}
