//! Index vectors that are the same along a batching dimension: slices of all of it, at the vectors of one place.
//!
//! ```text
//! gather(x, i)            i of [n, c, h, w, 2], the same for all c; x of [n, c, y, x], c a batching dimension of both
//!   → gather(x, i[:, 0])  slices of all c
//! ```
//! Exporters broadcast coordinates to all features before they compute places and weights (`grid_sample` of PyTorch).

use strata_ir::{Op, TypeExt as _};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    pattern::{ints, is_whole, patterns},
    simplification::{
        gather::{numbers_of, replace},
        repeated::Repeated,
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
