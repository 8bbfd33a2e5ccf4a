//! Functions of `softplus(x) = log(1 + exp(x))` that need no logarithm.
//!
//! ```text
//! tanh(softplus(x))                    → n / (n + 2 q)    with e = exp(-|x|): of x >= 0 n = 1 + 2 e, q = e²; else n = e (e + 2), q = 1
//! exponential(x - softplus(x))         → logistic(x)      (its derivative, as JAX writes it, with 0 for infinities)
//! ```
//! where `softplus(x)` is one of
//! ```text
//! log_plus_one(exponential(x))   log(1 + exponential(x))   maximum(x, 0) + log_plus_one(exponential(-|x|))
//! select(x > c, x, …) for a c that tanh is 1 from on       select(x != x, x or x + 0, …)
//! ```
//! No sum cancels and nothing overflows: errors are smaller than those of the functions that are left out. Infinities, NaN and zeros
//! come out as before. Types that operations round to fewer digits keep what they round.

use strata_ir::{
    AttributeExt as _, ComparisonDirection as Is, Op, OpKind, TypeExt as _, Value, float, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{defined_by, new_splat, patterns, splat},
};

patterns! {
    /// The hyperbolic tangent of a softplus, with one exponential.
    TanhOfSoftplus = "tanh-of-softplus" on [Tanh] by tanh_of_softplus;
    /// The derivative of a softplus.
    ExponentialOfSoftplus = "exponential-of-softplus" on [Exponential] by exponential_of_softplus;
}

/// From here on `tanh` is 1 in `f64`.
const TANH_IS_ONE: f64 = 20.0;

fn is_number(value: Value<'_>, number: f64) -> bool {
    splat(value).ok().and_then(|element| element.as_f64()) == Some(number)
}

/// The other operand of a commutative operation one of whose operands is `number`.
fn beside<'c>(op: Op<'c>, number: f64) -> Option<Value<'c>> {
    let [one, two] = [op.operand(0), op.operand(1)];
    match (is_number(one, number), is_number(two, number)) {
        (_, true) => Some(one),
        (true, _) => Some(two),
        _ => None,
    }
}

/// Both operands of a comparison in this direction.
fn compared<'c>(value: Value<'c>, direction: Is) -> Option<[Value<'c>; 2]> {
    let op = defined_by(value, OpKind::Compare).ok()?;
    let is = op.attr("comparison_direction").and_then(Is::from_attribute);
    (is == Some(direction)).then(|| [op.operand(0), op.operand(1)])
}

fn argument_of(value: Value<'_>, kind: OpKind) -> Option<Value<'_>> {
    Some(defined_by(value, kind).ok()?.operand(0))
}

/// `x` of `maximum(x, 0) + log_plus_one(exponential(-|x|))`, with or without a select for NaN: right for every `x`.
fn stable(value: Value<'_>) -> Option<Value<'_>> {
    let op = value.owner()?;
    if op.kind() == OpKind::Select {
        let [one, two] = compared(op.operand(0), Is::Ne)?;
        let x = stable(op.operand(2))?;
        let chosen = op.operand(1);
        let sum = defined_by(chosen, OpKind::Add).ok();
        let is_nan = chosen == x || sum.and_then(|sum| beside(sum, 0.0)) == Some(x);
        return (one == two && one == x && is_nan).then_some(x);
    }
    let sum = defined_by(value, OpKind::Add).ok()?;
    [[0, 1], [1, 0]].into_iter().find_map(|[first, second]| {
        let x = beside(defined_by(sum.operand(first), OpKind::Maximum).ok()?, 0.0)?;
        let power = argument_of(sum.operand(second), OpKind::LogPlusOne)?;
        let negative = argument_of(power, OpKind::Exponential)?;
        let magnitude = argument_of(negative, OpKind::Negate)?;
        (argument_of(magnitude, OpKind::Abs)? == x).then_some(x)
    })
}

/// `x` of any form of softplus.
fn softplus(value: Value<'_>) -> Option<Value<'_>> {
    if let Some(x) = stable(value) {
        return Some(x);
    }
    let op = value.owner()?;
    match op.kind() {
        OpKind::LogPlusOne => argument_of(op.operand(0), OpKind::Exponential),
        OpKind::Log => {
            let sum = defined_by(op.operand(0), OpKind::Add).ok()?;
            argument_of(beside(sum, 1.0)?, OpKind::Exponential)
        }
        OpKind::Select => {
            let [x, limit] = compared(op.operand(0), Is::Gt)?;
            let is_one = splat(limit).ok()?.as_f64()? >= TANH_IS_ONE;
            (is_one && op.operand(1) == x && softplus(op.operand(2))? == x).then_some(x)
        }
        _ => None,
    }
}

/// Whether no operation rounds its result to fewer digits than `f32` has.
fn keeps_digits(op: Op<'_>) -> Outcome {
    let ty = op.result(0).ty();
    ty.has_static_shape().or_decline("the shape is not static")?;
    let is_float = ty.element().is_float_type();
    let is_wide = matches!(ty.element().bit_width(), Some(32 | 64));
    (is_float && is_wide).or_decline("results are rounded to fewer digits")
}

fn tanh_of_softplus<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    keeps_digits(op)?;
    let x = softplus(op.operand(0)).or_decline("the operand is not a softplus")?;
    let ty = op.result(0).ty();
    (x.ty() == ty).or_decline("the type changes")?;
    let b = rewriter.builder();
    let number = |value: f64| new_splat(&b, ty, float(b.context, ty.element(), value));
    let add = |x, y| b.same(stablehlo::ADD, &[x, y]);
    let times = |x, y| b.same(stablehlo::MULTIPLY, &[x, y]);
    let (one, two) = (number(1.0), number(2.0));
    let magnitude = b.same(stablehlo::NEGATE, &[b.same(stablehlo::ABS, &[x])]);
    let e = b.same(stablehlo::EXPONENTIAL, &[magnitude]);
    let is_right = b.compare(Is::Ge, x, number(0.0))?;
    let over = b.selected(is_right, add(one, add(e, e)), times(e, add(e, two)));
    let rest = b.selected(is_right, times(e, e), one);
    let under = add(over, add(rest, rest));
    rewriter.replace(&[b.same(stablehlo::DIVIDE, &[over, under])]);
    Ok(())
}

/// The value that a select keeps unless it is infinite.
fn unless_infinite(value: Value<'_>) -> Option<Value<'_>> {
    let select = defined_by(value, OpKind::Select).ok()?;
    let [kept, limit] = compared(select.operand(0), Is::Eq)?;
    let is_guard = is_number(limit, f64::INFINITY) && is_number(select.operand(1), 0.0);
    (is_guard && kept == select.operand(2)).then_some(kept)
}

fn exponential_of_softplus<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    keeps_digits(op)?;
    let difference = defined_by(op.operand(0), OpKind::Subtract)?;
    // Without these, infinity less infinity would be NaN.
    let guarded = |index| unless_infinite(difference.operand(index));
    let x = guarded(0).or_decline("an infinity is not replaced")?;
    let sum = guarded(1).or_decline("an infinity is not replaced")?;
    (stable(sum) == Some(x) && x.ty() == op.result(0).ty())
        .or_decline("the difference is not that of a number and its softplus")?;
    rewriter.replace(&[rewriter.builder().same(stablehlo::LOGISTIC, &[x])]);
    Ok(())
}
