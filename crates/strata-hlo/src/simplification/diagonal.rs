//! Sums of a diagonal, as `jnp.trace` writes them: of a matrix where the row is the column, and zeros elsewhere.
//!
//! ```text
//! reduce(select(iota 0 + k == iota 1, x, 0)) add over both dimensions
//!   → reduce(slice(reshape(x))[k::columns + 1]) add
//! ```
//! Adding zeros to a sum that starts from 0 changes nothing. A product with a mask is another matter: infinities times zero are NaN.

use strata_ir::{
    AttributeExt as _, ComparisonDirection, Op, OpKind, TypeExt as _, Value, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{defined_by, ints, is_whole, patterns, splat, sums},
    simplification::iota::positions,
};

patterns! {
    /// A sum of what is on a diagonal.
    SumOfDiagonal = "sum-of-diagonal" on [Reduce] by sum_of_diagonal;
}

/// A position along a dimension, and what is added to it.
fn place(value: Value<'_>) -> Outcome<(i64, i64)> {
    let Ok(sum) = defined_by(value, OpKind::Add) else { return Ok((positions(value)?.0, 0)) };
    let (position, size) = positions(sum.operand(0))?;
    let offset = splat(sum.operand(1))?.as_i64().or_decline("the offset is not an integer")?;
    let limit = value.ty().element().bit_width().map_or(0, |bits| 1 << (bits - 1).min(62));
    // Half of the numbers that the type has, for positions and for offsets: no sum wraps around.
    (size <= limit / 2 && offset.abs() <= limit / 2).or_decline("a position may wrap around")?;
    Ok((position, offset))
}

/// Whether the value is 0, with any sign.
fn is_zero(value: Value<'_>) -> bool {
    splat(value).is_ok_and(|one| one.as_f64() == Some(0.0) || one.as_i64() == Some(0))
}

fn sum_of_diagonal<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    sums(op)?;
    is_whole(op)?;
    let start = splat(op.operand(1))?;
    let starts_from_zero = start
        .as_f64()
        .map_or(start.as_i64() == Some(0), |start| start == 0.0 && start.is_sign_positive());
    starts_from_zero.or_decline("the sum does not start from 0")?;
    // Sums of narrow floats are in 32 bits.
    let widened = defined_by(op.operand(0), OpKind::Convert).ok();
    let masked = widened.map_or(op.operand(0), |convert| convert.operand(0));
    let select = defined_by(masked, OpKind::Select)?;
    is_zero(select.operand(2)).or_decline("what is beside the diagonal is not 0")?;

    let mut mask = select.operand(0);
    let mut dims: Vec<i64> = (0..mask.ty().shape().or_decline("no shape")?.len() as i64).collect();
    if let Ok(broadcast) = defined_by(mask, OpKind::BroadcastInDim) {
        (mask, dims) = (broadcast.operand(0), ints(broadcast, "broadcast_dimensions")?);
    }
    let compare = defined_by(mask, OpKind::Compare)?;
    let direction =
        compare.attr("comparison_direction").and_then(ComparisonDirection::from_attribute);
    (direction == Some(ComparisonDirection::Eq)).or_decline("positions are not the same")?;
    let (left, right) = (place(compare.operand(0))?, place(compare.operand(1))?);
    let (row, column) = if left.0 < right.0 { (left, right) } else { (right, left) };
    let sizes = mask.ty().shape().or_decline("the shape is not static")?;
    let (rows, columns) = (sizes[row.0 as usize], sizes[column.0 as usize]);
    let (first, second) = (dims[row.0 as usize] as usize, dims[column.0 as usize] as usize);
    (second == first + 1).or_decline("the dimensions are not beside each other")?;

    let matrix = select.operand(1);
    let shape = matrix.ty().shape().or_decline("the shape is not static")?;
    let fits = shape.get(first..=second) == Some(&[rows, columns][..]);
    fits.or_decline("the mask is repeated along the diagonal")?;
    let over: Vec<_> = ints(op, "dimensions")?.iter().map(|dim| *dim as usize).collect();
    (over.contains(&first) && over.contains(&second)).or_decline("a dimension is kept")?;
    // In row r the element of column r + ahead.
    let ahead = row.1 - column.1;
    let (begin, count) = match ahead {
        0.. => (ahead, rows.min(columns - ahead)),
        _ => (-ahead * columns, columns.min(rows + ahead)),
    };
    (count > 0).or_decline("the diagonal is empty")?;

    let builder = rewriter.builder();
    let mut flat = shape.clone();
    flat.splice(first..=second, [rows * columns]);
    let flat = builder.reshaped(matrix, &flat);
    let mut diagonal = builder.strided(flat, first, (begin, count, columns + 1))?;
    if let Some(convert) = widened {
        diagonal = builder.converted(diagonal, convert.result(0).ty().element());
    }
    let over = over.iter().filter(|dim| **dim != second);
    let over: Vec<_> = over.map(|dim| if *dim > second { dim - 1 } else { *dim }).collect();
    let value = builder.reduced(stablehlo::ADD, [diagonal, op.operand(1)], &over)?;
    rewriter.replace(&[value]);
    Ok(())
}
