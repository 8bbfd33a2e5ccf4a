//! The Hurwitz zeta function and the derivatives of digamma, as sums in `f64`.
//!
//! ```text
//! zeta(x, q)      = sum of (q + n)^-x: the first terms in a loop, the rest by Euler and Maclaurin
//! polygamma(n, x) = (-1)^(n + 1) n! zeta(n + 1, x);  digamma(x) for n = 0
//! ```
//!
//! For negative `q` the terms left of zero are those of another zeta function with alternating sign:
//! `zeta(x, q) = zeta(x, f) ± (zeta(x, 1 - f) - zeta(x, 1 - q))` with the fraction `f` of `q`, which requires an integer `x`. All
//! three are summed as one tensor, in one loop. The arguments of the terms are sums of two numbers: a rounding error would be
//! amplified `x` times.

use std::f64::consts::PI;

use strata_ir::{
    ComparisonDirection as Is, Op, TypeExt as _, Value, chlo, f64_type, i64s, int, integer,
    stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_special::{Arithmetic as _, Function};

use crate::{
    emit::{Emit as _, counted},
    expansion::float_arithmetic::Real,
    pattern::patterns,
};

patterns! {
    /// Hurwitz zeta function.
    ExpandZeta = "expand-zeta" on [ChloZeta] by expand_zeta;
    /// Derivatives of digamma.
    ExpandPolygamma = "expand-polygamma" on [ChloPolygamma] by expand_polygamma;
}

/// The number of terms summed directly.
const TERMS: i64 = 12;

/// `B(2k) / (2k)!`, the coefficients of the rest.
const REST: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
];

fn real<'c>(op: Op<'c>, rewriter: &Rewriter<'c>) -> Outcome<(Real<'c>, [Value<'c>; 2])> {
    let double = f64_type(rewriter.context());
    let r = Real::of(op, rewriter.builder(), double)?;
    Ok((r, [op.operand(0), op.operand(1)].map(|x| r.b.converted(x, double))))
}

/// A sum as the rounded value and its error.
type Sum<'c> = (Value<'c>, Value<'c>);

fn exact_sum<'c>(r: Real<'c>, a: Value<'c>, b: Value<'c>) -> Sum<'c> {
    let sum = r.add(a, b);
    let other = r.sub(sum, a);
    let lost = r.sub(a, r.sub(sum, other));
    (sum, r.add(lost, r.sub(b, other)))
}

/// `(place + lost)^exponent`: the exponent amplifies rounding errors.
fn power_of_sum<'c>(
    r: Real<'c>,
    (place, lost): Sum<'c>,
    exponent: Value<'c>,
) -> Outcome<Value<'c>> {
    let share = r.mul(exponent, r.div(lost, place));
    // Infinity has lost NaN.
    let share = r.choose((place, Is::Lt, f64::INFINITY), share, r.number(0.0))?;
    Ok(r.mul(r.power(place, exponent), r.add(r.number(1.0), share)))
}

/// The zeta function for `x > 1` and a positive sum `q`.
fn of_positive<'c>(r: Real<'c>, x: Value<'c>, (q, q_lost): Sum<'c>) -> Outcome<Value<'c>> {
    let exponent = r.apply(Function::Negate, x);
    let place = |r: Real<'c>, index| {
        let (place, lost) = exact_sum(r, q, index);
        (place, r.add(lost, q_lost))
    };
    // Downwards: the smallest terms first.
    let last_index = r.number(TERMS as f64 - 1.0);
    let ends = counted(&r.b, TERMS, &[last_index, r.number(0.0)], |inner, _, carried| {
        let r = Real { b: *inner, ..r };
        let sum = r.add(carried[1], power_of_sum(r, place(r, carried[0]), exponent)?);
        Ok(vec![r.sub(carried[0], r.number(1.0)), sum])
    })?;
    let sum = ends[1];
    let end = place(r, r.number(TERMS as f64));
    let (a, last) = (end.0, power_of_sum(r, end, exponent)?);
    let integral = r.div(r.mul(last, a), r.sub(x, r.number(1.0)));
    let mut rest = r.add(integral, r.mul(last, r.number(0.5)));
    let mut factor = r.div(r.mul(x, last), a);
    let square = r.mul(a, a);
    for (k, coefficient) in REST.iter().enumerate() {
        rest = r.add(rest, r.mul(factor, r.number(*coefficient)));
        let place = 2.0 * k as f64 + 1.0;
        let rising = r.mul(r.add(x, r.number(place)), r.add(x, r.number(place + 1.0)));
        factor = r.div(r.mul(factor, rising), square);
    }
    // Where the last power is zero, the rest is, though its factors may be infinite.
    r.choose((last, Is::Eq, 0.0), sum, r.add(sum, rest))
}

/// [`of_positive`] of three arguments at once, stacked along a new first dimension.
fn of_three<'c>(r: Real<'c>, x: Value<'c>, positions: [Sum<'c>; 3]) -> Outcome<[Value<'c>; 3]> {
    let shape = r.ty.shape().or_decline("the shape is not static")?;
    let row = [&[1], shape.as_slice()].concat();
    let all = [&[3], shape.as_slice()].concat();
    let stacked = Real { ty: tensor(&all, r.ty.element()), ..r };
    let stack = |values: [Value<'c>; 3]| {
        let rows = values.map(|value| r.b.reshaped(value, &row));
        let dimension = int(integer(r.b.context, 64), 0);
        let stack = r.b.op(stablehlo::CONCATENATE).operands(&rows).attr("dimension", dimension);
        stack.result(stacked.ty).value()
    };
    let q = (stack(positions.map(|place| place.0)), stack(positions.map(|place| place.1)));
    let dims: Vec<_> = (1..=shape.len() as i64).collect();
    let sums = of_positive(stacked, r.b.broadcast_in_dim(x, &all, &dims), q)?;
    Ok([0, 1, 2].map(|index| {
        let (mut starts, mut limits) = (vec![0; all.len()], all.clone());
        (starts[0], limits[0]) = (index, index + 1);
        let slice = r.b.op(stablehlo::SLICE).operand(sums);
        let slice = slice.attr("start_indices", i64s(r.b.context, &starts));
        let slice = slice.attr("limit_indices", i64s(r.b.context, &limits));
        let slice = slice.attr("strides", i64s(r.b.context, &vec![1; all.len()]));
        r.b.reshaped(slice.result(tensor(&row, r.ty.element())).value(), &shape)
    }))
}

fn expand_zeta<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (r, [x, q]) = real(op, rewriter)?;
    let (one, nan, infinity) = (r.number(1.0), r.number(f64::NAN), r.number(f64::INFINITY));
    // An infinite exponent is replaced by a huge one, since infinity times zero is NaN.
    let huge = r.number(1e300);
    let bounded = r.choose((x, Is::Gt, 1e300), huge, x)?;
    let below = r.floor(q);
    let opposite = r.apply(Function::Negate, q);
    let fraction = exact_sum(r, q, r.apply(Function::Negate, below));
    let positive = (
        r.choose((q, Is::Lt, 0.0), fraction.0, q)?,
        r.choose((q, Is::Lt, 0.0), fraction.1, r.number(0.0))?,
    );
    // One less the fraction: the distance to the integer above.
    let missing = exact_sum(r, r.add(below, one), opposite);
    let positions = [positive, missing, exact_sum(r, one, opposite)];
    let [right, near, far] = of_three(r, bounded, positions)?;
    let left = r.sub(near, far);
    let both = (r.add(right, left), r.sub(right, left));
    let reflected = r.choose((r.oddness(bounded), Is::Eq, 0.0), both.0, both.1)?;
    let reflected = r.choose((r.fraction(bounded), Is::Eq, 0.0), reflected, nan)?;
    let value = r.choose((q, Is::Lt, 0.0), reflected, right)?;
    // Poles at the integers up to zero; minus infinity counts as one.
    let pole = r.choose((r.oddness(x), Is::Eq, 0.0), infinity, nan)?;
    let at_pole = r.b.compare(Is::Eq, r.floor(q), q)?;
    let at_pole = r.b.selected(at_pole, pole, value);
    let value = r.choose((q, Is::Le, 0.0), at_pole, value)?;
    let value = r.choose((x, Is::Eq, 1.0), infinity, value)?;
    let value = r.choose((x, Is::Ge, 1.0), value, nan)?;
    let is_number = r.b.compare(Is::Eq, q, q)?;
    let value = r.b.selected(is_number, value, nan);
    rewriter.replace(&[r.b.converted(value, op.result(0).ty().element())]);
    Ok(())
}

/// `n!` of a natural number: a product up to 20!, which is exact, and Stirling's series beyond.
fn factorial<'c>(r: Real<'c>, n: Value<'c>) -> Outcome<Value<'c>> {
    const LAST: i64 = 20;
    let one = r.number(1.0);
    let ends = counted(&r.b, LAST, &[one, one], |inner, _, carried| {
        let r = Real { b: *inner, ..r };
        let [k, product] = [carried[0], carried[1]];
        let counts = r.b.compare(Is::Ge, n, k)?;
        let factor = r.b.selected(counts, k, r.number(1.0));
        Ok(vec![r.add(k, r.number(1.0)), r.mul(product, factor)])
    })?;
    // 171! is infinite; the bound keeps the powers from meeting a zero.
    let z = r.add(r.choose((n, Is::Gt, 199.0), r.number(199.0), n)?, one);
    let inverse = r.div(one, z);
    let square = r.mul(inverse, inverse);
    let series = [-1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];
    let correction = series.into_iter().fold(r.number(1.0 / 1188.0), |sum, coefficient| {
        r.add(r.mul(sum, square), r.number(coefficient))
    });
    // z^(z - 1/2) in two halves, with exp(-z) between them.
    let half = r.power(z, r.mul(r.sub(z, r.number(0.5)), r.number(0.5)));
    let decay = r.apply(Function::Exp, r.sub(r.mul(inverse, correction), z));
    let large = r.mul(r.mul(r.mul(half, decay), r.number((2.0 * PI).sqrt())), half);
    r.choose((n, Is::Gt, LAST as f64), large, ends[1])
}

fn expand_polygamma<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (r, [n, x]) = real(op, rewriter)?;
    let next = r.add(n, r.number(1.0));
    let zeta = r.b.op(chlo::ZETA).operands(&[next, x]).result(r.ty).value();
    let size = r.mul(factorial(r, n)?, zeta);
    let opposite = r.apply(Function::Negate, size);
    let signed = r.choose((r.oddness(n), Is::Eq, 0.0), opposite, size)?;
    let zeroth = r.b.same(chlo::DIGAMMA, &[x]);
    let value = r.choose((n, Is::Eq, 0.0), zeroth, signed)?;
    let is_integer = r.b.compare(Is::Eq, r.floor(n), n)?;
    let value = r.b.selected(is_integer, value, r.number(f64::NAN));
    let value = r.choose((n, Is::Ge, 0.0), value, r.number(f64::NAN))?;
    rewriter.replace(&[r.b.converted(value, op.result(0).ty().element())]);
    Ok(())
}
