//! Special functions of real numbers in `f64`.
//!
//! Each is written from its defining series or recurrence, not from the polynomials that the
//! compiler's expansion uses, so that the two can be compared.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// The zeros of [`lgamma`] between -3 and -2, each as a sum of two numbers: beside them the reflection cancels.
const LGAMMA_ZEROS: [(f64, f64); 2] = [
    (-2.457_024_738_220_800_6, -3.707_561_081_551_326_6e-17),
    (-2.747_682_646_727_412_7, 9.055_340_329_338_315e-17),
];

/// The logarithm of the absolute value of the gamma function.
pub fn lgamma(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    for (zero, rest) in LGAMMA_ZEROS {
        let distance = (x - zero) - rest;
        if distance.abs() < 0.04 {
            // Taylor's series: the derivatives of digamma are zeta functions.
            let higher = (2..24).rev().fold(0.0, |sum, k| {
                let k = f64::from(k);
                let sign = if k % 2.0 == 0.0 { 1.0 } else { -1.0 };
                (sum + sign * zeta(k, zero) / k) * distance
            });
            return distance * (digamma(zero) + higher);
        }
    }
    libm::lgamma(x)
}

/// The logarithmic derivative of the gamma function; NaN at its poles.
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // Reflection; the fraction first, so that the tangent sees a small argument.
        let fraction = x - x.round();
        return digamma(1.0 - x) - PI / (PI * fraction).tan();
    }
    // Near the positive zero the recurrence cancels: expand around it.
    const ROOT_HIGH: f64 = 1.461_632_144_968_362_2;
    const ROOT_LOW: f64 = 9.549_995_429_965_697e-17;
    let from_root = (x - ROOT_HIGH) - ROOT_LOW;
    if from_root.abs() < 0.25 {
        // psi(x) = sum of d / ((n + root)(n + root + d)), which has no cancellation.
        return from_root * digamma_quotient(from_root, ROOT_HIGH);
    }
    let (mut shift, mut x) = (0.0, x);
    while x < 16.0 {
        shift += 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    const SERIES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32760.0,
        1.0 / 12.0,
        -3617.0 / 8160.0,
    ];
    let tail = SERIES.iter().rev().fold(0.0, |sum, term| (sum + term) * square);
    x.ln() - 0.5 / x - tail - shift
}

/// `(psi(root + d) - psi(root)) / d` by its partial fractions and the Euler-Maclaurin tail.
fn digamma_quotient(d: f64, root: f64) -> f64 {
    const TERMS: usize = 256;
    let term = |n: f64| 1.0 / ((n + root) * (n + root + d));
    let head: f64 = (0..TERMS).rev().map(|n| term(n as f64)).sum();
    let (a, b) = (TERMS as f64 + root, TERMS as f64 + root + d);
    // The integral of the term is log(b / a) / d; its odd derivatives follow from partial fractions.
    let integral = if d == 0.0 { 1.0 / a } else { (d / a).ln_1p() / d };
    let first = -(a + b) / (a * b).powi(2);
    let third = -6.0 * (a + b) * (a * a + b * b) / (a * b).powi(4);
    head + integral + 0.5 * term(TERMS as f64) - first / 12.0 + third / 720.0
}

/// The Hurwitz zeta function, the sum of `1 / (q + n)^x` over all `n >= 0`.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if x == 1.0 {
        return f64::INFINITY;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return if x == x.floor() && x % 2.0 == 0.0 { f64::INFINITY } else { f64::NAN };
        }
        if x != x.floor() {
            return f64::NAN;
        }
    }
    // The argument magnifies what a rounded base lost.
    let term = |n: f64| {
        let a = q + n;
        let lost = if a.is_finite() { (q - (a - n)) + (n - (a - (a - n))) } else { 0.0 };
        // An infinite exponent times nothing is NaN.
        let correction = if lost == 0.0 { 1.0 } else { 1.0 - x * (lost / a) };
        (a, a.powf(-x) * correction)
    };
    let mut terms = Vec::new();
    while terms.len() < 12 || q + (terms.len() as f64) < 12.0 {
        terms.push(term(terms.len() as f64).1);
    }
    let (a, power) = term(terms.len() as f64);
    let rest = if power == 0.0 { 0.0 } else { power * (a / (x - 1.0) + 0.5 + hermite(x, a)) };
    // The smallest first.
    terms.iter().rev().fold(rest, |sum, term| sum + term)
}

/// The integral in Hermite's formula, `zeta(x, a) = a^-x (a / (x - 1) + 1/2 + hermite(x, a))`, where `a` is not small:
/// `2 sin(x atan(t / a)) (1 + (t / a)^2)^(-x/2) / (exp(2 pi t) - 1)` over all positive `t`.
///
/// By the trapezoidal rule after the substitution `t = exp(u - exp(-u))`, with which the integrand vanishes at both ends
/// faster than any exponential.
fn hermite(x: f64, a: f64) -> f64 {
    const STEP: f64 = 1.0 / 24.0;
    let at = |step: i32| {
        let u = STEP * f64::from(step);
        let t = (u - (-u).exp()).exp();
        let ratio = t / a;
        let shrunk = (-0.5 * x * (ratio * ratio).ln_1p()).exp();
        let value = (x * ratio.atan()).sin() * shrunk / (2.0 * PI * t).exp_m1();
        value * t * (1.0 + (-u).exp())
    };
    // From t = 1e-19 to exp(2 pi t) = 1e20.
    2.0 * STEP * (-90..=48).map(at).sum::<f64>()
}

/// The derivative of order `n` of digamma; NaN unless `n` is a natural number.
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n < 0.0 || n != n.floor() || n.is_nan() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    sign * libm::tgamma(n + 1.0) * zeta(n + 1.0, x)
}

/// The error function.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// One minus the error function.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// The inverse of the error function; infinite at ±1, NaN beyond.
pub fn erf_inv(y: f64) -> f64 {
    let magnitude = y.abs();
    if y.is_nan() || magnitude > 1.0 {
        return f64::NAN;
    }
    if magnitude == 1.0 {
        return f64::INFINITY.copysign(y);
    }
    if magnitude == 0.0 {
        return y;
    }
    // Winitzki's closed form is within 1 %; Halley's method triples the digits at each step.
    let log = (-magnitude * magnitude).ln_1p();
    let t = 2.0 / (PI * 0.147) + 0.5 * log;
    let mut x = ((t * t - log / 0.147).sqrt() - t).sqrt();
    if magnitude < 1e-8 {
        return y / FRAC_2_SQRT_PI;
    }
    for _ in 0..4 {
        let error = if magnitude < 0.5 {
            libm::erf(x) - magnitude
        } else {
            (1.0 - magnitude) - libm::erfc(x)
        };
        let step = error / (FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x.copysign(y)
}

/// The modified Bessel function of the first kind and order 1, times `exp(-|x|)`.
pub fn bessel_i1e(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() {
        return x;
    }
    if magnitude.is_infinite() {
        return 0f64.copysign(x);
    }
    let value = if magnitude < 30.0 {
        // All terms are positive: (x/2)^(2k+1) / (k! (k+1)!).
        let quarter = 0.25 * magnitude * magnitude;
        let (mut term, mut sum, mut k) = (0.5 * magnitude, 0.0, 0.0);
        while term > sum * 1e-18 {
            sum += term;
            k += 1.0;
            term *= quarter / (k * (k + 1.0));
        }
        sum * (-magnitude).exp()
    } else {
        let (mut term, mut sum, mut k) = (1.0f64, 0.0, 0.0f64);
        while term.abs() > 1e-18 && k < 40.0 {
            sum += term;
            let odd = 2.0 * k + 1.0;
            k += 1.0;
            term *= -(4.0 - odd * odd) / (8.0 * magnitude * k);
        }
        // The product of all three would overflow before its root does.
        sum / ((2.0 * PI).sqrt() * magnitude.sqrt())
    };
    value.copysign(x)
}

/// Above this, what a function loses in its argument's reduction can be seen: `libm` reduces with as many digits as it takes.
const LARGE: f64 = 1e5;

/// The sine.
pub fn sin(x: f64) -> f64 {
    if x.abs() < LARGE { x.sin() } else { libm::sin(x) }
}

/// The cosine.
pub fn cos(x: f64) -> f64 {
    if x.abs() < LARGE { x.cos() } else { libm::cos(x) }
}

/// The tangent.
pub fn tan(x: f64) -> f64 {
    if x.abs() < LARGE { x.tan() } else { libm::tan(x) }
}

/// The inverse hyperbolic cosine; NaN below 1.
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// The logistic function.
pub fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let exponential = x.exp();
        exponential / (1.0 + exponential)
    }
}

#[cfg(test)]
mod tests {
    const ZETAS: [(f64, f64, f64); 11] = [
        (1.000001, 0.5, 1000001.9635936461),
        (1.5, 0.001, 31625.386966911912),
        (1.5, 3.25, 1.2012173113703717),
        (2.5, 40.0, 0.002685156581146319),
        (3.0, -0.75, 62.29349959839809),
        (4.0, -6.5, 32.46873493855805),
        (7.5, 11.75, 2.2268817067154715e-08),
        (20.0, 0.125, 1.152921504606847e+18),
        (33.5, 100.0, 3.604782943700553e-67),
        (49.93623186858382, 1545.7985863099416, 1.7869004648758724e-158),
        (2.0, 100000000.0, 1.000000005e-08),
    ];

    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a / b - 1.0).abs() < tolerance, "{a:e} is not {b:e}");
    }

    #[test]
    fn known_values() {
        close(digamma(1.0), -0.577_215_664_901_532_9, 1e-15);
        close(digamma(0.5), -1.963_510_026_021_423_4, 1e-15);
        close(digamma(10.0), 2.251_752_589_066_721, 1e-15);
        close(digamma(-0.5), 0.036_489_973_978_576_52, 1e-13);
        close(digamma(1.5), 0.036_489_973_978_576_52, 1e-14);
        close(zeta(2.0, 1.0), PI * PI / 6.0, 1e-15);
        close(zeta(4.0, 1.0), PI.powi(4) / 90.0, 1e-15);
        // To 40 digits by mpmath, from the definition and Euler and Maclaurin's formula.
        for (x, q, expected) in ZETAS {
            close(zeta(x, q), expected, 1e-15);
        }
        close(polygamma(1.0, 1.0), PI * PI / 6.0, 1e-15);
        close(polygamma(2.0, 1.0), -2.404_113_806_319_188_6, 1e-15);
        close(bessel_i1e(1.0), 0.207_910_415_349_708_45, 1e-15);
        close(erf_inv(0.5), 0.476_936_276_204_469_9, 1e-15);
    }

    #[test]
    fn the_two_expansions_of_digamma_agree() {
        for x in [1.22, 1.7] {
            let direct = digamma(x + 1.0) - 1.0 / x;
            close(digamma(x), direct, 2e-14);
        }
    }

    #[test]
    fn the_two_expansions_of_bessel_agree() {
        close(bessel_i1e(1e308), 3.989_422_804_014_327e-155, 1e-15);
        close(bessel_i1e(29.999_999), bessel_i1e(30.000_001), 1e-7);
        let ratio = bessel_i1e(30.0 - 1e-12) / bessel_i1e(30.0);
        assert!((ratio - 1.0).abs() < 1e-13);
    }

    #[test]
    fn erf_inv_inverts() {
        for y in [-0.999_999, -0.3, 1e-12, 0.7, 0.999_999_999_9] {
            close(erf(erf_inv(y)), y, 1e-15);
        }
        assert_eq!(erf_inv(1.0), f64::INFINITY);
        assert!(erf_inv(1.5).is_nan());
    }

    #[test]
    fn zeros_of_lgamma() {
        assert_eq!((lgamma(1.0), lgamma(2.0)), (0.0, 0.0));
        // The neighbours of a zero, and a place within the series, to 30 digits by mpmath.
        close(lgamma(-2.457_024_738_220_800_6), 5.619_192_358_950_097e-17, 1e-12);
        close(lgamma(-2.43), 0.044_539_595_982_990_24, 1e-14);
    }

    #[test]
    fn poles() {
        assert!(digamma(-2.0).is_nan());
        assert_eq!(zeta(1.0, 2.0), f64::INFINITY);
        assert_eq!(lgamma(-1.0), f64::INFINITY);
        assert_eq!(lgamma(f64::NEG_INFINITY), f64::INFINITY);
    }

    #[test]
    fn large_angles_are_reduced_with_enough_digits() {
        // The double nearest to a multiple of pi/2; by MPFR.
        let x = f64::from_bits(0x7506_AC5B_262C_A1FF);
        assert_eq!(x, 6_381_956_970_095_103.0 * 2f64.powi(797));
        close(cos(x), -4.687_165_924_254_628e-19, 3e-16);
        assert_eq!(sin(x), 1.0);
        close(tan(x), -2.133_485_385_753_704e18, 3e-16);
    }
}
