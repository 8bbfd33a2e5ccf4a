//! Gathers and scatters: their positions are clamped or dropped by the valid sizes.

use strata_ir::{
    Builder, ComparisonDirection, GatherDimensionNumbers, Op, OpKind, ScatterDimensionNumbers,
    Semantics, TypeExt as _, Value, i64s, int, integer, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, Domain, Factor};

use super::{
    Padded, Padding,
    extent::Extent,
    padded_type,
    slices::{Start, Taken},
};
use crate::{
    counted::{Known, Run},
    emit::Emit as _,
    pattern::ints,
    simplification::gather::numbers_of,
};

impl<'c> Known<'c> for Padding<'c> {
    fn only_number(&self, value: Value<'c>) -> Option<DimExpr> {
        let numbers = self.numbers(value).ok()?;
        let first = numbers.first()?.clone()?;
        numbers.iter().all(|number| number.as_ref() == Some(&first)).then_some(first)
    }

    fn sizes(&self, value: Value<'c>) -> Option<Vec<DimExpr>> {
        self.values.get(&value)?.dims.iter().map(Extent::size).collect()
    }

    fn domain(&self) -> &Domain {
        &self.walk.domain
    }
}

/// The dimensions of indices that are not their vectors.
fn batches(indices: &Padded<'_>, vector: i64) -> Vec<Extent> {
    let dims = indices.dims.iter().enumerate();
    dims.filter(|(dim, _)| *dim as i64 != vector).map(|(_, extent)| extent.clone()).collect()
}

impl<'c> Padding<'c> {
    pub fn gather(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let numbers = numbers_of(op)?;
        let mut operand = self.compact(builder, &self.padded(op.operand(0))?)?;
        let mut indices = self.padded(op.operand(1))?;
        let vector = numbers.index_vector_dim;
        let plain = indices.dims.get(vector as usize).is_none_or(Extent::is_full);
        plain.or_decline("positions have an open number of coordinates")?;
        if !numbers.operand_batching_dims.is_empty() {
            indices = self.compact(builder, &indices)?;
        }
        let sizes: Vec<DimExpr> = match op.kind() {
            OpKind::DynamicGather => self.shape(op.operand(2))?,
            _ => ints(op, "slice_sizes")?.into_iter().map(DimExpr::constant).collect(),
        };
        (sizes.len() == operand.dims.len()).or_decline("its slices have other dimensions")?;
        let mut lacking = numbers.collapsed_slice_dims.iter().chain(&numbers.operand_batching_dims);
        let size = |dim: &i64| sizes.get(*dim as usize)?.as_constant();
        lacking
            .all(|dim| size(dim) == Some(1))
            .or_decline("a slice may take nothing of a dimension that it loses")?;
        let mut taken = Vec::new();
        let mut shape = operand.value.ty().shape().unwrap_or_default();
        let mut slices = Vec::new();
        for (dim, size) in sizes.iter().enumerate() {
            let whole = Self::size(&operand.dims[dim])?;
            let extent = match whole == *size {
                true => operand.dims[dim].clone(),
                false => self.extent(size.clone())?,
            };
            self.fits_into(size, &whole);
            let count = extent.bound().unwrap_or(0);
            shape[dim] = shape[dim].max(count);
            slices.push(count);
            taken.push(extent);
        }
        operand.value = self.resized(builder, operand.value, &shape, None)?;
        if let Some(window) = self.window(op, builder, &operand, &numbers, (&sizes, &slices))? {
            let kept = (0..taken.len())
                .filter(|dim| !numbers.collapsed_slice_dims.contains(&(*dim as i64)));
            let dims: Vec<_> = kept.map(|dim| taken[dim].clone()).collect();
            let shape = padded_type(&dims, window.ty().element())?.shape().unwrap_or_default();
            return Ok(Padded { value: builder.reshaped(window, &shape), dims, zero: false });
        }
        if let Some(run) = Run::of(op, &numbers, &sizes, self) {
            return self.run(builder, &operand, run);
        }
        let starts = self.clamped_starts(
            builder,
            &operand,
            &indices,
            &numbers.start_index_map,
            vector,
            &sizes,
        )?;
        // What slices take of a dimension may look like all of it where that is the bound.
        let own = |factor: &Factor| match factor.operands()[..] {
            [(0, dim)] => taken.get(dim).cloned(),
            _ => None,
        };
        let dims = Self::extents_by(op, &[operand.clone(), indices], &own)?.pop();
        let dims = dims.or_decline("it has no result")?;
        let ty = padded_type(&dims, op.result(0).ty().element())?;
        let mut attributes = op.attrs();
        attributes.retain(|(name, _)| *name != "slice_sizes");
        let value = builder
            .op(stablehlo::GATHER)
            .operands(&[operand.value, starts])
            .attrs(&attributes)
            .attr("slice_sizes", i64s(self.context, &slices))
            .result(ty)
            .value();
        Ok(Padded { value, dims, zero: false })
    }

    /// The only slice that a gather takes, of all dimensions, where it is known to be inside, as JAX writes `x[:, 1:]` of an open size;
    /// `None` for others.
    fn window(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        operand: &Padded<'c>,
        numbers: &GatherDimensionNumbers,
        (sizes, counts): (&[DimExpr], &[i64]),
    ) -> Outcome<Option<Value<'c>>> {
        let shape = op.operand(1).ty().shape().unwrap_or_default();
        let vector = usize::try_from(numbers.index_vector_dim).ok();
        let is_only = (0..shape.len()).all(|dim| Some(dim) == vector);
        let starts = match is_only && numbers.operand_batching_dims.is_empty() {
            true => self.numbers(op.operand(1)).unwrap_or_default(),
            false => Vec::new(),
        };
        let Some(starts) = starts.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        if starts.is_empty() || starts.len() != numbers.start_index_map.len() {
            return Ok(None);
        }
        let mut value = operand.value;
        for dim in 0..sizes.len() {
            let at = numbers.start_index_map.iter().position(|own| *own == dim as i64);
            let start = at.map_or_else(|| DimExpr::constant(0), |at| starts[at].clone());
            let room = Self::size(&operand.dims[dim])?.minus(&sizes[dim]);
            let room = room.and_then(|room| room.minus(&start));
            let is_inside = room.is_some_and(|room| self.domain().is_at_least(&room, 0))
                && self.domain().is_at_least(&start, 0);
            if !is_inside {
                return Ok(None);
            }
            let bound = value.ty().shape().and_then(|shape| shape.get(dim).copied());
            value = match (start.as_constant(), sizes[dim].as_constant()) {
                (Some(start), _) if bound.is_some_and(|bound| start + counts[dim] <= bound) => {
                    builder.strided(value, dim, (start, counts[dim], 1))?
                }
                // Within the buffer, too, wherever it begins.
                (None, Some(_)) => {
                    let start = self.number(builder, &start)?;
                    builder.slid(value, dim, start, counts[dim])?
                }
                _ => return Ok(None),
            };
        }
        Ok(Some(value))
    }

    /// The elements that a gather takes whose positions follow each other.
    fn run(&self, builder: &Builder<'c>, operand: &Padded<'c>, run: Run) -> Outcome<Padded<'c>> {
        let Run { dim, start, size, stride } = run;
        let is_first = start.as_constant() == Some(0) && stride == 1;
        if is_first && Self::size(&operand.dims[dim])? == size {
            return Ok(operand.clone());
        }
        let start = match start.as_constant() {
            Some(start) => Start::Known(start),
            None => Start::Computed(self.number(builder, &start)?, self.domain().largest(&start)),
        };
        let taken = Taken { start, size, stride };
        let (value, extent) = self.sliced(builder, operand.value, dim, taken)?;
        let mut dims = operand.dims.clone();
        dims[dim] = extent;
        self.fitted(builder, value, dims, false)
    }

    /// Positions that leave room for slices in the valid elements.
    fn clamped_starts(
        &self,
        builder: &Builder<'c>,
        operand: &Padded<'c>,
        indices: &Padded<'c>,
        map: &[i64],
        vector: i64,
        sizes: &[DimExpr],
    ) -> Outcome<Value<'c>> {
        let open = |dim: &&i64| {
            let dim = **dim as usize;
            operand.dims.get(dim).is_some_and(|dim| !dim.is_full())
                || sizes.get(dim).is_some_and(|size| size.as_constant().is_none())
        };
        if !map.iter().any(|dim| open(&dim)) {
            return Ok(indices.value);
        }
        let wide = tensor(&[], integer(self.context, 64));
        let mut most = Vec::new();
        for dim in map {
            let dim = usize::try_from(*dim).ok().filter(|dim| *dim < sizes.len());
            let dim = dim.or_decline("there is no such dimension")?;
            let room = Self::size(&operand.dims[dim])?.minus(&sizes[dim]);
            let room =
                self.number(builder, &room.or_decline("a size is too large an expression")?)?;
            most.push(builder.reshaped(room, &[1]));
        }
        let ty = indices.value.ty().with_element(wide.element());
        let shape = ty.shape().unwrap_or_default();
        let most = match most.len() {
            1 => most[0],
            count => builder
                .op(stablehlo::CONCATENATE)
                .operands(&most)
                .attr("dimension", self.dimension_attr(0))
                .result(tensor(&[count as i64], wide.element()))
                .value(),
        };
        let is_listed = (vector as usize) < shape.len();
        let most = match is_listed {
            true => builder.broadcast_in_dim(most, &shape, &[vector]),
            false => builder.broadcast_in_dim(builder.reshaped(most, &[]), &shape, &[]),
        };
        let starts = self.wide_positions(builder, indices.value);
        let starts = builder.same(stablehlo::MINIMUM, &[starts, most]);
        let zero = self.integers(builder, ty, 0);
        Ok(builder.same(stablehlo::MAXIMUM, &[starts, zero]))
    }

    /// Updates that are not valid go to a position that there is not.
    pub fn scatter(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let numbers = op.attr("scatter_dimension_numbers");
        let numbers = numbers.and_then(ScatterDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("it has no dimensions")?;
        let semantics = Semantics::of(op);
        let operands = self.operands(op)?;
        let count = op.result_count();
        (operands.len() == 2 * count + 1).or_decline("the number of operands is wrong")?;
        let compact = operands.iter().map(|one| self.compact(builder, one));
        let operands = compact.collect::<Outcome<Vec<_>>>()?;
        let (inputs, rest) = operands.split_at(count);
        let (indices, updates) = (&rest[0], &rest[1..]);
        let vector = numbers.index_vector_dim;
        let alike = |list: &[Padded<'c>]| list.iter().all(|one| one.dims == list[0].dims);
        (alike(inputs) && alike(updates))
            .or_decline("sizes of operands are not known to be equal")?;
        let (input, update) = (&inputs[0], &updates[0]);
        let is_window = |dim: usize| numbers.update_window_dims.contains(&(dim as i64));
        let own = (0..update.dims.len()).filter(|dim| !is_window(*dim));
        let own: Vec<_> = own.map(|dim| update.dims[dim].clone()).collect();
        (own == batches(indices, vector))
            .or_decline("sizes of operands are not known to be equal")?;
        // Windows: all of a dimension of open size, or one element of it; others are taken apart.
        let hidden = |dim: usize| {
            numbers.inserted_window_dims.contains(&(dim as i64))
                || numbers.input_batching_dims.contains(&(dim as i64))
        };
        let shown: Vec<usize> = (0..input.dims.len()).filter(|dim| !hidden(*dim)).collect();
        let windows = numbers.update_window_dims.iter().map(|dim| *dim as usize);
        let mut limits: Vec<(usize, DimExpr)> = Vec::new();
        let mut spread: Vec<(usize, usize)> = Vec::new();
        for (dim, own) in shown.iter().zip(windows) {
            let window = update.dims.get(own).or_decline("there is no such dimension")?;
            let mapped =
                numbers.scatter_dims_to_operand_dims.iter().position(|to| *to == *dim as i64);
            if input.dims[*dim].is_full() && window.is_full() {
                continue;
            }
            // One that starts before the first element would move its padding to elements.
            let stays = mapped.is_none() || semantics == Semantics::Xla;
            if input.dims[*dim] == *window && stays {
                continue;
            }
            if !window.is_full() {
                spread.push((*dim, own));
                continue;
            }
            self.fits_into(&Self::size(window)?, &Self::size(&input.dims[*dim])?);
            // By the specification elements after the limit are dropped: they fall into padding.
            if let Some(at) = mapped.filter(|_| semantics == Semantics::Xla) {
                limits.push((
                    at,
                    Self::size(&input.dims[*dim])?
                        .minus(&Self::size(window)?)
                        .or_decline("a size is too large an expression")?,
                ));
            }
        }
        // No window fits into so small a bound, whose code runs for no size that the program takes.
        let is_longer = |(dim, window): (&usize, &i64)| {
            let own = input.value.ty().shape().unwrap_or_default();
            let windows = update.value.ty().shape().unwrap_or_default();
            let is_spread = spread.iter().any(|(spread, _)| spread == dim);
            !is_spread && windows.get(*window as usize) > own.get(*dim)
        };
        if shown.iter().zip(&numbers.update_window_dims).any(is_longer) {
            return Ok(inputs.to_vec());
        }
        let mut others = Vec::new();
        let mut updates: Vec<_> = updates.iter().map(|one| one.value).collect();
        let (mut vector, mut indices) = (vector, indices.clone());
        if !spread.is_empty() {
            let (own, positions, order) = self.spread_windows(
                builder,
                (&numbers, semantics),
                (input, &indices, update),
                &spread,
            )?;
            (vector, indices) = (own.index_vector_dim, positions);
            updates = updates.into_iter().map(|one| builder.transposed(one, &order)).collect();
            let own = own.to_attribute(self.context).or_decline("the dialect is not loaded")?;
            let unknown = int(integer(self.context, 1), 0);
            others.push(("scatter_dimension_numbers", own));
            others.extend(["indices_are_sorted", "unique_indices"].map(|name| (name, unknown)));
        }
        let positions = self.dropped(builder, &indices, vector, &limits)?;
        let mut values: Vec<_> = inputs.iter().map(|one| one.value).collect();
        values.push(positions);
        values.extend(updates);
        let types: Vec<_> = inputs.iter().map(|one| one.value.ty()).collect();
        let new = self.rebuilt(builder, op, &values, &types, &others);
        let padded = |value| Padded { value, dims: input.dims.clone(), zero: false };
        Ok(new.results().into_iter().map(padded).collect())
    }

    /// Positions, where those are -1 that are not valid, or whose window would end after a limit.
    fn dropped(
        &self,
        builder: &Builder<'c>,
        indices: &Padded<'c>,
        vector: i64,
        limits: &[(usize, DimExpr)],
    ) -> Outcome<Value<'c>> {
        let along: Vec<usize> =
            (0..indices.dims.len()).filter(|dim| *dim as i64 != vector).collect();
        let mut kept = self.valid(builder, &indices.dims, &along)?;
        if kept.is_none() && limits.is_empty() {
            return Ok(indices.value);
        }
        let wide = integer(self.context, 64);
        let ty = indices.value.ty().with_element(wide);
        let shape = ty.shape().unwrap_or_default();
        let positions = self.wide_positions(builder, indices.value);
        for (at, limit) in limits {
            let most = self.number(builder, limit)?;
            let mut most = builder.broadcast_in_dim(most, &shape, &[]);
            if (vector as usize) < shape.len() {
                // Only that coordinate is limited.
                let place = builder.iota(&shape, wide, vector);
                let own = self.integers(builder, ty, *at as i64);
                let is_own = builder.compare(ComparisonDirection::Eq, place, own)?;
                let none = self.integers(builder, ty, i64::MAX);
                most = builder.selected(is_own, most, none);
            }
            let fits = builder.compare(ComparisonDirection::Le, positions, most)?;
            kept = Some(kept.map_or(fits, |kept| builder.same(stablehlo::AND, &[kept, fits])));
        }
        let Some(kept) = kept else { return Ok(positions) };
        let outside = self.integers(builder, ty, -1);
        Ok(builder.selected(kept, positions, outside))
    }
}
