//! The trigonometric and hyperbolic functions of complex numbers, and `exp(z) - 1`: MLIR's own expansions
//! build sines and tangents from differences of exponentials, which cancel for a small argument.
//!
//! ```text
//! sinh(x + iy) = sinh x cos y + i cosh x sin y        sin z = -i sinh iz
//! cosh(x + iy) = cosh x cos y + i sinh x sin y        cos z =    cosh iz
//! tanh(x + iy) = (sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)        tan z = -i tanh iz
//! ```

use strata_ir::{Builder, Value, arith, math};
use strata_rewrite::Outcome;

use crate::numbers::complex::{
    parts::{Pair, Parts, with_parts},
    power::exp_parts,
};

type Result<'c> = Outcome<Value<'c>>;

/// `cosh(x) even` and `sinh(x) odd`. Where `cosh x` alone would overflow the factor, which may be small,
/// comes between the two halves of the exponential.
fn scaled<'c>(p: &Parts<'_, 'c>, x: Value<'c>, even: Value<'c>, odd: Value<'c>) -> Pair<'c> {
    let near = (p.mul(p.apply(math::COSH, &[x]), even), p.mul(p.apply(math::SINH, &[x]), odd));
    let size = p.size(x);
    let grown = p.apply(math::EXP, &[p.half(size)]);
    let factor = p.half(grown);
    let far =
        (p.mul(p.mul(factor, even), grown), p.mul(p.mul(p.signed_like(factor, x), odd), grown));
    let is_far = p.b.cmpf(arith::CmpFPredicate::Ogt, size, p.number(700.0));
    (p.b.select(is_far, far.0, near.0), p.b.select(is_far, far.1, near.1))
}

fn sinh_parts<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let (sine, cosine) = (p.apply(math::SIN, &[y]), p.apply(math::COS, &[y]));
    let (im, re) = scaled(p, x, sine, cosine);
    // On the axes the other part is zero, also where its factor is infinite, with the sign of the product; an infinite real part
    // stays so where the imaginary one has no direction.
    let is_open = p.is_open(y);
    let re = p.b.select(p.is(x, 0.0), p.mul(x, cosine), re);
    let keeps = p.both(p.either(p.is(x, 0.0), p.is_infinite(x)), is_open);
    (p.b.select(keeps, x, re), p.b.select(p.is(y, 0.0), y, im))
}

fn cosh_parts<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let (sine, cosine) = (p.apply(math::SIN, &[y]), p.apply(math::COS, &[y]));
    let (re, im) = scaled(p, x, cosine, sine);
    let (one, is_open) = (p.number(1.0), p.is_open(y));
    let (on_axis, across) = (p.mul(p.signed_like(one, x), y), p.mul(x, sine));
    let im = p.b.select(p.is(x, 0.0), p.b.select(is_open, p.number(0.0), across), im);
    let re = p.b.select(p.both(p.is_infinite(x), is_open), p.number(f64::INFINITY), re);
    (re, p.b.select(p.is(y, 0.0), on_axis, im))
}

fn tanh_parts<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let b = p.b;
    let (one, size) = (p.number(1.0), p.size(x));
    let (sine, cosine) = (p.apply(math::SIN, &[y]), p.apply(math::COS, &[y]));
    let s = p.apply(math::SINH, &[x]);
    let square = p.mul(s, s);
    let rho = p.root(p.add(one, square));
    // Nothing cancels: sinh x cosh x and sin y cos y over sinh² x + cos² y.
    let denominator = p.add(square, p.mul(cosine, cosine));
    let re = p.div(p.mul(s, rho), denominator);
    let im = p.div(p.mul(sine, cosine), denominator);
    // Where tanh x is one to the last place: 4 sin y cos y exp(-2|x|) is left of the imaginary part.
    let scale = p.apply(math::EXP, &[p.mul(p.number(-2.0), size)]);
    let left = p.mul(p.mul(p.mul(p.number(4.0), sine), cosine), scale);
    let has_direction = p.is_less(p.size(y), p.number(f64::INFINITY));
    let at_infinity = b.select(has_direction, left, p.signed_like(p.number(0.0), y));
    let left = b.select(p.is(size, f64::INFINITY), at_infinity, left);
    let is_far = b.cmpf(arith::CmpFPredicate::Ogt, size, p.number(22.0));
    // Without a direction only an infinite real part has a limit.
    let is_far = p.both(is_far, p.either(has_direction, p.is_infinite(x)));
    let re = b.select(is_far, p.signed_like(one, x), re);
    let re = b.select(p.is(x, 0.0), x, re);
    let im = b.select(is_far, left, im);
    (re, b.select(p.is(y, 0.0), y, im))
}

/// Applies `parts` to `iz` and rotates the value back: `-i f(iz)`.
fn rotated<'c>(
    b: &Builder<'c>,
    z: &[Value<'c>],
    parts: fn(&Parts<'_, 'c>, Value<'c>, Value<'c>) -> Pair<'c>,
) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let (q, r) = parts(p, p.negated(im), re);
        (r, p.negated(q))
    })
}

/// Hyperbolic sine.
pub fn sinh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, sinh_parts)
}

/// Hyperbolic cosine.
pub fn cosh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, cosh_parts)
}

/// Hyperbolic tangent.
pub fn tanh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, tanh_parts)
}

/// Sine.
pub fn sine<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    rotated(b, z, sinh_parts)
}

/// Cosine.
pub fn cosine<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| cosh_parts(p, p.negated(im), re))
}

/// Tangent.
pub fn tan<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    rotated(b, z, tanh_parts)
}

/// `exp(z) - 1`, with the real part `expm1(x) cos y - 2 sin²(y / 2)`.
pub fn exp_minus_one<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, x, y| {
        let (whole, rotated) = exp_parts(p, x, y);
        let half_sine = p.apply(math::SIN, &[p.half(y)]);
        let shrunk = p.mul(p.mul(p.number(2.0), half_sine), half_sine);
        let grown = p.mul(p.apply(math::EXPM1, &[x]), p.apply(math::COS, &[y]));
        let one = p.number(1.0);
        let is_near = p.is_less(p.size(x), one);
        let re = b.select(is_near, p.sub(grown, shrunk), p.sub(whole, one));
        let is_real = p.is(y, 0.0);
        let re = b.select(is_real, p.apply(math::EXPM1, &[x]), re);
        (re, b.select(is_real, y, rotated))
    })
}
