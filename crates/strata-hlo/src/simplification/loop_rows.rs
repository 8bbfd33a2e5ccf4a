//! Dots of rows that a loop takes from a tensor one after the other are one dot before the loop.
//!
//! ```text
//! while(i = 0, h) cond { i < 128 } do { return i + 1, f(h, dot(x[i], w)) }
//!     → y = dot(x, w); while(i = 0, h) cond { i < 128 } do { return i + 1, f(h, y[i]) }
//! ```
//! where `x` of `[128, 1, 256]` and `w` are invariant. The matrix is read once instead of in each trip: recurrent networks have such a dot for
//! their inputs beside that of their state. The position may be any, since each row of `y` is that of `x`; only how often the loop runs has
//! to be known, so that no row is computed in vain. Each element is the same sum of products; in which order it is added is the dot's
//! ([numerics](../../../../docs/numerics.md)).

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, DotDimensionNumbers, Op, OpKind,
    TypeExt as _, Value, ZEROS, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{
    MAX_BYTES_BEFORE_A_LOOP, MAX_ROWS_BEFORE_A_LOOP_GROWTH, MAX_ROWS_IN_A_TRIP,
    MIN_DOT_BEFORE_A_LOOP,
};

use crate::{
    emit::Emit as _,
    pattern::{defined_by, ints, patterns, splat},
    simplification::loop_unrolling::{Counter, counter},
};

patterns! {
    /// The dots of all rows that a loop takes.
    DotOfRows = "dot-of-rows" on [DotGeneral] by dot_of_rows;
}

/// A row of an invariant tensor, at a position of a trip.
struct Row<'c> {
    tensor: Value<'c>,
    /// The dimension that the loop walks along.
    dim: usize,
    place: Value<'c>,
    /// Whether the row has lost that dimension.
    is_dropped: bool,
}

impl<'c> Row<'c> {
    fn of(value: Value<'c>, around: Op<'c>) -> Outcome<Self> {
        let reshape = defined_by(value, OpKind::Reshape).ok();
        let slice = reshape.map_or(value, |reshape| reshape.operand(0));
        let slice = defined_by(slice, OpKind::DynamicSlice)?;
        let tensor = slice.operand(0);
        is_invariant(tensor, around).or_decline("what it takes rows of changes in the loop")?;
        let whole =
            tensor.ty().shape().or_decline("it takes rows of something else than a tensor")?;
        let sizes = ints(slice, "slice_sizes")?;
        let mut shorter = (0..whole.len()).filter(|dim| sizes[*dim] != whole[*dim]);
        let dim = shorter.next().or_decline("it takes all rows")?;
        let is_row = shorter.next().is_none() && sizes[dim] == 1;
        is_row.or_decline("it takes more than a row")?;
        let row = value.ty().shape().or_decline("a row is not a tensor")?;
        let mut dropped = sizes.clone();
        dropped.remove(dim);
        let is_dropped = row == dropped && row.len() < sizes.len();
        (is_dropped || row == sizes).or_decline("a row has another shape")?;
        Ok(Self { tensor, dim, place: slice.operand(1 + dim), is_dropped })
    }

    /// A dimension of the tensor.
    fn dim_of(&self, dim: i64) -> i64 {
        dim + i64::from(self.is_dropped && dim >= self.dim as i64)
    }
}

/// Whether a value is the same in each trip of the loop.
fn is_invariant<'c>(value: Value<'c>, around: Op<'c>) -> bool {
    value.home().is_some_and(|home| !around.encloses(home))
}

/// Whether a loop runs as often as there are rows, or as there are in a call where their number is a size that callers give.
fn takes_all<'c>(row: &Row<'c>, rows: i64, around: Op<'c>) -> Outcome {
    let (first, step, last) = counter(around)?;
    if let Ok(counter) = Counter::known(first, step, last) {
        return (counter.trips() >= rows).or_decline("not all rows are taken");
    }
    let is_one =
        |value: Value<'c>, number: i64| splat(value).is_ok_and(|one| one.as_i64() == Some(number));
    (is_one(first, 0) && is_one(step, 1)).or_decline("the loop does not count from 0")?;
    let size = std::iter::successors(Some(last), |value| {
        defined_by(*value, OpKind::Convert).ok().map(|convert| convert.operand(0))
    });
    let (entry, index) = size
        .last()
        .and_then(|size| size.block_arg())
        .or_decline("how often the loop runs is not known")?;
    let func = entry
        .parent_op()
        .filter(|op| op.has_attr(ZEROS))
        .or_decline("the end is not a size of a call")?;
    let valid = func.attr(ZEROS).and_then(|maps| maps.as_array()).unwrap_or_default();
    let (home, input) = row.tensor.block_arg().or_decline("its rows are not those of an input")?;
    let map = valid.get(input).and_then(|map| AffineMap::of(*map));
    let own = map.and_then(|map| map.results.get(row.dim).and_then(AffineExpr::as_dim));
    let size = index.checked_sub(valid.len());
    (home == entry && own.is_some() && own == size).or_decline("not all rows are taken")
}

fn dot_of_rows<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let around = op.parent().filter(|around| around.kind() == OpKind::While);
    let around = around.or_decline("it is not in a loop")?;
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let mut numbers = numbers.or_decline("it has no dimension numbers")?;
    let [left, right] = [0, 1].map(|at| op.operand(at));
    is_invariant(right, around).or_decline("the right operand changes in the loop")?;
    let row = Row::of(left, around)?;
    let whole =
        row.tensor.ty().shape().or_decline("it takes rows of something else than a tensor")?;
    takes_all(&row, whole[row.dim], around)?;
    for dims in [&mut numbers.lhs_batching_dimensions, &mut numbers.lhs_contracting_dimensions] {
        for dim in dims.iter_mut() {
            *dim = row.dim_of(*dim);
        }
        (!dims.contains(&(row.dim as i64))).or_decline("rows are what it sums over, or a batch")?;
    }
    // The walked dimension in the result: after batches, in order.
    let taken = |dim: &i64| {
        numbers.lhs_batching_dimensions.contains(dim)
            || numbers.lhs_contracting_dimensions.contains(dim)
    };
    let free: Vec<_> = (0..whole.len() as i64).filter(|dim| !taken(dim)).collect();
    let before = free.iter().position(|dim| *dim == row.dim as i64);
    let at = numbers.lhs_batching_dimensions.len() + before.or_decline("it has no rows")?;
    let mut shape = op.result(0).ty().shape().or_decline("the result has no shape")?;
    if row.is_dropped {
        shape.insert(at, whole[row.dim]);
    } else {
        shape[at] = whole[row.dim];
    }
    let count = |value: Value<'c>| value.ty().element_count().or_decline("a size is open");
    let rows: i64 =
        free.iter().filter(|dim| **dim != row.dim as i64).map(|dim| whole[*dim as usize]).product();
    (rows <= MAX_ROWS_IN_A_TRIP).or_decline("there are enough rows in each trip")?;
    let is_large = count(right)? >= MIN_DOT_BEFORE_A_LOOP.saturating_mul(rows.unsigned_abs());
    is_large.or_decline("the right operand is small")?;
    let all = tensor(&shape, op.result(0).ty().element());
    let most = (count(row.tensor)? + count(right)?).saturating_mul(MAX_ROWS_BEFORE_A_LOOP_GROWTH);
    let results = all.element_count().or_decline("a size is open")?;
    (results <= most).or_decline("all results are much larger than the operands")?;
    let bytes = all.element().byte_width().map(|width| results.saturating_mul(width));
    bytes
        .is_some_and(|bytes| bytes <= MAX_BYTES_BEFORE_A_LOOP)
        .or_decline("all results take much memory")?;
    let numbers = numbers.to_attribute(rewriter.context()).or_decline("they do not fit")?;
    let others: Vec<_> =
        op.attrs().into_iter().filter(|(name, _)| *name != "dot_dimension_numbers").collect();
    let outside =
        Builder { location: op.location(), ..Builder::before(rewriter.context(), around) };
    let product = outside.op(stablehlo::DOT_GENERAL).operands(&[row.tensor, right]);
    let product = product.attr("dot_dimension_numbers", numbers).attrs(&others);
    let product = product.result(all).value();
    let inside = rewriter.builder();
    let value = match row.is_dropped {
        true => inside.taken(product, at, row.place)?,
        false => inside.slid(product, at, row.place, 1)?,
    };
    rewriter.replace(&[value]);
    Ok(())
}
