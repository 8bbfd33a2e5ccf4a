//! The loops of an attention over blocks of rows and keys.

use std::collections::HashSet;

use strata_ir::{
    AffineMap, Builder, Context, Op, TypeExt as _, Value, arith, linalg, linalg::IteratorType,
    math, scf, string,
};
use strata_target::{
    Target,
    tuning::attention::{KEYS, MIN_KEYS, MIN_ROWS, PANEL, ROWS},
};

use super::{
    find::Attention,
    skip::Skipped,
    tile::{Axis, Block, Tile, matmul},
};
use crate::{
    loops::{blocked, counted, indexed},
    transform::tags,
};

/// The sizes of blocks.
#[derive(Clone, Copy)]
struct Plan {
    rows: i64,
    keys: i64,
}

impl Plan {
    /// The blocks of an attention, where they are worth it.
    fn of(attention: &Attention<'_>, target: &Target) -> Option<Self> {
        let extents = &attention.extents;
        let (rows, keys) = (extents[attention.row], extents[attention.key_dim()]);
        let scores = extents.iter().try_fold(4i64, |all, one| all.checked_mul(*one))?;
        let is_large = rows >= MIN_ROWS && keys >= MIN_KEYS && scores > target.l2_bytes as i64;
        is_large.then(|| Self { rows: row_block(rows), keys: key_block(keys) })
    }
}

/// The divisor of `extent` that is a multiple of `unit` and nearest to `wanted`.
pub fn divisor(extent: i64, wanted: i64, unit: i64) -> Option<i64> {
    let near = wanted / 2..=wanted * 3 / 2;
    let fits = |size: &i64| size % unit == 0 && extent % size == 0;
    near.filter(fits).min_by_key(|size| (size - wanted).abs())
}

/// The rows of a block: all, a divisor of their number, or so many that the last block is hardly smaller than the others.
fn row_block(extent: i64) -> i64 {
    if extent <= ROWS * 3 / 2 {
        return extent;
    }
    // At least three, so that the whole ones are a loop.
    let blocks = ((extent + ROWS - 1) / ROWS).max(3);
    divisor(extent, ROWS, 1).unwrap_or((extent + blocks - 1) / blocks)
}

/// The keys of a block: all, a divisor of their number, if possible one that fills panels, or else the others are a block of their own.
fn key_block(extent: i64) -> i64 {
    if extent <= KEYS * 3 / 2 {
        return extent;
    }
    let found = divisor(extent, KEYS, PANEL).or_else(|| divisor(extent, KEYS, 1));
    found.unwrap_or(if extent < 2 * KEYS { KEYS / 2 } else { KEYS })
}

/// Replaces an attention by its loops, if that is worth it.
pub fn emit<'c>(context: &'c Context, attention: &Attention<'c>, target: &Target) -> bool {
    let Some(plan) = Plan::of(attention, target) else { return false };
    let Some(last) = attention.result.0.owner() else { return false };
    let b = Builder { location: last.location(), ..Builder::before(context, last) };
    let ty = attention.result.0.ty();
    let Some(shape) = ty.shape() else { return false };
    let Some(home) = last.block() else { return false };
    let old: HashSet<_> = home.ops().into_iter().collect();
    let into = b.empty(&shape, ty.element());
    let skipped = Skipped::of(&b, attention, [plan.rows, plan.keys]);
    let loops = Loops { attention, plan, skipped };
    let Some(result) = loops.batches(&b, into) else { return false };
    let name = string(context, &format!("attention {}x{}", plan.rows, plan.keys));
    for nest in home.ops().into_iter().filter(|op| op.is(scf::FOR) && !old.contains(op)) {
        nest.set_attr(tags::SCHEDULE, name);
    }
    attention.result.0.replace_all_uses_with(result);
    true
}

/// What is carried over blocks of keys: the maximum and the sum of each row, and the sums of products.
pub type Carried<'c> = [Value<'c>; 3];

struct Loops<'a, 'c> {
    attention: &'a Attention<'c>,
    plan: Plan,
    skipped: Option<Skipped<'c>>,
}

impl<'c> Loops<'_, 'c> {
    /// The loops over batches and blocks of rows; the result.
    fn batches(&self, b: &Builder<'c>, into: Value<'c>) -> Option<Value<'c>> {
        let (row, key) = (self.attention.row, self.attention.key_dim());
        let mut sizes = self.attention.extents[..key].to_vec();
        let rows = [std::mem::replace(&mut sizes[row], 1), self.plan.rows];
        indexed(b, &sizes, &mut Vec::new(), into, &|b, batch, into| {
            blocked(b, rows, into, &|b, (at, rows), into| {
                let mut starts = batch.to_vec();
                starts[row] = at;
                starts.push(at);
                self.block(b, Block { of: self.attention, starts, rows, keys: 0 }, into)
            })
        })
    }

    /// A block of rows.
    fn block(&self, b: &Builder<'c>, rows: Block<'_, 'c>, into: Value<'c>) -> Option<Value<'c>> {
        let all = self.attention.extents[self.attention.key_dim()];
        let keys = self.plan.keys;
        let whole = all / keys * keys;
        let at = |place: Value<'c>, keys: i64| {
            let mut starts = rows.starts.clone();
            starts[self.attention.key_dim()] = place;
            Block { of: rows.of, starts, rows: rows.rows, keys }
        };
        let done = if keys == all {
            self.keys(b, &at(b.index(0), keys), None)?
        } else {
            let start = self.start(b, rows.rows);
            let body =
                |b: &Builder<'c>, place, carried| self.keys(b, &at(place, keys), Some(carried));
            let done = match &self.skipped {
                Some(skipped) => skipped.over_keys(b, &rows, start, body)?,
                None => counted(b, [0, whole, keys], start, body)?,
            };
            match all - whole {
                0 => done,
                rest => self.keys(b, &at(b.index(whole), rest), Some(done))?,
            }
        };
        self.finish(b, &rows, done, into)
    }

    /// What is carried into the first block of keys.
    fn start(&self, b: &Builder<'c>, rows: i64) -> Carried<'c> {
        let low = self.number(b, f64::NEG_INFINITY);
        let [sum, products] = self.zeros(b, rows);
        [b.filled(low, &[rows]), sum, products]
    }

    /// Sums of rows, and sums of products.
    fn zeros(&self, b: &Builder<'c>, rows: i64) -> [Value<'c>; 2] {
        let zero = self.number(b, 0.0);
        [b.filled(zero, &[rows]), b.filled(zero, &[rows, self.attention.width])]
    }

    fn number(&self, b: &Builder<'c>, value: f64) -> Value<'c> {
        b.float(self.attention.scores.ty().element(), value)
    }

    /// A block of keys; the only one if nothing is carried into it.
    fn keys(
        &self,
        b: &Builder<'c>,
        block: &Block<'_, 'c>,
        carried: Option<Carried<'c>>,
    ) -> Option<Carried<'c>> {
        let softmax = &self.attention.softmax;
        let at = |op: Op<'c>| Builder { location: op.location(), ..*b };
        let scores = block.scores(b)?;
        let b = &at(softmax.maximum);
        let [start, ..] = carried.unwrap_or_else(|| self.start(b, block.rows));
        let maximum = along_rows(b, arith::MAXIMUMF, scores, start);
        let (low, zero) = (self.number(b, f64::NEG_INFINITY), self.number(b, 0.0));
        let finite = of_rows(b, &[maximum], |b, args| {
            let is_low = b.cmpf(arith::CmpFPredicate::Oeq, args[0], low);
            b.select(is_low, zero, args[0])
        });
        let b = &at(softmax.exponential);
        let scale = self.number(b, self.scale());
        let weights = elementwise(b, &[scores, finite], &[&[0, 1], &[0]], |b, args| {
            let power = b.same(math::EXP, &[b.same(arith::SUBF, args)]);
            b.same(arith::MULF, &[power, scale])
        });
        let b = &at(self.attention.second);
        let [no_sum, no_products] = self.zeros(b, block.rows);
        let values = block.slice(b, (self.attention.value.0, &self.attention.value.1))?;
        let left = Tile { value: weights, axes: vec![Axis::Rows, Axis::Keys] };
        let axes = [Axis::Rows, Axis::Inner, Axis::Keys];
        let own = |b| matmul(b, [&left, &values], no_products, axes);
        let Some([_, sum, products]) = carried else {
            let sum = along_rows(&at(softmax.sum), arith::ADDF, weights, no_sum);
            return Some([maximum, sum, own(b)]);
        };
        let b = &at(softmax.sum);
        let factor =
            of_rows(b, &[start, finite], |b, args| b.same(math::EXP, &[b.same(arith::SUBF, args)]));
        let sum = of_rows(b, &[sum, factor], |b, args| b.same(arith::MULF, args));
        let sum = along_rows(b, arith::ADDF, weights, sum);
        let b = &at(self.attention.second);
        let operands = [products, factor, own(b)];
        let products = elementwise(b, &operands, &[&[0, 1], &[0], &[0, 1]], |b, args| {
            b.same(arith::ADDF, &[b.same(arith::MULF, &args[..2]), args[2]])
        });
        Some([maximum, sum, products])
    }

    /// The largest power of two that the sum of a row of weights is at most 1 with.
    fn scale(&self) -> f64 {
        let keys = self.attention.extents[self.attention.key_dim()];
        let keys = u64::try_from(keys).unwrap_or(1).next_power_of_two();
        1.0 / keys as f64
    }

    /// Normalises a block of rows, and writes it.
    fn finish(
        &self,
        b: &Builder<'c>,
        block: &Block<'_, 'c>,
        [_, sum, products]: Carried<'c>,
        into: Value<'c>,
    ) -> Option<Value<'c>> {
        let coords = &self.attention.result.1;
        let place = |dim: usize| coords.iter().position(|coord| coord.as_dim() == Some(dim));
        let is_transposed = place(self.attention.row)? > place(self.attention.inner())?;
        let maps: [&[usize]; 2] = if is_transposed { [&[1, 0], &[1]] } else { [&[0, 1], &[0]] };
        let normal = elementwise(b, &[products, sum], &maps, |b, args| b.same(arith::DIVF, args));
        block.insert(b, normal, (into, coords))
    }
}

/// An elementwise operation on operands with these maps; the first one of the largest rank decides the shape.
fn elementwise<'c>(
    b: &Builder<'c>,
    operands: &[Value<'c>],
    maps: &[&[usize]],
    compute: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Value<'c>,
) -> Value<'c> {
    let rank = maps.iter().map(|map| map.len()).max().unwrap_or(0);
    let mut shape = vec![1; rank];
    for (value, map) in operands.iter().zip(maps) {
        for (size, dim) in value.ty().shape().unwrap_or_default().into_iter().zip(*map) {
            shape[*dim] = size;
        }
    }
    let element = operands[0].ty().element();
    let body = b.region(&vec![element; operands.len() + 1], |b, args| {
        let value = compute(b, &args[..operands.len()]);
        linalg::yield_(b, &[value]).build();
    });
    let mut maps: Vec<_> = maps.iter().map(|map| AffineMap::projection(rank, map)).collect();
    maps.push(AffineMap::identity(rank));
    let out = b.empty(&shape, element);
    linalg::generic(b, &maps, &vec![IteratorType::Parallel; rank], &[out.ty()], body)
        .inputs(operands)
        .outputs(&[out])
        .value()
}

/// An elementwise operation on one number per row.
fn of_rows<'c>(
    b: &Builder<'c>,
    operands: &[Value<'c>],
    compute: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Value<'c>,
) -> Value<'c> {
    elementwise(b, operands, &vec![&[0][..]; operands.len()], compute)
}

/// Combines the columns of each row with `start`.
fn along_rows<'c>(
    b: &Builder<'c>,
    name: strata_ir::OpName<'c>,
    columns: Value<'c>,
    start: Value<'c>,
) -> Value<'c> {
    let element = columns.ty().element();
    let body = b.region(&[element; 2], |b, args| {
        let combined = b.same(name, &[args[1], args[0]]);
        linalg::yield_(b, &[combined]).build();
    });
    let maps = [AffineMap::identity(2), AffineMap::projection(2, &[0])];
    let kinds = [IteratorType::Parallel, IteratorType::Reduction];
    linalg::generic(b, &maps, &kinds, &[start.ty()], body)
        .inputs(&[columns])
        .outputs(&[start])
        .value()
}
