//! Rounding to integers with additions only.
//!
//! Adding and subtracting a power of two as large as the mantissa rounds to the nearest integer,
//! ties to even; the others correct by one.

use super::num::Num;

/// The nearest integer to a magnitude, ties to even.
fn nearest(magnitude: Num<'_>) -> Num<'_> {
    let limit = magnitude.constant(if magnitude.width() == 64 { 52.0_f64 } else { 23.0 }.exp2());
    let rounded = (magnitude + limit) - limit;
    // From there on every number is an integer; infinities and NaN stay, too.
    magnitude.lt(limit).select(rounded, magnitude)
}

/// `math.roundeven`.
pub fn round_even(x: Num<'_>) -> Num<'_> {
    nearest(x.abs()).copysign(x)
}

/// `math.round`: ties away from zero.
pub fn round(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let near = nearest(magnitude);
    let tie_down = (magnitude - near).eq(x.constant(0.5));
    tie_down.select(near + 1.0, near).copysign(x)
}

/// `math.trunc`.
pub fn truncate(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let near = nearest(magnitude);
    near.gt(magnitude).select(near - 1.0, near).copysign(x)
}

/// `math.floor`.
pub fn floor(x: Num<'_>) -> Num<'_> {
    let near = round_even(x);
    near.gt(x).select(near - 1.0, near).copysign(x)
}

/// `math.ceil`.
pub fn ceil(x: Num<'_>) -> Num<'_> {
    let near = round_even(x);
    near.lt(x).select(near + 1.0, near).copysign(x)
}
