//! The square root of complex numbers and its reciprocal, each part as accurate as the larger one.
//!
//! ```text
//! t = sqrt((|x| + |z|) / 2)        sqrt(x + iy) = t + i y/2t  where x >= 0,  |y|/2t ± it  elsewhere
//! ```
//! Where `|z|` could overflow, or lose digits below the normal range, `z` is scaled by a power of four first.

use strata_ir::{Builder, Value};
use strata_rewrite::Outcome;

use crate::{
    complex_parts::{Pair, Parts, with_parts},
    emit::{Emit as _, FloatCmp},
};

type Result<'c> = Outcome<Value<'c>>;

/// The root of a scaled number.
struct Root<'c> {
    /// Its parts.
    parts: Pair<'c>,
    /// The modulus of the scaled number.
    modulus: Value<'c>,
    /// What the root of the number itself is larger by.
    unscale: Value<'c>,
    /// The reciprocal of that.
    scale: Value<'c>,
}

fn scaled_root<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Root<'c> {
    let b = p.b;
    let (_, high) = p.ordered(p.size(x), p.size(y));
    // Powers of two whose roots are powers of two.
    let (large, small, power) =
        if p.is_double() { (1e300, 1e-290, 100) } else { (1e37, 1e-30, 30) };
    let is_large = b.cmpf(FloatCmp::Ogt, high, p.number(large));
    let is_small = p.is_less(high, p.number(small));
    let choose = |down: f64, up: f64| {
        let small = b.select(is_small, p.number(up), p.number(1.0));
        b.select(is_large, p.number(down), small)
    };
    let up = 2f64.powi(power);
    let scale = choose(0.25, up);
    let factor = choose(1.0 / 16.0, up * up);
    let (x, y) = (p.mul(x, factor), p.mul(y, factor));
    let (width, height) = (p.size(x), p.size(y));
    let modulus = p.distance(width, height);
    let t = p.root(p.half(p.add(width, modulus)));
    let t = b.select(p.is(width, f64::INFINITY), width, t);
    let other = p.div(height, p.add(t, t));
    let other = b.select(p.is(t, 0.0), t, other);
    let is_left = p.is_less(x, p.number(0.0));
    let re = b.select(is_left, other, t);
    let im = p.signed_like(b.select(is_left, t, other), y);
    // An infinite imaginary part hides any real one.
    let re = b.select(p.is(height, f64::INFINITY), height, re);
    let im = b.select(p.is(height, f64::INFINITY), y, im);
    Root { parts: (re, im), modulus, unscale: choose(4.0, 1.0 / up), scale }
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
        // The reciprocal of zero has no direction.
        (b.select(p.is(root.modulus, 0.0), p.number(f64::INFINITY), re), im)
    })
}
