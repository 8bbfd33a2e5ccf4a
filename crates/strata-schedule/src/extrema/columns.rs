//! Extrema of columns: a lane for each.

use strata_ir::{AffineMap, Builder, TypeExt as _, Value, arith, ub, vector};

use super::{body::Lanes, plan::Along};
use crate::loops::counted_list;

/// The loops over columns, that carry tensors for the results that are used.
pub struct Columns<'a, 'c> {
    pub lanes: Lanes<'a, 'c>,
    /// The numbers of the results that are used.
    pub used: Vec<usize>,
    /// How many rows a block's lanes meet before they are written.
    pub rows: i64,
}

impl<'c> Columns<'_, 'c> {
    /// The loops over the dimensions `kept`, at these indices of the others; what `outs` are then.
    pub fn over(
        &self,
        b: &Builder<'c>,
        kept: &[usize],
        at: &[Value<'c>],
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let (dim, rest) = kept.split_first()?;
        if rest.is_empty() {
            return match self.lanes.plan.along {
                Along::Blocks(block) => self.blocks(b, block, at, outs),
                _ => self.columns(b, at, outs),
            };
        }
        let extent = self.lanes.of.nest.extents[*dim];
        counted_list(b, [0, extent, 1], outs, &mut |b, index, outs| {
            let mut at = at.to_vec();
            at[*dim] = index;
            self.over(b, rest, &at, outs)
        })
    }

    /// The elements of a row from a column on.
    fn place(&self, at: &[Value<'c>], row: Value<'c>, column: Value<'c>) -> Vec<Value<'c>> {
        let mut at = at.to_vec();
        at[self.lanes.of.dim] = row;
        if let Some(last) = at.last_mut() {
            *last = column;
        }
        at
    }

    /// All columns, some vectors of them at a time.
    fn columns(
        &self,
        b: &Builder<'c>,
        at: &[Value<'c>],
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let plan = self.lanes.plan;
        let extent = *self.lanes.of.nest.extents.last()?;
        let step = plan.vectors * plan.lanes;
        let whole = extent / step * step;
        let single = extent / plan.lanes * plan.lanes;
        let outs = counted_list(b, [0, whole, step], outs, &mut |b, column, outs| {
            self.tile(b, at, column, plan.vectors, outs)
        })?;
        let outs = counted_list(b, [whole, single, plan.lanes], &outs, &mut |b, column, outs| {
            self.tile(b, at, column, 1, outs)
        })?;
        match single == extent {
            true => Some(outs),
            // A vector that overlaps the one before.
            false => self.tile(b, at, b.index(extent - plan.lanes), 1, &outs),
        }
    }

    /// Some vectors of columns, for all rows.
    fn tile(
        &self,
        b: &Builder<'c>,
        at: &[Value<'c>],
        column: Value<'c>,
        vectors: i64,
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let lanes = &self.lanes;
        let rows = lanes.of.nest.extents[lanes.of.dim];
        let kinds = lanes.carried();
        let starts = (0..kinds).map(|kind| lanes.start(b, kind)).collect::<Option<Vec<_>>>()?;
        let starts: Vec<_> = (0..vectors).flat_map(|_| starts.clone()).collect();
        let carried = counted_list(b, [0, rows, 1], &starts, &mut |b, row, carried| {
            let place = lanes.place(b, row);
            let mut next = Vec::new();
            for (number, own) in (0..vectors).zip(carried.chunks(kinds)) {
                let column = b.offset(column, number * lanes.plan.lanes);
                let elements = lanes.elements(b, &self.place(at, row, column))?;
                next.extend(lanes.next(b, elements, place, own));
            }
            Some(next)
        })?;
        let mut outs = outs.to_vec();
        for (number, own) in (0..vectors).zip(carried.chunks(kinds)) {
            let column = b.offset(column, number * lanes.plan.lanes);
            self.write(b, at, column, own, &mut outs);
        }
        Some(outs)
    }

    /// All columns, in blocks, the last of which overlaps the one before.
    fn blocks(
        &self,
        b: &Builder<'c>,
        block: i64,
        at: &[Value<'c>],
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let extent = *self.lanes.of.nest.extents.last()?;
        let whole = extent / block * block;
        let outs = counted_list(b, [0, whole, block], outs, &mut |b, column, outs| {
            self.block(b, block, at, column, outs)
        })?;
        match whole == extent {
            true => Some(outs),
            false => self.block(b, block, at, b.index(extent - block), &outs),
        }
    }

    /// A block of columns.
    fn block(
        &self,
        b: &Builder<'c>,
        block: i64,
        at: &[Value<'c>],
        column: Value<'c>,
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let lanes = &self.lanes;
        let width = lanes.plan.lanes;
        let rows = lanes.of.nest.extents[lanes.of.dim];
        let whole = rows / self.rows * self.rows;
        // The first rows are met by lanes that have met none.
        let memory: Vec<_> =
            (0..lanes.carried()).map(|kind| b.empty(&[block], lanes.type_of(b, kind))).collect();
        let memory = counted_list(b, [0, block, width], &memory, &mut |b, next, memory| {
            let starts = (0..lanes.carried()).map(|kind| lanes.start(b, kind));
            let starts = starts.collect::<Option<Vec<_>>>()?;
            Some(store(b, &starts, memory, next))
        })?;
        let meet = |b: &Builder<'c>, memory: &[Value<'c>], first: Value<'c>, count: i64| {
            let places: Vec<_> =
                (0..count).map(|row| lanes.place(b, b.offset(first, row))).collect();
            counted_list(b, [0, block, width], memory, &mut |b, next, memory| {
                let mut own: Vec<_> =
                    memory.iter().map(|memory| self.load(b, *memory, next)).collect();
                let column = b.same(arith::ADDI, &[column, next]);
                for (row, place) in (0..count).zip(&places) {
                    let at = self.place(at, b.offset(first, row), column);
                    own = lanes.next(b, lanes.elements(b, &at)?, *place, &own);
                }
                Some(store(b, &own, memory, next))
            })
        };
        let memory = counted_list(b, [0, whole, self.rows], &memory, &mut |b, row, memory| {
            meet(b, memory, row, self.rows)
        })?;
        let memory = match rows - whole {
            0 => memory,
            rest => meet(b, &memory, b.index(whole), rest)?,
        };
        counted_list(b, [0, block, width], outs, &mut |b, next, outs| {
            let own: Vec<_> = memory.iter().map(|memory| self.load(b, *memory, next)).collect();
            let mut outs = outs.to_vec();
            let column = b.same(arith::ADDI, &[column, next]);
            self.write(b, at, column, &own, &mut outs);
            Some(outs)
        })
    }

    /// A vector of a block's memory.
    fn load(&self, b: &Builder<'c>, from: Value<'c>, at: Value<'c>) -> Value<'c> {
        let element = from.ty().element();
        let padding = ub::poison(b, element).value();
        let ty = self.lanes.vector(element);
        let map = AffineMap::identity(1);
        vector::transfer_read(b, from, &map, padding, &[true], ty).indices(&[at]).value()
    }

    /// Writes the results of a vector of columns.
    fn write(
        &self,
        b: &Builder<'c>,
        at: &[Value<'c>],
        column: Value<'c>,
        values: &[Value<'c>],
        outs: &mut [Value<'c>],
    ) {
        let mut at = self.place(at, column, column);
        at.remove(self.lanes.of.dim);
        for (out, number) in outs.iter_mut().zip(&self.used) {
            let value = self.lanes.result(b, *number, values[*number]);
            *out = written(b, value, *out, &at);
        }
    }
}

/// Writes what lanes carry to a block's memory.
fn store<'c>(
    b: &Builder<'c>,
    values: &[Value<'c>],
    memory: &[Value<'c>],
    at: Value<'c>,
) -> Vec<Value<'c>> {
    let pairs = values.iter().zip(memory);
    pairs.map(|(value, memory)| written(b, *value, *memory, &[at])).collect()
}

fn written<'c>(b: &Builder<'c>, value: Value<'c>, into: Value<'c>, at: &[Value<'c>]) -> Value<'c> {
    let map = AffineMap::projection(at.len(), &[at.len() - 1]);
    vector::transfer_write(b, value, into, &map, &[true], &[into.ty()]).indices(at).value()
}
