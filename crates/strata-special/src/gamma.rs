//! The logarithm of the gamma function and its derivative, by Stirling's series and the recurrence; near zeros by polynomials that
//! have them as a factor.
//!
//! The polynomials interpolate at Chebyshev nodes; the error that is left is below 2^-55 of the function.

use std::f64::consts::PI;

use crate::{Arithmetic, Function, Relation};

/// The coefficients of Stirling's series for lgamma, of odd powers of `1 / y`.
const STIRLING: &[f64] = &[
    43867.0 / 244_188.0,
    -3617.0 / 122_400.0,
    1.0 / 156.0,
    -691.0 / 360_360.0,
    1.0 / 1188.0,
    -1.0 / 1680.0,
    1.0 / 1260.0,
    -1.0 / 360.0,
    1.0 / 12.0,
];

/// Those of its derivative, of even powers.
const DERIVATIVE: &[f64] = &[
    43867.0 / 14364.0,
    -3617.0 / 8160.0,
    1.0 / 12.0,
    -691.0 / 32760.0,
    1.0 / 132.0,
    -1.0 / 240.0,
    1.0 / 252.0,
    -1.0 / 120.0,
    1.0 / 12.0,
];

/// `lgamma(2 + z) / z` between -1/2 and 1/2.
#[rustfmt::skip]
const BESIDE_TWO: &[f64] = &[
    6.379047507619774e-08, -1.3412819758517287e-07, 2.0304806751615227e-07,
    -4.303558760359961e-07, 9.578663334114758e-07, -2.0449201467015115e-06,
    4.374374916915131e-06, -9.438458716242811e-06, 2.050726741605779e-05,
    -4.4926351103833334e-05, 9.945750909889392e-05, -0.00022315475074520367,
    0.0005096695248853096, -0.0011927539120010226, 0.002890510330738737,
    -0.0073855510286681535, 0.02058080842778457, -0.06735230105319814,
    0.3224670334241132, 0.42278433509846713,
];

/// A zero as a sum of two numbers, how far from it the polynomial holds, and the function over the distance from the zero.
type Zero = ([f64; 2], f64, &'static [f64]);

/// The zeros of lgamma between -3 and -2.
#[rustfmt::skip]
const LGAMMA_ZEROS: [Zero; 2] = [
    ([-2.4570247382208006, -3.7075610815513266e-17], 0.09, &[
        89793.11338501173, 39503.071095565516, 18142.56292959942,
        7684.196199611077, 4488.918988577211, 1811.9699014128244,
        1130.4496720425714, 425.1761651053304, 296.4364365822426,
        100.64813392095151, 82.22915679057641, 24.038823045895235,
        24.824942121922902, 5.8004145666128375, 8.721782583815337,
        1.411291143077976, 4.8583209516339965, 1.5156034480216574,
    ]),
    ([-2.7476826467274127, 9.055340329338315e-17], 0.06, &[
        4085412133.3569703, -1089972286.7519827, 225582817.96867517,
        -60735712.38137017, 16872839.670242757, -4584648.292916062,
        1251519.4266224154, -344484.85273986997, 95617.51195170791,
        -26804.59442112867, 7610.397944231083, -2193.1127652244386,
        646.9059997278514, -194.76615530740534, 62.6272827135117,
        -20.095134916842067, 9.575189475709667, -1.9143501856115988,
    ]),
];

/// The positive zero of digamma, less one.
#[rustfmt::skip]
const DIGAMMA_ZERO: Zero = ([0.46163214496836225, 9.549995429965697e-17], 0.27, &[
    -0.0008622912806426557, 0.0012603917105349612, -0.0015594506467874662,
    0.002279567759771495, -0.003371109159500653, 0.004928692506816558,
    -0.0072044777509808495, 0.010538708835616056, -0.015424767341526126,
    0.022597650331988475, -0.033161126454416365, 0.04880428813428018,
    -0.07219956125660008, 0.10782405069147484, -0.16394270544240613,
    0.2584997609556504, -0.4427631689835921, 0.9676722454476212,
]);

/// Near a zero the polynomial with that factor, elsewhere `value`.
fn beside<A: Arithmetic>(
    r: &A,
    x: A::Value,
    ([high, low], width, polynomial): Zero,
    value: A::Value,
) -> Result<A::Value, A::Error> {
    let distance = r.sub(r.sub(x, r.number(high)), r.number(low));
    let near = r.mul(distance, r.polynomial(distance, polynomial));
    let is_near = r.less(r.apply(Function::Abs, distance), width)?;
    Ok(r.select(is_near, near, value))
}

/// Whether the argument is below one half, where the functions are reflected, and `z`: the functions are evaluated at `z + 1`.
fn reflected<A: Arithmetic>(r: &A, x: A::Value) -> Result<(A::Truth, A::Value), A::Error> {
    let reflected = r.less(x, 0.5)?;
    let z = r.select(reflected, r.apply(Function::Negate, x), r.sub(x, r.number(1.0)));
    Ok((reflected, z))
}

/// The logarithm of the absolute value of the gamma function; infinite at its poles.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn lgamma<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let (is_reflected, z) = reflected(r, x)?;
    let direct = r.select(r.less(z, 7.5)?, near_two(r, z)?, stirling(r, z));
    // log(pi / |sin(pi x)|) - log gamma(1 - x); the sine of the distance to the nearest integer.
    let size = r.apply(Function::Abs, x);
    let fraction = r.sub(size, r.apply(Function::Floor, size));
    let beyond_half = r.holds(fraction, Relation::Greater, r.number(0.5))?;
    let distance = r.select(beyond_half, r.sub(r.number(1.0), fraction), fraction);
    let sine = r.apply(Function::Sin, r.mul(r.number(PI), distance));
    let at_pole = r.holds(distance, Relation::Equal, r.number(0.0))?;
    let mirrored = r.sub(r.apply(Function::Log, r.div(r.number(PI), sine)), direct);
    let mirrored = r.select(at_pole, r.number(f64::INFINITY), mirrored);
    let value = r.select(is_reflected, mirrored, direct);
    let value =
        LGAMMA_ZEROS.into_iter().try_fold(value, |value, zero| beside(r, x, zero, value))?;
    // Next to zero the gamma function is 1 / x, also where pi x is below the normal range.
    let near_pole = r.apply(Function::Negate, r.apply(Function::Log, size));
    let value = r.select(r.less(size, 1e-20)?, near_pole, value);
    let is_infinite = r.holds(size, Relation::Equal, r.number(f64::INFINITY))?;
    Ok(r.select(is_infinite, r.number(f64::INFINITY), value))
}

/// `lgamma(z + 1)` between -1/2 and 15/2, from the polynomial near 2 and the factors in between.
fn near_two<A: Arithmetic>(r: &A, z: A::Value) -> Result<A::Value, A::Error> {
    let one = r.number(1.0);
    let before = r.less(z, 0.5)?;
    let steps = r.apply(Function::Floor, r.sub(z, r.number(0.5)));
    let place = r.sub(z, r.add(one, steps));
    let mut factors = r.select(r.less(z, 1.5)?, one, z);
    for index in 1..6 {
        let index = f64::from(index);
        let factor = r.select(r.less(z, index + 1.5)?, one, r.sub(z, r.number(index)));
        factors = r.mul(factors, factor);
    }
    let middle = r.mul(place, r.polynomial(place, BESIDE_TWO));
    let step = r.apply(Function::Log1p, r.select(before, z, r.sub(factors, one)));
    Ok(r.select(before, r.sub(middle, step), r.add(middle, step)))
}

/// `lgamma(z + 1)` from 15/2 on: `(y - 1/2) (log y - 1)` and a series.
fn stirling<A: Arithmetic>(r: &A, z: A::Value) -> A::Value {
    let (one, half) = (r.number(1.0), r.number(0.5));
    let y = r.add(z, one);
    let inverse = r.div(one, y);
    let series = r.mul(inverse, r.polynomial(r.mul(inverse, inverse), STIRLING));
    let rest = r.add(series, r.number((2.0 * PI).sqrt().ln() - 0.5));
    r.add(r.mul(r.sub(y, half), r.sub(r.apply(Function::Log, y), one)), rest)
}

/// The derivative of [`lgamma`]; NaN at the poles.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn digamma<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let (is_reflected, z) = reflected(r, x)?;
    let direct = beside(r, z, DIGAMMA_ZERO, derivative(r, z)?)?;
    // digamma(1 - x) - pi / tan(pi x), with the tangent's argument between -1/2 and 1/2.
    let nearest = r.apply(Function::Floor, r.add(x, r.number(0.5)));
    let fraction = r.sub(x, nearest);
    let mirrored = r.sub(direct, r.mul(r.number(PI), cotangent(r, fraction)?));
    let is_integer = r.holds(r.apply(Function::Floor, x), Relation::Equal, x)?;
    let not_positive = r.holds(x, Relation::LessEqual, r.number(0.0))?;
    let at_pole = r.both(is_integer, not_positive);
    let value = r.select(is_reflected, mirrored, direct);
    Ok(r.select(at_pole, r.number(f64::NAN), value))
}

/// `digamma(z + 1)`: `log y - 1/2y` and a series, below 8 eight steps further on.
fn derivative<A: Arithmetic>(r: &A, z: A::Value) -> Result<A::Value, A::Error> {
    let one = r.number(1.0);
    // 1 / (z + 2) to 1 / (z + 8) as one quotient: with u = z (z + 10), 1 / (z + k) + 1 / (z + 10 - k) is 2 (z + 5) / (u + k (10 - k)).
    let number = |value: f64| r.number(value);
    let u = r.mul(z, r.add(z, number(10.0)));
    let plus = |value: f64| r.add(u, number(value));
    let (outer, inner) = (r.mul(plus(16.0), plus(25.0)), r.mul(plus(21.0), plus(24.0)));
    let of_outer = r.add(r.mul(u, number(3.0)), number(66.0));
    let of_inner = r.add(r.mul(u, number(4.0)), number(90.0));
    let top = r.add(r.mul(of_outer, inner), r.mul(of_inner, outer));
    let middle = r.add(z, number(5.0));
    let later = r.div(r.mul(middle, top), r.mul(outer, inner));
    let steps = r.add(later, r.div(one, r.add(z, one)));
    let is_near = r.less(z, 7.0)?;
    let y = r.add(z, r.select(is_near, r.number(9.0), one));
    let inverse = r.div(one, y);
    let square = r.mul(inverse, inverse);
    let series = r.mul(square, r.polynomial(square, DERIVATIVE));
    let rest = r.add(series, r.mul(inverse, r.number(0.5)));
    let far = r.sub(r.apply(Function::Log, y), rest);
    Ok(r.select(is_near, r.sub(far, steps), far))
}

/// The coefficients of `cos(pi x)`, or from 1 on of `sin(pi x) / x`, in powers of `x^2`, the highest first. Up to 1/4 what follows is below
/// 2^-58 of the sum.
fn powers(first: i32) -> Vec<f64> {
    let term = |index: i32| {
        let power = 2 * index + first;
        let divisor: f64 = (1..=power).map(f64::from).product();
        PI.powi(power) / if index % 2 == 0 { divisor } else { -divisor }
    };
    (0..9).rev().map(term).collect()
}

/// `1 / tan(pi x)` between -1/2 and 1/2, as the tangent of what is missing from a right angle where it is near zero.
fn cotangent<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let size = r.apply(Function::Abs, x);
    let half = r.number(0.5);
    let is_steep = r.less(size, 0.25)?;
    let part = r.select(is_steep, size, r.sub(half, size));
    let square = r.mul(part, part);
    let sine = r.mul(part, r.polynomial(square, &powers(1)));
    let cosine = r.polynomial(square, &powers(0));
    let top = r.select(is_steep, cosine, sine);
    r.with_sign(r.div(top, r.select(is_steep, sine, cosine)), x)
}
