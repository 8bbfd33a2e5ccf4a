//! Gathers of one slice, and those whose positions follow each other.
//!
//! ```text
//! gather(x, [i, j])                      → dynamic_slice(x, i, j), without the dimensions that it loses
//! gather(x, iota)                       → x
//! gather(x, 3 + 2 * iota)               → slice(x)[3, 5, …]
//! gather(x, floor(iota * 0.5))          → reshape(broadcast_in_dim(x)), each element twice
//! ```
//!
//! The last are images that are enlarged to the nearest of their elements: the positions are computed here.

use strata_ir::{GatherDimensionNumbers, Op, TypeExt as _, Value, boolean, i64s, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_shapes::DimExpr;
use strata_target::tuning::simplification::MAX_KNOWN_OPERATIONS;

use crate::{
    counted::{Run, Static, taken_dim},
    emit::Emit as _,
    pattern::{ints, patterns},
    simplification::{elements::Element, fold_elementwise::known_elements},
};

patterns! {
    /// A gather of one slice is a dynamic slice: both move it inside.
    GatherOfWindow = "gather-of-window" on [Gather] by gather_of_window;
    /// A gather at positions that follow each other is a slice.
    GatherOfRun = "gather-of-run" on [Gather] by gather_of_run;
    /// A gather of positions each of which is there equally often, one after the other, is a broadcast.
    GatherOfRepeats = "gather-of-repeats" on [Gather] by gather_of_repeats;
}

pub(crate) fn numbers_of(op: Op<'_>) -> Outcome<GatherDimensionNumbers> {
    let numbers = op.attr("dimension_numbers").and_then(GatherDimensionNumbers::from_attribute);
    numbers.or_decline("it has no dimensions")
}

/// Replaces a gather by one of other operands, dimensions and slices, with the same result.
pub(crate) fn replace<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    operands: [Value<'c>; 2],
    (numbers, slice_sizes): (&GatherDimensionNumbers, &[i64]),
) -> Outcome {
    let b = rewriter.builder();
    let numbers = numbers.to_attribute(b.context).or_decline("the dimensions do not fit")?;
    let gather = b.op(stablehlo::GATHER).operands(&operands);
    let gather = gather.attr("dimension_numbers", numbers);
    let gather = gather.attr("slice_sizes", i64s(b.context, slice_sizes));
    let gather = gather.attr("indices_are_sorted", boolean(b.context, false));
    rewriter.replace(&[gather.result(op.result(0).ty()).value()]);
    Ok(())
}

fn gather_of_window<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = numbers_of(op)?;
    let (indices, map) = (op.operand(1), &numbers.start_index_map);
    let count = indices.ty().element_count().or_decline("the shape is not static")?;
    let is_only = !map.is_empty() && count == map.len() as u64;
    (is_only && numbers.operand_batching_dims.is_empty()).or_decline("it takes several slices")?;
    let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let sizes = ints(op, "slice_sizes")?;
    let is_there = |dim: &i64| usize::try_from(*dim).is_ok_and(|dim| dim < sizes.len());
    map.iter().all(is_there).or_decline("there is no such dimension")?;
    let b = rewriter.builder();
    let listed = b.reshaped(indices, &[map.len() as i64]);
    let mut places = vec![None; sizes.len()];
    for (at, dim) in map.iter().enumerate() {
        let place = b.strided(listed, 0, (at as i64, 1, 1))?;
        places[*dim as usize] = Some(b.reshaped(place, &[]));
    }
    let window = b.window_at(op.operand(0), &places, &sizes)?;
    rewriter.replace(&[b.reshaped(window, &shape)]);
    Ok(())
}

fn gather_of_run<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = numbers_of(op)?;
    let sizes: Vec<_> = ints(op, "slice_sizes")?.into_iter().map(DimExpr::constant).collect();
    let run = Run::of(op, &numbers, &sizes, &Static::default());
    let run = run.or_decline("its positions do not follow each other")?;
    let number = |size: &DimExpr| size.as_constant().or_decline("a size is not a number");
    let taken = (number(&run.start)?, number(&run.size)?, run.stride);
    let slice = rewriter.builder().strided(op.operand(0), run.dim, taken)?;
    rewriter.replace(&[slice]);
    Ok(())
}

/// Positions `start, start, …, start + stride, start + stride, …`.
struct Repeats {
    start: i64,
    stride: i64,
    /// How often each is there.
    times: i64,
    /// How many different ones there are.
    count: i64,
}

impl Repeats {
    fn of(places: &[i64]) -> Option<Self> {
        let first = *places.first()?;
        let times = places.iter().take_while(|place| **place == first).count();
        let stride = places.get(times).map_or(1, |next| next - first);
        let is_regular = places.len().is_multiple_of(times)
            && stride > 0
            && places
                .iter()
                .enumerate()
                .all(|(at, place)| *place == first + (at / times) as i64 * stride);
        is_regular.then_some(Self {
            start: first,
            stride,
            times: times as i64,
            count: (places.len() / times) as i64,
        })
    }
}

fn gather_of_repeats<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = numbers_of(op)?;
    let shape = op.operand(0).ty().shape().or_decline("the shape is not static")?;
    let sizes = ints(op, "slice_sizes")?;
    let others = |dim: usize| sizes.get(dim) == shape.get(dim);
    let dim = taken_dim(&numbers, shape.len(), others).or_decline("it takes other slices")?;
    (shape[dim] > 0).or_decline("there is nothing to take")?;
    let places = known_elements(op.operand(1), &mut { MAX_KNOWN_OPERATIONS })?;
    let count = op.operand(1).ty().element_count().or_decline("the shape is not static")?;
    (count > 1).or_decline("it takes one slice")?;
    let place = |at: usize| match places.at(at) {
        // Positions outside are moved inside.
        Element::Int(place) => i64::try_from(place.clamp(0, i128::from(shape[dim]) - 1)).ok(),
        _ => None,
    };
    let places = (0..count as usize).map(place).collect::<Option<Vec<_>>>();
    let places = places.or_decline("the positions are not integers")?;
    let repeats = Repeats::of(&places).or_decline("the positions are not regular")?;
    let (b, rank) = (rewriter.builder(), shape.len());
    let taken = (repeats.start, repeats.count, repeats.stride);
    let slice = b.strided(op.operand(0), dim, taken)?;
    let mut to = shape;
    to[dim] = repeats.count;
    to.insert(dim + 1, repeats.times);
    let dims: Vec<_> = (0..=rank as i64).filter(|at| *at != dim as i64 + 1).collect();
    let repeated = b.broadcast_in_dim(slice, &to, &dims);
    to.remove(dim + 1);
    to[dim] *= repeats.times;
    rewriter.replace(&[b.reshaped(repeated, &to)]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    #[test]
    fn a_gather_of_one_slice_is_a_dynamic_slice() {
        let body = "%i = stablehlo.iota dim = 0 : tensor<2xi32>
            %j = stablehlo.multiply %i, %n : tensor<2xi32>
            %0 = \"stablehlo.gather\"(%x, %j) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0],
                start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 4>} : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<4xf32>
            %k = stablehlo.constant dense<[-1, 9]> : tensor<2xi32>
            %1 = \"stablehlo.gather\"(%x, %k) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0],
                start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 4>} : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<4xf32>
            return %0, %1 : tensor<4xf32>, tensor<4xf32>";
        let types = "(%x: tensor<3x5xf32>, %n: tensor<2xi32>) -> (tensor<4xf32>, tensor<4xf32>)";
        let printed = simplified(types, body);
        assert!(!printed.contains("gather"), "{printed}");
        assert!(printed.contains("stablehlo.dynamic_slice"), "{printed}");
        assert!(printed.contains("stablehlo.slice %arg0 [2:3, 0:4]"), "{printed}");
    }
}
