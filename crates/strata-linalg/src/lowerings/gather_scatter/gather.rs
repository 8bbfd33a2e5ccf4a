//! `gather` to a parallel nest that reads the operand at computed, clamped indices.
//!
//! ```text
//! %2 = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
//!        collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
//!        slice_sizes = array<i64: 1, 6>}> : (tensor<11x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
//! ```
//! becomes
//! ```text
//! %2 = linalg.generic ins(%ids through (d0, d1) -> (d0)) outs(empty) {
//!   %row = clamp(%id, 0, 10)
//!   %x = tensor.extract %table[%row, linalg.index 1]
//! }
//! ```
//!
//! Each component of an index is a separate input: it is read once per slice, not once per element.

use strata_ir::{
    AttributeExt as _, Builder, Op, OpKind, TypeExt as _, Value, arith, integer,
    linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use super::rows::Rows;
use crate::{
    dims::{GatherDims, gather_dims, ints, shape},
    generic::{Indexed, generic, loop_index},
    lowerings::{
        convert::resize,
        shape::{extract_slice, reshape::reshape},
    },
};

/// The lowering of `gather`.
pub struct Gather;

impl Lowering for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Gather]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let numbers = gather_dims(op)?;
        let slice = ints(op, "slice_sizes")?;
        let from = shape(operands[0])?;
        let result = op.result(0).ty();
        let sizes = result.shape().or_decline("the shape is not static")?;
        if let Some(rows) = Rows::of(op, &numbers, &slice, lowerer) {
            return Ok(vec![rows.joined(&builder, &sizes)?]);
        }
        let signed = !op.operand(1).ty().element().is_unsigned_int();
        let batch: Vec<usize> =
            (0..sizes.len()).filter(|dim| !numbers.offset.contains(dim)).collect();
        let components = index_components(lowerer, op.operand(1), numbers.index_vector_dim)?;
        let inputs: Vec<_> =
            components.iter().map(|value| Indexed::by(*value, sizes.len(), &batch)).collect();
        let element = result.element().signless();
        if numbers.takes_nothing(&slice) {
            return Ok(vec![builder.filled(builder.number(element, 0.0), &sizes)]);
        }
        let output = Indexed::identity(builder.empty(&sizes, element));
        let loops = vec![IteratorType::Parallel; sizes.len()];
        generic(&builder, &inputs, &[output], &loops, |inner, args| {
            let at = operand_index(inner, &numbers, &slice, &from, &batch, args, signed);
            Ok(vec![inner.extract(operands[0], &at)])
        })
    }
}

/// The components of index vectors, one tensor over the remaining dimensions for each; those that a concatenation puts beside each other are
/// what it is given, so that vectors need not be in memory.
pub fn index_components<'c>(
    lowerer: &Lowerer<'c>,
    indices: Value<'c>,
    vector_dim: usize,
) -> Outcome<Vec<Value<'c>>> {
    let pieces = indices.owner().filter(|owner| owner.kind() == OpKind::Concatenate);
    let dim = pieces.and_then(|op| op.attr("dimension")).and_then(|dim| dim.as_i64());
    if let (Some(op), Some(true)) = (pieces, dim.map(|dim| dim == vector_dim as i64)) {
        let parts = op.operands().into_iter();
        let parts = parts.map(|part| index_components(lowerer, part, vector_dim));
        return Ok(parts.collect::<Outcome<Vec<_>>>()?.concat());
    }
    let indices = lowerer.lookup(indices).or_decline("the indices are not lowered yet")?;
    let builder = &lowerer.builder();
    let sizes = shape(indices)?;
    let Some(count) = sizes.get(vector_dim).copied() else { return Ok(vec![indices]) };
    let mut rest = sizes.clone();
    rest.remove(vector_dim);
    (0..count)
        .map(|component| {
            if count == 1 {
                return reshape(builder, indices, &rest);
            }
            let mut offsets = vec![0; sizes.len()];
            offsets[vector_dim] = component;
            let mut extent = sizes.clone();
            extent[vector_dim] = 1;
            let slice = extract_slice(builder, indices, &offsets, &extent, &vec![1; sizes.len()]);
            reshape(builder, slice, &rest)
        })
        .collect()
}

/// `index` of any integer type as an index between 0 and `limit`.
pub fn clamped<'c>(b: &Builder<'c>, index: Value<'c>, limit: i64, signed: bool) -> Value<'c> {
    let i64_type = integer(b.context, 64);
    let wide = resize(b, index, i64_type, signed);
    let limit = b.int(i64_type, limit);
    let inside = if signed {
        let zero = b.int(i64_type, 0);
        let above = match strata_ir::planted("linalg-gather-clamp") {
            true => wide,
            false => b.same(arith::MAXSI, &[wide, zero]),
        };
        b.same(arith::MINSI, &[above, limit])
    } else {
        b.same(arith::MINUI, &[wide, limit])
    };
    b.cast(arith::INDEX_CAST, inside, strata_ir::index(b.context))
}

/// The index in the operand of the element at the current loop indices.
fn operand_index<'c>(
    b: &Builder<'c>,
    numbers: &GatherDims,
    slice: &[i64],
    from: &[i64],
    batch: &[usize],
    components: &[Value<'c>],
    signed: bool,
) -> Vec<Value<'c>> {
    let mut offsets = numbers.offset.iter();
    (0..from.len())
        .map(|dim| {
            let batching = numbers.operand_batching.iter().position(|other| *other == dim);
            if let Some(position) = batching {
                return loop_index(b, batch[batch_position(numbers, position)]);
            }
            let start =
                numbers.start_index_map.iter().position(|other| *other == dim).map(|component| {
                    let last =
                        if strata_ir::planted("linalg-gather-limit") { 1 } else { slice[dim] };
                    clamped(b, components[component], from[dim] - last, signed)
                });
            let offset = (!numbers.collapsed.contains(&dim))
                .then(|| offsets.next().map(|loop_dim| loop_index(b, *loop_dim)))
                .flatten();
            match (start, offset) {
                (Some(start), Some(offset)) if slice[dim] != 1 => {
                    b.same(arith::ADDI, &[start, offset])
                }
                (Some(start), _) => start,
                (None, Some(offset)) => offset,
                (None, None) => b.index(0),
            }
        })
        .collect()
}

/// The position among the result's batch dimensions of a batching dimension of the indices.
fn batch_position(numbers: &GatherDims, position: usize) -> usize {
    let dim = numbers.indices_batching[position];
    if dim > numbers.index_vector_dim { dim - 1 } else { dim }
}
