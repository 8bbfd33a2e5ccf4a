// Reading and writing at computed positions.

#ifndef STRATA_STABLEHLO_GATHER_SCATTER
#define STRATA_STABLEHLO_GATHER_SCATTER

include "stablehlo/attributes.td"

def GatherOp : StableHLO_Op<"gather", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>, InferTypeOpAdaptor]> {
  let summary = "slices of the operand, each at a computed start";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices,
                       StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def DynamicGatherOp : StableHLO_Op<"dynamic_gather", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>, InferTypeOpAdaptor]> {
  let summary = "gather of slices of a computed size";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices,
                       StableHLO_IntVector:$slice_sizes,
                       StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor);
}

def ScatterOp : StableHLO_Op<"scatter", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>, RecursiveMemoryEffects, SameVariadicOperandSize,
    InferTypeOpAdaptor]> {
  let summary = "the inputs combined with updates at computed positions";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       RankedTensorOf<[AnyInteger, Index]>:$scatter_indices,
                       Variadic<StableHLO_Tensor>:$updates,
                       StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def TorchIndexSelectOp : StableHLO_Op<"torch_index_select", [Pure]> {
  let summary = "entries along one dimension at computed indices (superseded by gather)";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$index, I64Attr:$dim,
                       I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor);
}

#endif // STRATA_STABLEHLO_GATHER_SCATTER
