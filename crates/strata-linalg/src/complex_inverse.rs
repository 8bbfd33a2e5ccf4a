//! The inverse trigonometric and hyperbolic functions of complex numbers, the logarithms, and the square:
//! those where MLIR's own expansions overflow or cancel.
//!
//! ```text
//! chlo.asin %z : complex<f32>  =>  complex.re, complex.im, the formulas of `strata-special`, complex.create
//! ```

use strata_ir::{Builder, Value};
use strata_rewrite::Outcome;
use strata_special::complex;

use crate::{
    complex_parts::{Pair, Parts, narrow_complex, wide_parts, with_parts},
    emit::{Emit as _, FloatCmp},
    special::Real,
};

type Result<'c> = Outcome<Value<'c>>;

/// Applies a formula to the parts of a complex number.
fn by_formula<'b, 'c>(
    b: &'b Builder<'c>,
    z: &[Value<'c>],
    formula: impl FnOnce(&Real<'b, 'c>, Value<'c>, Value<'c>) -> Outcome<(Value<'c>, Value<'c>)>,
) -> Result<'c> {
    let (ty, (re, im)) = wide_parts(b, z[0])?;
    let parts = formula(&Real { b, like: re }, re, im)?;
    Ok(narrow_complex(b, parts, ty))
}

/// Arc sine.
pub fn asin<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::asin)
}

/// Arc cosine.
pub fn acos<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::acos)
}

/// What the arc sine and the arc cosine share.
pub fn asin_acos_kernel<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::asin_acos_kernel)
}

/// Inverse hyperbolic sine.
pub fn asinh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::asinh)
}

/// Inverse hyperbolic cosine.
pub fn acosh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::acosh)
}

/// Inverse hyperbolic tangent.
pub fn atanh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::atanh)
}

/// Arc tangent.
pub fn atan<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::atan)
}

/// `z²`
pub fn square<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    by_formula(b, z, complex::square)
}

/// Logarithm. Where squares of the parts overflow or vanish, the modulus is taken apart first:
/// `log |z| = log high + log(1 + (low / high)²) / 2`. Near the unit circle it is `log1p(x² + y² - 1) / 2`, with the squares
/// formed without error.
pub fn log<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, log_parts)
}

/// The logarithm of the modulus, and the angle.
pub fn log_parts<'c>(p: &Parts<'_, 'c>, re: Value<'c>, im: Value<'c>) -> Pair<'c> {
    let (x, y) = (p.size(re), p.size(im));
    let plain = p.apply("math.log", &[p.distance(x, y)]);
    let near = log_of_unit(p, x, y, plain);
    (log_modulus(p, x, y, near), p.apply("math.atan2", &[im, re]))
}

fn log_of_unit<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>, plain: Value<'c>) -> Value<'c> {
    let b = p.b;
    let (low, high) = p.ordered(x, y);
    let ((tall, tall_error), (wide, wide_error)) = (p.exact_square(high), p.exact_square(low));
    let (excess, error) = p.exact_sum(p.sub(tall, p.number(1.0)), wide);
    let excess = p.add(excess, p.add(error, p.add(tall_error, wide_error)));
    let value = p.half(p.apply("math.log1p", &[excess]));
    let above = b.cmpf(FloatCmp::Ogt, high, p.number(0.7));
    let below = p.is_less(high, p.number(1.4));
    b.select(p.both(above, below), value, plain)
}

fn log_modulus<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>, near: Value<'c>) -> Value<'c> {
    let b = p.b;
    let swaps = p.is_less(x, y);
    let (high, low) = (b.select(swaps, y, x), b.select(swaps, x, y));
    let limit = f64::MAX.sqrt() / 8.0;
    let is_large = b.cmpf(FloatCmp::Ogt, high, p.number(limit));
    let is_small = p.is_less(high, p.number(1.0 / limit));
    let is_extreme = p.either(is_large, is_small);
    let ratio = p.div(low, high);
    let rest = p.half(p.apply("math.log1p", &[p.mul(ratio, ratio)]));
    let far = p.add(p.apply("math.log", &[high]), rest);
    let is_finite = p.is_less(high, p.number(f64::INFINITY));
    let is_positive = b.cmpf(FloatCmp::Ogt, high, p.number(0.0));
    let is_number = p.both(is_finite, is_positive);
    let takes_far = p.both(is_extreme, is_number);
    b.select(takes_far, far, near)
}

/// `log(1 + z)`; near zero its real part is `log1p(2x + x² + y²) / 2`, with the squares formed without error.
pub fn log_plus_one<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let (plain, angle) = log_parts(p, p.add(re, p.number(1.0)), im);
        let ((wide, wide_error), (tall, tall_error)) = (p.exact_square(re), p.exact_square(im));
        let (sum, error) = p.exact_sum(p.add(re, re), wide);
        let (excess, rest) = p.exact_sum(sum, tall);
        let rest = p.add(p.add(rest, error), p.add(wide_error, tall_error));
        let excess = p.add(excess, rest);
        let near = p.half(p.apply("math.log1p", &[excess]));
        let (_, high) = p.ordered(p.size(re), p.size(im));
        let is_small = p.is_less(high, p.number(4.0));
        // Near -1 the excess itself is nearly -1; there 1 + x is exact.
        let is_outside = b.cmpf(FloatCmp::Ogt, excess, p.number(-0.5));
        (b.select(p.both(is_small, is_outside), near, plain), angle)
    })
}
