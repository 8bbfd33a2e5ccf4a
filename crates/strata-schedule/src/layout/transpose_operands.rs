//! Transposes operands of a contraction whose rows do not run along the result's rows.
//!
//! ```text
//! %r = linalg.generic { multiply, add } ins(%a, %b)   // %b is indexed (n, k), the result (m, n)
//! ```
//! becomes
//! ```text
//! %t = linalg.generic { copy } ins(%b)                // indexed (k, n)
//! %r = linalg.generic { multiply, add } ins(%a, %t)
//! ```
//! The copy is fused into the loop over column panels, so that it also packs them.

use strata_ir::{
    AffineMap, Builder, Context, Op, TypeExt as _, array, linalg, projection, tensor, unit,
};
use strata_target::tuning::tiling::MIN_TRANSPOSE_REUSE;

use crate::{
    structured::{Index, Structured},
    transform::tags,
};

/// Transposes the inputs of `nest` that need it; returns whether there were any.
pub fn transpose_operands<'c>(context: &'c Context, nest: &Structured<'c>) -> bool {
    let parallel: Vec<_> =
        (0..nest.extents.len()).filter(|number| !nest.reduction[*number]).collect();
    let Some(column) = parallel.last().copied().filter(|_| nest.inputs == 2) else { return false };
    let is_plain = |map: &[Index]| map.iter().all(|index| matches!(index, Index::Loop(_)));
    if !nest.maps.iter().all(|map| is_plain(map)) {
        return false;
    }
    let mut is_transposed = false;
    for operand in 0..nest.inputs {
        let reuse: i64 = parallel
            .iter()
            .filter(|number| !nest.operand_uses(operand, **number))
            .map(|number| nest.extents[*number])
            .product();
        let needs = nest.operand_uses(operand, column) && !nest.walks_along(operand, column);
        if needs && reuse >= MIN_TRANSPOSE_REUSE {
            is_transposed |= transpose_operand(context, nest, operand, column).is_some();
        }
    }
    is_transposed
}

fn transpose_operand<'c>(
    context: &'c Context,
    nest: &Structured<'c>,
    operand: usize,
    column: usize,
) -> Option<()> {
    let source = nest.op.operand(operand);
    let shape = source.ty().shape()?;
    let rank = shape.len();
    let at = nest.maps[operand].iter().position(|index| *index == Index::Loop(column))?;
    let order: Vec<usize> = (0..rank).filter(|dim| *dim != at).chain([at]).collect();
    let element = source.ty().element();
    let is_transposed: Vec<i64> = order.iter().map(|dim| shape[*dim]).collect();
    let builder = Builder::before(context, nest.op);
    let ty = tensor(&is_transposed, element);
    let empty = tensor::empty(&builder, &[], ty).value();
    // Dimension `order[i]` of the source is dimension `i` of the copy.
    let positions: Vec<usize> = match strata_ir::planted("schedule-transpose") {
        true => order.clone(),
        false => (0..rank).filter_map(|dim| order.iter().position(|from| *from == dim)).collect(),
    };
    let body = builder.region(&[element, element], |body, args| {
        linalg::yield_(body, &[args[0]]).build();
    });
    let maps = [AffineMap::projection(rank, &positions), AffineMap::identity(rank)];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    let copy = linalg::generic(&builder, &maps, &loops, &[ty], body)
        .inputs(&[source])
        .outputs(&[empty])
        .attr(tags::TRANSPOSED, unit(context))
        .value();
    set_input(context, nest, operand, copy, &order)
}

/// Makes the nest read `value`, whose dimension `i` is dimension `order[i]` of the old operand.
fn set_input<'c>(
    context: &'c Context,
    nest: &Structured<'c>,
    operand: usize,
    value: strata_ir::Value<'c>,
    order: &[usize],
) -> Option<()> {
    let op: Op<'c> = nest.op;
    let loops = nest.extents.len();
    let dims = |map: &[Index]| -> Option<Vec<usize>> {
        map.iter()
            .map(|index| match index {
                Index::Loop(number) => Some(*number),
                Index::Mixed(_) => None,
            })
            .collect()
    };
    let maps: Vec<_> = nest
        .maps
        .iter()
        .enumerate()
        .map(|(number, map)| {
            let map = dims(map)?;
            let map = match number == operand {
                true => order.iter().map(|dim| map[*dim]).collect(),
                false => map,
            };
            Some(projection(context, loops, &map))
        })
        .collect::<Option<_>>()?;
    op.set_operand(operand, value);
    op.set_attr("indexing_maps", array(context, &maps));
    Some(())
}
