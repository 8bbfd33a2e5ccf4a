//! Dots and convolutions of two quantized operands: exact sums of products of integers, rescaled once.
//!
//! ```text
//! sum (a - za) (b - zb)  =  sum a b - za sum b - zb sum a + n za zb         dot, of i8 into i32
//! result = (sum : f32) * (scale of a * scale of b)                          then quantized
//! ```

use strata_ir::{
    AttributeExt as _, Builder, ConvDimensionNumbers, DotDimensionNumbers, Op, OpKind,
    QuantizedType, Type, TypeExt as _, Value, dense_bytes, f32_type, f64_type, i64s, int, integer,
    stablehlo, tensor,
};
use strata_target::tuning::{lowering::MIN_LANE_DEPTH, simplification::MAX_SCALED_OPERATIONS};

use super::{
    Expansion,
    numbers::{along, centered, dequantized, rounded},
};
use crate::{
    emit::Emit as _,
    pattern::{constant, new_constant, new_splat},
    simplification::elements::{Element, Kind},
};

/// What an operation sums over.
pub(super) struct Sums {
    /// The dimensions of each operand that are summed over; of a convolution those of the kernel.
    pub(super) dims: [Vec<usize>; 2],
    /// The products in a sum, at most.
    pub(super) count: i128,
    /// The dimension of the result that each of the operand's other dimensions becomes.
    pub(super) kept: [Vec<Option<usize>>; 2],
}

impl Sums {
    pub(super) fn of(op: Op<'_>) -> Self {
        match op.kind() {
            OpKind::Convolution | OpKind::DynamicConv => Self::of_convolution(op),
            _ => Self::of_dot(op),
        }
    }

    fn of_dot(op: Op<'_>) -> Self {
        let shape = |index| op.operand(index).ty().shape().unwrap_or_default();
        let (lhs, rhs) = (shape(0), shape(1));
        let numbers =
            op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
        // `dot` contracts the last dimension with the first.
        let numbers = numbers.unwrap_or_else(|| DotDimensionNumbers {
            lhs_contracting_dimensions: vec![lhs.len() as i64 - 1],
            rhs_contracting_dimensions: vec![0],
            ..Default::default()
        });
        let places =
            |list: &[i64]| -> Vec<usize> { list.iter().map(|dim| *dim as usize).collect() };
        let batch =
            [places(&numbers.lhs_batching_dimensions), places(&numbers.rhs_batching_dimensions)];
        let dims = [
            places(&numbers.lhs_contracting_dimensions),
            places(&numbers.rhs_contracting_dimensions),
        ];
        let mut next = batch[0].len();
        let mut kept = [vec![None; lhs.len()], vec![None; rhs.len()]];
        for side in 0..2 {
            for dim in 0..kept[side].len() {
                if let Some(place) = batch[side].iter().position(|batch| *batch == dim) {
                    kept[side][dim] = Some(place);
                } else if !dims[side].contains(&dim) {
                    kept[side][dim] = Some(next);
                    next += 1;
                }
            }
        }
        let count = dims[1].iter().map(|dim| i128::from(rhs[*dim])).product();
        Self { dims, count, kept }
    }

    fn of_convolution(op: Op<'_>) -> Self {
        let kernel = op.operand(1).ty().shape().unwrap_or_default();
        let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
        let numbers = numbers.unwrap_or_default();
        let feature = numbers.kernel_output_feature_dimension as usize;
        let summed: Vec<_> = (0..kernel.len()).filter(|dim| *dim != feature).collect();
        let count = summed.iter().map(|dim| i128::from(kernel[*dim])).product();
        let mut kept = vec![None; kernel.len()];
        if let Some(place) = kept.get_mut(feature) {
            *place = Some(numbers.output_feature_dimension as usize);
        }
        Self { dims: [Vec::new(), summed], count, kept: [Vec::new(), kept] }
    }

    /// What the modulus of a sum does not exceed.
    pub(super) fn bound(&self, left: &QuantizedType<'_>, right: &QuantizedType<'_>) -> i128 {
        self.count * largest(left) * largest(right)
    }
}

/// The largest difference from a zero point that a stored integer of the type can have.
fn largest(ty: &QuantizedType<'_>) -> i128 {
    let bits = ty.storage.bit_width().unwrap_or(32);
    let (low, high) = match ty.storage.is_unsigned_int() {
        true => (0, (1_i128 << bits) - 1),
        false => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
    };
    let points = ty.zero_points.iter().map(|point| i128::from(*point));
    points.map(|point| (high - point).max(point - low)).max().unwrap_or(high - low)
}

impl<'c> Expansion<'c> {
    /// The result of a dot or convolution.
    pub(super) fn contracted(&self, op: Op<'c>, builder: &Builder<'c>) -> Value<'c> {
        let (lhs, rhs, result) = (op.operand(0), op.operand(1), op.result(0));
        let (Some(left), Some(right)) = (self.types.get(&lhs), self.types.get(&rhs)) else {
            // Weights only: the product is one of floats.
            let operands = [self.number(lhs, builder), self.number(rhs, builder)];
            let element = match self.types.get(&result) {
                Some(ty) => ty.expressed,
                None => result.ty().element(),
            };
            let product = self.product(op, builder, operands, element, false);
            return self.integer(product, result, builder);
        };
        let sums = Sums::of(op);
        let bound = sums.bound(left, right);
        let expressed = left.expressed;
        let is_double = expressed.bit_width() == Some(64);
        let rescaled = if bound <= i128::from(i64::MAX) {
            let bits = if bound <= i128::from(i32::MAX) { 32 } else { 64 };
            let sum = self.sum(op, builder, &sums, integer(self.context, bits));
            let wide = if is_double { f64_type(self.context) } else { f32_type(self.context) };
            let scale = rounded(self.context, expressed, left.scales[0]);
            let product = |other: &f64| {
                rounded(self.context, wide, scale * rounded(self.context, expressed, *other))
            };
            let scales: Vec<_> = right.scales.iter().map(product).collect();
            let axis = right.axis.and_then(|axis| *sums.kept[1].get(axis)?);
            let shape = result.ty().shape().unwrap_or_default();
            let scales = along(builder, &shape, wide, axis, &scales);
            builder.same(stablehlo::MULTIPLY, &[builder.converted(sum, wide), scales])
        } else {
            let wide = f64_type(self.context);
            let operands = [(lhs, left), (rhs, right)]
                .map(|(value, ty)| builder.converted(dequantized(builder, value, ty), wide));
            self.product(op, builder, operands, wide, true)
        };
        self.integer(builder.converted(rescaled, expressed), result, builder)
    }

    /// The operation itself on other operands, without attributes that choose an arithmetic of floats if it `is_exact`.
    fn product(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        operands: [Value<'c>; 2],
        element: Type<'c>,
        is_exact: bool,
    ) -> Value<'c> {
        let operands = [&operands[..], &op.operands()[2..]].concat();
        let mut attributes = op.attrs();
        attributes
            .retain(|(name, _)| !is_exact || !matches!(*name, "precision_config" | "algorithm"));
        builder
            .op(op.name())
            .operands(&operands)
            .attrs(&attributes)
            .result(op.result(0).ty().with_element(element))
            .value()
    }

    /// The sums of products of differences from zero points, as integers of type `wide`, which can hold them.
    pub(super) fn sum(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        sums: &Sums,
        wide: Type<'c>,
    ) -> Value<'c> {
        let operand = |index: usize| (op.operand(index), &self.types[&op.operand(index)]);
        let sides = [operand(0), operand(1)];
        let is_dot = matches!(op.kind(), OpKind::Dot | OpKind::DotGeneral);
        let is_small =
            sides.iter().all(|(_, ty)| ty.storage.bit_width().is_some_and(|bits| bits <= 8));
        let points = |ty: &QuantizedType<'c>| {
            let first = ty.zero_points.first().copied().unwrap_or(0) - offset(ty);
            ty.zero_points.iter().all(|point| point - offset(ty) == first).then_some(first)
        };
        let (Some(left), Some(right)) = (points(sides[0].1), points(sides[1].1)) else {
            return self.centered_sum(op, builder, sides, wide);
        };
        let has_border = op.kind() == OpKind::Convolution && has_byte_sums(op);
        if !is_small || !is_dot && (right != 0 || left != 0 && !has_border) {
            return self.centered_sum(op, builder, sides, wide);
        }
        // Bytes are multiplied as they are; sums wrap, and the result does not.
        let bytes = sides.map(|(value, ty)| self.bytes(builder, value, ty));
        let mut sum = if is_dot || left == 0 {
            self.product(op, builder, bytes, wide, true)
        } else if let Some(sum) = self.padded_product(op, builder, bytes, wide, left) {
            sum
        } else {
            return self.centered_sum(op, builder, sides, wide);
        };
        let correction = |side: usize, point: i64| {
            (point != 0).then(|| {
                let sum = self.summed(builder, bytes[side], &sums.dims[side], wide);
                let factor = new_splat(builder, sum.ty(), int(wide, point));
                let scaled = builder.same(stablehlo::MULTIPLY, &[sum, factor]);
                let dims: Vec<_> =
                    sums.kept[side].iter().flatten().map(|dim| *dim as i64).collect();
                let shape = op.result(0).ty().shape().unwrap_or_default();
                builder.broadcast_in_dim(scaled, &shape, &dims)
            })
        };
        for part in [correction(1, left), correction(0, right)].into_iter().flatten() {
            sum = builder.same(stablehlo::SUBTRACT, &[sum, part]);
        }
        if left != 0 && right != 0 {
            let constant = sums.count * i128::from(left) * i128::from(right);
            // Where sums wrap, so does this.
            let constant = match wide.bit_width() {
                Some(32) => i64::from(constant as i32),
                _ => constant as i64,
            };
            let constant = new_splat(builder, sum.ty(), int(wide, constant));
            sum = builder.same(stablehlo::ADD, &[sum, constant]);
        }
        sum
    }

    /// The convolution of bytes of which `point` stands for zero: with a border of these in place of zeros.
    fn padded_product(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        [input, kernel]: [Value<'c>; 2],
        wide: Type<'c>,
        point: i64,
    ) -> Option<Value<'c>> {
        let numbers =
            op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute)?;
        let list = |name| op.attr(name).and_then(|list| list.as_i64s());
        let (padding, dilation) = (list("padding"), list("lhs_dilation"));
        let mut shape = input.ty().shape()?;
        let mut edges = [(); 3].map(|()| vec![0; shape.len()]);
        for (at, dim) in numbers.input_spatial_dimensions.iter().enumerate() {
            let dim = usize::try_from(*dim).ok()?;
            if let Some(padding) = &padding {
                (edges[0][dim], edges[1][dim]) = (*padding.get(2 * at)?, *padding.get(2 * at + 1)?);
            }
            if let Some(dilation) = &dilation {
                edges[2][dim] = dilation.get(at)? - 1;
            }
            let between = (shape[dim] - 1).max(0) * edges[2][dim];
            shape[dim] += between + edges[0][dim] + edges[1][dim];
            (shape[dim] >= 0).then_some(())?;
        }
        let mut padded = input;
        if edges.iter().flatten().any(|count| *count != 0) {
            let byte = input.ty().element();
            let [low, high, inner] = edges.map(|list| i64s(self.context, &list));
            padded = builder
                .op(stablehlo::PAD)
                .operands(&[input, builder.int_constant(tensor(&[], byte), point)])
                .attr("edge_padding_low", low)
                .attr("edge_padding_high", high)
                .attr("interior_padding", inner)
                .result(tensor(&shape, byte))
                .value();
        }
        let dropped = ["precision_config", "padding", "lhs_dilation"];
        let mut attributes = op.attrs();
        attributes.retain(|(name, _)| !dropped.contains(name));
        let product = builder.op(op.name()).operands(&[padded, kernel]).attrs(&attributes);
        Some(product.result(op.result(0).ty().with_element(wide)).value())
    }

    /// The sums from wide differences.
    fn centered_sum(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        sides: [(Value<'c>, &QuantizedType<'c>); 2],
        wide: Type<'c>,
    ) -> Value<'c> {
        let operands = sides.map(|(value, ty)| centered(builder, value, ty, wide));
        self.product(op, builder, operands, wide, true)
    }

    /// Stored integers of at most 8 bits less [`offset`], as signed bytes.
    pub(super) fn bytes(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        ty: &QuantizedType<'c>,
    ) -> Value<'c> {
        let byte = integer(self.context, 8);
        if !ty.storage.is_unsigned_int() || ty.storage.bit_width() != Some(8) {
            return builder.converted(value, byte);
        }
        // Less 128 is the same as with the highest bit flipped.
        let bits = builder
            .op(stablehlo::BITCAST_CONVERT)
            .operand(value)
            .result(value.ty().with_element(byte))
            .value();
        let highest = new_splat(builder, bits.ty(), int(byte, -128));
        builder.same(stablehlo::XOR, &[bits, highest])
    }

    /// The sum along dimensions of bytes that are a constant: weights are not summed in each call.
    fn known_sums(
        &self,
        builder: &Builder<'c>,
        bytes: Value<'c>,
        dims: &[usize],
        wide: Type<'c>,
    ) -> Option<Value<'c>> {
        let shape = bytes.ty().shape()?;
        let (kind, elements, strides) = known(bytes, MAX_SCALED_OPERATIONS)?;
        let kept: Vec<_> = (0..shape.len()).filter(|dim| !dims.contains(dim)).collect();
        let sizes: Vec<_> = kept.iter().map(|dim| shape[*dim]).collect();
        let mut sums = vec![0_i64; usize::try_from(sizes.iter().product::<i64>()).ok()?];
        let mut index = vec![0; shape.len()];
        for position in 0..elements.len() / kind.bytes() {
            let (mut rest, mut from) = (position, 0);
            for (dim, size) in shape.iter().enumerate().rev() {
                index[dim] = rest % *size as usize;
                rest /= *size as usize;
                from += index[dim] * strides[dim];
            }
            let place =
                kept.iter().fold(0, |place, dim| place * shape[*dim] as usize + index[*dim]);
            let from = from * kind.bytes();
            let Element::Int(value) = kind.read(elements.get(from..from + kind.bytes())?) else {
                return None;
            };
            *sums.get_mut(place)? += i64::try_from(value).ok()?;
        }
        let width = usize::try_from(wide.byte_width()?).ok()?;
        let encoded: Vec<u8> =
            sums.iter().flat_map(|sum| sum.to_le_bytes()[..width].to_vec()).collect();
        let ty = tensor(&sizes, wide);
        Some(new_constant(builder, ty, dense_bytes(ty, &encoded)?))
    }

    /// The sums of the right operand of a dot that sums over `sums`, of signed integers with the zero point 0.
    pub(super) fn sums_of_weights(
        &self,
        builder: &Builder<'c>,
        weights: Value<'c>,
        sums: &Sums,
        wide: Type<'c>,
    ) -> Value<'c> {
        let bytes = self.bytes(builder, weights, &self.types[&weights]);
        self.summed(builder, bytes, &sums.dims[1], wide)
    }

    /// The sum of bytes along dimensions.
    fn summed(
        &self,
        builder: &Builder<'c>,
        bytes: Value<'c>,
        dims: &[usize],
        wide: Type<'c>,
    ) -> Value<'c> {
        if let Some(sums) = self.known_sums(builder, bytes, dims, wide) {
            return sums;
        }
        let numbers = builder.converted(bytes, wide);
        let scalar = tensor(&[], wide);
        let zero = builder.int_constant(scalar, 0);
        let shape = bytes.ty().shape().unwrap_or_default();
        let kept = shape.iter().enumerate().filter(|(dim, _)| !dims.contains(dim));
        let kept: Vec<_> = kept.map(|(_, size)| *size).collect();
        let dims: Vec<_> = dims.iter().map(|dim| *dim as i64).collect();
        let body = builder.region(&[scalar, scalar], |inner, arguments| {
            let sum = inner.same(stablehlo::ADD, arguments);
            inner.returned(&[sum]);
        });
        builder
            .op(stablehlo::REDUCE)
            .operands(&[numbers, zero])
            .attr("dimensions", i64s(self.context, &dims))
            .result(tensor(&kept, wide))
            .region(body)
            .value()
    }
}

/// Whether a convolution sums products of several neighbouring features, or keeps features apart: others are slower on bytes than on
/// wide differences. Measured on a Xeon with AMX and with its AVX2: of 3 features in 32, 0.23 and 0.27 ms; of 64 in 4 groups 0.47 and 0.70.
pub(super) fn has_byte_sums(op: Op<'_>) -> bool {
    let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
    let kernel = op.operand(1).ty().shape().unwrap_or_default();
    let count = |numbers: ConvDimensionNumbers| {
        kernel.get(usize::try_from(numbers.kernel_input_feature_dimension).ok()?).copied()
    };
    let groups = |name| op.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
    let (features, batches) = (groups("feature_group_count"), groups("batch_group_count"));
    match numbers.and_then(count) {
        Some(1) => batches == 1 && features > 1,
        Some(count) => batches == 1 && features == 1 && count >= MIN_LANE_DEPTH,
        None => false,
    }
}

/// What a constant holds that was perhaps reshaped, widened and transposed, and for each dimension the distance to the next element.
pub(super) fn known(value: Value<'_>, steps: usize) -> Option<(Kind, Vec<u8>, Vec<usize>)> {
    let steps = steps.checked_sub(1)?;
    let op = value.owner()?;
    match op.kind() {
        OpKind::Transpose => {
            let (kind, elements, strides) = known(op.operand(0), steps)?;
            let dims = op.attr("permutation")?.as_i64s()?;
            let stride = |dim: &i64| strides.get(usize::try_from(*dim).ok()?).copied();
            Some((kind, elements, dims.iter().map(stride).collect::<Option<_>>()?))
        }
        OpKind::Convert => {
            let width = |value: Value<'_>| value.ty().element().bit_width();
            let from = op.operand(0);
            let is_wider = from.ty().element().is_int() && width(from) < width(value);
            is_wider.then(|| known(from, steps))?
        }
        OpKind::Reshape => {
            let (kind, elements, strides) = known(op.operand(0), steps)?;
            let is_plain = strides == row_major(&op.operand(0).ty().shape()?);
            is_plain.then_some((kind, elements, row_major(&value.ty().shape()?)))
        }
        _ => {
            let elements = constant(value).ok()?.raw_elements()?;
            Some((Kind::of(value.ty().element())?, elements, row_major(&value.ty().shape()?)))
        }
    }
}

pub(super) fn row_major(shape: &[i64]) -> Vec<usize> {
    (0..shape.len()).map(|dim| shape[dim + 1..].iter().product::<i64>() as usize).collect()
}

/// What is taken from stored integers so that they are signed bytes.
pub(super) fn offset(ty: &QuantizedType<'_>) -> i64 {
    if ty.storage.is_unsigned_int() && ty.storage.bit_width() == Some(8) { 128 } else { 0 }
}
