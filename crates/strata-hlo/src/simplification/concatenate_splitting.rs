//! Splits elementwise operations on concatenations by operand, so that the concatenated tensor is not written to
//! memory only to be read again.
//!
//! ```text
//! %r = concatenate(%b, %a)          // rotated halves, a shift around the edge, …
//! %y = add(multiply(%x, %c), multiply(%r, %s))
//! ```
//! becomes
//! ```text
//! %0 = add(multiply(slice(%x), slice(%c)), multiply(%b, slice(%s)))
//! %1 = add(multiply(slice(%x), slice(%c)), multiply(%a, slice(%s)))
//! %y = concatenate(%0, %1)
//! ```
//! For several concatenations along one dimension all boundaries are used; other dimensions are handled one after
//! the other.

use std::collections::{BTreeSet, HashMap, HashSet};

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpKind, Type, TypeExt as _, Value, i64s, int, integer,
    stablehlo, tensor,
};
use strata_target::tuning::simplification::{
    MAX_SPLIT_OPERATIONS, MAX_SPLIT_PIECES, MIN_SPLIT_ELEMENTS,
};

use crate::pattern::{ints, new_splat};

/// Splits the users of concatenations under `root`; returns whether there were any.
pub fn compute_by_parts<'c>(context: &'c Context, root: Op<'c>) -> bool {
    let mut changed = false;
    for join in root.collect(|op| op.kind() == OpKind::Concatenate) {
        let Some(tree) = Tree::around(join) else { continue };
        let Some(end) = tree.end() else { continue };
        let Some(value) = tree.build(context, end) else { continue };
        end.result(0).replace_all_uses_with(value);
        // The original operations are dead, and erased by the next simplification.
        changed = true;
    }
    changed
}

/// Elementwise operations around a concatenation, all of one shape.
struct Tree<'c> {
    shape: Vec<i64>,
    /// The dimension of the concatenations.
    dim: usize,
    /// The operations in the order of the block.
    ops: Vec<Op<'c>>,
    /// The boundaries of pieces.
    cuts: BTreeSet<i64>,
}

impl<'c> Tree<'c> {
    /// The operations that depend on `join` and their elementwise producers; `None` if there are too few or too
    /// many.
    fn around(join: Op<'c>) -> Option<Self> {
        let ty = join.result(0).ty();
        let shape = ty.shape().filter(|_| ty.has_static_shape())?;
        if ty.element_count()? < MIN_SPLIT_ELEMENTS || join.operand_count() > MAX_SPLIT_PIECES {
            return None;
        }
        let block = join.block()?;
        let fits = |op: Op<'c>| {
            op.block() == Some(block)
                && is_elementwise(op.kind())
                && op.result(0).ty().shape().as_ref() == Some(&shape)
        };
        let mut members: HashSet<Op<'c>> = HashSet::new();
        let mut next = vec![join];
        while let Some(op) = next.pop() {
            for (user, _) in op.result(0).uses() {
                if !fits(user) {
                    // Another user needs the whole tensor.
                    if op == join {
                        return None;
                    }
                } else if members.insert(user) {
                    next.push(user);
                }
            }
            if members.len() > MAX_SPLIT_OPERATIONS {
                return None;
            }
        }
        let mut joins = HashSet::from([join]);
        let dim = dimension(join)?;
        // Producers used only by members join them.
        #[allow(
            clippy::disallowed_methods,
            reason = "what is found is a set, whatever comes first"
        )]
        let mut next: Vec<_> = members.iter().copied().collect();
        while let Some(op) = next.pop() {
            for owner in op.operands().into_iter().filter_map(|value| value.owner()) {
                if owner.kind() == OpKind::Iota {
                    // Iotas are rematerialised, pieces of them are not.
                    return None;
                }
                if owner.block() != Some(block) || !is_used_by(owner, &members) {
                    continue;
                }
                if owner.kind() == OpKind::Concatenate && dimension(owner) == Some(dim) {
                    joins.insert(owner);
                } else if fits(owner) && members.insert(owner) {
                    next.push(owner);
                }
            }
            if members.len() > MAX_SPLIT_OPERATIONS {
                return None;
            }
        }
        let mut cuts = BTreeSet::from([0, *shape.get(dim)?]);
        #[allow(clippy::iter_over_hash_type, reason = "what is found is a sorted set")]
        for join in joins {
            let mut place = 0;
            for operand in join.operands() {
                place += *operand.ty().shape()?.get(dim)?;
                cuts.insert(place);
            }
        }
        let ops: Vec<_> = block.ops().into_iter().filter(|op| members.contains(op)).collect();
        let fits = !ops.is_empty() && cuts.len() - 1 <= MAX_SPLIT_PIECES;
        fits.then_some(Self { shape, dim, ops, cuts })
    }

    /// The only operation whose result is used outside.
    fn end(&self) -> Option<Op<'c>> {
        let is_inside = |user: Op<'c>| self.ops.contains(&user);
        let mut ends = self
            .ops
            .iter()
            .filter(|op| op.result(0).uses().into_iter().any(|(user, _)| !is_inside(user)));
        match (ends.next(), ends.next()) {
            // Later results are unused.
            (Some(end), None) => Some(*end).filter(|end| self.ops.last() == Some(end)),
            _ => None,
        }
    }

    /// The result of `end`, concatenated from pieces.
    fn build(&self, context: &'c Context, end: Op<'c>) -> Option<Value<'c>> {
        let builder = Builder::before(context, end);
        let cuts: Vec<_> = self.cuts.iter().copied().collect();
        let mut parts = Vec::new();
        for range in cuts.windows(2) {
            let part = Part { tree: self, builder, low: range[0], high: range[1] };
            let mut known = HashMap::new();
            for op in &self.ops {
                let operands: Vec<_> =
                    op.operands().into_iter().map(|value| part.value(value, &mut known)).collect();
                let copy = builder
                    .op(op.name())
                    .operands(&operands)
                    .attrs(&op.attrs())
                    .result(part.ty(op.result(0).ty()))
                    .value();
                known.insert(op.result(0), copy);
            }
            parts.push(*known.get(&end.result(0))?);
        }
        let join = builder.op(stablehlo::CONCATENATE).operands(&parts);
        let dim = int(integer(context, 64), self.dim as i64);
        Some(join.attr("dimension", dim).result(end.result(0).ty()).value())
    }
}

/// A piece between two boundaries.
struct Part<'a, 'c> {
    tree: &'a Tree<'c>,
    builder: Builder<'c>,
    low: i64,
    high: i64,
}

impl<'c> Part<'_, 'c> {
    /// The type of the piece of a tensor of type `ty`.
    fn ty(&self, ty: Type<'c>) -> Type<'c> {
        let mut shape = self.tree.shape.clone();
        shape[self.tree.dim] = self.high - self.low;
        tensor(&shape, ty.element())
    }

    /// The piece of an operand; a scalar is used as it is.
    fn value(&self, value: Value<'c>, known: &mut HashMap<Value<'c>, Value<'c>>) -> Value<'c> {
        if let Some(part) = known.get(&value) {
            return *part;
        }
        if value.ty().rank() == Some(0) && !self.tree.shape.is_empty() {
            return value;
        }
        let part = self.spread(value).unwrap_or_else(|| {
            let dims = 0..self.tree.shape.len();
            self.slice(value, self.tree.dim, dims.len(), self.ty(value.ty()))
        });
        known.insert(value, part);
        part
    }

    /// The piece of a broadcast or splat: a smaller one.
    fn spread(&self, value: Value<'c>) -> Option<Value<'c>> {
        let owner = value.owner()?;
        let ty = self.ty(value.ty());
        match owner.kind() {
            OpKind::Constant => {
                let element = owner.attr("value")?.splat_value()?;
                Some(new_splat(&self.builder, ty, element))
            }
            OpKind::BroadcastInDim => {
                let dims = ints(owner, "broadcast_dimensions").ok()?;
                let mut from = owner.operand(0);
                let at = dims.iter().position(|dim| *dim == self.tree.dim as i64);
                let mut shape = from.ty().shape()?;
                if let Some(at) = at.filter(|at| shape[*at] != 1) {
                    shape[at] = self.high - self.low;
                    from = self.slice(from, at, shape.len(), tensor(&shape, from.ty().element()));
                }
                let broadcast = self.builder.op(stablehlo::BROADCAST_IN_DIM).operand(from);
                let dims = i64s(self.builder.context, &dims);
                Some(broadcast.attr("broadcast_dimensions", dims).result(ty).value())
            }
            // A concatenation along another dimension, to be split later.
            OpKind::Concatenate if dimension(owner)? != self.tree.dim => {
                let members = self.tree.ops.iter().copied().collect();
                if !is_used_by(owner, &members) {
                    return None;
                }
                let dim = self.tree.dim;
                let mut parts = Vec::new();
                for operand in owner.operands() {
                    let mut shape = operand.ty().shape()?;
                    shape[dim] = self.high - self.low;
                    let ty = tensor(&shape, operand.ty().element());
                    parts.push(self.slice(operand, dim, shape.len(), ty));
                }
                let join = self.builder.op(stablehlo::CONCATENATE).operands(&parts);
                Some(join.attr("dimension", owner.attr("dimension")?).result(ty).value())
            }
            _ => None,
        }
    }

    /// The elements of `value` from `low` to `high` along dimension `dim`.
    fn slice(&self, value: Value<'c>, dim: usize, rank: usize, ty: Type<'c>) -> Value<'c> {
        let mut starts = vec![0; rank];
        starts[dim] = self.low;
        let mut limits = value.ty().shape().unwrap_or_default();
        limits[dim] = self.high;
        let list = |list: &[i64]| i64s(self.builder.context, list);
        self.builder
            .op(stablehlo::SLICE)
            .operand(value)
            .attr("start_indices", list(&starts))
            .attr("limit_indices", list(&limits))
            .attr("strides", list(&vec![1; rank]))
            .result(ty)
            .value()
    }
}

/// Whether the only result of `op` is used by `members` alone.
fn is_used_by<'c>(op: Op<'c>, members: &HashSet<Op<'c>>) -> bool {
    op.result_count() == 1 && op.result(0).uses().iter().all(|(user, _)| members.contains(user))
}

fn dimension(join: Op<'_>) -> Option<usize> {
    join.attr("dimension")?.as_i64().map(|dim| dim as usize)
}

/// Operations on elements that are often fused with others.
pub fn is_elementwise(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Abs
            | OpKind::Add
            | OpKind::And
            | OpKind::Clamp
            | OpKind::Compare
            | OpKind::Convert
            | OpKind::Cosine
            | OpKind::Divide
            | OpKind::Exponential
            | OpKind::Log
            | OpKind::Logistic
            | OpKind::Maximum
            | OpKind::Minimum
            | OpKind::Multiply
            | OpKind::Negate
            | OpKind::Not
            | OpKind::Or
            | OpKind::Rsqrt
            | OpKind::Select
            | OpKind::Sine
            | OpKind::Sqrt
            | OpKind::Subtract
            | OpKind::Tanh
            | OpKind::Xor
    )
}
