//! `convolution` of any layout, grouping, stride, dilation and padding.
//!
//! Padding and input dilation are made explicit ([`crate::pad`]), a reversed window is a reversed
//! kernel. Layouts that MLIR has a named operation for use it:
//!
//! ```text
//! %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], …
//!        : (tensor<2x5x5x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x3x3x4xf32>
//! ```
//! becomes
//! ```text
//! %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1>, strides = dense<1>} ins(%0, %1) outs(zeros)
//! ```
//!
//! All others become a `linalg.generic` over output dimensions, window and input features, in which
//! a grouped dimension is split in two.

use strata_ir::{Builder, Op, OpKind, TypeExt as _, Value, i32s};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::{
    dims::{ConvOperand, conv_dims, ints_or, number, padding, shape},
    dot::Types,
    emit::Emit as _,
    generic::{Indexed, Loop, generic},
    pad::{dilated, pad, window_edges},
    reshape::reshape,
    shape::reverse,
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
        let builder = lowerer.builder();
        let window = Window::of(op)?;
        let types = Types::of(&builder, op)?;
        let sizes = shape(op.result(0))?;
        let input = window.padded_input(&builder, operands[0], operands[1], &sizes)?;
        let kernel = window.forward_kernel(&builder, operands[1])?;
        let result = op.result(0);
        let sums = match window.named(input, kernel) {
            Some((name, kernel_shape)) if types.are_plain() => {
                let kernel = reshape(&builder, kernel, &kernel_shape)?;
                window.named_op(&builder, name, input, kernel, &shape(result)?, &types)?
            }
            _ => window.nest(&builder, input, kernel, &shape(result)?, &types)?,
        };
        Ok(vec![types.rounded(&builder, sums, result.ty())?])
    }
}

/// Everything about a convolution but its operands.
struct Window {
    input: ConvOperand,
    kernel: ConvOperand,
    output: ConvOperand,
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
        result: &[i64],
    ) -> Outcome<Value<'c>> {
        let (from, taps) = (shape(input)?, shape(kernel)?);
        let (mut edges, mut interior) = (vec![(0, 0); from.len()], vec![0; from.len()]);
        for (index, dim) in self.input.spatial.iter().enumerate() {
            let size = dilated(from[*dim], self.input_dilation[index]);
            let places = result[self.output.spatial[index]];
            let window = taps[self.kernel.spatial[index]];
            edges[*dim] =
                window_edges(size, self.padding[index], places, window, self.dilation[index]);
            interior[*dim] = self.input_dilation[index] - 1;
        }
        let zero = builder.number(input.ty().element(), 0.0);
        pad(builder, input, zero, &edges, &interior)
    }

    fn forward_kernel<'c>(&self, builder: &Builder<'c>, kernel: Value<'c>) -> Outcome<Value<'c>> {
        let spatial = self.kernel.spatial.iter().zip(&self.reversed);
        let reversed: Vec<_> =
            spatial.filter(|(_, reversed)| **reversed != 0).map(|(dim, _)| *dim).collect();
        if reversed.is_empty() { Ok(kernel) } else { reverse(builder, kernel, &reversed) }
    }

    /// MLIR's named operation for the layout, and the shape that it wants the kernel in.
    fn named(&self, input: Value<'_>, kernel: Value<'_>) -> Option<(&'static str, Vec<i64>)> {
        let rank = self.input.spatial.len();
        let at = |operand: &ConvOperand, first: usize, second: usize, spatial: usize| {
            operand.first == first
                && operand.second == second
                && operand.spatial == (spatial..spatial + rank).collect::<Vec<_>>()
        };
        let last = rank + 1;
        let channels_last = at(&self.input, 0, last, 1)
            && at(&self.output, 0, last, 1)
            && at(&self.kernel, rank, last, 0);
        let channels_first =
            at(&self.input, 0, 1, 2) && at(&self.output, 0, 1, 2) && at(&self.kernel, 1, 0, 2);
        let sizes = kernel.ty().shape()?;
        if self.batch_groups != 1 {
            return None;
        }
        if self.feature_groups == 1 {
            let name = match (rank, channels_last, channels_first) {
                (1, true, _) => "linalg.conv_1d_nwc_wcf",
                (2, true, _) => "linalg.conv_2d_nhwc_hwcf",
                (3, true, _) => "linalg.conv_3d_ndhwc_dhwcf",
                (1, _, true) => "linalg.conv_1d_ncw_fcw",
                (2, _, true) => "linalg.conv_2d_nchw_fchw",
                (3, _, true) => "linalg.conv_3d_ncdhw_fcdhw",
                _ => return None,
            };
            return Some((name, sizes));
        }
        let channels = input.ty().shape()?[self.input.second];
        let depthwise = self.feature_groups == channels && sizes[self.kernel.second] == channels;
        let name = match (rank, channels_last, depthwise) {
            (1, true, true) => "linalg.depthwise_conv_1d_nwc_wc",
            (2, true, true) => "linalg.depthwise_conv_2d_nhwc_hwc",
            _ => return None,
        };
        let mut without_input_feature = sizes;
        without_input_feature.remove(self.kernel.first);
        Some((name, without_input_feature))
    }

    fn named_op<'c>(
        &self,
        builder: &Builder<'c>,
        name: &'static str,
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
                    inner.op("linalg.yield").operand(sum).build();
                }
                Err(declined) => outcome = Err(declined),
            });
        outcome?;
        Ok(builder
            .op(name)
            .operands(&operands)
            .attr("strides", window_attr(builder, &self.strides)?)
            .attr("dilations", window_attr(builder, &self.dilation)?)
            .attr("operandSegmentSizes", i32s(builder.context, &[2, 1]))
            .result(output.ty())
            .region(region)
            .value())
    }

    /// Loops: batch, output space, group, output feature; window, input feature.
    fn nest<'c>(
        &self,
        builder: &Builder<'c>,
        input: Value<'c>,
        kernel: Value<'c>,
        sizes: &[i64],
        types: &Types<'c>,
    ) -> Outcome<Value<'c>> {
        let rank = self.input.spatial.len();
        let groups = self.feature_groups.max(self.batch_groups);
        let d = |index: usize| format!("d{index}");
        let (batch, group, feature) = (0, rank + 1, rank + 2);
        let (window, input_feature) = (rank + 3, 2 * rank + 3);
        let loops = 2 * rank + 4;

        let mut lhs = Split::of(shape(input)?);
        lhs.set(self.input.first, d(batch));
        lhs.set(self.input.second, d(input_feature));
        for (index, dim) in self.input.spatial.iter().enumerate() {
            let (stride, dilation) = (self.strides[index], self.dilation[index]);
            let (at, tap) = (1 + index, window + index);
            lhs.set(*dim, format!("d{at} * {stride} + d{tap} * {dilation}"));
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

        let mut out = Split::of(sizes.to_vec());
        out.set(self.output.first, d(batch));
        out.set(self.output.second, d(feature));
        for (index, dim) in self.output.spatial.iter().enumerate() {
            out.set(*dim, d(1 + index));
        }
        out.split(self.output.second, groups, d(group));

        let zeros = types.zeros(builder, &out.sizes());
        let inputs = [lhs.indexed(builder, input, loops)?, rhs.indexed(builder, kernel, loops)?];
        let output = out.indexed(builder, zeros, loops)?;
        let mut kinds = vec![Loop::Parallel; window];
        kinds.resize(loops, Loop::Reduction);
        let sums = generic(builder, &inputs, &[output], &kinds, |inner, args| {
            Ok(vec![types.multiply_add(inner, args)?])
        })?;
        reshape(builder, sums[0], sizes)
    }
}

/// A dense attribute of one number per spatial dimension, as the named operations want it.
pub fn window_attr<'c>(builder: &Builder<'c>, values: &[i64]) -> Outcome<strata_ir::Attribute<'c>> {
    builder.parse(&format!("dense<{values:?}> : tensor<{}xi64>", values.len()))
}

/// The dimensions of an operand: sizes and index expressions, some split into groups and the rest.
struct Split(Vec<Vec<(i64, String)>>);

impl Split {
    fn of(sizes: Vec<i64>) -> Self {
        Self(sizes.into_iter().map(|size| vec![(size, String::new())]).collect())
    }

    fn set(&mut self, dim: usize, expr: String) {
        if let Some((_, slot)) = self.0[dim].last_mut() {
            *slot = expr;
        }
    }

    /// Splits a dimension into `groups` outer parts, indexed by `expr`; a single group takes a new
    /// dimension of size 1 all the same, so that every loop has an extent.
    fn split(&mut self, dim: usize, groups: i64, expr: String) {
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
        Indexed::at(builder, value, loops, &exprs)
    }
}
