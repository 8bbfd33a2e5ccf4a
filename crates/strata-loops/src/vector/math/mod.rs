//! Expands the functions of the `math` dialect to our own formulas.
//!
//! Before: `%y = math.exp %x : vector<16xf32>`.
//! After: additions, multiplications and shifts of `vector<16xf32>`; nothing is called.
//!
//! `docs/numerics.md` has the measured error of each function. Formats narrower than
//! `f32` go through `f32`; the rarer `f32` functions go through the formula for `f64`.

mod arc;
mod erf;
mod exp;
mod log;
mod num;
mod power;
mod rounding;
mod trig;
mod trig64;

use strata_ir::{Builder, Context, Isa, Op, Target, Type, TypeExt as _, f32_type, f64_type};

use super::emit::Emit;
pub use num::Num;

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
type Row = (&'static str, Formats, Formula);

const TABLE: &[Row] = &[
    ("math.acos", Double, One(arc::acos)),
    ("math.acosh", Double, One(log::acosh)),
    ("math.asin", Double, One(arc::asin)),
    ("math.asinh", Double, One(log::asinh)),
    ("math.atan", Double, One(arc::atan)),
    ("math.atan2", Double, Two(arc::atan2)),
    ("math.atanh", Double, One(log::atanh)),
    ("math.cbrt", Double, One(power::cbrt)),
    ("math.cos", Single, One(trig::cos)),
    ("math.cos", Wide, One(trig64::cos)),
    ("math.cosh", Both, One(exp::cosh)),
    ("math.erf", Both, One(erf::erf)),
    ("math.erfc", Both, One(erf::erfc)),
    ("math.exp", Both, One(exp::exp)),
    ("math.exp2", Both, One(exp::exp2)),
    ("math.expm1", Both, One(exp::expm1)),
    ("math.log", Both, One(log::log)),
    ("math.log10", Double, One(log::log10)),
    ("math.log1p", Both, One(log::log1p)),
    ("math.log2", Double, One(log::log2)),
    ("math.powf", Widened, Two(power::pow_single)),
    ("math.powf", Wide, Two(power::pow)),
    ("math.rsqrt", Both, One(power::rsqrt)),
    ("math.sin", Single, One(trig::sin)),
    ("math.sin", Wide, One(trig64::sin)),
    ("math.sinh", Both, One(exp::sinh)),
    ("math.tan", Single, One(trig::tan)),
    ("math.tan", Wide, One(trig64::tan)),
    ("math.tanh", Both, One(exp::tanh)),
];

/// Rounding to integers, for targets without an instruction for it.
const ROUNDING: &[Row] = &[
    ("math.ceil", Both, One(rounding::ceil)),
    ("math.floor", Both, One(rounding::floor)),
    ("math.round", Both, One(rounding::round)),
    ("math.roundeven", Both, One(rounding::round_even)),
    ("math.trunc", Both, One(rounding::truncate)),
];

/// Expands the functions in `root`, whose vectors are one-dimensional. Functions without a formula
/// in their format are left to the C library.
pub fn expand<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let calls = matches!(target.isa, Isa::Scalar | Isa::Sse2);
    let rows = if calls { [TABLE, ROUNDING].concat() } else { TABLE.to_vec() };
    for op in root.collect(|op| op.dialect() == "math") {
        let element = op.result(0).ty().element();
        let found = rows
            .iter()
            .filter(|(name, ..)| op.is(name))
            .find_map(|row| Some((row.2, computed_in(context, row.1, element)?)));
        let Some((formula, inner)) = found else { continue };
        let emit = Emit { builder: Builder::before(context, op) };
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
