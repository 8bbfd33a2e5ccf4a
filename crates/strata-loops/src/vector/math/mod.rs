//! Expands the functions of the `math` dialect to our own formulas.
//!
//! Before: `%y = math.exp %x : vector<16xf32>`.
//! After: additions, multiplications and shifts of `vector<16xf32>`; nothing is called.
//!
//! `docs/numerics.md` has the measured error of each function. Formats narrower than
//! `f32` go through `f32`; the rarer `f32` functions are computed in `f64`.

mod arc;
mod erf;
mod exp;
mod length;
mod log;
mod num;
mod power;
mod rounding;
mod shared;
mod single;
mod trig;
mod trig64;

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpName, ROUNDED, Type, TypeExt as _, f32_type,
    f64_type, math,
};
use strata_target::{Isa, Target};

pub use num::Num;
pub use shared::{occurs, share};

/// A formula of one or two arguments.
#[derive(Clone, Copy)]
enum Formula {
    One(for<'c> fn(Num<'c>) -> Num<'c>),
    Two(for<'c> fn(Num<'c>, Num<'c>) -> Num<'c>),
}

/// The formats of a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Formats {
    /// In `f32` and in `f64`.
    Both,
    /// In `f32` only.
    Single,
    /// In `f64`; `f32` is widened.
    Double,
    /// `f32` computed in `f64`, not `f64` itself.
    Widened,
    /// In `f64` only.
    Wide,
}

use Formats::{Both, Double, Single, Wide, Widened};
use Formula::{One, Two};

/// A row: the operation, where it computes, the formula.
type Row = (OpName<'static>, Formats, Formula);

const TABLE: &[Row] = &[
    (math::ACOS, Single, One(single::acos)),
    (math::ACOS, Wide, One(arc::acos)),
    (math::ACOSH, Single, One(single::acosh)),
    (math::ACOSH, Wide, One(log::acosh)),
    (math::ASIN, Single, One(single::asin)),
    (math::ASIN, Wide, One(arc::asin)),
    (math::ASINH, Single, One(single::asinh)),
    (math::ASINH, Wide, One(log::asinh)),
    (math::ATAN, Single, One(single::atan)),
    (math::ATAN, Wide, One(arc::atan)),
    (math::ATAN2, Single, Two(single::atan2)),
    (math::ATAN2, Wide, Two(arc::atan2)),
    (math::ATANH, Single, One(single::atanh)),
    (math::ATANH, Wide, One(log::atanh)),
    (math::CBRT, Single, One(single::cbrt)),
    (math::CBRT, Wide, One(power::cbrt)),
    (math::COS, Single, One(trig::cos)),
    (math::COS, Wide, One(trig64::cos)),
    (math::COSH, Both, One(exp::cosh)),
    (math::ERF, Both, One(erf::erf)),
    (math::ERFC, Both, One(erf::erfc)),
    (math::EXP, Both, One(exp::exp)),
    (math::EXP2, Both, One(exp::exp2)),
    (math::EXPM1, Both, One(exp::expm1)),
    (math::LOG, Both, One(log::log)),
    (math::LOG10, Double, One(log::log10)),
    (math::LOG1P, Both, One(log::log1p)),
    (math::LOG2, Double, One(log::log2)),
    (math::POWF, Widened, Two(power::pow_single)),
    (math::POWF, Wide, Two(power::pow)),
    (math::RSQRT, Both, One(power::rsqrt)),
    (math::SIN, Single, One(trig::sin)),
    (math::SIN, Wide, One(trig64::sin)),
    (math::SINH, Both, One(exp::sinh)),
    (math::TAN, Single, One(trig::tan)),
    (math::TAN, Wide, One(trig64::tan)),
    (math::TANH, Both, One(exp::tanh)),
];

/// Formulas in `f32` for results that are rounded to `bf16` and to `f16`.
const NARROW: &[(OpName<'static>, [Formula; 2])] = &[
    (math::EXP, [One(exp::exp_bf16), One(exp::exp_f16)]),
    (math::TANH, [One(exp::tanh_bf16), One(exp::tanh_f16)]),
];

/// Whether a function has formulas for results that are rounded.
pub fn is_shorter_if_rounded(op: Op<'_>) -> bool {
    NARROW.iter().any(|(name, _)| op.is(*name))
}

/// Rounding to integers, for targets without an instruction for it.
const ROUNDING: &[Row] = &[
    (math::CEIL, Both, One(rounding::ceil)),
    (math::FLOOR, Both, One(rounding::floor)),
    (math::ROUND, Both, One(rounding::round)),
    (math::ROUNDEVEN, Both, One(rounding::round_even)),
    (math::TRUNC, Both, One(rounding::truncate)),
];

/// Expands the functions in `root`, whose vectors are one-dimensional. Functions without a formula
/// in their format are left to the C library.
pub fn expand<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    if target.has_fma() {
        length::shorten(context, root);
    }
    let calls = matches!(target.isa, Isa::Scalar | Isa::Sse2);
    let rows = if calls { [TABLE, ROUNDING].concat() } else { TABLE.to_vec() };
    for op in root.collect(|op| op.dialect() == "math") {
        let element = op.result(0).ty().element();
        let found = rows
            .iter()
            .filter(|(name, ..)| op.is(*name))
            .find_map(|row| Some((row.2, computed_in(context, row.1, element)?)));
        let Some((formula, inner)) = found else { continue };
        let shorter = NARROW.iter().find(|(name, _)| op.is(*name));
        let formula = match (shorter, op.attr(ROUNDED).and_then(|bits| bits.as_i64())) {
            (Some((_, [bf16, _])), Some(8)) => *bf16,
            (Some((_, [_, f16])), Some(5)) => *f16,
            _ => formula,
        };
        let emit = Builder::before(context, op);
        let operand = |index: usize| Num::new(emit, target.has_fma(), op.operand(index)).to(inner);
        let result = match formula {
            One(formula) => formula(operand(0)),
            Two(formula) => formula(operand(0), operand(1)),
        };
        op.result(0).replace_all_uses_with(result.to(element).value);
        op.erase();
    }
}

/// The format in which a function on `element` is computed; `None` when there is no formula.
fn computed_in<'c>(context: &'c Context, formats: Formats, element: Type<'c>) -> Option<Type<'c>> {
    if !element.is_float_type() {
        return None;
    }
    let double = element == f64_type(context);
    match formats {
        Both if double => Some(f64_type(context)),
        Both => Some(f32_type(context)),
        Single => (!double).then(|| f32_type(context)),
        Double => Some(f64_type(context)),
        Widened => (!double).then(|| f64_type(context)),
        Wide => double.then(|| f64_type(context)),
    }
}
