//! Normalisation by moments of what is valid.

use strata_ir::{Builder, Op, OpKind, TypeExt as _};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::DimExpr;

use super::{Padded, Padding, padded_type};
use crate::{
    emit::Emit as _,
    expansion::batch_norm::{Norm, feature},
};

impl<'c> Padding<'c> {
    /// Sums leave out what is not valid, and means are divided by the number of the others.
    pub fn batch_norm(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let operands = self.operands(op)?;
        let compact = operands.iter().map(|one| self.compact(builder, one));
        let operands = compact.collect::<Outcome<Vec<_>>>()?;
        let all = Self::extents_of(op, &operands)?;
        let first = operands.first().or_decline("it has no operands")?;
        let feature = feature(op)?;
        let others: Vec<usize> =
            (0..first.dims.len()).filter(|dim| *dim as i64 != feature).collect();
        let mut count = DimExpr::constant(1);
        for dim in &others {
            let size = Self::size(&first.dims[*dim])?;
            count = count.times(&size).or_decline("a size is too large an expression")?;
        }
        let ty = padded_type(&first.dims, op.operand(0).ty().element())?;
        let count = builder.converted(self.number(builder, &count)?, ty.element());
        let valid = self.valid(builder, &first.dims, &others)?;
        let norm = Norm::of_valid(op, *builder, ty, (valid, count))?;
        let values: Vec<_> = operands.iter().map(|one| one.value).collect();
        let results = match op.kind() {
            OpKind::BatchNormTraining => norm.training(&values),
            _ => norm.grad(&values),
        };
        let results = results.into_iter().zip(all);
        Ok(results.map(|(value, dims)| Padded { value, dims, zero: false }).collect())
    }
}
