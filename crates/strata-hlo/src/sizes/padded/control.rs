//! Loops and branches: their values keep their sizes.

use strata_ir::{Block, Builder, Op, RegionBuilder, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::Variable;

use super::{Padded, Padding, Refused, padded_type, rules::is_end};
use crate::emit::Emit as _;

impl<'c> Padding<'c> {
    pub fn repeat(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Refused<'c>> {
        let refuse = |why: strata_rewrite::Declined| (op, why.reason().to_owned());
        let state = self.operands(op).map_err(refuse)?;
        let state = state.iter().map(|one| self.compact(builder, one)).collect::<Outcome<Vec<_>>>();
        let mut state = state.map_err(refuse)?;
        state.iter_mut().for_each(|one| one.zero = one.is_full());
        let values: Vec<_> = state.iter().map(|one| one.value).collect();
        let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
        let mut new = builder.op(op.name()).operands(&values).attrs(&op.attrs()).results(&types);
        for (at, region) in op.regions().into_iter().enumerate() {
            let block = region.first_block().ok_or_else(|| (op, "a region is empty".to_owned()))?;
            let mut done = Ok(());
            let region = builder.region(&types, |inner, args| {
                for ((old, own), arg) in block.args().into_iter().zip(&state).zip(args) {
                    self.define(old, Padded { value: *arg, ..own.clone() });
                }
                let expected = if at == 1 { Some(&state[..]) } else { None };
                done = self.block(block, inner, expected);
            });
            done?;
            new = new.region(region);
        }
        let new = new.build();
        for ((old, own), value) in op.results().into_iter().zip(state).zip(new.results()) {
            self.define(old, Padded { value, ..own });
        }
        Ok(())
    }

    pub fn branches(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Refused<'c>> {
        let refuse = |why: strata_rewrite::Declined| (op, why.reason().to_owned());
        let condition = self.padded(op.operand(0)).map_err(refuse)?;
        let known = self.scalars.len();
        let mut results: Option<Vec<Padded<'c>>> = None;
        let mut regions: Vec<RegionBuilder> = Vec::new();
        for region in op.regions() {
            let block = region.first_block().ok_or_else(|| (op, "a region is empty".to_owned()))?;
            let mut done = Ok(());
            regions.push(builder.region(&[], |inner, _| {
                done = self.block(block, inner, results.as_deref());
            }));
            done?;
            if results.is_none() {
                let end = block.terminator().map(|end| end.operands()).unwrap_or_default();
                results = Some(self.returned(&end, known).map_err(refuse)?);
            }
        }
        let results = results.unwrap_or_default();
        let types = results.iter().map(|one| padded_type(&one.dims, one.value.ty().element()));
        let types = types.collect::<Outcome<Vec<_>>>().map_err(refuse)?;
        let mut new =
            builder.op(op.name()).operand(condition.value).attrs(&op.attrs()).results(&types);
        for region in regions {
            new = new.region(region);
        }
        let new = new.build();
        for ((old, own), value) in op.results().into_iter().zip(results).zip(new.results()) {
            self.define(old, Padded { value, dims: own.dims, zero: false });
        }
        Ok(())
    }

    /// What a block returns, as far as its types and sizes go, which depend on the first `known` symbols only.
    fn returned(&self, values: &[Value<'c>], known: usize) -> Outcome<Vec<Padded<'c>>> {
        let one = |value: &Value<'c>| {
            let padded = self.padded(*value)?;
            let sizes = padded.dims.iter().map(Self::size).collect::<Outcome<Vec<_>>>()?;
            let outside = |at: &Variable| matches!(at, Variable::Symbol(index) if *index < known);
            let is_outside = sizes.iter().all(|size| size.variables().iter().all(outside));
            is_outside.or_decline("the size of what a branch returns depends on its values")?;
            Ok(Padded { dims: self.extents(&sizes)?, ..padded })
        };
        values.iter().map(one).collect()
    }

    /// The operations of a block; what it returns must have the sizes of `expected`.
    fn block(
        &mut self,
        block: Block<'c>,
        builder: &Builder<'c>,
        expected: Option<&[Padded<'c>]>,
    ) -> Result<(), Refused<'c>> {
        for op in block.ops() {
            if !is_end(op) {
                self.convert(op, builder)?;
                continue;
            }
            let refuse = |why: strata_rewrite::Declined| (op, why.reason().to_owned());
            let mut values = Vec::new();
            for (index, value) in op.operands().into_iter().enumerate() {
                let padded = self.padded(value).and_then(|one| self.compact(builder, &one));
                let padded = padded.map_err(refuse)?;
                let same = expected
                    .is_none_or(|all| all.get(index).is_some_and(|own| own.dims == padded.dims));
                same.or_decline("a size is not the same in each iteration or branch")
                    .map_err(refuse)?;
                values.push(padded.value);
            }
            builder.returned(&values);
        }
        Ok(())
    }
}
