// Normalisation over a feature dimension.

#ifndef STRATA_STABLEHLO_BATCH_NORM
#define STRATA_STABLEHLO_BATCH_NORM

include "stablehlo/attributes.td"

// batch_norm_grad_c2, batch_norm_inference_c2, batch_norm_training_c2: one element type.
class StableHLO_BatchNorm<string mnemonic>
    : StableHLO_Op<mnemonic, [NoMemoryEffect, SpeculatableIfAllInputsStatic,
                              CompatibleOperandsAndResultElementType, InferTypeOpAdaptor]>;

def BatchNormGradOp : StableHLO_BatchNorm<"batch_norm_grad"> {
  let summary = "gradients of batch_norm_training";
  let arguments = (ins StableHLO_FloatTensor:$operand, StableHLO_FloatVector:$scale,
                       StableHLO_FloatVector:$mean, StableHLO_FloatVector:$variance,
                       StableHLO_FloatTensor:$grad_output, F32Attr:$epsilon,
                       StableHLO_Dimension:$feature_index);
  let results = (outs StableHLO_FloatTensor:$grad_operand, StableHLO_FloatVector:$grad_scale,
                      StableHLO_FloatVector:$grad_offset);
}

def BatchNormInferenceOp : StableHLO_BatchNorm<"batch_norm_inference"> {
  let summary = "normalisation by given mean and variance";
  let arguments = (ins StableHLO_FloatTensor:$operand, StableHLO_FloatVector:$scale,
                       StableHLO_FloatVector:$offset, StableHLO_FloatVector:$mean,
                       StableHLO_FloatVector:$variance, F32Attr:$epsilon,
                       StableHLO_Dimension:$feature_index);
  let results = (outs StableHLO_FloatTensor:$result);
}

def BatchNormTrainingOp : StableHLO_BatchNorm<"batch_norm_training"> {
  let summary = "normalisation by the batch's own mean and variance";
  let arguments = (ins StableHLO_FloatTensor:$operand, StableHLO_FloatVector:$scale,
                       StableHLO_FloatVector:$offset, F32Attr:$epsilon,
                       StableHLO_Dimension:$feature_index);
  let results = (outs StableHLO_FloatTensor:$output, StableHLO_FloatVector:$batch_mean,
                      StableHLO_FloatVector:$batch_var);
}

#endif // STRATA_STABLEHLO_BATCH_NORM
