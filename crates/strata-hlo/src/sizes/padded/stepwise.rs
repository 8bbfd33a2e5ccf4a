//! Reductions of a row and of what is around it, one after the other: each has masks along one dimension, and ends at its size.
//!
//! ```text
//! max of [s, 64] along both   max along s, to [64], then of these
//! max of [64, s] along both   max along 64, to [s], then of these: the first s
//! max of [s, 3]  along both   max of the first 3*s of [384]: as short rows follow each other
//! ```
//! A reduction of several dimensions with masks has no schedule: it would be loops over single elements.

use strata_ir::{
    Attribute, Builder, Op, OpKind, OpName, Type, TypeExt as _, Value, i64s, stablehlo, tensor,
    wide_float,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::tuning::padding::MIN_STEP_ROW;

use super::{
    Padded, Padding, extent::Extent, neutral::own_operation, padded_type, reductions::is_zero,
};
use crate::emit::Emit as _;

/// What combines elements, and the element that changes nothing.
#[derive(Clone, Copy)]
struct Combination<'c> {
    kind: OpKind,
    name: OpName<'c>,
    neutral: Value<'c>,
}

impl<'c> Padding<'c> {
    /// The only result of a reduction along several dimensions, of which the innermost is one and some are not valid whole; `None` for
    /// what is a reduction as it is.
    pub fn reduce_stepwise(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        (input, init): (&Padded<'c>, Value<'c>),
        reduced: &[usize],
    ) -> Outcome<Option<Padded<'c>>> {
        let long = |dim: &&usize| input.dims[**dim].bound() != Some(1);
        let element = input.value.ty().element();
        let block = op.region(0).first_block().or_decline("it has no computation")?;
        let is_one_step = reduced.iter().filter(long).count() < 2
            || !reduced.contains(&(input.dims.len() - 1))
            || input.dims.iter().any(|dim| !dim.is_prefix())
            || !(element.is_float_type() || element.is_int());
        let Some(kind) = own_operation(block, 0).filter(|_| !is_one_step) else { return Ok(None) };
        let narrow = element.is_float_type() && element.byte_width().is_some_and(|width| width < 4);
        // Sums of few bits are rounded once.
        let is_wide = narrow && matches!(kind, OpKind::Add | OpKind::Multiply);
        let wide = if is_wide { wide_float(self.context, element) } else { element };
        let init = builder.converted(init, wide);
        let neutral = self.neutral_of(builder, kind, init);
        let (Some(neutral), Some(name)) = (neutral, name_of(kind)) else { return Ok(None) };
        let combination = Combination { kind, name, neutral };
        // A sum whose rows follow each other meets zeros.
        let is_clean = input.zero && is_zero(neutral) && kind == OpKind::Add;
        if is_clean && is_joined(input, reduced) {
            return Ok(None);
        }
        let value = builder.converted(input.value, wide);
        let mut own = Padded { value, ..input.clone() };
        let mut left = reduced.to_vec();
        while left.len() > 1 {
            let rank = own.dims.len();
            let is_row = own.dims[rank - 1].bound().is_some_and(|bound| bound >= MIN_STEP_ROW);
            // What an elementwise operation makes is reduced where it is made.
            let is_whole = own.value.owner().is_none_or(|owner| owner.kind() == OpKind::Reduce);
            if is_joined(&own, &left) && (is_whole || !is_row) {
                own = joined(builder, &own, rank - left.len())?;
                left = vec![own.dims.len() - 1];
                break;
            }
            let outer = match is_row {
                true => left.len() - 1,
                // Up to those that are joined then.
                false => (1..left.len() - 1)
                    .find(|count| is_joined(&own, &left[*count..]))
                    .unwrap_or(left.len() - 1),
            };
            let (first, rest) = left.split_at(outer);
            own = self.step(builder, &own, first, &combination, neutral)?;
            left = rest.iter().map(|dim| dim - first.len()).collect();
        }
        let own = self.step(builder, &own, &left, &combination, init)?;
        Ok(Some(Padded { value: builder.converted(own.value, element), ..own }))
    }

    /// A reduction along `along`, starting with `start`.
    fn step(
        &self,
        builder: &Builder<'c>,
        input: &Padded<'c>,
        along: &[usize],
        &Combination { kind, name, neutral }: &Combination<'c>,
        start: Value<'c>,
    ) -> Outcome<Padded<'c>> {
        let element = input.value.ty().element();
        let is_clean = input.zero && is_zero(neutral) && kind == OpKind::Add;
        let value = match is_clean || along.iter().all(|dim| input.dims[*dim].is_full()) {
            true => input.value,
            false => self.masked(builder, input, along, neutral)?,
        };
        let scalar = tensor(&[], element);
        let region = builder.region(&[scalar, scalar], |inner, args| {
            let both = inner.op(name).operands(args).result(scalar).value();
            inner.returned(&[both]);
        });
        let kept = input.dims.iter().enumerate().filter(|(dim, _)| !along.contains(dim));
        let dims: Vec<Extent> = kept.map(|(_, extent)| extent.clone()).collect();
        let ty: Type<'c> = padded_type(&dims, element)?;
        let over: Vec<_> = along.iter().map(|dim| *dim as i64).collect();
        let dimensions: Attribute<'c> = i64s(self.context, &over);
        let reduce = builder.op(stablehlo::REDUCE).operands(&[value, start]);
        let reduce = reduce.attr("dimensions", dimensions).result(ty).region(region);
        // Masks say to what makes its elements which are needed.
        Ok(Padded { value: reduce.value(), dims, zero: false })
    }
}

fn name_of(kind: OpKind) -> Option<OpName<'static>> {
    Some(match kind {
        OpKind::Add => stablehlo::ADD,
        OpKind::Multiply => stablehlo::MULTIPLY,
        OpKind::Maximum => stablehlo::MAXIMUM,
        OpKind::Minimum => stablehlo::MINIMUM,
        OpKind::And => stablehlo::AND,
        OpKind::Or => stablehlo::OR,
        OpKind::Xor => stablehlo::XOR,
        _ => return None,
    })
}

/// Whether the dimensions, in order, are the innermost ones, and all but the first are valid whole: as one, the first elements are.
fn is_joined(input: &Padded<'_>, dims: &[usize]) -> bool {
    let first = input.dims.len() - dims.len();
    let mut own = dims.iter().enumerate();
    own.all(|(at, dim)| *dim == first + at)
        && dims.iter().skip(1).all(|dim| input.dims[*dim].is_full())
}

/// The dimensions from `first` on as one.
fn joined<'c>(builder: &Builder<'c>, input: &Padded<'c>, first: usize) -> Outcome<Padded<'c>> {
    let (kept, inner) = input.dims.split_at(first);
    let factors = inner.iter().flat_map(|extent| extent.factors().iter().cloned());
    let one = Extent::nested(factors.collect()).or_decline("it has too many elements")?;
    let dims = [kept, &[one]].concat();
    let ty = padded_type(&dims, input.value.ty().element())?;
    let value = builder.reshaped(input.value, &ty.shape().unwrap_or_default());
    Ok(Padded { value, dims, zero: input.zero })
}
