// Dot product over groups of rows.

#ifndef STRATA_CHLO_RAGGED_DOT
#define STRATA_CHLO_RAGGED_DOT

include "chlo/base.td"

def RaggedDotOp : CHLO_Op<"ragged_dot", [Pure]> {
  let summary = "dot product whose ragged dimension is cut into groups of given sizes";
  let arguments = (ins CHLO_Tensor:$lhs, CHLO_Tensor:$rhs, StableHLO_IntTensor:$group_sizes,
                       CHLO_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       CHLO_PrecisionConfig:$precision_config);
  let results = (outs CHLO_Tensor:$result);
  let hasVerifier = 1;
}

#endif // STRATA_CHLO_RAGGED_DOT
