//! Collapses reductions of several innermost dimensions into one.
//!
//! ```text
//! %r = linalg.generic { add } ins(%a : tensor<4x5x6xf32>)    // reduces the last two
//! ```
//! becomes
//! ```text
//! %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<4x5x6xf32> into tensor<4x30xf32>
//! %r = linalg.generic { add } ins(%c : tensor<4x30xf32>)
//! ```

use strata_ir::{AffineMap, Builder, Context, TypeExt as _, array, linalg, reassociation, tensor};

use crate::structured::{Structured, is_identity};

/// Joins the reduction loops of `nest` when they are innermost and every input has all dimensions
/// in order; true when it did.
pub fn collapse_reductions<'c>(context: &'c Context, nest: &Structured<'c>) -> bool {
    let loops = nest.extents.len();
    let Some(rows) = nest.row_loops().filter(|rows| loops > rows + 1) else { return false };
    let whole = nest.maps[..nest.inputs].iter().all(|map| is_identity(map, loops));
    if !whole || !nest.is_pure_map() {
        return false;
    }
    let (Some(maps), Some(kinds)) = (maps(context, nest, rows), kinds(context, rows)) else {
        return false;
    };
    let builder = Builder::before(context, nest.op);
    let counts = [&vec![1; rows][..], &[loops - rows]].concat();
    let mut shape = nest.extents[..rows].to_vec();
    shape.push(nest.extents[rows..].iter().product());
    for operand in 0..nest.inputs {
        let value = nest.op.operand(operand);
        let joined = builder
            .op(tensor::COLLAPSE_SHAPE)
            .operand(value)
            .attr("reassociation", reassociation(context, &counts))
            .result(tensor(&shape, value.ty().element()))
            .value();
        nest.op.set_operand(operand, joined);
    }
    nest.op.set_attr("indexing_maps", maps);
    nest.op.set_attr("iterator_types", kinds);
    true
}

fn maps<'c>(
    context: &'c Context,
    nest: &Structured<'c>,
    rows: usize,
) -> Option<strata_ir::Attribute<'c>> {
    let all: Vec<_> = (0..=rows).collect();
    let input = AffineMap::identity(rows + 1);
    let output = AffineMap::projection(rows + 1, &all[..rows]);
    let maps: Vec<_> = (0..nest.maps.len())
        .map(|operand| if operand < nest.inputs { input.clone() } else { output.clone() })
        .collect();
    Some(AffineMap::list(context, &maps))
}

fn kinds(context: &Context, rows: usize) -> Option<strata_ir::Attribute<'_>> {
    let mut kinds = vec![linalg::IteratorType::Parallel.to_attribute(context); rows];
    kinds.push(linalg::IteratorType::Reduction.to_attribute(context));
    Some(array(context, &kinds))
}
