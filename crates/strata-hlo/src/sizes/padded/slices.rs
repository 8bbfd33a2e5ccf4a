//! Slices and updates of slices: what they take is of the valid elements.

use strata_ir::{Builder, DYNAMIC, Op, OpKind, TypeExt as _, Value, integer, stablehlo, tensor};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::DimExpr;

use super::{
    super::{declared, shapes},
    Padded, Padding,
    computed::typed_bound,
    extent::Extent,
    padded_type,
};
use crate::{emit::Emit as _, pattern::ints};

/// What a slice takes along one dimension.
pub struct Taken<'c> {
    pub start: Start<'c>,
    pub size: DimExpr,
    pub stride: i64,
}

pub enum Start<'c> {
    Known(i64),
    /// `tensor<i64>`, and what it is at most, as far as that is known.
    Computed(Value<'c>, Option<i64>),
}

impl<'c> Padding<'c> {
    pub fn slice(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let mut padded = self.padded(op.operand(0))?;
        let rank = padded.dims.len();
        let taken = (0..rank).map(|dim| self.taken(op, builder, &padded, dim));
        let taken = taken.collect::<Outcome<Vec<_>>>()?;
        if taken.iter().zip(&padded.dims).any(|(taken, dim)| taken.is_some() && !dim.is_prefix()) {
            padded = self.compact(builder, &padded)?;
        }
        let mut value = padded.value;
        for (dim, taken) in taken.into_iter().enumerate() {
            let Some(taken) = taken else { continue };
            let (taken, extent) = self.sliced(builder, value, dim, taken)?;
            value = taken;
            padded.dims[dim] = extent;
            padded.zero = false;
        }
        let dims = padded.dims.clone();
        self.fitted(builder, value, dims, padded.zero)
    }

    /// What is taken along one dimension of a value, and how much of it is valid.
    pub fn sliced(
        &self,
        builder: &Builder<'c>,
        mut value: Value<'c>,
        dim: usize,
        taken: Taken<'c>,
    ) -> Outcome<(Value<'c>, Extent)> {
        let is_given = taken.size.as_constant().is_some();
        let extent = self.extent(taken.size)?;
        let count = extent.bound().unwrap_or(0);
        let span = if count == 0 { 0 } else { (count - 1) * taken.stride + 1 };
        let mut shape = value.ty().shape().or_decline("the operand has no rank")?;
        let start = match taken.start {
            Start::Known(start) => {
                // The first elements of any version are there, though no valid ones for sizes that the program refuses.
                shape[dim] = shape[dim].max(start + span);
                value = self.resized(builder, value, &shape, None)?;
                start
            }
            Start::Computed(start, most) => {
                // As many as are taken are there, wherever they begin; of an open number, those beyond may not be.
                let end = most.and_then(|most| most.checked_add(span));
                shape[dim] = match is_given || end.is_some_and(|end| end <= shape[dim]) {
                    true => shape[dim].max(span),
                    false => shape[dim] + span,
                };
                value = self.resized(builder, value, &shape, None)?;
                value = builder.slid(value, dim, start, span)?;
                0
            }
        };
        let value = builder.strided(value, dim, (start, count, taken.stride))?;
        Ok((value, extent))
    }

    /// What the slice takes along a dimension; `None` for all of it.
    fn taken(
        &mut self,
        op: Op<'c>,
        builder: &Builder<'c>,
        operand: &Padded<'c>,
        dim: usize,
    ) -> Outcome<Option<Taken<'c>>> {
        let whole = Self::size(&operand.dims[dim])?;
        let [start, limit, stride] = match op.kind() {
            OpKind::Slice => {
                let at = |name| -> Outcome<Option<DimExpr>> {
                    Ok(ints(op, name)?.get(dim).map(|number| DimExpr::constant(*number)))
                };
                [at("start_indices")?, at("limit_indices")?, at("strides")?]
            }
            _ => [1, 2, 3].map(|operand| {
                let numbers = self.numbers(op.operand(operand)).ok()?;
                numbers.get(dim).cloned().flatten()
            }),
        };
        let stride = stride.and_then(|stride| stride.as_constant()).filter(|stride| *stride > 0);
        let stride = stride.or_decline("a stride is not a number")?;
        let (start, length) = match (start, limit) {
            (Some(start), Some(limit)) => {
                if start.as_constant() == Some(0) && limit == whole && stride == 1 {
                    return Ok(None);
                }
                let length = self.length(op, dim).or_else(|| limit.minus(&start));
                let length = length.or_decline("a size is too large an expression")?;
                self.fits_into(&start, &limit);
                self.fits_into(&limit, &whole);
                let start = match start.as_constant() {
                    Some(start) => Start::Known(start),
                    None => {
                        let most = self.domain().largest(&start);
                        Start::Computed(self.number(builder, &start)?, most)
                    }
                };
                (start, length)
            }
            // The size is what is added to the start.
            _ => {
                let own = op.result(0).ty().shape().and_then(|shape| shape.get(dim).copied());
                let own = own.filter(|size| *size != DYNAMIC && stride == 1).map(DimExpr::constant);
                if own.as_ref() == Some(&whole) {
                    return Ok(None);
                }
                let start = self.element(builder, op.operand(1), dim)?;
                let length = match (own.or_else(|| self.length(op, dim)), typed_bound(op, dim)) {
                    (Some(length), _) => length,
                    (None, Some(most)) if stride == 1 => {
                        let limit = self.element(builder, op.operand(2), dim)?;
                        let length = builder.same(stablehlo::SUBTRACT, &[limit, start]);
                        self.size_of(op, builder, length, most)
                    }
                    _ => return Err("the size of the slice depends on values".into()),
                };
                self.fits_into(&length, &whole);
                (Start::Computed(start, None), length)
            }
        };
        let size = match stride {
            1 => length,
            _ => {
                let more = length.plus(&DimExpr::constant(stride - 1));
                let size = more.and_then(|more| more.floordiv(&DimExpr::constant(stride)));
                size.or_decline("a size is too large an expression")?
            }
        };
        // A slice has no negative size.
        let size = match self.domain().is_at_least(&size, 0) {
            true => size,
            false => size
                .maximum(&DimExpr::constant(0))
                .or_decline("a size is too large an expression")?,
        };
        Ok(Some(Taken { start, size, stride }))
    }

    /// What is added to the start for the limit, along a dimension.
    fn length(&self, op: Op<'c>, dim: usize) -> Option<DimExpr> {
        let has_operands = op.kind() == OpKind::RealDynamicSlice;
        let ends = has_operands.then(|| [op.operand(1), op.operand(2)])?;
        shapes::added(ends, self, dim)
    }

    /// An element of a list, as `tensor<i64>`.
    pub fn element(&self, builder: &Builder<'c>, list: Value<'c>, at: usize) -> Outcome<Value<'c>> {
        declared::element(builder, self.padded(list)?.value, at)
    }

    /// A start that leaves room for `size` of the valid elements, as `tensor<i64>`.
    fn clamped(
        &self,
        builder: &Builder<'c>,
        start: Value<'c>,
        whole: &DimExpr,
        size: &DimExpr,
    ) -> Outcome<Value<'c>> {
        let most = whole.minus(size).or_decline("a size is too large an expression")?;
        let most = self.number(builder, &most)?;
        let start = self.wide_positions(builder, start);
        let start = builder.same(stablehlo::MINIMUM, &[start, most]);
        Ok(builder.same(stablehlo::MAXIMUM, &[start, builder.counter(0)]))
    }

    pub fn dynamic_slice(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let mut operand = self.compact(builder, &self.padded(op.operand(0))?)?;
        let sizes = ints(op, "slice_sizes")?;
        let mut shape = operand.value.ty().shape().or_decline("the operand has no rank")?;
        let starts = op.operands()[1..].to_vec();
        let mut operands = Vec::new();
        let rank = shape.len();
        (starts.len() == rank && sizes.len() == rank).or_decline("it has other dimensions")?;
        for dim in 0..rank {
            let start = self.padded(starts[dim])?.value;
            operands.push(match operand.dims[dim].is_full() {
                true => self.wide_positions(builder, start),
                false => {
                    let (whole, size) =
                        (Self::size(&operand.dims[dim])?, DimExpr::constant(sizes[dim]));
                    self.fits_into(&size, &whole);
                    self.clamped(builder, start, &whole, &size)?
                }
            });
            shape[dim] = shape[dim].max(sizes[dim]);
        }
        operand.value = self.resized(builder, operand.value, &shape, None)?;
        let dims =
            self.extents(&sizes.iter().map(|size| DimExpr::constant(*size)).collect::<Vec<_>>())?;
        let ty = padded_type(&dims, operand.value.ty().element())?;
        operands.insert(0, operand.value);
        let new = self.rebuilt(builder, op, &operands, &[ty], &[]);
        Ok(Padded { value: new.result(0), dims, zero: true })
    }

    /// An update of fewer valid elements than it has is put in place in a buffer of its own, and selected from there.
    pub fn update_slice(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let operand = self.compact(builder, &self.padded(op.operand(0))?)?;
        let update = self.compact(builder, &self.padded(op.operand(1))?)?;
        let starts = op.operands()[2..].to_vec();
        let rank = operand.dims.len();
        (starts.len() == rank && update.dims.len() == rank)
            .or_decline("it has other dimensions")?;
        let shape = operand.value.ty().shape().unwrap_or_default();
        let mut wide = shape.clone();
        let (mut places, mut loose) = (Vec::new(), Vec::new());
        for dim in 0..rank {
            let start = self.padded(starts[dim])?.value;
            let (own, part) = (&operand.dims[dim], &update.dims[dim]);
            let whole = Self::size(own)?;
            let size = Self::size(part)?;
            if own == part {
                places.push(builder.counter(0));
                continue;
            }
            self.fits_into(&size, &whole);
            places.push(self.clamped(builder, start, &whole, &size)?);
            // The version for few elements may have no room for an update that the program could not do then.
            let count = part.bound().unwrap_or(0);
            if !part.is_full() {
                loose.push((dim, size));
                wide[dim] += count;
            } else {
                wide[dim] = wide[dim].max(count);
            }
        }
        let base = match loose.is_empty() {
            true => self.resized(builder, operand.value, &wide, None)?,
            false => builder.zeros(tensor(&wide, operand.value.ty().element()))?,
        };
        let operands: Vec<_> =
            [base, update.value].into_iter().chain(places.iter().copied()).collect();
        let new = self.rebuilt(builder, op, &operands, &[base.ty()], &[]);
        let moved = self.resized(builder, new.result(0), &shape, None)?;
        if loose.is_empty() {
            let zero = operand.zero && update.zero;
            return Ok(Padded { value: moved, dims: operand.dims, zero });
        }
        let mut inside: Option<Value<'c>> = None;
        for dim in 0..rank {
            if operand.dims[dim] == update.dims[dim] {
                continue;
            }
            let count = shape[dim];
            let wide = tensor(&[count], integer(self.context, 64));
            let place =
                builder.converted(self.positions(builder, count), integer(self.context, 64));
            let first = builder.broadcast_in_dim(places[dim], &[count], &[]);
            let size = self.number(builder, &Self::size(&update.dims[dim])?)?;
            let end = builder.same(stablehlo::ADD, &[places[dim], size]);
            let end = builder.broadcast_in_dim(end, &wide.shape().unwrap_or_default(), &[]);
            let after = builder.compare(strata_ir::ComparisonDirection::Ge, place, first)?;
            let before = builder.compare(strata_ir::ComparisonDirection::Lt, place, end)?;
            let own = builder.same(stablehlo::AND, &[after, before]);
            let own = builder.broadcast_in_dim(own, &shape, &[dim as i64]);
            inside = Some(inside.map_or(own, |all| builder.same(stablehlo::AND, &[all, own])));
        }
        let inside = inside.or_decline("it updates nothing")?;
        let value = builder.selected(inside, moved, operand.value);
        Ok(Padded { value, dims: operand.dims, zero: operand.zero && update.zero })
    }
}
