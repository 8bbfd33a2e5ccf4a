// Products that contract dimensions.

#ifndef STRATA_STABLEHLO_DOT
#define STRATA_STABLEHLO_DOT

include "stablehlo/attributes.td"

def DotOp : StableHLO_Op<"dot", [Pure]> {
  let summary = "product of vectors and matrices (superseded by dot_general)";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_TensorOrPerAxis:$rhs,
                       StableHLO_PrecisionConfig:$precision_config);
  let results = (outs StableHLO_TensorOrPerAxis);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DotGeneralOp : StableHLO_Op<"dot_general", [NoMemoryEffect, SpeculatableIfAllInputsStatic]> {
  let summary = "sums of products over contracting dimensions, for each batch";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_TensorOrPerAxis:$rhs,
                       StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
                       StableHLO_PrecisionConfig:$precision_config,
                       OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs StableHLO_TensorOrPerAxis);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
      custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def EinsumOp : StableHLO_Op<"einsum", [Pure]> {
  let summary = "Einstein summation of two tensors (superseded by dot_general)";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}

def UnaryEinsumOp : StableHLO_Op<"unary_einsum", [Pure]> {
  let summary = "Einstein summation of one tensor (superseded by reduce and transpose)";
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}

#endif // STRATA_STABLEHLO_DOT
