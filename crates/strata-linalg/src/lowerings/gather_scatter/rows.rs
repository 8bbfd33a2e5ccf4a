//! Gathers that put the first elements of each row after those of the row before, as a reshape of `[64, s]` to `[64 * s]` does in a
//! program for sizes up to bounds.
//!
//! ```text
//! %x = stablehlo.reshape %rows : (tensor<64x128xf32>) -> tensor<8192xf32>
//! %at = stablehlo.add (remainder %iota, %n), (multiply (divide %iota, %n), 128)
//! %y = "stablehlo.gather"(%x, %at) : (tensor<8192xf32>, tensor<8192xi32>) -> tensor<8192xf32>
//! ```
//! becomes
//! ```text
//! %y = scf.for %i = 0 to 64 iter_args(%t = zeros) {
//!   %row = tensor.extract_slice %rows[%i, 0] [1, 128] [1, 1]
//!   tensor.insert_slice %row into %t[%i * %n] [128] [1]              // the next row overwrites what comes after %n elements
//! }
//! ```
//! An element at a time would be a division for each.

use strata_ir::{
    AttributeExt as _, Builder, DYNAMIC, Op, OpKind, ROWS, TypeExt as _, Value, arith, tensor,
};
use strata_rewrite::{Lowerer, Outcome};

use super::gather::clamped;
use crate::{
    dims::{GatherDims, dims},
    loops::for_loop,
    lowerings::shape::{extract_slice, reshape::reshape},
};

/// Rows that are moved together.
pub struct Rows<'c> {
    /// All rows, before they are one dimension; without the dimension of rows where all are the same.
    source: Value<'c>,
    is_repeated: bool,
    /// How many elements of each are taken, an integer.
    taken: Value<'c>,
    /// The dimension that they are along.
    dim: usize,
    count: i64,
    length: i64,
}

impl<'c> Rows<'c> {
    /// The rows of a gather.
    pub fn of(
        op: Op<'c>,
        numbers: &GatherDims,
        slice: &[i64],
        lowerer: &Lowerer<'c>,
    ) -> Option<Self> {
        // Those after the last row would be read, too.
        op.has_attr(ROWS).then_some(())?;
        let [dim] = numbers.start_index_map[..] else { return None };
        let shape = op.operand(0).ty().shape()?;
        let others: Vec<usize> = (0..shape.len()).filter(|other| *other != dim).collect();
        let is_plain = numbers.collapsed[..] == [dim]
            && numbers.operand_batching.is_empty()
            && numbers.offset == others
            && others.iter().all(|other| slice[*other] == shape[*other]);
        is_plain.then_some(())?;
        let own = op.result(0).ty().shape()?;
        if let Some(taken) = equal_positions(op.operand(1)) {
            // A row again and again.
            let length = shape[dim];
            let source = lowerer.lookup(op.operand(0))?;
            let taken = lowerer.lookup(taken).filter(|_| length > 0)?;
            let count = own[dim].div_euclid(length) + i64::from(own[dim] % length > 0);
            return Some(Self { source, is_repeated: true, taken, dim, count, length });
        }
        let (taken, length) = positions(op.operand(1))?;
        let fits = length > 0 && shape[dim] % length == 0 && own[dim] <= shape[dim];
        fits.then_some(())?;
        let count = shape[dim] / length;
        let mut rows = shape;
        rows.splice(dim..=dim, [count, length]);
        let joined = op.operand(0).owner().filter(|owner| owner.kind() == OpKind::Reshape);
        let apart = joined.map_or(op.operand(0), |joined| joined.operand(0));
        let repeated = apart.owner().and_then(|owner| repeated(owner, dim, &rows));
        let source = lowerer.lookup(repeated.unwrap_or(apart))?;
        let taken = lowerer.lookup(taken)?;
        Some(Self { source, is_repeated: repeated.is_some(), taken, dim, count, length })
    }

    /// The rows after each other, as a tensor of that shape.
    pub fn joined(&self, builder: &Builder<'c>, sizes: &[i64]) -> Outcome<Value<'c>> {
        let &Self { dim, count, length, .. } = self;
        let mut row = sizes.to_vec();
        row[dim] = length;
        let mut rows = row.clone();
        if !self.is_repeated {
            rows.insert(dim, count);
        }
        let mut all = row.clone();
        all[dim] = count * length;
        let source = reshape(builder, self.source, &rows)?;
        let element = source.ty().element();
        let taken = clamped(builder, builder.extract(self.taken, &[]), length, true);
        let zeros = builder.filled(builder.number(element, 0.0), &all);
        let ty = tensor(&row, element);
        let made = for_loop(
            builder,
            builder.index(0),
            builder.index(count),
            &[zeros],
            |inner, at, carried| {
                let mut own = source;
                if !self.is_repeated {
                    let (mut offsets, mut sizes) = (vec![0; rows.len()], rows.clone());
                    (offsets[dim], sizes[dim]) = (DYNAMIC, 1);
                    let strides = vec![1; rows.len()];
                    let slice =
                        tensor::extract_slice(inner, source, &offsets, &sizes, &strides, ty);
                    own = slice.offsets(&[at]).value();
                }
                let place = inner.same(arith::MULI, &[at, taken]);
                let (mut offsets, strides) = (vec![0; row.len()], vec![1; row.len()]);
                offsets[dim] = DYNAMIC;
                let into = carried[0];
                let put =
                    tensor::insert_slice(inner, own, into, &offsets, &row, &strides, into.ty());
                Ok(vec![put.offsets(&[place]).value()])
            },
        )?;
        match all == sizes {
            true => Ok(made[0]),
            false => {
                let (first, strides) = (vec![0; sizes.len()], vec![1; sizes.len()]);
                Ok(extract_slice(builder, made[0], &first, sizes, &strides))
            }
        }
    }
}

/// The value that a broadcast repeats along a dimension of this shape, with all other dimensions.
fn repeated<'c>(op: Op<'c>, dim: usize, shape: &[i64]) -> Option<Value<'c>> {
    (op.kind() == OpKind::BroadcastInDim && op.result(0).ty().shape()? == shape).then_some(())?;
    let own = op.operand(0).ty().shape()?;
    let to = dims(op, "broadcast_dimensions").ok()?;
    let kept: Vec<usize> = (0..own.len()).filter(|at| to[*at] != dim || own[*at] != 1).collect();
    let others = (0..shape.len()).filter(|other| *other != dim);
    let is_row = kept.iter().map(|at| to[*at]).eq(others)
        && kept.iter().all(|at| own[*at] == shape[to[*at]]);
    is_row.then(|| op.operand(0))
}

fn of<'c>(value: Value<'c>, kind: OpKind) -> Option<Op<'c>> {
    value.owner().filter(|op| op.kind() == kind)
}

/// Signed positions along one dimension.
fn along_one(value: Value<'_>) -> Option<Value<'_>> {
    let mut value = value;
    while let Some(reshape) = of(value, OpKind::Reshape) {
        value = reshape.operand(0);
    }
    let is_long = value.ty().rank() == Some(1) && !value.ty().element().is_unsigned_int();
    is_long.then_some(value)
}

/// Positions `i mod n`: `n`.
fn equal_positions<'c>(value: Value<'c>) -> Option<Value<'c>> {
    let rest = of(along_one(value)?, OpKind::Remainder)?;
    of(rest.operand(0), OpKind::Iota)?;
    let taken = of(rest.operand(1), OpKind::BroadcastInDim)?.operand(0);
    (taken.ty().rank() == Some(0)).then_some(taken)
}

/// Positions `i mod n + i / n * length`: `n` and the length.
fn positions<'c>(value: Value<'c>) -> Option<(Value<'c>, i64)> {
    let sum = of(along_one(value)?, OpKind::Add)?;
    let sides = [[0, 1], [1, 0]].into_iter();
    sides.into_iter().find_map(|[rest, whole]| {
        let rest = of(sum.operand(rest), OpKind::Remainder)?;
        let product = of(sum.operand(whole), OpKind::Multiply)?;
        let (quotient, length) = [[0, 1], [1, 0]].into_iter().find_map(|[quotient, length]| {
            let length = of(product.operand(length), OpKind::Constant)?;
            let length = length.attr("value")?.splat_value()?.as_i64()?;
            Some((of(product.operand(quotient), OpKind::Divide)?, length))
        })?;
        let iota = of(rest.operand(0), OpKind::Iota)?;
        let is_same =
            quotient.operand(0) == iota.result(0) && quotient.operand(1) == rest.operand(1);
        let taken = of(rest.operand(1), OpKind::BroadcastInDim)?.operand(0);
        (is_same && taken.ty().rank() == Some(0)).then_some((taken, length))
    })
}
