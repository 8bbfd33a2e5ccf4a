// Convolutions.

#ifndef STRATA_VHLO_CONV
#define STRATA_VHLO_CONV

include "vhlo/base.td"

def ConvolutionOpV1 : VHLO_Op<"convolution_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Attr:$batch_group_count,
                       VHLO_Attr:$feature_group_count, VHLO_Attr:$input_batch_dimension,
                       VHLO_Attr:$input_feature_dimension, VHLO_Attr:$input_spatial_dimensions,
                       VHLO_Attr:$kernel_input_feature_dimension,
                       VHLO_Attr:$kernel_output_feature_dimension,
                       VHLO_Attr:$kernel_spatial_dimensions, VHLO_Attr:$lhs_dilation,
                       VHLO_Attr:$output_batch_dimension, VHLO_Attr:$output_feature_dimension,
                       VHLO_Attr:$output_spatial_dimensions, VHLO_Attr:$padding,
                       VHLO_Attr:$precision_config, VHLO_Attr:$rhs_dilation,
                       VHLO_Attr:$window_reversal, VHLO_Attr:$window_strides);
  let results = (outs VHLO_Value:$result);
}

def DynamicConvOpV1 : VHLO_Op<"dynamic_conv_v1", "0.9.0", "0.19.0"> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Value:$d_padding,
                       VHLO_Attr:$batch_group_count, VHLO_Attr:$feature_group_count,
                       VHLO_Attr:$input_batch_dimension, VHLO_Attr:$input_feature_dimension,
                       VHLO_Attr:$input_spatial_dimensions,
                       VHLO_Attr:$kernel_input_feature_dimension,
                       VHLO_Attr:$kernel_output_feature_dimension,
                       VHLO_Attr:$kernel_spatial_dimensions, VHLO_Attr:$lhs_dilation,
                       VHLO_Attr:$output_batch_dimension, VHLO_Attr:$output_feature_dimension,
                       VHLO_Attr:$output_spatial_dimensions, VHLO_Attr:$padding,
                       VHLO_Attr:$precision_config, VHLO_Attr:$rhs_dilation,
                       VHLO_Attr:$window_reversal, VHLO_Attr:$window_strides);
  let results = (outs VHLO_Value:$result);
}

def DynamicConvOpV2 : VHLO_Op<"dynamic_conv_v2", "0.20.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Value:$padding,
                       VHLO_Attr:$batch_group_count, VHLO_Attr:$feature_group_count,
                       VHLO_Attr:$input_batch_dimension, VHLO_Attr:$input_feature_dimension,
                       VHLO_Attr:$input_spatial_dimensions,
                       VHLO_Attr:$kernel_input_feature_dimension,
                       VHLO_Attr:$kernel_output_feature_dimension,
                       VHLO_Attr:$kernel_spatial_dimensions, VHLO_Attr:$lhs_dilation,
                       VHLO_Attr:$output_batch_dimension, VHLO_Attr:$output_feature_dimension,
                       VHLO_Attr:$output_spatial_dimensions, VHLO_Attr:$precision_config,
                       VHLO_Attr:$rhs_dilation, VHLO_Attr:$window_reversal,
                       VHLO_Attr:$window_strides);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_CONV
