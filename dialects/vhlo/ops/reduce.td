// Reduction and elementwise application of a region.

#ifndef STRATA_VHLO_REDUCE
#define STRATA_VHLO_REDUCE

include "vhlo/base.td"

def MapOpV1 : VHLO_Op<"map_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$dimensions);
  let regions = (region AnyRegion:$computation);
  let results = (outs VHLO_Value:$result);
}

def ReduceOpV1 : VHLO_Op<"reduce_v1", "0.9.0", VHLO_Current, [SameVariadicOperandSize]> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Values:$init_values, VHLO_Attr:$dimensions);
  let regions = (region AnyRegion:$body);
  let results = (outs VHLO_Values:$results);
}

#endif // STRATA_VHLO_REDUCE
