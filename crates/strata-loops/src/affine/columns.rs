//! Columns of short rows that one nest computes, each a vector of rows at a time, which become whole rows once buffers are assigned
//! ([`crate::vector`]).
//!
//! ```text
//! %c:2 = scf.for … { … vector.transfer_write %v, … vector.transfer_write %w, … }
//! %0 = tensor.insert_slice %c#0 into %e[0, 0] [32, 1] … : tensor<32xf32> into tensor<32x2xf32>
//! %1 = tensor.insert_slice %c#1 into %0[0, 1] [32, 1] … : tensor<32xf32> into tensor<32x2xf32>
//! ```

use strata_ir::{
    AffineMap, AttributeExt as _, Op, Type, TypeExt as _, Value, inserted_columns, linalg, scf,
    tensor, vector,
};
use strata_target::tuning::columns::MAX_ROW;

/// Whether `insert` is of a column whose nest writes the others, too, in whole vectors or in plain loops.
pub(super) fn are_together(insert: Op<'_>) -> bool {
    let Some(all) = inserted_columns(insert, MAX_ROW) else { return false };
    let nest = insert.operand(0).owner();
    let mut places: Vec<_> = all.iter().map(|one| one.operand(0).result_index()).collect();
    places.sort();
    places.dedup();
    let is_one = places.len() == all.len() && all.iter().all(|one| one.operand(0).owner() == nest);
    nest.filter(|_| is_one).is_some_and(|nest| match nest.name() {
        linalg::GENERIC => true,
        scf::FOR => writes_vectors(nest, insert.operand(0).ty()),
        _ => false,
    })
}

/// Whether a version of a tensor is of the nest that computes `column`, or of what it begins with. Others are not in the rows: a vector of
/// them would be read with columns that nothing has written yet.
pub(super) fn is_of_nest(version: Value<'_>, column: Value<'_>) -> bool {
    let Some(nest) = column.owner() else { return false };
    let within = |op: Op<'_>| op == nest || nest.encloses(op);
    match version.owner() {
        Some(owner) => within(owner) || owner.is(tensor::EMPTY),
        None => {
            let block = version.block_arg().map(|(block, _)| block);
            block.and_then(|block| block.parent_op()).is_some_and(within)
        }
    }
}

/// Whether all that a nest writes are vectors along the last dimension of tensors like `ty`, or of tiles of these, all lanes of which are
/// inside.
fn writes_vectors<'c>(nest: Op<'c>, ty: Type<'c>) -> bool {
    let rank = ty.rank().unwrap_or_default();
    if !ty.element().can_shuffle() || rank == 0 {
        return false;
    }
    let writers = nest.collect(|op| op.results().iter().any(|result| result.ty().is_tensor_type()));
    let is_of_rank =
        |op: Op<'c>| op.results().iter().all(|result| result.ty().rank() == Some(rank));
    writers.into_iter().all(|op| match op.name() {
        scf::FOR => is_of_rank(op),
        tensor::EXTRACT_SLICE | tensor::INSERT_SLICE => {
            let strides = op.attr("static_strides").and_then(|strides| strides.as_i64s());
            let is_plain = strides.is_some_and(|all| all.iter().all(|stride| *stride == 1));
            let uses = op.result(0).uses();
            is_plain && is_of_rank(op) && op.operand(0).ty().rank() == Some(rank)
                || uses.iter().all(|(user, _)| user.is(vector::TRANSFER_READ))
        }
        vector::TRANSFER_WRITE => {
            let inside = op.attr("in_bounds").and_then(|inside| inside.as_array());
            is_of_rank(op)
                && op.operand(0).ty().rank() == Some(1)
                && op.operand_count() == 2 + rank
                && op.attr("permutation_map").and_then(AffineMap::of)
                    == Some(AffineMap::projection(rank, &[rank - 1]))
                && inside.is_some_and(|all| all.iter().all(|one| one.as_bool() == Some(true)))
        }
        _ => false,
    })
}
