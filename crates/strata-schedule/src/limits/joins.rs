//! Rows of which the first elements are put after each other: loops over vectors, which end where the next row begins.
//!
//! ```mlir
//! %zeros = linalg.fill …
//! %y = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %zeros) {
//!   %row = tensor.extract_slice %x[%i, 0] [1, 128] [1, 1]
//!   %at = arith.muli %i, %n                                                // %n is the size %s
//!   tensor.insert_slice %row into %t[%at] [128] [1]
//! }
//! return %y                                                                // its first 64 * %s elements
//! ```
//! becomes
//! ```mlir
//! %y = scf.for %i = %c0 to %c64 step %c1 iter_args(%t = %zeros) {
//!   %at = arith.muli %i, %n {strata.rows = affine_map<(d0) -> (d0)>}
//!   scf.for %j = %c0 to %c128 step %c32 iter_args(%u = %t) {
//!     %v = vector.transfer_read %x[%i, %j]
//!     %w = vector.transfer_write %v, %u[%at + %j]
//!     …
//!   } {strata.limit = affine_map<(d0) -> (d0)>}
//! }
//! ```
//! What comes after %s elements of a row is overwritten by the next one, or not needed. Of `%zeros` nothing is needed then.

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, LIMIT, Op, ROWS, TypeExt as _, Value, arith,
    constant_index, linalg, scf, tensor,
};
use strata_target::Target;

use super::{
    Bound, Need,
    demand::Needs,
    facts::Facts,
    loops::{Start, offsets},
    pieces::Piece,
};
use crate::loops::counted_list;

/// A loop that puts a row in each iteration, and what these are rows of.
pub struct Join<'c> {
    each: Op<'c>,
    /// How many rows there are.
    count: i64,
    /// Their shape, of which the elements along `dim` are put after those of the row before.
    shape: Vec<i64>,
    dim: usize,
    /// How many elements of each are not overwritten, and the value that this number is.
    length: Bound,
    number: Value<'c>,
    /// What they are taken of, and the dimension of this that counts them, where they are not all the same.
    source: Value<'c>,
    along: Option<usize>,
}

impl<'c> Join<'c> {
    /// The rows that a loop joins.
    pub fn of(each: Op<'c>, facts: &Facts<'c>) -> Option<Self> {
        (each.is(scf::FOR) && each.result_count() == 1).then_some(())?;
        let [counter, into] = each.body(0).args()[..] else { return None };
        let bounds = [0, 1, 2].map(|at| constant_index(each.operand(at)));
        let [Some(0), Some(count), Some(1)] = bounds else { return None };
        let put = each.body(0).terminator()?.operand(0).owner()?;
        (put.is(tensor::INSERT_SLICE) && put.operand(1) == into).then_some(())?;
        let starts = offsets(put)?;
        let is_along = |start: &Start<'c>| !matches!(start, Start::At(0));
        let dim = starts.iter().position(is_along)?;
        let Start::Computed(place) = starts[dim] else { return None };
        let product = place.owner().filter(|op| op.is(arith::MULI) && op.operand(0) == counter)?;
        let number = product.operand(1);
        let length = facts.number(number)?;
        let shape = put.operand(0).ty().shape()?;
        let is_alone = starts.iter().filter(|start| is_along(start)).count() == 1
            && put.attr("static_sizes")?.as_i64s()? == shape;
        is_alone.then_some(())?;
        // The row, and where its rows are in what it is taken of.
        let row = put.operand(0);
        let (source, along) = match row.owner().filter(|owner| each.encloses(*owner)) {
            None if row != into => (row, None),
            Some(slice) if slice.is(tensor::EXTRACT_SLICE) => {
                let own = offsets(slice)?;
                let is_row =
                    |start: &Start<'c>| matches!(start, Start::Computed(at) if *at == counter);
                let at = own.iter().position(is_row)?;
                let mut others = own.iter().enumerate().filter(|(other, _)| *other != at);
                let source = slice.operand(0);
                let is_outside = source.owner().is_none_or(|owner| !each.encloses(owner));
                let mut sizes = slice.attr("static_sizes")?.as_i64s()?;
                let is_one = sizes.remove(at) == 1 && sizes == shape && source != into;
                let is_whole = others.all(|(_, start)| matches!(start, Start::At(0)));
                (is_one && is_whole && is_outside).then_some((source, Some(at)))?
            }
            _ => return None,
        };
        Some(Self { each, count, shape, dim, length, number, source, along })
    }

    /// How many elements the joined rows have.
    fn all(&self) -> Option<Bound> {
        self.length.times(self.count)
    }

    /// What is needed of each row, where no more than the joined ones is needed of the result.
    fn part(&self, needed: &[Need]) -> Option<Vec<Need>> {
        let mut part = needed.to_vec();
        (part.get(self.dim) == Some(&Need::Below(self.all()?))).then_some(())?;
        part[self.dim] = Need::Below(self.length);
        Some(part)
    }

    /// What is needed of what the rows are taken of. Of what they are put into nothing is.
    pub fn needs(&self, needed: &[Need]) -> Option<(Value<'c>, Vec<Need>)> {
        let mut part = self.part(needed)?;
        if let Some(at) = self.along {
            part.insert(at, Need::All);
        }
        (self.source.ty().rank() == Some(part.len())).then_some((self.source, part))
    }

    /// The loop as one over vectors; `None` where more is needed than the rows.
    pub fn joined(&self, b: &Builder<'c>, needs: &Needs<'c>, target: &Target) -> Option<Value<'c>> {
        let &Self { each, count, dim, .. } = self;
        let init = each.operand(3);
        let part = self.part(&needs.needed(each.result(0)))?;
        let limit = self.length.to_map(needs.sizes).to_attribute(b.context);
        let made = counted_list(b, [0, count, 1], &[init], &mut |b, index, carried| {
            let place = b.same(arith::MULI, &[index, self.number]);
            place.owner()?.set_attr(ROWS, limit);
            let starts = (0..self.shape.len()).map(|at| match at == dim {
                true => Start::Computed(place),
                false => Start::At(0),
            });
            let own = self.along.map(|at| (at, index));
            let piece =
                Piece::row(self.source, self.shape.clone(), own, (&part, needs.sizes, target));
            Some(vec![piece.put_at(starts.collect()).over(b, &[], carried[0])?])
        })?;
        // None, as a number that is not positive.
        let end = self.all()?.plus(-init.ty().shape()?[dim]);
        if let Some(fill) = init.owner().filter(|fill| fill.is(linalg::FILL))
            && let Some(end) = end
            && init.uses().len() == 2
        {
            let limits = vec![end.to_map(needs.sizes); self.shape.len()];
            fill.set_attr(LIMIT, AffineMap::list(b.context, &limits));
        }
        made.first().copied()
    }
}
