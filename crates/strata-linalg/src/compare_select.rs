//! `compare`, `select` and `clamp`.
//!
//! Comparisons of floats are ordered (false with a NaN) but for `NE`; `TOTALORDER` compares the bits as
//! integers, so that -NaN < -inf < … < -0 < +0 < … < inf < NaN. Of complex numbers the real parts are
//! compared first, the imaginary ones on a tie.

use strata_ir::{Builder, Op, OpKind, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::word_of,
    element::{Class, narrow, widen},
    emit::{Emit as _, FloatCmp, IntCmp},
    functions::{bits_of, complex_greater, complex_max, complex_min},
    pointwise,
};

/// The lowering of comparisons and choices.
pub struct CompareSelect;

impl Lowering for CompareSelect {
    fn name(&self) -> &'static str {
        "compare-select"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Compare, OpKind::Select, OpKind::Clamp]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        pointwise::lower(op, operands, lowerer, emit)
    }
}

/// Computes one element of the result.
pub fn emit<'c>(op: Op<'c>, builder: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
    match op.kind() {
        OpKind::Compare => compare(op, builder, args[0], args[1]),
        OpKind::Select => Ok(builder.select(args[0], args[1], args[2])),
        _ => clamp(op, builder, args),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Eq,
    Ne,
    Ge,
    Gt,
    Le,
    Lt,
}

impl Direction {
    fn of(op: Op<'_>) -> Outcome<Self> {
        let word = word_of(op, "comparison_direction").unwrap_or_default();
        Ok(match word.as_str() {
            "EQ" => Self::Eq,
            "NE" => Self::Ne,
            "GE" => Self::Ge,
            "GT" => Self::Gt,
            "LE" => Self::Le,
            "LT" => Self::Lt,
            _ => return Err("the comparison direction is not known".into()),
        })
    }

    fn signed(self) -> IntCmp {
        match self {
            Self::Eq => IntCmp::Eq,
            Self::Ne => IntCmp::Ne,
            Self::Ge => IntCmp::Sge,
            Self::Gt => IntCmp::Sgt,
            Self::Le => IntCmp::Sle,
            Self::Lt => IntCmp::Slt,
        }
    }

    fn unsigned(self) -> IntCmp {
        match self {
            Self::Eq => IntCmp::Eq,
            Self::Ne => IntCmp::Ne,
            Self::Ge => IntCmp::Uge,
            Self::Gt => IntCmp::Ugt,
            Self::Le => IntCmp::Ule,
            Self::Lt => IntCmp::Ult,
        }
    }

    fn float(self) -> FloatCmp {
        match self {
            Self::Eq => FloatCmp::Oeq,
            Self::Ne => FloatCmp::Une,
            Self::Ge => FloatCmp::Oge,
            Self::Gt => FloatCmp::Ogt,
            Self::Le => FloatCmp::Ole,
            Self::Lt => FloatCmp::Olt,
        }
    }
}

fn compare<'c>(
    op: Op<'c>,
    b: &Builder<'c>,
    lhs: Value<'c>,
    rhs: Value<'c>,
) -> Outcome<Value<'c>> {
    let direction = Direction::of(op)?;
    let class = Class::of(op.operand(0).ty().element());
    match class.or_decline("the element type is not supported")? {
        Class::Bool | Class::Unsigned => Ok(b.cmpi(direction.unsigned(), lhs, rhs)),
        Class::Signed => Ok(b.cmpi(direction.signed(), lhs, rhs)),
        Class::Float if word_of(op, "compare_type").as_deref() == Some("TOTALORDER") => {
            let (lhs, rhs) = (total_order(b, lhs)?, total_order(b, rhs)?);
            Ok(b.cmpi(direction.signed(), lhs, rhs))
        }
        Class::Float => Ok(b.cmpf(direction.float(), widen(b, lhs), widen(b, rhs))),
        Class::Complex => compare_complex(direction, b, lhs, rhs),
    }
}

/// An integer whose signed order is the total order of floats: negative numbers have their magnitude
/// bits flipped.
fn total_order<'c>(b: &Builder<'c>, x: Value<'c>) -> Outcome<Value<'c>> {
    let width = x.ty().bit_width().or_decline("the operand is no number")?;
    let bits = bits_of(b, x)?;
    let last = b.int(bits.ty(), i64::from(width) - 1);
    let magnitude = b.int(bits.ty(), i64::MAX >> (64 - width));
    let sign = b.same("arith.shrsi", &[bits, last]);
    let flips = b.same("arith.andi", &[sign, magnitude]);
    Ok(b.same("arith.xori", &[bits, flips]))
}

fn compare_complex<'c>(
    direction: Direction,
    b: &Builder<'c>,
    lhs: Value<'c>,
    rhs: Value<'c>,
) -> Outcome<Value<'c>> {
    let i1 = strata_ir::bool_type(b.context);
    let pair = |name| b.op(name).operands(&[lhs, rhs]).result(i1).value();
    Ok(match direction {
        Direction::Eq => pair("complex.eq"),
        Direction::Ne => pair("complex.neq"),
        Direction::Gt => complex_greater(b, lhs, rhs)?,
        Direction::Lt => complex_greater(b, rhs, lhs)?,
        Direction::Ge => {
            let greater = complex_greater(b, lhs, rhs)?;
            let equal = pair("complex.eq");
            b.same("arith.ori", &[greater, equal])
        }
        Direction::Le => {
            let less = complex_greater(b, rhs, lhs)?;
            let equal = pair("complex.eq");
            b.same("arith.ori", &[less, equal])
        }
    })
}

/// `min(max(operand, low), high)`; the operands of `clamp` are low, operand, high.
fn clamp<'c>(op: Op<'c>, b: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
    let ty = op.result(0).ty().element();
    let class = Class::of(ty).or_decline("the element type is not supported")?;
    let (max, min) = match class {
        Class::Bool => ("arith.ori", "arith.andi"),
        Class::Signed => ("arith.maxsi", "arith.minsi"),
        Class::Unsigned => ("arith.maxui", "arith.minui"),
        Class::Float => ("arith.maximumf", "arith.minimumf"),
        Class::Complex => {
            let above = complex_max(b, &[args[1], args[0]])?;
            return complex_min(b, &[above, args[2]]);
        }
    };
    let [low, x, high] = [widen(b, args[0]), widen(b, args[1]), widen(b, args[2])];
    let above = b.same(max, &[x, low]);
    let clamped = b.same(min, &[above, high]);
    Ok(narrow(b, clamped, ty))
}
