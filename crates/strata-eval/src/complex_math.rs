//! Functions of complex numbers on `f64` parts.
//!
//! Signs of zeros, infinities and NaNs follow C's Annex G where it defines the function, except for products.

use std::f64::consts::{LN_2, PI};

use num_complex::Complex64;

use crate::{element::ElementType, exact, float_format::FloatType};

pub(crate) fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// The product: four products of parts and two sums, each rounded as if exponents had no upper limit, so that a part is infinite only
/// where it is too large. Infinite parts are multiplied and added part by part: they may give NaN.
pub fn multiply(a: Complex64, b: Complex64) -> Complex64 {
    c(sum_of_products((a.re, b.re), (-a.im, b.im)), sum_of_products((a.re, b.im), (a.im, b.re)))
}

/// The sum of two products, also where one of them is too large for an `f64`.
fn sum_of_products(one: (f64, f64), two: (f64, f64)) -> f64 {
    let plain = one.0 * one.1 + two.0 * two.1;
    if plain.is_finite() {
        return plain;
    }
    let is_finite = |(x, y): (f64, f64)| x.is_finite() && y.is_finite();
    if !is_finite(one) || !is_finite(two) {
        // Beside an infinity or NaN a number counts for nothing, however large it is.
        let term = |factors: (f64, f64)| {
            if is_finite(factors) { 0.0 } else { factors.0 * factors.1 }
        };
        return term(one) + term(two);
    }
    let ((first, first_exponent), (second, second_exponent)) =
        (scaled_product(one), scaled_product(two));
    let exponent = first_exponent.max(second_exponent);
    let sum = libm::scalbn(first, first_exponent - exponent)
        + libm::scalbn(second, second_exponent - exponent);
    libm::scalbn(sum, exponent)
}

/// The product of finite factors as a number below 4 times a power of two.
fn scaled_product((x, y): (f64, f64)) -> (f64, i32) {
    if x == 0.0 || y == 0.0 {
        return (x * y, 0);
    }
    let (of_x, of_y) = (libm::ilogb(x), libm::ilogb(y));
    (libm::scalbn(x, -of_x) * libm::scalbn(y, -of_y), of_x + of_y)
}

/// The product of numbers of type `ty`: products of `f32` parts are exact in `f64`.
pub fn product(a: Complex64, b: Complex64, ty: ElementType) -> Complex64 {
    if ty != ElementType::Complex(FloatType::F32) {
        return multiply(a, b);
    }
    c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// The quotient: `((xu + yv) + i (yu - xv)) / (u² + v²)` of operands whose larger parts are near 1, each sum of products without
/// error; infinities as in Annex G.
pub fn divide(a: Complex64, b: Complex64) -> Complex64 {
    let ((x, dividend), (y, divisor)) = (near_one(a), near_one(b));
    let square = y.re * y.re + y.im * y.im;
    let along = two_products((x.re, y.re), (x.im, y.im)) / square;
    let across = two_products((x.im, y.re), (-x.re, y.im)) / square;
    let exponent = dividend - divisor;
    let grown = |part: f64| part * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    recovered(c(grown(along), grown(across)), a, b)
}

/// `z` times a power of two, and the exponent that takes it back.
fn near_one(z: Complex64) -> (Complex64, i32) {
    let largest = z.re.abs().max(z.im.abs());
    if largest == 0.0 || !largest.is_finite() {
        return (z, 0);
    }
    let exponent = libm::ilogb(largest).clamp(-1022, 1022);
    (z * 2f64.powi(-exponent), exponent)
}

/// The sum of two products, rounded once where it is a number.
fn two_products((a, b): (f64, f64), (c, d): (f64, f64)) -> f64 {
    let plain = a * b + c * d;
    let ((first, first_error), (second, second_error)) =
        (exact::two_product(a, b), exact::two_product(c, d));
    let sum = exact::sum(&[first_error, second_error, first, second]);
    // Of zeros the plain sum has the sign.
    if plain.is_finite() && sum != 0.0 { sum } else { plain }
}

/// The quotient of numbers of type `ty`: products of `f32` parts are exact in `f64` and need no scale.
pub fn quotient(a: Complex64, b: Complex64, ty: ElementType) -> Complex64 {
    if ty != ElementType::Complex(FloatType::F32) {
        return divide(a, b);
    }
    let square = b.re * b.re + b.im * b.im;
    let along = a.re * b.re + a.im * b.im;
    let across = a.im * b.re - a.re * b.im;
    recovered(c(along / square, across / square), a, b)
}

/// The quotient of `a` and `b` where two NaN parts came out of zeros and infinities.
fn recovered(quotient: Complex64, a: Complex64, b: Complex64) -> Complex64 {
    if !quotient.re.is_nan() || !quotient.im.is_nan() {
        return quotient;
    }
    let unit = |value: f64| f64::from(u8::from(value.is_infinite())).copysign(value);
    if b.re == 0.0 && b.im == 0.0 && !(a.re.is_nan() && a.im.is_nan()) {
        let infinity = f64::INFINITY.copysign(b.re);
        c(infinity * a.re, infinity * a.im)
    } else if (a.re.is_infinite() || a.im.is_infinite()) && b.re.is_finite() && b.im.is_finite() {
        let (re, im) = (unit(a.re), unit(a.im));
        let infinity = f64::INFINITY;
        c(infinity * (re * b.re + im * b.im), infinity * (im * b.re - re * b.im))
    } else if (b.re.is_infinite() || b.im.is_infinite()) && a.re.is_finite() && a.im.is_finite() {
        let (re, im) = (unit(b.re), unit(b.im));
        // Halves, whose sums do not overflow.
        let a = a * 0.5;
        c(0.0 * (a.re * re + a.im * im), 0.0 * (a.im * re - a.re * im))
    } else {
        quotient
    }
}

/// The modulus.
pub fn abs(z: Complex64) -> f64 {
    z.re.hypot(z.im)
}

/// `e` to the power of `z`, as a product: NaN where the imaginary part is infinite or NaN.
pub fn exponential(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.exp(), z.im);
    }
    // Half of the exponent at a time: exp may overflow where the product with a small sine does not.
    let half = (0.5 * z.re).exp();
    if z.re.abs() > 600.0 {
        return c((half * z.im.cos()) * half, (half * z.im.sin()) * half);
    }
    let scale = z.re.exp();
    c(scale * z.im.cos(), scale * z.im.sin())
}

/// `exp(z)` within other functions, with infinities and NaN as C's Annex G has them.
pub fn exp(z: Complex64) -> Complex64 {
    if z.re.is_infinite() && !z.im.is_finite() {
        return if z.re < 0.0 { c(0.0, 0.0) } else { c(z.re, f64::NAN) };
    }
    exponential(z)
}

/// `exp(z) - 1` without cancellation near zero.
pub fn exp_minus_one(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.exp_m1(), z.im);
    }
    let half_sine = (0.5 * z.im).sin();
    // The two terms may cancel: their products are formed without error.
    let (grown, grown_error) = exact::two_product(z.re.exp_m1(), z.im.cos());
    let (shrunk, shrunk_error) = exact::two_product(-2.0 * half_sine, half_sine);
    let real = exact::sum(&[grown_error, shrunk_error, grown, shrunk]);
    let real = if real == 0.0 { real.copysign(z.re) } else { real };
    let whole = exp(z);
    c(if z.re.abs() < 1.0 { real } else { whole.re - 1.0 }, whole.im)
}

/// The logarithm of the modulus of `x + iy`, accurate near the unit circle.
fn log_abs(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if large.is_nan() || small.is_nan() {
        return f64::NAN;
    }
    if large == 0.0 {
        return f64::NEG_INFINITY;
    }
    if (0.5..=2.0).contains(&large) {
        // Beyond the precision of the square, 1 + y*y/2 is what is left.
        if large == 1.0 {
            return 0.5 * (small * small).ln_1p();
        }
        return 0.5 * exact::norm_minus_one(large, small).ln_1p();
    }
    if large > 1e300 {
        return (large * 0.25).hypot(small * 0.25).ln() + 2.0 * LN_2;
    }
    if large < 1e-290 {
        let scale = 2f64.powi(200);
        return (large * scale).hypot(small * scale).ln() - 200.0 * LN_2;
    }
    large.hypot(small).ln()
}

/// The principal logarithm.
pub fn log(z: Complex64) -> Complex64 {
    c(log_abs(z.re, z.im), z.im.atan2(z.re))
}

/// `log(1 + z)` without cancellation near zero.
pub fn log_plus_one(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    let imaginary = y.atan2(1.0 + x);
    if x.is_finite() && y.is_finite() && x.abs() < 4.0 && y.abs() < 4.0 {
        // |1 + z|^2 - 1 = x*x + 2x + y*y
        let (xx, xx_error) = exact::two_product(x, x);
        let (yy, yy_error) = exact::two_product(y, y);
        let excess = exact::sum(&[xx_error, yy_error, xx, yy, 2.0 * x]);
        // Near -1 the excess is itself nearly -1; there 1 + x is exact.
        if excess > -0.5 {
            return c(0.5 * excess.ln_1p(), imaginary);
        }
    }
    c(log_abs(1.0 + x, y), imaginary)
}

/// The principal square root.
pub fn sqrt(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if y.is_infinite() {
        return c(f64::INFINITY, y);
    }
    if x.is_nan() || y.is_nan() {
        if x.is_infinite() {
            return if x > 0.0 { c(x, y) } else { c(y, f64::INFINITY) };
        }
        return c(f64::NAN, f64::NAN);
    }
    if x.is_infinite() {
        return if x > 0.0 { c(x, 0f64.copysign(y)) } else { c(0.0, f64::INFINITY.copysign(y)) };
    }
    if x == 0.0 && y == 0.0 {
        return c(0.0, y);
    }
    let (scale, root) = if x.abs().max(y.abs()) > 1e300 {
        (2f64.powi(-4), 4.0)
    } else if x.abs().max(y.abs()) < 1e-290 {
        (2f64.powi(200), 2f64.powi(-100))
    } else {
        (1.0, 1.0)
    };
    let (x, y) = (x * scale, y * scale);
    let t = (0.5 * (x.abs() + x.hypot(y))).sqrt();
    let other = y.abs() / (2.0 * t);
    if x >= 0.0 {
        c(root * t, root * other.copysign(y))
    } else {
        c(root * other, root * t.copysign(y))
    }
}

/// The reciprocal of the principal square root.
pub fn rsqrt(z: Complex64) -> Complex64 {
    if z.re == 0.0 && z.im == 0.0 {
        return c(f64::INFINITY, f64::NAN);
    }
    if z.re.is_infinite() || z.im.is_infinite() {
        return c(0.0, if z.im.is_nan() { z.im } else { 0f64.copysign(-z.im) });
    }
    // The conjugate of the root over the modulus.
    let largest = z.re.abs().max(z.im.abs());
    let (down, up) = (
        scale(largest),
        if largest > 1e300 {
            0.25
        } else if largest < 1e-290 {
            2f64.powi(100)
        } else {
            1.0
        },
    );
    let scaled = z * down;
    let (root, modulus) = (sqrt(scaled), abs(scaled));
    c(root.re / modulus * up, -root.im / modulus * up)
}

/// The principal cube root.
pub fn cbrt(z: Complex64) -> Complex64 {
    if z.im == 0.0 && z.re >= 0.0 {
        return c(z.re.cbrt(), z.im / 3.0);
    }
    // Scaled by a power of eight, the modulus neither overflows nor loses digits.
    let largest = z.re.abs().max(z.im.abs());
    let (scale, root) = if largest > 1e300 {
        (2f64.powi(-6), 4.0)
    } else if largest < 1e-290 {
        (2f64.powi(300), 2f64.powi(-100))
    } else {
        (1.0, 1.0)
    };
    let modulus = root * (z.re * scale).hypot(z.im * scale).cbrt();
    let angle = z.im.atan2(z.re) / 3.0;
    c(modulus * angle.cos(), modulus * angle.sin())
}

/// The hyperbolic sine.
pub fn sinh(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.sinh(), z.im);
    }
    if z.re == 0.0 {
        let zero = if z.im.is_finite() { z.re * z.im.cos() } else { z.re };
        return c(zero, z.im.sin());
    }
    if z.re.is_infinite() && !z.im.is_finite() {
        return c(z.re, f64::NAN);
    }
    let (sine, cosine) = z.im.sin_cos();
    if z.re.abs() > 600.0 {
        let half = (0.5 * z.re.abs()).exp();
        let sign = 1f64.copysign(z.re);
        return c(sign * (0.5 * half * cosine) * half, (0.5 * half * sine) * half);
    }
    c(z.re.sinh() * cosine, z.re.cosh() * sine)
}

/// The hyperbolic cosine.
pub fn cosh(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.cosh(), 1f64.copysign(z.re) * z.im);
    }
    if z.re == 0.0 {
        let zero = if z.im.is_finite() { z.re * z.im.sin() } else { 0.0 };
        return c(z.im.cos(), zero);
    }
    if z.re.is_infinite() && !z.im.is_finite() {
        return c(f64::INFINITY, f64::NAN);
    }
    let (sine, cosine) = z.im.sin_cos();
    if z.re.abs() > 600.0 {
        let half = (0.5 * z.re.abs()).exp();
        let sign = 1f64.copysign(z.re);
        return c((0.5 * half * cosine) * half, sign * (0.5 * half * sine) * half);
    }
    c(z.re.cosh() * cosine, z.re.sinh() * sine)
}

/// The hyperbolic tangent (Kahan's form).
pub fn tanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_infinite() {
        let zero = if y.is_finite() { 0f64.copysign(y.sin() * y.cos()) } else { 0f64.copysign(y) };
        return c(1f64.copysign(x), zero);
    }
    if x.is_nan() && y == 0.0 {
        return z;
    }
    if x == 0.0 {
        return c(x, y.tan());
    }
    if x.abs() > 22.0 && y.is_finite() {
        let scale = (-2.0 * x.abs()).exp();
        return c(1f64.copysign(x), 4.0 * y.sin() * y.cos() * scale);
    }
    let t = y.tan();
    let beta = 1.0 + t * t;
    let s = x.sinh();
    let rho = (1.0 + s * s).sqrt();
    if t.is_infinite() {
        return c(rho / s, 1.0 / t);
    }
    let denominator = 1.0 + beta * s * s;
    c(beta * rho * s / denominator, t / denominator)
}

/// `i * z`.
pub(crate) fn times_i(z: Complex64) -> Complex64 {
    c(-z.im, z.re)
}

/// `-i * z`.
pub(crate) fn times_minus_i(z: Complex64) -> Complex64 {
    c(z.im, -z.re)
}

/// The sine.
pub fn sin(z: Complex64) -> Complex64 {
    times_minus_i(sinh(times_i(z)))
}

/// The cosine.
pub fn cos(z: Complex64) -> Complex64 {
    cosh(times_i(z))
}

/// The tangent.
pub fn tan(z: Complex64) -> Complex64 {
    times_minus_i(tanh(times_i(z)))
}

/// `1 / (1 + exp(-z))`.
pub fn logistic(z: Complex64) -> Complex64 {
    divide(c(1.0, 0.0), c(1.0, 0.0) + exp(-z))
}

/// `a` to the power of `b`: 1 where the exponent is 0 or the base 1, 0 for a base of 0 and an exponent whose
/// real part is positive.
pub fn power(a: Complex64, b: Complex64) -> Complex64 {
    if b == c(0.0, 0.0) || a == c(1.0, 0.0) {
        return c(1.0, 0.0);
    }
    if a == c(0.0, 0.0) && b.re > 0.0 {
        return c(0.0, 0.0);
    }
    let angles = log(a);
    let exponent = c(b.re * angles.re - b.im * angles.im, b.im * angles.re + b.re * angles.im);
    // |a|^x e^(-y arg a) has more digits than exp of a rounded exponent, where both are ordinary.
    let (modulus, factor) = (abs(a), (-(b.im * angles.im)).exp());
    let grown = modulus.powf(b.re);
    let is_within = |value: f64, bound: f64| value > 1.0 / bound && value < bound;
    // The modulus is rounded; its error is amplified by the exponent, to a factor of its own from 1e16 on.
    let lacking = if is_within(modulus, 1e140) { lacking(a, modulus) } else { 0.0 };
    let exact = grown * (b.re * lacking).exp();
    let are_ordinary = [grown, exact, factor].into_iter().all(|value| is_within(value, 1e307));
    if are_ordinary && exponent.im.is_finite() {
        let scale = exact * factor;
        return c(scale * exponent.im.cos(), scale * exponent.im.sin());
    }
    exp(exponent)
}

/// The relative error of the rounded modulus of `z`.
fn lacking(z: Complex64, modulus: f64) -> f64 {
    let (wide, wide_error) = exact::two_product(z.re, z.re);
    let (tall, tall_error) = exact::two_product(z.im, z.im);
    let (square, square_error) = exact::two_product(modulus, modulus);
    0.5 * exact::sum(&[wide_error, tall_error, -square_error, wide, tall, -square]) / square
}

/// `z / |z|`; zero for zero, NaN for NaN.
pub fn sign(z: Complex64) -> Complex64 {
    if z.re.is_nan() || z.im.is_nan() {
        return c(f64::NAN, f64::NAN);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return c(0.0, 0.0);
    }
    let z = z * scale(z.re.abs().max(z.im.abs()));
    let modulus = abs(z);
    c(z.re / modulus, z.im / modulus)
}

/// A power of two that makes squares and sums of numbers up to `largest` neither overflow nor lose digits.
fn scale(largest: f64) -> f64 {
    if largest > 1e300 {
        2f64.powi(-4)
    } else if largest < 1e-290 {
        2f64.powi(200)
    } else {
        1.0
    }
}

/// The angle of `y` over `x`, extended to complex arguments: `-i log((x + iy) / sqrt(x*x + y*y))`, where the root is that
/// of `(x + iy) (x - iy)`.
pub fn atan2(y: Complex64, x: Complex64) -> Complex64 {
    // A common factor changes no angle.
    let largest =
        [y.re, y.im, x.re, x.im].into_iter().fold(0f64, |most, part| most.max(part.abs()));
    let factor = scale(largest);
    let (y, x) = (y * factor, x * factor);
    let (numerator, negated) = (c(x.re - y.im, x.im + y.re), c(x.re + y.im, x.im - y.re));
    let (one, other) = (log(numerator), log(negated));
    let middle = 0.5 * wrapped(one.im + other.im);
    // Where the moduli are nearly equal: by what their squares differ in.
    let length = abs(numerator);
    let (t, u, v, w) = (x.re / length, x.im / length, y.re / length, y.im / length);
    let excess = 4.0 * (t * w - u * v);
    let imaginary =
        if excess.abs() < 0.5 { 0.25 * excess.ln_1p() } else { 0.5 * (other.re - one.re) };
    c(wrapped(one.im - middle), imaginary)
}

/// Reduces an angle of at most 3π to at most π.
fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - 2.0 * PI
    } else if angle <= -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

/// `z * z`.
pub fn square(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    // The smaller one is doubled: the larger one might overflow.
    let imaginary = if x.abs() < y.abs() { (2.0 * x) * y } else { x * (2.0 * y) };
    if x.is_infinite() && y.is_infinite() {
        return c(f64::NAN, imaginary);
    }
    // (x - y)(x + y) does not cancel where x*x - y*y does; its factors may overflow where
    // the product must be infinite anyway.
    let real = if x.abs() == y.abs() { 0.0 } else { (x - y) * (x + y) };
    c(real, imaginary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complex_inverse::{acos, acosh, asin, asinh, atan, atanh};

    fn close(a: Complex64, b: Complex64) {
        let error = (a - b).norm() / b.norm().max(1e-300);
        assert!(error < 4e-15, "{a} is not {b}");
    }

    #[test]
    fn an_exponential_without_a_direction_is_nan() {
        for re in [f64::NEG_INFINITY, -1.5, 0.0, f64::INFINITY] {
            let found = exponential(c(re, f64::INFINITY));
            assert!(found.re.is_nan() && found.im.is_nan(), "{re}: {found}");
        }
        assert_eq!(exponential(c(f64::NEG_INFINITY, 1.5)), c(0.0, 0.0));
    }

    #[test]
    fn inverse_functions_invert() {
        for re in [-2.5, -0.7, 0.3, 1.0, 4.0] {
            for im in [-3.0, -0.2, 0.1, 1.5] {
                let z = c(re, im);
                close(sin(asin(z)), z);
                close(cos(acos(z)), z);
                close(tan(atan(z)), z);
                close(sinh(asinh(z)), z);
                close(cosh(acosh(z)), z);
                close(tanh(atanh(z)), z);
                close(exp(log(z)), z);
                close(square(sqrt(z)), z);
                close(multiply(rsqrt(z), sqrt(z)), c(1.0, 0.0));
                close(cbrt(z) * cbrt(z) * cbrt(z), z);
                close(exp_minus_one(log_plus_one(z)), z);
                close(divide(multiply(z, c(0.5, 2.0)), c(0.5, 2.0)), z);
            }
        }
    }

    #[test]
    fn logarithm_near_the_unit_circle() {
        let z = c(0.6, 0.8000000000000001);
        let expected = 0.5 * exact::norm_minus_one(0.6, 0.8000000000000001);
        assert!((log(z).re / expected - 1.0).abs() < 1e-12);
        assert!(log(z).re != 0.0);
    }

    #[test]
    fn large_and_small_arguments_do_not_overflow() {
        assert!(log(c(f64::MAX, f64::MAX)).re.is_finite());
        assert!(sqrt(c(f64::MAX, f64::MAX)).re.is_finite());
        assert!(divide(c(1.0, 1.0), c(1e300, 1e300)).re > 0.0);
        assert!(atanh(c(1.0, 1e-300)).re.is_finite());
        assert_eq!(asin(c(0.0, f64::INFINITY)), c(0.0, f64::INFINITY));
        assert_eq!(sqrt(c(-4.0, -0.0)), c(0.0, -2.0));
    }

    #[test]
    fn products_that_overflow_are_lost_only_where_the_result_is_too_large() {
        let (big, infinity) = (2e200, f64::INFINITY);
        assert_eq!(multiply(c(big, big), c(big, big)), c(0.0, infinity));
        assert_eq!(multiply(c(f64::MAX, f64::MAX), c(f64::MAX, -f64::MAX)), c(infinity, 0.0));
        let (root, half) = (2f64.powi(512), 2f64.powi(511));
        assert_eq!(multiply(c(root, root), c(root, half)).re, 2f64.powi(1023));
        assert_eq!(multiply(c(1e10, 1.7e308), c(-1.7e308, 1e10)).im, -infinity);
        // Infinity less a number that is too large is infinity, infinity less infinity NaN.
        assert_eq!(multiply(c(infinity, big), c(5e-324, big)).re, infinity);
        assert!(multiply(c(infinity, infinity), c(1.0, 1.0)).re.is_nan());
        let single = ElementType::Complex(FloatType::F32);
        assert_eq!(product(c(2e19, 2e19), c(2e19, 1e19), single).re, 2e38);
    }

    #[test]
    fn powers_of_zero() {
        assert_eq!(power(c(0.0, 0.0), c(0.0, 0.0)), c(1.0, 0.0));
        assert_eq!(power(c(0.0, 0.0), c(2.0, 1.0)), c(0.0, 0.0));
        close(power(c(2.0, 0.0), c(3.0, 0.0)), c(8.0, 0.0));
    }
}
