// Rearranging, cutting and joining tensors of known shape.

#ifndef STRATA_VHLO_SHAPE
#define STRATA_VHLO_SHAPE

include "vhlo/base.td"

def BroadcastInDimOpV1 : VHLO_Op<"broadcast_in_dim_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$broadcast_dimensions);
  let results = (outs VHLO_Value:$result);
}

def BroadcastOpV1 : VHLO_Op<"broadcast_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$broadcast_sizes);
  let results = (outs VHLO_Value:$result);
}

def ConcatenateOpV1 : VHLO_Op<"concatenate_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$dimension);
  let results = (outs VHLO_Value:$result);
}

def DynamicSliceOpV1 : VHLO_Op<"dynamic_slice_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Values:$start_indices, VHLO_Attr:$slice_sizes);
  let results = (outs VHLO_Value:$result);
}

def DynamicUpdateSliceOpV1 : VHLO_Op<"dynamic_update_slice_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$update, VHLO_Values:$start_indices);
  let results = (outs VHLO_Value:$result);
}

def PadOpV1 : VHLO_Op<"pad_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$padding_value,
                       VHLO_Attr:$edge_padding_high, VHLO_Attr:$edge_padding_low,
                       VHLO_Attr:$interior_padding);
  let results = (outs VHLO_Value:$result);
}

def ReshapeOpV1 : VHLO_Unary<"reshape_v1", "0.9.0", VHLO_Current>;

def ReverseOpV1 : VHLO_Op<"reverse_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$dimensions);
  let results = (outs VHLO_Value:$result);
}

def SliceOpV1 : VHLO_Op<"slice_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$limit_indices, VHLO_Attr:$start_indices,
                       VHLO_Attr:$strides);
  let results = (outs VHLO_Value:$result);
}

def TransposeOpV1 : VHLO_Op<"transpose_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$permutation);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_SHAPE
