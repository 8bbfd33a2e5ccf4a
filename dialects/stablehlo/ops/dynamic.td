// Operations whose result shape is computed while the program runs.

#ifndef STRATA_STABLEHLO_DYNAMIC
#define STRATA_STABLEHLO_DYNAMIC

include "stablehlo/attributes.td"

class StableHLO_DynamicOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, !listconcat(traits, [
        NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>])>;

def DynamicBroadcastInDimOp : StableHLO_DynamicOp<"dynamic_broadcast_in_dim"> {
  let summary = "broadcast_in_dim to a computed shape";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand,
                       StableHLO_ShapeVector:$output_dimensions,
                       DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_TensorOrPerAxis);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicIotaOp : StableHLO_DynamicOp<"dynamic_iota"> {
  let summary = "iota of a computed shape";
  let arguments = (ins StableHLO_ShapeVector:$output_shape, StableHLO_Dimension:$iota_dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicPadOp : StableHLO_DynamicOp<"dynamic_pad", [
    AllTypesMatch<["edge_padding_low", "edge_padding_high", "interior_padding"]>,
    AllRanksMatch<["operand", "result"]>]> {
  let summary = "pad by computed amounts";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Scalar:$padding_value,
                       StableHLO_ShapeVector:$edge_padding_low,
                       StableHLO_ShapeVector:$edge_padding_high,
                       StableHLO_ShapeVector:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def DynamicReshapeOp : StableHLO_DynamicOp<"dynamic_reshape"> {
  let summary = "reshape to a computed shape";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand, StableHLO_ShapeVector:$output_shape);
  let results = (outs StableHLO_TensorOrPerAxis:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def GetDimensionSizeOp : StableHLO_Op<"get_dimension_size", [Pure, InferTypeOpAdaptor]> {
  let summary = "length of a dimension";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand, StableHLO_Dimension:$dimension);
  let results = (outs StableHLO_Int32Tensor);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

def RealDynamicSliceOp : StableHLO_DynamicOp<"real_dynamic_slice", [
    AllTypesMatch<["start_indices", "limit_indices", "strides"]>]> {
  let summary = "slice with computed start, limit and strides";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IndexVector:$start_indices,
                       StableHLO_IndexVector:$limit_indices, StableHLO_IndexVector:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SetDimensionSizeOp : StableHLO_DynamicOp<"set_dimension_size", [InferTypeOpAdaptor]> {
  let summary = "the operand with one dimension's length replaced by a computed one";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Int32Tensor:$size,
                       StableHLO_Dimension:$dimension);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

#endif // STRATA_STABLEHLO_DYNAMIC
