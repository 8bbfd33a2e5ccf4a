//! Pointwise operations of the CHLO dialect, computed directly and not by their expansion.

use crate::{
    complex_inverse as ci, complex_math as cm,
    element::{Element, ElementType},
    elementwise::{binary_rows, real_only, real_or_complex, unary_rows},
    float_format::FloatType,
    special,
};

/// A row for real numbers that answers a question.
fn question(x: Element, holds: fn(f64) -> bool) -> Option<Element> {
    match x {
        Element::Float(x) => Some(Element::Bool(holds(x))),
        _ => None,
    }
}

unary_rows! { UNARY;
    /// Common code of the complex arcsine and arccosine.
    asin_acos_kernel = |x, _| match x {
        Element::Complex(x) => Some(Element::Complex(ci::asin_acos_kernel(x))),
        _ => None,
    };
    /// Arccosine.
    acos = |x, _| real_or_complex(x, f64::acos, ci::acos);
    /// Inverse hyperbolic cosine.
    acosh = |x, _| real_or_complex(x, special::acosh, ci::acosh);
    /// Arcsine.
    asin = |x, _| real_or_complex(x, f64::asin, ci::asin);
    /// Inverse hyperbolic sine.
    asinh = |x, _| real_or_complex(x, libm::asinh, ci::asinh);
    /// Arctangent.
    atan = |x, _| real_or_complex(x, f64::atan, ci::atan);
    /// Inverse hyperbolic tangent.
    atanh = |x, _| real_or_complex(x, libm::atanh, ci::atanh);
    /// Modified Bessel function of order 1, exponentially scaled.
    bessel_i1e = |x, _| real_only(x, special::bessel_i1e);
    /// Complex conjugate.
    conj = |x, _| match x {
        Element::Complex(x) => Some(Element::Complex(x.conj())),
        Element::Float(x) => Some(Element::Float(x)),
        _ => None,
    };
    /// Hyperbolic cosine.
    cosh = |x, _| real_or_complex(x, f64::cosh, cm::cosh);
    /// Logarithmic derivative of the gamma function.
    digamma = |x, _| real_only(x, special::digamma);
    /// Error function.
    erf = |x, _| real_only(x, special::erf);
    /// Inverse of the error function.
    erf_inv = |x, _| real_only(x, special::erf_inv);
    /// One minus the error function.
    erfc = |x, _| real_only(x, special::erfc);
    /// Whether the operand is an infinity.
    is_inf = |x, _| question(x, f64::is_infinite);
    /// Whether the operand is negative infinity.
    is_neg_inf = |x, _| question(x, |x| x == f64::NEG_INFINITY);
    /// Whether the operand is positive infinity.
    is_pos_inf = |x, _| question(x, |x| x == f64::INFINITY);
    /// Logarithm of the absolute value of the gamma function.
    lgamma = |x, _| real_only(x, special::lgamma);
    /// Hyperbolic sine.
    sinh = |x, _| real_or_complex(x, f64::sinh, cm::sinh);
    /// The operand times itself.
    square = |x, _| real_or_complex(x, |x| x * x, cm::square);
    /// Tangent.
    tan = |x, _| real_or_complex(x, special::tan, cm::tan);
}

/// The neighbour of `x` in the direction of `y`, in the format `ty`.
fn neighbour(x: f64, y: f64, ty: FloatType) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    if x == 0.0 {
        return ty.decode(1).copysign(y);
    }
    let bits = ty.encode(x);
    let away = (y > x) == (x > 0.0);
    let next = ty.decode(if away { bits + 1 } else { bits - 1 });
    // Formats without a negative zero encode NaN as negative zero.
    if next.is_nan() && !away { 0.0 } else { next }
}

/// The high half of the product of two integers.
fn multiply_high(a: Element, b: Element, ty: ElementType) -> Option<Element> {
    match (a, b) {
        (Element::Signed(a), Element::Signed(b)) => {
            Some(Element::Signed(((i128::from(a) * i128::from(b)) >> ty.bits()) as i64))
        }
        (Element::Unsigned(a), Element::Unsigned(b)) => {
            Some(Element::Unsigned(((u128::from(a) * u128::from(b)) >> ty.bits()) as u64))
        }
        _ => None,
    }
}

/// A row for two real numbers.
fn two_reals(a: Element, b: Element, function: fn(f64, f64) -> f64) -> Option<Element> {
    match (a, b) {
        (Element::Float(a), Element::Float(b)) => Some(Element::Float(function(a, b))),
        _ => None,
    }
}

binary_rows! { BINARY;
    /// High half of the product of two integers.
    mulhi = multiply_high;
    /// Neighbour of the left operand in the direction of the right one.
    next_after = |a, b, ty| match (a, b, ty) {
        (Element::Float(a), Element::Float(b), ElementType::Float(ty)) => {
            Some(Element::Float(neighbour(a, b, ty)))
        }
        _ => None,
    };
    /// Derivative of digamma, of the order that the left operand gives.
    polygamma = |a, b, _| two_reals(a, b, special::polygamma);
    /// Hurwitz zeta function.
    zeta = |a, b, _| two_reals(a, b, special::zeta);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Tensor,
        element::{BF16, F32, UI8},
    };

    #[test]
    fn neighbours() {
        let x = Tensor::from_f32(&[4], &[0.0, 1.0, -1.0, f32::MAX]);
        let y = Tensor::from_f32(&[4], &[-1.0, 2.0, 2.0, f32::INFINITY]);
        let next = super::next_after(&x, &y).unwrap().to_f64s();
        assert_eq!(next[0], -f64::from(f32::from_bits(1)));
        assert_eq!(next[1], 1.0 + f64::from(f32::EPSILON));
        assert_eq!(next[2], -1.0 + f64::from(f32::EPSILON) / 2.0);
        assert_eq!(next[3], f64::INFINITY);
        let up = super::next_after(
            &Tensor::of_floats(&[1], BF16, &[1.0]),
            &Tensor::of_floats(&[1], BF16, &[3.0]),
        );
        assert_eq!(up.unwrap().to_f64s(), [1.0078125]);
    }

    #[test]
    fn high_halves() {
        let x = Tensor::of_integers(&[1], UI8, &[200]);
        assert_eq!(mulhi(&x, &x).unwrap().to_i64s().unwrap(), [156]);
    }

    #[test]
    fn questions() {
        let x = Tensor::from_f32(&[2], &[f32::INFINITY, f32::NAN]);
        assert_eq!(is_inf(&x).unwrap().to_i64s().unwrap(), [1, 0]);
        assert_eq!(is_neg_inf(&x).unwrap().to_i64s().unwrap(), [0, 0]);
        assert_eq!(erf(&x).unwrap().element_type(), F32);
    }
}
