//! Unrolls loops with a small constant trip count, so that iterations are fused and the counter is folded.
//!
//! ```text
//! while(i = 0, x) cond { i < 2 } do { return i + 1, f(i, x) }   → f(1, f(0, x))
//! ```
//! Loops on scalars would gain little, and code grows: only loops that carry vectors are unrolled.

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Block, Builder, ComparisonDirection, Op, OpKind, TypeExt as _, Value,
    WalkOrder,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{
    MAX_UNROLLED_OPERATIONS, MAX_UNROLLED_TRIPS, MIN_UNROLLED_ELEMENTS,
};

use crate::{
    pattern::{defined_by, patterns, splat},
    simplification::control_flow::may_have_effects,
};

patterns! {
    /// A loop of a few iterations on vectors.
    ShortLoop = "short-loop" on [While] by short_loop;
}

fn short_loop<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let block = |index| op.region(index).first_block().or_decline("a region is empty");
    let (condition, body) = (block(0)?, block(1)?);
    let carries_vector =
        |ty: &strata_ir::Type<'c>| ty.element_count() >= Some(MIN_UNROLLED_ELEMENTS);
    op.result_types().iter().any(carries_vector).or_decline("it carries no vector")?;
    let trips = trips(op, condition, body)?;
    let mut size = 0;
    let mut is_plain = true;
    let mut look = |inner: Op<'c>| {
        size += 1;
        is_plain &= !may_have_effects(inner) && inner.kind() != OpKind::While;
    };
    for op in condition.ops().into_iter().chain(body.ops()) {
        op.walk(WalkOrder::Pre, &mut look);
    }
    is_plain.or_decline("the body has effects, or an inner loop")?;
    (size * trips <= MAX_UNROLLED_OPERATIONS).or_decline("the code would be too large")?;
    body.terminator().or_decline("the body has no terminator")?;
    let keeps_types =
        op.operands().iter().zip(op.results()).all(|(value, result)| value.ty() == result.ty());
    keeps_types.or_decline("a type changes")?;
    let builder = rewriter.builder();
    let mut values = op.operands();
    for _ in 0..trips {
        values = trip(&builder, body, &values);
    }
    rewriter.replace(&values);
    Ok(())
}

/// The trip count of a loop with constant bounds.
fn trips<'c>(op: Op<'c>, condition: Block<'c>, body: Block<'c>) -> Outcome<usize> {
    let goes_on = condition.terminator().or_decline("the condition has no terminator")?.operand(0);
    let compare = defined_by(goes_on, OpKind::Compare)?;
    let direction =
        compare.attr("comparison_direction").and_then(ComparisonDirection::from_attribute);
    (direction == Some(ComparisonDirection::Lt)).or_decline("the condition is not `<`")?;
    let (block, index) = compare.operand(0).block_arg().or_decline("no counter is compared")?;
    (block == condition).or_decline("no counter of the loop is compared")?;
    let next = body.terminator().or_decline("the body has no terminator")?.operand(index);
    let add = defined_by(next, OpKind::Add)?;
    (add.operand(0) == body.arg(index)).or_decline("the counter is not incremented")?;
    let number =
        |value: Value<'c>| splat(value)?.as_i64().or_decline("the counter is not an integer");
    let is_wide = next.ty().element().bit_width() >= Some(8);
    is_wide.or_decline("the counter may overflow")?;
    let first = number(op.operand(index))?;
    let (step, last) = (number(add.operand(1))?, number(compare.operand(1))?);
    // Small numbers only: they are the same signed and unsigned, and nothing overflows.
    let is_small = |value: i64| (0..100).contains(&value);
    (is_small(first) && is_small(last) && (1..=MAX_UNROLLED_TRIPS).contains(&step))
        .or_decline("the counter has large or negative numbers")?;
    let trips = (last - first + step - 1).div_euclid(step).max(0);
    (trips <= MAX_UNROLLED_TRIPS).or_decline("it has too many iterations")?;
    let trips = if strata_ir::planted("hlo-short-loop") { (trips - 1).max(0) } else { trips };
    usize::try_from(trips).map_err(|_| "it has too many iterations".into())
}

/// Appends the operations of one iteration; returns the carried values for the next.
fn trip<'c>(builder: &Builder<'c>, body: Block<'c>, values: &[Value<'c>]) -> Vec<Value<'c>> {
    let mut known: HashMap<_, _> = body.args().into_iter().zip(values.iter().copied()).collect();
    builder.copy_body(body, &mut known)
}
