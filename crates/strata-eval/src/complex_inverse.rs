//! Inverse circular and hyperbolic functions of complex numbers on `f64` parts.
//!
//! Signs of zeros, infinities and NaNs follow C's Annex G.

use std::f64::consts::{FRAC_PI_2, LN_2, PI};

use num_complex::Complex64;

use crate::{
    complex_math::{c, times_i, times_minus_i},
    exact,
};

/// What arcsine and arccosine share, for `|re|` and `|im|`: the arcsine's real part, the arccosine's
/// real part for a positive real part, and the imaginary part's magnitude.
///
/// Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using
/// exception handling", 1997.
fn asin_acos_parts(x: f64, y: f64) -> (f64, f64, f64) {
    let safe_min = 4.0 * f64::MIN_POSITIVE.sqrt();
    let safe_max = f64::MAX.sqrt() / 8.0;
    if x < safe_max && x > safe_min && y < safe_max && y > safe_min {
        let (plus, minus) = (x + 1.0, x - 1.0);
        let (r, s) = (plus.hypot(y), minus.hypot(y));
        let a = 0.5 * (r + s);
        let b = x / a;
        let (asin_real, acos_real) = if b <= 0.6417 {
            (b.asin(), b.acos())
        } else {
            let apx = a + x;
            let ratio = if x <= 1.0 {
                (0.5 * apx * (y * y / (r + plus) + (s + (1.0 - x)))).sqrt()
            } else {
                y * (0.5 * (apx / (r + plus) + apx / (s + minus))).sqrt()
            };
            ((x / ratio).atan(), (ratio / x).atan())
        };
        let imaginary = if a <= 1.5 {
            let am1 = if x < 1.0 {
                0.5 * (y * y / (r + plus) + y * y / (s + (1.0 - x)))
            } else {
                0.5 * (y * y / (r + plus) + (s + minus))
            };
            (am1 + (am1 * (a + 1.0)).sqrt()).ln_1p()
        } else {
            (a + (a * a - 1.0).sqrt()).ln()
        };
        return (asin_real, acos_real, imaginary);
    }
    let minus = x - 1.0;
    if y <= f64::EPSILON * minus.abs() {
        if x < 1.0 {
            let root = ((1.0 - x) * (1.0 + x)).sqrt();
            return (x.asin(), x.acos(), y / root);
        }
        let imaginary = if f64::MAX / (x + 1.0) > minus {
            (minus + ((x + 1.0) * minus).sqrt()).ln_1p()
        } else {
            LN_2 + x.ln()
        };
        // y / x of two infinities would be NaN.
        let acos_real =
            if y == 0.0 || x.is_infinite() { 0.0 } else { y / x / (1.0 - 1.0 / x / x).sqrt() };
        return (FRAC_PI_2 - acos_real, acos_real, imaginary);
    }
    if y <= safe_min {
        // x is 1 up to rounding.
        let root = y.sqrt();
        return (FRAC_PI_2 - root, root, root);
    }
    if f64::EPSILON * y - 1.0 >= x {
        return (x / y, FRAC_PI_2, LN_2 + y.ln());
    }
    if x > 1.0 {
        let ratio = x / y;
        return (ratio.atan(), (y / x).atan(), LN_2 + y.ln() + 0.5 * (ratio * ratio).ln_1p());
    }
    let a = (1.0 + y * y).sqrt();
    (x / a, FRAC_PI_2, 0.5 * (2.0 * y * (y + a)).ln_1p())
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
    // z = cos(u) cosh(v) - i sin(u) sinh(v), and k = sin(u) cosh(v).
    let (_, u, v) = asin_acos_parts(x, y);
    c(u.sin() * v.cosh(), v)
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
    let (real, _, imaginary) = asin_acos_parts(x.abs(), y.abs());
    c(real.copysign(x), imaginary.copysign(y))
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
    let (_, real, imaginary) = asin_acos_parts(x.abs(), y.abs());
    let real = if x.is_sign_negative() { PI - real } else { real };
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
