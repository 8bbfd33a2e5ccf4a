//! Batch normalisation.

use strata_ir as ir;
use strata_ir::{OpName, stablehlo};

use crate::{
    error::{Result, Site},
    graph::Results,
    op::Op,
};

impl Op {
    /// Normalises over all dimensions but `feature_index`: a tuple of the result, the mean and the variance.
    ///
    /// # Errors
    /// For a feature dimension out of range, and vectors of another size.
    #[track_caller]
    pub fn batch_norm_training(
        &self,
        scale: &Op,
        offset: &Op,
        epsilon: f32,
        feature_index: i64,
    ) -> Result<Op> {
        let operands = [self, scale, offset];
        let site = Site::new("BatchNormTraining");
        self.normalised(site, stablehlo::BATCH_NORM_TRAINING, &operands, epsilon, feature_index)
    }

    /// Normalises by a given mean and variance.
    ///
    /// # Errors
    /// As [`Op::batch_norm_training`].
    #[track_caller]
    pub fn batch_norm_inference(
        &self,
        scale: &Op,
        offset: &Op,
        mean: &Op,
        variance: &Op,
        epsilon: f32,
        feature_index: i64,
    ) -> Result<Op> {
        let operands = [self, scale, offset, mean, variance];
        let site = Site::new("BatchNormInference");
        self.normalised(site, stablehlo::BATCH_NORM_INFERENCE, &operands, epsilon, feature_index)
    }

    /// The gradients of [`Op::batch_norm_training`]: a tuple of those by the operand, the scale and the offset.
    ///
    /// # Errors
    /// As [`Op::batch_norm_training`].
    #[track_caller]
    pub fn batch_norm_grad(
        &self,
        scale: &Op,
        batch_mean: &Op,
        batch_var: &Op,
        grad_output: &Op,
        epsilon: f32,
        feature_index: i64,
    ) -> Result<Op> {
        let operands = [self, scale, batch_mean, batch_var, grad_output];
        let site = Site::new("BatchNormGrad");
        self.normalised(site, stablehlo::BATCH_NORM_GRAD, &operands, epsilon, feature_index)
    }

    fn normalised(
        &self,
        site: Site,
        name: OpName<'static>,
        operands: &[&Op],
        epsilon: f32,
        feature_index: i64,
    ) -> Result<Op> {
        let graph = &self.graph;
        let values: Vec<_> =
            operands.iter().map(|one| graph.value(site, one)).collect::<Result<_>>()?;
        // Inference relies on floats, and on vectors for all but the arrays of the operand's shape.
        let rank = self.array_at(site)?.rank();
        for (at, one) in operands.iter().enumerate() {
            let shape = one.array_at(site)?;
            let is_whole = at == 0 || (at == 4 && name == stablehlo::BATCH_NORM_GRAD);
            if rank == 0 || shape.rank() != if is_whole { rank } else { 1 } {
                return Err(site.error(format!(
                    "the operand and its gradient have one rank of at least 1, all others are vectors, found {shape}"
                )));
            }
            if !matches!(
                shape.element,
                crate::ElementType::Float(_)
                    | crate::ElementType::BFloat16
                    | crate::ElementType::SmallFloat(_)
            ) {
                return Err(site.error(format!("the operands are floats, found {shape}")));
            }
        }
        let context = graph.context();
        let epsilon = ir::float(context, ir::f32_type(context), epsilon.into());
        let feature = ir::int(ir::integer(context, 64), feature_index);
        graph.emit_many(site, name, Results::Inferred, |op| {
            op.operands(&values).attr("epsilon", epsilon).attr("feature_index", feature)
        })
    }
}
