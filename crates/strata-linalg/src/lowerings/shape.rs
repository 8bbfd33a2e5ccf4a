//! `broadcast_in_dim`, `transpose`, `slice` and `concatenate`.

pub(crate) mod pad;
pub(crate) mod reshape;
pub(crate) mod reverse;

use strata_ir::{
    Builder, Op, OpKind, TypeExt as _, Value, bounded_entry, i64s, linalg, linalg::IteratorType,
    tensor,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::{
    Target,
    tuning::{
        columns::MAX_ROW,
        lowering::{MAX_COLUMN_BYTES, MAX_SHORT_ROW, MIN_COLUMNS},
    },
};

use crate::{
    dims::{dims, ints, number, shape},
    generic::{Indexed, generic},
    lowerings::shape::reshape::{keep_dims, reshape},
};

/// `broadcast_in_dim` to `linalg.fill`, `linalg.broadcast` or, if dimensions are permuted, a nest.
/// Pointwise readers do not use the result: see [`crate::pointwise`].
pub struct Broadcast;

impl Lowering for Broadcast {
    fn name(&self) -> &'static str {
        "broadcast"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::BroadcastInDim]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let map = dims(op, "broadcast_dimensions")?;
        let from = shape(operands[0])?;
        let to = op.result(0).ty().shape().or_decline("the shape is not static")?;
        let in_order = map.is_sorted();
        if in_order && from.iter().product::<i64>() == to.iter().product::<i64>() {
            return Ok(vec![reshape(&builder, operands[0], &to)?]);
        }
        let kept: Vec<usize> =
            (0..from.len()).filter(|dim| from[*dim] == to[map[*dim]] && from[*dim] != 1).collect();
        let value = keep_dims(&builder, operands[0], &kept)?;
        let map: Vec<usize> = kept.iter().map(|dim| map[*dim]).collect();
        if map.is_empty() {
            let scalar = builder.extract(value, &[]);
            return Ok(vec![builder.filled(scalar, &to)]);
        }
        if in_order {
            return Ok(vec![broadcast(&builder, value, &map, &to)]);
        }
        let input = Indexed::by(value, to.len(), &map);
        let output = builder.empty(&to, value.ty().element());
        let output = Indexed::identity(output);
        generic(
            &builder,
            &[input],
            &[output],
            &vec![IteratorType::Parallel; to.len()],
            |_, args| Ok(vec![args[0]]),
        )
    }
}

/// `linalg.broadcast`: dimension `i` of `value` becomes dimension `map[i]` of the result, in order.
fn broadcast<'c>(builder: &Builder<'c>, value: Value<'c>, map: &[usize], to: &[i64]) -> Value<'c> {
    let element = value.ty().element();
    let into = builder.empty(to, element);
    let added: Vec<_> =
        (0..to.len()).filter(|dim| !map.contains(dim)).map(|dim| dim as i64).collect();
    let region = builder.region(&[element, element], |body, args| {
        body.op(linalg::YIELD).operand(args[0]).build();
    });
    builder
        .op(linalg::BROADCAST)
        .operands(&[value, into])
        .attr("dimensions", i64s(builder.context, &added))
        .result(into.ty())
        .region(region)
        .value()
}

/// `transpose` to `linalg.transpose`, or to a reshape where only dimensions of size 1 move.
pub struct Transpose;

impl Lowering for Transpose {
    fn name(&self) -> &'static str {
        "transpose"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Transpose]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let permutation = dims(op, "permutation")?;
        let (builder, target) = (lowerer.builder(), lowerer.target());
        Ok(vec![transpose_rows(&builder, operands[0], &permutation, target)?])
    }
}

/// Dimension `i` of the result is dimension `permutation[i]` of `value`.
pub fn transpose<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    permutation: &[usize],
) -> Outcome<Value<'c>> {
    let from = shape(value)?;
    let to: Vec<_> = permutation.iter().map(|dim| from[*dim]).collect();
    let small = if strata_ir::planted("linalg-transpose-units") { 2 } else { 1 };
    let moved: Vec<_> = permutation.iter().filter(|dim| from[**dim] > small).collect();
    if moved.is_sorted() {
        return reshape(builder, value, &to);
    }
    Ok(transposed(builder, value, permutation, &to))
}

/// [`transpose`], of rows that may be short ones.
pub fn transpose_rows<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    permutation: &[usize],
    target: &Target,
) -> Outcome<Value<'c>> {
    match by_columns(value, permutation, target) {
        Some(columns) => columns.transposed(builder, value, permutation),
        None => transpose(builder, value, permutation),
    }
}

fn transposed<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    permutation: &[usize],
    to: &[i64],
) -> Value<'c> {
    let element = value.ty().element();
    let into = builder.empty(to, element);
    let region = builder.region(&[element, element], |body, args| {
        body.op(linalg::YIELD).operand(args[0]).build();
    });
    let order: Vec<_> = permutation.iter().map(|dim| *dim as i64).collect();
    builder
        .op(linalg::TRANSPOSE)
        .operands(&[value, into])
        .attr("permutation", i64s(builder.context, &order))
        .result(into.ty())
        .region(region)
        .value()
}

/// The first of two transposes.
struct Columns {
    /// How many matrices it transposes, and their rows and columns then.
    matrices: [i64; 3],
    /// The dimensions in the order in which they are then.
    order: Vec<usize>,
}

impl Columns {
    /// The two transposes.
    fn transposed<'c>(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        permutation: &[usize],
    ) -> Outcome<Value<'c>> {
        let from = shape(value)?;
        // With dimensions joined, or MLIR makes one transpose of two.
        let [outer, height, width] = self.matrices;
        let columns = reshape(builder, value, &[outer, width, height])?;
        let columns = transposed(builder, columns, &[0, 2, 1], &self.matrices);
        let between: Vec<_> = self.order.iter().map(|dim| from[*dim]).collect();
        let columns = reshape(builder, columns, &between)?;
        let place = |dim: &usize| self.order.iter().position(|other| other == dim);
        let moved = permutation.iter().map(place).collect::<Option<Vec<_>>>();
        let to: Vec<_> = permutation.iter().map(|dim| from[*dim]).collect();
        Ok(transposed(builder, columns, &moved.or_decline("it is not a permutation")?, &to))
    }
}

/// A transpose whose rows are short and become columns, such as that of a convolution's kernel, `[o, i, 3, 3]` to `[3, 3, i, o]`, as two:
/// one of matrices, `[o, i * 3 * 3]`, and one that moves their rows.
fn by_columns(value: Value<'_>, permutation: &[usize], target: &Target) -> Option<Columns> {
    let (from, bits) = (value.ty().shape()?, value.ty().element().bit_width()?);
    let is_large = |dim: &usize| from[*dim] != 1;
    // Dimensions that stay beside each other, in the order of the result.
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for dim in permutation.iter().copied().filter(is_large) {
        let before = (0..dim).rfind(is_large);
        match runs.last_mut() {
            Some(run) if run.last().copied() == before => run.push(dim),
            _ => runs.push(vec![dim]),
        }
    }
    let columns = runs.pop()?;
    let (first, last) = (*columns.first()?, *columns.last()?);
    let innermost = (0..from.len()).rfind(is_large)?;
    let row = runs.iter().find(|run| run.contains(&innermost))?;
    let size = |dims: &[usize]| dims.iter().map(|dim| from[*dim]).product::<i64>();
    let (outer, inside): (Vec<_>, Vec<_>) =
        ((0..first).collect(), (last + 1..from.len()).collect());
    let matrices = [size(&outer), size(&inside), size(&columns)];
    // Rows of less than a vector would be moved one element at a time; others are read as fast as memory is.
    let is_scalar = size(row) < i64::from(target.lanes(bits));
    let is_cached =
        matrices.iter().product::<i64>() * i64::from(bits.div_ceil(8)) <= MAX_COLUMN_BYTES;
    let pays = matrices[1..].iter().all(|side| *side >= MIN_COLUMNS)
        && size(row) <= MAX_SHORT_ROW
        && (is_scalar || is_cached)
        && !runs.iter().flatten().is_sorted();
    let order = outer.into_iter().chain(inside).chain(first..=last).collect();
    pays.then_some(Columns { matrices, order })
}

/// `slice` to `tensor.extract_slice`, of every second to fourth element of rows to a column of short rows, which readers take out of
/// whole vectors.
///
/// ```text
/// x : tensor<8x64xf32>, [0:8, 1:64:2]    element 1 of each row of tensor<8x32x2xf32>
/// ```
pub struct Slice;

impl Lowering for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Slice]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let starts = ints(op, "start_indices")?;
        let strides = ints(op, "strides")?;
        let sizes = op.result(0).ty().shape().or_decline("the shape is not static")?;
        let builder = lowerer.builder();
        let slice = [&starts[..], &sizes, &strides];
        // Where sizes of calls end is known of dimensions that the program names.
        let column = match bounded_entry(op) {
            None => short_column(&builder, operands[0], slice)?,
            Some(_) => None,
        };
        let plain = || extract_slice(&builder, operands[0], &starts, &sizes, &strides);
        Ok(vec![column.unwrap_or_else(plain)])
    }
}

/// A slice of every `n`-th element of rows as a column of rows of `n`, where rows are such rows.
fn short_column<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    [starts, sizes, strides]: [&[i64]; 3],
) -> Outcome<Option<Value<'c>>> {
    let from = shape(value)?;
    let (Some((row, outer)), Some((step, steps))) = (from.split_last(), strides.split_last())
    else {
        return Ok(None);
    };
    let is_short = (2..=MAX_ROW).contains(step) && row % step == 0 && !sizes.contains(&0);
    if !is_short || !value.ty().element().can_shuffle() {
        return Ok(None);
    }
    let rows = reshape(builder, value, &[outer, &[row / step, *step]].concat())?;
    let (start, before) = (starts[outer.len()], &starts[..outer.len()]);
    let starts = [before, &[start / step, start % step]].concat();
    let column =
        extract_slice(builder, rows, &starts, &[sizes, &[1]].concat(), &[steps, &[1, 1]].concat());
    reshape(builder, column, sizes).map(Some)
}

/// `tensor.extract_slice` at constant offsets.
pub fn extract_slice<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    offsets: &[i64],
    sizes: &[i64],
    strides: &[i64],
) -> Value<'c> {
    // An empty slice may start at the end, where MLIR allows no offset.
    if sizes.contains(&0) {
        return builder.empty(sizes, value.ty().element());
    }
    let ty = tensor(sizes, value.ty().element());
    tensor::extract_slice(builder, value, offsets, sizes, strides, ty).value()
}

/// `tensor.insert_slice` at constant offsets.
pub fn insert_slice<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    into: Value<'c>,
    offsets: &[i64],
    strides: &[i64],
) -> Outcome<Value<'c>> {
    let sizes = shape(value)?;
    if sizes.contains(&0) {
        return Ok(into);
    }
    let inserted = tensor::insert_slice(builder, value, into, offsets, &sizes, strides, into.ty());
    Ok(inserted.value())
}

/// `concatenate` to a chain of `tensor.insert_slice` into one new tensor.
pub struct Concatenate;

impl Lowering for Concatenate {
    fn name(&self) -> &'static str {
        "concatenate"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Concatenate]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let dim = number(op, "dimension")? as usize;
        let sizes = op.result(0).ty().shape().or_decline("the shape is not static")?;
        Ok(vec![concatenate(&lowerer.builder(), operands, dim, &sizes)?])
    }
}

/// `values` one after the other along dimension `dim`; the result has shape `sizes`.
pub fn concatenate<'c>(
    builder: &Builder<'c>,
    values: &[Value<'c>],
    dim: usize,
    sizes: &[i64],
) -> Outcome<Value<'c>> {
    let strides = vec![1; sizes.len()];
    let mut result = builder.empty(sizes, values[0].ty().element());
    let mut offsets = vec![0; sizes.len()];
    for value in values {
        let size = shape(*value)?[dim];
        if size != 0 {
            result = insert_slice(builder, *value, result, &offsets, &strides)?;
        }
        offsets[dim] += size;
    }
    Ok(result)
}
