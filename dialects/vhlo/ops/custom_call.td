// Calls of foreign functions and of named compositions.

#ifndef STRATA_VHLO_CUSTOM_CALL
#define STRATA_VHLO_CUSTOM_CALL

include "vhlo/base.td"

def CompositeOpV1 : VHLO_Op<"composite_v1", "0.19.0", "1.13.0"> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$composite_attributes,
                       VHLO_Attr:$decomposition, VHLO_Attr:$name, VHLO_Attr:$version);
  let results = (outs VHLO_Values:$results);
}

def CompositeOpV2 : VHLO_Op<"composite_v2", "1.14.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$composite_attributes,
                       VHLO_Attr:$decomposition, VHLO_Attr:$name, VHLO_Attr:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs VHLO_Values:$results);
}

def CustomCallOpV1 : VHLO_Op<"custom_call_v1", "0.9.0", "1.17.0"> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$api_version, VHLO_Attr:$backend_config,
                       VHLO_Attr:$call_target_name, VHLO_Attr:$called_computations,
                       VHLO_Attr:$has_side_effect, VHLO_Attr:$operand_layouts,
                       VHLO_Attr:$output_operand_aliases, VHLO_Attr:$result_layouts);
  let results = (outs VHLO_Values:$results);
}

def CustomCallOpV2 : VHLO_Op<"custom_call_v2", "1.18.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$api_version, VHLO_Attr:$backend_config,
                       VHLO_Attr:$call_target_name, VHLO_Attr:$called_computations,
                       VHLO_Attr:$has_side_effect, VHLO_Attr:$operand_layouts,
                       VHLO_Attr:$output_operand_aliases, VHLO_Attr:$result_layouts,
                       VHLO_Attr:$result_tilings);
  let results = (outs VHLO_Values:$results);
}

#endif // STRATA_VHLO_CUSTOM_CALL
