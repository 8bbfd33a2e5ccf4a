//! Floats: each operation rounds once to its type.

use strata_eval::FloatType;

use super::elementwise::Binary;
use crate::{
    element::{Bits, Elem, number, rounded},
    prepare::{Unsupported, unsupported},
};

/// The operation `arith.<name>` on floats.
pub(crate) fn binary(name: &str, ty: Elem) -> Option<Binary> {
    let Elem::Float(ty) = ty else { return None };
    let f: fn(f64, f64) -> f64 = match name {
        "addf" => |a, b| a + b,
        "subf" => |a, b| a - b,
        "mulf" => |a, b| a * b,
        "divf" => |a, b| a / b,
        "remf" => |a, b| a % b,
        "maximumf" => |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { larger(a, b) },
        "minimumf" => |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { -larger(-a, -b) },
        "maxnumf" => |a, b| {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else {
                larger(a, b)
            }
        },
        "minnumf" => |a, b| {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else {
                -larger(-a, -b)
            }
        },
        _ => return None,
    };
    Some(Box::new(move |a, b| Ok(rounded(ty, f(number(ty, a), number(ty, b))))))
}

/// The larger of two numbers; negative zero is less than positive zero.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || (a == b && a.is_sign_positive()) { a } else { b }
}

/// The number with its sign flipped, also of a NaN.
pub(crate) fn negated(ty: FloatType, bits: Bits) -> Bits {
    match ty {
        FloatType::F64 | FloatType::F32 | FloatType::F16 | FloatType::BF16 => {
            bits ^ 1 << (ty.bits() - 1)
        }
        _ => rounded(ty, -number(ty, bits)),
    }
}

/// The truncated number; poison if it is out of the integer type's range.
pub(crate) fn to_integer(from: FloatType, bits: Bits, to: Elem, is_signed: bool) -> Bits {
    let value = number(from, bits).trunc();
    let width = to.bits() as i32;
    let (low, high) = if is_signed {
        (-(2_f64.powi(width - 1)), 2_f64.powi(width - 1))
    } else {
        (0.0, 2_f64.powi(width))
    };
    if value >= low && value < high { to.wrap(value as i128) } else { to.poison() }
}

/// The outcomes that each `arith.cmpf` predicate holds for: 1 for equal, 2 for greater, 4 for less, 8 for unordered.
const PREDICATES: [i64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15];

/// The comparison with the number of an `arith.cmpf` predicate.
pub(crate) fn compare(predicate: i64, ty: Elem) -> Result<Binary, Unsupported> {
    let Elem::Float(ty) = ty else { return unsupported("it compares no floats") };
    let Some(outcomes) = usize::try_from(predicate).ok().and_then(|at| PREDICATES.get(at)) else {
        return unsupported(format!("no comparison has the number {predicate}"));
    };
    Ok(Box::new(move |a, b| {
        let (a, b) = (number(ty, a), number(ty, b));
        let outcome = match a.partial_cmp(&b) {
            Some(std::cmp::Ordering::Equal) => 1,
            Some(std::cmp::Ordering::Greater) => 2,
            Some(std::cmp::Ordering::Less) => 4,
            None => 8,
        };
        Ok(Bits::from(outcomes & outcome != 0))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(name: &str, ty: FloatType, a: f64, b: f64) -> f64 {
        let f = binary(name, Elem::Float(ty)).expect("a known operation");
        number(ty, f(rounded(ty, a), rounded(ty, b)).expect("no error"))
    }

    #[test]
    fn results_are_rounded_to_their_type() {
        assert_eq!(apply("addf", FloatType::F32, 16_777_216.0, 1.0), 16_777_216.0);
        assert_eq!(apply("addf", FloatType::F64, 16_777_216.0, 1.0), 16_777_217.0);
        assert_eq!(apply("addf", FloatType::BF16, 256.0, 1.0), 256.0);
        assert_eq!(apply("divf", FloatType::F16, 1.0, 3.0), 0.333_251_953_125);
        assert_eq!(apply("remf", FloatType::F32, -7.5, 2.0), -1.5);
    }

    #[test]
    fn zeros_have_an_order_and_nan_spreads() {
        assert!(apply("maximumf", FloatType::F32, -0.0, 0.0).is_sign_positive());
        assert!(apply("maximumf", FloatType::F32, 0.0, -0.0).is_sign_positive());
        assert!(apply("minimumf", FloatType::F32, 0.0, -0.0).is_sign_negative());
        assert!(apply("minimumf", FloatType::F32, f64::NAN, 1.0).is_nan());
        assert_eq!(apply("minnumf", FloatType::F32, f64::NAN, 1.0), 1.0);
    }

    #[test]
    fn comparisons_know_the_unordered() {
        let ty = FloatType::F64;
        let test = |predicate, a, b| {
            let f = compare(predicate, Elem::Float(ty)).ok().expect("a predicate");
            f(rounded(ty, a), rounded(ty, b)).expect("no error") == 1
        };
        // oeq, ogt, olt, one, ord, ueq, une, uno, as MLIR numbers them.
        assert!(test(1, 0.0, -0.0) && !test(1, f64::NAN, f64::NAN));
        assert!(test(2, 2.0, 1.0) && !test(2, f64::NAN, 1.0));
        assert!(test(4, 1.0, 2.0) && test(6, 1.0, 2.0) && !test(6, 1.0, f64::NAN));
        assert!(test(7, 1.0, 1.0) && !test(7, 1.0, f64::NAN));
        assert!(test(8, f64::NAN, 1.0) && test(8, 1.0, 1.0) && !test(8, 1.0, 2.0));
        assert!(test(13, f64::NAN, 1.0) && test(13, 1.0, 2.0) && !test(13, 1.0, 1.0));
        assert!(test(14, f64::NAN, 1.0) && !test(14, 1.0, 1.0));
    }

    #[test]
    fn what_no_integer_is_becomes_poison() {
        let to = Elem::Int(8);
        let convert = |value, is_signed| {
            to_integer(FloatType::F32, rounded(FloatType::F32, value), to, is_signed)
        };
        assert_eq!(to.signed(convert(-128.9, true)), -128);
        assert_eq!(convert(255.0, false), 255);
        assert_eq!(convert(128.0, true), to.poison());
        assert_eq!(convert(f64::NAN, true), to.poison());
    }
}
