//! Numbers, masks and selections that padded programs compute with sizes.

use strata_ir::{
    Builder, ComparisonDirection, GatherDimensionNumbers, ROWS, Type, TypeExt as _, Value, i64s,
    int, integer, stablehlo, tensor, unit,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, DimFactor, Variable};

use super::{Padded, Padding, extent::Extent, padded_type, repeats};
use crate::{emit::Emit as _, pattern::new_splat};

impl<'c> Padding<'c> {
    fn i32(&self) -> Type<'c> {
        integer(self.context, 32)
    }

    /// The value of a size, as `tensor<i64>`.
    pub fn number(&self, builder: &Builder<'c>, size: &DimExpr) -> Outcome<Value<'c>> {
        let mut sum: Option<Value<'c>> = None;
        for (atoms, factor) in size.terms() {
            let mut term: Option<Value<'c>> = None;
            for atom in atoms {
                let value = self.atom(builder, atom)?;
                term = Some(
                    term.map_or(value, |term| builder.same(stablehlo::MULTIPLY, &[term, value])),
                );
            }
            let term = match (term, factor) {
                (None, number) => builder.counter(number),
                (Some(term), 1) => term,
                (Some(term), factor) => {
                    builder.same(stablehlo::MULTIPLY, &[term, builder.counter(factor)])
                }
            };
            sum = Some(sum.map_or(term, |sum| builder.same(stablehlo::ADD, &[sum, term])));
        }
        Ok(sum.unwrap_or_else(|| builder.counter(0)))
    }

    fn atom(&self, builder: &Builder<'c>, atom: &DimFactor) -> Outcome<Value<'c>> {
        let of = |size: &DimExpr| self.number(builder, size);
        match atom {
            DimFactor::Variable(Variable::Symbol(index)) => {
                self.scalars.get(*index).copied().flatten().or_decline("a symbol has no value")
            }
            DimFactor::Variable(Variable::Dimension(..)) => Err("a size is not known".into()),
            DimFactor::Max(a, b) => Ok(builder.same(stablehlo::MAXIMUM, &[of(a)?, of(b)?])),
            DimFactor::Min(a, b) => Ok(builder.same(stablehlo::MINIMUM, &[of(a)?, of(b)?])),
            DimFactor::Sign(a) => Ok(builder.same(stablehlo::SIGN, &[of(a)?])),
            DimFactor::FloorDiv(a, b) | DimFactor::Mod(a, b) => {
                let is_not_negative = self.domain().is_at_least(a, 0);
                let (a, b, zero) = (of(a)?, of(b)?, builder.counter(0));
                if is_not_negative {
                    let name = match atom {
                        DimFactor::Mod(..) => stablehlo::REMAINDER,
                        _ => stablehlo::DIVIDE,
                    };
                    return Ok(builder.same(name, &[a, b]));
                }
                let rest = builder.same(stablehlo::REMAINDER, &[a, b]);
                // Rounded down: the remainder of a negative number is made positive.
                let is_negative = builder.compare(ComparisonDirection::Lt, rest, zero)?;
                let more = builder.selected(is_negative, b, zero);
                let rest = builder.same(stablehlo::ADD, &[rest, more]);
                if matches!(atom, DimFactor::Mod(..)) {
                    return Ok(rest);
                }
                let whole = builder.same(stablehlo::SUBTRACT, &[a, rest]);
                Ok(builder.same(stablehlo::DIVIDE, &[whole, b]))
            }
        }
    }

    /// Positions as `i64`; those of `ui64` that this does not have are its largest one, which is outside, too.
    pub fn wide_positions(&self, builder: &Builder<'c>, positions: Value<'c>) -> Value<'c> {
        let ty = positions.ty();
        let is_wide = ty.element().is_unsigned_int() && ty.element().bit_width() == Some(64);
        let positions = match is_wide {
            true => {
                let most = self.integers(builder, ty, i64::MAX);
                builder.same(stablehlo::MINIMUM, &[positions, most])
            }
            false => positions,
        };
        builder.converted(positions, integer(self.context, 64))
    }

    /// The value of a size, as `tensor<i32>`.
    pub fn short_number(&self, builder: &Builder<'c>, size: &DimExpr) -> Outcome<Value<'c>> {
        Ok(builder.converted(self.number(builder, size)?, self.i32()))
    }

    /// `tensor<CxI32>` of the same number.
    fn spread(&self, builder: &Builder<'c>, number: Value<'c>, count: i64) -> Value<'c> {
        builder.broadcast_in_dim(number, &[count], &[])
    }

    fn splat(&self, builder: &Builder<'c>, count: i64, number: i64) -> Value<'c> {
        builder.int_constant(tensor(&[count], self.i32()), number)
    }

    /// 0, 1, 2, … of that many.
    pub fn positions(&self, builder: &Builder<'c>, count: i64) -> Value<'c> {
        builder.iota(&[count], self.i32(), 0)
    }

    /// Which elements along a dimension are valid, as booleans of one dimension.
    pub fn valid_along(&self, builder: &Builder<'c>, extent: &Extent) -> Outcome<Value<'c>> {
        let count = extent.bound().or_decline("a dimension is too large")?;
        let place = self.positions(builder, count);
        let mut all: Option<Value<'c>> = None;
        let mut inner = 1;
        for factor in extent.factors().iter().rev() {
            if !factor.is_full() {
                let mut own = place;
                if inner != 1 {
                    let by = self.splat(builder, count, inner);
                    own = builder.same(stablehlo::DIVIDE, &[own, by]);
                }
                if inner * factor.bound != count {
                    let by = self.splat(builder, count, factor.bound.max(1));
                    own = builder.same(stablehlo::REMAINDER, &[own, by]);
                }
                let size = self.short_number(builder, &factor.size)?;
                let size = self.spread(builder, size, count);
                let valid = builder.compare(ComparisonDirection::Lt, own, size)?;
                all = Some(all.map_or(valid, |all| builder.same(stablehlo::AND, &[all, valid])));
            }
            inner *= factor.bound.max(1);
        }
        let truth = tensor(&[count], strata_ir::bool_type(self.context));
        Ok(all.unwrap_or_else(|| builder.int_constant(truth, 1)))
    }

    /// Which elements are valid along the given dimensions; `None` if all are.
    pub fn valid(
        &self,
        builder: &Builder<'c>,
        dims: &[Extent],
        along: &[usize],
    ) -> Outcome<Option<Value<'c>>> {
        let shape = padded_type(dims, self.i32())?.shape().unwrap_or_default();
        let mut all: Option<Value<'c>> = None;
        for dim in along.iter().copied().filter(|dim| !dims[*dim].is_full()) {
            let valid = self.valid_along(builder, &dims[dim])?;
            let valid = builder.broadcast_in_dim(valid, &shape, &[dim as i64]);
            all = Some(all.map_or(valid, |all| builder.same(stablehlo::AND, &[all, valid])));
        }
        Ok(all)
    }

    /// The value with `fill`, a scalar, where it is not valid along the given dimensions.
    pub fn masked(
        &self,
        builder: &Builder<'c>,
        padded: &Padded<'c>,
        along: &[usize],
        fill: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let Some(valid) = self.valid(builder, &padded.dims, along)? else {
            return Ok(padded.value);
        };
        let shape = padded.value.ty().shape().unwrap_or_default();
        let fill = builder.broadcast_in_dim(fill, &shape, &[]);
        Ok(builder.selected(valid, padded.value, fill))
    }

    /// The value with zeros where it is not valid along the given dimensions.
    pub fn clean(
        &self,
        builder: &Builder<'c>,
        padded: &Padded<'c>,
        along: &[usize],
    ) -> Outcome<Value<'c>> {
        if padded.zero || along.iter().all(|dim| padded.dims[*dim].is_full()) {
            return Ok(padded.value);
        }
        let zero = builder.zeros(tensor(&[], padded.value.ty().element()))?;
        self.masked(builder, padded, along, zero)
    }

    /// Elements of `value` along `dim` at the places that `indices`, of one dimension, say; those after the valid ones may be any.
    pub fn picked(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        dim: usize,
        indices: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let mut shape = value.ty().shape().or_decline("an operand has no rank")?;
        let count = indices.ty().shape().unwrap_or_default()[0];
        let mut sizes = shape.clone();
        sizes[dim] = 1;
        shape[dim] = count;
        let numbers = GatherDimensionNumbers {
            offset_dims: (0..shape.len() as i64).filter(|at| *at != dim as i64).collect(),
            collapsed_slice_dims: vec![dim as i64],
            start_index_map: vec![dim as i64],
            index_vector_dim: 1,
            ..GatherDimensionNumbers::default()
        };
        let numbers = numbers.to_attribute(self.context).or_decline("the dialect is not loaded")?;
        Ok(builder
            .op(stablehlo::GATHER)
            .operands(&[value, indices])
            .attr("dimension_numbers", numbers)
            .attr("slice_sizes", i64s(self.context, &sizes))
            .attr(ROWS, unit(self.context))
            .result(tensor(&shape, value.ty().element()))
            .value())
    }

    /// The value with each dimension's valid elements first.
    pub fn compact(&self, builder: &Builder<'c>, padded: &Padded<'c>) -> Outcome<Padded<'c>> {
        let mut padded = padded.clone();
        let targets: Vec<_> = padded
            .dims
            .iter()
            .map(|extent| self.extent(Self::size(extent)?))
            .collect::<Outcome<_>>()?;
        let mut rows = vec![None; targets.len()];
        for (dim, rows) in rows.iter_mut().enumerate() {
            *rows = repeats::row(builder, &mut padded, dim);
        }
        for (dim, target) in targets.into_iter().enumerate() {
            if padded.dims[dim].is_prefix() && rows[dim].is_none() {
                continue;
            }
            let extent = padded.dims[dim].clone();
            let numbers = self.positions(builder, target.bound().unwrap_or(0));
            let indices = match &rows[dim] {
                // Each element of the row again and again.
                Some(row) => {
                    let size = self.positive(builder, row)?;
                    let shape = numbers.ty().shape().unwrap_or_default();
                    let size = builder.broadcast_in_dim(size, &shape, &[]);
                    builder.same(stablehlo::REMAINDER, &[numbers, size])
                }
                None => self.places(builder, &extent, numbers)?,
            };
            padded.value = self.picked(builder, padded.value, dim, indices)?;
            padded.dims[dim] = target;
            padded.zero = false;
        }
        Ok(padded)
    }

    /// The places in a padded dimension of the valid elements with the given numbers, 32-bit integers of any shape.
    pub fn places(
        &self,
        builder: &Builder<'c>,
        extent: &Extent,
        numbers: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let shape = numbers.ty().shape().unwrap_or_default();
        let splat = |number: i64| builder.int_constant(tensor(&shape, self.i32()), number);
        let mut left = numbers;
        let (mut inner, mut sum) = (1, splat(0));
        let outermost = extent.factors().len() - 1;
        for (at, factor) in extent.factors().iter().rev().enumerate() {
            let mut own = left;
            if at != outermost {
                let size = self.positive(builder, &factor.size)?;
                let size = builder.broadcast_in_dim(size, &shape, &[]);
                own = builder.same(stablehlo::REMAINDER, &[left, size]);
                left = builder.same(stablehlo::DIVIDE, &[left, size]);
            }
            let scaled = builder.same(stablehlo::MULTIPLY, &[own, splat(inner)]);
            sum = builder.same(stablehlo::ADD, &[sum, scaled]);
            inner *= factor.bound.max(1);
        }
        Ok(sum)
    }

    /// The value of a size, or 1 for none, as `tensor<i32>`: what numbers are divided by.
    fn positive(&self, builder: &Builder<'c>, size: &DimExpr) -> Outcome<Value<'c>> {
        let number = self.short_number(builder, size)?;
        if self.domain().is_positive(size) {
            return Ok(number);
        }
        let one = builder.int_constant(tensor(&[], self.i32()), 1);
        Ok(builder.same(stablehlo::MAXIMUM, &[number, one]))
    }

    /// The value with `sizes` elements along its dimensions: elements are cut off or added at the ends.
    pub fn resized(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        sizes: &[i64],
        fill: Option<Value<'c>>,
    ) -> Outcome<Value<'c>> {
        let shape = value.ty().shape().or_decline("an operand has no rank")?;
        if shape == sizes {
            return Ok(value);
        }
        let more: Vec<i64> = shape.iter().zip(sizes).map(|(own, size)| size - own).collect();
        let nothing = vec![0; shape.len()];
        let element = value.ty().element();
        if more.iter().all(|more| *more <= 0) {
            return Ok(builder
                .op(stablehlo::SLICE)
                .operand(value)
                .attr("start_indices", i64s(self.context, &nothing))
                .attr("limit_indices", i64s(self.context, sizes))
                .attr("strides", i64s(self.context, &vec![1; shape.len()]))
                .result(tensor(sizes, element))
                .value());
        }
        let fill = fill.map_or_else(|| builder.zeros(tensor(&[], element)), Ok)?;
        Ok(self.widened(builder, value, fill, &nothing, &more, &nothing))
    }

    /// `pad`.
    pub fn widened(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        fill: Value<'c>,
        low: &[i64],
        high: &[i64],
        interior: &[i64],
    ) -> Value<'c> {
        let shape = value.ty().shape().unwrap_or_default();
        let size = |dim: usize| {
            (shape[dim] + low[dim] + high[dim] + (shape[dim] - 1).max(0) * interior[dim]).max(0)
        };
        let sizes: Vec<i64> = (0..shape.len()).map(size).collect();
        builder
            .op(stablehlo::PAD)
            .operands(&[value, fill])
            .attr("edge_padding_low", i64s(self.context, low))
            .attr("edge_padding_high", i64s(self.context, high))
            .attr("interior_padding", i64s(self.context, interior))
            .result(tensor(&sizes, value.ty().element()))
            .value()
    }

    /// A value whose dimensions have the bounds of these extents: one that an operation computed may have more or fewer elements,
    /// none of them valid.
    pub fn fitted(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        dims: Vec<Extent>,
        zero: bool,
    ) -> Outcome<Padded<'c>> {
        let shape = padded_type(&dims, self.i32())?.shape().unwrap_or_default();
        Ok(Padded { value: self.resized(builder, value, &shape, None)?, dims, zero })
    }

    /// A splat of an integer type.
    pub fn integers(&self, builder: &Builder<'c>, ty: Type<'c>, number: i64) -> Value<'c> {
        new_splat(builder, ty, int(ty.element(), number))
    }
}
