//! Operations with equal operands, or with an absorbing or neutral one.
//!
//! ```text
//! and(x, x), or(x, x), maximum(x, x), minimum(x, x)  → x
//! subtract(x, x), xor(x, x)                          → 0      integers and booleans
//! and(x, 0), multiply(x, 0)                          → 0      integers and booleans
//! and(x, all ones), or(x, 0), xor(x, 0)              → x
//! or(x, all ones)                                    → all ones
//! shift(x, 0)                                        → x
//! compare EQ, GE, LE (x, x) → true;  NE, GT, LT      → false  integers and booleans
//! select(c, x, x)                                    → x
//! select(not(c), x, y)                               → select(c, y, x)
//! select(c, true, false)                             → c      c of the result's shape
//! convert(convert(x)) whose first step loses nothing → convert(x)
//! real(complex(x, y)), imag(complex(x, y))           → x, y
//! complex(real(z), imag(z))                          → z
//! ```
//!
//! Floats differ: `x - x` may be NaN, and so may `x * 0`; NaN is not equal to itself.

use strata_ir::{AttributeExt as _, ComparisonDirection, Op, OpKind, Type, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{defined_by, patterns, splat},
    simplification::elements::{Element, Kind, constant_of},
};

patterns! {
    /// Both operands are one value.
    SameOperands = "same-operands" on [And, Maximum, Minimum, Or, Subtract, Xor] by same_operands;
    /// A constant that absorbs the other operand, or keeps it.
    AbsorbingOperand = "absorbing-operand" on [And, Multiply, Or, Xor] by absorbing;
    /// A shift by zero.
    ShiftByZero = "shift-by-zero" on [ShiftLeft, ShiftRightArithmetic, ShiftRightLogical] by shift_by_zero;
    /// A value compared with itself.
    CompareOfSame = "compare-of-same" on [Compare] by compare_of_same;
    /// A select with a known outcome, or that equals its condition.
    SelectOfSame = "select-of-same" on [Select] by select_of_same;
    /// A select with a negated condition.
    SelectByNot = "select-by-not" on [Select] by select_by_not;
    /// Two conversions of which the first is lossless.
    ConvertOfConvert = "convert-of-convert" on [Convert] by convert_of_convert;
    /// The real or imaginary part of a `complex`.
    PartOfComplex = "part-of-complex" on [Imag, Real] by part_of_complex;
    /// A `complex` of the parts of one number.
    ComplexOfParts = "complex-of-parts" on [Complex] by complex_of_parts;
}

fn replace_by<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>, value: Value<'c>) -> Outcome {
    (value.ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[value]);
    Ok(())
}

fn integer_kind(ty: Type<'_>) -> Outcome<Kind> {
    let kind = Kind::of(ty.element()).or_decline("the elements are not real numbers")?;
    (!kind.is_float() || strata_ir::planted("hlo-float-minus-itself"))
        .or_decline("the elements are floats")?;
    Ok(kind)
}

/// All bits clear, or all set.
fn filled<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>, ones: bool) -> Outcome {
    let ty = op.result(0).ty();
    ty.has_static_shape().or_decline("the shape is not static")?;
    let kind = integer_kind(ty)?;
    let element = match kind {
        Kind::Bool => Element::Bool(ones),
        _ => Element::Int(if ones { -1 } else { 0 }),
    };
    let element = kind.fit(element).or_decline("the elements are not integers")?;
    let value = constant_of(&rewriter.builder(), ty, &[element], true)?;
    rewriter.replace(&[value]);
    Ok(())
}

fn same_operands<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand(0) == op.operand(1)).or_decline("the operands differ")?;
    match op.kind() {
        OpKind::Subtract | OpKind::Xor => filled(op, rewriter, false),
        _ => replace_by(op, rewriter, op.operand(0)),
    }
}

fn absorbing<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let kind = integer_kind(op.result(0).ty())?;
    let bits = kind.bits();
    for (value, other) in [(op.operand(1), op.operand(0)), (op.operand(0), op.operand(1))] {
        let Some(constant) = splat(value).ok().and_then(|element| element.as_i64()) else {
            continue;
        };
        // `true` reads as 1 or as -1.
        let is_zero = constant == 0;
        let is_ones = match kind {
            Kind::Bool => !is_zero,
            Kind::Unsigned(_) => constant as u64 == u64::MAX >> (64 - bits),
            _ => constant == -1,
        };
        match op.kind() {
            OpKind::And | OpKind::Multiply if is_zero => return filled(op, rewriter, false),
            OpKind::Or if is_ones => return filled(op, rewriter, true),
            OpKind::And if is_ones => return replace_by(op, rewriter, other),
            OpKind::Multiply if kind == Kind::Bool => return replace_by(op, rewriter, other),
            OpKind::Or | OpKind::Xor if is_zero => return replace_by(op, rewriter, other),
            _ => {}
        }
    }
    Err("no operand is a constant of this effect".into())
}

fn shift_by_zero<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let by = splat(op.operand(1))?.as_i64();
    (by == Some(0)).or_decline("the shift moves bits")?;
    replace_by(op, rewriter, op.operand(0))
}

fn compare_of_same<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand(0) == op.operand(1)).or_decline("the operands differ")?;
    integer_kind(op.operand(0).ty())?;
    let direction = op.attr("comparison_direction");
    let direction = direction.and_then(ComparisonDirection::from_attribute);
    use ComparisonDirection::{Eq, Ge, Le};
    let holds = matches!(direction.or_decline("the direction is missing")?, Eq | Ge | Le);
    filled(op, rewriter, holds)
}

fn select_of_same<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let [condition, yes, no] = [op.operand(0), op.operand(1), op.operand(2)];
    if yes == no {
        return replace_by(op, rewriter, yes);
    }
    (condition.ty() == op.result(0).ty()).or_decline("the operands differ")?;
    let known = |value| splat(value).ok().and_then(|element| element.as_i64());
    let (yes, no) = (known(yes), known(no));
    let is_condition = yes.is_some_and(|yes| yes != 0) && no == Some(0);
    is_condition.or_decline("the select is not between true and false")?;
    replace_by(op, rewriter, condition)
}

fn select_by_not<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let not = defined_by(op.operand(0), OpKind::Not)?;
    let select = rewriter.builder().selected(not.operand(0), op.operand(2), op.operand(1));
    replace_by(op, rewriter, select)
}

/// Whether every number of the first kind is one of the second.
fn is_lossless(from: Kind, to: Kind) -> bool {
    // Digits of a float, the leading one included.
    let digits = |kind| match kind {
        Kind::Bf16 => 8,
        Kind::F16 => 11,
        Kind::F32 => 24,
        _ => 53,
    };
    match (from, to) {
        (Kind::Bool, _) => to != Kind::Bool,
        (Kind::Signed(bits), Kind::Signed(wide)) => wide >= bits,
        (Kind::Unsigned(bits), Kind::Unsigned(wide)) => wide >= bits,
        (Kind::Unsigned(bits), Kind::Signed(wide)) => wide > bits,
        (Kind::F16 | Kind::Bf16, Kind::F32 | Kind::F64) | (Kind::F32, Kind::F64) => true,
        // f16 ends at 65504, the others beyond every integer.
        (Kind::Signed(bits) | Kind::Unsigned(bits), to) if to.is_float() => {
            bits <= digits(to) && (to != Kind::F16 || bits < 16)
        }
        _ => false,
    }
}

fn convert_of_convert<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), OpKind::Convert)?;
    let source = inner.operand(0);
    let kind =
        |ty: Type<'c>| Kind::of(ty.element()).or_decline("the elements are not real numbers");
    let (from, between) = (kind(source.ty())?, kind(op.operand(0).ty())?);
    kind(op.result(0).ty())?;
    is_lossless(from, between).or_decline("the first conversion may lose something")?;
    let value = rewriter.builder().converted(source, op.result(0).ty().element());
    replace_by(op, rewriter, value)
}

fn part_of_complex<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let whole = defined_by(op.operand(0), OpKind::Complex)?;
    let part = whole.operand(usize::from(op.kind() == OpKind::Imag));
    replace_by(op, rewriter, part)
}

fn complex_of_parts<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let re = defined_by(op.operand(0), OpKind::Real)?;
    let im = defined_by(op.operand(1), OpKind::Imag)?;
    (re.operand(0) == im.operand(0)).or_decline("the parts are of two different numbers")?;
    replace_by(op, rewriter, re.operand(0))
}
