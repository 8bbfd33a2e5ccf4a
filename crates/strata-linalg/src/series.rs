//! Special functions as sums: the Hurwitz zeta function, the derivatives of digamma and the Bessel
//! function of order 1. All are computed in `f64` and rounded to the operand's type once.
//!
//! ```text
//! zeta(x, q)       = sum of (q + n)^-x, the first terms one by one, the rest by Euler and Maclaurin
//! polygamma(n, x)  = (-1)^(n + 1) n! zeta(n + 1, x);  digamma(x) for n = 0
//! bessel_i1e(x)    = exp(-|x|) I1(x), a Chebyshev series on [0, 8] and one in 1 / x beyond
//! ```

use std::f64::consts::PI;

use strata_ir::{Builder, Value, f64_type};
use strata_rewrite::Outcome;

use crate::{
    emit::{Emit as _, FloatCmp},
    special::{Real, digamma_of},
};

type Result<'c> = Outcome<Value<'c>>;

/// Applies `function` to the operands as `f64`.
pub fn in_double<'c>(
    b: &Builder<'c>,
    x: &[Value<'c>],
    function: impl FnOnce(&Real<'_, 'c>, &[Value<'c>]) -> Result<'c>,
) -> Result<'c> {
    let double = f64_type(b.context);
    let ty = x[0].ty();
    if ty == double {
        return function(&Real { b, like: x[0] }, x);
    }
    let wide: Vec<_> = x.iter().map(|x| b.cast("arith.extf", *x, double)).collect();
    let value = function(&Real { b, like: wide[0] }, &wide)?;
    Ok(b.cast("arith.truncf", value, ty))
}

/// Whether `x` is an even integer; infinity is none.
fn is_even<'c>(r: &Real<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let half = r.mul(x, r.number(0.5));
    let fraction = r.sub(half, r.apply("math.floor", half));
    r.b.cmpf(FloatCmp::Oeq, fraction, r.number(0.0))
}

fn is_integer<'c>(r: &Real<'_, 'c>, x: Value<'c>) -> Value<'c> {
    r.b.cmpf(FloatCmp::Oeq, r.apply("math.floor", x), x)
}

/// How many terms are summed one by one.
const TERMS: usize = 12;

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

/// The zeta function for `x > 1` and `q > 0`.
fn zeta_of_positive<'c>(r: &Real<'_, 'c>, x: Value<'c>, q: Value<'c>) -> Value<'c> {
    let exponent = r.apply("arith.negf", x);
    let power = |base| r.b.same("math.powf", &[base, exponent]);
    // The smallest terms first.
    let mut sum = power(r.add(q, r.number(TERMS as f64 - 1.0)));
    for term in (0..TERMS - 1).rev() {
        sum = r.add(sum, power(r.add(q, r.number(term as f64))));
    }
    let a = r.add(q, r.number(TERMS as f64));
    let last = power(a);
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
    let vanishes = r.b.cmpf(FloatCmp::Oeq, last, r.number(0.0));
    r.b.select(vanishes, sum, r.add(sum, rest))
}

/// The Hurwitz zeta function. For negative `q` the terms left of zero are those of another zeta
/// function with alternating sign: `zeta(x, q) = zeta(x, f) ± (zeta(x, 1 - f) - zeta(x, 1 - q))` with
/// the fraction `f` of `q`, which asks for an integer `x`.
fn zeta_of<'c>(r: &Real<'_, 'c>, x: Value<'c>, q: Value<'c>) -> Value<'c> {
    let b = r.b;
    let one = r.number(1.0);
    // An infinite exponent is as good as a huge one, and multiplies with zero.
    let huge = r.number(1e300);
    let bounded = b.select(b.cmpf(FloatCmp::Ogt, x, huge), huge, x);
    let fraction = r.sub(q, r.apply("math.floor", q));
    let is_negative = r.less(q, 0.0);
    let right = zeta_of_positive(r, bounded, b.select(is_negative, fraction, q));
    let near = zeta_of_positive(r, bounded, r.sub(one, fraction));
    let far = zeta_of_positive(r, bounded, r.sub(one, q));
    let left = r.sub(near, far);
    let both = b.select(is_even(r, bounded), r.add(right, left), r.sub(right, left));
    let nan = r.number(f64::NAN);
    let reflected = b.select(is_integer(r, x), both, nan);
    let value = b.select(is_negative, reflected, right);
    let not_positive = b.cmpf(FloatCmp::Ole, q, r.number(0.0));
    let at_pole = b.same("arith.andi", &[not_positive, is_integer(r, q)]);
    let pole = b.select(is_even(r, x), r.number(f64::INFINITY), nan);
    let value = b.select(at_pole, pole, value);
    let at_one = b.cmpf(FloatCmp::Oeq, x, one);
    let value = b.select(at_one, r.number(f64::INFINITY), value);
    let value = b.select(r.less(x, 1.0), nan, value);
    let x_nan = b.cmpf(FloatCmp::Uno, x, q);
    b.select(x_nan, nan, value)
}

/// `n!` of a natural number: a product up to 20!, which is exact, and Stirling's series beyond.
fn factorial<'c>(r: &Real<'_, 'c>, n: Value<'c>) -> Value<'c> {
    const LAST: usize = 20;
    let b = r.b;
    let one = r.number(1.0);
    let exact = (2..=LAST).fold(one, |product, k| {
        let k = r.number(k as f64);
        let counts = b.cmpf(FloatCmp::Oge, n, k);
        r.mul(product, b.select(counts, k, one))
    });
    // 171! is infinite; the bound keeps the powers from meeting a zero.
    let limit = r.number(199.0);
    let z = r.add(b.select(b.cmpf(FloatCmp::Ogt, n, limit), limit, n), one);
    let inverse = r.div(one, z);
    let series = [1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];
    let correction = r.mul(inverse, r.polynomial(r.mul(inverse, inverse), &series));
    // z^(z - 1/2) in two halves, with exp(-z) between them.
    let exponent = r.mul(r.sub(z, r.number(0.5)), r.number(0.5));
    let half = b.same("math.powf", &[z, exponent]);
    let decay = r.apply("math.exp", r.sub(correction, z));
    let large = r.mul(r.mul(r.mul(half, decay), r.number((2.0 * PI).sqrt())), half);
    b.select(b.cmpf(FloatCmp::Ogt, n, r.number(LAST as f64)), large, exact)
}

/// Hurwitz zeta function.
pub fn zeta<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, |r, x| Ok(zeta_of(r, x[0], x[1])))
}

/// The derivative of digamma of the order that the first operand gives; NaN unless that is natural.
pub fn polygamma<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, |r, operands| {
        let (n, x) = (operands[0], operands[1]);
        let size = r.mul(factorial(r, n), zeta_of(r, r.add(n, r.number(1.0)), x));
        let opposite = r.apply("arith.negf", size);
        let signed = b.select(is_even(r, n), opposite, size);
        let zeroth = digamma_of(r, x);
        let value = b.select(b.cmpf(FloatCmp::Oeq, n, r.number(0.0)), zeroth, signed);
        let natural =
            b.same("arith.andi", &[is_integer(r, n), b.cmpf(FloatCmp::Oge, n, r.number(0.0))]);
        Ok(b.select(natural, value, r.number(f64::NAN)))
    })
}

/// Chebyshev coefficients of `exp(-x) I1(x) / x` on [0, 8] in `x / 4 - 1`.
#[rustfmt::skip]
const BESSEL_NEAR: &[f64] = &[
    0.12629359322181682, -0.17641651835783406, 0.1026436586898471, -0.05294598120809499,
    0.024726449030626516, -0.010564084894626197, 0.004156422944312888, -0.0015135724506312532,
    0.0005122859561685758, -0.00016176081582589674, 4.781565107550054e-05, -1.3273163656039436e-05,
    3.4702513081376785e-06, -8.568720264695455e-07, 2.0032947535521353e-07, -4.445059128796328e-08,
    9.381537386495773e-09, -1.8872497517228294e-09, 3.625590281552117e-10, -6.663489723502027e-11,
    1.1736186298890901e-11, -1.9839743977649436e-12, 3.223793365945575e-13, -5.042185504727912e-14,
    7.600684294735408e-15, -1.1055969477353862e-15, 1.5536319577362005e-16, -2.111421214358166e-17,
    2.7779141127610464e-18,
];

/// Chebyshev coefficients of `exp(-x) I1(x) sqrt(x)` beyond 8 in `16 / x - 1`.
#[rustfmt::skip]
const BESSEL_FAR: &[f64] = &[
    0.38928811750914005, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06,
    -2.512236237870209e-07, -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10,
    -1.8974958123505413e-11, 3.2526035830154884e-11, 1.4125807436613782e-11, 2.0356285441470896e-12,
    -7.198551776245908e-13, -4.0835511110921974e-13, -2.1015418427726643e-14, 4.272440016711951e-14,
    1.0420276984128802e-14, -3.8144030724370075e-15, -1.8803547755107825e-15,
    3.3082023109209285e-16, 2.96262899764595e-16, -3.209525921993424e-17, -4.6503053684893586e-17,
    4.414348323071708e-18, 7.517296310842105e-18, -9.314178867326884e-19,
];

/// A Chebyshev series by Clenshaw's recurrence, the coefficient of the constant first.
fn chebyshev<'c>(r: &Real<'_, 'c>, x: Value<'c>, coefficients: &[f64]) -> Value<'c> {
    let twice = r.add(x, x);
    let zero = r.number(0.0);
    let step = |(last, before), coefficient: &f64| {
        let next = r.add(r.sub(r.mul(twice, last), before), r.number(*coefficient));
        (next, last)
    };
    let (constant, others) = coefficients.split_first().unwrap_or((&0.0, &[]));
    let (last, before) = others.iter().rev().fold((zero, zero), step);
    r.add(r.sub(r.mul(x, last), before), r.number(*constant))
}

/// The modified Bessel function of the first kind and order 1, times `exp(-|x|)`.
pub fn bessel_i1e<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, |r, x| {
        let x = x[0];
        let size = r.apply("math.absf", x);
        let place = r.sub(r.mul(size, r.number(0.25)), r.number(1.0));
        let near = r.mul(x, chebyshev(r, place, BESSEL_NEAR));
        let place = r.sub(r.div(r.number(16.0), size), r.number(1.0));
        let far = r.div(chebyshev(r, place, BESSEL_FAR), r.apply("math.sqrt", size));
        let far = b.same("math.copysign", &[far, x]);
        // NaN is in no order and takes the first form, which keeps it.
        let is_far = b.cmpf(FloatCmp::Ogt, size, r.number(8.0));
        Ok(b.select(is_far, far, near))
    })
}
