// Comparison and choice between elements.

#ifndef STRATA_VHLO_COMPARE_SELECT
#define STRATA_VHLO_COMPARE_SELECT

include "vhlo/base.td"

def ClampOpV1 : VHLO_Op<"clamp_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$min, VHLO_Value:$operand, VHLO_Value:$max);
  let results = (outs VHLO_Value:$result);
}

def CompareOpV1 : VHLO_Op<"compare_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Attr:$compare_type,
                       VHLO_Attr:$comparison_direction);
  let results = (outs VHLO_Value:$result);
}

def SelectOpV1 : VHLO_Op<"select_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$pred, VHLO_Value:$on_true, VHLO_Value:$on_false);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_COMPARE_SELECT
