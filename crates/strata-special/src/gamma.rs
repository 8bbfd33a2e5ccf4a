//! The logarithm of the gamma function and its derivative, by Lanczos' series; near zeros by polynomials that have them as a factor.
//!
//! The polynomials interpolate at Chebyshev nodes; the error that is left is below 2^-55 of the function.

use std::f64::consts::PI;

use crate::{Arithmetic, Function, Relation};

const LANCZOS_G: f64 = 7.0;
const LANCZOS_FIRST: f64 = 0.9999999999998099;
#[rustfmt::skip]
const LANCZOS: [f64; 8] = [
    676.5203681218851, -1259.1392167224028,
    771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012,
    9.984369578019572e-06, 1.5056327351493116e-07,
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

/// What both gamma functions share: the argument above one half, the series, its derivative and
/// `log(z + g + 1/2)`.
struct Lanczos<A: Arithmetic> {
    reflected: A::Truth,
    z: A::Value,
    shifted: A::Value,
    log_shifted: A::Value,
    series: A::Value,
    derivative: A::Value,
}

fn lanczos<A: Arithmetic>(r: &A, x: A::Value) -> Result<Lanczos<A>, A::Error> {
    let reflected = r.less(x, 0.5)?;
    let z = r.select(reflected, r.apply(Function::Negate, x), r.sub(x, r.number(1.0)));
    let (mut series, mut derivative) = (r.number(LANCZOS_FIRST), r.number(0.0));
    for (index, coefficient) in LANCZOS.iter().enumerate() {
        let place = r.add(z, r.number(index as f64 + 1.0));
        let term = r.div(r.number(*coefficient), place);
        series = r.add(series, term);
        derivative = r.sub(derivative, r.div(term, place));
    }
    let offset = LANCZOS_G + 0.5;
    let shifted = r.add(r.number(offset), z);
    let small = r.apply(Function::Log1p, r.div(z, r.number(offset)));
    let log_shifted = r.add(r.number(offset.ln()), small);
    Ok(Lanczos { reflected, z, shifted, log_shifted, series, derivative })
}

/// The logarithm of the absolute value of the gamma function; infinite at its poles.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn lgamma<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let l = lanczos(r, x)?;
    // (z + 1/2) * log(t) - t, arranged so that large arguments do not cancel.
    let ratio = r.div(l.shifted, l.log_shifted);
    let exponent = r.sub(r.add(l.z, r.number(0.5)), ratio);
    let power = r.mul(exponent, l.log_shifted);
    let constant = r.number((2.0 * PI).sqrt().ln());
    let direct = r.add(r.add(constant, power), r.apply(Function::Log, l.series));
    let direct = r.select(r.less(l.z, 2.5)?, near_two(r, l.z)?, direct);
    // log(pi / |sin(pi x)|) - log gamma(1 - x); the sine of the distance to the nearest integer.
    let size = r.apply(Function::Abs, x);
    let fraction = r.sub(size, r.apply(Function::Floor, size));
    let beyond_half = r.holds(fraction, Relation::Greater, r.number(0.5))?;
    let distance = r.select(beyond_half, r.sub(r.number(1.0), fraction), fraction);
    let sine = r.apply(Function::Sin, r.mul(r.number(PI), distance));
    let at_pole = r.holds(distance, Relation::Equal, r.number(0.0))?;
    let mirrored = r.sub(r.apply(Function::Log, r.div(r.number(PI), sine)), direct);
    let mirrored = r.select(at_pole, r.number(f64::INFINITY), mirrored);
    let value = r.select(l.reflected, mirrored, direct);
    let value = LGAMMA_ZEROS.into_iter().try_fold(value, |value, zero| beside(r, x, zero, value))?;
    // Next to zero the gamma function is 1 / x, also where pi x is below the normal range.
    let near_pole = r.apply(Function::Negate, r.apply(Function::Log, size));
    let value = r.select(r.less(size, 1e-20)?, near_pole, value);
    let is_infinite = r.holds(size, Relation::Equal, r.number(f64::INFINITY))?;
    Ok(r.select(is_infinite, r.number(f64::INFINITY), value))
}

/// `lgamma(z + 1)` between -1/2 and 5/2, from that beside 2 and one step of the recurrence.
fn near_two<A: Arithmetic>(r: &A, z: A::Value) -> Result<A::Value, A::Error> {
    let (before, past) = (r.less(z, 0.5)?, r.holds(z, Relation::LessEqual, r.number(1.5))?);
    let (one, two) = (r.sub(z, r.number(1.0)), r.sub(z, r.number(2.0)));
    let place = r.select(before, z, r.select(past, one, two));
    let middle = r.mul(place, r.polynomial(place, BESIDE_TWO));
    let step = r.apply(Function::Log1p, r.select(before, z, one));
    let above = r.select(past, middle, r.add(middle, step));
    Ok(r.select(before, r.sub(middle, step), above))
}

/// The derivative of [`lgamma`]; NaN at the poles.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn digamma<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let l = lanczos(r, x)?;
    let slope = r.sub(r.div(l.derivative, l.series), r.div(r.number(LANCZOS_G), l.shifted));
    let direct = r.add(l.log_shifted, slope);
    let direct = beside(r, l.z, DIGAMMA_ZERO, direct)?;
    // digamma(1 - x) - pi / tan(pi x), with the tangent's argument between -1/2 and 1/2.
    let nearest = r.apply(Function::Floor, r.add(x, r.number(0.5)));
    let fraction = r.sub(x, nearest);
    let mirrored = r.sub(direct, r.mul(r.number(PI), cotangent(r, fraction)?));
    let is_integer = r.holds(r.apply(Function::Floor, x), Relation::Equal, x)?;
    let not_positive = r.holds(x, Relation::LessEqual, r.number(0.0))?;
    let at_pole = r.both(is_integer, not_positive);
    let value = r.select(l.reflected, mirrored, direct);
    Ok(r.select(at_pole, r.number(f64::NAN), value))
}

/// `1 / tan(pi x)` between -1/2 and 1/2, as the tangent of what is missing from a right angle where it is near zero.
fn cotangent<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let size = r.apply(Function::Abs, x);
    let half = r.number(0.5);
    let is_steep = r.less(size, 0.25)?;
    let angle = r.mul(r.number(PI), r.select(is_steep, size, r.sub(half, size)));
    let (sine, cosine) = (r.apply(Function::Sin, angle), r.apply(Function::Cos, angle));
    let top = r.select(is_steep, cosine, sine);
    r.with_sign(r.div(top, r.select(is_steep, sine, cosine)), x)
}
