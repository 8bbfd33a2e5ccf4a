//! Branches that compute the next state of a loop compute it in one buffer.
//!
//! Before:
//! ```mlir
//! %r = scf.if %c -> (memref<4xf32>) { %a = memref.alloc(); …; scf.yield %a } else { %b = memref.alloc(); …; scf.yield %b }
//! memref.copy %r, %place {strata.state}
//! ```
//! After:
//! ```mlir
//! %r = memref.alloc()
//! scf.if %c { … %r … } else { … %r … }
//! memref.copy %r, %place {strata.state}
//! ```
//! A branch that keeps the old state decides for the place itself, if the others can be computed in it.

use strata_ir::{Block, Builder, Context, Op, TypeExt as _, Value, memref};

use super::{
    accumulators::viewed,
    carried::{follows, strip},
    liveness::users_of_aliases,
    rotation::writes,
    state::allocate,
};

/// Gives one buffer to the states that branches in `body` compute, where a loop ends with `body`.
pub fn settle<'c>(context: &'c Context, body: Block<'c>) {
    for write in writes(body) {
        read_branch(body, write.copy);
        let source = write.source();
        let branch = source.owner().filter(|owner| {
            matches!(owner.name(), "scf.if" | "scf.index_switch") && owner.block() == Some(body)
        });
        let (Some(branch), Some(index)) = (branch, source.result_index()) else { continue };
        // Branches that make buffers of their own hand them on with any layout.
        let ty = write.copy.operand(1).ty();
        let is_plain = ty.has_static_shape()
            && ty.shape().is_some_and(|shape| ty == memref(&shape, ty.element()));
        let ends: Option<Vec<_>> = branch
            .regions()
            .into_iter()
            .map(|region| region.first_block().and_then(Block::terminator))
            .collect();
        let Some(ends) = ends.filter(|_| is_plain) else { continue };
        if ends.iter().any(|end| strip(end.operand(index)).ty() != ty) {
            continue;
        }
        let in_place = stays(branch, write.copy, write.place, &ends, index);
        let buffer = match in_place {
            true => write.place,
            false => allocate(&Builder::before(context, branch), ty),
        };
        for end in ends {
            let value = strip(end.operand(index));
            if value == buffer {
                continue;
            }
            match own(value, end) {
                Some(owner) => {
                    value.replace_all_uses_with(buffer);
                    owner.erase();
                }
                None => {
                    let copy = Builder::before(context, end).op("memref.copy");
                    copy.operands(&[value, buffer]).build();
                }
            }
        }
        // The branch still hands on what nobody uses; clean-up drops it.
        let Some(next) = branch.next() else { continue };
        let shown = match source.ty() == ty {
            true => buffer,
            false => {
                let cast = Builder::before(context, next).op("memref.cast");
                cast.operand(buffer).result(source.ty()).value()
            }
        };
        source.replace_all_uses_with(shown);
        write.copy.set_operand(0, buffer);
    }
}

/// Lets the copy to a state read what a branch hands on, not a buffer that only gives it another layout.
fn read_branch<'c>(body: Block<'c>, copy: Op<'c>) {
    let between = copy.operand(0);
    let Some(owner) = between.owner().filter(|owner| owner.is("memref.alloc")) else { return };
    let uses = between.uses();
    let others: Vec<_> = uses.iter().filter(|(user, _)| *user != copy).collect();
    let [(first, 1)] = others[..] else { return };
    let is_branch = |owner: Op<'c>| matches!(owner.name(), "scf.if" | "scf.index_switch");
    let source = first.operand(0);
    if first.is("memref.copy")
        && first.block() == Some(body)
        && source.owner().is_some_and(is_branch)
    {
        copy.set_operand(0, source);
        first.erase();
        owner.erase();
    }
}

/// The allocation of the branch that ends with `end` that `value` is.
fn own<'c>(value: Value<'c>, end: Op<'c>) -> Option<Op<'c>> {
    let owner = value.owner().filter(|owner| owner.is("memref.alloc"))?;
    (owner.block() == end.block() && owner.operand_count() == 0).then_some(owner)
}

/// Whether a branch keeps the content of `place`, all others can overwrite it, and nothing needs it behind them.
fn stays<'c>(
    branch: Op<'c>,
    copy: Op<'c>,
    place: Value<'c>,
    ends: &[Op<'c>],
    index: usize,
) -> bool {
    let siblings = branch.block().map(Block::ops).unwrap_or_default();
    let behind: Vec<_> = siblings.into_iter().skip_while(|op| *op != branch).skip(1).collect();
    let is_needed = |user: &Op<'c>| {
        *user != copy && behind.iter().any(|op| op.encloses(*user))
            || viewed(copy.operand(1)) != copy.operand(1)
    };
    let Some(users) = users_of_aliases(place) else { return false };
    let kept = ends.iter().filter(|end| strip(end.operand(index)) == place).count();
    kept > 0
        && !users.iter().any(is_needed)
        && ends.iter().all(|end| {
            let value = strip(end.operand(index));
            value == place || follows(value, place, *end, *end)
        })
}
