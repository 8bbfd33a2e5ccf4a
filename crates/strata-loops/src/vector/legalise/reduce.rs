//! Legalises reductions over the dimensions of a vector.
//!
//! Parts are combined lane by lane first; one `vector.reduction` at the end reduces the lanes.

use strata_ir::{
    AttributeExt as _, Builder, Op, OpName, TypeExt as _, Value, arith, vector::CombiningKind,
};

use super::{Outcome, Parts, Rows, cut, origins, width_of};

/// The operation that combines two values like `value`.
fn combiner(kind: CombiningKind, value: Value<'_>) -> Outcome<OpName<'static>> {
    let is_float = value.ty().element().is_float_type();
    Ok(match (kind, is_float) {
        (CombiningKind::Add, true) => arith::ADDF,
        (CombiningKind::Add, false) => arith::ADDI,
        (CombiningKind::Mul, true) => arith::MULF,
        (CombiningKind::Mul, false) => arith::MULI,
        (CombiningKind::Minimumf, true) => arith::MINIMUMF,
        (CombiningKind::Maximumf, true) => arith::MAXIMUMF,
        (CombiningKind::Minnumf, true) => arith::MINNUMF,
        (CombiningKind::Maxnumf, true) => arith::MAXNUMF,
        (CombiningKind::Minsi, false) => arith::MINSI,
        (CombiningKind::Maxsi, false) => arith::MAXSI,
        (CombiningKind::Minui, false) => arith::MINUI,
        (CombiningKind::Maxui, false) => arith::MAXUI,
        (CombiningKind::And, false) => arith::ANDI,
        (CombiningKind::Or, false) => arith::ORI,
        (CombiningKind::Xor, false) => arith::XORI,
        _ => {
            let kind = kind.keyword();
            return Err(format!("the kind `{kind}` does not combine `{}`", value.ty()));
        }
    })
}

impl<'c> Parts<'c> {
    /// `left kind right`.
    pub(super) fn combine(
        &self,
        emit: Builder<'c>,
        kind: CombiningKind,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Outcome<Value<'c>> {
        Ok(emit.same(combiner(kind, left)?, &[left, right]))
    }

    /// Reduces all lanes of a row to a scalar.
    pub(super) fn fold_row(
        &self,
        emit: Builder<'c>,
        kind: CombiningKind,
        row: &[Value<'c>],
    ) -> Outcome<Value<'c>> {
        // Pieces of the same width are combined first; the narrow tail is reduced separately.
        let mut folded: Option<Value<'c>> = None;
        let mut rest = row;
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|one| width_of(**one) == width_of(*first)).count();
            let (own, others) = rest.split_at(same);
            rest = if strata_ir::planted("vector-fold-tail") { &[] } else { others };
            let mut sum = own[0];
            for piece in &own[1..] {
                sum = self.combine(emit, kind, sum, *piece)?;
            }
            let scalar =
                if width_of(sum) == 1 { emit.lane(sum, 0) } else { emit.reduction(kind, sum) };
            folded = Some(match folded {
                None => scalar,
                Some(before) => self.combine(emit, kind, before, scalar)?,
            });
        }
        folded.ok_or_else(|| "the row is empty".to_owned())
    }

    /// `vector.reduction`.
    pub(super) fn reduction(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let kind = op.attr("kind").and_then(CombiningKind::of).ok_or("it has no kind")?;
        let mut scalar = self.fold_row(emit, kind, &self.get(op.operand(0))?)?;
        if op.operand_count() > 1 {
            scalar = self.combine(emit, kind, op.operand(1), scalar)?;
        }
        Ok(vec![scalar])
    }

    /// `vector.multi_reduction`.
    pub(super) fn multi_reduction(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let kind = op.attr("kind").and_then(CombiningKind::of).ok_or("it has no kind")?;
        let reduced = op
            .attr("reduction_dims")
            .and_then(|dims| dims.as_i64s())
            .ok_or("it has no dimensions")?;
        let (source, start) = (op.operand(0), op.operand(1));
        let shape = Rows::of(source.ty())?;
        let last = shape.leading.len() as i64;
        let keeps = |dim: i64| !reduced.contains(&dim);

        // Rows of the source with the same kept leading index are combined lane by lane.
        let kept: Vec<i64> = (0..last).filter(|dim| keeps(*dim)).collect();
        let kept_shape: Vec<i64> = kept.iter().map(|dim| shape.leading[*dim as usize]).collect();
        let count = kept_shape.iter().product::<i64>() as usize;
        let mut sums: Vec<Option<Vec<Value<'c>>>> = vec![None; count];
        let ends = self.ends.contains_key(&source);
        for (index, mut row) in shape.indices().into_iter().zip(self.rows(source)?) {
            if ends {
                row = self.each_once(emit, kind, row, shape.row)?;
            }
            let at: Vec<i64> = kept.iter().map(|dim| index[*dim as usize]).collect();
            let sum = &mut sums[super::linear(&kept_shape, &at)];
            *sum = Some(match sum.take() {
                None => row,
                Some(before) => before
                    .into_iter()
                    .zip(row)
                    .map(|(left, right)| self.combine(emit, kind, left, right))
                    .collect::<Outcome<_>>()?,
            });
        }
        let sums: Vec<Vec<Value<'c>>> =
            sums.into_iter().collect::<Option<_>>().ok_or("it reduces nothing")?;

        if keeps(last) {
            let start = self.get(start)?;
            return sums
                .into_iter()
                .flatten()
                .zip(start)
                .map(|(sum, start)| self.combine(emit, kind, start, sum))
                .collect();
        }
        if let Some(parts) = self.fold_many(emit, kind, &sums, start)? {
            return Ok(parts);
        }
        let scalars =
            sums.iter().map(|row| self.fold_row(emit, kind, row)).collect::<Outcome<Vec<_>>>()?;
        if !start.ty().is_vector_type() {
            return Ok(vec![self.combine(emit, kind, start, scalars[0])?]);
        }
        let widths = self.row_pieces(start.ty())?;
        let row = Rows::of(start.ty())?.row.max(1) as usize;
        let folded = scalars.chunks(row).flat_map(|row| self.row_of(emit, row, &widths));
        folded
            .collect::<Vec<_>>()
            .into_iter()
            .zip(self.get(start)?)
            .map(|(sum, start)| self.combine(emit, kind, start, sum))
            .collect()
    }

    /// What [`Self::multi_reduction`] of rows that are several vectors of equal lanes each gives; `None` where it is a single row.
    fn fold_many(
        &self,
        emit: Builder<'c>,
        kind: CombiningKind,
        rows: &[Vec<Value<'c>>],
        start: Value<'c>,
    ) -> Outcome<Option<Vec<Value<'c>>>> {
        let lanes = width_of(rows[0][0]);
        let is_even = rows[0].iter().all(|piece| width_of(*piece) == lanes);
        if rows.len() < 2 || lanes < 2 || !is_even || !start.ty().is_vector_type() {
            return Ok(None);
        }
        let mut vectors = Vec::new();
        for row in rows {
            let mut row = row.iter().copied();
            let first = row.next().ok_or("the row is empty")?;
            vectors.push(row.try_fold(first, |sum, piece| self.combine(emit, kind, sum, piece))?);
        }
        let mut lanes_of_rows = Vec::new();
        for some in vectors.chunks(lanes as usize) {
            // The last one again, up to a power of two.
            let mut all = some.to_vec();
            all.resize(some.len().next_power_of_two(), some[some.len() - 1]);
            let folded = self.fold_rows(emit, kind, &all)?;
            lanes_of_rows.extend(origins(&[folded]).into_iter().take(some.len()));
        }
        let starts = self.get(start)?;
        let widths: Vec<_> = starts.iter().map(|start| width_of(*start)).collect();
        let folded = cut(emit, &lanes_of_rows, &widths)?;
        let both = folded.into_iter().zip(starts);
        let both = both.map(|(sum, start)| self.combine(emit, kind, start, sum));
        both.collect::<Outcome<Vec<_>>>().map(Some)
    }
}
