// Comparison and choice between elements.

#ifndef STRATA_STABLEHLO_COMPARE_SELECT
#define STRATA_STABLEHLO_COMPARE_SELECT

include "stablehlo/attributes.td"

// clamp_c3: one element type.
def ClampOp : StableHLO_Op<"clamp", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic, CompatibleOperandsAndResultElementType,
    InferTypeOpAdaptor]> {
  let summary = "operand limited to the interval from min to max";
  let arguments = (ins StableHLO_Tensor:$min, StableHLO_Tensor:$operand, StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
      `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def CompareOp : StableHLO_Op<"compare", [
    CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
    SpeculatableIfAllInputsStatic, CompatibleOperandsElementType, InferTypeOpAdaptor]> {
  let summary = "relation between the elements of two tensors";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_BoolTensor);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict
      `:` functional-type(operands, results)
  }];
}

def SelectOp : StableHLO_Op<"select", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic, InferTypeOpAdaptor]> {
  let summary = "elements of on_true where pred holds, else of on_false";
  let arguments = (ins StableHLO_BoolTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict
      `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

#endif // STRATA_STABLEHLO_COMPARE_SELECT
