//! Columns of short rows that are put beside each other.
//!
//! ```text
//! %0 = tensor.insert_slice %a into %e[0, 0] [32, 1] [1, 1] : tensor<32xf32> into tensor<32x2xf32>
//! %1 = tensor.insert_slice %b into %0[0, 1] [32, 1] [1, 1] : tensor<32xf32> into tensor<32x2xf32>
//! ```

use crate::{AttributeExt as _, Op, TypeExt as _, tensor};

/// The column that an insertion fills, and how many there are.
fn column(insert: Op<'_>) -> Option<(usize, usize)> {
    if !insert.is(tensor::INSERT_SLICE) || insert.operand_count() != 2 {
        return None;
    }
    let list = |name| insert.attr(name).and_then(|list| list.as_i64s());
    let (offsets, sizes) = (list("static_offsets")?, list("static_sizes")?);
    let (number, before) = offsets.split_last()?;
    let shape = insert.result(0).ty().shape()?;
    let (row, outer) = shape.split_last()?;
    let is_whole = before.iter().all(|offset| *offset == 0)
        && sizes.split_last() == Some((&1, outer))
        && list("static_strides")?.iter().all(|stride| *stride == 1)
        && insert.operand(0).ty().shape()?.last() == outer.last();
    let count = usize::try_from(*row).ok()?;
    is_whole.then_some((usize::try_from(*number).ok()?, count))
}

/// The insertions of all columns of rows of two to `longest` elements, one of which `insert` is, by the number of the column; each is
/// only read by the next one.
pub fn inserted_columns(insert: Op<'_>, longest: i64) -> Option<Vec<Op<'_>>> {
    let (_, count) = column(insert)?;
    if !(2..=usize::try_from(longest).ok()?).contains(&count) {
        return None;
    }
    let is_next = |op: &Op<'_>| column(*op).is_some_and(|(_, columns)| columns == count);
    let mut all = vec![None; count];
    let mut first = insert;
    for _ in 1..count {
        match first.operand(1).owner().filter(is_next) {
            Some(before) => first = before,
            None => break,
        }
    }
    let mut next = first;
    for place in 0..count {
        all[column(next)?.0] = Some(next);
        if place + 1 < count {
            let [(user, 1)] = next.result(0).uses()[..] else { return None };
            next = Some(user).filter(is_next)?;
        }
    }
    all.into_iter().collect()
}
