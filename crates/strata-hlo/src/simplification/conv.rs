//! Convolutions that multiply zeros, as several that do not.

mod borders;
mod phases;

pub use borders::ConvolutionAtBorders;
pub use phases::ConvolutionOfDilated;
use strata_ir::{
    AttributeExt as _, Builder, ConvDimensionNumbers, Op, Type, TypeExt as _, Value, dense_bytes,
    i64_pairs, i64s, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome};

use crate::{
    emit::Emit as _,
    pattern::{constant, ints_or, new_constant},
    simplification::elements::{Element, Kind},
};

/// What windows do along one spatial dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    input: i64,
    taps: i64,
    output: i64,
    stride: i64,
    holes: i64,
    dilation: i64,
    low: i64,
    is_reversed: bool,
}

/// Taps that are a step apart, counted along the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taps {
    first: i64,
    count: i64,
    step: i64,
}

/// A convolution along one spatial dimension of a result's part.
#[derive(Clone, Copy, Debug)]
struct Part {
    taps: Taps,
    stride: i64,
    dilation: i64,
    padding: [i64; 2],
    results: i64,
}

/// `a / b`, rounded up; `b` is positive.
fn ceil(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

/// All tuples of numbers below these limits, the last number fastest.
fn tuples(limits: impl Iterator<Item = i64>) -> Vec<Vec<i64>> {
    limits.fold(vec![Vec::new()], |tuples, limit| {
        let longer = |tuple: &Vec<i64>| {
            let tuple = tuple.clone();
            (0..limit).map(move |last| [&tuple[..], &[last]].concat())
        };
        tuples.iter().flat_map(longer).collect()
    })
}

impl Axis {
    /// These taps as a slice of the kernel.
    fn slice(self, taps: Taps) -> [i64; 2] {
        let last = taps.first + (taps.count - 1) * taps.step;
        match self.is_reversed {
            true => [self.taps - 1 - last, self.taps - taps.first],
            false => [taps.first, last + 1],
        }
    }
}

/// A convolution and what it reads.
struct Convolution<'c> {
    op: Op<'c>,
    builder: Builder<'c>,
    numbers: ConvDimensionNumbers,
    axes: Vec<Axis>,
    kernel: Vec<i64>,
    result: Type<'c>,
}

impl<'c> Convolution<'c> {
    fn of(op: Op<'c>, builder: Builder<'c>) -> Outcome<Self> {
        let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("attribute `dimension_numbers` is missing")?;
        let types = [op.operand(0).ty(), op.operand(1).ty(), op.result(0).ty()];
        let is_static = types.iter().all(|ty| ty.has_static_shape());
        is_static.or_decline("the shapes are not static")?;
        let [input, kernel, output] = types.map(|ty| ty.shape().unwrap_or_default());
        let count = numbers.input_spatial_dimensions.len();
        let list = |name, count, default| {
            let list = ints_or(op, name, count, default)?;
            (list.len() == count).or_decline("an attribute has another length").map(|()| list)
        };
        let (strides, holes) = (list("window_strides", count, 1)?, list("lhs_dilation", count, 1)?);
        let (dilations, reversed) =
            (list("rhs_dilation", count, 1)?, list("window_reversal", count, 0)?);
        let padding = list("padding", 2 * count, 0)?;
        let axes = (0..count).map(|at| Axis {
            input: input[numbers.input_spatial_dimensions[at] as usize],
            taps: kernel[numbers.kernel_spatial_dimensions[at] as usize],
            output: output[numbers.output_spatial_dimensions[at] as usize],
            stride: strides[at],
            holes: holes[at],
            dilation: dilations[at],
            low: padding[2 * at],
            is_reversed: reversed[at] != 0,
        });
        let axes: Vec<_> = axes.collect();
        Ok(Self { op, builder, numbers, axes, kernel, result: op.result(0).ty() })
    }

    /// The taps of a part, as a slice of the kernel.
    fn kernel_part(&self, taps: &[Taps]) -> Outcome<Value<'c>> {
        let mut shape = self.kernel.clone();
        let (mut starts, mut limits, mut strides) =
            (vec![0; shape.len()], shape.clone(), vec![1; shape.len()]);
        let axes = self.axes.iter().zip(taps).zip(&self.numbers.kernel_spatial_dimensions);
        for ((axis, taps), dim) in axes {
            let dim = *dim as usize;
            [starts[dim], limits[dim]] = axis.slice(*taps);
            (strides[dim], shape[dim]) = (taps.step, taps.count);
        }
        let kernel = self.op.operand(1);
        if shape == self.kernel {
            return Ok(kernel);
        }
        // Such parts of a constant have no taps in common: together they are as large as it is.
        let are_apart = taps.iter().any(|taps| taps.step > 1);
        let copy = are_apart.then(|| self.bytes(&starts, &strides, &shape)).flatten();
        if let Some(bytes) = copy {
            let ty = tensor(&shape, kernel.ty().element());
            let value = dense_bytes(ty, &bytes).or_decline("the elements do not fit the type")?;
            return Ok(new_constant(&self.builder, ty, value));
        }
        Ok(self.builder.sliced(kernel, &starts, &limits, &strides))
    }

    /// A part of a kernel that is a constant.
    fn bytes(&self, starts: &[i64], strides: &[i64], shape: &[i64]) -> Option<Vec<u8>> {
        let kernel = self.op.operand(1);
        let value = constant(kernel).ok().filter(|value| value.splat_value().is_none())?;
        let (all, width) = (value.dense_bytes()?, kernel.ty().element().byte_width()? as usize);
        let mut places = vec![0];
        for dim in 0..shape.len() {
            let along = (0..shape[dim]).map(|at| starts[dim] + at * strides[dim]);
            let along: Vec<_> = along.collect();
            let size = self.kernel[dim];
            places = places
                .iter()
                .flat_map(|place| along.iter().map(move |at| place * size + at))
                .collect();
        }
        let element = |place: i64| all.get(place as usize * width..(place as usize + 1) * width);
        let elements: Option<Vec<_>> = places.into_iter().map(element).collect();
        elements.map(|elements| elements.concat())
    }

    /// Whether products of zero with the kernel's elements may be NaN.
    fn has_infinities(&self) -> bool {
        let kernel = self.op.operand(1);
        let Some(kind) = Kind::of(kernel.ty().element()) else { return true };
        if !kind.is_float() {
            return false;
        }
        let Ok(value) = constant(kernel) else { return true };
        if let Some(element) = value.splat_value() {
            return !element.as_f64().is_some_and(f64::is_finite);
        }
        let is_finite =
            |bytes: &[u8]| matches!(kind.read(bytes), Element::Float(value) if value.is_finite());
        !value.dense_bytes().is_some_and(|all| all.chunks_exact(kind.bytes()).all(is_finite))
    }

    /// The sums of products of taps with zero, one for each feature of the result: zero or NaN.
    fn products_with_zero(&self, taps: Value<'c>) -> Outcome<Value<'c>> {
        let (b, ty) = (&self.builder, taps.ty());
        let products = b.same(stablehlo::MULTIPLY, &[taps, b.zeros(ty)?]);
        let feature = self.numbers.kernel_output_feature_dimension as usize;
        let over: Vec<_> = (0..self.kernel.len()).filter(|dim| *dim != feature).collect();
        b.summed(products, &over)
    }

    /// The convolution of a part.
    fn convolved(&self, parts: &[Part], kernel: Value<'c>) -> Outcome<Value<'c>> {
        let b = &self.builder;
        let along = |of: fn(&Part) -> i64| {
            let all: Vec<_> = parts.iter().map(of).collect();
            i64s(b.context, &all)
        };
        let edges: Vec<_> = parts.iter().flat_map(|part| part.padding).collect();
        let edges = i64_pairs(b.context, &edges).or_decline("there is no such padding")?;
        let changed = ["window_strides", "padding", "lhs_dilation", "rhs_dilation"];
        let attrs: Vec<_> =
            self.op.attrs().into_iter().filter(|(name, _)| !changed.contains(name)).collect();
        let shape = self.part_shape(parts);
        Ok(b.op(stablehlo::CONVOLUTION)
            .operands(&[self.op.operand(0), kernel])
            .attrs(&attrs)
            .attr("window_strides", along(|part| part.stride))
            .attr("rhs_dilation", along(|part| part.dilation))
            .attr("padding", edges)
            .result(tensor(&shape, self.result.element()))
            .value())
    }

    /// The shape of a part's results.
    fn part_shape(&self, parts: &[Part]) -> Vec<i64> {
        let mut shape = self.result.shape().unwrap_or_default();
        for (part, dim) in parts.iter().zip(&self.numbers.output_spatial_dimensions) {
            shape[*dim as usize] = part.results;
        }
        shape
    }

    /// A part's results: the sums of its taps, if it has some, and of the products of the others with zero, of each feature.
    fn with_others(
        &self,
        shape: &[i64],
        sums: Option<Value<'c>>,
        others: Option<Value<'c>>,
    ) -> Outcome<Value<'c>> {
        let b = &self.builder;
        let others = others.map(|others| {
            let others = b.converted(others, self.result.element());
            b.broadcast_in_dim(others, shape, &[self.numbers.output_feature_dimension])
        });
        match (sums, others) {
            (Some(sums), Some(others)) => Ok(b.same(stablehlo::ADD, &[sums, others])),
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => b.zeros(tensor(shape, self.result.element())),
        }
    }

    /// Parts that follow each other along a dimension of the result.
    fn concatenated(&self, parts: &[Value<'c>], dim: usize, ty: Type<'c>) -> Value<'c> {
        let b = &self.builder;
        let dim = strata_ir::int(strata_ir::integer(b.context, 64), dim as i64);
        b.op(stablehlo::CONCATENATE).operands(parts).attr("dimension", dim).result(ty).value()
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    #[test]
    fn dilated_inputs_are_convolved_by_phases() {
        let body = "%k = stablehlo.constant dense<2.0> : tensor<3x32x32xf32>
            %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
                window = {pad = [[2, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
                : (tensor<1x64x32xf32>, tensor<3x32x32xf32>) -> tensor<1x128x32xf32>
            %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
                window = {pad = [[2, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
                : (tensor<1x64x32xf32>, tensor<3x32x32xf32>) -> tensor<1x129x32xf32>
            return %0, %1 : tensor<1x128x32xf32>, tensor<1x129x32xf32>";
        let types = "(%x: tensor<1x64x32xf32>, %y: tensor<3x32x32xf32>) -> \
                     (tensor<1x128x32xf32>, tensor<1x129x32xf32>)";
        insta::assert_snapshot!(simplified(types, body));
    }

    #[test]
    fn padding_of_dilated_convolutions_is_not_multiplied() {
        let body = "%0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
                window = {pad = [[60, 60]], rhs_dilate = [60]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
                : (tensor<1x100x64xf32>, tensor<3x64x64xf32>) -> tensor<1x100x64xf32>
            return %0 : tensor<1x100x64xf32>";
        let types = "(%x: tensor<1x100x64xf32>, %y: tensor<3x64x64xf32>) -> tensor<1x100x64xf32>";
        insta::assert_snapshot!(simplified(types, body));
    }
}
