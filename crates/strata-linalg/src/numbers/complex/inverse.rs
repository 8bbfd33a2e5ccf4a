//! The inverse trigonometric and hyperbolic functions of complex numbers, the logarithms, and the square:
//! those where MLIR's own expansions overflow or cancel.
//!
//! ```text
//! chlo.asin %z : complex<f32>  =>  complex.re, complex.im, the formulas of `strata-special`, complex.create
//! ```

use strata_ir::{Builder, TypeExt as _, Value, arith, math};
use strata_rewrite::Outcome;
use strata_special::complex;

use crate::numbers::{
    complex::parts::{Pair, Parts, narrow_complex, wide_parts, with_parts},
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

/// Logarithm: half of that of `x² + y²`. Near the unit circle it is `log1p(x² + y² - 1) / 2`, with the sum formed without error. Where
/// squares of the parts overflow or vanish, the modulus is taken apart first: `log |z| = log high + log(1 + (low / high)²) / 2`.
pub fn log<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let is_double = b.parts(z[0])?.0.ty().bit_width() == Some(64);
    with_parts(
        b,
        z,
        |p, re, im| {
            if is_double { log_parts(p, re, im) } else { log_parts_of_single(p, re, im) }
        },
    )
}

/// [`log_parts`] of numbers that are `f32`: squares are exact, and neither overflow nor vanish.
pub fn log_parts_of_single<'c>(p: &Parts<'_, 'c>, re: Value<'c>, im: Value<'c>) -> Pair<'c> {
    let (low, high) = p.ordered(p.size(re), p.size(im));
    let (tall, wide) = (p.mul(high, high), p.mul(low, low));
    let plain = p.apply(math::LOG, &[p.add(tall, wide)]);
    let excess = p.add(p.sub(tall, p.number(1.0)), wide);
    let modulus = p.half(near_circle(p, high, p.apply(math::LOG1P, &[excess]), plain));
    (infinite_beside(p, low, high, modulus), p.apply(math::ATAN2, &[im, re]))
}

/// `near` where the modulus may be near 1, by the larger part.
fn near_circle<'c>(
    p: &Parts<'_, 'c>,
    high: Value<'c>,
    near: Value<'c>,
    plain: Value<'c>,
) -> Value<'c> {
    let above = p.b.cmpf(arith::CmpFPredicate::Ogt, high, p.number(0.5));
    let below = p.is_less(high, p.number(2.0));
    p.b.select(p.both(above, below), near, plain)
}

/// Infinite where one part is, also beside a NaN.
fn infinite_beside<'c>(
    p: &Parts<'_, 'c>,
    low: Value<'c>,
    high: Value<'c>,
    value: Value<'c>,
) -> Value<'c> {
    let is_infinite = p.either(p.is(low, f64::INFINITY), p.is(high, f64::INFINITY));
    p.b.select(is_infinite, p.number(f64::INFINITY), value)
}

/// The logarithm of the modulus, and the angle.
pub fn log_parts<'c>(p: &Parts<'_, 'c>, re: Value<'c>, im: Value<'c>) -> Pair<'c> {
    let (low, high) = p.ordered(p.size(re), p.size(im));
    let ((tall, tall_error), (wide, wide_error)) = (p.exact_square(high), p.exact_square(low));
    let plain = p.half(p.apply(math::LOG, &[p.add(tall, wide)]));
    let excess = p.exact_total(&[tall_error, wide_error, wide, p.number(-1.0), tall]);
    let near = p.half(p.apply(math::LOG1P, &[excess]));
    let modulus = near_circle(p, high, near, plain);
    (log_modulus(p, low, high, modulus), p.apply(math::ATAN2, &[im, re]))
}

/// The logarithm of the modulus where squares are NaN; elsewhere `near`.
fn log_modulus<'c>(
    p: &Parts<'_, 'c>,
    low: Value<'c>,
    high: Value<'c>,
    near: Value<'c>,
) -> Value<'c> {
    let b = p.b;
    let limit = f64::MAX.sqrt() / 8.0;
    let is_large = b.cmpf(arith::CmpFPredicate::Ogt, high, p.number(limit));
    let is_small = p.is_less(high, p.number(1.0 / limit));
    let is_extreme = p.either(is_large, is_small);
    let ratio = p.div(low, high);
    let rest = p.half(p.apply(math::LOG1P, &[p.mul(ratio, ratio)]));
    let far = p.add(p.apply(math::LOG, &[high]), rest);
    let is_finite = p.is_less(high, p.number(f64::INFINITY));
    let is_positive = b.cmpf(arith::CmpFPredicate::Ogt, high, p.number(0.0));
    let is_number = p.both(is_finite, is_positive);
    let takes_far = p.both(is_extreme, is_number);
    infinite_beside(p, low, high, b.select(takes_far, far, near))
}

/// `log(1 + z)`; near zero its real part is `log1p(2x + x² + y²) / 2`, with the squares formed without error.
pub fn log_plus_one<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let (plain, angle) = log_parts(p, p.add(re, p.number(1.0)), im);
        let ((wide, wide_error), (tall, tall_error)) = (p.exact_square(re), p.exact_square(im));
        let terms = [wide_error, tall_error, wide, tall, p.add(re, re)];
        let excess = p.exact_total(&terms);
        let near = p.half(p.apply(math::LOG1P, &[excess]));
        let (_, high) = p.ordered(p.size(re), p.size(im));
        let is_small = p.is_less(high, p.number(4.0));
        // Near -1 the excess itself is nearly -1; there 1 + x is exact.
        let is_outside = b.cmpf(arith::CmpFPredicate::Ogt, excess, p.number(-0.5));
        (b.select(p.both(is_small, is_outside), near, plain), angle)
    })
}
