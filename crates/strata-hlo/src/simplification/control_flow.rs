//! Constant branches, loops that do not run, and unnecessary loop-carried values.
//!
//! ```text
//! if(true) { a } { b }                             → a
//! case(1) { a } { b } { c }                        → b, the last branch for indices out of range
//! while(x) cond { false }                          → x
//! while(x, y) do { return f(x, y), y }             → while(x) do { return f(x, y) }, y
//! while(x, y) whose second result is unused      → while(x), where y only makes the next y
//! custom_call without results in use or effects    → nothing
//! reduce(x) along no dimension, of a neutral init  → x
//! ```

use std::collections::HashSet;

use strata_ir::{AttributeExt as _, Block, Builder, Op, OpKind, RegionBuilder, Value, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    pattern::{constant, ints, patterns, splat},
    simplification::algebra::is_neutral,
};

patterns! {
    /// A branch with a constant condition.
    KnownBranch = "known-branch" on [Case, If] by known_branch;
    /// A loop whose condition is false.
    LoopWithoutTrips = "loop-without-trips" on [While] by loop_without_trips;
    /// Removes loop-carried values that are invariant.
    LoopInvariant = "loop-invariant" on [While] by loop_invariant;
    /// Removes loop-carried values that are only used to compute themselves.
    DeadCarry = "dead-carry" on [While] by dead_carry;
    /// A dead call.
    DeadCall = "dead-call" on [CustomCall] by dead_call;
    /// A reduction along no dimensions.
    EmptyReduce = "reduce-nothing" on [Reduce] by empty_reduce;
}

fn known_branch<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let element = constant(op.operand(0))?.splat_value();
    let which =
        element.and_then(|element| element.as_i64()).or_decline("the branch is not known")?;
    let last = op.region_count().checked_sub(1).or_decline("there are no branches")?;
    let which = match op.kind() {
        OpKind::If => usize::from(which == 0),
        _ => usize::try_from(which).map_or(last, |which| which.min(last)),
    };
    let block = op.region(which).first_block().or_decline("the branch is empty")?;
    let returned = block.terminator().or_decline("the branch has no terminator")?;
    let values = returned.operands();
    let same = values.iter().zip(op.results()).all(|(value, result)| value.ty() == result.ty());
    same.or_decline("a type changes")?;
    let builder = rewriter.builder();
    block.ops().into_iter().filter(|inner| *inner != returned).for_each(|inner| {
        builder.adopt(inner);
    });
    rewriter.replace(&values);
    Ok(())
}

/// The two blocks of a loop: condition and body.
fn blocks<'c>(op: Op<'c>) -> Outcome<[Block<'c>; 2]> {
    let block = |index| op.region(index).first_block().or_decline("a region is empty");
    Ok([block(0)?, block(1)?])
}

fn returned<'c>(block: Block<'c>) -> Outcome<Op<'c>> {
    block.terminator().or_decline("a region has no terminator")
}

fn loop_without_trips<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let [condition, _] = blocks(op)?;
    let goes_on = splat(returned(condition)?.operand(0))?.as_i64();
    (goes_on == Some(0)).or_decline("the condition is not false")?;
    let operands = op.operands();
    let same = operands.iter().zip(op.results()).all(|(value, result)| value.ty() == result.ty());
    same.or_decline("a type changes")?;
    rewriter.replace(&operands);
    Ok(())
}

fn loop_invariant<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let [condition, body] = blocks(op)?;
    let next = returned(body)?.operands();
    let is_invariant = |index: &usize| {
        let operand = op.operand(*index);
        // Once unused, it is a dead loop-carried value.
        next[*index] == body.arg(*index)
            && operand.ty() == body.arg(*index).ty()
            && operand.ty() == op.result(*index).ty()
            && (condition.arg(*index).has_uses()
                || !body.arg(*index).has_one_use()
                || op.result(*index).has_uses())
    };
    let found: Vec<_> = (0..op.operand_count()).filter(is_invariant).collect();
    (!found.is_empty()).or_decline("every carried value changes")?;
    rewriter.modify(|op| {
        let terminator = body.terminator();
        for index in found {
            let value = op.operand(index);
            condition.arg(index).replace_all_uses_with(value);
            op.result(index).replace_all_uses_with(value);
            let argument = body.arg(index);
            argument.replace_all_uses_with(value);
            // It still carries itself.
            if let Some(terminator) = terminator {
                terminator.set_operand(index, argument);
            }
        }
    });
    Ok(())
}

/// Whether an operation without regions may have an effect, or waits for one.
pub(crate) fn may_have_effects(op: Op<'_>) -> bool {
    let communicates = matches!(
        op.kind(),
        OpKind::AllGather
            | OpKind::AllReduce
            | OpKind::AllToAll
            | OpKind::AsyncDone
            | OpKind::AsyncStart
            | OpKind::CollectiveBroadcast
            | OpKind::CollectivePermute
            | OpKind::CollectiveReduce
            | OpKind::Composite
            | OpKind::CustomCall
            | OpKind::Infeed
            | OpKind::Outfeed
            | OpKind::Recv
            | OpKind::ReduceScatter
            | OpKind::Rng
            | OpKind::Send
    );
    communicates || !matches!(op.dialect(), "stablehlo" | "chlo")
}

/// The operations of a loop's body that the given carried values depend on.
struct Live<'c> {
    values: HashSet<Value<'c>>,
    ops: HashSet<Op<'c>>,
}

impl<'c> Live<'c> {
    fn of(body: Block<'c>, last: Op<'c>, is_needed: &[bool]) -> Self {
        let mut live = Self { values: HashSet::new(), ops: HashSet::new() };
        let needed = last.operands().into_iter().zip(is_needed).filter(|(_, needed)| **needed);
        live.values.extend(needed.map(|(value, _)| value));
        for op in body.ops().into_iter().rev().filter(|op| *op != last) {
            let is_used = op.results().iter().any(|result| live.values.contains(result));
            if is_used || op.region_count() > 0 || may_have_effects(op) {
                live.ops.insert(op);
                let inner = op.collect(|_| true);
                live.values.extend(inner.into_iter().flat_map(Op::operands));
                live.values.extend(op.operands());
            }
        }
        live
    }
}

/// A region with the operations of `block` that satisfy `is_live` and the arguments in `kept`.
fn moved<'c>(
    builder: &Builder<'c>,
    block: Block<'c>,
    kept: &[usize],
    is_live: impl Fn(Op<'c>) -> bool,
    results: impl FnOnce(&[Value<'c>]) -> Vec<Value<'c>>,
) -> Outcome<RegionBuilder> {
    let old = returned(block)?;
    let types: Vec<_> = kept.iter().map(|index| block.arg(*index).ty()).collect();
    Ok(builder.region(&types, |inner, args| {
        for (index, argument) in kept.iter().zip(args) {
            block.arg(*index).replace_all_uses_with(*argument);
        }
        for op in block.ops() {
            if op != old && is_live(op) {
                inner.adopt(op);
            }
        }
        inner.op(stablehlo::RETURN).operands(&results(&old.operands())).build();
    }))
}

fn dead_carry<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let [condition, body] = blocks(op)?;
    let last = returned(body)?;
    returned(condition)?;
    let count = op.operand_count();
    let mut is_needed: Vec<_> = (0..count)
        .map(|index| op.result(index).has_uses() || condition.arg(index).has_uses())
        .collect();
    // Iterates to a fixed point.
    let live = loop {
        let live = Live::of(body, last, &is_needed);
        let added: Vec<_> = (0..count)
            .filter(|index| !is_needed[*index] && live.values.contains(&body.arg(*index)))
            .collect();
        if added.is_empty() {
            break live;
        }
        added.into_iter().for_each(|index| is_needed[index] = true);
    };
    let kept: Vec<_> = (0..count).filter(|index| is_needed[*index]).collect();
    (kept.len() < count).or_decline("every carried value is used")?;
    // A loop that carries nothing still runs.
    (!kept.is_empty()).or_decline("no carried value is used")?;
    let builder = rewriter.builder();
    let pick = |values: &[Value<'c>]| kept.iter().map(|index| values[*index]).collect::<Vec<_>>();
    let condition = moved(&builder, condition, &kept, |_| true, |values| values.to_vec())?;
    let region = moved(&builder, body, &kept, |op| live.ops.contains(&op), pick)?;
    let operands = op.operands();
    let types: Vec<_> = kept.iter().map(|index| op.result(*index).ty()).collect();
    let attributes = op.discardable_attrs();
    let new = builder.op(stablehlo::WHILE).operands(&pick(&operands)).attrs(&attributes);
    let new = new.results(&types).region(condition).region(region).build();
    // Dropped values have no uses; any value of the type can replace them.
    let mut results = new.results().into_iter();
    let values: Vec<_> = (0..count)
        .map(|index| match kept.contains(&index) {
            true => results.next().unwrap_or(operands[index]),
            false => operands[index],
        })
        .collect();
    rewriter.replace(&values);
    Ok(())
}

fn dead_call<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let effects = op.attr("has_side_effect").and_then(|flag| flag.as_bool()).unwrap_or(false);
    (!effects).or_decline("the call has side effects")?;
    (op.result_count() > 0 && op.is_unused()).or_decline("its results are used")?;
    rewriter.erase();
    Ok(())
}

fn empty_reduce<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    ints(op, "dimensions")?.is_empty().or_decline("something is reduced")?;
    (op.operand_count() == 2).or_decline("there are several inputs")?;
    let block = op.region(0).first_block().or_decline("the body is empty")?;
    let ops = block.ops();
    (ops.len() == 2).or_decline("the body is not a single operation")?;
    let args = block.args();
    let plain = ops[0].operands() == args || ops[0].operands().iter().rev().eq(args.iter());
    (plain && returned(block)?.operand(0) == ops[0].result(0)).or_decline("the body is another")?;
    is_neutral(ops[0].kind(), splat(op.operand(1))?).or_decline("the start is not neutral")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}
