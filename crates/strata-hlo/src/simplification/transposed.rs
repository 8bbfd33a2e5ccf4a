//! Operations on transposed values, in the order that the values have.
//!
//! ```text
//! reduce(f(reshape(transpose(x)))) over dimension 2  → transpose(reduce(f(reshape(x))) over dimension 1)
//! transpose(reshape(f(broadcast(x), broadcast(y))))  → reshape(f(broadcast(x), broadcast(y)))
//! ```
//! `jnp.packbits` and `jnp.unpackbits` transpose what they compute along the last dimension. A result has fewer elements than what is
//! reduced to it, and repetitions cost the same in any order.

use std::collections::HashMap;

use strata_ir::{Builder, Op, OpKind, TypeExt as _, Value, tensor};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_REORDERED_OPERATIONS;

use crate::{
    emit::Emit as _,
    layout::{
        apply::reattribute,
        ways::{Order, Place, composed, inverse, way},
    },
    pattern::{defined_by, ints, is_whole, new_splat, patterns, splat},
    simplification::concatenate_splitting::is_elementwise,
};

patterns! {
    /// A reduction of what is computed from a transposed value alone.
    ReduceOfTransposed = "reduce-of-transposed" on [Reduce] by reduce_of_transposed;
    /// A transpose of what is computed from repetitions.
    TransposeOfSpread = "transpose-of-spread" on [Transpose] by transpose_of_spread;
    /// A repetition of a transposed value.
    BroadcastOfTranspose = "broadcast-of-transpose" on [BroadcastInDim] by broadcast_of_transpose;
}

fn permutation(transpose: Op<'_>) -> Outcome<Order> {
    Ok(ints(transpose, "permutation")?.into_iter().map(|dim| dim as usize).collect())
}

/// What of a value is computed again: an operation on elements, or a reshape, of which nothing else uses the result.
fn computed<'c>(value: Value<'c>) -> Option<Op<'c>> {
    let owner = value.owner()?;
    let moves = owner.kind() == OpKind::Reshape || is_elementwise(owner.kind());
    let is_shift = matches!(
        owner.kind(),
        OpKind::ShiftLeft | OpKind::ShiftRightLogical | OpKind::ShiftRightArithmetic
    );
    let is_own = value.uses().iter().all(|(user, _)| *user == value.uses()[0].0);
    (is_own && (moves || is_shift)).then_some(owner)
}

/// The order that a value has from the transposed one that it is computed from.
fn order_of(value: Value<'_>, left: &mut usize) -> Option<Order> {
    if let Ok(transpose) = defined_by(value, OpKind::Transpose) {
        return permutation(transpose).ok().map(|order| inverse(&order));
    }
    let owner = computed(value)?;
    *left = left.checked_sub(1)?;
    owner.operands().into_iter().enumerate().find_map(|(index, operand)| {
        let order = order_of(operand, left)?;
        way(owner, Place::Operand(index), &order)?.results.pop()
    })
}

/// Whether a value has elements in that order without a transpose.
fn has(value: Value<'_>, order: &[usize], left: &mut usize) -> Outcome {
    if order.is_sorted() || splat(value).is_ok() {
        return Ok(());
    }
    let owner = value.owner().or_decline("an argument has another order")?;
    let found = || way(owner, Place::Result(0), order).or_decline("it has no such way");
    match owner.kind() {
        OpKind::Transpose => {
            let both = composed(&permutation(owner)?, order);
            both.is_sorted().or_decline("it is transposed otherwise")
        }
        OpKind::Iota => found().map(drop),
        OpKind::BroadcastInDim => {
            let is_same = found()?.operands[0].is_sorted();
            is_same.or_decline("what is repeated has another order")
        }
        _ => {
            computed(value).or_decline("it has other users, or is not an operation on elements")?;
            *left = left.checked_sub(1).or_decline("there are many operations")?;
            let operands = owner.operands().into_iter().zip(found()?.operands);
            operands.into_iter().try_for_each(|(operand, order)| has(operand, &order, left))
        }
    }
}

/// A value that [`has`] elements in that order.
fn reordered<'c>(
    b: &Builder<'c>,
    value: Value<'c>,
    order: &[usize],
    known: &mut HashMap<Value<'c>, Value<'c>>,
) -> Outcome<Value<'c>> {
    if order.is_sorted() {
        return Ok(value);
    }
    if let Some(known) = known.get(&value) {
        return Ok(*known);
    }
    let shape = value.ty().shape().or_decline("the shape is not static")?;
    let ty = tensor(&composed(&shape, order), value.ty().element());
    let new = if let Ok(element) = splat(value) {
        new_splat(b, ty, element)
    } else {
        let owner = value.owner().or_decline("an argument has another order")?;
        if owner.kind() == OpKind::Transpose {
            owner.operand(0)
        } else {
            let way = way(owner, Place::Result(0), order).or_decline("it has no such way")?;
            let operands = owner.operands().into_iter().zip(&way.operands);
            let operands: Vec<_> = operands
                .map(|(operand, order)| reordered(b, operand, order, known))
                .collect::<Outcome<_>>()?;
            let copy = b.insert(owner.clone_detached());
            for (index, operand) in operands.into_iter().enumerate() {
                copy.set_operand(index, operand);
            }
            copy.result(0).set_ty(ty);
            reattribute(b.context, copy, &way);
            copy.result(0)
        }
    };
    known.insert(value, new);
    Ok(new)
}

fn reduce_of_transposed<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    (op.operand_count() == 2).or_decline("there are several inputs")?;
    let value = op.operand(0);
    let mut left = MAX_REORDERED_OPERATIONS;
    let order =
        order_of(value, &mut left).or_decline("it is not computed from a transposed value")?;
    (!order.is_sorted()).or_decline("no dimension moves")?;
    let way = way(op, Place::Operand(0), &order).or_decline("it has no such way")?;
    has(value, &order, &mut { MAX_REORDERED_OPERATIONS })?;
    let b = rewriter.builder();
    let value = reordered(&b, value, &order, &mut HashMap::new())?;
    let copy = b.insert(op.clone_detached());
    copy.set_operand(0, value);
    let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let element = op.result(0).ty().element();
    copy.result(0).set_ty(tensor(&composed(&shape, &way.results[0]), element));
    reattribute(b.context, copy, &way);
    let mut result = copy.result(0);
    if !way.results[0].is_sorted() {
        result = b.transposed(result, &inverse(&way.results[0]));
    }
    rewriter.replace(&[result]);
    Ok(())
}

fn transpose_of_spread<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let (value, order) = (op.operand(0), permutation(op)?);
    (!order.is_sorted()).or_decline("no dimension moves")?;
    has(value, &order, &mut { MAX_REORDERED_OPERATIONS })?;
    let value = reordered(&rewriter.builder(), value, &order, &mut HashMap::new())?;
    rewriter.replace(&[value]);
    Ok(())
}

fn broadcast_of_transpose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let transpose = defined_by(op.operand(0), OpKind::Transpose)?;
    let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let dims = composed(&ints(op, "broadcast_dimensions")?, &inverse(&permutation(transpose)?));
    let value = rewriter.builder().broadcast_in_dim(transpose.operand(0), &shape, &dims);
    rewriter.replace(&[value]);
    Ok(())
}
