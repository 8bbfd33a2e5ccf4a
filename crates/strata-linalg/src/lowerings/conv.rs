//! `convolution` of any layout, grouping, stride, dilation and padding.
//!
//! Padding and input dilation are made explicit ([`crate::lowerings::shape::pad`]), a reversed window is a reversed
//! kernel. Features come last, the layout for vectorisation and of MLIR's named operations:
//!
//! ```text
//! %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], …
//!        : (tensor<2x3x5x5xf32>, tensor<3x3x3x4xf32>) -> tensor<2x3x3x4xf32>
//! ```
//! becomes
//! ```text
//! %1 = linalg.transpose ins(%0) outs(…) permutation = [0, 2, 3, 1]
//! %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1>, strides = dense<1>} ins(%1, %k) outs(zeros)
//! ```
//! Where that pays, stage `hlo` has brought features last in the whole program, and nothing is transposed here.
//!
//! All others become a `linalg.generic` over output dimensions, window and input features, in which
//! a grouped dimension is split in two.

mod phases;

use strata_ir::{
    AffineExpr, Builder, Op, OpKind, OpName, TypeExt as _, Value, bounded_entry, linalg,
    linalg::IteratorType, tensor,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::{
    Target,
    tuning::lowering::{
        MIN_CONV_FEATURES, MIN_CONV_PLACES, MIN_CONV_WORK, MIN_LANE_DEPTH, MIN_LANE_USES,
    },
};

use crate::{
    dims::{ConvOperand, conv_dims, ints_or, number, padding, shape},
    generic::{Indexed, generic},
    lowerings::{
        dot::{Types, declined, lanes},
        shape::{
            pad::{dilated, pad, window_edges},
            reshape::reshape,
            reverse::reverse,
            transpose, transpose_rows,
        },
    },
};

/// The lowering of `convolution`.
pub struct Convolution;

impl Lowering for Convolution {
    fn name(&self) -> &'static str {
        "convolution"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Convolution]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let (builder, target) = (lowerer.builder(), lowerer.target());
        let window = Window::of(op)?;
        let types = Types::of(&builder, op)?;
        // A dilated kernel may be larger than the padded input, which MLIR's operations do not support.
        if window.sizes.contains(&0) {
            let zero = builder.number(op.result(0).ty().element().signless(), 0.0);
            return Ok(vec![builder.filled(zero, &window.sizes)]);
        }
        let input = window.padded_input(&builder, operands[0], operands[1])?;
        let kernel = window.forward_kernel(&builder, operands[1])?;
        let result = op.result(0);
        if let Some(sums) = window.by_lanes(&builder, [input, kernel], &types, target)? {
            return Ok(vec![types.rounded(&builder, sums, result.ty())?]);
        }
        declined::mixed(&builder, op);
        let sums = match window.named(&shape(input)?, &shape(kernel)?) {
            Some(_) if types.are_plain() && window.has_one_feature(op, &shape(kernel)?) => {
                window.of_one_feature(&builder, [input, kernel], &types)?
            }
            Some(name) if types.are_plain() => {
                window.features_last(&builder, name, [input, kernel], &types, target)?
            }
            _ if types.are_plain() && window.gains_from_features_last(&shape(kernel)?) => {
                window.groups_last(&builder, [input, kernel], &types, target)?
            }
            _ => window.nest(&builder, [input, kernel], &types)?,
        };
        Ok(vec![types.rounded(&builder, sums, result.ty())?])
    }
}

/// The parameters of a convolution.
#[derive(Clone)]
struct Window {
    input: ConvOperand,
    kernel: ConvOperand,
    output: ConvOperand,
    /// The result's shape.
    sizes: Vec<i64>,
    strides: Vec<i64>,
    input_dilation: Vec<i64>,
    dilation: Vec<i64>,
    padding: Vec<(i64, i64)>,
    reversed: Vec<i64>,
    feature_groups: i64,
    batch_groups: i64,
}

impl Window {
    fn of(op: Op<'_>) -> Outcome<Self> {
        let [input, kernel, output] = conv_dims(op)?;
        let rank = input.spatial.len();
        Ok(Self {
            strides: ints_or(op, "window_strides", rank, 1),
            input_dilation: ints_or(op, "lhs_dilation", rank, 1),
            dilation: ints_or(op, "rhs_dilation", rank, 1),
            padding: padding(op, rank),
            reversed: ints_or(op, "window_reversal", rank, 0),
            feature_groups: number(op, "feature_group_count")?,
            batch_groups: number(op, "batch_group_count")?,
            sizes: shape(op.result(0))?,
            input,
            kernel,
            output,
        })
    }

    fn padded_input<'c>(
        &self,
        builder: &Builder<'c>,
        input: Value<'c>,
        kernel: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let (from, taps) = (shape(input)?, shape(kernel)?);
        let (mut edges, mut interior) = (vec![(0, 0); from.len()], vec![0; from.len()]);
        for (index, dim) in self.input.spatial.iter().enumerate() {
            let size = dilated(from[*dim], self.input_dilation[index]);
            let positions = self.sizes[self.output.spatial[index]];
            let window = taps[self.kernel.spatial[index]];
            edges[*dim] =
                window_edges(size, self.padding[index], positions, window, self.dilation[index]);
            interior[*dim] = self.input_dilation[index] - 1;
        }
        let zero = builder.number(input.ty().element(), 0.0);
        pad(builder, input, zero, &edges, &interior)
    }

    fn forward_kernel<'c>(&self, builder: &Builder<'c>, kernel: Value<'c>) -> Outcome<Value<'c>> {
        let spatial = self.kernel.spatial.iter().zip(&self.reversed);
        let reversed: Vec<_> = spatial
            .filter(|(_, reversed)| (**reversed != 0) != strata_ir::planted("linalg-conv-reversal"))
            .map(|(dim, _)| *dim)
            .collect();
        if reversed.is_empty() { Ok(kernel) } else { reverse(builder, kernel, &reversed) }
    }

    /// MLIR's named operation, for operands of these shapes whose features come last.
    fn named(&self, input: &[i64], kernel: &[i64]) -> Option<OpName<'static>> {
        let rank = self.input.spatial.len();
        if self.batch_groups != 1 {
            return None;
        }
        if self.feature_groups == 1 {
            return match rank {
                1 => Some(linalg::CONV_1D_NWC_WCF),
                2 => Some(linalg::CONV_2D_NHWC_HWCF),
                3 => Some(linalg::CONV_3D_NDHWC_DHWCF),
                _ => None,
            };
        }
        let channels = input[self.input.second];
        let is_depthwise =
            self.feature_groups == channels && kernel[self.kernel.second] == channels;
        match (rank, is_depthwise) {
            (1, true) => Some(linalg::DEPTHWISE_CONV_1D_NWC_WC),
            (2, true) => Some(linalg::DEPTHWISE_CONV_2D_NHWC_HWC),
            _ => None,
        }
    }

    /// The permutations to features last.
    fn permutations(&self) -> Permutations {
        let batch_first = |operand: &ConvOperand| {
            [&[operand.first], &operand.spatial[..], &[operand.second]].concat()
        };
        let positions = batch_first(&self.output);
        let mut back = vec![0; positions.len()];
        for (from, to) in positions.iter().enumerate() {
            back[*to] = from;
        }
        Permutations {
            input: batch_first(&self.input),
            kernel: [&self.kernel.spatial[..], &[self.kernel.first, self.kernel.second]].concat(),
            sizes: positions.iter().map(|dim| self.sizes[*dim]).collect(),
            back,
        }
    }

    /// The named operation between transpositions to and from its layout.
    fn features_last<'c>(
        &self,
        builder: &Builder<'c>,
        name: OpName<'static>,
        [input, kernel]: [Value<'c>; 2],
        types: &Types<'c>,
        target: &Target,
    ) -> Outcome<Value<'c>> {
        let permutations = self.permutations();
        let input = transpose(builder, input, &permutations.input)?;
        let mut kernel = transpose_rows(builder, kernel, &permutations.kernel, target)?;
        if self.feature_groups > 1 {
            // A depthwise kernel has one input feature, which its operation does not have.
            let mut sizes = shape(kernel)?;
            sizes.remove(self.kernel.spatial.len());
            kernel = reshape(builder, kernel, &sizes)?;
        }
        let sums = self.named_op(builder, name, input, kernel, &permutations.sizes, types)?;
        transpose(builder, sums, &permutations.back)
    }

    /// Whether a grouped convolution of another layout is worth the transpositions: vectors are features of one
    /// group.
    fn gains_from_features_last(&self, kernel: &[i64]) -> bool {
        let features = kernel[self.kernel.second] / self.feature_groups.max(1);
        let positions: i64 = self.output.spatial.iter().map(|dim| self.sizes[*dim]).product();
        let products = positions.saturating_mul(kernel.iter().product());
        let rank = self.input.spatial.len();
        let is_last = self.input.second == rank + 1
            && self.kernel.second == rank + 1
            && self.output.second == rank + 1;
        self.feature_groups > 1
            && !is_last
            && features >= MIN_CONV_FEATURES
            && products >= MIN_CONV_WORK
    }

    /// The loops between transpositions to and from the layout whose features come last.
    fn groups_last<'c>(
        &self,
        builder: &Builder<'c>,
        [input, kernel]: [Value<'c>; 2],
        types: &Types<'c>,
        target: &Target,
    ) -> Outcome<Value<'c>> {
        let permutations = self.permutations();
        let input = transpose(builder, input, &permutations.input)?;
        let kernel = transpose_rows(builder, kernel, &permutations.kernel, target)?;
        let sums = self.normalised(&permutations).nest(builder, [input, kernel], types)?;
        transpose(builder, sums, &permutations.back)
    }

    /// Narrow elements by the machine's instruction for their dots ([`lanes`]), along the input's features. The input is
    /// shifted where one operand must be: the excess is the same at all positions.
    fn by_lanes<'c>(
        &self,
        builder: &Builder<'c>,
        [input, kernel]: [Value<'c>; 2],
        types: &Types<'c>,
        target: &Target,
    ) -> Outcome<Option<Value<'c>>> {
        let swapped = types.swapped();
        let Some(way) = lanes::way(&swapped, target) else {
            return Ok(declined::of_types(builder, types, target));
        };
        let taps = shape(kernel)?;
        let positions: i64 = self.output.spatial.iter().map(|dim| self.sizes[*dim]).product();
        let in_tiles = self.has_tiles(&taps, way.lanes, target);
        if self.feature_groups != 1 || self.batch_groups != 1 {
            return Ok(declined::lanes(builder, declined::GROUPS));
        }
        if taps[self.kernel.first] < MIN_LANE_DEPTH
            || taps[self.kernel.second] < MIN_LANE_USES
            || self.sizes[self.output.first] * positions < MIN_LANE_USES
        {
            return Ok(declined::lanes(builder, declined::FEW));
        }
        if !way.is_fast(target) && !in_tiles {
            return Ok(declined::lanes(builder, declined::NO_FASTER));
        }
        let rank = self.input.spatial.len();
        let permutations = self.permutations();
        let input = transpose(builder, input, &permutations.input)?;
        let kernel = transpose(builder, kernel, &permutations.kernel)?;
        let [of_kernel, of_input] = way.lanes;
        let of_lanes = types.of_lanes([of_input, of_kernel]);
        let window = self.normalised(&permutations);
        let nest = || {
            let mut sums = None;
            for phase in window.phases(&shape(kernel)?, in_tiles) {
                let [input, kernel] = phase.of(builder, [input, kernel])?;
                let input = lanes::packed(builder, input, rank + 1, (types.lhs, of_input))?;
                let kernel = lanes::packed(builder, kernel, rank, (types.rhs, of_kernel))?;
                let part = phase.window.nest(builder, [input, kernel], &of_lanes)?;
                sums = Some(match sums {
                    Some(sums) => lanes::added(builder, sums, part)?,
                    None => part,
                });
            }
            sums.or_decline("it has no taps")
        };
        let sums = match way.shift {
            0 => nest()?,
            shift => {
                // Features of the result first, then what is summed.
                let dims: Vec<_> = (1..=rank + 1).chain([0]).collect();
                let kernel = Indexed::by(kernel, rank + 2, &dims);
                let excess = lanes::sums_of(builder, kernel, 1, types.rhs)?;
                lanes::corrected(builder, nest()?, excess, &[rank + 1], shift)?
            }
        };
        transpose(builder, sums, &permutations.back).map(Some)
    }

    /// The same convolution in the layout whose features come last.
    fn normalised(&self, permutations: &Permutations) -> Self {
        let rank = self.input.spatial.len();
        let last = ConvOperand { first: 0, second: rank + 1, spatial: (1..=rank).collect() };
        Self {
            input: last.clone(),
            kernel: ConvOperand { first: rank, second: rank + 1, spatial: (0..rank).collect() },
            output: last,
            sizes: permutations.sizes.clone(),
            strides: self.strides.clone(),
            input_dilation: self.input_dilation.clone(),
            dilation: self.dilation.clone(),
            padding: self.padding.clone(),
            reversed: self.reversed.clone(),
            feature_groups: self.feature_groups,
            batch_groups: self.batch_groups,
        }
    }

    fn named_op<'c>(
        &self,
        builder: &Builder<'c>,
        name: OpName<'static>,
        input: Value<'c>,
        kernel: Value<'c>,
        sizes: &[i64],
        types: &Types<'c>,
    ) -> Outcome<Value<'c>> {
        let output = types.zeros(builder, sizes);
        let operands = [input, kernel, output];
        let mut outcome = Ok(());
        let elements = operands.map(|value| value.ty().element());
        let region =
            builder.region(&elements, |inner, args| match types.multiply_add(inner, args) {
                Ok(sum) => {
                    linalg::yield_(inner, &[sum]).build();
                }
                Err(declined) => outcome = Err(declined),
            });
        outcome?;
        Ok(builder
            .structured(name, &[input, kernel], &[output], region)
            .attr("strides", window_attr(builder, &self.strides)?)
            .attr("dilations", window_attr(builder, &self.dilation)?)
            .value())
    }

    /// Whether the input and the result have one feature, and vectors are places beside each other instead.
    fn has_one_feature(&self, op: Op<'_>, kernel: &[i64]) -> bool {
        let last = self.output.spatial.iter().enumerate().max_by_key(|(_, dim)| **dim);
        let Some((space, dim)) = last else { return false };
        let before = |operand: &ConvOperand| {
            operand.spatial.iter().all(|one| *one <= operand.spatial[space])
        };
        kernel[self.kernel.first] == 1
            && kernel[self.kernel.second] == 1
            && self.feature_groups == 1
            && self.batch_groups == 1
            && self.strides[space] == 1
            && self.sizes[*dim] >= MIN_CONV_PLACES
            && self.output.first < *dim
            && self.input.first < self.input.spatial[space]
            && before(&self.input)
            && bounded_entry(op).is_none()
    }

    /// Loops: batch and output space in the result's order; window.
    fn of_one_feature<'c>(
        &self,
        builder: &Builder<'c>,
        [input, kernel]: [Value<'c>; 2],
        types: &Types<'c>,
    ) -> Outcome<Value<'c>> {
        let rank = self.input.spatial.len();
        let (taps, loops) = (rank + 1, 2 * rank + 1);
        let d = AffineExpr::dim;
        // The loop over a dimension of the result, which its feature is none of.
        let at = |dim: usize| dim - usize::from(dim > self.output.second);
        let without = |sizes: &[i64], features: &[usize]| {
            let kept = sizes.iter().enumerate().filter(|(dim, _)| !features.contains(dim));
            kept.map(|(_, size)| *size).collect::<Vec<_>>()
        };
        let mut lhs = vec![d(at(self.output.first)); shape(input)?.len()];
        let mut rhs = vec![d(0); lhs.len()];
        for space in 0..rank {
            let from = d(at(self.output.spatial[space])) * self.strides[space];
            lhs[self.input.spatial[space]] = from + d(taps + space) * self.dilation[space];
            rhs[self.kernel.spatial[space]] = d(taps + space);
        }
        lhs.remove(self.input.second);
        let mut features = [self.kernel.first, self.kernel.second];
        features.sort_unstable();
        features.into_iter().rev().for_each(|dim| drop(rhs.remove(dim)));
        let sizes = without(&self.sizes, &[self.output.second]);
        let input = reshape(builder, input, &without(&shape(input)?, &[self.input.second]))?;
        let kernel = reshape(builder, kernel, &without(&shape(kernel)?, &features))?;
        let output =
            Indexed::by(types.zeros(builder, &sizes), loops, &(0..taps).collect::<Vec<_>>());
        let inputs = [Indexed::at(input, loops, lhs), Indexed::at(kernel, loops, rhs)];
        let mut kinds = vec![IteratorType::Parallel; taps];
        kinds.resize(loops, IteratorType::Reduction);
        let sums = generic(builder, &inputs, &[output], &kinds, |inner, args| {
            Ok(vec![types.multiply_add(inner, args)?])
        })?;
        reshape(builder, sums[0], &self.sizes)
    }

    /// Loops: batch, output space, group, output feature; window, input feature.
    fn nest<'c>(
        &self,
        builder: &Builder<'c>,
        [input, kernel]: [Value<'c>; 2],
        types: &Types<'c>,
    ) -> Outcome<Value<'c>> {
        let rank = self.input.spatial.len();
        let groups = self.feature_groups.max(self.batch_groups);
        let d = AffineExpr::dim;
        let (batch, group, feature) = (0, rank + 1, rank + 2);
        let (window, input_feature) = (rank + 3, 2 * rank + 3);
        let loops = 2 * rank + 4;

        let mut lhs = Split::of(shape(input)?);
        lhs.set(self.input.first, d(batch));
        lhs.set(self.input.second, d(input_feature));
        for (index, dim) in self.input.spatial.iter().enumerate() {
            let (stride, dilation) = (self.strides[index], self.dilation[index]);
            let (at, tap) = (1 + index, window + index);
            lhs.set(*dim, d(at) * stride + d(tap) * dilation);
        }
        if self.feature_groups > 1 {
            lhs.split(self.input.second, groups, d(group));
        } else if self.batch_groups > 1 {
            lhs.split(self.input.first, groups, d(group));
        }

        let mut rhs = Split::of(shape(kernel)?);
        rhs.set(self.kernel.first, d(input_feature));
        rhs.set(self.kernel.second, d(feature));
        for (index, dim) in self.kernel.spatial.iter().enumerate() {
            rhs.set(*dim, d(window + index));
        }
        rhs.split(self.kernel.second, groups, d(group));

        let mut out = Split::of(self.sizes.clone());
        out.set(self.output.first, d(batch));
        out.set(self.output.second, d(feature));
        for (index, dim) in self.output.spatial.iter().enumerate() {
            out.set(*dim, d(1 + index));
        }
        out.split(self.output.second, groups, d(group));

        let zeros = types.zeros(builder, &out.sizes());
        let inputs = [lhs.indexed(builder, input, loops)?, rhs.indexed(builder, kernel, loops)?];
        let output = out.indexed(builder, zeros, loops)?;
        let mut kinds = vec![IteratorType::Parallel; window];
        kinds.resize(loops, IteratorType::Reduction);
        let sums = generic(builder, &inputs, &[output], &kinds, |inner, args| {
            Ok(vec![types.multiply_add(inner, args)?])
        })?;
        reshape(builder, sums[0], &self.sizes)
    }
}

/// Permutations to the layout whose features come last.
struct Permutations {
    input: Vec<usize>,
    kernel: Vec<usize>,
    /// The result's sizes there.
    sizes: Vec<i64>,
    /// The permutation back to the result.
    back: Vec<usize>,
}

/// A dense attribute of one number per spatial dimension, for the named operations.
pub fn window_attr<'c>(builder: &Builder<'c>, values: &[i64]) -> Outcome<strata_ir::Attribute<'c>> {
    let ty = tensor(&[values.len() as i64], strata_ir::integer(builder.context, 64));
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    strata_ir::dense_bytes(ty, &bytes).or_decline("there is no such window")
}

/// The dimensions of an operand: sizes and index expressions, some split into groups and the rest.
struct Split(Vec<Vec<(i64, AffineExpr)>>);

impl Split {
    fn of(sizes: Vec<i64>) -> Self {
        Self(sizes.into_iter().map(|size| vec![(size, AffineExpr::Constant(0))]).collect())
    }

    fn set(&mut self, dim: usize, expr: AffineExpr) {
        if let Some((_, slot)) = self.0[dim].last_mut() {
            *slot = expr;
        }
    }

    /// Splits a dimension into `groups` outer parts, indexed by `expr`; even a single group gets a new dimension of
    /// size 1, so that every loop has an extent.
    fn split(&mut self, dim: usize, groups: i64, expr: AffineExpr) {
        if let Some((size, _)) = self.0[dim].last_mut() {
            *size /= groups.max(1);
        }
        self.0[dim].insert(0, (groups, expr));
    }

    fn sizes(&self) -> Vec<i64> {
        self.0.iter().flatten().map(|(size, _)| *size).collect()
    }

    fn indexed<'c>(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        loops: usize,
    ) -> Outcome<Indexed<'c>> {
        let exprs: Vec<_> = self.0.iter().flatten().map(|(_, expr)| expr.clone()).collect();
        let value = reshape(builder, value, &self.sizes())?;
        Ok(Indexed::at(value, loops, exprs))
    }
}
