// Reduction over sliding windows, and its transpose.

#ifndef STRATA_VHLO_WINDOW
#define STRATA_VHLO_WINDOW

include "vhlo/base.td"

def ReduceWindowOpV1
    : VHLO_Op<"reduce_window_v1", "0.9.0", VHLO_Current, [SameVariadicOperandSize]> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Values:$init_values, VHLO_Attr:$base_dilations,
                       VHLO_Attr:$padding, VHLO_Attr:$window_dilations,
                       VHLO_Attr:$window_dimensions, VHLO_Attr:$window_strides);
  let regions = (region AnyRegion:$body);
  let results = (outs VHLO_Values:$results);
}

def SelectAndScatterOpV1 : VHLO_Op<"select_and_scatter_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Value:$source, VHLO_Value:$init_value,
                       VHLO_Attr:$padding, VHLO_Attr:$window_dimensions,
                       VHLO_Attr:$window_strides);
  let regions = (region AnyRegion:$select, AnyRegion:$scatter);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_WINDOW
