//! Buffers that loops carry become fixed buffers.
//!
//! Bufferization may let a loop yield a buffer that one iteration allocated. A static plan cannot
//! hold that, so each such buffer gets one place in front of the loop, and the yielded content is
//! copied there.
//!
//! Before:
//! ```mlir
//! %r = scf.for … iter_args(%a = %init) -> (memref<4xf32>) {
//!   %new = memref.alloc() : memref<4xf32>
//!   …
//!   scf.yield %new : memref<4xf32>
//! }
//! ```
//! After (`%r` and `%a` are replaced by `%fixed`, canonicalization drops what is unused):
//! ```mlir
//! %fixed = memref.alloc() : memref<4xf32>
//! memref.copy %init, %fixed
//! %r = scf.for … iter_args(%a = %fixed) -> (memref<4xf32>) {
//!   %new = memref.alloc() : memref<4xf32>
//!   …
//!   memref.copy %new, %fixed
//!   scf.yield %fixed : memref<4xf32>
//! }
//! ```

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt, Block, Builder, Context, Op, Type, TypeExt as _, Value, diagnostic_at, int,
    integer, memref,
};

use super::{accumulators::viewed, liveness::users_of_aliases};
use crate::maps::Map;

/// Settles every loop in `root`.
///
/// # Errors
/// `S9002` for a carried buffer without a static shape.
pub fn settle<'c>(context: &'c Context, root: Op<'c>) -> Result<(), Diagnostic> {
    // Inner loops first would leave outer ones that look at allocations already moved.
    for op in root.collect(|op| matches!(op.name(), "scf.for" | "scf.while")) {
        if op.is("scf.for") { settle_for(context, op)? } else { settle_while(context, op)? }
    }
    Ok(())
}

fn settle_for<'c>(context: &'c Context, op: Op<'c>) -> Result<(), Diagnostic> {
    const BOUNDS: usize = 3;
    let body = op.body(0);
    let Some(end) = body.terminator() else { return Ok(()) };
    let mut copies = Vec::new();
    for index in 0..op.result_count() {
        let (carried, result) = (body.arg(1 + index), op.result(index));
        if !carried.ty().is_memref_type() {
            continue;
        }
        let place = if handed_through(end.operand(index)) == carried {
            op.operand(BOUNDS + index)
        } else {
            let fixed = fixed_place(context, op, BOUNDS + index)?;
            copies.push((end.operand(index), fixed));
            cast(&Builder::before(context, op), fixed, carried.ty())
        };
        carried.replace_all_uses_with(place);
        result.replace_all_uses_with(place);
        op.set_operand(BOUNDS + index, place);
        end.set_operand(index, place);
    }
    // An argument yielded in another position was replaced above.
    let copies = copies
        .into_iter()
        .map(|(value, fixed)| match value.block_arg() {
            Some((block, index)) if block == body && index > 0 => {
                (op.operand(BOUNDS + index - 1), fixed)
            }
            _ => (value, fixed),
        })
        .collect();
    copy_at_end(context, op, end, copies)
}

fn settle_while<'c>(context: &'c Context, op: Op<'c>) -> Result<(), Diagnostic> {
    let (before, after) = (op.body(0), op.body(1));
    let (Some(condition), Some(end)) = (before.terminator(), after.terminator()) else {
        return Ok(());
    };
    let front = Builder::before(context, op);
    let mut copies = Vec::new();
    for index in 0..op.operand_count() {
        let carried = before.arg(index);
        if !carried.ty().is_memref_type() {
            continue;
        }
        let fixed = fixed_place(context, op, index)?;
        copies.push((end.operand(index), fixed));
        let place = cast(&front, fixed, carried.ty());
        carried.replace_all_uses_with(place);
        op.set_operand(index, place);
        end.set_operand(index, place);
    }
    for index in 0..op.result_count() {
        let (passed, argument) = (condition.operand(1 + index), after.arg(index));
        if !argument.ty().is_memref_type() {
            continue;
        }
        let mut source = strip(passed);
        if let Some(owner) = source.owner().filter(|owner| op.encloses(*owner)) {
            if owner.is("memref.alloc") && owner.operand_count() == 0 {
                owner.move_before(op);
            } else {
                let fixed = allocate(context, op, argument.ty())?;
                copy(&Builder::before(context, condition), source, fixed);
                source = fixed;
            }
        }
        let place = cast(&front, source, argument.ty());
        argument.replace_all_uses_with(place);
        op.result(index).replace_all_uses_with(place);
        condition.set_operand(1 + index, place);
    }
    // The values passed on were replaced above, in the list of copies too.
    let copies = copies
        .into_iter()
        .map(|(value, fixed)| match value.block_arg() {
            Some((block, index)) if block == after => (condition.operand(1 + index), fixed),
            _ => (value, fixed),
        })
        .collect();
    copy_at_end(context, op, end, copies)
}

/// The buffer that holds operand `index` of `op` from now on: the operand itself when it is an
/// allocation made for the loop, a new one with the operand's content otherwise.
fn fixed_place<'c>(
    context: &'c Context,
    op: Op<'c>,
    index: usize,
) -> Result<Value<'c>, Diagnostic> {
    let initial = op.operand(index);
    let source = strip(initial);
    if is_own(source, op) {
        return Ok(source);
    }
    let fixed = allocate(context, op, initial.ty())?;
    copy(&Builder::before(context, op), initial, fixed);
    Ok(fixed)
}

/// Whether `buffer` is an allocation beside `op` that nothing but `op` uses from there on.
fn is_own(buffer: Value<'_>, op: Op<'_>) -> bool {
    let Some(owner) = buffer.owner().filter(|owner| owner.is("memref.alloc")) else {
        return false;
    };
    if owner.block() != op.block() {
        return false;
    }
    let siblings = op.block().map(Block::ops).unwrap_or_default();
    let earlier: Vec<Op<'_>> = siblings.into_iter().take_while(|one| *one != op).collect();
    let mut handed_over = 0;
    let harmless = buffer.uses().into_iter().all(|(user, _)| {
        if user == op {
            handed_over += 1;
            return true;
        }
        earlier.iter().any(|one| one.encloses(user))
            && !user.results().iter().any(|result| result.ty().is_memref_type())
            && !matches!(user.name(), "scf.yield" | "scf.condition")
    });
    harmless && handed_over == 1
}

/// Copies the yielded contents to their places, as if all at once.
fn copy_at_end<'c>(
    context: &'c Context,
    op: Op<'c>,
    end: Op<'c>,
    copies: Vec<(Value<'c>, Value<'c>)>,
) -> Result<(), Diagnostic> {
    let builder = Builder::before(context, end);
    let mut direct = Vec::new();
    let several = copies.len() > 1;
    // A view of a place is copied at the end too, when the place must still hold the old content.
    let roots: Vec<_> = copies.iter().map(|(value, _)| viewed(*value)).collect();
    for (value, fixed) in copies {
        let source = strip(value);
        if source == fixed {
            continue;
        }
        let is_alone = roots.iter().filter(|one| **one == source || **one == fixed).count() == 1;
        if is_alone && follows(source, fixed, end, end) {
            let Some(owner) = source.owner() else { continue };
            source.replace_all_uses_with(fixed);
            owner.erase();
            continue;
        }
        let fresh =
            source.owner().is_some_and(|owner| owner.is("memref.alloc") && op.encloses(owner));
        if several && !fresh {
            // The source may be another place that is written first.
            let saved = allocate(context, op, fixed.ty())?;
            copy(&builder, source, saved);
            direct.push((saved, fixed));
        } else {
            direct.push((source, fixed));
        }
    }
    for (source, fixed) in direct {
        copy(&builder, source, fixed);
    }
    Ok(())
}

/// Whether an operation reads each element of `fixed` for just the same element of `fresh`.
fn is_pointwise<'c>(op: Op<'c>, fresh: Value<'c>, fixed: Value<'c>) -> bool {
    let maps = op.attr("indexing_maps").and_then(AttributeExt::as_array);
    let (true, Some(maps)) = (op.is("linalg.generic"), maps) else { return false };
    let is_identity = |index: usize| {
        maps.get(index).copied().and_then(Map::read).is_some_and(|map| map.is_identity())
    };
    let operands = op.operands();
    // Views of either are operands of another type, or of the same with another offset.
    let is_view = |value: &Value<'c>| {
        value.owner().is_some_and(|owner| owner.dialect() == "memref" && !owner.is("memref.alloc"))
    };
    let is_direct = |place: Value<'c>| {
        (0..operands.len()).all(|index| operands[index] != place || is_identity(index))
            && operands.contains(&place)
    };
    op.collect(|inner| inner.dialect() == "memref").is_empty()
        && !operands.iter().any(|value| *value != fixed && is_view(value))
        && is_direct(fresh)
        && is_direct(fixed)
}

/// Whether `fresh` is an allocation of the body that ends in `end` and nothing touches it before the last
/// operation that touches `fixed`, or only one that goes element by element: then it may be the same memory.
/// The copy from one to the other does not count.
pub(super) fn follows<'c>(fresh: Value<'c>, fixed: Value<'c>, end: Op<'c>, copy: Op<'c>) -> bool {
    let Some(body) = end.block() else { return false };
    let is_allocation = |owner: &Op<'c>| owner.is("memref.alloc") && owner.operand_count() == 0;
    let owner = fresh.owner().filter(is_allocation);
    if owner.and_then(Op::block) != Some(body) || fresh.ty() != fixed.ty() {
        return false;
    }
    let places: HashMap<_, _> = body.ops().into_iter().zip(0usize..).collect();
    let place = |op: Op<'c>| {
        std::iter::successors(Some(op), |op| op.parent())
            .find(|op| op.block() == Some(body))
            .and_then(|op| places.get(&op).copied())
    };
    // The end of the body hands `fixed` on; it does not touch the content.
    let touched = |value: Value<'c>| {
        let users =
            users_of_aliases(value)?.into_iter().filter(|user| *user != end && *user != copy);
        Some(users.filter_map(place).collect::<Vec<_>>())
    };
    let (Some(early), Some(late)) = (touched(fixed), touched(fresh)) else { return false };
    match (early.iter().max(), late.iter().min()) {
        (Some(early), Some(late)) if early == late => {
            body.ops().get(*late).is_some_and(|op| is_pointwise(*op, fresh, fixed))
        }
        (Some(early), Some(late)) => early < late,
        (None, _) => true,
        (_, None) => false,
    }
}

fn allocate<'c>(context: &'c Context, op: Op<'c>, ty: Type<'c>) -> Result<Value<'c>, Diagnostic> {
    let shape = ty.shape().filter(|_| ty.has_static_shape()).ok_or_else(|| {
        diagnostic_at(codes::S9002, op)
            .reason(format!("the loop carries a buffer of type `{ty}`, which has no fixed size"))
    })?;
    Ok(Builder::before(context, op)
        .op("memref.alloc")
        .result(memref(&shape, ty.element()))
        .attr("alignment", int(integer(context, 64), 64))
        .attr("operandSegmentSizes", strata_ir::i32s(context, &[0, 0]))
        .value())
}

fn copy<'c>(builder: &Builder<'c>, source: Value<'c>, target: Value<'c>) {
    builder.op("memref.copy").operands(&[source, target]).build();
}

fn cast<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if value.ty() == ty {
        return value;
    }
    builder.op("memref.cast").operand(value).result(ty).value()
}

/// The buffer that `value` is when inner loops and branches only hand it through: loops write into
/// what they carry and yield it, branches write into one buffer and yield it on both sides.
fn handed_through(value: Value<'_>) -> Value<'_> {
    const BOUNDS: usize = 3;
    let value = strip(value);
    let (Some(inner), Some(index)) = (value.owner(), value.result_index()) else { return value };
    if inner.is("scf.if") {
        let yielded = |region: usize| {
            let end = inner.regions().get(region)?.first_block()?.terminator()?;
            Some(handed_through(end.operand(index)))
        };
        return match (yielded(0), yielded(1)) {
            (Some(yes), Some(no)) if yes == no => yes,
            _ => value,
        };
    }
    if !inner.is("scf.for") {
        return value;
    }
    let body = inner.body(0);
    let yielded = body.terminator().map(|end| handed_through(end.operand(index)));
    match yielded == Some(body.arg(1 + index)) {
        true => handed_through(inner.operand(BOUNDS + index)),
        false => value,
    }
}

/// The buffer behind casts.
pub(super) fn strip(mut value: Value<'_>) -> Value<'_> {
    while let Some(owner) = value.owner().filter(|owner| owner.is("memref.cast")) {
        value = owner.operand(0);
    }
    value
}
