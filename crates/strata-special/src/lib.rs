//! Special functions as formulas, generic over the arithmetic.
//!
//! A formula is written once for any implementation of [`Arithmetic`]: operations of `arith` and `math` where
//! a program is lowered, StableHLO where an artifact is written, plain numbers in the tests here.
//!
//! ```text
//! erf_inv(x)     polynomials in the logarithm of 1 - x² and in its root
//! lgamma(x)      Stirling's series, the recurrence below 8, reflection below one half, polynomials near zeros
//! digamma(x)     the derivative of the same series
//! erfc(x)        a Chebyshev series times exp(-x²), which is taken in two factors
//! bessel_i1e(x)  exp(-|x|) I1(x), a Chebyshev series on [0, 8] and one in 1 / x beyond
//! ```
//!
//! Inverse functions of complex numbers are in [`complex`]. All others except `erf_inv` are for 64-bit numbers: narrower
//! ones are widened before and rounded once after.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod bessel;
pub mod complex;
mod erf_inv;
mod erfc;
mod gamma;

pub use bessel::bessel_i1e;
pub use erf_inv::erf_inv;
pub use erfc::erfc;
pub use gamma::{digamma, lgamma};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `|x|`
    Abs,
    /// Cosine.
    Cos,
    /// `exp(x)`
    Exp,
    /// The largest integer that is not above.
    Floor,
    /// The natural logarithm.
    Log,
    /// `log(1 + x)`
    Log1p,
    /// `-x`
    Negate,
    /// Sine.
    Sin,
    /// The square root.
    Sqrt,
}

/// A relation of two numbers; false for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `x == y`
    Equal,
    /// `x < y`
    Less,
    /// `x <= y`
    LessEqual,
    /// `x > y`
    Greater,
}

/// What the formulas compute with: numbers of one floating-point type.
pub trait Arithmetic {
    /// A number.
    type Value: Copy;
    /// A truth value.
    type Truth: Copy;
    /// The error type.
    type Error;

    /// Whether the numbers have 64 bits, not 32.
    fn is_double(&self) -> bool;
    /// A constant.
    fn number(&self, value: f64) -> Self::Value;
    /// Sum.
    fn add(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// Difference.
    fn sub(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// Product.
    fn mul(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// Quotient.
    fn div(&self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// A function of one number.
    fn apply(&self, function: Function, x: Self::Value) -> Self::Value;
    /// The angle of the point `(x, y)`.
    fn atan2(&self, y: Self::Value, x: Self::Value) -> Self::Value;
    /// The magnitude of `size` with the sign of `of`, that of zeros as well.
    ///
    /// # Errors
    /// If signs cannot be determined.
    fn with_sign(&self, size: Self::Value, of: Self::Value) -> Result<Self::Value, Self::Error>;
    /// Whether the relation holds.
    ///
    /// # Errors
    /// Where numbers cannot be compared.
    fn holds(
        &self,
        x: Self::Value,
        relation: Relation,
        y: Self::Value,
    ) -> Result<Self::Truth, Self::Error>;
    /// Whether both hold.
    fn both(&self, x: Self::Truth, y: Self::Truth) -> Self::Truth;
    /// One of two numbers.
    fn select(&self, condition: Self::Truth, yes: Self::Value, no: Self::Value) -> Self::Value;

    /// `x < y`, false for NaN.
    ///
    /// # Errors
    /// As [`Arithmetic::holds`].
    fn less(&self, x: Self::Value, y: f64) -> Result<Self::Truth, Self::Error> {
        let y = self.number(y);
        self.holds(x, Relation::Less, y)
    }

    /// A Chebyshev series by Clenshaw's recurrence, the coefficient of the constant first.
    fn chebyshev(&self, x: Self::Value, coefficients: &[f64]) -> Self::Value {
        let twice = self.add(x, x);
        let zero = self.number(0.0);
        let step = |(last, before), coefficient: &f64| {
            let next = self.add(self.sub(self.mul(twice, last), before), self.number(*coefficient));
            (next, last)
        };
        let (constant, others) = coefficients.split_first().unwrap_or((&0.0, &[]));
        let (last, before) = others.iter().rev().fold((zero, zero), step);
        self.add(self.sub(self.mul(x, last), before), self.number(*constant))
    }

    /// Horner's scheme, highest coefficient first.
    fn polynomial(&self, x: Self::Value, coefficients: &[f64]) -> Self::Value {
        let first = self.number(coefficients.first().copied().unwrap_or(0.0));
        coefficients.iter().skip(1).fold(first, |sum, coefficient| {
            let product = self.mul(sum, x);
            self.add(product, self.number(*coefficient))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        f64::consts::{FRAC_PI_2, PI},
    };

    use super::*;

    /// Numbers of Rust.
    struct Plain;

    impl Arithmetic for Plain {
        type Value = f64;
        type Truth = bool;
        type Error = Infallible;

        fn is_double(&self) -> bool {
            true
        }

        fn number(&self, value: f64) -> f64 {
            value
        }

        fn add(&self, x: f64, y: f64) -> f64 {
            x + y
        }

        fn sub(&self, x: f64, y: f64) -> f64 {
            x - y
        }

        fn mul(&self, x: f64, y: f64) -> f64 {
            x * y
        }

        fn div(&self, x: f64, y: f64) -> f64 {
            x / y
        }

        fn apply(&self, function: Function, x: f64) -> f64 {
            match function {
                Function::Abs => x.abs(),
                Function::Cos => x.cos(),
                Function::Exp => x.exp(),
                Function::Floor => x.floor(),
                Function::Log => x.ln(),
                Function::Log1p => x.ln_1p(),
                Function::Negate => -x,
                Function::Sin => x.sin(),
                Function::Sqrt => x.sqrt(),
            }
        }

        fn atan2(&self, y: f64, x: f64) -> f64 {
            y.atan2(x)
        }

        fn with_sign(&self, size: f64, of: f64) -> Result<f64, Infallible> {
            Ok(size.copysign(of))
        }

        fn holds(&self, x: f64, relation: Relation, y: f64) -> Result<bool, Infallible> {
            Ok(match relation {
                Relation::Equal => x == y,
                Relation::Less => x < y,
                Relation::LessEqual => x <= y,
                Relation::Greater => x > y,
            })
        }

        fn both(&self, x: bool, y: bool) -> bool {
            x && y
        }

        fn select(&self, condition: bool, yes: f64, no: f64) -> f64 {
            if condition { yes } else { no }
        }
    }

    type Formula = fn(&Plain, f64) -> Result<f64, Infallible>;

    fn at(formula: Formula, x: f64) -> f64 {
        formula(&Plain, x).unwrap_or_else(|never| match never {})
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        let scale = expected.abs().max(1e-3);
        assert!((found - expected).abs() <= tolerance * scale, "{found:e} is not {expected:e}");
    }

    #[test]
    fn the_gamma_function_beside_the_library() {
        for x in [1e-30, 0.1, 0.5, 1.0, 1.7, 2.5, 10.0, 171.5, 1e10, -0.5, -3.7, -20.1] {
            close(at(lgamma, x), libm::lgamma(x), 1e-13);
        }
        for pole in [0.0, -1.0, -4.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(at(lgamma, pole), f64::INFINITY);
        }
        assert!(at(lgamma, f64::NAN).is_nan());
    }

    #[test]
    fn zeros_of_the_gamma_functions() {
        assert_eq!((at(lgamma, 1.0), at(lgamma, 2.0)), (0.0, 0.0));
        // Results to 17 digits by mpmath.
        let relative = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-14);
        relative(at(lgamma, 1.0 - f64::EPSILON / 2.0), 6.408_381_213_480_007e-17);
        relative(at(lgamma, 1.000_000_1), -5.772_155_829_918_507e-8);
        relative(at(lgamma, -2.457_024_738_220_800_6), 5.619_192_358_950_097e-17);
        relative(at(lgamma, -2.747_682_646_727_412_7), 1.733_509_244_024_501e-16);
        relative(at(digamma, 1.461_632_144_968_362_2), -9.241_265_521_729_427e-17);
    }

    #[test]
    fn the_derivative_at_known_places() {
        close(at(digamma, 1.0), -0.577_215_664_901_532_9, 1e-13);
        close(at(digamma, 0.5), -1.963_510_026_021_423_4, 1e-13);
        close(at(digamma, -0.5), 0.036_489_973_978_576_52, 1e-12);
        // Once around the recurrence: psi(x + 1) = psi(x) + 1 / x.
        close(at(digamma, 6.3), at(digamma, 5.3) + 1.0 / 5.3, 1e-13);
        assert!(at(digamma, -2.0).is_nan() && at(digamma, 0.0).is_nan());
    }

    #[test]
    fn the_inverse_inverts() {
        for y in [-0.999_999, -0.3, 1e-12, 0.7, 0.999_999_999] {
            close(libm::erf(at(erf_inv, y)), y, 1e-14);
        }
        assert_eq!(at(erf_inv, -1.0), f64::NEG_INFINITY);
        assert!(at(erf_inv, 1.5).is_nan());
    }

    #[test]
    fn the_tail_keeps_its_digits() {
        for x in [-30.0, -2.5, -0.1, -1e-20, 0.0, 1e-9, 0.3, 1.0, 2.7, 6.0, 15.5, 26.0] {
            let (found, expected) = (at(erfc, x), libm::erfc(x));
            assert!((found / expected - 1.0).abs() < 2e-15, "erfc({x}): {found:e}, {expected:e}");
        }
        assert_eq!(at(erfc, f64::INFINITY), 0.0);
        assert_eq!(at(erfc, f64::NEG_INFINITY), 2.0);
        assert!(at(erfc, f64::NAN).is_nan());
    }

    #[test]
    fn the_inverse_sine_on_the_real_axis() {
        let sine = |re, im| complex::asin(&Plain, re, im).unwrap_or_else(|never| match never {});
        assert_eq!(sine(1.0, 0.0), (FRAC_PI_2, 0.0));
        assert_eq!(sine(-1.0, -0.0), (-FRAC_PI_2, -0.0));
        let (re, im) = sine(2.0, 0.0);
        close(re, FRAC_PI_2, 1e-15);
        close(im, 2f64.acosh(), 1e-15);
        let cosine = complex::acos(&Plain, 1.0, 0.0).unwrap_or_else(|never| match never {});
        assert_eq!(cosine, (0.0, -0.0));
    }

    #[test]
    fn the_bessel_function_is_its_integral() {
        // I1(x) = 1/pi times the integral of exp(x cos t) cos t over [0, pi], by the trapezoidal rule, which is exact here.
        for x in [0.3, 1.0, 7.9, 8.1, 30.0, -2.0] {
            const STEPS: i32 = 256;
            let sum: f64 = (0..=STEPS)
                .map(|step| {
                    let angle = PI * f64::from(step) / f64::from(STEPS);
                    let weight = if step == 0 || step == STEPS { 0.5 } else { 1.0 };
                    weight * (x * angle.cos() - x.abs()).exp() * angle.cos()
                })
                .sum();
            close(at(bessel_i1e, x), sum / f64::from(STEPS), 1e-13);
        }
        assert_eq!(at(bessel_i1e, f64::INFINITY), 0.0);
        assert!(at(bessel_i1e, f64::NAN).is_nan());
    }
}
