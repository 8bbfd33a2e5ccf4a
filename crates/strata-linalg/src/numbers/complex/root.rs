//! The square root of complex numbers and its reciprocal, each part as accurate as the larger one, the cube root, the
//! modulus and the direction.
//!
//! ```text
//! t = sqrt((|x| + |z|) / 2)        sqrt(x + iy) = t + i y/2t  where x >= 0,  |y|/2t ± it  elsewhere
//! ```
//! Where `|z|` could overflow, or lose digits below the normal range, `z` is scaled by a power of four first.

use strata_ir::{Builder, Value, arith, f64_type, math};
use strata_rewrite::Outcome;

use crate::numbers::complex::parts::{Pair, Parts, narrowed, wide_parts, with_parts};

type Result<'c> = Outcome<Value<'c>>;

/// The root of a scaled number.
struct Root<'c> {
    /// Its parts.
    parts: Pair<'c>,
    /// The modulus of the scaled number.
    modulus: Value<'c>,
    /// The factor for the root of the original number.
    unscale: Value<'c>,
    /// The reciprocal of that.
    scale: Value<'c>,
}

fn scaled_root<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Root<'c> {
    let b = p.b;
    let (_, high) = p.ordered(p.size(x), p.size(y));
    // Powers of two whose roots are powers of two.
    let factor = p.scale(high, 200, -4);
    let (x, y) = (p.mul(x, factor), p.mul(y, factor));
    let (width, height) = (p.size(x), p.size(y));
    let modulus = p.distance(width, height);
    let t = p.root(p.half(p.add(width, modulus)));
    let t = b.select(p.is(width, f64::INFINITY), width, t);
    let other = p.div(height, p.add(t, t));
    let other = b.select(p.is(t, 0.0), t, other);
    let is_left = p.is_less(x, p.number(0.0));
    let re = b.select(is_left, other, t);
    // The sign of a NaN means nothing: that of the infinity beside it is not taken from there.
    let sign = b.select(b.cmpf(arith::CmpFPredicate::Uno, y, y), p.number(0.0), y);
    let im = p.signed_like(b.select(is_left, t, other), sign);
    // An infinite imaginary part hides any real one.
    let re = b.select(p.is(height, f64::INFINITY), height, re);
    let im = b.select(p.is(height, f64::INFINITY), y, im);
    Root {
        parts: (re, im),
        modulus,
        unscale: p.scale(high, -100, 2),
        scale: p.scale(high, 100, -2),
    }
}

/// Principal square root.
pub fn sqrt<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, x, y| {
        let root = scaled_root(p, x, y);
        (p.mul(root.parts.0, root.unscale), p.mul(root.parts.1, root.unscale))
    })
}

/// The reciprocal of the principal square root: its conjugate over the modulus.
pub fn rsqrt<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, x, y| {
        let root = scaled_root(p, x, y);
        let part = |value| p.mul(p.div(value, root.modulus), root.scale);
        let (re, im) = (part(root.parts.0), part(p.negated(root.parts.1)));
        let zero = p.number(0.0);
        let is_infinite = p.is(root.modulus, f64::INFINITY);
        let re = b.select(is_infinite, zero, re);
        let im = b.select(is_infinite, p.signed_like(zero, p.negated(y)), im);
        let im = b.select(b.cmpf(arith::CmpFPredicate::Uno, y, y), y, im);
        // The reciprocal of zero has no direction.
        (b.select(p.is(root.modulus, 0.0), p.number(f64::INFINITY), re), im)
    })
}

/// The modulus.
pub fn abs<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let (ty, (x, y)) = wide_parts(b, z[0])?;
    let p = Parts::new(b);
    if ty == x.ty() {
        return Ok(p.distance(p.size(x), p.size(y)));
    }
    // Squares of the parts are exact and far from the limits of the wider type. Stage `vector` knows this root.
    let length = narrowed(b, p.root(p.add(p.mul(x, x), p.mul(y, y))), ty);
    let infinity = p.number(f64::INFINITY);
    let is_infinite = p.either(p.is_infinite(x), p.is_infinite(y));
    let beside_nan = b.select(is_infinite, narrowed(b, infinity, ty), length);
    let is_nan = b.cmpf(arith::CmpFPredicate::Uno, length, length);
    Ok(p.rarely(is_nan, beside_nan, length))
}

/// `z / |z|`, zero for zero.
pub fn sign<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let is_double = b.parts(z[0])?.0.ty() == f64_type(b.context);
    with_parts(
        b,
        z,
        |p, x, y| if is_double { sign_parts(p, x, y) } else { sign_of_single(p, x, y) },
    )
}

fn sign_parts<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let b = p.b;
    let (_, high) = p.ordered(p.size(x), p.size(y));
    let factor = p.scale(high, 200, -4);
    let (x, y) = (p.mul(x, factor), p.mul(y, factor));
    let modulus = p.distance(p.size(x), p.size(y));
    let zero = p.number(0.0);
    let is_zero = p.is(modulus, 0.0);
    let has_nan = b.cmpf(arith::CmpFPredicate::Uno, x, y);
    let part = |value| {
        let share = b.select(is_zero, zero, p.div(value, modulus));
        b.select(has_nan, p.number(f64::NAN), share)
    };
    (part(x), part(y))
}

/// As [`sign_parts`], of parts that are `f32`, whose squares are exact and far from the limits of `f64`. The sum of the squares is NaN
/// where a part is.
fn sign_of_single<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let p = Parts { b: p.b, has_exact_products: true };
    let square = p.add(p.mul(x, x), p.mul(y, y));
    let zero = p.number(0.0);
    let share = p.b.select(p.is(square, f64::INFINITY), zero, p.reciprocal_root(square));
    let part = |value| p.b.select(p.is(square, 0.0), zero, p.mul(value, share));
    (part(x), part(y))
}

/// The principal cube root, by modulus and angle.
pub fn cbrt<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, x, y| {
        let (_, high) = p.ordered(p.size(x), p.size(y));
        // Powers of eight.
        let factor = p.scale(high, 300, -6);
        let modulus = p.distance(p.size(p.mul(x, factor)), p.size(p.mul(y, factor)));
        let modulus = p.mul(p.apply(math::CBRT, &[modulus]), p.scale(high, -100, 2));
        let three = p.number(3.0);
        let angle = p.div(p.apply(math::ATAN2, &[y, x]), three);
        let re = p.mul(modulus, p.apply(math::COS, &[angle]));
        let im = p.mul(modulus, p.apply(math::SIN, &[angle]));
        let is_real = p.both(p.is(y, 0.0), b.cmpf(arith::CmpFPredicate::Oge, x, p.number(0.0)));
        let on_axis = p.apply(math::CBRT, &[x]);
        (b.select(is_real, on_axis, re), b.select(is_real, p.div(y, three), im))
    })
}
