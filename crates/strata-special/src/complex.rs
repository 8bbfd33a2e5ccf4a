//! Inverse functions and the square of complex numbers, by their parts.
//!
//! Arc sine and arc cosine follow Hull, Fairgrieve and Tang ("Implementing the complex arcsine and
//! arccosine functions using exception handling", 1997): both parts come from the distances `r` and `s`
//! of the point to -1 and 1, by formulas without cancellation. The others follow from these and the arc
//! tangent by rotations by a right angle.
//!
//! All functions fail where the arithmetic does.
#![allow(clippy::missing_errors_doc)]

use std::f64::consts::{FRAC_PI_2, LN_2};

use crate::{Arithmetic, Function, Relation};

/// The real and the imaginary part.
pub type Parts<A> = (<A as Arithmetic>::Value, <A as Arithmetic>::Value);

/// Operations on parts.
pub trait PartArithmetic: Arithmetic {
    /// `x / 2`
    fn half(&self, x: Self::Value) -> Self::Value {
        self.mul(x, self.number(0.5))
    }

    /// The square root.
    fn root(&self, x: Self::Value) -> Self::Value {
        self.apply(Function::Sqrt, x)
    }

    /// `|x|`
    fn size(&self, x: Self::Value) -> Self::Value {
        self.apply(Function::Abs, x)
    }

    /// `-x`
    fn opposite(&self, x: Self::Value) -> Self::Value {
        self.apply(Function::Negate, x)
    }

    /// `x < y`
    fn is_less(&self, x: Self::Value, y: Self::Value) -> Result<Self::Truth, Self::Error> {
        self.holds(x, Relation::Less, y)
    }

    /// `sqrt(x² + y²)` of two numbers that are not negative, without overflow.
    fn distance(&self, x: Self::Value, y: Self::Value) -> Result<Self::Value, Self::Error> {
        let swaps = self.is_less(x, y)?;
        let (high, low) = (self.select(swaps, y, x), self.select(swaps, x, y));
        let ratio = self.div(low, high);
        let one = self.number(1.0);
        let scaled = self.mul(high, self.root(self.add(one, self.mul(ratio, ratio))));
        let is_zero = self.holds(low, Relation::Equal, self.number(0.0))?;
        let distance = self.select(is_zero, high, scaled);
        // Infinite where one of the two is, also beside a NaN.
        let infinity = self.number(f64::INFINITY);
        let wide = self.holds(x, Relation::Equal, infinity)?;
        let tall = self.holds(y, Relation::Equal, infinity)?;
        let distance = self.select(wide, infinity, distance);
        Ok(self.select(tall, infinity, distance))
    }

    /// The largest number.
    fn largest(&self) -> f64 {
        if self.is_double() { f64::MAX } else { f64::from(f32::MAX) }
    }

    /// The smallest number whose square has full precision.
    fn smallest(&self) -> f64 {
        if self.is_double() { 1e-140 } else { 1e-15 }
    }
}

impl<A: Arithmetic> PartArithmetic for A {}

/// For `z = x + iy` in the first quadrant: the two arguments whose arc tangent is the arc sine's real
/// part (swapped: the arc cosine's), and the imaginary part of both.
fn hull<A: Arithmetic>(p: &A, x: A::Value, y: A::Value) -> Result<(Parts<A>, A::Value), A::Error> {
    let one = p.number(1.0);
    let above = p.add(x, one);
    let below = p.size(p.sub(x, one));
    let (r, s) = (p.distance(above, y)?, p.distance(below, y)?);
    let a = p.half(p.add(r, s));
    let square = p.mul(y, y);
    let outer = p.add(r, above);
    let inside = p.is_less(x, one)?;
    // The real part: x over sqrt((a - x)(a + x)), with a - x written without cancellation.
    let first = p.div(square, outer);
    let near = p.add(s, below);
    let left = p.add(first, near);
    let sum = p.add(a, x);
    let inner_root = p.root(p.half(p.mul(sum, left)));
    let right = p.add(p.div(sum, outer), p.div(sum, near));
    // On the axis it is zero: at one the factor beside it is infinite.
    let on_axis = p.holds(y, Relation::Equal, p.number(0.0))?;
    let outer_root = p.select(on_axis, y, p.mul(y, p.root(p.half(right))));
    // Beside one the quotients overflow: half of y under the root.
    let shares = p.add(p.div(y, outer), p.div(y, near));
    let beside = p.mul(p.root(y), p.root(p.half(p.mul(sum, shares))));
    let is_beside = p.both(p.is_less(near, p.number(p.smallest()))?, p.is_less(p.number(0.0), y)?);
    let outer_root = p.select(is_beside, beside, outer_root);
    let root = p.select(inside, inner_root, outer_root);
    // The imaginary part: log(a + sqrt(a² - 1)), with a - 1 written without cancellation.
    let beyond = p.select(inside, p.div(square, near), near);
    let twice = p.add(first, beyond);
    let excess = p.half(twice);
    let grown = p.root(p.mul(twice, p.half(p.add(a, one))));
    let small = p.apply(Function::Log1p, p.add(excess, grown));
    let tall = p.root(p.sub(p.mul(a, a), one));
    let large = p.apply(Function::Log, p.add(a, tall));
    let is_near = p.is_less(a, p.number(1.5))?;
    let imaginary = p.select(is_near, small, large);
    // Where the square of y vanishes, between the branch points.
    let slope = p.add(p.div(one, outer), p.div(one, near));
    let flat = p.mul(y, p.root(p.half(p.mul(slope, p.add(a, one)))));
    let is_flat = p.both(inside, p.is_less(y, p.number(p.smallest()))?);
    let imaginary = p.select(is_flat, flat, imaginary);
    // Where squares overflow, a is the distance itself.
    let limit = p.number(p.largest().sqrt() / 8.0);
    let greater = p.select(p.is_less(x, y)?, y, x);
    let is_huge = p.holds(greater, Relation::Greater, limit)?;
    let (half_x, half_y) = (p.half(x), p.half(y));
    let length = p.distance(half_x, half_y)?;
    let huge = p.add(p.apply(Function::Log, length), p.number(2.0 * LN_2));
    let imaginary = p.select(is_huge, huge, imaginary);
    let root = p.select(is_huge, y, root);
    Ok(((x, root), imaginary))
}

/// Arc sine.
pub fn asin<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let ((x, root), imaginary) = hull(p, p.size(re), p.size(im))?;
    let real = p.atan2(x, root);
    // On the imaginary axis the real part is zero, also beside a NaN.
    let on_axis = p.holds(x, Relation::Equal, p.number(0.0))?;
    let real = p.select(on_axis, x, real);
    Ok((p.with_sign(real, re)?, p.with_sign(imaginary, im)?))
}

/// Arc cosine.
pub fn acos<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let ((x, root), imaginary) = hull(p, p.size(re), p.size(im))?;
    // The second quadrant's angle is the supplement, which atan2 gives from the sign.
    let real = p.atan2(root, p.with_sign(x, re)?);
    let on_axis = p.holds(x, Relation::Equal, p.number(0.0))?;
    let real = p.select(on_axis, p.number(FRAC_PI_2), real);
    let opposite = p.opposite(im);
    Ok((real, p.with_sign(imaginary, opposite)?))
}

/// Inverse hyperbolic tangent.
pub fn atanh<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let (x, y) = (p.size(re), p.size(im));
    let one = p.number(1.0);
    let below = p.sub(one, x);
    let square = p.mul(y, y);
    // log((1 + x)² + y²) - log((1 - x)² + y²), a quarter of it.
    let denominator = p.add(p.mul(below, below), square);
    let ratio = p.div(p.mul(p.number(4.0), x), denominator);
    let real = p.mul(p.number(0.25), p.apply(Function::Log1p, ratio));
    // Beside one the squares vanish: log(2 / |1 - z|), half of it.
    let gap = p.distance(p.size(below), y)?;
    let close = p.half(p.sub(p.number(LN_2), p.apply(Function::Log, gap)));
    let real = p.select(p.is_less(gap, p.number(p.smallest()))?, close, real);
    let across = p.sub(p.mul(below, p.add(one, x)), square);
    let imaginary = p.half(p.atan2(p.add(y, y), across));
    // Where squares overflow: the real part is x / (x² + y²), the imaginary one a right angle.
    let limit = p.number(p.largest().sqrt() / 8.0);
    let swaps = p.is_less(x, y)?;
    let (high, low) = (p.select(swaps, y, x), p.select(swaps, x, y));
    let is_huge = p.holds(high, Relation::Greater, limit)?;
    let part = p.div(low, high);
    // Divided by the larger part last: the result may be denormal, nothing before it is.
    let share = p.div(p.select(swaps, part, one), p.add(one, p.mul(part, part)));
    let far = p.div(share, high);
    let is_infinite = p.holds(high, Relation::Equal, p.number(f64::INFINITY))?;
    let far = p.select(is_infinite, p.number(0.0), far);
    let real = p.select(is_huge, far, real);
    let imaginary = p.select(is_huge, p.number(FRAC_PI_2), imaginary);
    // An infinite imaginary part decides, whatever the real one is.
    let is_tall = p.holds(y, Relation::Equal, p.number(f64::INFINITY))?;
    let real = p.select(is_tall, p.number(0.0), real);
    let imaginary = p.select(is_tall, p.number(FRAC_PI_2), imaginary);
    // On the imaginary axis the real part is zero, also beside a NaN, which the imaginary part keeps.
    let on_axis = p.holds(x, Relation::Equal, p.number(0.0))?;
    let real = p.select(on_axis, x, real);
    let is_number = p.holds(y, Relation::Equal, y)?;
    let imaginary = p.select(is_number, imaginary, y);
    Ok((p.with_sign(real, re)?, p.with_sign(imaginary, im)?))
}

/// What the arc sine and the arc cosine share: the tangent's other side, and the size of the imaginary
/// part of both.
pub fn asin_acos_kernel<A: Arithmetic>(
    p: &A,
    re: A::Value,
    im: A::Value,
) -> Result<Parts<A>, A::Error> {
    let ((_, root), imaginary) = hull(p, p.size(re), p.size(im))?;
    Ok((root, imaginary))
}

/// `asinh(z) = -i asin(iz)`.
pub fn asinh<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let (q, r) = asin(p, p.opposite(im), re)?;
    Ok((r, p.opposite(q)))
}

/// `acosh(z)`: the arc cosine, rotated so that its real part is not negative.
pub fn acosh<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let (q, r) = acos(p, re, im)?;
    Ok((p.size(r), p.with_sign(q, im)?))
}

/// `atan(z) = -i atanh(iz)`.
pub fn atan<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let (q, r) = atanh(p, p.opposite(im), re)?;
    Ok((r, p.opposite(q)))
}

/// `z²` with the real part `(x + y)(x - y)`, which does not cancel.
pub fn square<A: Arithmetic>(p: &A, re: A::Value, im: A::Value) -> Result<Parts<A>, A::Error> {
    let product = p.mul(p.add(re, im), p.sub(re, im));
    // The sum of large numbers of equal size overflows, and infinity times zero is NaN.
    let equal = p.holds(p.size(re), Relation::Equal, p.size(im))?;
    let finite = p.is_less(p.size(re), p.number(f64::INFINITY))?;
    let cancels = p.both(equal, finite);
    let real = p.select(cancels, p.number(0.0), product);
    let twice = p.mul(re, im);
    Ok((real, p.add(twice, twice)))
}
