//! Buffers that are only copied to another are that other one.
//!
//! Before:
//! ```mlir
//! … %a …
//! memref.copy %a, %b : memref<4xf32> to memref<4xf32>
//! … %b …
//! ```
//! After: `… %b …; … %b …`, where nothing uses `%b` before the copy, nor `%a` behind it.

use std::collections::HashMap;

use strata_ir::{Block, Op, Value};

use super::{accumulators::viewed, liveness::users_of_aliases, state::STATE};

/// Forwards copies between temporaries.
pub fn between_temporaries(entry: Op<'_>) {
    for copy in plain_copies(entry) {
        let (source, target) = (copy.operand(0), copy.operand(1));
        if !is_allocation(source) || fresh(target, copy).is_none() || source.ty() != target.ty() {
            continue;
        }
        let is_own = fresh(source, copy).is_some() || is_state(source, copy);
        if is_own && last_read(source, copy) && first_write(target, copy) {
            let owner = target.owner();
            copy.erase();
            target.replace_all_uses_with(source);
            // The source may stand behind views of the target's first uses, never behind the copy.
            owner.into_iter().for_each(Op::erase);
        }
    }
}

/// Forwards copies of temporaries to outputs.
pub fn to_outputs(entry: Op<'_>) {
    for copy in plain_copies(entry) {
        let (source, target) = (copy.operand(0), copy.operand(1));
        let is_argument =
            target.block_arg().is_some_and(|(block, _)| block.parent_op() == Some(entry));
        let owner = fresh(source, copy).filter(|_| is_argument && source.ty() == target.ty());
        if let Some(owner) = owner
            && last_read(source, copy)
            && first_write(target, copy)
        {
            copy.erase();
            source.replace_all_uses_with(target);
            owner.erase();
        }
    }
}

fn plain_copies<'c>(entry: Op<'c>) -> Vec<Op<'c>> {
    entry.collect(|op| op.is("memref.copy") && op.discardable_attrs().is_empty())
}

fn is_allocation(value: Value<'_>) -> bool {
    value.owner().is_some_and(|owner| owner.is("memref.alloc") && owner.operand_count() == 0)
}

/// The allocation beside `copy` that `value` is.
fn fresh<'c>(value: Value<'c>, copy: Op<'c>) -> Option<Op<'c>> {
    value.owner().filter(|owner| is_allocation(value) && owner.block() == copy.block())
}

/// Whether `value` is the place of a state of the loop whose body `copy` stands in.
fn is_state<'c>(value: Value<'c>, copy: Op<'c>) -> bool {
    let Some(home) = copy.block() else { return false };
    home.ops().into_iter().any(|op| op.has_attr(STATE) && viewed(op.operand(1)) == value)
}

/// Whether nothing beside `copy` uses the buffer behind it, but for the end of a trip that writes it.
fn last_read<'c>(buffer: Value<'c>, copy: Op<'c>) -> bool {
    let writes_state = |user: Op<'c>| {
        user.has_attr(STATE)
            && viewed(user.operand(1)) == buffer
            && viewed(user.operand(0)) != buffer
    };
    all_users(buffer, copy, |user, place, own| place < own || writes_state(user))
}

/// Whether nothing beside `copy` uses the buffer in front of it.
fn first_write<'c>(buffer: Value<'c>, copy: Op<'c>) -> bool {
    all_users(buffer, copy, |_, place, own| place > own)
}

/// Whether `holds` for all users of the buffer but `copy`, with the places of both in the block of `copy`.
fn all_users<'c>(
    buffer: Value<'c>,
    copy: Op<'c>,
    holds: impl Fn(Op<'c>, usize, usize) -> bool,
) -> bool {
    let home = copy.block();
    let siblings = home.map(Block::ops).unwrap_or_default();
    let positions: HashMap<_, _> = siblings.into_iter().zip(0usize..).collect();
    let place = |op: Op<'c>| {
        std::iter::successors(Some(op), |op| op.parent())
            .find(|op| op.block() == home)
            .and_then(|op| positions.get(&op).copied())
    };
    let (Some(users), Some(own)) = (users_of_aliases(buffer), place(copy)) else { return false };
    users.into_iter().filter(|user| *user != copy).all(|user| match place(user) {
        Some(place) => holds(user, place, own),
        // The condition of the loop, or what is in front of or behind it: they see the state's place as before.
        None => true,
    })
}
