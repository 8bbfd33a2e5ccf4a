//! Reductions of rows of two to four numbers, as operations on their columns.
//!
//! ```text
//! reduce(x * y : tensor<800x3xf32>) add over dimension 1
//!   → ((0 + x[:, 0] * y[:, 0]) + x[:, 1] * y[:, 1]) + x[:, 2] * y[:, 2]
//! dot_general(x : tensor<800x3xf32>, w : tensor<3xf32>)
//!   → ((0 + x[:, 0] * w[0]) + x[:, 1] * w[1]) + x[:, 2] * w[2]
//! ```
//! Such rows do not fill a vector; of columns each vector has as many rows as it has lanes. What is computed elementwise for the reduction
//! alone is computed by column, too.

use std::collections::{HashMap, HashSet};

use strata_ir::{Builder, DotDimensionNumbers, Op, OpKind, TypeExt as _, Value, stablehlo, tensor};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{MAX_COLUMNS, MIN_ROWS_BY_COLUMN};

use crate::{
    emit::Emit as _,
    pattern::{combines, defined_by, ints, is_compiled, is_whole, patterns, splat},
    simplification::{algebra::is_neutral, concatenate_splitting::is_elementwise},
};

patterns! {
    /// A reduction of short rows.
    ReduceOfShortRows = "reduce-of-short-rows" on [Reduce] by reduce_of_short_rows;
    /// A dot of short rows and a vector.
    DotOfShortRows = "dot-of-short-rows" on [DotGeneral] by dot_of_short_rows;
}

/// The number of columns of a value with many short rows.
fn columns(value: Value<'_>) -> Outcome<i64> {
    let shape = value.ty().shape().or_decline("the shape is not static")?;
    let (count, rows) = shape.split_last().or_decline("it has no rows")?;
    (2..=MAX_COLUMNS).contains(count).or_decline("rows are not short")?;
    let rows: i64 = rows.iter().product();
    (rows >= MIN_ROWS_BY_COLUMN).or_decline("it has few rows")?;
    Ok(*count)
}

/// Whether the elements are numbers of 32 or 64 bits.
fn is_wide(value: Value<'_>) -> bool {
    let element = value.ty().element();
    let is_number = element.is_float_type() || element.is_int();
    is_number && element.bit_width().is_some_and(|bits| matches!(bits, 32 | 64))
}

/// Whether columns of a buffer are read in vectors.
fn is_read(value: Value<'_>) -> bool {
    is_wide(value) || value.ty().element().bit_width() == Some(8)
}

/// What a reduction computes for itself alone, by column.
struct Columns<'c, 'b> {
    builder: &'b Builder<'c>,
    /// Elementwise operations whose results nothing else uses.
    own: HashSet<Op<'c>>,
}

impl<'c> Columns<'c, '_> {
    /// Finds what of `operand` is computed for `user` alone.
    fn find(&mut self, operand: Value<'c>, user: Op<'c>) -> Outcome {
        let mut open = vec![operand];
        let mut users = HashSet::from([user]);
        while let Some(value) = open.pop() {
            let Some(owner) = value.owner().filter(|owner| is_elementwise(owner.kind())) else {
                let is_read = is_read(value) || defined_by(value, OpKind::Constant).is_ok();
                let is_spread = defined_by(value, OpKind::BroadcastInDim).is_ok();
                (is_read || is_spread).or_decline("columns of such elements are not read")?;
                continue;
            };
            if users.contains(&owner) {
                continue;
            }
            let is_own = value.uses().iter().all(|(user, _)| users.contains(user));
            is_own.or_decline("what is computed elementwise has other users")?;
            let has_shape =
                owner.operands().iter().all(|one| one.ty().shape() == value.ty().shape());
            has_shape.or_decline("an operand has another shape")?;
            users.insert(owner);
            open.extend(owner.operands());
        }
        users.remove(&user);
        self.own = users;
        Ok(())
    }

    /// Column `at` of `value`.
    fn of(
        &self,
        value: Value<'c>,
        at: i64,
        known: &mut HashMap<Value<'c>, Value<'c>>,
    ) -> Outcome<Value<'c>> {
        if let Some(column) = known.get(&value) {
            return Ok(*column);
        }
        let shape = value.ty().shape().or_decline("the shape is not static")?;
        let (last, rows) = shape.split_last().or_decline("it has no rows")?;
        let ty = tensor(rows, value.ty().element());
        let b = self.builder;
        let owner = value.owner();
        let column = if let Some(owner) = owner.filter(|owner| self.own.contains(owner)) {
            let operands = owner.operands().into_iter();
            let operands: Vec<_> =
                operands.map(|one| self.of(one, at, known)).collect::<Outcome<_>>()?;
            b.op(owner.name()).operands(&operands).attrs(&owner.attrs()).result(ty).value()
        } else if let Ok(element) = splat(value) {
            crate::pattern::new_splat(b, ty, element)
        } else if let Ok(spread) = defined_by(value, OpKind::BroadcastInDim) {
            let (mut source, mut dims) = (spread.operand(0), ints(spread, "broadcast_dimensions")?);
            let own = source.ty().shape().or_decline("the shape is not static")?;
            let along = dims.iter().position(|dim| *dim == rows.len() as i64);
            if let Some(along) = along {
                let start = if own[along] == *last { at } else { 0 };
                source = b.strided(source, along, (start, 1, 1))?;
                let mut kept = own;
                kept.remove(along);
                dims.remove(along);
                source = b.reshaped(source, &kept);
            }
            b.broadcast_in_dim(source, rows, &dims)
        } else {
            b.reshaped(b.strided(value, rows.len(), (at, 1, 1))?, rows)
        };
        known.insert(value, column);
        Ok(column)
    }
}

fn reduce_of_short_rows<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_compiled(op)?;
    let value = op.operand(0);
    let count = columns(value)?;
    let last = value.ty().shape().or_decline("the shape is not static")?.len() - 1;
    (ints(op, "dimensions")? == [last as i64]).or_decline("not the last dimension is reduced")?;
    let combiner = combines(op)?;
    is_wide(op.result(0)).or_decline("the elements are narrow")?;
    let builder = rewriter.builder();
    let mut all = Columns { builder: &builder, own: HashSet::new() };
    all.find(value, op)?;
    let start = op.operand(1);
    let ty = op.result(0).ty();
    let shape = ty.shape().or_decline("the shape is not static")?;
    let mut sum = None;
    if !splat(start).is_ok_and(|start| is_neutral(combiner.kind(), start)) {
        sum = Some(builder.broadcast_in_dim(start, &shape, &[]));
    }
    for at in 0..count {
        let column = all.of(value, at, &mut HashMap::new())?;
        sum = Some(match sum {
            Some(sum) => {
                let step = builder.op(combiner.name()).operands(&[sum, column]);
                step.attrs(&combiner.attrs()).result(ty).value()
            }
            None => column,
        });
    }
    rewriter.replace(&[sum.or_decline("it has no columns")?]);
    Ok(())
}

fn dot_of_short_rows<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("it has no dimension numbers")?;
    is_whole(op)?;
    let (rows, weights) = (op.operand(0), op.operand(1));
    let count = columns(rows)?;
    let last = rows.ty().shape().or_decline("the shape is not static")?.len() - 1;
    let is_last = numbers.lhs_contracting_dimensions == [last as i64]
        && numbers.rhs_contracting_dimensions == [0]
        && numbers.lhs_batching_dimensions.is_empty();
    is_last.or_decline("not rows are multiplied")?;
    (weights.ty().shape().is_some_and(|shape| shape == [count])).or_decline("not by a vector")?;
    let element = op.result(0).ty().element();
    let is_same = [rows, weights].iter().all(|one| one.ty().element() == element);
    (is_same && is_wide(rows)).or_decline("the elements are narrow")?;
    let ty = op.result(0).ty();
    let shape = ty.shape().or_decline("the shape is not static")?;
    let builder = rewriter.builder();
    let mut all = Columns { builder: &builder, own: HashSet::new() };
    all.find(rows, op)?;
    // A dot adds to 0: the sum of products that are all -0 is not.
    let mut sum = builder.zeros(ty)?;
    for at in 0..count {
        let column = all.of(rows, at, &mut HashMap::new())?;
        let weight = builder.reshaped(builder.strided(weights, 0, (at, 1, 1))?, &[]);
        let weight = builder.broadcast_in_dim(weight, &shape, &[]);
        let product = builder.same(stablehlo::MULTIPLY, &[column, weight]);
        sum = builder.same(stablehlo::ADD, &[sum, product]);
    }
    rewriter.replace(&[sum]);
    Ok(())
}
