//! Expands batch normalisation to pointwise operations and sums over all dimensions except the
//! feature's.
//!
//! ```text
//! batch_norm_inference(x, scale, offset, mean, variance) →
//!   (x - mean) / sqrt(variance + epsilon) * scale + offset
//! batch_norm_training(x, scale, offset) →
//!   mean = sum(x) / n;  variance = sum((x - mean)²) / n;  batch_norm_inference(…), mean, variance
//! batch_norm_grad(x, scale, mean, variance, g) →
//!   scale / sqrt(variance + epsilon) / n
//!     * (n * g - sum(g) - (x - mean) * sum(g * (x - mean)) / (variance + epsilon)),
//!   sum(g * (x - mean) / sqrt(variance + epsilon)), sum(g)
//! ```
//!
//! Means and variances are broadcast along the feature dimension.

use strata_ir::{
    AttributeExt as _, Builder, Op, OpName, Type, TypeExt as _, Value, float, i64s, stablehlo,
    tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{new_splat, patterns};

patterns! {
    /// Normalisation by given moments.
    ExpandInference = "expand-batch-norm-inference" on [BatchNormInference] by expand_inference;
    /// Normalisation by the batch's own moments.
    ExpandTraining = "expand-batch-norm-training" on [BatchNormTraining] by expand_training;
    /// The gradient of the training form.
    ExpandGrad = "expand-batch-norm-grad" on [BatchNormGrad] by expand_grad;
}

/// The shape of a batch normalisation, and its builder.
struct Norm<'c> {
    builder: Builder<'c>,
    ty: Type<'c>,
    feature: i64,
    epsilon: f64,
    /// The number of elements per feature.
    count: f64,
}

impl<'c> Norm<'c> {
    fn of(op: Op<'c>, rewriter: &Rewriter<'c>) -> Outcome<Self> {
        let ty = op.operand(0).ty();
        ty.has_static_shape().or_decline("the shape is not static")?;
        let shape = ty.shape().or_decline("the shape is not static")?;
        let feature = op.attr("feature_index").and_then(|index| index.as_i64());
        let feature = feature.or_decline("attribute `feature_index` is missing")?;
        let epsilon = op.attr("epsilon").and_then(|value| value.as_f64());
        let others = shape.iter().enumerate().filter(|(dim, _)| *dim as i64 != feature);
        Ok(Self {
            builder: rewriter.builder(),
            ty,
            feature,
            epsilon: epsilon.or_decline("attribute `epsilon` is missing")?,
            count: others.map(|(_, size)| *size as f64).product(),
        })
    }

    fn apply(&self, name: OpName<'static>, operands: &[Value<'c>]) -> Value<'c> {
        self.builder.op(name).operands(operands).result(operands[0].ty()).value()
    }

    fn constant(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        new_splat(&self.builder, ty, float(self.builder.context, ty.element(), value))
    }

    /// A vector over the features, broadcast to the operand's shape.
    fn spread(&self, vector: Value<'c>) -> Value<'c> {
        self.builder
            .op(stablehlo::BROADCAST_IN_DIM)
            .operand(vector)
            .attr("broadcast_dimensions", i64s(self.builder.context, &[self.feature]))
            .result(self.ty)
            .value()
    }

    /// The sums over everything but the feature.
    fn sum(&self, value: Value<'c>) -> Value<'c> {
        let element = self.ty.element();
        let scalar = tensor(&[], element);
        let size = self.ty.shape().map_or(0, |shape| shape[self.feature as usize]);
        let rank = self.ty.rank().unwrap_or(0) as i64;
        let over: Vec<_> = (0..rank).filter(|dim| *dim != self.feature).collect();
        let body = self.builder.region(&[scalar, scalar], |inner, args| {
            let sum = inner.op(stablehlo::ADD).operands(args).result(scalar).value();
            inner.op(stablehlo::RETURN).operand(sum).build();
        });
        self.builder
            .op(stablehlo::REDUCE)
            .operands(&[value, self.constant(scalar, 0.0)])
            .attr("dimensions", i64s(self.builder.context, &over))
            .result(tensor(&[size], element))
            .region(body)
            .value()
    }

    fn mean(&self, value: Value<'c>) -> Value<'c> {
        let sum = self.sum(value);
        self.apply(stablehlo::DIVIDE, &[sum, self.constant(sum.ty(), self.count)])
    }

    /// `variance + epsilon` and its root.
    fn deviation(&self, variance: Value<'c>) -> (Value<'c>, Value<'c>) {
        let epsilon = self.constant(variance.ty(), self.epsilon);
        let shifted = self.apply(stablehlo::ADD, &[variance, epsilon]);
        (shifted, self.apply(stablehlo::SQRT, &[shifted]))
    }

    fn centered(&self, x: Value<'c>, mean: Value<'c>) -> Value<'c> {
        self.apply(stablehlo::SUBTRACT, &[x, self.spread(mean)])
    }

    fn normalized(
        &self,
        centered: Value<'c>,
        scale: Value<'c>,
        offset: Value<'c>,
        variance: Value<'c>,
    ) -> Value<'c> {
        let (_, deviation) = self.deviation(variance);
        let unit = self.apply(stablehlo::DIVIDE, &[centered, self.spread(deviation)]);
        let scaled = self.apply(stablehlo::MULTIPLY, &[unit, self.spread(scale)]);
        self.apply(stablehlo::ADD, &[scaled, self.spread(offset)])
    }
}

fn expand_inference<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let norm = Norm::of(op, rewriter)?;
    let centered = norm.centered(op.operand(0), op.operand(3));
    let result = norm.normalized(centered, op.operand(1), op.operand(2), op.operand(4));
    rewriter.replace(&[result]);
    Ok(())
}

fn expand_training<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let norm = Norm::of(op, rewriter)?;
    let mean = norm.mean(op.operand(0));
    let centered = norm.centered(op.operand(0), mean);
    let squares = norm.apply(stablehlo::MULTIPLY, &[centered, centered]);
    let variance = norm.mean(squares);
    let result = norm.normalized(centered, op.operand(1), op.operand(2), variance);
    rewriter.replace(&[result, mean, variance]);
    Ok(())
}

fn expand_grad<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let norm = Norm::of(op, rewriter)?;
    let (x, scale, mean, variance, grad) =
        (op.operand(0), op.operand(1), op.operand(2), op.operand(3), op.operand(4));
    let count = norm.constant(norm.ty, norm.count);
    let (shifted, deviation) = norm.deviation(variance);
    let centered = norm.centered(x, mean);
    let grad_offset = norm.sum(grad);
    let unit = norm.apply(stablehlo::DIVIDE, &[centered, norm.spread(deviation)]);
    let grad_scale = norm.sum(norm.apply(stablehlo::MULTIPLY, &[grad, unit]));
    let product_sum = norm.sum(norm.apply(stablehlo::MULTIPLY, &[grad, centered]));
    let projected = norm.apply(stablehlo::MULTIPLY, &[norm.spread(product_sum), centered]);
    let projected = norm.apply(stablehlo::DIVIDE, &[projected, norm.spread(shifted)]);
    let scaled = norm.apply(stablehlo::MULTIPLY, &[grad, count]);
    let rest = norm.apply(stablehlo::SUBTRACT, &[scaled, norm.spread(grad_offset)]);
    let rest = norm.apply(stablehlo::SUBTRACT, &[rest, projected]);
    let factor = norm.apply(stablehlo::DIVIDE, &[norm.spread(scale), norm.spread(deviation)]);
    let factor = norm.apply(stablehlo::DIVIDE, &[factor, count]);
    let grad_operand = norm.apply(stablehlo::MULTIPLY, &[factor, rest]);
    rewriter.replace(&[grad_operand, grad_scale, grad_offset]);
    Ok(())
}
