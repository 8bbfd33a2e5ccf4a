// Convolutions.

#ifndef STRATA_STABLEHLO_CONV
#define STRATA_STABLEHLO_CONV

include "stablehlo/attributes.td"

// convolution_c21, convolution_c22: the group counts are positive.
def ConvolutionOp : StableHLO_Op<"convolution", [NoMemoryEffect, SpeculatableIfAllInputsStatic]> {
  let summary = "dot products of windows of the input with a kernel";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_TensorOrPerAxis:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
                       StableHLO_PositiveI64:$feature_group_count,
                       StableHLO_PositiveI64:$batch_group_count,
                       StableHLO_PrecisionConfig:$precision_config);
  let results = (outs StableHLO_TensorOrPerAxis);
  let assemblyFormat = [{
    `(` operands `)`
      `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                                                $rhs_dilation, $window_reversal) `}`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// dynamic_conv_c21, dynamic_conv_c22: the group counts are positive.
def DynamicConvOp : StableHLO_Op<"dynamic_conv", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "convolution with computed padding";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_IntMatrix:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
                       StableHLO_PositiveI64:$feature_group_count,
                       StableHLO_PositiveI64:$batch_group_count,
                       StableHLO_PrecisionConfig:$precision_config);
  let results = (outs StableHLO_Tensor);
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_CONV
