//! `math`: functions in double precision, rounded to their type, so that narrower results are nearly always correctly rounded.

use strata_eval::FloatType;
use strata_ir::Op;

use super::{
    elementwise::{binary, ternary, unary},
    unknown,
};
use crate::{
    element::{Bits, Elem, fused, number, rounded},
    prepare::{Prepared, Preparer, elem},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let name = op.name().mnemonic();
    match elem(op.operand(0).ty())? {
        Elem::Float(ty) => float(p, op, name, ty),
        ty @ (Elem::Int(_) | Elem::Index) => integer(p, op, name, ty),
        Elem::Complex(_) => unknown(),
    }
}

fn float<'c>(p: &mut Preparer<'c>, op: Op<'c>, name: &str, ty: FloatType) -> Prepared {
    if let Some(f) = function(name) {
        return unary(p, op, Box::new(move |x| Ok(rounded(ty, f(number(ty, x))))));
    }
    if let Some(test) = test(name) {
        return unary(p, op, Box::new(move |x| Ok(Bits::from(test(number(ty, x))))));
    }
    let sign = 1 << (ty.bits() - 1);
    match name {
        "absf" => unary(p, op, Box::new(move |x| Ok(absolute(ty, x)))),
        "copysign" => binary(p, op, Box::new(move |x, y| Ok(absolute(ty, x) | y & sign))),
        "atan2" => pair(p, op, ty, libm::atan2),
        "powf" => pair(p, op, ty, libm::pow),
        "fma" => ternary(
            p,
            op,
            Box::new(move |a, b, c| {
                Ok(rounded(ty, fused(ty, number(ty, a), number(ty, b), number(ty, c))))
            }),
        ),
        _ => unknown(),
    }
}

fn pair<'c>(p: &mut Preparer<'c>, op: Op<'c>, ty: FloatType, f: fn(f64, f64) -> f64) -> Prepared {
    binary(p, op, Box::new(move |x, y| Ok(rounded(ty, f(number(ty, x), number(ty, y))))))
}

/// The bits without a sign; formats that encode NaN as negative zero keep it.
fn absolute(ty: FloatType, bits: Bits) -> Bits {
    match ty {
        FloatType::F64 | FloatType::F32 | FloatType::F16 | FloatType::BF16 => {
            bits & !(1 << (ty.bits() - 1))
        }
        _ => rounded(ty, number(ty, bits).abs()),
    }
}

fn function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "acos" => libm::acos,
        "acosh" => libm::acosh,
        "asin" => libm::asin,
        "asinh" => libm::asinh,
        "atan" => libm::atan,
        "atanh" => libm::atanh,
        "cbrt" => libm::cbrt,
        "ceil" => f64::ceil,
        "cos" => libm::cos,
        "cosh" => libm::cosh,
        "erf" => libm::erf,
        "erfc" => libm::erfc,
        "exp" => libm::exp,
        "exp2" => libm::exp2,
        "expm1" => libm::expm1,
        "floor" => f64::floor,
        "log" => libm::log,
        "log10" => libm::log10,
        "log1p" => libm::log1p,
        "log2" => libm::log2,
        "round" => f64::round,
        "roundeven" => f64::round_ties_even,
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "sin" => libm::sin,
        "sinh" => libm::sinh,
        "sqrt" => f64::sqrt,
        "tan" => libm::tan,
        "tanh" => libm::tanh,
        "trunc" => f64::trunc,
        _ => return None,
    })
}

fn test(name: &str) -> Option<fn(f64) -> bool> {
    Some(match name {
        "isfinite" => f64::is_finite,
        "isinf" => f64::is_infinite,
        "isnan" => f64::is_nan,
        _ => return None,
    })
}

fn integer<'c>(p: &mut Preparer<'c>, op: Op<'c>, name: &str, ty: Elem) -> Prepared {
    let bits = ty.bits();
    match name {
        "absi" => unary(p, op, Box::new(move |x| Ok(ty.wrap(i128::from(ty.signed(x)).abs())))),
        "ctpop" => unary(p, op, Box::new(|x| Ok(x.count_ones().into()))),
        "ctlz" => unary(p, op, Box::new(move |x| Ok((x.leading_zeros() - (128 - bits)).into()))),
        "cttz" => unary(p, op, Box::new(move |x| Ok(x.trailing_zeros().min(bits).into()))),
        _ => unknown(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_what_their_names_say() {
        let at = |name, x| function(name).expect("known")(x);
        assert_eq!(at("round", 2.5), 3.0);
        assert_eq!(at("roundeven", 2.5), 2.0);
        assert_eq!(at("rsqrt", 4.0), 0.5);
        assert_eq!(at("cbrt", -27.0), -3.0);
        assert_eq!(at("exp2", 10.0), 1024.0);
        assert!((at("erf", 0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
        assert!((at("log1p", 1e-10) - 9.999_999_999_5e-11).abs() < 1e-24);
        assert!(function("sinpi").is_none());
    }

    #[test]
    fn signs_are_bits() {
        let ty = FloatType::F32;
        let nan = Bits::from(f32::NAN.to_bits());
        assert_eq!(absolute(ty, nan | 1 << 31), nan);
        assert_eq!(number(ty, absolute(ty, rounded(ty, -0.0))).to_bits(), 0);
    }
}
