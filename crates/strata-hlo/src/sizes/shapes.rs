//! The sizes of results in terms of symbols, where they follow from those of operands.

use strata_ir::{
    AttributeExt as _, DYNAMIC, DotDimensionNumbers, GatherDimensionNumbers, Op, OpKind,
    TypeExt as _, Value, sizes::Size,
};

use super::rows::is_pointwise;
use crate::pattern::ints;

/// What is known of the values before an operation.
pub trait Known<'c> {
    /// The sizes of a value's dimensions.
    fn dims(&self, value: Value<'c>) -> Option<Vec<Option<Size>>>;
    /// The elements of an integer value.
    fn elements(&self, value: Value<'c>) -> Option<Vec<Option<Size>>>;
}

/// The sizes of each result; `None` for those that are not found out.
pub fn of<'c>(op: Op<'c>, known: &impl Known<'c>) -> Vec<Vec<Option<Size>>> {
    let inferred = inferred(op, known);
    let result = |(index, result): (usize, Value<'c>)| {
        let shape = result.ty().shape().unwrap_or_default();
        let own = match op.kind() {
            OpKind::While | OpKind::OptimizationBarrier => known.dims(op.operand(index)),
            _ => inferred.clone(),
        };
        let own = own.filter(|own| own.len() == shape.len());
        let size = |(dim, size): (usize, &i64)| match *size {
            DYNAMIC => own.as_ref().and_then(|own| own[dim].clone()),
            size => Some(Size::known(size)),
        };
        shape.iter().enumerate().map(size).collect()
    };
    op.results().into_iter().enumerate().map(result).collect()
}

/// The sizes that all results have.
fn inferred<'c>(op: Op<'c>, known: &impl Known<'c>) -> Option<Vec<Option<Size>>> {
    let dims = |index: usize| known.dims(*op.operands().get(index)?);
    let list = |name: &'static str| {
        let list = ints(op, name).ok()?;
        list.into_iter().map(|dim| usize::try_from(dim).ok()).collect::<Option<Vec<_>>>()
    };
    match op.kind() {
        kind if is_pointwise(kind) => {
            let shaped = op.operands().into_iter().find(|value| value.ty().rank() > Some(0));
            known.dims(shaped?)
        }
        OpKind::Reverse
        | OpKind::Sort
        | OpKind::Cholesky
        | OpKind::DynamicUpdateSlice
        | OpKind::BatchNormInference
        | OpKind::Scatter => dims(0),
        OpKind::TriangularSolve => dims(1),
        OpKind::DynamicBroadcastInDim | OpKind::DynamicReshape => {
            known.elements(*op.operands().get(1)?)
        }
        OpKind::DynamicIota => known.elements(*op.operands().first()?),
        OpKind::Transpose => {
            let own = dims(0)?;
            list("permutation")?.into_iter().map(|from| own.get(from).cloned()).collect()
        }
        OpKind::Reduce => {
            let reduced = list("dimensions")?;
            let kept = dims(0)?.into_iter().enumerate().filter(|(dim, _)| !reduced.contains(dim));
            Some(kept.map(|(_, size)| size).collect())
        }
        OpKind::Concatenate => {
            let along = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
            let mut own = dims(0)?;
            let parts = op.operands().into_iter().map(|part| known.dims(part)?.get(along)?.clone());
            *own.get_mut(along)? = parts.collect::<Option<Vec<_>>>().and_then(|parts| {
                parts.iter().try_fold(Size::known(0), |sum, part| sum.plus(part))
            });
            Some(own)
        }
        OpKind::RealDynamicSlice => {
            let [start, limit, stride] =
                [1, 2, 3].map(|index| known.elements(*op.operands().get(index)?));
            let (start, limit, stride) = (start?, limit?, stride?);
            let size = |dim: usize| {
                let stride = stride.get(dim)?.as_ref()?.as_known()?;
                let room = limit.get(dim)?.as_ref()?.minus(start.get(dim)?.as_ref()?)?;
                (stride == 1).then_some(room)
            };
            Some((0..limit.len()).map(size).collect())
        }
        OpKind::Gather | OpKind::DynamicGather => {
            let numbers = op.attr("dimension_numbers");
            let numbers = GatherDimensionNumbers::from_attribute(numbers?)?;
            let slices = match op.kind() {
                OpKind::DynamicGather => known.elements(*op.operands().get(2)?)?,
                _ => ints(op, "slice_sizes")
                    .ok()?
                    .into_iter()
                    .map(|size| Some(Size::known(size)))
                    .collect(),
            };
            let hidden = |dim: i64| {
                numbers.collapsed_slice_dims.contains(&dim)
                    || numbers.operand_batching_dims.contains(&dim)
            };
            let mut offsets =
                slices.into_iter().enumerate().filter(|(dim, _)| !hidden(*dim as i64));
            let vector = numbers.index_vector_dim;
            let mut own = dims(1)?.into_iter().enumerate().filter(|(dim, _)| *dim as i64 != vector);
            let rank = op.result(0).ty().rank()? as i64;
            let size = |dim: i64| match numbers.offset_dims.contains(&dim) {
                true => offsets.next().map(|(_, size)| size),
                false => own.next().map(|(_, size)| size),
            };
            (0..rank).map(size).collect()
        }
        OpKind::DotGeneral => {
            let numbers = DotDimensionNumbers::from_attribute(op.attr("dot_dimension_numbers")?)?;
            let mut sizes = Vec::new();
            for dim in &numbers.lhs_batching_dimensions {
                sizes.push(dims(0)?.get(usize::try_from(*dim).ok()?)?.clone());
            }
            let sides = [
                (&numbers.lhs_batching_dimensions, &numbers.lhs_contracting_dimensions),
                (&numbers.rhs_batching_dimensions, &numbers.rhs_contracting_dimensions),
            ];
            for (side, (batching, contracting)) in sides.into_iter().enumerate() {
                let own = dims(side)?.into_iter().enumerate();
                let is_free = |dim: i64| !batching.contains(&dim) && !contracting.contains(&dim);
                sizes.extend(own.filter(|(dim, _)| is_free(*dim as i64)).map(|(_, size)| size));
            }
            Some(sizes)
        }
        _ => None,
    }
}
