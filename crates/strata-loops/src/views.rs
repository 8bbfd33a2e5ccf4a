//! Folds views into the reads and writes of the viewed buffer.
//!
//! Before:
//! ```mlir
//! %e = memref.expand_shape %b [[0], [1, 2]] … : memref<2x92xf32> into memref<2x4x23xf32>
//! %v = vector.transfer_read %e[%i, %j, %k] {in_bounds = [true]} : …, vector<4xf32>
//! ```
//! After:
//! ```mlir
//! %l = affine.linearize_index [%j, %k] by (4, 23)
//! %v = vector.transfer_read %b[%i, %l] {in_bounds = [true]} : …, vector<4xf32>
//! ```
//! MLIR's pass does this, but assumes that the last dimensions of the buffer are those of the view. This is wrong
//! for views that are read along several dimensions of a group, or beyond a group's end, which are hidden from it.

use rustc_hash::FxHashSet;
use strata_ir::{
    AttributeExt as _, Builder, Context, Module, Op, OpName, TypeExt as _, Value, builtin,
    fold_memref_views, func, memref, module_op, vector,
};

use crate::nests::is_view;

const EXPAND: OpName<'_> = memref::EXPAND_SHAPE;
/// The name of a hidden view while the pass runs.
const HIDDEN: OpName<'_> = builtin::UNREALIZED_CONVERSION_CAST;

/// Folds views into their accesses; returns whether there were any.
pub fn fold<'c>(context: &'c Context, module: &Module<'c>) -> bool {
    // Most accesses were emitted without their slice, and views that only other views use are dead.
    let is_used =
        |op: Op<'c>| is_view(op) && op.result(0).uses().iter().any(|(user, _)| !is_view(*user));
    if module_op(module).collect(is_used).is_empty() {
        return false;
    }
    let read: FxHashSet<Op<'c>> = module_op(module)
        .collect(|op| {
            matches!(op.name(), vector::TRANSFER_READ | vector::LOAD | vector::TRANSFER_WRITE)
        })
        .into_iter()
        .flat_map(unfoldable)
        .collect();
    // Few programs have such views: skip the walk for all others.
    if !read.is_empty() {
        for view in module_op(module).collect(|op| read.contains(&op)) {
            rename(context, view, HIDDEN);
        }
    }
    for function in module_op(module).body(0).ops().into_iter().filter(|op| op.is(func::FUNC)) {
        fold_memref_views(function);
    }
    if !read.is_empty() {
        let is_hidden = |op: Op<'c>| op.is(HIDDEN) && op.has_attr("reassociation");
        for view in module_op(module).collect(is_hidden) {
            rename(context, view, EXPAND);
        }
    }
    true
}

/// The views between the buffer and an access that its vector does not fit.
fn unfoldable<'c>(access: Op<'c>) -> Vec<Op<'c>> {
    let mut views = Vec::new();
    let (lanes, first) = match access.is(vector::TRANSFER_WRITE) {
        true => (access.operand(0), access.operand(1)),
        false => (access.result(0), access.operand(0)),
    };
    let mut buffer = first;
    while let Some(view) = buffer.owner().filter(|owner| is_view(*owner)) {
        if view.is(EXPAND) && !fits(access, (lanes, first), view) {
            views.push(view);
        }
        buffer = view.operand(0);
    }
    views
}

/// Whether the vector is along the same dimensions in the buffer that `view` expands: only its
/// outermost dimension may be one of several that a dimension was expanded to, the last of them,
/// and has to end before that does.
fn fits<'c>(read: Op<'c>, (lanes, buffer): (Value<'c>, Value<'c>), view: Op<'c>) -> bool {
    let rank = |value: Value<'c>| value.ty().rank();
    let (Some(lanes), Some(groups)) = (rank(lanes), groups(view)) else { return false };
    // Another view in between may have left dimensions out.
    if rank(buffer) != rank(view.result(0)) || lanes > groups.len() {
        return false;
    }
    let inside = match read.attr("in_bounds").and_then(|inside| inside.as_array()) {
        Some(inside) => inside.first().and_then(|first| first.as_bool()) == Some(true),
        None => read.is(vector::LOAD),
    };
    let first = groups.len() - lanes;
    groups[first..]
        .iter()
        .enumerate()
        .all(|(position, group)| group.size == 1 || (position == 0 && group.is_last && inside))
}

/// The group of a dimension of a view.
struct Member {
    /// The number of dimensions that one of the buffer was expanded to.
    size: usize,
    is_last: bool,
}

/// The group of each dimension of the view.
fn groups(view: Op<'_>) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    for group in view.attr("reassociation")?.as_array()? {
        let size = group.as_array()?.len();
        members.extend((1..=size).map(|place| Member { size, is_last: place == size }));
    }
    Some(members)
}

fn rename<'c>(context: &'c Context, op: Op<'c>, name: OpName<'c>) {
    let renamed = Builder::before(context, op)
        .op(name)
        .operands(&op.operands())
        .results(&op.result_types())
        .attrs(&op.attrs())
        .build();
    op.result(0).replace_all_uses_with(renamed.result(0));
    op.erase();
}
