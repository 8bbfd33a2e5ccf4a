//! Special functions that the math dialect lacks: the inverse error function, the logarithm of the
//! gamma function and its derivative; for `f32` and `f64`.
//!
//! The inverse error function is Giles' rational approximation ("Approximating the erfinv function",
//! 2012), the gamma functions are Lanczos' series with g = 7 and nine terms, by reflection below one
//! half.

use std::f64::consts::{LN_2, PI};

use strata_ir::{Builder, TypeExt as _, Value};
use strata_rewrite::Outcome;

use crate::{
    emit::{Emit as _, FloatCmp},
    series::in_double,
};

type Result<'c> = Outcome<Value<'c>>;

/// Arithmetic on values of one floating-point type.
pub struct Real<'b, 'c> {
    /// Where the arithmetic goes.
    pub b: &'b Builder<'c>,
    /// A value of that type.
    pub like: Value<'c>,
}

impl<'c> Real<'_, 'c> {
    /// A constant.
    pub fn number(&self, value: f64) -> Value<'c> {
        self.b.float(self.like.ty(), value)
    }

    /// Sum.
    pub fn add(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same("arith.addf", &[x, y])
    }

    /// Difference.
    pub fn sub(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same("arith.subf", &[x, y])
    }

    /// Product.
    pub fn mul(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same("arith.mulf", &[x, y])
    }

    /// Quotient.
    pub fn div(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same("arith.divf", &[x, y])
    }

    /// An operation with one operand.
    pub fn apply(&self, name: &'static str, x: Value<'c>) -> Value<'c> {
        self.b.same(name, &[x])
    }

    /// `x < y`, false for NaN.
    pub fn less(&self, x: Value<'c>, y: f64) -> Value<'c> {
        let y = self.number(y);
        self.b.cmpf(FloatCmp::Olt, x, y)
    }

    /// Horner's scheme, highest coefficient first.
    pub fn polynomial(&self, x: Value<'c>, coefficients: &[f64]) -> Value<'c> {
        let first = self.number(coefficients.first().copied().unwrap_or(0.0));
        coefficients.iter().skip(1).fold(first, |sum, coefficient| {
            let product = self.mul(sum, x);
            self.add(product, self.number(*coefficient))
        })
    }

    fn is_double(&self) -> bool {
        self.like.ty().bit_width() == Some(64)
    }
}

#[rustfmt::skip]
const ERF_INV_F32_CENTRE: &[f64] = &[
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
    -0.00417768164, 0.246640727, 1.50140941,
];
#[rustfmt::skip]
const ERF_INV_F32_TAIL: &[f64] = &[
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
    0.00943887047, 1.00167406, 2.83297682,
];
#[rustfmt::skip]
const ERF_INV_F64_CENTRE: &[f64] = &[
    -3.64441206401782e-21, -1.6850591381820166e-19, 1.28584807152564e-18,
    1.1157877678025181e-17, -1.333171662854621e-16, 2.0972767875968562e-17,
    6.637638134358324e-15, -4.054566272975207e-14, -8.151934197605472e-14,
    2.6335093153082323e-12, -1.2975133253453532e-11, -5.415412054294628e-11,
    1.0512122733215323e-09, -4.112633980346984e-09, -2.9070369957882005e-08,
    4.2347877827932404e-07, -1.3654692000834679e-06, -1.3882523362786469e-05,
    0.00018673420803405714, -0.000740702534166267, -0.006033670871430149,
    0.24015818242558962, 1.6536545626831027,
];
#[rustfmt::skip]
const ERF_INV_F64_SIDE: &[f64] = &[
    2.2137376921775787e-09, 9.075656193888539e-08, -2.7517406297064545e-07,
    1.8239629214389228e-08, 1.5027403968909828e-06, -4.013867526981546e-06,
    2.9234449089955446e-06, 1.2475304481671779e-05, -4.7318229009055734e-05,
    6.828485145957318e-05, 2.4031110387097894e-05, -0.0003550375203628475,
    0.0009532893797373805, -0.0016882755560235047, 0.002491442096107851,
    -0.003751208507569241, 0.005370914553590064, 1.0052589676941592,
    3.0838856104922208,
];
#[rustfmt::skip]
const ERF_INV_F64_TAIL: &[f64] = &[
    -2.7109920616438573e-11, -2.555641816996525e-10, 1.5076572693500548e-09,
    -3.789465440126737e-09, 7.61570120807834e-09, -1.496002662714924e-08,
    2.914795345090108e-08, -6.771199775845234e-08, 2.2900482228026655e-07,
    -9.9298272942317e-07, 4.526062597223154e-06, -1.968177810553167e-05,
    7.599527703001776e-05, -0.00021503011930044477, -0.00013871931833623122,
    1.0103004648645344, 4.849906401408584,
];

/// The inverse of the error function; infinite at 1 and -1, NaN beyond.
pub fn erf_inv<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let x = x[0];
    let r = Real { b, like: x };
    let square = r.mul(x, x);
    let negated = r.apply("arith.negf", square);
    let logarithm = r.apply("math.log1p", negated);
    let w = r.apply("arith.negf", logarithm);
    let root = r.apply("math.sqrt", w);
    let from = |value, start| r.sub(value, r.number(start));
    let factor = if r.is_double() {
        let centre = r.polynomial(from(w, 3.125), ERF_INV_F64_CENTRE);
        let side = r.polynomial(from(root, 3.25), ERF_INV_F64_SIDE);
        let tail = r.polynomial(from(root, 5.0), ERF_INV_F64_TAIL);
        let outer = b.select(r.less(w, 16.0), side, tail);
        b.select(r.less(w, 6.25), centre, outer)
    } else {
        let centre = r.polynomial(from(w, 2.5), ERF_INV_F32_CENTRE);
        let tail = r.polynomial(from(root, 3.0), ERF_INV_F32_TAIL);
        b.select(r.less(w, 5.0), centre, tail)
    };
    let size = r.apply("math.absf", x);
    let at_end = b.cmpf(FloatCmp::Oeq, size, r.number(1.0));
    let infinite = r.mul(x, r.number(f64::INFINITY));
    Ok(b.select(at_end, infinite, r.mul(factor, x)))
}

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
struct Lanczos<'c> {
    reflected: Value<'c>,
    z: Value<'c>,
    shifted: Value<'c>,
    log_shifted: Value<'c>,
    series: Value<'c>,
    derivative: Value<'c>,
}

fn lanczos<'c>(r: &Real<'_, 'c>, x: Value<'c>) -> Lanczos<'c> {
    let reflected = r.less(x, 0.5);
    let z = r.b.select(reflected, r.apply("arith.negf", x), r.sub(x, r.number(1.0)));
    let (mut series, mut derivative) = (r.number(LANCZOS_FIRST), r.number(0.0));
    for (index, coefficient) in LANCZOS.iter().enumerate() {
        let place = r.add(z, r.number(index as f64 + 1.0));
        let term = r.div(r.number(*coefficient), place);
        series = r.add(series, term);
        derivative = r.sub(derivative, r.div(term, place));
    }
    let offset = LANCZOS_G + 0.5;
    let shifted = r.add(r.number(offset), z);
    let small = r.apply("math.log1p", r.div(z, r.number(offset)));
    let log_shifted = r.add(r.number(offset.ln()), small);
    Lanczos { reflected, z, shifted, log_shifted, series, derivative }
}

/// The logarithm of the absolute value of the gamma function; infinite at its poles.
pub fn lgamma<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, |r, x| Ok(lgamma_of(r, x[0])))
}

fn lgamma_of<'c>(r: &Real<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = r.b;
    let l = lanczos(r, x);
    // (z + 1/2) * log(t) - t, arranged so that large arguments do not cancel.
    let ratio = r.div(l.shifted, l.log_shifted);
    let exponent = r.sub(r.add(l.z, r.number(0.5)), ratio);
    let power = r.mul(exponent, l.log_shifted);
    let constant = r.number((2.0 * PI).sqrt().ln());
    let direct = r.add(r.add(constant, power), r.apply("math.log", l.series));
    // log(pi / |sin(pi x)|) - log gamma(1 - x); the sine of the distance to the nearest integer.
    let size = r.apply("math.absf", x);
    let fraction = r.sub(size, r.apply("math.floor", size));
    let beyond_half = b.cmpf(FloatCmp::Ogt, fraction, r.number(0.5));
    let distance = b.select(beyond_half, r.sub(r.number(1.0), fraction), fraction);
    let sine = r.apply("math.sin", r.mul(r.number(PI), distance));
    let log_sine = r.apply("math.log", sine);
    let at_pole = b.cmpf(FloatCmp::Oeq, distance, r.number(0.0));
    let mirrored = r.sub(r.sub(r.number(PI.ln()), log_sine), direct);
    let mirrored = b.select(at_pole, r.number(f64::INFINITY), mirrored);
    let value = b.select(l.reflected, mirrored, direct);
    // Next to zero the gamma function is 1 / x, also where pi x is below the normal range.
    let near_pole = r.apply("arith.negf", r.apply("math.log", size));
    let value = b.select(r.less(size, 1e-20), near_pole, value);
    let is_infinite = b.cmpf(FloatCmp::Oeq, size, r.number(f64::INFINITY));
    b.select(is_infinite, r.number(f64::INFINITY), value)
}

/// The derivative of [`lgamma`]; NaN at the poles.
pub fn digamma<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    in_double(b, x, |r, x| Ok(digamma_of(r, x[0])))
}

fn digamma_of<'c>(r: &Real<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = r.b;
    let l = lanczos(r, x);
    let slope = r.sub(r.div(l.derivative, l.series), r.div(r.number(LANCZOS_G), l.shifted));
    let direct = r.add(l.log_shifted, slope);
    // digamma(1 - x) - pi / tan(pi x), with the tangent's argument between -1/2 and 1/2.
    let nearest = r.apply("math.floor", r.add(x, r.number(0.5)));
    let angle = r.mul(r.number(PI), r.sub(x, nearest));
    let cotangent = r.div(r.apply("math.cos", angle), r.apply("math.sin", angle));
    let mirrored = r.sub(direct, r.mul(r.number(PI), cotangent));
    let is_integer = b.cmpf(FloatCmp::Oeq, r.apply("math.floor", x), x);
    let not_positive = b.cmpf(FloatCmp::Ole, x, r.number(0.0));
    let at_pole = b.same("arith.andi", &[is_integer, not_positive]);
    let value = b.select(l.reflected, mirrored, direct);
    b.select(at_pole, r.number(f64::NAN), value)
}

/// `exp(x) / 2` and `exp(-x) / 2` as CHLO defines them: the sum in the exponent does not overflow, and
/// costs a large argument a few units in the last place.
fn half_exponentials<'c>(r: &Real<'_, 'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let log_half = r.number(-LN_2);
    let up = r.apply("math.exp", r.add(x, log_half));
    let down = r.apply("math.exp", r.sub(log_half, x));
    (up, down)
}

/// Hyperbolic cosine.
pub fn cosh<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let r = Real { b, like: x[0] };
    let (up, down) = half_exponentials(&r, x[0]);
    Ok(r.add(up, down))
}

/// Hyperbolic sine: the difference of the halves, `(e + e / (e + 1)) / 2` with `e = expm1(x)` near zero.
pub fn sinh<'c>(b: &Builder<'c>, x: &[Value<'c>]) -> Result<'c> {
    let x = x[0];
    let r = Real { b, like: x };
    let (up, down) = half_exponentials(&r, x);
    let e = r.apply("math.expm1", x);
    let sum = r.add(e, r.div(e, r.add(e, r.number(1.0))));
    let near = r.mul(r.number(0.5), sum);
    let is_near = r.less(r.apply("math.absf", x), 1.0);
    Ok(b.select(is_near, near, r.sub(up, down)))
}

/// The next number after `x` toward `y`, of the operands' own type.
pub fn next_after<'c>(b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Result<'c> {
    let ty = x.ty();
    let bits = crate::functions::bits_of(b, x)?;
    let int = bits.ty();
    let width = int.bit_width().unwrap_or(64);
    let (one, zero) = (b.int(int, 1), b.int(int, 0));
    let sign_mask = b.int(int, crate::functions::smallest(width));
    // Comparisons of narrow floats are computed in f32; the bits are those of the type.
    let (wide_x, wide_y) = (crate::element::widen(b, x), crate::element::widen(b, y));
    let r = Real { b, like: wide_x };
    let is_zero = b.cmpf(FloatCmp::Oeq, wide_x, r.number(0.0));
    let upward = b.cmpf(FloatCmp::Olt, wide_x, wide_y);
    let equal = b.cmpf(FloatCmp::Oeq, wide_x, wide_y);
    let is_negative = b.cmpi(crate::emit::IntCmp::Slt, bits, zero);
    // The magnitude grows when a positive number goes up or a negative one down.
    let grows = b.same("arith.xori", &[upward, is_negative]);
    let step = b.select(grows, one, b.int(int, -1));
    let moved = b.same("arith.addi", &[bits, step]);
    let toward = crate::functions::bits_of(b, y)?;
    let smallest = b.same("arith.ori", &[b.same("arith.andi", &[toward, sign_mask]), one]);
    let moved = b.select(is_zero, smallest, moved);
    let moved = if int == ty { moved } else { b.cast("arith.bitcast", moved, ty) };
    let x_nan = b.cmpf(FloatCmp::Uno, wide_x, wide_x);
    let value = b.select(equal, y, moved);
    let value = b.select(x_nan, x, value);
    let y_nan = b.cmpf(FloatCmp::Uno, wide_y, wide_y);
    Ok(b.select(y_nan, y, value))
}
