// The largest elements.

#ifndef STRATA_CHLO_TOP_K
#define STRATA_CHLO_TOP_K

include "chlo/base.td"

def TopKOp : CHLO_Op<"top_k", [Pure, InferTypeOpAdaptor]> {
  let summary = "the k largest elements along the last dimension, and where they are";
  let arguments = (ins CHLO_Tensor:$operand, I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs CHLO_Tensor:$values, CHLO_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict
      `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let useCustomPropertiesEncoding = 1;
}

#endif // STRATA_CHLO_TOP_K
