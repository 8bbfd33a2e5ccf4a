//! `compare`, `select` and `clamp`.
//!
//! Comparisons of floats are ordered (false with a NaN) except `NE`; `TOTALORDER` compares the bits as
//! integers, so that -NaN < -inf < … < -0 < +0 < … < inf < NaN. Of complex numbers the real parts are
//! compared first, the imaginary ones on a tie.

use strata_ir::{
    Builder, ComparisonDirection as Direction, ComparisonType, Op, OpKind, TypeExt as _, Value,
    arith, complex,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    numbers::{
        element::{Class, narrow, widen},
        functions::{bits_of, complex_greater, complex_max, complex_min},
    },
    pointwise,
};

/// The lowering of comparisons and selects.
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

fn signed(direction: Direction) -> arith::CmpIPredicate {
    match direction {
        Direction::Eq => arith::CmpIPredicate::Eq,
        Direction::Ne => arith::CmpIPredicate::Ne,
        Direction::Ge => arith::CmpIPredicate::Sge,
        Direction::Gt => arith::CmpIPredicate::Sgt,
        Direction::Le => arith::CmpIPredicate::Sle,
        Direction::Lt => arith::CmpIPredicate::Slt,
    }
}

fn unsigned(direction: Direction) -> arith::CmpIPredicate {
    match direction {
        Direction::Eq => arith::CmpIPredicate::Eq,
        Direction::Ne => arith::CmpIPredicate::Ne,
        Direction::Ge => arith::CmpIPredicate::Uge,
        Direction::Gt => arith::CmpIPredicate::Ugt,
        Direction::Le => arith::CmpIPredicate::Ule,
        Direction::Lt => arith::CmpIPredicate::Ult,
    }
}

fn float(direction: Direction) -> arith::CmpFPredicate {
    match direction {
        Direction::Eq => arith::CmpFPredicate::Oeq,
        Direction::Ne if strata_ir::planted("linalg-compare-nan") => arith::CmpFPredicate::Ogt,
        Direction::Ne => arith::CmpFPredicate::Une,
        Direction::Ge => arith::CmpFPredicate::Oge,
        Direction::Gt => arith::CmpFPredicate::Ogt,
        Direction::Le => arith::CmpFPredicate::Ole,
        Direction::Lt => arith::CmpFPredicate::Olt,
    }
}

fn compare<'c>(op: Op<'c>, b: &Builder<'c>, lhs: Value<'c>, rhs: Value<'c>) -> Outcome<Value<'c>> {
    let direction = op.attr("comparison_direction").and_then(Direction::from_attribute);
    let direction = direction.or_decline("attribute `comparison_direction` is missing")?;
    let order = op.attr("compare_type").and_then(ComparisonType::from_attribute);
    let class = Class::of(op.operand(0).ty().element());
    match class.or_decline("the element type is not supported")? {
        Class::Unsigned if strata_ir::planted("linalg-compare-signed") => {
            Ok(b.cmpi(signed(direction), lhs, rhs))
        }
        Class::Bool | Class::Unsigned => Ok(b.cmpi(unsigned(direction), lhs, rhs)),
        Class::Signed => Ok(b.cmpi(signed(direction), lhs, rhs)),
        Class::Float if order == Some(ComparisonType::TotalOrder) => {
            let (lhs, rhs) = (total_order(b, lhs)?, total_order(b, rhs)?);
            Ok(b.cmpi(signed(direction), lhs, rhs))
        }
        Class::Float => Ok(b.cmpf(float(direction), widen(b, lhs), widen(b, rhs))),
        Class::Complex => compare_complex(direction, b, lhs, rhs),
    }
}

/// An integer whose signed order is the total order of floats: negative numbers have their magnitude
/// bits flipped.
pub fn total_order<'c>(b: &Builder<'c>, x: Value<'c>) -> Outcome<Value<'c>> {
    let width = x.ty().bit_width().or_decline("the operand is not a number")?;
    let bits = bits_of(b, x)?;
    let last = b.int(bits.ty(), i64::from(width) - 1);
    let magnitude = b.int(bits.ty(), i64::MAX >> (64 - width));
    let sign = b.same(arith::SHRSI, &[bits, last]);
    if strata_ir::planted("linalg-total-order") {
        return Ok(bits);
    }
    let flips = b.same(arith::ANDI, &[sign, magnitude]);
    Ok(b.same(arith::XORI, &[bits, flips]))
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
        Direction::Eq => pair(complex::EQ),
        Direction::Ne => pair(complex::NEQ),
        Direction::Gt => complex_greater(b, lhs, rhs)?,
        Direction::Lt => complex_greater(b, rhs, lhs)?,
        Direction::Ge => {
            let greater = complex_greater(b, lhs, rhs)?;
            let equal = pair(complex::EQ);
            b.same(arith::ORI, &[greater, equal])
        }
        Direction::Le => {
            let less = complex_greater(b, rhs, lhs)?;
            let equal = pair(complex::EQ);
            b.same(arith::ORI, &[less, equal])
        }
    })
}

/// `min(max(operand, low), high)`; the operands of `clamp` are low, operand, high.
fn clamp<'c>(op: Op<'c>, b: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
    let ty = op.result(0).ty().element();
    let class = Class::of(ty).or_decline("the element type is not supported")?;
    let (max, min) = match class {
        Class::Bool => (arith::ORI, arith::ANDI),
        Class::Signed => (arith::MAXSI, arith::MINSI),
        Class::Unsigned => (arith::MAXUI, arith::MINUI),
        Class::Float => (arith::MAXIMUMF, arith::MINIMUMF),
        Class::Complex => {
            let above = complex_max(b, &[args[1], args[0]])?;
            return complex_min(b, &[above, args[2]]);
        }
    };
    let [low, x, high] = [widen(b, args[0]), widen(b, args[1]), widen(b, args[2])];
    let (low, high) =
        if strata_ir::planted("linalg-clamp-order") { (high, low) } else { (low, high) };
    let (max, min) = if strata_ir::planted("linalg-clamp-order") { (min, max) } else { (max, min) };
    let above = b.same(max, &[x, low]);
    let clamped = b.same(min, &[above, high]);
    Ok(narrow(b, clamped, ty))
}
