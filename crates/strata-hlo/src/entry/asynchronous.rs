//! Replaces asynchronous operations by synchronous ones.
//!
//! ```text
//! %f = async_start(%x) { ^bb0(%a): %0 = slice %a …; return %0 }      %0 = slice %x …
//! %y = negate %x                                                 →   %y = negate %x
//! %r = async_done(%f)
//! ```
//!
//! An exchange between devices, with other operations before its end is awaited, keeps the place of that:
//!
//! ```text
//! %f = async_start(%x) { ^bb0(%a): %0 = all_reduce %a …; return %0 } %0 = all_reduce %x …
//! %y = negate %x                                                 →   %y = negate %x
//! %r = async_done(%f)                                                %r = optimization_barrier {strata.wait} %0
//! ```
//!
//! The barrier is its operand, whatever is done with the two; later stages make it a call that waits, if the exchange is still there.

use std::collections::HashMap;

use strata_ir::{
    Builder, Context, Devices, Op, OpKind, TypeExt as _, Value, WAIT, groups_of, received,
    stablehlo, unit,
};
use strata_remarks::{Decision, Remark, remark, subject_of};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::patterns;

patterns! {
    /// What moves elements of an exchange's result does so when the exchange has ended.
    WaitBeforeMove = "wait-before-move" on [OptimizationBarrier] by wait_before_move;
    /// There is nothing to wait for where the exchange has become something else.
    WaitForNothing = "wait-for-nothing" on [OptimizationBarrier] by wait_for_nothing;
}

/// Inlines the body of each `async_start` whose future is only awaited. With `overlaps` exchanges between devices may be under way until
/// then.
pub fn run_in_order<'c>(context: &'c Context, root: Op<'c>, overlaps: bool) {
    for start in root.collect(|op| op.kind() == OpKind::AsyncStart) {
        let uses = start.result(0).uses();
        let only_waits = uses.iter().all(|(user, _)| user.kind() == OpKind::AsyncDone);
        let Some(block) = start.region(0).first_block() else { continue };
        if !only_waits || block.arg_count() != start.operand_count() {
            continue;
        }
        let exchange = exchange_of(start).filter(|_| Devices::of(start).count() > 1);
        let beside = match exchange {
            Some(_) if overlaps => operations_beside(start),
            _ => 0,
        };
        let results = inline(context, start);
        if uses.iter().any(|(done, _)| done.result_count() != results.len()) {
            continue;
        }
        if let Some(exchange) = exchange {
            note(start, exchange, beside, overlaps);
        }
        for (done, _) in uses {
            for (old, new) in done.results().into_iter().zip(&results) {
                let new = if beside > 0 { wait(context, done, *new) } else { *new };
                old.replace_all_uses_with(new);
            }
            done.erase();
        }
        start.erase();
    }
}

/// Copies the body before `start` and returns its results.
fn inline<'c>(context: &'c Context, start: Op<'c>) -> Vec<Value<'c>> {
    let block = start.body(0);
    let mut values: HashMap<_, _> = block.args().into_iter().zip(start.operands()).collect();
    Builder::before(context, start).copy_body(block, &mut values)
}

/// The exchange that the body of `start` is, and nothing else.
fn exchange_of(start: Op<'_>) -> Option<Op<'_>> {
    let [exchange, end] = start.body(0).ops()[..] else { return None };
    let may_overlap = is_overlapped(exchange.kind());
    (may_overlap && end.operands() == exchange.results()).then_some(exchange)
}

/// Whether executors may have exchanges of that kind under way.
fn is_overlapped(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::AllGather
            | OpKind::AllReduce
            | OpKind::AllToAll
            | OpKind::CollectiveBroadcast
            | OpKind::CollectivePermute
            | OpKind::CrossReplicaSum
            | OpKind::ReduceScatter
    )
}

/// How many operations are between `start` and the only place that waits for it; 0 where there is none, or several.
fn operations_beside(start: Op<'_>) -> usize {
    let [(done, _)] = start.result(0).uses()[..] else { return 0 };
    let (mut count, mut at) = (0, start.next());
    while let Some(op) = at.filter(|op| *op != done) {
        count += usize::from(op.kind() != OpKind::Constant);
        at = op.next();
    }
    // In another block than the start.
    if at.is_none() { 0 } else { count }
}

fn wait<'c>(context: &'c Context, done: Op<'c>, value: Value<'c>) -> Value<'c> {
    Builder::before(context, done)
        .op(stablehlo::OPTIMIZATION_BARRIER)
        .operand(value)
        .attr(WAIT, unit(context))
        .result(value.ty())
        .value()
}

/// Says whether an exchange is asynchronous in the object, too.
fn note(start: Op<'_>, exchange: Op<'_>, beside: usize, overlaps: bool) {
    remark(|| {
        let what = exchange.name().mnemonic();
        let groups = groups_of(exchange).unwrap_or_default();
        let members = groups.first().map_or(0, Vec::len) as u64;
        let size = |value: &Value<'_>| {
            let width = value.ty().element().byte_width().unwrap_or(0);
            received(what, members, value.ty().element_count().unwrap_or(0) * width)
        };
        Remark {
            subject: subject_of(start.location()),
            decision: Decision::Exchange {
                what: what.to_owned(),
                members,
                bytes: exchange.operands().iter().map(size).sum(),
                purpose: match (overlaps, beside) {
                    (false, _) => {
                        "async_start, which is done at once in programs whose sizes are open or whose values are split".to_owned()
                    }
                    (true, 0) => {
                        "async_start, which is done at once: nothing is between it and one async_done in its block".to_owned()
                    }
                    (true, 1) => "async_start, beside one operation".to_owned(),
                    (true, _) => format!("async_start, beside {beside} operations"),
                },
            },
        }
    });
}

/// `wait(reshape(%0))` is `reshape(wait(%0))`.
fn wait_before_move<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    op.has_attr(WAIT).or_decline("it waits for no exchange")?;
    let value = op.operand(0);
    let moved = value.owner().or_decline("the operand is an argument")?;
    let moves = matches!(moved.kind(), OpKind::Reshape | OpKind::Transpose);
    moves.or_decline("the operand is not moved")?;
    (value.uses().len() == 1 && moved.block() == op.block())
        .or_decline("the operand has other uses")?;
    let inner = moved.operand(0);
    let builder = rewriter.builder();
    let awaited = builder
        .op(stablehlo::OPTIMIZATION_BARRIER)
        .operand(inner)
        .attr(WAIT, unit(builder.context))
        .result(inner.ty())
        .value();
    let copy = moved.clone_detached();
    copy.set_operand(0, awaited);
    let results = builder.insert(copy).results();
    rewriter.replace(&results);
    Ok(())
}

fn wait_for_nothing<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    op.has_attr(WAIT).or_decline("it waits for no exchange")?;
    let value = op.operand(0);
    let is_pending = value.owner().is_some_and(|owner| {
        let is_moved = matches!(owner.kind(), OpKind::Reshape | OpKind::Transpose);
        (is_overlapped(owner.kind()) || is_moved) && value.uses().len() == 1
    });
    (!is_pending).or_decline("the exchange may be under way")?;
    rewriter.replace(&[value]);
    Ok(())
}
