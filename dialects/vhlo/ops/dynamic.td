// Operations whose result shape is computed while the program runs.

#ifndef STRATA_VHLO_DYNAMIC
#define STRATA_VHLO_DYNAMIC

include "vhlo/base.td"

def DynamicBroadcastInDimOpV1 : VHLO_Op<"dynamic_broadcast_in_dim_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$output_dimensions,
                       VHLO_Attr:$broadcast_dimensions, VHLO_Attr:$known_expanding_dimensions,
                       VHLO_Attr:$known_nonexpanding_dimensions);
  let results = (outs VHLO_Value:$result);
}

def DynamicIotaOpV1 : VHLO_Op<"dynamic_iota_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$output_shape, VHLO_Attr:$iota_dimension);
  let results = (outs VHLO_Value:$result);
}

def DynamicPadOpV1 : VHLO_Op<"dynamic_pad_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$padding_value,
                       VHLO_Value:$edge_padding_low, VHLO_Value:$edge_padding_high,
                       VHLO_Value:$interior_padding);
  let results = (outs VHLO_Value:$result);
}

def DynamicReshapeOpV1 : VHLO_Op<"dynamic_reshape_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$output_shape);
  let results = (outs VHLO_Value:$result);
}

def GetDimensionSizeOpV1 : VHLO_Op<"get_dimension_size_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$dimension);
  let results = (outs VHLO_Value:$result);
}

def RealDynamicSliceOpV1 : VHLO_Op<"real_dynamic_slice_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$start_indices, VHLO_Value:$limit_indices,
                       VHLO_Value:$strides);
  let results = (outs VHLO_Value:$result);
}

def SetDimensionSizeOpV1 : VHLO_Op<"set_dimension_size_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$size, VHLO_Attr:$dimension);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_DYNAMIC
