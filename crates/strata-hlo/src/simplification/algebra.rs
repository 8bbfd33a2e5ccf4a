//! Identities that hold for every number, NaN and signed zeros included.
//!
//! ```text
//! maximum(x, -inf)  minimum(x, inf)     → x        (JAX guards its reductions so)
//! x * 1   x / 1   x - 0   x + -0.0      → x        floats
//! x * 1   x + 0   x - 0                 → x        integers
//! select(true, x, y)                    → x
//! negate(negate(x))   not(not(x))       → x
//! ```
//!
//! `x + 0.0` stays: it turns -0.0 into 0.0. `x * 0` stays: it may be NaN.

use strata_ir::{Attribute, AttributeExt as _, Op, OpKind, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, patterns, splat};

patterns! {
    /// Removes a neutral constant right operand.
    NeutralRight = "neutral-right" on [Add, Subtract, Multiply, Divide, Maximum, Minimum] by neutral_right;
    /// Removes a neutral constant left operand of a commutative operation.
    NeutralLeft = "neutral-left" on [Add, Multiply, Maximum, Minimum] by neutral_left;
    /// A select with a constant condition.
    SelectOfConstant = "select-of-constant" on [Select] by select_of_constant;
    /// Two complements or negations cancel.
    Involution = "involution" on [Negate, Not] by involution;
}

/// Whether `x <kind> element` is `x` for every `x`.
pub fn is_neutral(kind: OpKind, element: Attribute<'_>) -> bool {
    let negative_zero = |value: f64| value == 0.0 && value.is_sign_negative();
    let positive_zero = |value: f64| value == 0.0 && value.is_sign_positive();
    if let Some(value) = element.as_f64() {
        return match kind {
            OpKind::Add => {
                negative_zero(value) || (value == 0.0 && strata_ir::planted("hlo-add-zero"))
            }
            OpKind::Subtract => positive_zero(value),
            OpKind::Multiply | OpKind::Divide => value == 1.0,
            OpKind::Maximum => value == f64::NEG_INFINITY,
            OpKind::Minimum => value == f64::INFINITY,
            _ => false,
        };
    }
    let neutral = match kind {
        OpKind::Add | OpKind::Subtract => 0,
        OpKind::Multiply | OpKind::Divide => 1,
        _ => return false,
    };
    element.as_i64() == Some(neutral)
}

fn replace_by_operand<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    kept: Value<'c>,
    dropped: Value<'c>,
) -> Outcome {
    let ty = op.result(0).ty();
    let is_bool = ty.element().bit_width() == Some(1);
    (!is_bool && !ty.element().is_complex()).or_decline("the elements are not real numbers")?;
    (kept.ty() == ty).or_decline("the type changes")?;
    is_neutral(op.kind(), splat(dropped)?).or_decline("the constant is not neutral")?;
    rewriter.replace(&[kept]);
    Ok(())
}

fn neutral_right<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    replace_by_operand(op, rewriter, op.operand(0), op.operand(1))
}

fn neutral_left<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    replace_by_operand(op, rewriter, op.operand(1), op.operand(0))
}

fn select_of_constant<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let condition = splat(op.operand(0))?.as_i64().or_decline("the condition is not i1")?;
    let is_true = (condition != 0) != strata_ir::planted("hlo-select");
    let chosen = op.operand(if is_true { 1 } else { 2 });
    (chosen.ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[chosen]);
    Ok(())
}

fn involution<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), op.kind())?;
    let value = inner.operand(0);
    (value.ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[value]);
    Ok(())
}
