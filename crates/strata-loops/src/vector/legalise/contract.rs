//! Legalises contractions: multiply-adds on rows.
//!
//! Before:
//! ```mlir
//! %c = vector.contract … %a, %b, %acc : vector<1xf32>, vector<1x16xf32> into vector<16xf32>
//! ```
//! After:
//! ```mlir
//! %a0 = vector.extract %a[0] : f32 from vector<1xf32>
//! %av = vector.broadcast %a0 : f32 to vector<16xf32>
//! %c = vector.fma %av, %b0, %acc : vector<16xf32>
//! ```

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, Builder, Op, TypeExt as _, Value, arith, vector, vector::CombiningKind,
};

use super::{Outcome, Parts, Rows, indices, linear, width_of};

/// One operand: its rows and which iteration dimension runs along each of its dimensions.
struct Operand<'c> {
    rows: Vec<Vec<Value<'c>>>,
    leading: Vec<i64>,
    dims: Vec<usize>,
}

impl<'c> Operand<'c> {
    /// The row at a point of the iteration space.
    fn row(&self, point: &[i64]) -> &[Value<'c>] {
        let index: Vec<i64> =
            self.dims.iter().take(self.leading.len()).map(|dim| point[*dim]).collect();
        &self.rows[linear(&self.leading, &index)]
    }

    /// The dimension that runs along the rows.
    fn along(&self) -> Option<usize> {
        self.dims.last().copied()
    }
}

impl<'c> Parts<'c> {
    /// `vector.contract`.
    pub(super) fn contract(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let contract = op.cast::<vector::Contract>().ok_or("it is not a contraction")?;
        let kind = contract.kind().ok_or("it has no kind")?;
        if kind != CombiningKind::Add {
            return Err(format!("a contraction that combines by `{}`", kind.keyword()));
        }
        let maps = contract
            .indexing_maps()
            .and_then(|maps| maps.into_iter().map(AffineMap::of).collect::<Option<Vec<_>>>())
            .filter(|maps| maps.len() == 3)
            .ok_or("its maps are not plain")?;
        let [left, right] =
            [self.operand(op.operand(0), &maps[0])?, self.operand(op.operand(1), &maps[1])?];
        let start = op.operand(2);

        let mut extents = vec![1; maps[0].dims];
        for (operand, map) in op.operands().into_iter().zip(&maps) {
            for (at, size) in operand.ty().shape().unwrap_or_default().into_iter().enumerate() {
                if let Some([dim]) = map.results.get(at).map(AffineExpr::dims).as_deref() {
                    extents[*dim] = size;
                }
            }
        }
        if !start.ty().is_vector_type() {
            return Ok(vec![self.dot(emit, &left, &right, &extents, start)?]);
        }
        let sum = self.operand(start, &maps[2])?;
        let along = sum.along().ok_or("its result has no rows")?;
        let on_rows = |operand: &Operand<'c>| {
            operand.along() == Some(along) || !operand.dims.contains(&along)
        };
        if on_rows(&left) && on_rows(&right) {
            self.along_rows(emit, &left, &right, sum, &extents, along)
        } else {
            self.by_elements(emit, &left, &right, sum, &extents, along, start)
        }
    }

    /// `vector.outerproduct`.
    pub(super) fn outer_product(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let kind = op.attr("kind").and_then(CombiningKind::of).unwrap_or(CombiningKind::Add);
        if kind != CombiningKind::Add {
            return Err(format!("an outer product that combines by `{}`", kind.keyword()));
        }
        let (left, right) = (self.get(op.operand(0))?, op.operand(1));
        let count = Rows::of(op.operand(0).ty())?.row;
        let start = if op.operand_count() > 2 { Some(self.rows(op.operand(2))?) } else { None };
        // With a scalar on the right the result is a scaled vector: one row.
        if !right.ty().is_vector_type() {
            return left
                .iter()
                .enumerate()
                .map(|(piece, row)| {
                    let factor = emit.broadcast(right, row.ty());
                    Ok(self.product(
                        emit,
                        *row,
                        factor,
                        start.as_ref().map(|start| start[0][piece]),
                    ))
                })
                .collect();
        }
        let row = self.get(right)?;
        let mut parts = Vec::new();
        for lane in 0..count {
            let factor = self.element(emit, &left, lane)?;
            for (piece, right) in row.iter().enumerate() {
                let factor = emit.broadcast(factor, right.ty());
                let start = start.as_ref().map(|start| start[lane as usize][piece]);
                parts.push(self.product(emit, factor, *right, start));
            }
        }
        Ok(parts)
    }

    fn product(
        &self,
        emit: Builder<'c>,
        left: Value<'c>,
        right: Value<'c>,
        sum: Option<Value<'c>>,
    ) -> Value<'c> {
        match sum {
            Some(sum) => self.multiply_add(emit, left, right, sum),
            None if left.ty().element().is_float_type() => emit.same(arith::MULF, &[left, right]),
            None => emit.same(arith::MULI, &[left, right]),
        }
    }

    fn operand(&self, value: Value<'c>, map: &AffineMap) -> Outcome<Operand<'c>> {
        let dims = map.projected().ok_or("its maps are not plain")?;
        Ok(Operand { rows: self.rows(value)?, leading: Rows::of(value.ty())?.leading, dims })
    }

    /// The usual case: the result's rows run along rows of the operands.
    fn along_rows(
        &self,
        emit: Builder<'c>,
        left: &Operand<'c>,
        right: &Operand<'c>,
        sum: Operand<'c>,
        extents: &[i64],
        along: usize,
    ) -> Outcome<Vec<Value<'c>>> {
        let mut outer = extents.to_vec();
        outer[along] = 1;
        let Operand { mut rows, leading, dims } = sum;
        // A broadcast is shared by all the rows that use the same element.
        let mut broadcasts: FxHashMap<(usize, usize, i64, i64), Value<'c>> = FxHashMap::default();
        for point in indices(&outer) {
            let index: Vec<i64> = dims.iter().take(leading.len()).map(|dim| point[*dim]).collect();
            let row = &mut rows[linear(&leading, &index)];
            let widths: Vec<i64> = row.iter().map(|piece| width_of(*piece)).collect();
            for (piece, sum) in row.iter_mut().enumerate() {
                let mut factor = |side: usize, operand: &Operand<'c>| -> Outcome<Value<'c>> {
                    let from = operand.row(&point);
                    if operand.along() == Some(along) {
                        let own = self.recut(emit, from, &widths)?[piece];
                        return self.widened(emit, own, *sum);
                    }
                    let lane = operand.along().map_or(0, |dim| point[dim]);
                    let row_number = linear(
                        &operand.leading,
                        &operand
                            .dims
                            .iter()
                            .take(operand.leading.len())
                            .map(|dim| point[*dim])
                            .collect::<Vec<_>>(),
                    );
                    let key = (side, row_number, lane, width_of(*sum));
                    if let Some(known) = broadcasts.get(&key) {
                        return Ok(*known);
                    }
                    let scalar = self.element(emit, from, lane)?;
                    let scalar = self.widened(emit, scalar, *sum)?;
                    let value = emit.broadcast(scalar, sum.ty());
                    broadcasts.insert(key, value);
                    Ok(value)
                };
                let (left, right) = (factor(0, left)?, factor(1, right)?);
                *sum = self.multiply_add(emit, left, right, *sum);
            }
        }
        Ok(rows.into_iter().flatten().collect())
    }

    /// The general case, element by element.
    #[allow(clippy::too_many_arguments)]
    fn by_elements(
        &self,
        emit: Builder<'c>,
        left: &Operand<'c>,
        right: &Operand<'c>,
        sum: Operand<'c>,
        extents: &[i64],
        along: usize,
        start: Value<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let widths = self.row_pieces(start.ty())?;
        let mut fixed = extents.to_vec();
        let kept: Vec<usize> = sum.dims.clone();
        let kept_extents: Vec<i64> = kept.iter().map(|dim| extents[*dim]).collect();
        for dim in &kept {
            fixed[*dim] = 1;
        }
        let mut scalars = Vec::new();
        for at in indices(&kept_extents) {
            let mut base = vec![0; extents.len()];
            for (dim, value) in kept.iter().zip(&at) {
                base[*dim] = *value;
            }
            let initial = self.element(emit, sum.row(&base), base[along])?;
            scalars.push(self.dot_at(emit, left, right, &fixed, &base, initial)?);
        }
        let row = Rows::of(start.ty())?.row as usize;
        Ok(scalars.chunks(row).flat_map(|row| self.row_of(emit, row, &widths)).collect())
    }

    fn dot(
        &self,
        emit: Builder<'c>,
        left: &Operand<'c>,
        right: &Operand<'c>,
        extents: &[i64],
        start: Value<'c>,
    ) -> Outcome<Value<'c>> {
        self.dot_at(emit, left, right, extents, &vec![0; extents.len()], start)
    }

    /// The sum of products over `extents`, shifted by `base`: on whole rows where both operands
    /// have them.
    fn dot_at(
        &self,
        emit: Builder<'c>,
        left: &Operand<'c>,
        right: &Operand<'c>,
        extents: &[i64],
        base: &[i64],
        start: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let along = left.along().filter(|dim| right.along() == Some(*dim) && extents[*dim] > 1);
        let mut outer = extents.to_vec();
        if let Some(along) = along {
            outer[along] = 1;
        }
        let mut sums: Option<Vec<Value<'c>>> = None;
        let mut scalar = start;
        for point in indices(&outer) {
            let point: Vec<i64> = point.iter().zip(base).map(|(one, base)| one + base).collect();
            let (left_row, right_row) = (left.row(&point), right.row(&point));
            if along.is_none() {
                let lane = |operand: &Operand<'c>| operand.along().map_or(0, |dim| point[dim]);
                let a = self.element(emit, left_row, lane(left))?;
                let b = self.element(emit, right_row, lane(right))?;
                let (a, b) = (self.widened(emit, a, scalar)?, self.widened(emit, b, scalar)?);
                scalar = self.multiply_add(emit, a, b, scalar);
                continue;
            }
            let products = left_row.iter().zip(right_row).enumerate().map(|(piece, (a, b))| {
                if a.ty().element() != start.ty().element() {
                    return Err("a dot product of narrower elements".to_owned());
                }
                Ok(self.product(emit, *a, *b, sums.as_ref().map(|sums| sums[piece])))
            });
            sums = Some(products.collect::<Outcome<_>>()?);
        }
        if let Some(sums) = sums {
            let total = self.fold_row(emit, CombiningKind::Add, &sums)?;
            scalar = self.combine(emit, CombiningKind::Add, scalar, total)?;
        }
        Ok(scalar)
    }

    /// A factor in the element type of the sum.
    fn widened(&self, emit: Builder<'c>, value: Value<'c>, sum: Value<'c>) -> Outcome<Value<'c>> {
        let (from, to) = (value.ty().element(), sum.ty().element());
        if from == to {
            return Ok(value);
        }
        let ty = emit.like(value.ty(), to);
        if from.is_float_type() && to.is_float_type() {
            return Ok(emit.apply(arith::EXTF, &[value], ty));
        }
        if from.is_int() && to.is_int() {
            return Ok(emit.apply(arith::EXTSI, &[value], ty));
        }
        Err(format!("a product of `{from}` summed in `{to}`"))
    }
}
