//! What a body without some of its writes no longer needs: operations, and what loops carry only for themselves.

use std::collections::HashSet;

use strata_ir::{
    Block, Builder, Context, Op, RegionBuilder, Value, View as _, affine, constant_index, memref,
    scf, vector,
};

use super::is_plain;

/// Erases it. All operations in the body are loops, accesses of buffers, or compute values only.
pub fn erase<'c>(context: &'c Context, body: Block<'c>) {
    let used = used(body);
    let mut dropped = Vec::new();
    // Inner ones first: what is carried around them has no use in them then.
    for each in ops(body).into_iter().filter(|op| op.is(scf::FOR)).rev() {
        dropped.extend(without_unused(context, each, &used));
    }
    for op in ops(body).into_iter().rev() {
        let is_read = matches!(op.name(), vector::TRANSFER_READ | memref::LOAD);
        let is_empty = op.is(scf::FOR) && op.body(0).ops().len() == 1;
        if op.is_unused() && (is_read || is_plain(op) || is_empty) {
            op.erase();
        }
    }
    for (block, position) in dropped {
        block.erase_arg(position);
    }
}

/// Erases temporaries of `entry` that are only written: masks of what is never beyond an end.
pub fn buffers(entry: Op<'_>) {
    let workspace = entry.region(0).first_block().and_then(|body| body.args().last().copied());
    let users = workspace.into_iter().flat_map(|workspace| workspace.uses());
    let views: Vec<_> = users.map(|(user, _)| user).filter(|user| user.is(memref::VIEW)).collect();
    // Loops that carry the places of buffers read what was written through other views.
    if views.iter().any(|view| constant_index(view.operand(1)).is_none()) {
        return;
    }
    for view in views {
        let users = view.result(0).uses();
        let is_write = |(user, operand): &(Op<'_>, usize)| {
            matches!(user.name(), memref::STORE | affine::STORE | vector::TRANSFER_WRITE)
                && *operand == 1
        };
        if !users.iter().all(is_write) {
            continue;
        }
        for (user, _) in users {
            let around = user.parent();
            user.erase();
            erase_empty(around);
        }
        view.erase();
    }
}

/// Erases a loop that does nothing, and those around it.
fn erase_empty(mut around: Option<Op<'_>>) {
    while let Some(each) = around.filter(|op| op.is(scf::FOR) || op.is(affine::FOR)) {
        let end = each.body(0).terminator();
        for op in each.body(0).ops().into_iter().rev().filter(|op| Some(*op) != end) {
            if op.is_unused() && is_plain(op) {
                op.erase();
            }
        }
        if each.body(0).ops().len() > 1 || each.result_count() > 0 {
            return;
        }
        around = each.parent();
        each.erase();
    }
}

fn ops<'c>(body: Block<'c>) -> Vec<Op<'c>> {
    let end = body.terminator();
    let inside = body.ops().into_iter().filter(|op| Some(*op) != end);
    inside.flat_map(|op| op.collect(|_| true)).collect()
}

/// The values that writes depend on.
fn used<'c>(body: Block<'c>) -> HashSet<Value<'c>> {
    let all = ops(body);
    let inside: HashSet<Op<'c>> = all.iter().copied().collect();
    let mut open: Vec<Value<'c>> = Vec::new();
    for op in &all {
        match op.name() {
            vector::TRANSFER_WRITE | memref::STORE => open.extend(op.operands()),
            scf::FOR => open.extend(&op.operands()[..3]),
            _ => {}
        }
    }
    let mut used = HashSet::new();
    while let Some(value) = open.pop() {
        if !used.insert(value) {
            continue;
        }
        let carried = match (value.owner(), value.block_arg()) {
            (Some(owner), _) if owner.is(scf::FOR) => value.result_index().map(|at| (owner, at)),
            (Some(owner), _) => {
                if inside.contains(&owner) {
                    open.extend(owner.operands());
                }
                None
            }
            (None, Some((block, position))) if position > 0 => {
                block.parent_op().map(|each| (each, position - 1))
            }
            _ => None,
        };
        if let Some((each, at)) = carried.filter(|(each, _)| inside.contains(each)) {
            let end = each.body(0).terminator().map(Op::operands).unwrap_or_default();
            open.extend([each.operand(3 + at), each.body(0).arg(1 + at), each.result(at)]);
            open.extend(end.get(at));
        }
    }
    used
}

/// Makes `each` a loop that carries only what is used. Returns the arguments of its body that have no value then, the last ones first.
fn without_unused<'c>(
    context: &'c Context,
    each: Op<'c>,
    used: &HashSet<Value<'c>>,
) -> Vec<(Block<'c>, usize)> {
    let body = each.body(0);
    let all = each.results();
    let is_kept: Vec<bool> = (0..all.len()).map(|at| used.contains(&body.arg(1 + at))).collect();
    let Some(end) = body.terminator().filter(|_| is_kept.contains(&false)) else {
        return Vec::new();
    };
    let kept = |values: &[Value<'c>]| -> Vec<Value<'c>> {
        values.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(value, _)| *value).collect()
    };
    scf::yield_(&Builder::before(context, end), &kept(&end.operands())).build();
    end.erase();
    let operands = each.operands();
    let types: Vec<_> = kept(&all).into_iter().map(Value::ty).collect();
    let attributes = each.discardable_attrs();
    let own = RegionBuilder::take(each.region(0));
    let before = Builder::before(context, each);
    let [low, high, step] = [operands[0], operands[1], operands[2]];
    let new = scf::for_(&before, low, high, step, &kept(&operands[3..]), &types, own);
    let new = new.attrs(&attributes).build().op();
    for (old, result) in kept(&all).into_iter().zip(new.results()) {
        old.replace_all_uses_with(result);
    }
    for (at, old) in all.into_iter().enumerate().filter(|(at, _)| !is_kept[*at]) {
        old.replace_all_uses_with(operands[3 + at]);
    }
    each.erase();
    let gone = (0..is_kept.len()).rev().filter(|at| !is_kept[*at]);
    gone.map(|at| (new.body(0), 1 + at)).collect()
}
