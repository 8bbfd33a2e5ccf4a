//! Legalises elementwise operations.
//!
//! Operands and results may differ in the width of their elements: rows are split so that every
//! piece is legal for the widest of them.

use strata_ir::{Builder, Op, TypeExt as _, Value, arith, math, vector};

use super::{Outcome, Parts, Rows, width_of};

impl<'c> Parts<'c> {
    /// Any operation of `arith` and `math` on vectors.
    pub(super) fn elementwise(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let [result] = op.results()[..] else {
            return Err("it has several results".to_owned());
        };
        let rows = Rows::of(result.ty())?;
        let types = op.operands().into_iter().map(Value::ty).chain([result.ty()]);
        let widths = types
            .filter(|ty| ty.is_vector_type())
            .map(|ty| self.row_pieces(ty))
            .collect::<Outcome<Vec<_>>>()?
            .into_iter()
            .max_by_key(Vec::len)
            .ok_or("it has no vector")?;
        let operands = op
            .operands()
            .into_iter()
            .map(|operand| {
                if operand.ty().is_vector_type() { self.rows(operand).map(Some) } else { Ok(None) }
            })
            .collect::<Outcome<Vec<_>>>()?;
        let own = self.row_pieces(result.ty())?;
        let mut parts = Vec::new();
        for number in 0..rows.count() {
            let cut = operands
                .iter()
                .map(|rows| match rows {
                    Some(rows) => self.recut(emit, &rows[number], &widths).map(Some),
                    None => Ok(None),
                })
                .collect::<Outcome<Vec<_>>>()?;
            let mut row = Vec::new();
            for (piece, lanes) in widths.iter().enumerate() {
                let values: Vec<_> = cut
                    .iter()
                    .enumerate()
                    .map(|(index, cut)| {
                        cut.as_ref().map_or_else(|| op.operand(index), |row| row[piece])
                    })
                    .collect();
                row.push(
                    emit.op(op.name())
                        .operands(&values)
                        .attrs(&op.attrs())
                        .result(vector(&[*lanes], result.ty().element()))
                        .value(),
                );
            }
            parts.extend(self.recut(emit, &row, &own)?);
        }
        Ok(parts)
    }

    /// `vector.fma`: the target's instruction, or a product and a sum where it has none.
    pub(super) fn fma(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let [left, right, sum] =
            [self.get(op.operand(0))?, self.get(op.operand(1))?, self.get(op.operand(2))?];
        Ok((0..sum.len())
            .map(|part| self.multiply_add(emit, left[part], right[part], sum[part]))
            .collect())
    }

    /// `left * right + sum`, fused where the target fuses.
    pub(super) fn multiply_add(
        &self,
        emit: Builder<'c>,
        left: Value<'c>,
        right: Value<'c>,
        sum: Value<'c>,
    ) -> Value<'c> {
        if !sum.ty().element().is_float_type() {
            return emit.same(arith::ADDI, &[emit.same(arith::MULI, &[left, right]), sum]);
        }
        let fused = self.has_fma && sum.ty().element().bit_width().is_some_and(|bits| bits >= 32);
        if fused && sum.ty().is_vector_type() {
            debug_assert_eq!(width_of(left), width_of(sum));
            return emit.same(vector::FMA, &[left, right, sum]);
        }
        if fused {
            return emit.same(math::FMA, &[left, right, sum]);
        }
        emit.same(arith::ADDF, &[emit.same(arith::MULF, &[left, right]), sum])
    }
}
