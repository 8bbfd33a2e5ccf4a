//! Dots: padding is zero along what they sum over, and rows and columns have a dimension for each size.
//!
//! ```text
//! dot [(b of 4)(s of 64), 768] x [768, 256]      =>      dot [b of 4, s of 64, 768] x [768, 256], one loop for `b`, one for `s`
//! ```
//!
//! Rows of `b*s` are not the first ones of their buffer: a loop over all would not end before the last one.

use strata_ir::{APART, Builder, DotDimensionNumbers, OPEN_SUMS, Op, TypeExt as _, Value, unit};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimRules, rules};

use super::{
    Padded, Padding,
    contractions::{meet, summed},
    extent::Extent,
    padded_type,
    rules::has_quantized_axis,
};
use crate::{emit::Emit as _, expansion::quantized::contracted_dot};

impl<'c> Padding<'c> {
    pub fn dot(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let (mut lhs, mut rhs) = (self.padded(op.operand(0))?, self.padded(op.operand(1))?);
        let table = rules(op).map_err(|why| why.reason())?;
        if !meet(&table, &lhs, &rhs) {
            (lhs, rhs) = (self.compact(builder, &lhs)?, self.compact(builder, &rhs)?);
            meet(&table, &lhs, &rhs).or_decline("sizes of operands are not known to be equal")?;
        }
        // Both sides: what is not valid may be infinite.
        lhs.value = self.clean(builder, &lhs, &summed(&table, 0))?;
        rhs.value = self.clean(builder, &rhs, &summed(&table, 1))?;
        let operands = [lhs, rhs];
        let dims = Self::extents_of(op, &operands)?.pop().or_decline("it has no result")?;
        let element = op.result(0).ty().element();
        let numbers =
            op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
        let parts = Parts::of(&table, &operands, (dims.len(), numbers.is_some()));
        (!parts.are_several() || !has_quantized_axis(op)).or_decline(
            "its quantization differs along a dimension, and rows are of several sizes",
        )?;
        let [lhs, rhs] = [0, 1].map(|side| parts.of_operand(builder, side, &operands[side]));
        let mut others = Vec::new();
        if let Some(numbers) = numbers.filter(|_| parts.are_several()) {
            let numbers = parts.numbers(numbers).to_attribute(self.context);
            let numbers = numbers.or_decline("the dialect is not loaded")?;
            others.push(("dot_dimension_numbers", numbers));
        }
        let all = parts.of_result(&dims);
        let ty = padded_type(&all, element)?;
        let new = self.rebuilt(builder, op, &[lhs?, rhs?], &[ty], &others);
        if parts.have_inner_open() {
            new.set_attr(APART, unit(self.context));
        }
        self.mark_sums(new, &operands, &table);
        let valid = || {
            let rows = operands[0].dims.split_last().map_or(&[][..], |(_, rows)| rows);
            self.valid(builder, rows, &(0..rows.len()).collect::<Vec<_>>())
        };
        let value = match contracted_dot(new, builder, &valid) {
            Some(value) => {
                new.erase();
                value
            }
            None => new.result(0),
        };
        let shape = padded_type(&dims, element)?.shape().unwrap_or_default();
        Ok(Padded { value: builder.reshaped(value, &shape), dims, zero: false })
    }

    /// Says of a dot or convolution that what it sums over has an open size.
    pub fn mark_sums(&self, new: Op<'c>, operands: &[Padded<'c>; 2], table: &DimRules) {
        let is_open = |side: usize| {
            let mut dims = summed(table, side).into_iter();
            dims.any(|dim| !operands[side].dims[dim].is_full())
        };
        if is_open(0) || is_open(1) {
            new.set_attr(OPEN_SUMS, unit(self.context));
        }
    }
}

/// The parts of each dimension of the operands, and of which operand's dimension each dimension of the result is.
struct Parts {
    operands: [Vec<Vec<Extent>>; 2],
    /// For each dimension of the result the operand that alone has it, and the dimension there.
    own: Vec<Option<(usize, usize)>>,
}

impl Parts {
    /// Those of a dot with a result of that rank; dimensions are divided where it says which ones are what.
    fn of(
        table: &DimRules,
        operands: &[Padded<'_>; 2],
        (rank, has_numbers): (usize, bool),
    ) -> Self {
        let alone = |dim: usize| {
            let mut factors = table.factors().iter().filter(|one| one.result(0) == Some(dim));
            match factors.next().map(|one| (one.operand(0), one.operand(1)))? {
                (Some(left), None) => Some((0, left)),
                (None, Some(right)) => Some((1, right)),
                _ => None,
            }
        };
        let own: Vec<_> = (0..rank).map(alone).collect();
        let of = |side: usize| {
            let dims = operands[side].dims.iter().enumerate();
            let parts =
                dims.map(|(dim, extent)| match has_numbers && own.contains(&Some((side, dim))) {
                    true => extent.parts(),
                    false => vec![extent.clone()],
                });
            parts.collect()
        };
        Self { operands: [of(0), of(1)], own }
    }

    fn are_several(&self) -> bool {
        self.operands.iter().flatten().any(|parts| parts.len() > 1)
    }

    /// The operand with a dimension for each part.
    fn of_operand<'c>(
        &self,
        builder: &Builder<'c>,
        side: usize,
        operand: &Padded<'c>,
    ) -> Outcome<Value<'c>> {
        let dims = self.operands[side].concat();
        let shape = padded_type(&dims, operand.value.ty().element())?.shape();
        Ok(builder.reshaped(operand.value, &shape.unwrap_or_default()))
    }

    /// The dimension numbers where each part is a dimension: batches and what is summed over have one part.
    fn numbers(&self, numbers: DotDimensionNumbers) -> DotDimensionNumbers {
        let moved = |side: usize, list: Vec<i64>| -> Vec<i64> {
            let place = |dim: i64| {
                let before = self.operands[side].iter().take(dim as usize);
                before.map(Vec::len).sum::<usize>() as i64
            };
            list.into_iter().map(place).collect()
        };
        DotDimensionNumbers {
            lhs_batching_dimensions: moved(0, numbers.lhs_batching_dimensions),
            rhs_batching_dimensions: moved(1, numbers.rhs_batching_dimensions),
            lhs_contracting_dimensions: moved(0, numbers.lhs_contracting_dimensions),
            rhs_contracting_dimensions: moved(1, numbers.rhs_contracting_dimensions),
        }
    }

    /// The dimensions of the result, where each part is one.
    fn of_result(&self, dims: &[Extent]) -> Vec<Extent> {
        let parts = self.own.iter().zip(dims).map(|(own, extent)| match own {
            Some((side, dim)) => self.operands[*side][*dim].clone(),
            None => vec![extent.clone()],
        });
        parts.flatten().collect()
    }

    /// Whether an open dimension that an operand alone has is inside of another one of these.
    fn have_inner_open(&self) -> bool {
        let of = |side: usize| {
            let own = self.own.iter().flatten().filter(move |(of, _)| *of == side);
            let parts = own.flat_map(move |(side, dim)| &self.operands[*side][*dim]);
            let mut inner = parts.skip_while(|part| part.bound() == Some(1)).skip(1);
            inner.any(|part| !part.is_full())
        };
        of(0) || of(1)
    }
}
