//! Writes of all columns of short rows as one write of the rows.
//!
//! Before:
//! ```mlir
//! vector.transfer_write %a, %m[%i, %c0] {permutation_map = (d0, d1) -> (d0)} : vector<16xf32>, memref<800x2xf32>
//! vector.transfer_write %b, %m[%i, %c1] {permutation_map = (d0, d1) -> (d0)} : vector<16xf32>, memref<800x2xf32>
//! ```
//! After: `%all` is `%m` with its rows as one.
//! ```mlir
//! %rows = vector.shuffle %a, %b [0, 16, 1, 17, …]
//! vector.store %rows, %all[2 * %i] : memref<1600xf32>, vector<32xf32>
//! ```

use strata_ir::{
    AffineMap, AttributeExt as _, Block, Builder, Context, Op, TypeExt as _, Value, constant_index,
    memref, vector,
};

use super::columns::ShortRows;

/// Joins the writes of columns in `root`.
pub fn write_rows<'c>(context: &'c Context, root: Op<'c>) {
    for region in root.regions() {
        for block in region.blocks() {
            let ops = block.ops();
            write_rows_of(context, block);
            ops.into_iter().for_each(|op| write_rows(context, op));
        }
    }
}

/// A write of some elements of a column.
struct Write<'c> {
    op: Op<'c>,
    rows: ShortRows<'c>,
    column: usize,
}

impl<'c> Write<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        if !op.is(vector::TRANSFER_WRITE) {
            return None;
        }
        let (lanes, buffer) = (op.operand(0), op.operand(1));
        let rows = ShortRows::of(buffer)?;
        let rank = buffer.ty().rank()?;
        let inside = op.attr("in_bounds")?.as_array()?;
        let is_column = lanes.ty().rank() == Some(1)
            && op.operand_count() == 2 + rank
            && inside.iter().all(|one| one.as_bool() == Some(true))
            && op.attr("permutation_map").and_then(AffineMap::of)?
                == AffineMap::projection(rank, &[rank - 2]);
        let column = constant_index(op.operand(1 + rank)).filter(|number| rows.has_column(*number));
        let column = usize::try_from(column.filter(|_| is_column)?).ok()?;
        Some(Self { op, rows, column })
    }

    /// The buffer and the row.
    fn place(&self) -> Vec<Value<'c>> {
        let operands = self.op.operands();
        operands[1..operands.len() - 1].to_vec()
    }

    fn is_beside(&self, other: &Self) -> bool {
        self.place() == other.place() && self.op.operand(0).ty() == other.op.operand(0).ty()
    }
}

/// Joins writes in a block between which nothing is read from memory or written to it.
fn write_rows_of<'c>(context: &'c Context, block: Block<'c>) {
    let mut group: Vec<Write<'c>> = Vec::new();
    for op in block.ops() {
        let Some(write) = Write::of(op) else {
            if !is_on_values(op) {
                group.clear();
            }
            continue;
        };
        let fits = group.iter().all(|one| one.is_beside(&write) && one.column != write.column);
        if !fits {
            group.clear();
        }
        group.push(write);
        if group.len() == group[0].rows.columns() {
            group.sort_by_key(|one| one.column);
            join(context, op, &group);
            group.clear();
        }
    }
}

/// Whether an operation touches no memory.
fn is_on_values(op: Op<'_>) -> bool {
    matches!(op.dialect(), "arith" | "math" | "affine") && op.regions().is_empty()
        || op.is(memref::DIM)
}

/// Replaces the writes of all columns, in order, by one at `last`.
fn join<'c>(context: &'c Context, last: Op<'c>, group: &[Write<'c>]) {
    let emit = Builder { location: last.location(), ..Builder::before(context, last) };
    let columns: Vec<_> = group.iter().map(|write| write.op.operand(0)).collect();
    let lanes = columns[0].ty().shape().and_then(|shape| shape.first().copied()).unwrap_or(1);
    let count = columns.len() as i64;
    let mut all = columns[0];
    for (number, column) in (1..).zip(&columns[1..]) {
        let mask: Vec<_> = match number + 1 == count {
            true => {
                (0..lanes).flat_map(|lane| (0..count).map(move |of| of * lanes + lane)).collect()
            }
            false => (0..(number + 1) * lanes).collect(),
        };
        all = emit.shuffle(all, *column, &mask);
    }
    let at = last.operands()[2..].to_vec();
    let place = group[0].rows.joined(emit, &at);
    emit.op(vector::STORE).operands(&[&[all][..], &place(0)].concat()).build();
    group.iter().for_each(|write| write.op.erase());
}
