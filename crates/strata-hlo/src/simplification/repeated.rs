//! Values that are the same along a dimension: which they are, and what they are at one place of it.

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpKind, TypeExt as _, Value, int, integer, stablehlo,
    tensor,
};
use strata_target::tuning::simplification::MAX_REPEATED_OPERATIONS;

use crate::{
    emit::Emit as _,
    pattern::{constant, ints, is_pointwise, new_splat},
};

/// The dimensions but one.
pub(super) fn without(dims: &[i64], dim: usize) -> Vec<i64> {
    dims.iter().enumerate().filter(|(at, _)| *at != dim).map(|(_, size)| *size).collect()
}

/// The dimensions of more than one element.
fn long(shape: &[i64]) -> impl Iterator<Item = (usize, i64)> {
    shape.iter().copied().enumerate().filter(|(_, size)| *size != 1)
}

/// Values that are the same along a dimension.
#[derive(Default)]
pub(super) struct Repeated<'c> {
    /// Those that were looked at, and whether they are.
    known: HashMap<(Value<'c>, usize), bool>,
    /// Those of one place.
    made: HashMap<(Value<'c>, usize), Value<'c>>,
    steps: usize,
}

impl<'c> Repeated<'c> {
    /// Begins to look at another value.
    pub(super) fn looks_again(&mut self) {
        self.steps = 0;
    }

    /// Whether a value is the same at all places along a dimension.
    pub(super) fn is_same(&mut self, value: Value<'c>, dim: usize) -> bool {
        if let Some(known) = self.known.get(&(value, dim)) {
            return *known;
        }
        self.steps += 1;
        if self.steps > MAX_REPEATED_OPERATIONS {
            return false;
        }
        let Some(op) = value.owner() else { return false };
        let Some(along) = along(op, dim) else { return false };
        let mut operands = op.operands().into_iter().zip(along);
        let is_same =
            operands.all(|(operand, dim)| dim.is_none_or(|dim| self.is_same(operand, dim)));
        self.known.insert((value, dim), is_same);
        is_same
    }

    /// The value at one place, if it has been computed.
    pub(super) fn made(&self, value: Value<'c>, dim: usize) -> Option<Value<'c>> {
        self.made.get(&(value, dim)).copied()
    }

    /// The value at one place, without the dimension, along which it is the same: computed where it is.
    pub(super) fn narrowed(
        &mut self,
        context: &'c Context,
        value: Value<'c>,
        dim: usize,
    ) -> Option<Value<'c>> {
        if let Some(made) = self.made(value, dim) {
            return Some(made);
        }
        let op = value.owner()?;
        let operands = op.operands().into_iter().zip(along(op, dim)?);
        let operands = operands.map(|(operand, dim)| match dim {
            Some(dim) => self.narrowed(context, operand, dim),
            None => Some(operand),
        });
        let operands = operands.collect::<Option<Vec<_>>>()?;
        let made = at_one_place(&Builder::before(context, op), op, dim, &operands)?;
        self.made.insert((value, dim), made);
        Some(made)
    }
}

/// The dimension of each operand along which the result's dimension is, if it is along one; `None` where the result may differ along it.
pub(super) fn along(op: Op<'_>, dim: usize) -> Option<Vec<Option<usize>>> {
    let shape = op.result(0).ty().shape()?;
    match op.kind() {
        OpKind::Constant if op.result(0).ty().element().is_complex() => None,
        OpKind::Constant => constant(op.result(0)).ok()?.splat_value().map(|_| Vec::new()),
        OpKind::Iota => (op.attr("iota_dimension")?.as_i64()? != dim as i64).then_some(Vec::new()),
        OpKind::BroadcastInDim => {
            let dims = ints(op, "broadcast_dimensions").ok()?;
            let own = dims.iter().position(|own| *own == dim as i64);
            let sizes = op.operand(0).ty().shape()?;
            Some(vec![own.filter(|own| sizes[*own] != 1)])
        }
        OpKind::Reshape => {
            let sizes = op.operand(0).ty().shape()?;
            let is_alike =
                long(&shape).map(|(_, size)| size).eq(long(&sizes).map(|(_, size)| size));
            let own = long(&shape).position(|(own, _)| own == dim).filter(|_| is_alike)?;
            Some(vec![Some(long(&sizes).nth(own)?.0)])
        }
        OpKind::Slice => {
            let of = |name| ints(op, name).ok()?.get(dim).copied();
            let size = op.operand(0).ty().shape()?[dim];
            let is_all =
                (of("start_indices")?, of("limit_indices")?, of("strides")?) == (0, size, 1);
            is_all.then_some(vec![Some(dim)])
        }
        OpKind::Concatenate => {
            let is_other = op.attr("dimension")?.as_i64()? != dim as i64;
            is_other.then(|| vec![Some(dim); op.operand_count()])
        }
        kind if is_pointwise(kind) && op.result(0).ty().element().dialect() != "quant" => {
            // The bounds of a clamp, say, may be numbers.
            let own =
                |operand: Value<'_>| operand.ty().rank().filter(|rank| *rank > 0).map(|_| dim);
            Some(op.operands().into_iter().map(own).collect())
        }
        _ => None,
    }
}

/// The operation on what its operands are without the dimension.
fn at_one_place<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    dim: usize,
    operands: &[Value<'c>],
) -> Option<Value<'c>> {
    let ty = op.result(0).ty();
    let shape = without(&ty.shape()?, dim);
    let ty = tensor(&shape, ty.element());
    let earlier = |own: i64| own - i64::from(own > dim as i64);
    Some(match op.kind() {
        OpKind::Constant => new_splat(b, ty, constant(op.result(0)).ok()?.splat_value()?),
        OpKind::Iota => b.iota(&shape, ty.element(), earlier(op.attr("iota_dimension")?.as_i64()?)),
        OpKind::BroadcastInDim => {
            let dims = ints(op, "broadcast_dimensions").ok()?;
            let others: Vec<_> =
                dims.iter().filter(|own| **own != dim as i64).map(|own| earlier(*own)).collect();
            let mut operand = operands[0];
            let sizes = operand.ty().shape()?;
            if let Some(own) = dims.iter().position(|own| *own == dim as i64)
                && sizes.len() == dims.len()
            {
                operand = b.reshaped(operand, &without(&sizes, own));
            }
            b.broadcast_in_dim(operand, &shape, &others)
        }
        OpKind::Reshape => b.reshaped(operands[0], &shape),
        OpKind::Slice => {
            let of = |name| Some(without(&ints(op, name).ok()?, dim));
            b.sliced(operands[0], &of("start_indices")?, &of("limit_indices")?, &of("strides")?)
        }
        OpKind::Concatenate => {
            let along = earlier(op.attr("dimension")?.as_i64()?);
            let join = b.op(stablehlo::CONCATENATE).operands(operands);
            join.attr("dimension", int(integer(b.context, 64), along)).result(ty).value()
        }
        _ => b.op(op.name()).operands(operands).attrs(&op.attrs()).result(ty).value(),
    })
}
