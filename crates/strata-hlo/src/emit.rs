//! Builders of the StableHLO operations used in expansions.

use strata_ir::{
    Attribute, Builder, ComparisonDirection, ElementType, OpName, QuantizedType, Type,
    TypeExt as _, Value, bool_type, dense_bytes, i64s, int, integer, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome};

use crate::pattern::{new_constant, new_splat};

/// Builders for expansions; shapes are static.
pub trait Emit<'c> {
    /// A constant of an integer type; all elements equal `value`.
    fn int_constant(&self, ty: Type<'c>, value: i64) -> Value<'c>;
    /// A constant whose elements all mean zero.
    fn zeros(&self, ty: Type<'c>) -> Outcome<Value<'c>>;
    /// `tensor<i64>` of that value.
    fn counter(&self, value: i64) -> Value<'c>;
    /// `broadcast_in_dim`.
    fn broadcast_in_dim(&self, value: Value<'c>, shape: &[i64], dims: &[i64]) -> Value<'c>;
    /// `reshape`.
    fn reshaped(&self, value: Value<'c>, shape: &[i64]) -> Value<'c>;
    /// `convert`.
    fn converted(&self, value: Value<'c>, element: Type<'c>) -> Value<'c>;
    /// `iota`.
    fn iota(&self, shape: &[i64], element: Type<'c>, dim: i64) -> Value<'c>;
    /// `compare` of integers.
    fn compare(
        &self,
        direction: ComparisonDirection,
        lhs: Value<'c>,
        rhs: Value<'c>,
    ) -> Outcome<Value<'c>>;
    /// `slice`.
    fn sliced(
        &self,
        value: Value<'c>,
        starts: &[i64],
        limits: &[i64],
        strides: &[i64],
    ) -> Value<'c>;
    /// `slice` of `count` indices along `dim`, from `start` on, `stride` apart, and of all along others; the value itself where that is all.
    fn strided(
        &self,
        value: Value<'c>,
        dim: usize,
        start_count_stride: (i64, i64, i64),
    ) -> Outcome<Value<'c>>;
    /// `reduce` by addition over these dimensions.
    fn summed(&self, value: Value<'c>, over: &[usize]) -> Outcome<Value<'c>>;
    /// `reduce` by a commutative operation over these dimensions, of a value and from a start.
    fn reduced(
        &self,
        by: OpName<'c>,
        operands: [Value<'c>; 2],
        over: &[usize],
    ) -> Outcome<Value<'c>>;
    /// `select`.
    fn selected(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c>;
    /// `dynamic_slice` of `count` indices along `dim`, from `place` on.
    fn slid(
        &self,
        value: Value<'c>,
        dim: usize,
        place: Value<'c>,
        count: i64,
    ) -> Outcome<Value<'c>>;
    /// `dynamic_slice` of this shape; a dimension without a place is taken from its first index on.
    fn window_at(
        &self,
        value: Value<'c>,
        places: &[Option<Value<'c>>],
        shape: &[i64],
    ) -> Outcome<Value<'c>>;
    /// `dynamic_slice` of one index along `dim`, which the result lacks.
    fn taken(&self, value: Value<'c>, dim: usize, place: Value<'c>) -> Outcome<Value<'c>>;
    /// `value` with `part` at one index along `dim`, which `part` lacks.
    fn put(
        &self,
        value: Value<'c>,
        part: Value<'c>,
        dim: usize,
        place: Value<'c>,
    ) -> Outcome<Value<'c>>;
    /// `transpose`: dimension `d` of the result is dimension `order[d]` of the value.
    fn transposed(&self, value: Value<'c>, order: &[usize]) -> Value<'c>;
    /// `stablehlo.return`.
    fn returned(&self, values: &[Value<'c>]);
}

fn shape_of(value: Value<'_>) -> Outcome<Vec<i64>> {
    value.ty().shape().or_decline("the shape is not static")
}

/// The start indices of a slice at `place` along `dim` and at 0 along others.
fn starts<'c>(
    builder: &Builder<'c>,
    rank: usize,
    dim: usize,
    place: Value<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let zero = builder.zeros(place.ty())?;
    Ok((0..rank).map(|other| if other == dim { place } else { zero }).collect())
}

impl<'c> Emit<'c> for Builder<'c> {
    fn int_constant(&self, ty: Type<'c>, value: i64) -> Value<'c> {
        new_splat(self, ty, int(ty.element(), value))
    }

    fn zeros(&self, ty: Type<'c>) -> Outcome<Value<'c>> {
        let element: Attribute = if ty.element().is_int() {
            int(ty.element(), 0)
        } else if ty.element().is_float_type() {
            strata_ir::float(self.context, ty.element(), zero_of(ty.element()))
        } else if let Some(quantized) = QuantizedType::of(ty.element()) {
            return zero_points(self, ty, &quantized);
        } else {
            let bytes = vec![0; ty.element().byte_width().unwrap_or(0) as usize];
            let scalar = tensor(&[], ty.element());
            let zero = dense_bytes(scalar, &bytes);
            let zero = zero.or_decline("there is no zero of the type")?;
            let zero = new_constant(self, scalar, zero);
            let shape = ty.shape().or_decline("the shape is not static")?;
            return Ok(self.broadcast_in_dim(zero, &shape, &[]));
        };
        Ok(new_splat(self, ty, element))
    }

    fn counter(&self, value: i64) -> Value<'c> {
        self.int_constant(tensor(&[], integer(self.context, 64)), value)
    }

    fn broadcast_in_dim(&self, value: Value<'c>, shape: &[i64], dims: &[i64]) -> Value<'c> {
        self.op(stablehlo::BROADCAST_IN_DIM)
            .operand(value)
            .attr("broadcast_dimensions", i64s(self.context, dims))
            .result(tensor(shape, value.ty().element()))
            .value()
    }

    fn reshaped(&self, value: Value<'c>, shape: &[i64]) -> Value<'c> {
        let ty = tensor(shape, value.ty().element());
        if ty == value.ty() {
            return value;
        }
        self.op(stablehlo::RESHAPE).operand(value).result(ty).value()
    }

    fn converted(&self, value: Value<'c>, element: Type<'c>) -> Value<'c> {
        let ty = value.ty().with_element(element);
        if ty == value.ty() {
            return value;
        }
        self.op(stablehlo::CONVERT).operand(value).result(ty).value()
    }

    fn iota(&self, shape: &[i64], element: Type<'c>, dim: i64) -> Value<'c> {
        let dim = int(integer(self.context, 64), dim);
        self.op(stablehlo::IOTA).attr("iota_dimension", dim).result(tensor(shape, element)).value()
    }

    fn compare(
        &self,
        direction: ComparisonDirection,
        lhs: Value<'c>,
        rhs: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let direction = direction.to_attribute(self.context);
        Ok(self
            .op(stablehlo::COMPARE)
            .operands(&[lhs, rhs])
            .attr("comparison_direction", direction.or_decline("the dialect lacks a direction")?)
            .result(lhs.ty().with_element(bool_type(self.context)))
            .value())
    }

    fn sliced(
        &self,
        value: Value<'c>,
        starts: &[i64],
        limits: &[i64],
        strides: &[i64],
    ) -> Value<'c> {
        let along = starts.iter().zip(limits).zip(strides);
        let size = |((start, limit), stride): ((&i64, &i64), &i64)| {
            (limit - start).max(0).unsigned_abs().div_ceil(stride.unsigned_abs()).cast_signed()
        };
        let sizes: Vec<_> = along.map(size).collect();
        self.op(stablehlo::SLICE)
            .operand(value)
            .attr("start_indices", i64s(self.context, starts))
            .attr("limit_indices", i64s(self.context, limits))
            .attr("strides", i64s(self.context, strides))
            .result(tensor(&sizes, value.ty().element()))
            .value()
    }

    fn strided(
        &self,
        value: Value<'c>,
        dim: usize,
        (start, count, stride): (i64, i64, i64),
    ) -> Outcome<Value<'c>> {
        let mut limits = shape_of(value)?;
        if (start, count, stride) == (0, limits[dim], 1) {
            return Ok(value);
        }
        let (mut starts, mut strides) = (vec![0; limits.len()], vec![1; limits.len()]);
        (starts[dim], strides[dim]) = (start, stride);
        limits[dim] = if count == 0 { start } else { start + (count - 1) * stride + 1 };
        Ok(self.sliced(value, &starts, &limits, &strides))
    }

    fn summed(&self, value: Value<'c>, over: &[usize]) -> Outcome<Value<'c>> {
        let start = self.zeros(tensor(&[], value.ty().element()))?;
        self.reduced(stablehlo::ADD, [value, start], over)
    }

    fn reduced(
        &self,
        by: OpName<'c>,
        operands: [Value<'c>; 2],
        over: &[usize],
    ) -> Outcome<Value<'c>> {
        let (shape, element) = (shape_of(operands[0])?, operands[0].ty().element());
        let kept = (0..shape.len()).filter(|dim| !over.contains(dim)).map(|dim| shape[dim]);
        let kept: Vec<_> = kept.collect();
        let over: Vec<_> = over.iter().map(|dim| *dim as i64).collect();
        let scalar = tensor(&[], element);
        let body = self.region(&[scalar, scalar], |inner, args| {
            inner.returned(&[inner.same(by, args)]);
        });
        Ok(self
            .op(stablehlo::REDUCE)
            .operands(&operands)
            .attr("dimensions", i64s(self.context, &over))
            .result(tensor(&kept, element))
            .region(body)
            .value())
    }

    fn selected(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        self.op(stablehlo::SELECT).operands(&[condition, yes, no]).result(yes.ty()).value()
    }

    fn slid(
        &self,
        value: Value<'c>,
        dim: usize,
        place: Value<'c>,
        count: i64,
    ) -> Outcome<Value<'c>> {
        let mut shape = shape_of(value)?;
        let mut places = vec![None; shape.len()];
        *shape.get_mut(dim).or_decline("there is no such dimension")? = count;
        places[dim] = Some(place);
        self.window_at(value, &places, &shape)
    }

    fn window_at(
        &self,
        value: Value<'c>,
        places: &[Option<Value<'c>>],
        shape: &[i64],
    ) -> Outcome<Value<'c>> {
        let mut given = places.iter().flatten();
        let Some(first) = given.next() else { return Ok(value) };
        let zero = self.zeros(first.ty())?;
        let starts: Vec<_> = places.iter().map(|place| place.unwrap_or(zero)).collect();
        Ok(self
            .op(stablehlo::DYNAMIC_SLICE)
            .operand(value)
            .operands(&starts)
            .attr("slice_sizes", i64s(self.context, shape))
            .result(tensor(shape, value.ty().element()))
            .value())
    }

    fn taken(&self, value: Value<'c>, dim: usize, place: Value<'c>) -> Outcome<Value<'c>> {
        let slice = self.slid(value, dim, place, 1)?;
        let mut shape = shape_of(slice)?;
        shape.remove(dim);
        Ok(self.reshaped(slice, &shape))
    }

    fn put(
        &self,
        value: Value<'c>,
        part: Value<'c>,
        dim: usize,
        place: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let mut shape = shape_of(value)?;
        let starts = starts(self, shape.len(), dim, place)?;
        *shape.get_mut(dim).or_decline("there is no such dimension")? = 1;
        let part = self.reshaped(part, &shape);
        Ok(self
            .op(stablehlo::DYNAMIC_UPDATE_SLICE)
            .operands(&[value, part])
            .operands(&starts)
            .result(value.ty())
            .value())
    }

    fn transposed(&self, value: Value<'c>, order: &[usize]) -> Value<'c> {
        let from = value.ty().shape().unwrap_or_default();
        let to: Vec<_> = order.iter().map(|dim| from[*dim]).collect();
        let order: Vec<_> = order.iter().map(|dim| *dim as i64).collect();
        self.op(stablehlo::TRANSPOSE)
            .operand(value)
            .attr("permutation", i64s(self.context, &order))
            .result(tensor(&to, value.ty().element()))
            .value()
    }

    fn returned(&self, values: &[Value<'c>]) {
        self.op(stablehlo::RETURN).operands(values).build();
    }
}

/// A `while` that counts from 0 to `count` and carries `initial`; `step` gets the counter and the
/// carried values and returns the next ones. Returns the final values.
pub fn counted<'c>(
    builder: &Builder<'c>,
    count: i64,
    initial: &[Value<'c>],
    step: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let mut operands = vec![builder.counter(0)];
    operands.extend_from_slice(initial);
    let types: Vec<_> = operands.iter().map(|value| value.ty()).collect();
    let mut outcome = Ok(());
    let condition = builder.region(&types, |inner, args| {
        let limit = inner.counter(count);
        match inner.compare(ComparisonDirection::Lt, args[0], limit) {
            Ok(goes_on) => inner.returned(&[goes_on]),
            Err(declined) => outcome = Err(declined),
        }
    });
    outcome?;
    let mut outcome = Ok(());
    let body = builder.region(&types, |inner, args| match step(inner, args[0], &args[1..]) {
        Ok(values) => {
            let next = inner.same(stablehlo::ADD, &[args[0], inner.counter(1)]);
            inner.returned(&[&[next], values.as_slice()].concat());
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    let op = builder
        .op(stablehlo::WHILE)
        .operands(&operands)
        .results(&types)
        .region(condition)
        .region(body)
        .build();
    Ok(op.results()[1..].to_vec())
}

/// Whether a type of floats has no zero.
pub(crate) fn is_without_zero(element: Type<'_>) -> bool {
    ElementType::from_type(element) == Some(ElementType::SmallFloat("f8E8M0FNU"))
}

/// What 0 is converted to in a type of floats.
pub(crate) fn zero_of(element: Type<'_>) -> f64 {
    if is_without_zero(element) { f64::NAN } else { 0.0 }
}

/// The constant of a quantized type that means zeros, where one stored integer does.
fn zero_points<'c>(
    b: &Builder<'c>,
    ty: Type<'c>,
    quantized: &QuantizedType<'c>,
) -> Outcome<Value<'c>> {
    let point = *quantized.zero_points.first().or_decline("there is no zero point")?;
    let is_one = quantized.axis.is_none();
    is_one.or_decline("its quantization differs along a dimension")?;
    let shape = ty.shape().or_decline("the shape is not static")?;
    let width = quantized.storage.byte_width().or_decline("its storage has no width")?;
    let width = usize::try_from(width).unwrap_or(0);
    let count = usize::try_from(shape.iter().product::<i64>()).unwrap_or(0);
    let bytes = point.to_le_bytes()[..width.min(8)].repeat(count);
    let stored = dense_bytes(tensor(&shape, quantized.storage), &bytes);
    let stored = stored.or_decline("its storage has no such constant")?;
    Ok(new_constant(b, ty, stored))
}
