//! Collapses reductions of several innermost dimensions into one, and loops of transposes.
//!
//! ```text
//! %r = linalg.generic { add } ins(%a : tensor<4x5x6xf32>)    // reduces the last two
//! ```
//! becomes
//! ```text
//! %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<4x5x6xf32> into tensor<4x30xf32>
//! %r = linalg.generic { add } ins(%c : tensor<4x30xf32>)
//! ```

use strata_ir::{
    AffineMap, Builder, Context, Op, TypeExt as _, array, i64s, linalg, reassociation, tensor,
};

use strata_target::Target;

use crate::{
    structured::{Index, Structured, is_identity},
    tiling::{candidates, transpose},
};

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

/// Joins loops of the only operation of a nest if it is a transpose and gains from that.
pub fn collapse_transpose<'c>(context: &'c Context, func: Op<'c>, target: &Target) {
    let Some(parts) = candidates::parts(func) else { return };
    let Ok((lanes, _)) = candidates::lanes_of(&parts, target) else { return };
    if let [only] = parts.generics.as_slice()
        && transpose::gains_from_runs(only, lanes)
    {
        collapse_runs(context, only);
    }
}

/// Joins loops of a transpose that follow each other both in its operand and in its result, such as those of an image's rows and columns,
/// which may be shorter than a square.
///
/// ```text
/// %r = linalg.generic { copy } ins(%a : tensor<512x14x14xf32>) -> tensor<14x14x512xf32>
/// ```
/// becomes
/// ```text
/// %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<512x14x14xf32> into tensor<512x196xf32>
/// %t = linalg.generic { copy } ins(%c) -> tensor<196x512xf32>
/// %r = tensor.expand_shape %t [[0, 1], [2]] : tensor<196x512xf32> into tensor<14x14x512xf32>
/// ```
fn collapse_runs<'c>(context: &'c Context, nest: &Structured<'c>) {
    let (op, runs) = (nest.op, transpose::runs(nest));
    let place = |number: usize| nest.maps[0].iter().position(|at| *at == Index::Loop(number));
    let mut order: Vec<_> = (0..runs.len()).collect();
    order.sort_by_key(|run| runs[*run].first().and_then(|first| place(*first)));
    let joined = |runs: &mut dyn Iterator<Item = &Vec<usize>>| -> (Vec<usize>, Vec<i64>) {
        let sizes =
            |run: &Vec<usize>| run.iter().map(|number| nest.extents[*number]).product::<i64>();
        runs.map(|run| (run.len(), sizes(run))).unzip()
    };
    let (counts, shape) = joined(&mut order.iter().map(|run| &runs[*run]));
    let (result_counts, result_shape) = joined(&mut runs.iter());
    let (source, whole) = (op.operand(0), op.result(0).ty());
    let element = source.ty().element();
    let builder = Builder::before(context, op);
    let collapsed = builder
        .op(tensor::COLLAPSE_SHAPE)
        .operand(source)
        .attr("reassociation", reassociation(context, &counts))
        .result(tensor(&shape, element))
        .value();
    let ty = tensor(&result_shape, element);
    let empty = tensor::empty(&builder, &[], ty).value();
    let body = builder.region(&[element, element], |body, args| {
        linalg::yield_(body, &[args[0]]).build();
    });
    let maps = [AffineMap::projection(runs.len(), &order), AffineMap::identity(runs.len())];
    let loops = vec![linalg::IteratorType::Parallel; runs.len()];
    let copy = linalg::generic(&builder, &maps, &loops, &[ty], body)
        .inputs(&[collapsed])
        .outputs(&[empty])
        .value();
    let expanded = builder
        .op(tensor::EXPAND_SHAPE)
        .operand(copy)
        .attr("reassociation", reassociation(context, &result_counts))
        .attr("static_output_shape", i64s(context, &whole.shape().unwrap_or_default()))
        .result(whole)
        .value();
    op.result(0).replace_all_uses_with(expanded);
    op.erase();
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
