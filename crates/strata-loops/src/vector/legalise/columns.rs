//! Legalises reads along columns of a buffer with short rows.
//!
//! Before:
//! ```mlir
//! %v = vector.transfer_read %m[%i, %c1], … {permutation_map = (d0, d1) -> (d0)} : memref<800x3xf32>, vector<16xf32>
//! ```
//! After: the rows, which are 48 elements one after the other, and the lanes of the column. What else reads these rows has the same loads.
//! ```mlir
//! %all = memref.collapse_shape %m [[0, 1]] : memref<800x3xf32> into memref<2400xf32>
//! %at = arith.muli %i, %c3 : index
//! %0 = vector.load %all[%at] : memref<2400xf32>, vector<16xf32>
//! … %1 and %2 16 and 32 elements after it …
//! %part = vector.shuffle %0, %1 [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, …]
//! %v = vector.shuffle %part, %2 [0, …, 10, 18, 21, 24, 27, 30]
//! ```
//! Where the column ends within the vector, the loads have masks of three elements for each row that is left.

use strata_ir::{
    Builder, DYNAMIC, Type, TypeExt as _, Value, arith, bool_type, constant_index, memref,
    reassociation, vector,
};
use strata_target::tuning::columns::MAX_ROW;

use super::{Outcome, gather, lanes::Origin};

/// A buffer with short rows, one after the other.
pub(super) struct ShortRows<'c> {
    buffer: Value<'c>,
    /// The elements of a row.
    row: i64,
}

impl<'c> ShortRows<'c> {
    pub(super) fn of(buffer: Value<'c>) -> Option<Self> {
        Self::up_to(buffer, MAX_ROW)
    }

    /// As [`Self::of`], with rows of up to `longest` elements.
    pub(super) fn up_to(buffer: Value<'c>, longest: i64) -> Option<Self> {
        let shape = buffer.ty().shape()?;
        let row = *shape.last()?;
        let element = buffer.ty().element();
        let is_plain = shape.len() > 1
            && (2..=longest).contains(&row)
            && buffer.ty() == memref(&shape, element)
            && element.can_shuffle();
        is_plain.then_some(Self { buffer, row })
    }

    /// Those of a vector with these dimensions of the buffer, which has whole rows.
    pub(super) fn whole(
        buffer: Value<'c>,
        (dims, at): (&[Option<usize>], &[Value<'c>]),
        ty: Type<'c>,
    ) -> Option<Self> {
        let rows = Self::of(buffer)?;
        let rank = at.len();
        let is_whole = dims == [Some(rank - 2), Some(rank - 1)]
            && ty.shape()?.last() == Some(&rows.row)
            && constant_index(*at.last()?) == Some(0);
        is_whole.then_some(rows)
    }

    pub(super) fn has_column(&self, number: i64) -> bool {
        (0..self.row).contains(&number)
    }

    pub(super) fn columns(&self) -> usize {
        self.row as usize
    }

    /// The buffer with its rows as one, and indices in it `more` elements after a row at `at`.
    pub(super) fn joined(
        &self,
        emit: Builder<'c>,
        at: &[Value<'c>],
    ) -> impl Fn(i64) -> Vec<Value<'c>> {
        let shape = self.buffer.ty().shape().unwrap_or_default();
        let outer = at.len() - 2;
        let length = match shape[outer] {
            DYNAMIC => DYNAMIC,
            rows => rows * self.row,
        };
        let ty = memref(&[&shape[..outer], &[length]].concat(), self.buffer.ty().element());
        let counts = [&vec![1; outer][..], &[2]].concat();
        let flat = emit
            .op(memref::COLLAPSE_SHAPE)
            .operand(self.buffer)
            .attr("reassociation", reassociation(emit.context, &counts))
            .result(ty)
            .value();
        let first = emit.same(arith::MULI, &[at[outer], emit.index(self.row)]);
        let before = [&[flat][..], &at[..outer]].concat();
        move |more| [&before[..], &[emit.offset(first, more)]].concat()
    }

    /// The elements of column `number` in the rows from `at` on: in all rows, or in so many, and in other lanes the padding.
    pub(super) fn column(
        &self,
        emit: Builder<'c>,
        (at, number): (&[Value<'c>], i64),
        part: Type<'c>,
        end: Option<(Value<'c>, Value<'c>)>,
    ) -> Outcome<Value<'c>> {
        let place = self.joined(emit, at);
        let lanes = part.shape().and_then(|shape| shape.first().copied()).unwrap_or(1);
        let end = end.map(|(rows, padding)| {
            let elements = emit.same(arith::MULI, &[rows, emit.index(self.row)]);
            (elements, emit.broadcast(padding, part))
        });
        let mask = vector(&[lanes], bool_type(emit.context));
        let load = |piece: i64| {
            let place = place(piece * lanes);
            let Some((elements, filler)) = end else {
                return emit.apply(vector::LOAD, &place, part);
            };
            let left = emit.offset(elements, -piece * lanes);
            let mask = emit.apply(vector::CREATE_MASK, &[left], mask);
            emit.apply(vector::MASKEDLOAD, &[&place[..], &[mask, filler]].concat(), part)
        };
        let pieces: Vec<_> = (0..self.row).map(load).collect();
        let origin = |lane: i64| -> Origin<'c> {
            let element = lane * self.row + number;
            (pieces[(element / lanes) as usize], element % lanes)
        };
        gather(emit, &(0..lanes).map(origin).collect::<Vec<_>>())
    }
}
