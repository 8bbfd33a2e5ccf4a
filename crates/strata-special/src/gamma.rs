//! The logarithm of the gamma function and its derivative, by Lanczos' series.

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
    // log(pi / |sin(pi x)|) - log gamma(1 - x); the sine of the distance to the nearest integer.
    let size = r.apply(Function::Abs, x);
    let fraction = r.sub(size, r.apply(Function::Floor, size));
    let beyond_half = r.holds(fraction, Relation::Greater, r.number(0.5))?;
    let distance = r.select(beyond_half, r.sub(r.number(1.0), fraction), fraction);
    let sine = r.apply(Function::Sin, r.mul(r.number(PI), distance));
    let log_sine = r.apply(Function::Log, sine);
    let at_pole = r.holds(distance, Relation::Equal, r.number(0.0))?;
    let mirrored = r.sub(r.sub(r.number(PI.ln()), log_sine), direct);
    let mirrored = r.select(at_pole, r.number(f64::INFINITY), mirrored);
    let value = r.select(l.reflected, mirrored, direct);
    // Next to zero the gamma function is 1 / x, also where pi x is below the normal range.
    let near_pole = r.apply(Function::Negate, r.apply(Function::Log, size));
    let value = r.select(r.less(size, 1e-20)?, near_pole, value);
    let is_infinite = r.holds(size, Relation::Equal, r.number(f64::INFINITY))?;
    Ok(r.select(is_infinite, r.number(f64::INFINITY), value))
}

/// The derivative of [`lgamma`]; NaN at the poles.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn digamma<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let l = lanczos(r, x)?;
    let slope = r.sub(r.div(l.derivative, l.series), r.div(r.number(LANCZOS_G), l.shifted));
    let direct = r.add(l.log_shifted, slope);
    // digamma(1 - x) - pi / tan(pi x), with the tangent's argument between -1/2 and 1/2.
    let nearest = r.apply(Function::Floor, r.add(x, r.number(0.5)));
    let angle = r.mul(r.number(PI), r.sub(x, nearest));
    let cotangent = r.div(r.apply(Function::Cos, angle), r.apply(Function::Sin, angle));
    let mirrored = r.sub(direct, r.mul(r.number(PI), cotangent));
    let is_integer = r.holds(r.apply(Function::Floor, x), Relation::Equal, x)?;
    let not_positive = r.holds(x, Relation::LessEqual, r.number(0.0))?;
    let at_pole = r.both(is_integer, not_positive);
    let value = r.select(l.reflected, mirrored, direct);
    Ok(r.select(at_pole, r.number(f64::NAN), value))
}
