//! Inverse circular and hyperbolic functions of complex numbers on `f64` parts.
//!
//! Signs of zeros, infinities and NaNs follow C's Annex G.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, LN_2, PI};

use num_complex::Complex64;

use crate::{
    complex_math::{c, times_i, times_minus_i},
    exact::{self, sum, two_product, two_sum},
};

/// A number as the rounded one and what that lost.
type Sum = (f64, f64);

/// The square root in the first quadrant of `x + iy` with a `y` that is not negative: both parts, with what their rounding lost where
/// products say it.
fn root((x, x_lost): Sum, y: f64) -> [Sum; 2] {
    if x == 0.0 && y == 0.0 {
        return [(0.0, 0.0); 2];
    }
    let twice = x.hypot(y) + x.abs();
    // Half of a subnormal number is rounded.
    let long = if twice > 1e-290 { (0.5 * twice).sqrt() } else { twice.sqrt() * FRAC_1_SQRT_2 };
    let short = y / (2.0 * long);
    let (re, im) = if x >= 0.0 { (long, short) } else { (short, long) };
    if short < 1e-140 || long > 1e140 {
        return [(re, 0.0), (im, 0.0)];
    }
    // A step of Newton's method: what the square lacks, without rounding, over twice the root.
    let ((rr, rr_lost), (ii, ii_lost)) = (two_product(re, re), two_product(im, im));
    let (ri, ri_lost) = two_product(re, im);
    let lacks_re = sum(&[x, x_lost, -rr, -rr_lost, ii, ii_lost]);
    let lacks_im = sum(&[y, -2.0 * ri, -2.0 * ri_lost]);
    let norm = 2.0 * (re * re + im * im);
    let lost_re = (lacks_re * re + lacks_im * im) / norm;
    [(re, lost_re), (im, (lacks_im * re - lacks_re * im) / norm)]
}

/// `a b + c d`, rounded once.
fn inner(a: Sum, b: Sum, c: Sum, d: Sum) -> f64 {
    let ((ab, ab_lost), (cd, cd_lost)) = (two_product(a.0, b.0), two_product(c.0, d.0));
    let cross = a.0 * b.1 + a.1 * b.0 + (c.0 * d.1 + c.1 * d.0);
    sum(&[ab, cd, ab_lost + cd_lost + cross])
}

/// What arcsine and arccosine share, for `|re|` and `|im|`.
struct Arcs {
    /// The arcsine's real part.
    asin: f64,
    /// The arccosine's real part for a positive real part.
    acos: f64,
    /// The imaginary part's magnitude.
    imaginary: f64,
    /// The length of which the arcsine's real part is `atan2(re, length)`.
    length: f64,
}

/// From the square roots of `1 - z` and `1 + z`, whose product is the cosine of the arcsine: Kahan, "Branch cuts for complex elementary
/// functions, or: much ado about nothing's sign bit", 1987. The compiler's functions follow another paper.
fn arcs(x: f64, y: f64) -> Arcs {
    if x.max(y) > 1e150 {
        // One is nothing beside these.
        let imaginary = (x / 2.0).hypot(y / 2.0).ln() + 2.0 * LN_2;
        return Arcs { asin: x.atan2(y), acos: y.atan2(x), imaginary, length: y };
    }
    // 1 - z is below the real axis: this is the root of its conjugate. All products are of numbers that are not negative, and are
    // added, so that nothing cancels.
    let [p, q] = root(two_sum(1.0, -x), y);
    let [r, s] = root(two_sum(1.0, x), y);
    let length = inner(p, r, q, s);
    let sinh = inner(p, s, q, r);
    Arcs { asin: x.atan2(length), acos: 2.0 * p.0.atan2(r.0), imaginary: libm::asinh(sinh), length }
}

/// What CHLO calls the kernel of arcsine and arccosine: the length `k` for which the arcsine's real part
/// is `atan2(re, k)` and the arccosine's `atan2(k, re)`, and the magnitude of the imaginary parts.
pub fn asin_acos_kernel(z: Complex64) -> Complex64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    if x.is_nan() || y.is_nan() {
        let open = x.is_infinite() || y.is_infinite();
        return c(f64::NAN, if open { f64::INFINITY } else { f64::NAN });
    }
    if x.is_infinite() || y.is_infinite() {
        return c(y, f64::INFINITY);
    }
    let Arcs { imaginary, length, .. } = arcs(x, y);
    c(length, imaginary)
}

/// The principal arcsine.
pub fn asin(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return if x == 0.0 || y.is_infinite() {
            z
        } else if x.is_infinite() {
            c(f64::NAN, f64::INFINITY.copysign(y))
        } else {
            c(f64::NAN, f64::NAN)
        };
    }
    if y.is_infinite() {
        let real = if x.is_infinite() { FRAC_PI_2 / 2.0 } else { 0.0 };
        return c(real.copysign(x), y);
    }
    if x.is_infinite() {
        return c(FRAC_PI_2.copysign(x), f64::INFINITY.copysign(y));
    }
    let Arcs { asin, imaginary, .. } = arcs(x.abs(), y.abs());
    c(asin.copysign(x), imaginary.copysign(y))
}

/// The principal arccosine.
pub fn acos(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return if x == 0.0 {
            c(FRAC_PI_2, f64::NAN)
        } else if x.is_infinite() {
            c(f64::NAN, -x.abs())
        } else if y.is_infinite() {
            c(f64::NAN, -y)
        } else {
            c(f64::NAN, f64::NAN)
        };
    }
    if y.is_infinite() {
        let real = match (x.is_infinite(), x > 0.0) {
            (true, true) => FRAC_PI_2 / 2.0,
            (true, false) => 3.0 * FRAC_PI_2 / 2.0,
            _ => FRAC_PI_2,
        };
        return c(real, -y);
    }
    if x.is_infinite() {
        return c(if x > 0.0 { 0.0 } else { PI }, -f64::INFINITY.copysign(y));
    }
    let Arcs { acos, imaginary, .. } = arcs(x.abs(), y.abs());
    let real = if x.is_sign_negative() { PI - acos } else { acos };
    c(real, -imaginary.copysign(y))
}

/// The principal inverse hyperbolic sine.
pub fn asinh(z: Complex64) -> Complex64 {
    times_minus_i(asin(times_i(z)))
}

/// The principal inverse hyperbolic cosine.
pub fn acosh(z: Complex64) -> Complex64 {
    let w = acos(z);
    c(w.im.abs(), w.re.copysign(z.im))
}

/// The principal inverse hyperbolic tangent.
pub fn atanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return if x.is_infinite() {
            c(0f64.copysign(x), y)
        } else if y.is_infinite() {
            c(0f64.copysign(x), FRAC_PI_2.copysign(y))
        } else if x == 0.0 {
            z
        } else {
            c(f64::NAN, f64::NAN)
        };
    }
    if x.is_infinite() || y.is_infinite() {
        return c(0f64.copysign(x), FRAC_PI_2.copysign(y));
    }
    let (ax, ay) = (x.abs(), y.abs());
    if ax.max(ay) > 1e17 {
        // x / (x*x + y*y), each step in range.
        let (large, small) = if ax < ay { (ay, ax) } else { (ax, ay) };
        let ratio = small / large;
        let real = ax / large / large / (1.0 + ratio * ratio);
        return c(real.copysign(x), FRAC_PI_2.copysign(y));
    }
    let real = if ax == 1.0 {
        if ay < 1e-150 {
            if ay == 0.0 { f64::INFINITY } else { 0.5 * (LN_2 - ay.ln()) }
        } else {
            0.25 * (4.0 / (ay * ay)).ln_1p()
        }
    } else {
        let distance = 1.0 - ax;
        0.25 * (4.0 * ax / (distance * distance + ay * ay)).ln_1p()
    };
    // 1 - x*x - y*y
    let cosine = if ax.max(ay) < 1e-10 { 1.0 } else { 0.0 - exact_norm_minus_one(ax, ay) };
    let imaginary = 0.5 * (2.0 * ay).atan2(cosine);
    c(real.copysign(x), imaginary.copysign(y))
}

/// `x*x + y*y - 1` even if a square leaves the range of exact products.
fn exact_norm_minus_one(x: f64, y: f64) -> f64 {
    if x == 1.0 {
        return y * y;
    }
    if y == 1.0 {
        return x * x;
    }
    exact::norm_minus_one(x, y)
}

/// The principal arctangent.
pub fn atan(z: Complex64) -> Complex64 {
    times_minus_i(atanh(times_i(z)))
}

#[cfg(test)]
#[allow(clippy::approx_constant)] // Reference values, as they were computed.
mod tests {
    use super::*;

    /// Both parts of a point, the real parts of its arcsine and arccosine, and the magnitude of the imaginary ones, to 700 digits by
    /// mpmath.
    const ARCS: [(f64, f64, f64, f64, f64); 15] = [
        (0.5, 0.25, 0.5016088532755008, 1.0691874735193958, 0.2813960562452928),
        (1.0, 1e-300, 1.5707963267948966, 1e-150, 1e-150),
        (1.0, 1.031e-320, 1.5707963267948966, 1.0154383304123799e-160, 1.0154383304123799e-160),
        (
            1.0000000000000022,
            3e-09,
            1.5707415545594297,
            5.4772235467020804e-05,
            5.477227603401989e-05,
        ),
        (0.9999999999999, 1e-05, 1.5676340517541492, 0.003162275040747411, 0.0031622802795775685),
        (1e-200, 3.0, 3.1622776601683792e-201, 1.5707963267948966, 1.8184464592320668),
        (3.0, 1e-200, 1.5707963267948966, 3.5355339059327375e-201, 1.762747174039086),
        (1.6e-06, 1.6e-06, 1.5999999999986345e-06, 1.5707947267948965, 1.6000000000013653e-06),
        (2e+20, 1.0, 1.5707963267948966, 5e-21, 47.4379962210008),
        (1.0, 1e+170, 1e-170, 1.5707963267948966, 392.13261298954774),
        (1e+300, 1e+305, 9.999999999666668e-06, 1.570786326794897, 702.9816005437939),
        (1.5, 0.0, 1.5707963267948966, 0.0, 0.9624236501192069),
        (0.0, 0.75, 0.0, 1.5707963267948966, 0.6931471805599453),
        (20.0, 1e-17, 1.5707963267948966, 5.00626174321759e-19, 3.6882538673612966),
        (0.9, 1e-310, 1.1197695149986342, 0.45102681179626236, 2.2941573387056e-310),
    ];

    #[test]
    fn arcsine_and_arccosine_have_all_their_digits() {
        let close = |found: f64, expected: f64| {
            let ulp = (expected.next_up() - expected).max(f64::from_bits(1));
            assert!((found - expected).abs() <= 3.0 * ulp, "{found:e} is not {expected:e}");
        };
        for (x, y, asin_re, acos_re, im) in ARCS {
            for (sign_x, sign_y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let z = c(sign_x * x, sign_y * y);
                let (sine, cosine) = (asin(z), acos(z));
                close(sign_x * sine.re, asin_re);
                close(sign_y * sine.im, im);
                close(cosine.re, if sign_x < 0.0 { PI - acos_re } else { acos_re });
                close(-sign_y * cosine.im, im);
                let kernel = asin_acos_kernel(z);
                close(x.atan2(kernel.re), asin_re);
                close(kernel.im, im);
            }
        }
    }
}
