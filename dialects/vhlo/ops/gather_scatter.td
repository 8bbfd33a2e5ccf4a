// Reading and writing at computed positions.

#ifndef STRATA_VHLO_GATHER_SCATTER
#define STRATA_VHLO_GATHER_SCATTER

include "vhlo/base.td"

def DynamicGatherOpV1 : VHLO_Op<"dynamic_gather_v1", "0.9.0", "1.0.0"> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$start_indices, VHLO_Value:$slice_sizes,
                       VHLO_Attr:$collapsed_slice_dims, VHLO_Attr:$index_vector_dim,
                       VHLO_Attr:$indices_are_sorted, VHLO_Attr:$offset_dims,
                       VHLO_Attr:$start_index_map);
  let results = (outs VHLO_Value:$result);
}

def DynamicGatherOpV2 : VHLO_Op<"dynamic_gather_v2", "1.1.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$start_indices, VHLO_Value:$slice_sizes,
                       VHLO_Attr:$collapsed_slice_dims, VHLO_Attr:$index_vector_dim,
                       VHLO_Attr:$indices_are_sorted, VHLO_Attr:$offset_dims,
                       VHLO_Attr:$operand_batching_dims, VHLO_Attr:$start_index_map,
                       VHLO_Attr:$start_indices_batching_dims);
  let results = (outs VHLO_Value:$result);
}

def GatherOpV1 : VHLO_Op<"gather_v1", "0.9.0", "1.0.0"> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$start_indices,
                       VHLO_Attr:$collapsed_slice_dims, VHLO_Attr:$index_vector_dim,
                       VHLO_Attr:$indices_are_sorted, VHLO_Attr:$offset_dims,
                       VHLO_Attr:$slice_sizes, VHLO_Attr:$start_index_map);
  let results = (outs VHLO_Value:$result);
}

def GatherOpV2 : VHLO_Op<"gather_v2", "1.1.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$start_indices,
                       VHLO_Attr:$collapsed_slice_dims, VHLO_Attr:$index_vector_dim,
                       VHLO_Attr:$indices_are_sorted, VHLO_Attr:$offset_dims,
                       VHLO_Attr:$operand_batching_dims, VHLO_Attr:$slice_sizes,
                       VHLO_Attr:$start_index_map, VHLO_Attr:$start_indices_batching_dims);
  let results = (outs VHLO_Value:$result);
}

def ScatterOpV1 : VHLO_Op<"scatter_v1", "0.9.0", "1.0.0", [SameVariadicOperandSize]> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Value:$scatter_indices, VHLO_Values:$updates,
                       VHLO_Attr:$index_vector_dim, VHLO_Attr:$indices_are_sorted,
                       VHLO_Attr:$inserted_window_dims, VHLO_Attr:$scatter_dims_to_operand_dims,
                       VHLO_Attr:$unique_indices, VHLO_Attr:$update_window_dims);
  let regions = (region AnyRegion:$update_computation);
  let results = (outs VHLO_Values:$results);
}

def ScatterOpV2 : VHLO_Op<"scatter_v2", "1.1.0", VHLO_Current, [SameVariadicOperandSize]> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Value:$scatter_indices, VHLO_Values:$updates,
                       VHLO_Attr:$index_vector_dim, VHLO_Attr:$indices_are_sorted,
                       VHLO_Attr:$input_batching_dims, VHLO_Attr:$inserted_window_dims,
                       VHLO_Attr:$scatter_dims_to_operand_dims,
                       VHLO_Attr:$scatter_indices_batching_dims, VHLO_Attr:$unique_indices,
                       VHLO_Attr:$update_window_dims);
  let regions = (region AnyRegion:$update_computation);
  let results = (outs VHLO_Values:$results);
}

def TorchIndexSelectOpV1 : VHLO_Op<"torch_index_select_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$index, VHLO_Attr:$batch_dims,
                       VHLO_Attr:$dim);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_GATHER_SCATTER
