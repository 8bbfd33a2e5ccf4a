//! Functions of `f32` in `f64`, to 2^-33 of the result before it is rounded: what the last place of an `f32` needs. The formulas for
//! `f64` have twice as many coefficients and divisions.
//!
//! Comparisons, signs and what starts an iteration are of `f32`, of which a register has twice as many.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, LN_2};

use super::num::Num;

/// `atan(x) = x + x z P(z)` with `z = x^2`, for `x` up to 1; relative error 2^-33.8 at most.
const ARC_TANGENT: &[f64] = &[
    -0.3333333214178396,
    0.19999927600464476,
    -0.14284172169390263,
    0.11094538135218819,
    -0.08985580762877335,
    0.07259806080577692,
    -0.05452218579802137,
    0.03448270862902257,
    -0.0163041619592707,
    0.004928209529305256,
    -0.0006982744763472543,
];

/// `asin(x) = x + x z P(z)` with `z = x^2`, for `x` up to 1/2; relative error 2^-35.8 at most.
const ARC_SINE: &[f64] = &[
    0.16666667175759445,
    0.07499949205184918,
    0.0446599003878895,
    0.03011329881732321,
    0.02460042866327903,
    0.007521401362614355,
    0.03463305117848538,
];

/// `log(1 + f) = f + f^2 P(f)`, for `1 + f` between `sqrt(1/2)` and `sqrt(2)`; relative error 2^-33.1 at most.
const LOGARITHM: &[f64] = &[
    -0.5000000027994534,
    0.33333331974322955,
    -0.24999938402530025,
    0.20000097203599349,
    -0.1667031943531179,
    0.14285671024193744,
    -0.12412734997984955,
    0.11021485503552086,
    -0.10870331015664365,
    0.10725028154221962,
    -0.05992235833587581,
];

/// The series of the inverse hyperbolic functions are two terms below these.
const SMALL_ASINH: f64 = 1.0 / 512.0;
const SMALL_ATANH: f64 = 1.0 / 1024.0;

/// `x + x z P(z)`.
fn odd<'c>(x: Num<'c>, coefficients: &[f64]) -> Num<'c> {
    let z = x * x;
    (x * z).mul_add(z.polynomial(coefficients), x)
}

/// Whether the sign bit is set.
fn is_negative(x: Num<'_>) -> Num<'_> {
    x.bits().int_lt(x.bits().integer(0))
}

/// `turns pi/2 + atan(over / under)`, of which the quotient is at most 1.
fn angle<'c>(turns: Num<'c>, over: Num<'c>, under: Num<'c>) -> Num<'c> {
    let part = odd(over.to_f64() / under.to_f64(), ARC_TANGENT);
    turns.to_f64().mul_add(part.constant(FRAC_PI_2), part).to_f32()
}

/// `math.atan`: `pi/2 + atan(-1 / x)` above 1.
pub fn atan(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let (zero, one) = (x.constant(0.0), x.constant(1.0));
    let is_above = magnitude.gt(one);
    let over = is_above.select(-one, magnitude);
    let under = is_above.select(magnitude, one);
    angle(is_above.select(one, zero), over, under).copysign(x)
}

/// `math.atan2`: the angle of the point (`x`, `y`), from the nearest axis.
pub fn atan2<'c>(y: Num<'c>, x: Num<'c>) -> Num<'c> {
    let (height, width) = (y.abs(), x.abs());
    let (zero, one) = (x.constant(0.0), x.constant(1.0));
    let is_steep = height.gt(width);
    let low = is_steep.select(width, height);
    let high = is_steep.select(height, width);
    // 0/0 counts as 0, infinity over infinity as 1.
    let infinity = x.constant(f64::INFINITY);
    let is_diagonal = low.eq(infinity) & high.eq(infinity);
    let low = is_diagonal.select(one, low);
    let high = (is_diagonal | high.eq(zero)).select(one, high);
    // The sign bit counts, not the order: -0 points to the left.
    let sign = x.bits() & x.bits().integer(i64::from(i32::MIN));
    let clockwise = is_steep.select(-zero, zero).bits().xor(sign);
    let over = low.bits().xor(clockwise).as_float();
    let turns = is_negative(x).select(x.constant(2.0), zero);
    angle(is_steep.select(one, turns), over, high).copysign(y)
}

/// `x`, or `sqrt((1 - x) / 2)` where that is smaller, for `x` that is not negative; the condition first. NaN above 1.
fn half_angle(x: Num<'_>) -> (Num<'_>, Num<'_>) {
    let half = x.constant(0.5);
    let is_above = x.gt(half);
    // Exact from 1/2 on.
    let [root, rest, step] = ((x.constant(1.0) - x) * half).root_with_rest();
    let rest = is_above.select(rest * step, x.constant(0.0));
    let sine = is_above.select(root, x).to_f64() + rest.to_f64();
    (is_above, odd(sine, ARC_SINE))
}

/// `math.asin`: `pi/2 - 2 asin(sqrt((1 - x) / 2))` above 1/2.
pub fn asin(x: Num<'_>) -> Num<'_> {
    let (is_above, part) = half_angle(x.abs());
    let factor = is_above.select(x.constant(-2.0), x.constant(1.0)).to_f64();
    // Zero for 1, pi/2 for -2.
    let sixth = part.constant(FRAC_PI_6);
    let start = factor.mul_add(-sixth, sixth);
    factor.mul_add(part, start).to_f32().copysign(x)
}

/// `math.acos`: `2 asin(sqrt((1 - x) / 2))` above 1/2, `pi` less that below -1/2, else `pi/2 - asin(x)`.
pub fn acos(x: Num<'_>) -> Num<'_> {
    let (is_above, part) = half_angle(x.abs());
    let one = x.constant(1.0);
    let (two, two_back) = (x.constant(2.0), x.constant(-2.0));
    let is_left = is_negative(x);
    let factor = is_left.select(is_above.select(two_back, one), is_above.select(two, -one));
    let turns = is_above.select(one - factor * 0.5, one);
    let start = turns.to_f64() * FRAC_PI_2;
    factor.to_f64().mul_add(part, start).to_f32()
}

/// `math.cbrt`: from a third of the bits one step for `y = 1 / cbrt(x)` in `f32`, another one for `x y^2` in `f64`.
pub fn cbrt(x: Num<'_>) -> Num<'_> {
    /// `1 / cbrt(x)` is about the number whose bits are these less a third of those of `x`: within 3.4 %.
    const GUESS: i64 = 0x54a2_1d2a;
    let magnitude = x.abs();
    let one = x.constant(1.0);
    let is_small = magnitude.lt(x.constant(f64::from(f32::MIN_POSITIVE)));
    let scaled = is_small.select(magnitude * 24.0_f64.exp2(), magnitude);
    let third = (scaled.bits().to_float() * (1.0 / 3.0)).to_integer();
    let y = third.integer(GUESS).minus(third).as_float();
    // (1 - e)^(-1/3) = 1 + e/3 + 2 e^2 / 9 + …
    let error = one - scaled * y * y * y;
    let part = error * error.mul_add(x.constant(2.0 / 9.0), x.constant(1.0 / 3.0));
    let y = y.mul_add(part, y).to_f64();
    // (1 - e)^(-2/3) = 1 + 2 e / 3 + 5 e^2 / 9 + …
    let root = scaled.to_f64() * y * y;
    let error = (-root).mul_add(y, root.constant(1.0));
    let part = error * error.mul_add(root.constant(5.0 / 9.0), root.constant(2.0 / 3.0));
    let root = root.mul_add(part, root).to_f32();
    (root * is_small.select(x.constant((-8.0_f64).exp2()), one)).copysign(x)
}

/// The logarithm of an `f64` from `1/2` on that is finite.
fn log(x: Num<'_>) -> Num<'_> {
    const ROOT_HALF: i64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.bits();
    // Bits above those of sqrt(1/2) carry into the exponent at sqrt(2).
    let k = bits.minus(bits.integer(ROOT_HALF)).shr(52);
    let f = bits.minus(k.shl(52)).as_float() - 1.0;
    // As the low bits of 2^52.
    let base = x.constant(52.0_f64.exp2());
    let k = (k | base.bits()).as_float() - base;
    let rest = (f * f).mul_add(f.polynomial(LOGARITHM), f);
    k.mul_add(x.constant(LN_2), rest)
}

/// `1 / sqrt(x)` within 2^-38 of it, for positive `x`; a number for zero. Twice the third-order step for `y = (1 + d) / sqrt(x)`, from what
/// half of the exponent and of the mantissa give within 0.035 of it.
fn reciprocal_root(x: Num<'_>) -> Num<'_> {
    const GUESS: i64 = 0x5fe6_eb50_c7b5_37a9;
    let bits = x.bits();
    let guess = bits.integer(GUESS).minus(bits.shr(1)).as_float();
    (0..2).fold(guess, |y, _| {
        let error = (-(x * y)).mul_add(y, x.constant(1.0));
        let part = error * error.mul_add(x.constant(0.375), x.constant(0.5));
        y.mul_add(part, y)
    })
}

/// `math.asinh`: `log(x + sqrt(x^2 + 1))`.
pub fn asinh(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let wide = magnitude.to_f64();
    let square = wide * wide;
    let sum = wide.mul_add(wide, wide.constant(1.0));
    let reciprocal = reciprocal_root(sum);
    let root = sum * reciprocal;
    // Twice as many digits: the logarithm of a number near 1 has few of these.
    let root = (-root).mul_add(root, sum).mul_add(reciprocal * 0.5, root);
    let small = wide * square.mul_add(wide.constant(-1.0 / 6.0), wide.constant(1.0));
    let result = wide.lt(wide.constant(SMALL_ASINH)).select(small, log(wide + root)).to_f32();
    let is_finite = magnitude.lt(x.constant(f64::INFINITY));
    is_finite.select(result, magnitude).copysign(x)
}

/// `math.acosh`: `log(x + sqrt((x - 1) (x + 1)))`.
pub fn acosh(x: Num<'_>) -> Num<'_> {
    // What is below has no result, and would be slow.
    let wide = x.at_least(1.0).to_f64();
    let square = (wide - 1.0) * (wide + 1.0);
    let result = log(wide + square * reciprocal_root(square)).to_f32();
    let result = x.lt(x.constant(f64::INFINITY)).select(result, x);
    x.ge(x.constant(1.0)).select(result, x.constant(f64::NAN))
}

/// `math.atanh`: `log((1 + x) / (1 - x)) / 2`.
pub fn atanh(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let wide = magnitude.to_f64();
    let one = wide.constant(1.0);
    let large = log((one + wide) / (one - wide)) * 0.5;
    let small = wide * (wide * wide).mul_add(wide.constant(1.0 / 3.0), one);
    let result = wide.lt(wide.constant(SMALL_ATANH)).select(small, large).to_f32();
    let one = x.constant(1.0);
    let result = magnitude.lt(one).select(result, x.constant(f64::NAN));
    magnitude.eq(one).select(x.constant(f64::INFINITY), result).copysign(x)
}
