//! The inverse trigonometric functions, in `f64`.
//!
//! An argument above `tan(pi/8)` is taken as `pi/4 + atan((x - 1) / (x + 1))`, one above 1 as
//! `pi/2 - atan(1/x)`; what is left is `x + x z P(z)` with `z = x^2`.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::num::Num;

/// Relative error of `atan` 2^-64 at most, before rounding.
const P: &[f64] = &[
    -0.33333333333333326,
    0.19999999999997667,
    -0.142857142853879,
    0.11111111088173183,
    -0.09090908144407303,
    0.076922827565415,
    -0.06666226731947042,
    0.058770215863102424,
    -0.05218403175839164,
    0.045035448381491205,
    -0.03347435340467594,
    0.015195047830429473,
];

/// `pi/2` beyond its `f64`.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;

/// `tan(pi/8)`.
const TAN_PI_8: f64 = 0.414_213_562_373_095_03;

/// `atan(x)` for `x` between 0 and 1.
fn within_one(x: Num<'_>) -> Num<'_> {
    let above = x.gt(x.constant(TAN_PI_8));
    let reduced = above.select((x - 1.0) / (x + 1.0), x);
    let z = reduced * reduced;
    let zero = x.constant(0.0);
    let low = above.select(x.constant(FRAC_PI_2_LOW / 2.0), zero);
    let high = above.select(x.constant(FRAC_PI_4), zero);
    let rest = (reduced * z).mul_add(z.polynomial(P), low);
    high + (reduced + rest)
}

/// `math.atan`.
pub fn atan(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let one = x.constant(1.0);
    let above = magnitude.gt(one);
    let angle = within_one(above.select(one / magnitude, magnitude));
    let reflected = x.constant(FRAC_PI_2) - (angle - FRAC_PI_2_LOW);
    above.select(reflected, angle).copysign(x)
}

/// `math.atan2`: the angle of the point (`x`, `y`).
pub fn atan2<'c>(y: Num<'c>, x: Num<'c>) -> Num<'c> {
    let (height, width) = (y.abs(), x.abs());
    let steep = height.gt(width);
    let low = steep.select(width, height);
    let high = steep.select(height, width);
    let one = x.constant(1.0);
    let zero = x.constant(0.0);
    // 0/0 counts as 0, infinity over infinity as 1.
    let ratio = low / high.eq(zero).select(one, high);
    let ratio = low.eq(x.constant(f64::INFINITY)).select(one, ratio);
    let angle = within_one(ratio);
    // The sign bit counts, not the order: -0 points to the left.
    let left = x.bits().int_lt(x.bits().integer(0));
    // Relative to the nearest axis, so that only one sum rounds.
    let reflected = zero - angle;
    let from_side = left.select(reflected, angle);
    let from_top = left.select(angle, reflected);
    let axis =
        |side: f64, top: f64| steep.select(x.constant(top), left.select(x.constant(side), zero));
    let part = steep.select(from_top, from_side) + axis(2.0 * FRAC_PI_2_LOW, FRAC_PI_2_LOW);
    let angle = axis(PI, FRAC_PI_2) + part;
    let angle = angle.copysign(y);
    let sum = x + y;
    // Infinities of different sign have a NaN for a sum, but an angle.
    let unknown = x.is_nan() | y.is_nan();
    unknown.select(sum, angle)
}

/// `math.asin`.
pub fn asin(x: Num<'_>) -> Num<'_> {
    atan2(x, cosine_of(x))
}

/// `math.acos`.
pub fn acos(x: Num<'_>) -> Num<'_> {
    atan2(cosine_of(x), x)
}

/// `sqrt(1 - x^2)` without cancellation; NaN outside of [-1, 1].
fn cosine_of(x: Num<'_>) -> Num<'_> {
    let one = x.constant(1.0);
    ((one - x) * (one + x)).sqrt()
}
