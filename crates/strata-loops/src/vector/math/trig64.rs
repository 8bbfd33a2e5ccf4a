//! Sine, cosine and tangent in `f64`, for arguments of any size.
//!
//! As in [`super::trig`], but `r` is a sum of two numbers: near a multiple of `pi/2` one alone would
//! not have enough digits.

use super::num::Num;

/// `sin(r) = r + r z S(z)` with `z = r^2`; relative error 2^-68 at most, before rounding.
const SINE: &[f64] = &[
    -0.16666666666666666,
    0.008333333333333323,
    -0.00019841269841255066,
    2.755731921418886e-06,
    -2.5052104911124643e-08,
    1.6058366562499864e-10,
    -7.578694411683423e-13,
];

/// `cos(r) = 1 - z/2 + z^2 C(z)`; error 2^-75 at most, before rounding.
const COSINE: &[f64] = &[
    0.041666666666666664,
    -0.0013888888888888874,
    2.480158730157143e-05,
    -2.755731921534691e-07,
    2.0876754359541173e-09,
    -1.1470292512726372e-11,
    4.7380751824432934e-14,
];

/// `pi/2` in four parts: the products of the first two with an integer below 2^25 are exact.
const HALF_PI: [f64; 4] =
    [1.570796325802803, 9.920935184482005e-10, 6.123233995736766e-17, -1.4973849048591698e-33];

/// `pi/2` as a sum of two numbers.
const HALF_PI_SUM: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// `1.5 * 2^52`: adding it rounds to an integer that is left in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Above it the integer path is taken.
const LARGE: f64 = 33_554_432.0;

/// `2/pi`, from 32 bits before the binary point on, 32 in a word.
const TWO_OVER_PI: &[i64] = &[
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20,
];

/// The quadrant (its low two bits matter) and `r` as a sum of two numbers.
fn reduce(x: Num<'_>) -> [Num<'_>; 3] {
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let n = shifted - ROUNDER;
    // Both differences are exact.
    let rest = (x - n * HALF_PI[0]) - n * HALF_PI[1];
    let (product, below) = n.mul_exact(x.constant(HALF_PI[2]));
    let high = rest - product;
    let low = (((rest - high) - product) - below) - n * HALF_PI[3];
    let near = [shifted.bits(), high, low];
    let large = x.abs().ge(x.constant(LARGE));
    let [quadrant, high, low] = large.choose_any(
        |x| {
            let far = reduce_large(x);
            let large = x.abs().ge(x.constant(LARGE));
            [0, 1, 2].map(|part| large.select(far[part], near[part]))
        },
        x,
        near,
    );
    // Infinities and NaN become NaN, all else keeps its value and the sign of zero.
    [quadrant, high + x * 0.0, low]
}

/// As [`reduce`], for `|x| >= 2^25`.
fn reduce_large(x: Num<'_>) -> [Num<'_>; 3] {
    let bits = x.bits();
    let exponent = bits.shr(52) & bits.integer(0x7ff);
    let fraction = bits & bits.integer(0xf_ffff_ffff_ffff);
    let mantissa = fraction | bits.integer(0x10_0000_0000_0000);
    // x = mantissa * 2^e with e = exponent - 1075: bits of 2/pi before e - 1 give multiples of 4,
    // which do not matter. The table begins 32 bits early.
    let position = exponent.plus(exponent.integer(32 - 2 - 1075));
    let word = position.shr(5);
    let shift = position & position.integer(31);
    let back = shift.integer(32).minus(shift);
    let last = TWO_OVER_PI.len() - 7;
    let pick = |offset: usize| {
        let constant = |index: usize| word.integer(TWO_OVER_PI[index + offset]);
        (1..=last).fold(constant(0), |found, index| {
            word.int_eq(word.integer(index as i64)).select(constant(index), found)
        })
    };
    let words: Vec<Num<'_>> = (0..7).map(pick).collect();
    // Three words of 64 bits from the position on.
    let window = |at: usize| {
        let pair = words[at].shl(32) | words[at + 1];
        pair.shl_by(shift) | words[at + 2].shr_by(back)
    };
    let (first, _) = mantissa.times_extended(window(0));
    let (second, carry) = mantissa.times_extended(window(2));
    let (_, third) = mantissa.times_extended(window(4));
    // The product modulo 4: units of 2^-62, and of 2^-126 below.
    let below = second.plus(third);
    let overflow = below.int_below(second).zero_extended(64);
    let product = first.plus(carry).plus(overflow);
    let quadrant = product.plus(product.integer(1 << 61)).shr(62);
    let rest = product.minus(quadrant.shl(62));
    let high = rest.to_float();
    let left = rest.minus(high.to_integer()).to_float();
    let unit = (-62.0_f64).exp2();
    let low = left * unit + below.shr(1).to_float() * (-125.0_f64).exp2();
    let high = high * unit;
    // Times pi/2.
    let (top, error) = high.mul_exact(x.constant(HALF_PI_SUM.0));
    let bottom = error + (high * HALF_PI_SUM.1 + low * HALF_PI_SUM.0);
    let sum = top + bottom;
    let bottom = bottom - (sum - top);
    let negative = bits.int_lt(bits.integer(0));
    let zero = quadrant.integer(0);
    [
        negative.select(zero.minus(quadrant), quadrant),
        negative.select(-sum, sum),
        negative.select(-bottom, bottom),
    ]
}

fn sine_of<'c>(r: Num<'c>, low: Num<'c>) -> Num<'c> {
    let z = r * r;
    let correction = low * z.mul_add(z.constant(-0.5), z.constant(1.0));
    // The sum of zeros of different sign would lose that of `r`.
    (r + (r * z).mul_add(z.polynomial(SINE), correction)).copysign(r)
}

fn cosine_of<'c>(r: Num<'c>, low: Num<'c>) -> Num<'c> {
    let z = r * r;
    let half = z * 0.5;
    let one = z.constant(1.0);
    let top = one - half;
    let lost = (one - top) - half;
    top + (lost + (z * z).mul_add(z.polynomial(COSINE), -(r * low)))
}

/// The sine of `r` plus `quadrant` right angles.
fn rotated<'c>(quadrant: Num<'c>, r: Num<'c>, low: Num<'c>) -> Num<'c> {
    let one = quadrant.integer(1);
    let odd = (quadrant & one).int_eq(one);
    let value = odd.select(cosine_of(r, low), sine_of(r, low));
    let sign = (quadrant & quadrant.integer(2)).shl(62);
    value.bits().xor(sign).as_float()
}

/// `math.sin`.
pub fn sin(x: Num<'_>) -> Num<'_> {
    let [quadrant, r, low] = reduce(x);
    rotated(quadrant, r, low)
}

/// `math.cos`.
pub fn cos(x: Num<'_>) -> Num<'_> {
    let [quadrant, r, low] = reduce(x);
    rotated(quadrant.plus(quadrant.integer(1)), r, low)
}

/// `math.tan`.
pub fn tan(x: Num<'_>) -> Num<'_> {
    let [quadrant, r, low] = reduce(x);
    let (sine, cosine) = (sine_of(r, low), cosine_of(r, low));
    let one = quadrant.integer(1);
    let odd = (quadrant & one).int_eq(one);
    odd.select(-cosine, sine) / odd.select(sine, cosine)
}
