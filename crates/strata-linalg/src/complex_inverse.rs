//! The inverse trigonometric and hyperbolic functions of complex numbers, the logarithms, and the square:
//! those where MLIR's own expansions overflow or cancel.
//!
//! Arc sine and arc cosine follow Hull, Fairgrieve and Tang ("Implementing the complex arcsine and
//! arccosine functions using exception handling", 1997): both parts come from the distances `r` and `s`
//! of the point to -1 and 1, by formulas without cancellation. The others are turns of these and of the
//! arc tangent by a quarter.

use std::f64::consts::{FRAC_PI_2, LN_2};

use strata_ir::{Builder, Value};
use strata_rewrite::Outcome;

use crate::{
    complex_parts::{Pair, Parts, with_parts},
    emit::{Emit as _, FloatCmp},
};

type Result<'c> = Outcome<Value<'c>>;

/// For `z = x + iy` in the first quadrant: the two arguments whose arc tangent is the arc sine's real
/// part (swapped: the arc cosine's), and the imaginary part of both.
fn hull<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> (Pair<'c>, Value<'c>) {
    let b = p.b;
    let one = p.number(1.0);
    let above = p.add(x, one);
    let below = p.size(p.sub(x, one));
    let (r, s) = (p.distance(above, y), p.distance(below, y));
    let a = p.half(p.add(r, s));
    let square = p.mul(y, y);
    let outer = p.add(r, above);
    let inside = p.is_less(x, one);
    // The real part: x over sqrt((a - x)(a + x)), with a - x written without cancellation.
    let first = p.div(square, outer);
    let near = p.add(s, below);
    let left = p.add(first, near);
    let sum = p.add(a, x);
    let inner_root = p.root(p.half(p.mul(sum, left)));
    let right = p.add(p.div(sum, outer), p.div(sum, near));
    let outer_root = p.mul(y, p.root(p.half(right)));
    let root = b.select(inside, inner_root, outer_root);
    // The imaginary part: log(a + sqrt(a² - 1)), with a - 1 written without cancellation.
    let beyond = b.select(inside, p.div(square, near), near);
    let excess = p.half(p.add(first, beyond));
    let grown = p.root(p.mul(excess, p.add(a, one)));
    let small = p.apply("math.log1p", &[p.add(excess, grown)]);
    let tall = p.root(p.sub(p.mul(a, a), one));
    let large = p.apply("math.log", &[p.add(a, tall)]);
    let is_near = p.is_less(a, p.number(1.5));
    let imaginary = b.select(is_near, small, large);
    // Where squares overflow, a is the distance itself.
    let limit = p.number(p.largest().sqrt() / 8.0);
    let greater = b.select(p.is_less(x, y), y, x);
    let is_huge = b.cmpf(FloatCmp::Ogt, greater, limit);
    let (half_x, half_y) = (p.half(x), p.half(y));
    let length = p.distance(half_x, half_y);
    let huge = p.add(p.apply("math.log", &[length]), p.number(2.0 * LN_2));
    let imaginary = b.select(is_huge, huge, imaginary);
    let root = b.select(is_huge, y, root);
    ((x, root), imaginary)
}

/// The parts of the arc sine.
fn asin_parts<'c>(p: &Parts<'_, 'c>, re: Value<'c>, im: Value<'c>) -> Pair<'c> {
    let ((x, root), imaginary) = hull(p, p.size(re), p.size(im));
    let real = p.apply("math.atan2", &[x, root]);
    (p.signed_like(real, re), p.signed_like(imaginary, im))
}

/// The parts of the arc cosine.
fn acos_parts<'c>(p: &Parts<'_, 'c>, re: Value<'c>, im: Value<'c>) -> Pair<'c> {
    let ((x, root), imaginary) = hull(p, p.size(re), p.size(im));
    // The second quadrant's angle is the supplement, which atan2 gives from the sign.
    let real = p.apply("math.atan2", &[root, p.signed_like(x, re)]);
    let opposite = p.apply("arith.negf", &[im]);
    (real, p.signed_like(imaginary, opposite))
}

/// The parts of the inverse hyperbolic tangent.
fn atanh_parts<'c>(p: &Parts<'_, 'c>, re: Value<'c>, im: Value<'c>) -> Pair<'c> {
    let b = p.b;
    let (x, y) = (p.size(re), p.size(im));
    let one = p.number(1.0);
    let below = p.sub(one, x);
    let square = p.mul(y, y);
    // log((1 + x)² + y²) - log((1 - x)² + y²), a quarter of it.
    let denominator = p.add(p.mul(below, below), square);
    let ratio = p.div(p.mul(p.number(4.0), x), denominator);
    let real = p.mul(p.number(0.25), p.apply("math.log1p", &[ratio]));
    let across = p.sub(p.mul(below, p.add(one, x)), square);
    let imaginary = p.half(p.apply("math.atan2", &[p.add(y, y), across]));
    // Where squares overflow: the real part is x / (x² + y²), the imaginary one a right angle.
    let limit = p.number(p.largest().sqrt() / 8.0);
    let swaps = p.is_less(x, y);
    let (high, low) = (b.select(swaps, y, x), b.select(swaps, x, y));
    let is_huge = b.cmpf(FloatCmp::Ogt, high, limit);
    let part = p.div(low, high);
    // Divided by the larger part last: the result may be denormal, nothing before it is.
    let share = p.div(b.select(swaps, part, one), p.add(one, p.mul(part, part)));
    let far = p.div(share, high);
    let is_infinite = b.cmpf(FloatCmp::Oeq, high, p.number(f64::INFINITY));
    let far = b.select(is_infinite, p.number(0.0), far);
    let real = b.select(is_huge, far, real);
    let imaginary = b.select(is_huge, p.number(FRAC_PI_2), imaginary);
    (p.signed_like(real, re), p.signed_like(imaginary, im))
}

/// Arc sine.
pub fn asin<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, asin_parts)
}

/// Arc cosine.
pub fn acos<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, acos_parts)
}

/// What the arc sine and the arc cosine share: the tangent's other side, and the size of the imaginary
/// part of both.
pub fn asin_acos_kernel<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let ((_, root), imaginary) = hull(p, p.size(re), p.size(im));
        (root, imaginary)
    })
}

/// `asinh(z) = -i asin(iz)`.
pub fn asinh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let (q, r) = asin_parts(p, p.apply("arith.negf", &[im]), re);
        (r, p.apply("arith.negf", &[q]))
    })
}

/// `acosh(z)`: the arc cosine turned so that its real part is not negative.
pub fn acosh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let (q, r) = acos_parts(p, re, im);
        (p.size(r), p.signed_like(q, im))
    })
}

/// Inverse hyperbolic tangent.
pub fn atanh<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, atanh_parts)
}

/// `atan(z) = -i atanh(iz)`.
pub fn atan<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let (q, r) = atanh_parts(p, p.apply("arith.negf", &[im]), re);
        (r, p.apply("arith.negf", &[q]))
    })
}

/// Logarithm. Where squares of the parts overflow or vanish, the modulus is taken apart first:
/// `log |z| = log high + log(1 + (low / high)²) / 2`. Near the unit circle it is `log1p(x² + y² - 1) / 2`, with the squares
/// formed without error.
pub fn log<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let plain = b.same("complex.log", z);
    let (near, angle) = b.parts(plain)?;
    with_parts(b, z, |p, re, im| {
        let (x, y) = (p.size(re), p.size(im));
        let near = log_of_unit(p, x, y, near);
        (log_modulus(p, x, y, near), angle)
    })
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
    b.select(b.same("arith.andi", &[above, below]), value, plain)
}

fn log_modulus<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>, near: Value<'c>) -> Value<'c> {
    let b = p.b;
    let swaps = p.is_less(x, y);
    let (high, low) = (b.select(swaps, y, x), b.select(swaps, x, y));
    let limit = p.largest().sqrt() / 8.0;
    let is_large = b.cmpf(FloatCmp::Ogt, high, p.number(limit));
    let is_small = p.is_less(high, p.number(1.0 / limit));
    let is_extreme = b.same("arith.ori", &[is_large, is_small]);
    let ratio = p.div(low, high);
    let rest = p.half(p.apply("math.log1p", &[p.mul(ratio, ratio)]));
    let far = p.add(p.apply("math.log", &[high]), rest);
    let is_finite = p.is_less(high, p.number(f64::INFINITY));
    let is_positive = b.cmpf(FloatCmp::Ogt, high, p.number(0.0));
    let is_number = b.same("arith.andi", &[is_finite, is_positive]);
    let takes_far = b.same("arith.andi", &[is_extreme, is_number]);
    b.select(takes_far, far, near)
}

/// `log(1 + z)`; near zero its real part is `log1p(2x + x² + y²) / 2`, with the squares formed without error.
pub fn log_plus_one<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let (re, im) = b.parts(z[0])?;
    let one = b.float(re.ty(), 1.0);
    let whole = log(b, &[b.complex(b.same("arith.addf", &[re, one]), im)])?;
    let (plain, angle) = b.parts(whole)?;
    with_parts(b, z, |p, re, im| {
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
        (b.select(b.same("arith.andi", &[is_small, is_outside]), near, plain), angle)
    })
}

/// `z²` with the real part `(x + y)(x - y)`, which does not cancel.
pub fn square<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_parts(b, z, |p, re, im| {
        let product = p.mul(p.add(re, im), p.sub(re, im));
        // The sum of large numbers of equal size overflows, and infinity times zero is NaN.
        let equal = b.cmpf(FloatCmp::Oeq, p.size(re), p.size(im));
        let finite = p.is_less(p.size(re), p.number(f64::INFINITY));
        let cancels = b.same("arith.andi", &[equal, finite]);
        let real = b.select(cancels, p.number(0.0), product);
        let twice = p.mul(re, im);
        (real, p.add(twice, twice))
    })
}
