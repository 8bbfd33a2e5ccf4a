//! Operations that move elements.

use strata_ir::{Builder, DYNAMIC, Op, OpKind, TypeExt as _, Value, func, stablehlo, tensor};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, Factor, FactorKind};

use super::{
    Padded, Padding,
    computed::typed_bound,
    extent::{self, Extent},
    padded_type,
    reductions::is_zero,
};
use crate::{emit::Emit as _, pattern::ints};

/// Padding before the elements of a dimension, and how many elements are read from its first one on.
#[derive(Clone)]
pub struct Move {
    pub low: DimExpr,
    pub read: i64,
}

impl<'c> Padding<'c> {
    /// The sizes of the only result: of its type, or of the shape that is an operand. One that depends on values is a symbol, if the
    /// type says how large it is at most.
    pub fn result_sizes(
        &mut self,
        op: Op<'c>,
        operand: Option<Value<'c>>,
        builder: &Builder<'c>,
    ) -> Outcome<Vec<DimExpr>> {
        let shape = op.result(0).ty().shape().or_decline("the result has no rank")?;
        let known: Option<Vec<DimExpr>> =
            shape.iter().map(|size| (*size != DYNAMIC).then(|| DimExpr::constant(*size))).collect();
        if let Some(known) = known {
            return Ok(known);
        }
        let operand = operand.or_decline("the size of the result is not known")?;
        let given = self.numbers(operand).unwrap_or_else(|_| vec![None; shape.len()]);
        (given.len() == shape.len()).or_decline("its shape has another length")?;
        let mut sizes = Vec::new();
        for (dim, (own, given)) in shape.iter().zip(given).enumerate() {
            sizes.push(match (*own, given) {
                (DYNAMIC, Some(given)) => given,
                (DYNAMIC, None) => {
                    let most = typed_bound(op, dim).or_decline("a size depends on values")?;
                    self.size_in(op, builder, (operand, dim), most)?
                }
                (own, _) => DimExpr::constant(own),
            });
        }
        Ok(sizes)
    }

    pub fn broadcast(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let sizes = self.result_sizes(op, op.operands().get(1).copied(), builder)?;
        let places = ints(op, "broadcast_dimensions")?;
        let operand = self.padded(op.operand(0))?;
        let mut dims = self.extents(&sizes)?;
        let mut grows =
            (0..dims.len()).any(|dim| !places.contains(&(dim as i64)) && !dims[dim].is_full());
        for (extent, place) in operand.dims.iter().zip(&places) {
            let dim = usize::try_from(*place).ok().filter(|dim| *dim < dims.len());
            let dim = dim.or_decline("there is no such dimension")?;
            if Self::size(extent)? == sizes[dim] {
                dims[dim] = extent.clone();
                continue;
            }
            let is_one = extent.is_full() && extent.bound() == Some(1);
            is_one.or_decline("a dimension may have size 1 or another one")?;
            grows |= !dims[dim].is_full();
        }
        let ty = padded_type(&dims, operand.value.ty().element())?;
        let shape = ty.shape().unwrap_or_default();
        let value = builder.broadcast_in_dim(operand.value, &shape, &places);
        Ok(Padded { value, dims, zero: operand.zero && !grows })
    }

    pub fn iota(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let sizes = self.result_sizes(op, op.operands().first().copied(), builder)?;
        let dims = self.extents(&sizes)?;
        let ty = padded_type(&dims, op.result(0).ty().element())?;
        let counted = op.attr("iota_dimension").or_decline("there is no dimension")?;
        let value = builder.op(stablehlo::IOTA).attr("iota_dimension", counted).result(ty).value();
        Ok(Padded { value, dims, zero: false })
    }

    pub fn reshape(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let sizes = self.result_sizes(op, op.operands().get(1).copied(), builder)?;
        let operand = self.padded(op.operand(0))?;
        self.reshaped(builder, &operand, &sizes)
    }

    fn reshaped(
        &self,
        builder: &Builder<'c>,
        operand: &Padded<'c>,
        sizes: &[DimExpr],
    ) -> Outcome<Padded<'c>> {
        let element = operand.value.ty().element();
        if sizes.iter().any(|size| size.as_constant() == Some(0)) {
            let dims = self.extents(sizes)?;
            let value = builder.zeros(padded_type(&dims, element)?)?;
            return Ok(Padded { value, dims, zero: true });
        }
        if let Some(dims) = extent::reshaped(&operand.dims, sizes) {
            let shape = padded_type(&dims, element)?.shape().unwrap_or_default();
            let value = builder.reshaped(operand.value, &shape);
            return Ok(Padded { value, dims, zero: operand.zero });
        }
        let old = operand.dims.iter().map(Self::size).collect::<Outcome<Vec<_>>>()?;
        let same = self.have_one_product(old, sizes);
        same.or_decline("its operand and result are not known to have as many elements")?;
        self.repacked(builder, operand, sizes)
    }

    /// A reshape that moves elements: each element's number in the result gives its place in the operand.
    fn repacked(
        &self,
        builder: &Builder<'c>,
        operand: &Padded<'c>,
        sizes: &[DimExpr],
    ) -> Outcome<Padded<'c>> {
        let dims = self.extents(sizes)?;
        let ty = padded_type(&dims, operand.value.ty().element())?;
        let shape = ty.shape().unwrap_or_default();
        let most = shape.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        let most =
            most.filter(|count| *count <= super::LARGEST).or_decline("it has too many elements")?;
        let old: Vec<i64> = operand.value.ty().shape().unwrap_or_default();
        let total = old.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        let total = total
            .filter(|count| *count <= super::LARGEST)
            .or_decline("it has too many elements")?;
        if most == 0 || total == 0 {
            return Ok(Padded { value: builder.zeros(ty)?, dims, zero: true });
        }
        let short = strata_ir::integer(self.context, 32);
        let all = |number: Value<'c>| builder.broadcast_in_dim(number, &shape, &[]);
        // The number of each element, by the valid sizes of inner dimensions.
        let mut number = builder.int_constant(tensor(&shape, short), 0);
        let mut stride = DimExpr::constant(1);
        for dim in (0..shape.len()).rev() {
            let place = builder.iota(&shape, short, dim as i64);
            let by = all(self.short_number(builder, &stride)?);
            let scaled = builder.same(stablehlo::MULTIPLY, &[place, by]);
            number = builder.same(stablehlo::ADD, &[number, scaled]);
            stride = stride.times(&sizes[dim]).or_decline("a size is too large an expression")?;
        }
        // Its place in the operand: all dimensions are one with the factors of each.
        let factors = operand.dims.iter().flat_map(|dim| dim.factors().iter().cloned());
        let whole = Extent::nested(factors.collect()).or_decline("it has too many elements")?;
        let places = self.places(builder, &whole, number)?;
        let flat = builder.reshaped(operand.value, &[total]);
        let places = builder.reshaped(places, &[most]);
        let value = self.picked(builder, flat, 0, places)?;
        Ok(Padded { value: builder.reshaped(value, &shape), dims, zero: false })
    }

    /// The valid elements are moved to the end, and reversed with the zeros before them.
    pub fn reverse(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let operand = self.compact(builder, &self.padded(op.operand(0))?)?;
        let shape = operand.value.ty().shape().or_decline("an operand has no rank")?;
        let reversed = Self::along(op, FactorKind::Reversed)?;
        let none = vec![0; shape.len()];
        let (mut low, mut places) = (none.clone(), vec![None; shape.len()]);
        for dim in reversed.iter().copied().filter(|dim| !operand.dims[*dim].is_full()) {
            low[dim] = shape[dim];
            places[dim] = Some(self.number(builder, &Self::size(&operand.dims[dim])?)?);
        }
        let mut value = operand.value;
        if places.iter().any(Option::is_some) {
            let zero = builder.zeros(tensor(&[], value.ty().element()))?;
            let wide = self.widened(builder, value, zero, &low, &none, &none);
            value = builder.window_at(wide, &places, &shape)?;
        }
        let new = self.rebuilt(builder, op, &[value], &[value.ty()], &[]);
        Ok(Padded { value: new.result(0), ..operand })
    }

    /// Each operand is written after the valid elements of those before it.
    pub fn concatenate(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let dim = Self::along(op, FactorKind::Concatenated)?.pop();
        let dim = dim.or_decline("there is no such dimension")?;
        let operands = self.operands(op)?;
        let compact = operands.iter().map(|one| self.compact(builder, one));
        let operands = compact.collect::<Outcome<Vec<_>>>()?;
        let first = operands.first().or_decline("it has no operands")?;
        let mut size = DimExpr::constant(0);
        let mut places = Vec::new();
        let mut total = 0_i64;
        for one in &operands {
            places.push(size.clone());
            size = size.plus(&Self::size(&one.dims[dim])?).or_decline("a size is too large")?;
            total += one.dims[dim].bound().unwrap_or(0);
        }
        (total <= super::LARGEST).or_decline("it has too many elements")?;
        let element = first.value.ty().element();
        let mut shape = first.value.ty().shape().unwrap_or_default();
        shape[dim] = total;
        let values: Vec<_> = operands.iter().map(|one| one.value).collect();
        let (_, all_but_last) = operands.split_last().or_decline("it has no operands")?;
        let value = if all_but_last.iter().all(|one| one.dims[dim].is_full()) {
            let new = self.rebuilt(builder, op, &values, &[tensor(&shape, element)], &[]);
            new.result(0)
        } else {
            let zero = builder.counter(0);
            let mut buffer = builder.zeros(tensor(&shape, element))?;
            for (value, place) in values.iter().zip(&places) {
                let place = self.number(builder, place)?;
                let starts: Vec<_> =
                    (0..shape.len()).map(|at| if at == dim { place } else { zero }).collect();
                buffer = builder
                    .op(stablehlo::DYNAMIC_UPDATE_SLICE)
                    .operands(&[buffer, *value])
                    .operands(&starts)
                    .result(buffer.ty())
                    .value();
            }
            buffer
        };
        let whole = self.extent(size)?;
        let own =
            |factor: &Factor| (factor.kind == FactorKind::Concatenated).then(|| whole.clone());
        let dims = Self::extents_by(op, &operands, &own)?.pop().or_decline("it has no result")?;
        let zero = operands.iter().all(|one| one.zero);
        self.fitted(builder, value, dims, zero)
    }

    /// Low, high and interior padding of each dimension.
    fn amounts(&self, op: Op<'c>) -> Outcome<[Vec<DimExpr>; 3]> {
        let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
        let mut amounts = [Vec::new(), Vec::new(), Vec::new()];
        for (at, name) in names.into_iter().enumerate() {
            amounts[at] = match op.kind() {
                OpKind::Pad => ints(op, name)?.into_iter().map(DimExpr::constant).collect(),
                _ => self.shape(op.operand(2 + at))?,
            };
        }
        Ok(amounts)
    }

    pub fn pad(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let amounts = self.amounts(op)?;
        let operand = self.padded(op.operand(0))?;
        let fill = self.padded(op.operand(1))?.value;
        self.padded_by(builder, &operand, fill, &amounts)
    }

    /// Pads by sizes, dimension by dimension where they are not numbers.
    pub fn padded_by(
        &self,
        builder: &Builder<'c>,
        operand: &Padded<'c>,
        fill: Value<'c>,
        [low, high, interior]: &[Vec<DimExpr>; 3],
    ) -> Outcome<Padded<'c>> {
        let rank = operand.dims.len();
        (low.len() == rank && high.len() == rank && interior.len() == rank)
            .or_decline("it has other dimensions")?;
        let none = DimExpr::constant(0);
        let is_kept = |dim: usize| [&low[dim], &high[dim], &interior[dim]] == [&none; 3];
        let mut padded = operand.clone();
        if (0..rank).any(|dim| !is_kept(dim) && !operand.dims[dim].is_prefix()) {
            padded = self.compact(builder, operand)?;
        }
        // Zeros of an input are there after it; what floats are computed to may be negative.
        let is_input = padded
            .value
            .block_arg()
            .is_some_and(|(block, _)| block.parent_op().is_some_and(|owner| owner.is(func::FUNC)));
        let is_exact = is_input || padded.value.ty().element().is_int();
        let is_filled = padded.zero && is_zero(fill) && is_exact;
        let (mut lows, mut highs, mut steps) = (vec![0; rank], vec![0; rank], vec![0; rank]);
        // By how much a dimension is moved back afterwards.
        let mut moved: Vec<Option<DimExpr>> = vec![None; rank];
        let mut masks = Vec::new();
        let mut dims = padded.dims.clone();
        for dim in (0..rank).filter(|dim| !is_kept(*dim)) {
            let step = interior[dim].as_constant().filter(|step| *step >= 0);
            steps[dim] = step.or_decline("interior padding is not a number")?;
            let old = Self::size(&padded.dims[dim])?;
            let inner = match steps[dim] {
                0 => old,
                step => {
                    let is_some = self.domain().is_positive(&old);
                    is_some.or_decline("interior padding of what may have no elements")?;
                    let gaps = old
                        .minus(&DimExpr::constant(1))
                        .and_then(|gaps| gaps.times(&DimExpr::constant(step)));
                    gaps.and_then(|gaps| old.plus(&gaps)).or_decline("a size is too large")?
                }
            };
            let filled = low[dim].plus(&inner).or_decline("a size is too large")?;
            let size = filled.plus(&high[dim]).or_decline("a size is too large")?;
            dims[dim] = self.extent(size)?;
            lows[dim] = match low[dim].as_constant() {
                Some(low) => low,
                None => {
                    self.domain()
                        .is_at_least(&low[dim], 0)
                        .or_decline("padding may be negative")?;
                    let most = self.bound(&low[dim])?;
                    moved[dim] = DimExpr::constant(most).minus(&low[dim]);
                    most
                }
            };
            let own = padded.dims[dim].bound().unwrap_or(0);
            let reached = own + (own - 1).max(0) * steps[dim] + lows[dim];
            let wanted =
                dims[dim].bound().unwrap_or(0) + if moved[dim].is_some() { lows[dim] } else { 0 };
            highs[dim] = (wanted - reached).max(0);
            let adds = high[dim].as_constant().is_none_or(|high| high > 0) && !is_filled;
            if adds && !padded.dims[dim].is_full() {
                masks.push((dim, filled));
            }
        }
        let mut value = self.widened(builder, padded.value, fill, &lows, &highs, &steps);
        if moved.iter().any(Option::is_some) {
            let mut shape = value.ty().shape().or_decline("an operand has no rank")?;
            for dim in (0..rank).filter(|dim| moved[*dim].is_some()) {
                shape[dim] = dims[dim].bound().unwrap_or(0);
            }
            let start = |amount: &Option<DimExpr>| match amount {
                Some(amount) => self.number(builder, amount).map(Some),
                None => Ok(None),
            };
            let places = moved.iter().map(start).collect::<Outcome<Vec<_>>>()?;
            value = builder.window_at(value, &places, &shape)?;
        }
        let shape = padded_type(&dims, value.ty().element())?.shape().unwrap_or_default();
        value = self.resized(builder, value, &shape, Some(fill))?;
        let mut filled = Padded { value, dims: dims.clone(), zero: false };
        for (dim, size) in masks {
            // What follows the operand's elements is padding.
            let bound = dims[dim].bound().unwrap_or(0);
            let mut own = filled.clone();
            own.dims[dim] = Extent::prefix(size, bound);
            filled.value = self.masked(builder, &own, &[dim], fill)?;
        }
        // What negative padding cuts off is there, after what is valid.
        let keeps = |dim: usize| is_kept(dim) || self.domain().is_at_least(&high[dim], 0);
        filled.zero = padded.zero && is_zero(fill) && (0..rank).all(keeps);
        Ok(filled)
    }

    /// A value with padding before it whose amounts are not all numbers, and as much after it as is read, in one `pad` and one
    /// `dynamic_slice`: what is read from then on begins with the padding.
    pub fn moved(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        fill: Value<'c>,
        moves: &[Option<Move>],
    ) -> Outcome<Value<'c>> {
        if moves.iter().all(Option::is_none) {
            return Ok(value);
        }
        let mut shape = value.ty().shape().or_decline("an operand has no rank")?;
        let none = vec![0; shape.len()];
        let (mut lows, mut highs, mut places) =
            (none.clone(), none.clone(), vec![None; none.len()]);
        for (dim, one) in moves.iter().enumerate() {
            let Some(Move { low, read }) = one else { continue };
            lows[dim] = match low.as_constant() {
                Some(low) => low,
                None => {
                    let is_padding = self.domain().is_at_least(low, 0);
                    is_padding.or_decline("padding may be negative")?;
                    let most = self.bound(low)?;
                    let back = DimExpr::constant(most).minus(low);
                    let back = back.or_decline("a size is too large an expression")?;
                    places[dim] = Some(self.number(builder, &back)?);
                    most
                }
            };
            let begin = if places[dim].is_some() { lows[dim] } else { 0 };
            highs[dim] = begin + read - lows[dim] - shape[dim];
            if places[dim].is_some() {
                highs[dim] = highs[dim].max(0);
            }
            shape[dim] = *read;
        }
        let value = self.widened(builder, value, fill, &lows, &highs, &none);
        builder.window_at(value, &places, &shape)
    }

    pub fn bitcast(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let operand = self.padded(op.operand(0))?;
        let element = op.result(0).ty().element();
        let mut dims = operand.dims.clone();
        let rank = op.result(0).ty().rank().or_decline("the result has no rank")?;
        if rank < dims.len() {
            let last = dims.pop().or_decline("it has no dimension")?;
            last.is_full().or_decline("it joins what is not valid")?;
        } else if rank > dims.len() {
            let (wide, narrow) = (operand.value.ty().element().bit_width(), element.bit_width());
            let parts = wide.zip(narrow).map(|(wide, narrow)| i64::from(wide / narrow.max(1)));
            dims.push(Extent::full(parts.or_decline("an element has no width")?));
        }
        let new = self.rebuilt(builder, op, &[operand.value], &[padded_type(&dims, element)?], &[]);
        Ok(Padded { value: new.result(0), dims, zero: false })
    }
}
