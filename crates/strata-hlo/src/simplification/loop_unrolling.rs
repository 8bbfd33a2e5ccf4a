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
    let (first, step, last) = counter(op)?;
    let trips = Counter::known(first, step, last)?.trips();
    (trips <= MAX_UNROLLED_TRIPS).or_decline("it has too many iterations")?;
    let trips = if strata_ir::planted("hlo-short-loop") { (trips - 1).max(0) } else { trips };
    let trips = usize::try_from(trips).map_err(|_| "it has too many iterations")?;
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

/// First value, step and end of the counter of a loop `while(i = first) cond { i < last } do { return i + step }`.
pub(super) fn counter<'c>(op: Op<'c>) -> Outcome<(Value<'c>, Value<'c>, Value<'c>)> {
    let block = |index| op.region(index).first_block().or_decline("a region is empty");
    let (condition, body) = (block(0)?, block(1)?);
    let goes_on = condition.terminator().or_decline("the condition has no terminator")?.operand(0);
    let compare = defined_by(goes_on, OpKind::Compare)?;
    let direction =
        compare.attr("comparison_direction").and_then(ComparisonDirection::from_attribute);
    (direction == Some(ComparisonDirection::Lt)).or_decline("the condition is not `<`")?;
    let (home, index) = compare.operand(0).block_arg().or_decline("no counter is compared")?;
    (home == condition).or_decline("no counter of the loop is compared")?;
    let next = body.terminator().or_decline("the body has no terminator")?.operand(index);
    let add = defined_by(next, OpKind::Add)?;
    (add.operand(0) == body.arg(index)).or_decline("the counter is not incremented")?;
    Ok((op.operand(index), add.operand(1), compare.operand(1)))
}

/// Such a counter of numbers that are known.
pub(super) struct Counter {
    first: i64,
    step: i64,
    last: i64,
}

impl Counter {
    pub(super) fn known<'c>(first: Value<'c>, step: Value<'c>, last: Value<'c>) -> Outcome<Self> {
        let number =
            |value: Value<'c>| splat(value)?.as_i64().or_decline("the counter is not an integer");
        let bits = step.ty().element().bit_width().or_decline("the counter is not an integer")?;
        let (first, step, last) = (number(first)?, number(step)?, number(last)?);
        // The same signed and unsigned, and nothing overflows.
        let limit = 1_i64 << (bits.clamp(2, 64) - 2);
        let is_right = |value: i64| (0..limit).contains(&value);
        ([first, step, last].into_iter().all(is_right) && step > 0)
            .or_decline("the counter has large or negative numbers")?;
        Ok(Self { first, step, last })
    }

    /// How often the loop runs.
    pub(super) fn trips(&self) -> i64 {
        (self.last - self.first + self.step - 1).div_euclid(self.step).max(0)
    }
}

/// Appends the operations of one iteration; returns the carried values for the next.
fn trip<'c>(builder: &Builder<'c>, body: Block<'c>, values: &[Value<'c>]) -> Vec<Value<'c>> {
    let mut known: HashMap<_, _> = body.args().into_iter().zip(values.iter().copied()).collect();
    builder.copy_body(body, &mut known)
}
