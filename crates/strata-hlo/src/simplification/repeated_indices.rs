//! Index vectors that are the same along a batching dimension: slices of all of it, at the vectors of one place.
//!
//! ```text
//! gather(x, i)            i of [n, c, h, w, 2], the same for all c; x of [n, c, y, x], c a batching dimension of both
//!   → gather(x, i[:, 0])  slices of all c
//! ```
//! Exporters broadcast coordinates to all features before they compute places and weights (`grid_sample` of PyTorch).

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpKind, TypeExt as _, Value, int, integer, stablehlo,
    tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_REPEATED_OPERATIONS;

use crate::{
    emit::Emit as _,
    pattern::{constant, ints, is_whole, new_splat, patterns},
    simplification::{
        concatenate_splitting::is_elementwise,
        gather::{numbers_of, replace},
    },
};

patterns! {
    /// A gather takes all of a dimension along which its index vectors are the same.
    GatherAtRepeated = "gather-at-repeated" on [Gather] by gather_at_repeated;
}

fn gather_at_repeated<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let mut numbers = numbers_of(op)?;
    let types = [op.operand(0), op.operand(1)].map(|operand| operand.ty());
    types.iter().all(|ty| ty.has_static_shape()).or_decline("the shapes are not static")?;
    let operand = types[0].shape().unwrap_or_default();
    let mut taken = ints(op, "slice_sizes")?;
    let takes = op.result(0).ty().element_count() > Some(0);
    takes.or_decline("it takes nothing")?;
    let pairs = numbers.operand_batching_dims.iter().zip(&numbers.start_indices_batching_dims);
    let mut repeated = Repeated::default();
    let found = pairs.clone().position(|(own, of)| {
        let is_long = usize::try_from(*own).ok().and_then(|own| operand.get(own)) > Some(&1);
        is_long && usize::try_from(*of).is_ok_and(|of| repeated.is_same(op.operand(1), of))
    });
    let at = found.or_decline("its index vectors are along all batching dimensions")?;
    let (own, of) = (numbers.operand_batching_dims[at], numbers.start_indices_batching_dims[at]);
    // The result has the dimension where it was, among those of slices, whose order is that of the operand.
    let batch = of - i64::from(of > numbers.index_vector_dim);
    let mut others = (0..op.result(0).ty().rank().unwrap_or(0) as i64)
        .filter(|dim| !numbers.offset_dims.contains(dim));
    let place = usize::try_from(batch).ok().and_then(|batch| others.nth(batch));
    let place = place.or_decline("there is no such dimension")?;
    let of_slices = |dim: &i64| {
        !numbers.collapsed_slice_dims.contains(dim) && !numbers.operand_batching_dims.contains(dim)
    };
    let before = (0..own).filter(of_slices).count();
    let position = numbers.offset_dims.partition_point(|dim| *dim < place);
    (position == before).or_decline("its slices would have another order")?;
    let vectors = repeated.narrowed(rewriter.context(), op.operand(1), of as usize);
    let vectors = vectors.or_decline("its index vectors cannot be written")?;
    numbers.offset_dims.insert(position, place);
    numbers.operand_batching_dims.remove(at);
    numbers.start_indices_batching_dims.remove(at);
    let later = |dim: &mut i64| *dim -= i64::from(*dim > of);
    numbers.start_indices_batching_dims.iter_mut().for_each(later);
    later(&mut numbers.index_vector_dim);
    taken[own as usize] = operand[own as usize];
    replace(op, rewriter, [op.operand(0), vectors], (&numbers, &taken))
}

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
        kind if is_pointwise(kind) => {
            // The bounds of a clamp, say, may be numbers.
            let own =
                |operand: Value<'_>| operand.ty().rank().filter(|rank| *rank > 0).map(|_| dim);
            Some(op.operands().into_iter().map(own).collect())
        }
        _ => None,
    }
}

/// Whether an element of the result is computed from those at its place, and from numbers.
pub(super) fn is_pointwise(kind: OpKind) -> bool {
    is_elementwise(kind)
        || matches!(
            kind,
            OpKind::Atan2
                | OpKind::Cbrt
                | OpKind::Ceil
                | OpKind::ExponentialMinusOne
                | OpKind::Floor
                | OpKind::LogPlusOne
                | OpKind::Power
                | OpKind::RoundNearestAfz
                | OpKind::RoundNearestEven
                | OpKind::Sign
                | OpKind::Tan
        )
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

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    /// Elements of images of two features at computed places: `steps` makes `%a` and `%b`, of `[2, 3, 5]`, of `%i`.
    fn taken(steps: &str) -> String {
        let body = format!(
            "{steps}
            %r = stablehlo.reshape %a : (tensor<2x3x5xi32>) -> tensor<2x3x5x1xi32>
            %s = stablehlo.reshape %b : (tensor<2x3x5xi32>) -> tensor<2x3x5x1xi32>
            %at = stablehlo.concatenate %r, %s, dim = 3 : (tensor<2x3x5x1xi32>, tensor<2x3x5x1xi32>) -> tensor<2x3x5x2xi32>
            %0 = \"stablehlo.gather\"(%x, %at) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0],
                start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}}>
                : (tensor<2x7x9xf32>, tensor<2x3x5x2xi32>) -> tensor<2x3x5xf32>
            return %0 : tensor<2x3x5xf32>"
        );
        simplified(
            "(%x: tensor<2x7x9xf32>, %i: tensor<3x5xi32>, %j: tensor<2x3x5xi32>) -> tensor<2x3x5xf32>",
            &body,
        )
    }

    const BOTH: &str =
        "%p = stablehlo.broadcast_in_dim %i, dims = [1, 2] : (tensor<3x5xi32>) -> tensor<2x3x5xi32>
        %a = stablehlo.add %p, %p : tensor<2x3x5xi32>
        %k = stablehlo.iota dim = 2 : tensor<2x3x5xi32>
        %b = stablehlo.maximum %p, %k : tensor<2x3x5xi32>";

    #[test]
    fn vectors_of_one_place_take_all_features() {
        let printed = taken(BOTH);
        assert!(printed.contains("slice_sizes = array<i64: 2, 1, 1>"), "{printed}");
        assert!(!printed.contains("batching"), "{printed}");
        assert!(printed.contains("stablehlo.iota dim = 1 : tensor<3x5xi32>"), "{printed}");
    }

    #[test]
    fn vectors_that_differ_keep_their_dimension() {
        for other in [
            "%b = stablehlo.add %a, %j : tensor<2x3x5xi32>",
            "%k = stablehlo.iota dim = 0 : tensor<2x3x5xi32>
            %b = stablehlo.multiply %a, %k : tensor<2x3x5xi32>",
        ] {
            let steps = format!(
                "%p = stablehlo.broadcast_in_dim %i, dims = [1, 2] : (tensor<3x5xi32>) -> tensor<2x3x5xi32>
                %a = stablehlo.negate %p : tensor<2x3x5xi32>
                {other}"
            );
            let printed = taken(&steps);
            assert!(printed.contains("slice_sizes = array<i64: 1, 1, 1>"), "{printed}");
        }
    }
}
