//! Leaves out the blocks of keys that a mask hides.
//!
//! The weight of a hidden key is exactly 0 if its score is so far below the maximum of its row that the exponential of the
//! difference is 0, and it contributes nothing if 0 times its value is 0. Both depend on the operands, so both are checked:
//!
//! ```text
//! for %pass = 0 to 2 {
//!   %ends = … exp(hidden - maximum) is 0 in all rows, and all values are finite …
//!   %blocks = … pass 0: those not hidden; pass 1: none if %ends, else the hidden ones …
//!   for %t in %blocks { … }
//! }
//! ```
//! The second pass has the code of the first. A row of scores that are all hidden or -inf is one of the cases that need it.

use strata_ir::{
    AffineExpr, AffineMap, Builder, TypeExt as _, Value, arith, dense_bytes, index, integer,
    linalg, linalg::IteratorType,
};
use strata_target::tuning::attention::VANISHING;

use super::{
    coords::{Coords, loop_coords},
    emit::Carried,
    find::Attention,
    masked::{Masked, Scores, masked},
    place::quotient,
    tile::Block,
};
use crate::{
    loops::{counted, repeated},
    structured::Structured,
};

/// The blocks that are left out.
pub struct Skipped<'c> {
    rows: i64,
    keys: i64,
    /// The number of blocks of keys.
    blocks: i64,
    /// For each block of rows, the first visible block and the one after the last.
    visible: [Value<'c>; 2],
    /// What hidden scores are.
    hidden: f64,
    /// For each batch and column of the values, the sum of 0 times each.
    zeros: (Value<'c>, Coords),
}

impl<'c> Skipped<'c> {
    /// Finds them, and emits what does not depend on rows.
    pub fn of(b: &Builder<'c>, attention: &Attention<'c>, [rows, keys]: [i64; 2]) -> Option<Self> {
        let op = attention.scores.owner().filter(|op| attention.members.contains(op))?;
        let coords: Coords = (0..attention.extents.len()).map(AffineExpr::Dim).collect();
        let loops = loop_coords(&Structured::of_generic(op)?, &coords)?;
        let (row, key) = (attention.row, attention.key_dim());
        let scores = Scores { extents: &attention.extents, row, key };
        let Masked { visible, value: hidden } = masked(&scores, (op, &loops), [rows, keys])?;
        let table = |side: usize| table(b, visible.iter().map(|ends| ends[side]));
        Some(Self {
            rows,
            keys,
            blocks: attention.extents[attention.key_dim()] / keys,
            visible: [table(0)?, table(1)?],
            hidden,
            zeros: zeros(b, attention)?,
        })
    }

    /// The loop over the blocks of keys of a block of rows.
    pub fn over_keys(
        &self,
        b: &Builder<'c>,
        rows: &Block<'_, 'c>,
        start: Carried<'c>,
        body: impl FnOnce(&Builder<'c>, Value<'c>, Carried<'c>) -> Option<Carried<'c>>,
    ) -> Option<Carried<'c>> {
        let number = quotient(b, rows.starts[rows.of.row], self.rows);
        let [first, last] = self
            .visible
            .map(|table| b.cast(arith::INDEX_CAST, b.extract(table, &[number]), index(b.context)));
        let all = b.index(self.blocks);
        let around = b.same(arith::ADDI, &[first, all]);
        let is_finite = self.values_are_finite(b, rows)?;
        counted(b, [0, 2, 1], start, |b, pass, carried| {
            let is_first = b.cmpi(arith::CmpIPredicate::Eq, pass, b.index(0));
            let vanish = weights_vanish(b, self.hidden, carried[0]);
            let ends = b.same(arith::ANDI, &[vanish, is_finite]);
            let rest = b.select(ends, last, around);
            let bounds =
                [b.select(is_first, first, last), b.select(is_first, last, rest), b.index(1)];
            repeated(b, bounds, carried, |b, at, carried| {
                // The hidden blocks after the visible ones, then those before them.
                let wraps = b.cmpi(arith::CmpIPredicate::Sge, at, all);
                let block = b.select(wraps, b.same(arith::SUBI, &[at, all]), at);
                body(b, b.same(arith::MULI, &[block, b.index(self.keys)]), carried)
            })
        })
    }

    /// Whether 0 times each value is 0, in the batch of `rows`.
    fn values_are_finite(&self, b: &Builder<'c>, rows: &Block<'_, 'c>) -> Option<Value<'c>> {
        let (zeros, coords) = &self.zeros;
        let part = rows.slice(b, (*zeros, coords))?;
        let zero = b.float(zeros.ty().element(), 0.0);
        let sum = to_scalar(b, part.value, zero, |b, one, sum| b.same(arith::ADDF, &[sum, one]));
        Some(b.cmpf(arith::CmpFPredicate::Oeq, sum, zero))
    }
}

/// A constant that has these numbers.
pub fn table<'c>(b: &Builder<'c>, numbers: impl Iterator<Item = i64>) -> Option<Value<'c>> {
    let numbers: Vec<i32> =
        numbers.map(|number| i32::try_from(number).ok()).collect::<Option<_>>()?;
    let ty = strata_ir::tensor(&[numbers.len() as i64], integer(b.context, 32));
    let bytes: Vec<u8> = numbers.into_iter().flat_map(i32::to_le_bytes).collect();
    Some(arith::constant(b, dense_bytes(ty, &bytes)?, ty).value())
}

/// Whether the weights of keys whose scores are `hidden` are 0 in all rows, which have these maxima.
pub fn weights_vanish<'c>(b: &Builder<'c>, hidden: f64, maximum: Value<'c>) -> Value<'c> {
    let element = maximum.ty().element();
    let (hidden, low) = (b.float(element, hidden), b.float(element, f64::NEG_INFINITY));
    let worst = to_scalar(b, maximum, low, |b, maximum, worst| {
        let difference = b.same(arith::SUBF, &[hidden, maximum]);
        b.same(arith::MAXIMUMF, &[worst, difference])
    });
    b.cmpf(arith::CmpFPredicate::Ole, worst, b.float(element, VANISHING))
}

/// The sum over all keys of 0 times each value, for each batch and column: 0, or NaN.
fn zeros<'c>(b: &Builder<'c>, attention: &Attention<'c>) -> Option<(Value<'c>, Coords)> {
    let (values, coords) = &attention.value;
    let (shape, ty) = (values.ty().shape()?, values.ty().element());
    let key = coords.iter().position(|coord| coord.as_dim() == Some(attention.key_dim()))?;
    let column = coords.iter().position(|coord| coord.as_dim() == Some(attention.inner()))?;
    // The columns last: the sums of a row of them are a vector.
    let mut kept: Vec<usize> =
        (0..shape.len()).filter(|dim| ![key, column].contains(dim)).collect();
    kept.push(column);
    let sizes: Vec<i64> = kept.iter().map(|dim| shape[*dim]).collect();
    let zero = b.float(ty, 0.0);
    let body = b.region(&[ty, ty], |b, args| {
        let product = b.same(arith::MULF, &[args[0], zero]);
        linalg::yield_(b, &[b.same(arith::ADDF, &[args[1], product])]).build();
    });
    let loops: Vec<usize> = kept.iter().copied().chain([key]).collect();
    let place = |dim: usize| loops.iter().position(|own| *own == dim);
    let input: Vec<usize> = (0..shape.len()).map(place).collect::<Option<_>>()?;
    let own: Vec<usize> = (0..kept.len()).collect();
    let maps =
        [AffineMap::projection(loops.len(), &input), AffineMap::projection(loops.len(), &own)];
    let mut kinds = vec![IteratorType::Parallel; kept.len()];
    kinds.push(IteratorType::Reduction);
    let out = b.filled(zero, &sizes);
    let sums =
        linalg::generic(b, &maps, &kinds, &[out.ty()], body).inputs(&[*values]).outputs(&[out]);
    Some((sums.value(), kept.iter().map(|dim| coords[*dim].clone()).collect()))
}

/// Reduces a tensor of rank 1 to a scalar.
pub fn to_scalar<'c>(
    b: &Builder<'c>,
    from: Value<'c>,
    start: Value<'c>,
    combine: impl FnOnce(&Builder<'c>, Value<'c>, Value<'c>) -> Value<'c>,
) -> Value<'c> {
    let element = from.ty().element();
    let body = b.region(&[element; 2], |b, args| {
        linalg::yield_(b, &[combine(b, args[0], args[1])]).build();
    });
    let maps = [AffineMap::identity(1), AffineMap::projection(1, &[])];
    let out = b.filled(start, &[]);
    let reduced = linalg::generic(b, &maps, &[IteratorType::Reduction], &[out.ty()], body);
    b.extract(reduced.inputs(&[from]).outputs(&[out]).value(), &[])
}
