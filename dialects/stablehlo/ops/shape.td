// Rearranging, cutting and joining tensors of known shape.

#ifndef STRATA_STABLEHLO_SHAPE
#define STRATA_STABLEHLO_SHAPE

include "stablehlo/attributes.td"

def BroadcastOp : StableHLO_Op<"broadcast", [
    Pure, SameElementTypes, InferTypeOpAdaptor]> {
  let summary = "copies along new leading dimensions";
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_TensorOrPerAxis);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)
  }];
}

// broadcast_in_dim_c1: one element type.
def BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic, CompatibleOperandsAndResultElementType]> {
  let summary = "copies along dimensions that the operand lacks or has with length 1";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand,
                       DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_SingleBoundedTensor);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// concatenate_c1, concatenate_c5: one element type.
def ConcatenateOp : StableHLO_Op<"concatenate", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic, SameElementTypes,
    InferTypeOpAdaptor]> {
  let summary = "tensors joined along a dimension";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, StableHLO_Dimension:$dimension);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict
      `:` functional-type(operands, results)
  }];
}

def DynamicSliceOp : StableHLO_Op<"dynamic_slice", [
    Pure, InferTypeOpAdaptor]> {
  let summary = "a block whose start is computed and limited to the operand";
  let arguments = (ins StableHLO_Tensor:$operand, Variadic<StableHLO_ScalarInt>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices)
      `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicUpdateSliceOp : StableHLO_Op<"dynamic_update_slice", [
    Pure, InferTypeOpAdaptor]> {
  let summary = "the operand with a block, whose start is computed, replaced";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$update,
                       Variadic<StableHLO_ScalarInt>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// pad_c1: one element type.
def PadOp : StableHLO_Op<"pad", [
    NoMemoryEffect, SpeculatableIfStaticDimInOutputIsStaticInInput,
    SameElementTypes, InferTypeOpAdaptor]> {
  let summary = "elements added around and between those of the operand, or edges cut off";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Scalar:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high
      `,` `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}

def ReshapeOp : StableHLO_Op<"reshape", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic, CompatibleOperandsAndResultElementType]> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand);
  let results = (outs StableHLO_SingleBoundedTensor);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// reverse_c1: one type.
def ReverseOp : StableHLO_Op<"reverse", [
    NoMemoryEffect, SpeculatableIfStaticDimInOutputIsStaticInInput,
    CompatibleOperandsAndResultType]> {
  let summary = "elements in opposite order along dimensions";
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

// slice_c1: one element type.
def SliceOp : StableHLO_Op<"slice", [
    NoMemoryEffect, SpeculatableIfStaticDimInOutputIsStaticInInput,
    SameElementTypes, InferTypeOpAdaptor]> {
  let summary = "every stride-th element between start and limit of each dimension";
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict
      `:` functional-type(operands, results)
  }];
}

// transpose_c1: one element type.
def TransposeOp : StableHLO_Op<"transpose", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>, CompatibleOperandsAndResultElementType,
    InferTypeOpAdaptor]> {
  let summary = "dimensions in another order";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_TensorOrPerAxis:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_SHAPE
