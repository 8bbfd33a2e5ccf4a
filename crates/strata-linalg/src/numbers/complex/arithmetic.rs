//! Sums, products and quotients of complex numbers by their parts. Operations of the complex dialect are not for arithmetic: MLIR folds
//! `a - b + b` to `a`, and forgets signs of zeros.
//!
//! ```text
//! (x + iy) (u + iv) = (xu - yv) + i (xv + yu), of complex<f32> in f64, of complex<f64> where a product overflows of factors scaled by
//! powers of two
//! (x + iy) / (u + iv) = ((xu + yv) + i (yu - xv)) / (u² + v²), of complex<f64> with the parts scaled and the sums of products formed
//! without error: neither cancels
//! ```

use strata_ir::{Builder, OpName, Value, arith, f64_type, integer};
use strata_rewrite::Outcome;

use crate::numbers::complex::parts::{Pair, Parts, narrow_complex, wide_parts, with_two};

type Result<'c> = Outcome<Value<'c>>;

/// Applies an operation to both parts.
fn part_by_part<'c>(b: &Builder<'c>, name: OpName<'static>, z: &[Value<'c>]) -> Result<'c> {
    let ((x, y), (u, v)) = (b.parts(z[0])?, b.parts(z[1])?);
    Ok(b.complex(b.same(name, &[x, u]), b.same(name, &[y, v])))
}

/// Sum.
pub fn add<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    part_by_part(b, arith::ADDF, z)
}

/// Difference.
pub fn subtract<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    part_by_part(b, arith::SUBF, z)
}

/// Product, of which no part is lost to the overflow of a product of parts. Products of `f32` parts are exact in `f64`.
pub fn multiply<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let is_double = b.parts(z[0])?.0.ty() == f64_type(b.context);
    with_two(b, z, |p, one, two| match is_double {
        true => product(p, one, two),
        false => plain_product(&Parts { has_exact_products: true, ..*p }, one, two),
    })
}

/// `xu - yv` and `xv + yu`.
fn plain_product<'c>(p: &Parts<'_, 'c>, (x, y): Pair<'c>, (u, v): Pair<'c>) -> Pair<'c> {
    (p.sub(p.mul(x, u), p.mul(y, v)), p.add(p.mul(x, v), p.mul(y, u)))
}

/// The product of `f64` parts, as if exponents had no upper limit.
fn product<'c>(p: &Parts<'_, 'c>, one: Pair<'c>, two: Pair<'c>) -> Pair<'c> {
    let plain = plain_product(p, one, two);
    let down = p.number(2f64.powi(-512));
    let up = p.number(2f64.powi(512));
    // Beside a product that overflows, one with a factor this small counts for nothing; but infinity times zero is NaN.
    let shrunk = |part| {
        let scaled = p.mul(part, down);
        p.b.select(p.is(scaled, 0.0), part, scaled)
    };
    let [one, two] = [one, two].map(|(re, im)| (shrunk(re), shrunk(im)));
    let scaled = plain_product(p, one, two);
    let part = |plain, scaled| p.rarely(p.is_open(plain), p.mul(p.mul(scaled, up), up), plain);
    (part(plain.0, scaled.0), part(plain.1, scaled.1))
}

/// Quotient, infinities as in Annex G. Products of `f32` parts are exact in `f64` and need no scale.
pub fn divide<'c>(b: &Builder<'c>, z: &[Value<'c>]) -> Result<'c> {
    let is_double = b.parts(z[0])?.0.ty() == f64_type(b.context);
    let (ty, over) = wide_parts(b, z[0])?;
    let (_, under) = wide_parts(b, z[1])?;
    let p = Parts { b, has_exact_products: !is_double };
    let parts = if is_double { quotient(&p, over, under) } else { plain_quotient(&p, over, under) };
    Ok(narrow_complex(b, parts, ty))
}

/// `xu + yv` and `yu - xv`.
fn along_across<'c>(p: &Parts<'_, 'c>, (x, y): Pair<'c>, (u, v): Pair<'c>) -> Pair<'c> {
    (p.add(p.mul(x, u), p.mul(y, v)), p.sub(p.mul(y, u), p.mul(x, v)))
}

fn plain_quotient<'c>(p: &Parts<'_, 'c>, over: Pair<'c>, under: Pair<'c>) -> Pair<'c> {
    let square = p.add(p.mul(under.0, under.0), p.mul(under.1, under.1));
    let (along, across) = along_across(p, over, under);
    recovered(p, (p.div(along, square), p.div(across, square)), over, under, square)
}

/// The quotient of `f64` parts.
pub fn quotient<'c>(p: &Parts<'_, 'c>, over: Pair<'c>, under: Pair<'c>) -> Pair<'c> {
    let (one, two) = (Scale::of(p, over), Scale::of(p, under));
    let ((x, y), (u, v)) = (one.apply(p, over), two.apply(p, under));
    let square = p.add(p.mul(u, u), p.mul(v, v));
    let plain = along_across(p, (x, y), (u, v));
    let exact = |a, b, c, d| {
        let ((first, first_error), (second, second_error)) =
            (p.exact_product(a, b), p.exact_product(c, d));
        p.exact_total(&[first_error, second_error, first, second])
    };
    let along = exact(x, u, y, v);
    let across = exact(y, u, p.negated(x), v);
    // The errors of infinite products are NaN, and the exact sum of zeros has lost their signs.
    let part = |plain, exact| {
        let is_plain = p.either(p.is_open(plain), p.is(exact, 0.0));
        let dividend = p.b.select(is_plain, plain, exact);
        one.undo(p, &two, p.div(dividend, square))
    };
    recovered(p, (part(plain.0, along), part(plain.1, across)), over, under, square)
}

/// The exponent of the larger part of a complex number.
struct Scale<'c> {
    exponent: Value<'c>,
}

impl<'c> Scale<'c> {
    /// The biased exponent; that of 1 where a part is infinite.
    fn of(p: &Parts<'_, 'c>, (x, y): Pair<'c>) -> Self {
        let b = p.b;
        let ty = integer(b.context, 64);
        let (_, high) = p.ordered(p.size(x), p.size(y));
        let bits = b.same(arith::SHRUI, &[b.cast(arith::BITCAST, high, ty), b.int(ty, 52)]);
        let bounded = b.same(arith::MAXSI, &[bits, b.int(ty, 1)]);
        let bounded = b.same(arith::MINSI, &[bounded, b.int(ty, 2045)]);
        Self { exponent: b.select(p.is_open(high), b.int(ty, 1023), bounded) }
    }

    /// The parts with the larger one between 1 and 4, below the normal range less.
    fn apply(&self, p: &Parts<'_, 'c>, (x, y): Pair<'c>) -> Pair<'c> {
        let all = p.b.int(self.exponent.ty(), 2046);
        let factor = power_of_two(p, p.b.same(arith::SUBI, &[all, self.exponent]));
        (p.mul(x, factor), p.mul(y, factor))
    }

    /// A part of the quotient of numbers that were scaled so.
    fn undo(&self, p: &Parts<'_, 'c>, under: &Self, part: Value<'c>) -> Value<'c> {
        let b = p.b;
        let number = |value| b.int(self.exponent.ty(), value);
        let difference = b.same(arith::SUBI, &[self.exponent, under.exponent]);
        // In two steps: the factor itself may be no number.
        let half = b.same(arith::SHRSI, &[difference, number(1)]);
        let rest = b.same(arith::SUBI, &[difference, half]);
        let factor = |exponent| power_of_two(p, b.same(arith::ADDI, &[exponent, number(1023)]));
        p.mul(p.mul(part, factor(half)), factor(rest))
    }
}

/// The power of two with a biased exponent.
fn power_of_two<'c>(p: &Parts<'_, 'c>, exponent: Value<'c>) -> Value<'c> {
    let shift = p.b.int(exponent.ty(), 52);
    let bits = p.b.same(arith::SHLI, &[exponent, shift]);
    p.b.cast(arith::BITCAST, bits, f64_type(p.b.context))
}

/// The quotient where two NaN parts came out of zeros and infinities.
fn recovered<'c>(
    p: &Parts<'_, 'c>,
    (re, im): Pair<'c>,
    (x, y): Pair<'c>,
    (u, v): Pair<'c>,
    square: Value<'c>,
) -> Pair<'c> {
    let b = p.b;
    let is_nan = |value| b.cmpf(arith::CmpFPredicate::Uno, value, value);
    let is_lost = p.both(is_nan(re), is_nan(im));
    // By zero: infinite, with the signs of the dividend's parts.
    let (zero, one, infinity) = (p.number(0.0), p.number(1.0), p.number(f64::INFINITY));
    let grown = p.signed_like(infinity, u);
    let by_zero = (p.mul(grown, x), p.mul(grown, y));
    // An infinite part counts as one, a finite one as zero.
    let unit = |part: Value<'c>| p.signed_like(b.select(p.is_infinite(part), one, zero), part);
    let is_finite = |part: Pair<'c>| {
        let finite = |value| p.is_less(p.size(value), infinity);
        p.both(finite(part.0), finite(part.1))
    };
    let is_wide = |part: Pair<'c>| p.either(p.is_infinite(part.0), p.is_infinite(part.1));
    let (along, across) = along_across(p, (unit(x), unit(y)), (u, v));
    let of_infinity = (p.mul(infinity, along), p.mul(infinity, across));
    // Halves, whose sums do not overflow.
    let (along, across) = along_across(p, (p.half(x), p.half(y)), (unit(u), unit(v)));
    let by_infinity = (p.mul(zero, along), p.mul(zero, across));
    let divides_zero = p.is(square, 0.0);
    let has_number = b.cmpf(arith::CmpFPredicate::Ord, x, x);
    let has_number = p.either(has_number, b.cmpf(arith::CmpFPredicate::Ord, y, y));
    let cases = [
        (p.both(is_wide((u, v)), is_finite((x, y))), by_infinity),
        (p.both(is_wide((x, y)), is_finite((u, v))), of_infinity),
        (p.both(divides_zero, has_number), by_zero),
    ];
    let found = cases.into_iter().fold((re, im), |(re, im), (holds, value)| {
        (b.select(holds, value.0, re), b.select(holds, value.1, im))
    });
    (p.rarely(is_lost, found.0, re), p.rarely(is_lost, found.1, im))
}
