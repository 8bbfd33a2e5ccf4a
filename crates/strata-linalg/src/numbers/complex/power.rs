//! The exponential of complex numbers and what is made of it, and the angle of complex coordinates.
//!
//! ```text
//! exp(x + iy) = e^x cos y + i e^x sin y        a^b = exp(b log a)
//! atan2(y, x) = -i log((x + iy) / sqrt(x² + y²)), from the moduli and the angles of x + iy and x - iy
//! ```

use std::f64::consts::PI;

use strata_ir::{Builder, TypeExt as _, Value, arith, math};
use strata_rewrite::Outcome;

use crate::numbers::complex::{
    arithmetic::quotient,
    inverse::{log_parts, log_parts_of_single},
    parts::{Pair, Parts, narrow_complex, wide_parts, with_parts, with_two},
};

type Result<'c> = Outcome<Value<'c>>;

/// The parts of the exponential as products: NaN if the imaginary part is NaN or infinite.
fn exp_products<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let b = p.b;
    let (sine, cosine) = (p.apply(math::SIN, &[y]), p.apply(math::COS, &[y]));
    let grown = p.apply(math::EXP, &[x]);
    // Half of the exponent at a time: exp may overflow where the product with a small sine does not.
    let half = p.apply(math::EXP, &[p.half(x)]);
    let is_far = b.cmpf(arith::CmpFPredicate::Ogt, p.size(x), p.number(600.0));
    let part = |turn| b.select(is_far, p.mul(p.mul(half, turn), half), p.mul(grown, turn));
    let is_real = p.is(y, 0.0);
    (b.select(is_real, grown, part(cosine)), b.select(is_real, y, part(sine)))
}

/// The parts of the exponential within other functions, with infinities and NaN as in C's Annex G.
pub fn exp_parts<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let b = p.b;
    let (re, im) = exp_products(p, x, y);
    // Without a direction an infinite exponent still says how large the result is.
    let is_lost = p.both(p.is_infinite(x), p.is_open(y));
    let vanishes = p.both(is_lost, p.is_less(x, p.number(0.0)));
    let grown = p.apply(math::EXP, &[x]);
    (b.select(is_lost, grown, re), b.select(vanishes, p.number(0.0), im))
}

/// Exponential.
pub fn exp<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let is_double = b.parts(z[0])?.0.ty().bit_width() == Some(64);
    with_parts(b, z, if is_double { exp_products } else { exp_products_of_single })
}

/// As [`exp_products`], of parts that are `f32`, as those of the result: where `e^x` overflows in `f64`, no product with a sine of such
/// a part is less than infinite.
fn exp_products_of_single<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let (sine, cosine) = (p.apply(math::SIN, &[y]), p.apply(math::COS, &[y]));
    let grown = p.apply(math::EXP, &[x]);
    let im = p.b.select(p.is(y, 0.0), y, p.mul(grown, sine));
    (p.mul(grown, cosine), im)
}

/// `1 / (1 + exp(-z))`.
pub fn logistic<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let (ty, (x, y)) = wide_parts(b, z[0])?;
    let p = Parts::new(b);
    let one = p.number(1.0);
    let (re, im) = exp_parts(&p, p.negated(x), p.negated(y));
    let quotient = quotient(&p, (one, p.number(0.0)), (p.add(one, re), im));
    Ok(narrow_complex(b, quotient, ty))
}

/// `a` to the power of `b`: 1 where the exponent is 0 or the base 1, 0 for a base of 0 and an exponent whose real
/// part is positive.
pub fn power<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let is_double = b.parts(z[0])?.0.ty().bit_width() == Some(64);
    with_two(b, z, |p, base, exponent| {
        let ((u, v), (x, y)) = (base, exponent);
        let parts = if is_double { log_parts } else { log_parts_of_single };
        let (size, angle) = parts(p, u, v);
        let grown = p.sub(p.mul(x, size), p.mul(y, angle));
        let phase = p.add(p.mul(y, size), p.mul(x, angle));
        let (re, im) = exp_parts(p, grown, phase);
        let (re, im) = if is_double {
            with_modulus(p, base, exponent, angle, phase, (re, im))
        } else {
            (re, im)
        };
        let (zero, one) = (p.number(0.0), p.number(1.0));
        let is_point = |re: f64, parts: Pair<'c>| p.both(p.is(parts.0, re), p.is(parts.1, 0.0));
        let is_one = p.either(is_point(0.0, exponent), is_point(1.0, base));
        let is_zero = p.both(is_point(0.0, base), b.cmpf(arith::CmpFPredicate::Ogt, x, zero));
        let (re, im) = (b.select(is_zero, zero, re), b.select(is_zero, zero, im));
        (b.select(is_one, one, re), b.select(is_one, zero, im))
    })
}

/// The power with the modulus `|a|^x e^(-y arg a)`, of which the power function has more digits than `exp` of a
/// rounded exponent; only where the factors are normal numbers.
fn with_modulus<'c>(
    p: &Parts<'_, 'c>,
    (u, v): Pair<'c>,
    (x, y): Pair<'c>,
    angle: Value<'c>,
    phase: Value<'c>,
    plain: Pair<'c>,
) -> Pair<'c> {
    let b = p.b;
    let (length, excess) = exact_length(p, u, v);
    let is_within = |value, bound: f64| {
        let above = b.cmpf(arith::CmpFPredicate::Ogt, value, p.number(1.0 / bound));
        p.both(above, p.is_less(value, p.number(bound)))
    };
    let plain_length = p.distance(p.size(u), p.size(v));
    let is_moderate = is_within(plain_length, 1e140);
    let length = b.select(is_moderate, length, plain_length);
    let excess = b.select(is_moderate, excess, p.number(0.0));
    let power = p.apply(math::POWF, &[length, x]);
    let shrunk = p.apply(math::EXP, &[p.negated(p.mul(y, angle))]);
    // An exponent of 1e16 and more makes a factor of its own out of the error.
    let exact_power = p.mul(power, p.apply(math::EXP, &[p.mul(x, excess)]));
    let fits = p.both(is_within(power, 1e307), is_within(exact_power, 1e307));
    let fits = p.both(fits, is_within(shrunk, 1e307));
    let fits = p.both(fits, p.is_less(p.size(phase), p.number(f64::INFINITY)));
    let modulus = p.mul(exact_power, shrunk);
    let re = p.mul(modulus, p.apply(math::COS, &[phase]));
    let im = p.mul(modulus, p.apply(math::SIN, &[phase]));
    (b.select(fits, re, plain.0), b.select(fits, im, plain.1))
}

/// `sqrt(x² + y²)` of ordinary numbers, rounded, and the relative error.
fn exact_length<'c>(p: &Parts<'_, 'c>, x: Value<'c>, y: Value<'c>) -> Pair<'c> {
    let ((wide, wide_error), (tall, tall_error)) = (p.exact_square(x), p.exact_square(y));
    let (sum, sum_error) = p.exact_sum(wide, tall);
    let length = p.root(sum);
    let (square, square_error) = p.exact_square(length);
    let rest = p.add(sum_error, p.add(wide_error, tall_error));
    let rest = p.add(p.sub(p.sub(sum, square), square_error), rest);
    (length, p.half(p.div(rest, square)))
}

/// The angle of `y` over `x`, extended to complex arguments. With `s = arg(x + iy) + arg(x - iy)`, wrapped to 2π, the real
/// part is `arg(x + iy) - s/2`, and the imaginary one half of `log |x - iy| - log |x + iy|`.
pub fn atan2<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    with_two(b, z, |p, y, x| {
        // Both by the same factor, which changes no angle: sums do not overflow, and do not lose digits.
        let largest = |parts: Pair<'c>| p.ordered(p.size(parts.0), p.size(parts.1)).1;
        let factor = p.scale(p.ordered(largest(y), largest(x)).1, 200, -4);
        let [v, w, t, u] = [y.0, y.1, x.0, x.1].map(|part| p.mul(part, factor));
        let (numerator, denominator) = ((p.sub(t, w), p.add(u, v)), (p.add(t, w), p.sub(u, v)));
        let (size, angle) = log_parts(p, numerator.0, numerator.1);
        let (other_size, other_angle) = log_parts(p, denominator.0, denominator.1);
        let middle = p.half(wrapped(p, p.add(angle, other_angle)));
        // Where the moduli are nearly equal: |x - iy|² / |x + iy|² - 1 by what the squares differ in.
        let length = p.distance(p.size(numerator.0), p.size(numerator.1));
        let [v, w, t, u] = [v, w, t, u].map(|part| p.div(part, length));
        let excess = p.mul(p.number(4.0), p.sub(p.mul(t, w), p.mul(u, v)));
        let near = p.mul(p.number(0.25), p.apply(math::LOG1P, &[excess]));
        let is_near = p.is_less(p.size(excess), p.number(0.5));
        let far = p.half(p.sub(other_size, size));
        (wrapped(p, p.sub(angle, middle)), b.select(is_near, near, far))
    })
}

/// Reduces an angle of at most 3π to at most π.
fn wrapped<'c>(p: &Parts<'_, 'c>, angle: Value<'c>) -> Value<'c> {
    let (half_circle, turn) = (p.number(PI), p.number(2.0 * PI));
    let is_above = p.b.cmpf(arith::CmpFPredicate::Ogt, angle, half_circle);
    let is_below = p.b.cmpf(arith::CmpFPredicate::Ole, angle, p.negated(half_circle));
    let lower = p.b.select(is_above, p.sub(angle, turn), angle);
    p.b.select(is_below, p.add(angle, turn), lower)
}
