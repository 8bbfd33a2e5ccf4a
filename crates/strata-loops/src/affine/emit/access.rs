//! Reads and writes of elements and vectors, folded to access the buffer instead of a slice of it.
//!
//! Before:
//! ```mlir
//! %s = memref.subview %b[%i, 8] [4, 4] [1, 1] : memref<16x16xf32> to memref<4x4xf32, strided<[16, 1], offset: ?>>
//! %v = vector.transfer_read %s[%j, %c0] {in_bounds = [true]} : …, vector<4xf32>
//! ```
//! After:
//! ```mlir
//! %k = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%i, %j]
//! %v = vector.transfer_read %b[%k, %c8] {in_bounds = [true]} : memref<16x16xf32>, vector<4xf32>
//! ```
//! Only slices with strides of 1 along every dimension of the buffer are folded; [`crate::views`] folds the others.

use strata_ir::{affine, arith, memref, sum_map, vector};

use super::*;

/// An index: the sum of a constant and of run-time numbers.
#[derive(Clone, Default)]
struct Sum<'c> {
    constant: i64,
    terms: Vec<Value<'c>>,
}

impl<'c> Sum<'c> {
    fn add(&mut self, value: Value<'c>) -> Option<()> {
        let constant = value.owner().filter(|owner| owner.is(arith::CONSTANT));
        match constant {
            Some(owner) => self.add_constant(owner.attr("value")?.as_i64()?)?,
            None => self.terms.push(value),
        }
        Some(())
    }

    fn add_constant(&mut self, constant: i64) -> Option<()> {
        self.constant = self.constant.checked_add(constant)?;
        Some(())
    }
}

/// The offset of a slice in the buffer.
#[derive(Clone)]
pub(super) struct Start<'c> {
    buffer: Value<'c>,
    offsets: Vec<Sum<'c>>,
}

impl<'c> Emitter<'_, 'c> {
    /// The buffer and the indices of an access of `view` at `indices`; `view` itself if it is not a slice, or if the
    /// access may go beyond it.
    pub(super) fn access(
        &mut self,
        op: Op<'c>,
        at: &Builder<'c>,
        view: Value<'c>,
        indices: Vec<Value<'c>>,
    ) -> (Value<'c>, Vec<Value<'c>>) {
        let start = stays_inside(op).then(|| self.start(view)).flatten();
        let through = start.and_then(|start| {
            let sums = start.offsets.into_iter().zip(&indices).map(|(mut sum, index)| {
                sum.add(*index)?;
                Some(sum)
            });
            Some((start.buffer, sums.collect::<Option<Vec<_>>>()?))
        });
        let (buffer, indices) = match through {
            Some((buffer, sums)) => (buffer, sums.iter().map(|sum| self.sum(at, sum)).collect()),
            None => (view, indices),
        };
        self.accesses.push((op, buffer));
        (buffer, indices)
    }

    /// The offset of `view` in its buffer, if it is a slice of the same rank with strides of 1.
    fn start(&mut self, view: Value<'c>) -> Option<Start<'c>> {
        if let Some(known) = self.starts.get(&view) {
            return known.clone();
        }
        let start = view.owner().filter(|owner| owner.is(memref::SUBVIEW)).and_then(|slice| {
            let source = slice.operand(0);
            let is_whole = source.ty().rank() == view.ty().rank();
            let strides = slice.attr("static_strides")?.as_i64s()?;
            if !is_whole || strides.iter().any(|stride| *stride != 1) {
                return None;
            }
            let offsets = slice.attr("static_offsets")?.as_i64s()?;
            let mut start = self.start(source).unwrap_or_else(|| Start {
                buffer: source,
                offsets: vec![Sum::default(); offsets.len()],
            });
            let mut dynamic = slice.operands().into_iter().skip(1);
            for (sum, offset) in start.offsets.iter_mut().zip(offsets) {
                match offset {
                    DYNAMIC => sum.add(dynamic.next()?)?,
                    _ if strata_ir::planted("emit-access") => {}
                    constant => sum.add_constant(constant)?,
                }
            }
            Some(start)
        });
        self.starts.insert(view, start.clone());
        start
    }

    fn sum(&self, at: &Builder<'c>, sum: &Sum<'c>) -> Value<'c> {
        let word = strata_ir::index(self.context);
        match (&sum.terms[..], sum.constant) {
            ([], constant) => {
                at.op(arith::CONSTANT).attr("value", int(word, constant)).result(word).value()
            }
            ([one], 0) => *one,
            (terms, constant) => at
                .op(affine::APPLY)
                .operands(terms)
                .attr("map", sum_map(self.context, terms.len(), constant))
                .result(word)
                .value(),
        }
    }
}

/// Whether an access is in bounds of its tensor.
fn stays_inside(op: Op<'_>) -> bool {
    if !matches!(op.name(), vector::TRANSFER_READ | vector::TRANSFER_WRITE) {
        return true;
    }
    if strata_ir::planted("emit-access-inside") {
        return true;
    }
    let dims = op.attr("in_bounds").and_then(|dims| dims.as_array()).unwrap_or_default();
    dims.into_iter().all(|dim| dim.as_bool() == Some(true))
}
