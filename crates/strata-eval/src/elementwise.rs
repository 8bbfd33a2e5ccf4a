//! Pointwise operations: one row per operation, each on one element, and the tensor functions over them.
//!
//! A row sees elements in their carrier ([`Element`]); the tensor functions round and wrap the result to
//! its type. A row answers `None` for a class of types that its operation is not defined for.

use num_complex::Complex64;

use crate::{
    complex_math as cm,
    element::{Element, ElementType},
    error::{EvalError, Result},
    special,
    tensor::Tensor,
};

/// An operation on one element; the type is the operand's.
pub type UnaryFn = fn(Element, ElementType) -> Option<Element>;
/// An operation on two elements of one type.
pub type BinaryFn = fn(Element, Element, ElementType) -> Option<Element>;

/// Declares rows: a public tensor function per row and the table of them by name.
macro_rules! unary_rows {
    ($table:ident; $($(#[$doc:meta])* $name:ident = $function:expr;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(operand: &$crate::Tensor) -> $crate::Result<$crate::Tensor> {
                $crate::elementwise::map_unary(stringify!($name), $function, operand)
            }
        )*

        /// The rows of this family by name.
        pub const $table: &[(&str, $crate::elementwise::UnaryFn)] =
            &[$((stringify!($name), $function)),*];
    };
}

/// As `unary_rows`, for two operands.
macro_rules! binary_rows {
    ($table:ident; $($(#[$doc:meta])* $name:ident = $function:expr;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(
                lhs: &$crate::Tensor,
                rhs: &$crate::Tensor,
            ) -> $crate::Result<$crate::Tensor> {
                $crate::elementwise::map_binary(stringify!($name), $function, lhs, rhs)
            }
        )*

        /// The rows of this family by name.
        pub const $table: &[(&str, $crate::elementwise::BinaryFn)] =
            &[$((stringify!($name), $function)),*];
    };
}

pub(crate) use {binary_rows, unary_rows};

/// Applies a row to a tensor.
pub fn map_unary(name: &str, function: UnaryFn, operand: &Tensor) -> Result<Tensor> {
    let ty = operand.element_type();
    Tensor::try_from_fn(operand.shape(), unary_result(name, ty), |position| {
        function(operand.get(position), ty).ok_or_else(|| undefined(name, ty))
    })
}

/// Applies a row to two tensors of one shape.
pub fn map_binary(name: &str, function: BinaryFn, lhs: &Tensor, rhs: &Tensor) -> Result<Tensor> {
    same_shape(lhs, rhs)?;
    let ty = lhs.element_type();
    Tensor::try_from_fn(lhs.shape(), binary_result(name, ty), |position| {
        function(lhs.get(position), rhs.get(position), ty).ok_or_else(|| undefined(name, ty))
    })
}

/// Fails unless the shapes agree; a verified program can only differ in dynamic dimensions.
pub fn same_shape(lhs: &Tensor, rhs: &Tensor) -> Result<()> {
    if lhs.shape() == rhs.shape() {
        return Ok(());
    }
    Err(EvalError::invalid(format!(
        "the shapes differ at run time: {:?} and {:?}",
        lhs.shape(),
        rhs.shape()
    )))
}

/// The error of a row that is not defined for a type.
pub fn undefined(name: &str, ty: ElementType) -> EvalError {
    EvalError::unsupported(format!("{name} is not defined for {ty}"))
}

/// The element type of a row's result.
pub fn unary_result(name: &str, operand: ElementType) -> ElementType {
    match name {
        "abs" | "real" | "imag" => operand.real_part(),
        "is_finite" | "is_inf" | "is_pos_inf" | "is_neg_inf" => ElementType::Bool,
        _ => operand,
    }
}

/// The element type of a row's result.
pub fn binary_result(name: &str, operand: ElementType) -> ElementType {
    match (name, operand) {
        ("complex", ElementType::Float(part)) => ElementType::Complex(part),
        _ => operand,
    }
}

/// A row for real and complex numbers.
pub(crate) fn real_or_complex(
    x: Element,
    real: fn(f64) -> f64,
    complex: fn(Complex64) -> Complex64,
) -> Option<Element> {
    match x {
        Element::Float(x) => Some(Element::Float(real(x))),
        Element::Complex(x) => Some(Element::Complex(complex(x))),
        _ => None,
    }
}

/// A row for real numbers.
pub(crate) fn real_only(x: Element, real: fn(f64) -> f64) -> Option<Element> {
    match x {
        Element::Float(x) => Some(Element::Float(real(x))),
        _ => None,
    }
}

/// The bits of an integer element, without the sign extension.
fn integer_bits(x: Element, ty: ElementType) -> Option<u64> {
    let mask = u64::MAX >> (64 - ty.bits());
    match x {
        Element::Signed(x) => Some(x as u64 & mask),
        Element::Unsigned(x) => Some(x),
        _ => None,
    }
}

/// An integer of the operand's class.
fn like(x: Element, value: u64) -> Option<Element> {
    match x {
        Element::Signed(_) => Some(Element::Signed(value as i64)),
        Element::Unsigned(_) => Some(Element::Unsigned(value)),
        _ => None,
    }
}

fn sign_of(x: Element) -> Option<Element> {
    match x {
        Element::Signed(x) => Some(Element::Signed(x.signum())),
        Element::Unsigned(x) => Some(Element::Unsigned(x.min(1))),
        Element::Float(x) if x == 0.0 || x.is_nan() => Some(Element::Float(x)),
        Element::Float(x) => Some(Element::Float(x.signum())),
        Element::Complex(x) => Some(Element::Complex(cm::sign(x))),
        Element::Bool(_) => None,
    }
}

unary_rows! { UNARY;
    /// Absolute value; of a complex number its modulus. The smallest integer is unchanged.
    abs = |x, _| match x {
        Element::Signed(x) => Some(Element::Signed(x.wrapping_abs())),
        Element::Unsigned(x) => Some(Element::Unsigned(x)),
        Element::Float(x) => Some(Element::Float(x.abs())),
        Element::Complex(x) => Some(Element::Float(cm::abs(x))),
        Element::Bool(_) => None,
    };
    /// Cube root.
    cbrt = |x, _| real_or_complex(x, f64::cbrt, cm::cbrt);
    /// Round towards positive infinity.
    ceil = |x, _| real_only(x, f64::ceil);
    /// Cosine.
    cosine = |x, _| real_or_complex(x, special::cos, cm::cos);
    /// Number of leading zero bits.
    count_leading_zeros = |x, ty| {
        let bits = integer_bits(x, ty)?;
        like(x, u64::from(bits.leading_zeros() + ty.bits() - 64))
    };
    /// e to the power of the operand.
    exponential = |x, _| real_or_complex(x, f64::exp, cm::exponential);
    /// `exp(x) - 1`.
    exponential_minus_one = |x, _| real_or_complex(x, f64::exp_m1, cm::exp_minus_one);
    /// Round towards negative infinity.
    floor = |x, _| real_only(x, f64::floor);
    /// Imaginary part; zero of a real number.
    imag = |x, _| match x {
        Element::Complex(x) => Some(Element::Float(x.im)),
        Element::Float(_) => Some(Element::Float(0.0)),
        _ => None,
    };
    /// Whether the operand is neither infinite nor NaN.
    is_finite = |x, _| match x {
        Element::Float(x) => Some(Element::Bool(x.is_finite())),
        _ => None,
    };
    /// Natural logarithm.
    log = |x, _| real_or_complex(x, f64::ln, cm::log);
    /// `log(1 + x)`.
    log_plus_one = |x, _| real_or_complex(x, f64::ln_1p, cm::log_plus_one);
    /// `1 / (1 + exp(-x))`.
    logistic = |x, _| real_or_complex(x, special::logistic, cm::logistic);
    /// Negation; integers wrap.
    negate = |x, _| match x {
        Element::Signed(x) => Some(Element::Signed(x.wrapping_neg())),
        Element::Unsigned(x) => Some(Element::Unsigned(x.wrapping_neg())),
        Element::Float(x) => Some(Element::Float(-x)),
        Element::Complex(x) => Some(Element::Complex(-x)),
        Element::Bool(_) => None,
    };
    /// Logical or bitwise not.
    not = |x, ty| match x {
        Element::Bool(x) => Some(Element::Bool(!x)),
        _ => like(x, !integer_bits(x, ty)?),
    };
    /// Number of bits that are set.
    popcnt = |x, ty| like(x, u64::from(integer_bits(x, ty)?.count_ones()));
    /// Real part.
    real = |x, _| match x {
        Element::Complex(x) => Some(Element::Float(x.re)),
        Element::Float(x) => Some(Element::Float(x)),
        _ => None,
    };
    /// Round to nearest, ties away from zero.
    round_nearest_afz = |x, _| real_only(x, f64::round);
    /// Round to nearest, ties to even.
    round_nearest_even = |x, _| real_only(x, f64::round_ties_even);
    /// `1 / sqrt(x)`.
    rsqrt = |x, _| real_or_complex(x, |x| 1.0 / x.sqrt(), cm::rsqrt);
    /// Sign: -1, 0 or 1, zeros and NaN as they are; of a complex number `z / |z|`.
    sign = |x, _| sign_of(x);
    /// Sine.
    sine = |x, _| real_or_complex(x, special::sin, cm::sin);
    /// Square root.
    sqrt = |x, _| real_or_complex(x, f64::sqrt, cm::sqrt);
    /// Tangent.
    tan = |x, _| real_or_complex(x, special::tan, cm::tan);
    /// Hyperbolic tangent.
    tanh = |x, _| real_or_complex(x, f64::tanh, cm::tanh);
}

use Element::{Bool, Complex, Float, Signed, Unsigned};

/// Integer power by squaring, wrapping; a negative exponent gives the truncated reciprocal.
fn signed_power(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => {
                if exponent % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        };
    }
    unsigned_power(base as u64, exponent as u64) as i64
}

fn unsigned_power(mut base: u64, mut exponent: u64) -> u64 {
    let mut power = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    power
}

/// The larger number; NaN if either is; -0 is below +0.
fn float_maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() { a } else { b };
    }
    if a == b { if a.is_sign_negative() { b } else { a } } else { a.max(b) }
}

fn float_minimum(a: f64, b: f64) -> f64 {
    -float_maximum(-a, -b)
}

/// Whether `a` precedes `b`: real parts first, then imaginary ones.
pub(crate) fn complex_less(a: Complex64, b: Complex64) -> bool {
    a.re < b.re || (a.re == b.re && a.im < b.im)
}

/// The shift amount, or `None` where every bit is shifted out.
fn shift_amount(amount: Element, ty: ElementType) -> Option<u32> {
    match amount {
        Signed(amount) => u32::try_from(amount).ok(),
        Unsigned(amount) => u32::try_from(amount).ok(),
        _ => None,
    }
    .filter(|amount| *amount < ty.bits())
}

binary_rows! { BINARY;
    /// Sum; integers wrap, booleans: or.
    add = |a, b, _| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a | b),
        (Signed(a), Signed(b)) => Signed(a.wrapping_add(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a.wrapping_add(b)),
        (Float(a), Float(b)) => Float(a + b),
        (Complex(a), Complex(b)) => Complex(a + b),
        _ => return None,
    });
    /// Logical or bitwise and.
    and = |a, b, _| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a & b),
        (Signed(a), Signed(b)) => Signed(a & b),
        (Unsigned(a), Unsigned(b)) => Unsigned(a & b),
        _ => return None,
    });
    /// The angle of the point (rhs, lhs).
    atan2 = |a, b, _| Some(match (a, b) {
        (Float(a), Float(b)) => Float(a.atan2(b)),
        (Complex(a), Complex(b)) => Complex(cm::atan2(a, b)),
        _ => return None,
    });
    /// A complex number from its parts.
    complex = |a, b, _| match (a, b) {
        (Float(re), Float(im)) => Some(Complex(Complex64::new(re, im))),
        _ => None,
    };
    /// Quotient. Integers truncate; by zero all bits are set; the smallest by -1 is itself.
    divide = |a, b, ty| Some(match (a, b) {
        (Signed(_), Signed(0)) => Signed(-1),
        (Unsigned(_), Unsigned(0)) => Unsigned(u64::MAX),
        (Signed(a), Signed(b)) => Signed(a.wrapping_div(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a / b),
        (Float(a), Float(b)) => Float(a / b),
        (Complex(a), Complex(b)) => Complex(cm::quotient(a, b, ty)),
        _ => return None,
    });
    /// The larger operand; NaN wins, -0 is below +0, booleans: or, complex: lexicographic, and part by part where neither is larger.
    maximum = |a, b, _| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a | b),
        (Signed(a), Signed(b)) => Signed(a.max(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a.max(b)),
        (Float(a), Float(b)) => Float(float_maximum(a, b)),
        (Complex(a), Complex(b)) if complex_less(b, a) => Complex(a),
        (Complex(a), Complex(b)) if complex_less(a, b) => Complex(b),
        (Complex(a), Complex(b)) => {
            Complex(Complex64::new(float_maximum(a.re, b.re), float_maximum(a.im, b.im)))
        }
        _ => return None,
    });
    /// The smaller operand; NaN wins, -0 is below +0, booleans: and, complex: lexicographic, and part by part where neither is smaller.
    minimum = |a, b, _| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a & b),
        (Signed(a), Signed(b)) => Signed(a.min(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a.min(b)),
        (Float(a), Float(b)) => Float(float_minimum(a, b)),
        (Complex(a), Complex(b)) if complex_less(a, b) => Complex(a),
        (Complex(a), Complex(b)) if complex_less(b, a) => Complex(b),
        (Complex(a), Complex(b)) => {
            Complex(Complex64::new(float_minimum(a.re, b.re), float_minimum(a.im, b.im)))
        }
        _ => return None,
    });
    /// Product; integers wrap, booleans: and.
    multiply = |a, b, ty| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a & b),
        (Signed(a), Signed(b)) => Signed(a.wrapping_mul(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a.wrapping_mul(b)),
        (Float(a), Float(b)) => Float(a * b),
        (Complex(a), Complex(b)) => Complex(cm::product(a, b, ty)),
        _ => return None,
    });
    /// Logical or bitwise or.
    or = |a, b, _| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a | b),
        (Signed(a), Signed(b)) => Signed(a | b),
        (Unsigned(a), Unsigned(b)) => Unsigned(a | b),
        _ => return None,
    });
    /// The left operand to the power of the right one.
    power = |a, b, _| Some(match (a, b) {
        (Signed(a), Signed(b)) => Signed(signed_power(a, b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(unsigned_power(a, b)),
        (Float(a), Float(b)) => Float(a.powf(b)),
        (Complex(a), Complex(b)) => Complex(cm::power(a, b)),
        _ => return None,
    });
    /// Remainder with the sign of the dividend; integer remainder by zero is the dividend.
    remainder = |a, b, _| Some(match (a, b) {
        (Signed(a), Signed(0)) => Signed(a),
        (Unsigned(a), Unsigned(0)) => Unsigned(a),
        (Signed(a), Signed(b)) => Signed(a.wrapping_rem(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a % b),
        (Float(a), Float(b)) => Float(a % b),
        _ => return None,
    });
    /// Shift to the left; by the width or more: zero.
    shift_left = |a, b, ty| {
        let shifted = shift_amount(b, ty).map_or(0, |amount| integer_bits(a, ty).unwrap_or(0) << amount);
        like(a, shifted)
    };
    /// Shift to the right with copies of the sign bit; by the width or more: all sign bits.
    shift_right_arithmetic = |a, b, ty| {
        let width = ty.bits();
        let amount = shift_amount(b, ty).unwrap_or(width - 1);
        let unused = 64 - width;
        let extended = (integer_bits(a, ty)? << unused) as i64 >> unused;
        like(a, (extended >> amount) as u64)
    };
    /// Shift to the right with zeros; by the width or more: zero.
    shift_right_logical = |a, b, ty| {
        let shifted = shift_amount(b, ty).map_or(0, |amount| integer_bits(a, ty).unwrap_or(0) >> amount);
        like(a, shifted)
    };
    /// Difference; integers wrap.
    subtract = |a, b, _| Some(match (a, b) {
        (Signed(a), Signed(b)) => Signed(a.wrapping_sub(b)),
        (Unsigned(a), Unsigned(b)) => Unsigned(a.wrapping_sub(b)),
        (Float(a), Float(b)) => Float(a - b),
        (Complex(a), Complex(b)) => Complex(a - b),
        _ => return None,
    });
    /// Logical or bitwise exclusive or.
    xor = |a, b, _| Some(match (a, b) {
        (Bool(a), Bool(b)) => Bool(a ^ b),
        (Signed(a), Signed(b)) => Signed(a ^ b),
        (Unsigned(a), Unsigned(b)) => Unsigned(a ^ b),
        _ => return None,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{BF16, C64, F32, I8, I32, I64, UI8};

    fn integers(ty: ElementType, values: &[i64]) -> Tensor {
        Tensor::of_integers(&[values.len()], ty, values)
    }

    fn check(actual: Result<Tensor>, expected: &[i64]) {
        assert_eq!(actual.unwrap().to_i64s().unwrap(), expected);
    }

    #[test]
    fn integer_division_has_no_undefined_case() {
        let a = integers(I8, &[7, -7, 7, -128, -128]);
        let b = integers(I8, &[2, 2, 0, -1, 0]);
        check(divide(&a, &b), &[3, -3, -1, -128, -1]);
        check(remainder(&a, &b), &[1, -1, 7, 0, -128]);
        let a = integers(UI8, &[200, 5]);
        let b = integers(UI8, &[7, 0]);
        check(divide(&a, &b), &[28, 255]);
        check(remainder(&a, &b), &[4, 5]);
        let min = integers(I64, &[i64::MIN]);
        check(divide(&min, &integers(I64, &[-1])), &[i64::MIN]);
    }

    #[test]
    fn shifts_past_the_width() {
        let a = integers(I8, &[-1, -128, 1, 1, 64]);
        let b = integers(I8, &[8, 100, -1, 7, 1]);
        check(shift_left(&a, &b), &[0, 0, 0, -128, -128]);
        check(shift_right_arithmetic(&a, &b), &[-1, -1, 0, 0, 32]);
        check(shift_right_logical(&a, &b), &[0, 0, 0, 0, 32]);
        let narrow = ElementType::Signed(4);
        check(shift_right_logical(&integers(narrow, &[-1]), &integers(narrow, &[1])), &[7]);
        let unsigned = shift_right_arithmetic(&integers(UI8, &[128]), &integers(UI8, &[1]));
        check(unsigned, &[192]);
    }

    #[test]
    fn sums_and_products_wrap() {
        let four = ElementType::Signed(4);
        check(add(&integers(four, &[7]), &integers(four, &[1])), &[-8]);
        check(multiply(&integers(UI8, &[16]), &integers(UI8, &[17])), &[16]);
        check(abs(&integers(I8, &[-128])), &[-128]);
        check(negate(&integers(UI8, &[1])), &[255]);
        check(
            power(&integers(I8, &[3, 2, -1, 0]), &integers(I8, &[5, -1, -3, 0])),
            &[-13, 0, -1, 1],
        );
        let bools = add(
            &Tensor::from_bools(&[2], &[true, false]),
            &Tensor::from_bools(&[2], &[true, false]),
        );
        check(bools, &[1, 0]);
    }

    #[test]
    fn bits_are_counted_within_the_width() {
        let ty = ElementType::Signed(4);
        check(count_leading_zeros(&integers(ty, &[0, 1, -1])), &[4, 3, 0]);
        check(popcnt(&integers(ty, &[-1, 5])), &[4, 2]);
        check(not(&integers(UI8, &[1])), &[254]);
    }

    #[test]
    fn maximum_knows_nan_and_signed_zero() {
        let a = Tensor::from_f32(&[3], &[f32::NAN, -0.0, 1.0]);
        let b = Tensor::from_f32(&[3], &[1.0, 0.0, f32::NAN]);
        let larger = maximum(&a, &b).unwrap().to_f64s();
        assert!(larger[0].is_nan() && larger[1].is_sign_positive() && larger[2].is_nan());
        let smaller = minimum(&a, &b).unwrap().to_f64s();
        assert!(smaller[0].is_nan() && smaller[1].is_sign_negative() && smaller[2].is_nan());
    }

    #[test]
    fn floats_are_rounded_to_their_type() {
        let x = Tensor::of_floats(&[1], BF16, &[1.0]);
        let y = Tensor::of_floats(&[1], BF16, &[0.003]);
        assert_eq!(add(&x, &y).unwrap().to_f64s(), [1.0]);
        let third = divide(&Tensor::from_f32(&[], &[1.0]), &Tensor::from_f32(&[], &[3.0]));
        assert_eq!(third.unwrap().to_f64s(), [f64::from(1.0f32 / 3.0)]);
    }

    #[test]
    fn ties_and_signs() {
        let x = Tensor::from_f32(&[4], &[2.5, -2.5, -0.0, f32::NAN]);
        assert_eq!(round_nearest_even(&x).unwrap().to_f64s()[..2], [2.0, -2.0]);
        assert_eq!(round_nearest_afz(&x).unwrap().to_f64s()[..2], [3.0, -3.0]);
        let signs = sign(&x).unwrap().to_f64s();
        assert!(signs[2] == 0.0 && signs[2].is_sign_negative() && signs[3].is_nan());
    }

    #[test]
    fn complex_results_have_the_right_type() {
        let z = complex(&Tensor::from_f32(&[1], &[3.0]), &Tensor::from_f32(&[1], &[4.0])).unwrap();
        assert_eq!(z.element_type(), C64);
        let modulus = abs(&z).unwrap();
        assert_eq!((modulus.element_type(), modulus.to_f64s()), (F32, vec![5.0]));
    }

    #[test]
    fn wrong_types_and_shapes_are_errors() {
        assert!(sine(&Tensor::from_i32(&[1], &[1])).is_err());
        assert!(add(&Tensor::from_i32(&[1], &[1]), &Tensor::from_i32(&[2], &[1, 1])).is_err());
        assert!(not(&integers(I32, &[0])).is_ok());
    }
}
