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

use crate::{
    emit::Emit as _,
    pattern::{new_splat, patterns},
};

patterns! {
    /// Normalisation by given moments.
    ExpandInference = "expand-batch-norm-inference" on [BatchNormInference] by expand_inference;
    /// Normalisation by the batch's own moments.
    ExpandTraining = "expand-batch-norm-training" on [BatchNormTraining] by expand_training;
    /// The gradient of the training form.
    ExpandGrad = "expand-batch-norm-grad" on [BatchNormGrad] by expand_grad;
}

/// What a sum over everything but the feature adds up.
enum Summed<'c> {
    /// As many elements per feature.
    All(f64),
    /// Where the boolean says, as many as the scalar says.
    Valid { valid: Option<Value<'c>>, count: Value<'c> },
}

/// The shape of a batch normalisation, and its builder.
pub struct Norm<'c> {
    builder: Builder<'c>,
    ty: Type<'c>,
    feature: i64,
    epsilon: f64,
    summed: Summed<'c>,
}

/// The feature dimension.
pub fn feature(op: Op<'_>) -> Outcome<i64> {
    let feature = op.attr("feature_index").and_then(|index| index.as_i64());
    feature.or_decline("attribute `feature_index` is missing")
}

impl<'c> Norm<'c> {
    fn of(op: Op<'c>, rewriter: &Rewriter<'c>) -> Outcome<Self> {
        let ty = op.operand(0).ty();
        ty.has_static_shape().or_decline("the shape is not static")?;
        let shape = ty.shape().or_decline("the shape is not static")?;
        let feature = feature(op)?;
        let others = shape.iter().enumerate().filter(|(dim, _)| *dim as i64 != feature);
        let summed = Summed::All(others.map(|(_, size)| *size as f64).product());
        Self::new(op, rewriter.builder(), ty, summed)
    }

    /// One of a tensor of that type, of which some elements are valid, `count` per feature.
    pub fn of_valid(
        op: Op<'c>,
        builder: Builder<'c>,
        ty: Type<'c>,
        (valid, count): (Option<Value<'c>>, Value<'c>),
    ) -> Outcome<Self> {
        Self::new(op, builder, ty, Summed::Valid { valid, count })
    }

    fn new(op: Op<'c>, builder: Builder<'c>, ty: Type<'c>, summed: Summed<'c>) -> Outcome<Self> {
        let epsilon = op.attr("epsilon").and_then(|value| value.as_f64());
        let epsilon = epsilon.or_decline("attribute `epsilon` is missing")?;
        Ok(Self { builder, ty, feature: feature(op)?, epsilon, summed })
    }

    /// The number of elements per feature, as a tensor of that type.
    fn count(&self, ty: Type<'c>) -> Value<'c> {
        match &self.summed {
            Summed::All(count) => self.constant(ty, *count),
            Summed::Valid { count, .. } => {
                self.builder.broadcast_in_dim(*count, &ty.shape().unwrap_or_default(), &[])
            }
        }
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
    fn sum(&self, mut value: Value<'c>) -> Value<'c> {
        if let Summed::Valid { valid: Some(valid), .. } = self.summed {
            value = self.builder.selected(valid, value, self.constant(self.ty, 0.0));
        }
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
        self.apply(stablehlo::DIVIDE, &[sum, self.count(sum.ty())])
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

    /// The results of the training form.
    pub fn training(&self, operands: &[Value<'c>]) -> [Value<'c>; 3] {
        let mean = self.mean(operands[0]);
        let centered = self.centered(operands[0], mean);
        let squares = self.apply(stablehlo::MULTIPLY, &[centered, centered]);
        let variance = self.mean(squares);
        let result = self.normalized(centered, operands[1], operands[2], variance);
        [result, mean, variance]
    }

    /// The results of its gradient.
    pub fn grad(&self, operands: &[Value<'c>]) -> [Value<'c>; 3] {
        let (x, scale, mean) = (operands[0], operands[1], operands[2]);
        let (variance, grad) = (operands[3], operands[4]);
        let count = self.count(self.ty);
        let (shifted, deviation) = self.deviation(variance);
        let centered = self.centered(x, mean);
        let grad_offset = self.sum(grad);
        let unit = self.apply(stablehlo::DIVIDE, &[centered, self.spread(deviation)]);
        let grad_scale = self.sum(self.apply(stablehlo::MULTIPLY, &[grad, unit]));
        let product_sum = self.sum(self.apply(stablehlo::MULTIPLY, &[grad, centered]));
        let projected = self.apply(stablehlo::MULTIPLY, &[self.spread(product_sum), centered]);
        let projected = self.apply(stablehlo::DIVIDE, &[projected, self.spread(shifted)]);
        let scaled = self.apply(stablehlo::MULTIPLY, &[grad, count]);
        let rest = self.apply(stablehlo::SUBTRACT, &[scaled, self.spread(grad_offset)]);
        let rest = self.apply(stablehlo::SUBTRACT, &[rest, projected]);
        let factor = self.apply(stablehlo::DIVIDE, &[self.spread(scale), self.spread(deviation)]);
        let factor = self.apply(stablehlo::DIVIDE, &[factor, count]);
        let grad_operand = self.apply(stablehlo::MULTIPLY, &[factor, rest]);
        [grad_operand, grad_scale, grad_offset]
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
    rewriter.replace(&norm.training(&op.operands()));
    Ok(())
}

fn expand_grad<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let norm = Norm::of(op, rewriter)?;
    rewriter.replace(&norm.grad(&op.operands()));
    Ok(())
}
