//! Sums of tiles that what follows them reads row by row, in a temporary of the tile.
//!
//! ```mlir
//! vector.transfer_write %s#1, %sums[%c16, %c0] : vector<16x16xf32>, memref<32x16xf32>
//! vector.transfer_write %s#0, %sums[%c0, %c0] : vector<16x16xf32>, memref<32x16xf32>
//! scf.for %r = %c0 to %c32 step %c1 {                                    // to %c16, if only so many rows are left:
//!   %x = vector.transfer_read %sums[%r, %c0] : memref<32x16xf32>, vector<16xf32>       // %s#1 is not needed then
//! ```

use strata_ir::{AffineMap, Op, TypeExt as _, constant_index, scf, vector};

/// The writes of such sums in the body of `each`, and the first row of each, where `along` are the loops over rows that end with them.
pub fn of<'c>(each: Op<'c>, along: &[Op<'c>]) -> Vec<(Op<'c>, i64)> {
    let writes = each.collect(|op| op.is(vector::TRANSFER_WRITE));
    let found = writes.into_iter().filter_map(|write| {
        let (dim, first) = row(write)?;
        let is_of_rows = |(user, operand): (Op<'c>, usize)| match user.name() {
            vector::TRANSFER_WRITE => operand == 1 && row(user).is_some_and(|(own, _)| own == dim),
            vector::TRANSFER_READ => reads_row(user, dim, along),
            _ => false,
        };
        write.operand(1).uses().into_iter().all(is_of_rows).then_some((write, first))
    });
    found.collect()
}

/// The dimension of the rows of a tile that is written from a constant row on, and that row.
fn row(write: Op<'_>) -> Option<(usize, i64)> {
    let map = write.attr("permutation_map").and_then(AffineMap::of)?;
    let is_tile = write.operand(0).ty().rank() == Some(2);
    let dim = map.results.first()?.as_dim().filter(|_| is_tile)?;
    Some((dim, constant_index(write.operand(2 + dim))?))
}

/// Whether it reads the row along this dimension that one of these loops is at.
fn reads_row<'c>(read: Op<'c>, dim: usize, along: &[Op<'c>]) -> bool {
    let counted = read.operands().get(1 + dim).and_then(|index| index.block_arg());
    let rows = counted.filter(|(_, at)| *at == 0).and_then(|(block, _)| block.parent_op());
    let map = read.attr("permutation_map").and_then(AffineMap::of);
    let is_one = map.is_some_and(|map| map.results.iter().all(|index| index.as_dim() != Some(dim)));
    rows.is_some_and(|rows| rows.is(scf::FOR) && along.contains(&rows)) && is_one
}
