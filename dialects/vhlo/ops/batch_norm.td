// Normalisation over a feature dimension.

#ifndef STRATA_VHLO_BATCH_NORM
#define STRATA_VHLO_BATCH_NORM

include "vhlo/base.td"

def BatchNormGradOpV1 : VHLO_Op<"batch_norm_grad_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$scale, VHLO_Value:$mean,
                       VHLO_Value:$variance, VHLO_Value:$grad_output, VHLO_Attr:$epsilon,
                       VHLO_Attr:$feature_index);
  let results = (outs VHLO_Value:$grad_operand, VHLO_Value:$grad_scale, VHLO_Value:$grad_offset);
}

def BatchNormInferenceOpV1 : VHLO_Op<"batch_norm_inference_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$scale, VHLO_Value:$offset,
                       VHLO_Value:$mean, VHLO_Value:$variance, VHLO_Attr:$epsilon,
                       VHLO_Attr:$feature_index);
  let results = (outs VHLO_Value:$result);
}

def BatchNormTrainingOpV1 : VHLO_Op<"batch_norm_training_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$scale, VHLO_Value:$offset,
                       VHLO_Attr:$epsilon, VHLO_Attr:$feature_index);
  let results = (outs VHLO_Value:$output, VHLO_Value:$batch_mean, VHLO_Value:$batch_var);
}

#endif // STRATA_VHLO_BATCH_NORM
