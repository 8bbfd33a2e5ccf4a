//! The exponential and its relatives.
//!
//! `x = n ln 2 + r` with integer `n` and `|r| <= ln 2 / 2`; `exp(r) - 1 = r + r^2 Q(r)`, `Q` a
//! minimax polynomial. `2^n` is applied in two halves, so that results below the normal range
//! round once and results above it become infinite. Far below (masked logits, say) the halves are zero: a product that
//! vanishes by rounding takes the processor 150 cycles.

use super::num::Num;

/// What differs between `f32` and `f64`.
struct Format {
    /// Above it the result is infinite.
    highest: f64,
    /// As `highest`, and `n` is still at most one above the exponents of normal numbers.
    highest_power: f64,
    /// At it and below the halves of `2^n` are zero, which is where `n` is twice the exponent of the smallest ones.
    lowest: f64,
    /// `1.5 * 2^mantissa`: adding it rounds to an integer that is left in the low bits.
    rounder: f64,
    /// `ln 2` to so few bits that its product with `n` is exact.
    ln2_high: f64,
    /// The rest of `ln 2`.
    ln2_low: f64,
    /// The bits of the mantissa.
    mantissa: i64,
    /// The exponent's bias.
    bias: i64,
    /// `Q`; relative error of `exp` 2^-32 and 2^-68 at most, before rounding.
    q: &'static [f64],
}

const F32: Format = Format {
    highest: 90.0,
    highest_power: 88.9,
    lowest: -175.9,
    rounder: 12_582_912.0,
    ln2_high: 0.693_359_375,
    ln2_low: -2.121_944_400_546_905_8e-4,
    mantissa: 23,
    bias: 127,
    q: &[
        0.5,
        0.166_666_671_633_720_4,
        0.041_666_351_258_754_73,
        0.008_333_288_133_144_379,
        0.001_394_116_319_715_977,
        0.000_199_052_650_714_312_93,
    ],
};

const F64: Format = Format {
    highest: 711.0,
    highest_power: 709.9,
    lowest: -1418.0,
    rounder: 6_755_399_441_055_744.0,
    ln2_high: 0.693_147_180_369_123_8,
    ln2_low: 1.908_214_929_270_587_7e-10,
    mantissa: 52,
    bias: 1023,
    q: &[
        0.5,
        0.166_666_666_666_666_66,
        0.041_666_666_666_666_69,
        0.008_333_333_333_333_338,
        0.001_388_888_888_887_182_6,
        0.000_198_412_698_412_474_28,
        2.480_158_735_024_824_7e-5,
        2.755_731_927_475_768e-6,
        2.755_725_177_554_743e-7,
        2.505_204_957_468_191_8e-8,
        2.092_162_312_759_754e-9,
        1.609_284_813_471_505e-10,
    ],
};

/// `(exp(x / 2) - 1) / x` for `|x| <= ln 2`; relative error of `exp(x / 2)` 2^-18.4 and 2^-23.4.
const HALF_BF16: &[f64] = &[
    0.499_983_400_106_430_05,
    0.125_007_554_888_725_28,
    0.020_984_493_196_010_59,
    0.002_594_603_924_080_729_5,
];
const HALF_F16: &[f64] = &[
    0.499_999_850_988_388_06,
    0.124_997_869_133_949_28,
    0.020_834_548_398_852_35,
    0.002_618_635_073_304_176_3,
    0.000_259_070_890_024_304_4,
];

/// `tanh(x) / x` as a quotient of polynomials in `x^2`, up to a number from which `tanh` is 1 but for as much as they are off by.
struct Rational {
    highest: f64,
    numerator: &'static [f64],
    /// The negative denominator.
    denominator: &'static [f64],
    /// How often the reciprocal is corrected.
    corrections: usize,
}

/// Relative error of `tanh` 2^-15.2.
const TANH_BF16: Rational = Rational {
    highest: 5.75,
    numerator: &[0.999_994_491_085_282_7, 0.115_295_889_942_178_76, 0.001_545_276_449_036_071_5],
    denominator: &[
        -1.0,
        -0.448_590_285_442_005_96,
        -0.017_788_942_384_403_823,
        -5.825_588_394_975_595e-5,
    ],
    corrections: 2,
};
/// Relative error of `tanh` 2^-20.6.
const TANH_F16: Rational = Rational {
    highest: 7.5,
    numerator: &[
        0.999_999_916_965_927_8,
        0.129_688_628_672_103_26,
        0.002_997_915_428_128_212_4,
        1.194_993_301_424_650_7e-5,
    ],
    denominator: &[
        -1.0,
        -0.463_021_260_188_766_94,
        -0.024_005_988_024_889_78,
        -0.000_245_377_352_652_830_24,
        -2.629_376_809_604_238e-7,
    ],
    corrections: 3,
};

fn format(x: Num<'_>) -> &'static Format {
    if x.width() == 64 { &F64 } else { &F32 }
}

/// `n` as an integer, and `exp(r) - 1`.
struct Reduced<'c> {
    n: Num<'c>,
    fraction: Num<'c>,
}

fn reduce<'c>(x: Num<'c>) -> Reduced<'c> {
    let format = format(x);
    let rounder = x.constant(format.rounder);
    let shifted = x.mul_add(x.constant(std::f64::consts::LOG2_E), rounder);
    let n = shifted - rounder;
    let r = n.mul_add(x.constant(-format.ln2_high), x);
    let r = n.mul_add(x.constant(-format.ln2_low), r);
    let fraction = (r * r).mul_add(r.polynomial(format.q), r);
    Reduced { n: shifted.bits().minus(rounder.bits()), fraction }
}

/// `2^n` for an `n` within the exponents of normal numbers; zero for the one below.
fn power_of_two<'c>(n: Num<'c>, format: &Format) -> Num<'c> {
    n.plus(n.integer(format.bias)).shl(format.mantissa).as_float()
}

/// Two powers of two whose product is `2^(n + shift)`; zeros where that is far below all numbers. Both exponents are halved with
/// their bias: `(n + 2 b) / 2 = n / 2 + b`.
fn halves_of_power<'c>(n: Num<'c>, shift: i64, format: &Format) -> [Num<'c>; 2] {
    let biased = n.plus(n.integer(shift + 2 * format.bias));
    let half = biased.sar(1);
    let rest = biased.minus(half);
    [half, rest].map(|exponent| exponent.shl(format.mantissa).as_float())
}

/// `exp(x) * 2^shift`.
fn scaled<'c>(x: Num<'c>, shift: i64) -> Num<'c> {
    let format = format(x);
    let x = x.at_most(format.highest).at_least(format.lowest);
    let Reduced { n, fraction } = reduce(x);
    let [half, rest] = halves_of_power(n, shift, format);
    (fraction + 1.0) * half * rest
}

/// `(factor + rest) exp(high + low)`, for a `rest` and a `low` that are small, and `high` between the lowest power and 1.
pub fn exp_times<'c>([high, low]: [Num<'c>; 2], [factor, rest]: [Num<'c>; 2]) -> Num<'c> {
    let format = format(high);
    let rounder = high.constant(format.rounder);
    let shifted = high.mul_add(high.constant(std::f64::consts::LOG2_E), rounder);
    let n = shifted - rounder;
    let r = n.mul_add(high.constant(-format.ln2_high), high);
    let r = r + n.mul_add(high.constant(-format.ln2_low), low);
    let fraction = (r * r).mul_add(r.polynomial(format.q), r);
    let n = shifted.bits().minus(rounder.bits());
    let whole = factor + factor.mul_add(fraction, rest);
    let [half, rest] = halves_of_power(n, 0, format);
    whole * half * rest
}

/// `exp(high + low)` for a `low` that is lost beside `high`, rounded little more than once.
pub fn exp_of_sum<'c>(high: Num<'c>, low: Num<'c>) -> Num<'c> {
    let format = format(high);
    let bounded = high.at_most(format.highest).at_least(format.lowest);
    let rounder = high.constant(format.rounder);
    let shifted = bounded.mul_add(high.constant(std::f64::consts::LOG2_E), rounder);
    let n = shifted - rounder;
    // The first difference is exact; what the second one loses is kept.
    let first = n.mul_add(high.constant(-format.ln2_high), bounded);
    let second = n * format.ln2_low;
    let difference = first - second;
    let left = ((first - difference) - second) + low;
    let r = difference + left;
    let lost = (difference - r) + left;
    let one = high.constant(1.0);
    let sum = one + r;
    let lost = ((one - sum) + r) + (r * r).mul_add(r.polynomial(format.q), lost.mul_add(r, lost));
    let n = shifted.bits().minus(rounder.bits());
    let [half, rest] = halves_of_power(n, 0, format);
    (sum + lost) * half * rest
}

/// `math.exp`.
pub fn exp(x: Num<'_>) -> Num<'_> {
    scaled(x, 0)
}

/// `math.exp` for a result that needs no more digits than `bf16`.
pub fn exp_bf16(x: Num<'_>) -> Num<'_> {
    square_of_half(x, HALF_BF16)
}

/// `math.exp` for a result that needs no more digits than `f16`.
pub fn exp_f16(x: Num<'_>) -> Num<'_> {
    square_of_half(x, HALF_F16)
}

/// `exp(x)` as the square of `exp(x / 2)`, whose exponent is that of a normal number: `x = 2 n ln 2 + r`. A result below the normal range
/// rounds once, in the square. Of `f32`.
fn square_of_half<'c>(x: Num<'c>, polynomial: &[f64]) -> Num<'c> {
    // Beyond these, the square is infinite, and zero without a product that vanishes by rounding.
    let x = x.at_most(176.0).at_least(-176.0);
    // With the bias, the low bits are those of an exponent.
    let rounder = x.constant(F32.rounder + F32.bias as f64);
    let shifted = x.mul_add(x.constant(0.5 * std::f64::consts::LOG2_E), rounder);
    let n = shifted - rounder;
    let r = n.mul_add(x.constant(-2.0 * std::f64::consts::LN_2), x);
    let power = shifted.bits().shl(F32.mantissa).as_float();
    let half = r.mul_add(r.polynomial(polynomial), x.constant(1.0)) * power;
    half * half
}

/// `math.exp2`.
pub fn exp2(x: Num<'_>) -> Num<'_> {
    let format = format(x);
    // The fraction is exact, so that only its product with ln 2 rounds.
    let bounded = x.at_most(format.bias as f64 + 2.0).at_least(-2.0 * format.bias as f64);
    let rounder = x.constant(format.rounder);
    let shifted = bounded + rounder;
    let r = (bounded - (shifted - rounder)) * std::f64::consts::LN_2;
    let fraction = (r * r).mul_add(r.polynomial(format.q), r);
    let n = shifted.bits().minus(rounder.bits());
    let [half, rest] = halves_of_power(n, 0, format);
    (fraction + 1.0) * half * rest
}

/// `math.expm1`: `2^n (exp(r) - 1) + (2^n - 1)`, computed at half size so that `2^n` exists.
pub fn expm1(x: Num<'_>) -> Num<'_> {
    let format = format(x);
    let lowest = -0.7 * (format.mantissa + 3) as f64;
    let bounded = x.at_most(format.highest_power).at_least(lowest);
    let Reduced { n, fraction } = reduce(bounded);
    let half = power_of_two(n.plus(n.integer(-1)), format);
    let sum = fraction.mul_add(half, half - 0.5);
    let result = sum + sum;
    // Halving a number below the normal range would round, and -0 would lose its sign.
    let tiny = x.constant((-(format.mantissa as f64) - 2.0).exp2());
    x.abs().lt(tiny).select(x, result)
}

/// `math.tanh`: `h / (h + 1)` with `h = expm1(2 |x|) / 2`. The reduction is that of `2 |x|`, all of it halved, which is exact.
pub fn tanh(x: Num<'_>) -> Num<'_> {
    let format = format(x);
    let q: Vec<f64> =
        format.q.iter().zip(1..).map(|(one, power)| one * f64::from(1 << power)).collect();
    let magnitude = x.abs().at_most(if x.width() == 64 { 20.0 } else { 10.0 });
    let rounder = x.constant(format.rounder);
    let shifted = magnitude.mul_add(x.constant(2.0 * std::f64::consts::LOG2_E), rounder);
    let n = shifted - rounder;
    let r = n.mul_add(x.constant(-0.5 * format.ln2_high), magnitude);
    let r = n.mul_add(x.constant(-0.5 * format.ln2_low), r);
    let fraction = (r * r).mul_add(r.polynomial(&q), r);
    let power = power_of_two(shifted.bits().minus(rounder.bits()), format);
    let half = fraction.mul_add(power, power.mul_add(x.constant(0.5), x.constant(-0.5)));
    (half / (half + 1.0)).copysign(x)
}

/// `math.tanh` for a result that needs no more digits than `bf16`.
pub fn tanh_bf16(x: Num<'_>) -> Num<'_> {
    rational(x, &TANH_BF16)
}

/// `math.tanh` for a result that needs no more digits than `f16`.
pub fn tanh_f16(x: Num<'_>) -> Num<'_> {
    rational(x, &TANH_F16)
}

/// `tanh` of `f32` as a quotient, which is below 1 up to `highest`, where it is off by less than from 1. A division takes longer than all else.
fn rational<'c>(x: Num<'c>, of: &Rational) -> Num<'c> {
    let is_one = x.abs().gt(x.constant(of.highest));
    let one = x.constant(1.0).copysign(x);
    let x = x.at_most(of.highest).at_least(-of.highest);
    let square = x * x;
    let negative = square.polynomial(of.denominator);
    let reciprocal = negative.reciprocal_of_negative(of.corrections);
    // Exactly 1, as 1 + tanh of infinity is 0 where nothing rounds the result.
    is_one.select(one, (x * square.polynomial(of.numerator)) * reciprocal)
}

/// `math.sinh`: `h + h / (2 h + 1)` with `h = expm1(|x|) / 2`, by the exponential where that overflows.
pub fn sinh(x: Num<'_>) -> Num<'_> {
    let format = format(x);
    let magnitude = x.abs();
    let Reduced { n, fraction } = reduce(magnitude.at_most(format.highest));
    let [half, rest] = halves_of_power(n, -1, format);
    let far = (fraction + 1.0) * half * rest;
    let scale = power_of_two(n.plus(n.integer(-1)), format);
    let h = fraction.mul_add(scale, scale - 0.5);
    let near = h + h / (h + h + 1.0);
    // From there on, exp(-x) is lost in rounding; numbers whose half would round are their own sine.
    let large = x.constant(format.mantissa as f64);
    let tiny = x.constant((-(format.mantissa as f64) / 2.0 - 1.0).exp2());
    let result = magnitude.gt(large).select(far, near);
    magnitude.lt(tiny).select(magnitude, result).copysign(x)
}

/// `math.cosh`: `h + 1 / (4 h)` with `h = exp(|x|) / 2`.
pub fn cosh(x: Num<'_>) -> Num<'_> {
    let half = scaled(x.abs(), -1);
    half + half.constant(0.25) / half
}
