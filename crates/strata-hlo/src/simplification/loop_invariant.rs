//! Loop-invariant code motion.
//!
//! ```text
//! while(x) do { return x + sine(y) }   → z = sine(y); while(x) do { return x + z }
//! ```
//! Only operations that cost more than reading their result from memory are hoisted, with their operands:
//! additions and broadcasts are fused into the nests that use them. If the loop does not run, the hoisted work
//! is wasted.

use std::collections::HashSet;

use strata_ir::{Block, Op, OpKind, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MIN_HOISTED_ELEMENTS;

use crate::{pattern::patterns, simplification::control_flow::may_have_effects};

patterns! {
    /// A costly loop-invariant operation.
    InvariantOperation = "invariant-operation" on [While] by invariant_operation;
}

fn invariant_operation<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let body = op.region(1).first_block().or_decline("the body is empty")?;
    let invariant: Vec<_> = invariants(op, body);
    let mut wanted: HashSet<Op<'c>> = HashSet::new();
    // Backwards: the operands of a costly operation are hoisted with it.
    for candidate in invariant.iter().rev() {
        let is_large = candidate.results().iter().any(|result| {
            result.ty().element_count().is_some_and(|count| count >= MIN_HOISTED_ELEMENTS)
        });
        let feeds = candidate.results().iter().flat_map(|result| result.uses()).any(|(user, _)| {
            let chain = std::iter::successors(Some(user), |user| user.parent());
            chain.into_iter().any(|user| wanted.contains(&user))
        });
        if feeds || (is_large && is_costly(*candidate)) {
            wanted.insert(*candidate);
        }
    }
    (!wanted.is_empty()).or_decline("no costly operation is invariant")?;
    rewriter.modify(|op| {
        for inner in invariant.into_iter().filter(|inner| wanted.contains(inner)) {
            inner.move_before(op);
        }
    });
    Ok(())
}

/// The loop-invariant operations of `body` without effects, in order.
fn invariants<'c>(op: Op<'c>, body: Block<'c>) -> Vec<Op<'c>> {
    let mut found = Vec::new();
    let mut known: HashSet<Op<'c>> = HashSet::new();
    for inner in body.ops() {
        let is_outside = |value: Value<'c>| {
            let Some(home) = value.home() else { return false };
            (home == op && strata_ir::planted("hlo-invariant-state"))
                || !op.encloses(home)
                || inner.encloses(home)
                || known.contains(&home)
        };
        let nested = inner.collect(|_| true);
        let is_plain = inner.next().is_some()
            && nested.iter().all(|one| {
                // The terminator of its own region is not an effect.
                one.kind() == OpKind::Return || !may_have_effects(*one)
            })
            && !nested
                .iter()
                .any(|one| matches!(one.kind(), OpKind::While | OpKind::RngBitGenerator));
        if is_plain && nested.iter().flat_map(|one| one.operands()).all(is_outside) {
            known.insert(inner);
            found.push(inner);
        }
    }
    found
}

/// Whether an operation costs more than reading its result.
fn is_costly(op: Op<'_>) -> bool {
    matches!(
        op.kind(),
        OpKind::Atan2
            | OpKind::Cbrt
            | OpKind::Cholesky
            | OpKind::Convolution
            | OpKind::Cosine
            | OpKind::Divide
            | OpKind::DotGeneral
            | OpKind::Exponential
            | OpKind::ExponentialMinusOne
            | OpKind::Fft
            | OpKind::Gather
            | OpKind::Log
            | OpKind::LogPlusOne
            | OpKind::Logistic
            | OpKind::Power
            | OpKind::Reduce
            | OpKind::ReduceWindow
            | OpKind::Remainder
            | OpKind::Rsqrt
            | OpKind::Scatter
            | OpKind::Sine
            | OpKind::Sort
            | OpKind::Sqrt
            | OpKind::Tan
            | OpKind::Tanh
            | OpKind::Transpose
            | OpKind::TriangularSolve
    )
}
