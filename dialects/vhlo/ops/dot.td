// Products that contract dimensions.

#ifndef STRATA_VHLO_DOT
#define STRATA_VHLO_DOT

include "vhlo/base.td"

def DotGeneralOpV1 : VHLO_Op<"dot_general_v1", "0.9.0", "1.5.0"> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Attr:$lhs_batching_dimensions,
                       VHLO_Attr:$lhs_contracting_dimensions, VHLO_Attr:$precision_config,
                       VHLO_Attr:$rhs_batching_dimensions, VHLO_Attr:$rhs_contracting_dimensions);
  let results = (outs VHLO_Value:$result);
}

def DotGeneralOpV2 : VHLO_Op<"dot_general_v2", "1.6.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Attr:$accumulation_type,
                       VHLO_Attr:$allow_imprecise_accumulation,
                       VHLO_Attr:$lhs_batching_dimensions, VHLO_Attr:$lhs_component_count,
                       VHLO_Attr:$lhs_contracting_dimensions, VHLO_Attr:$lhs_precision_type,
                       VHLO_Attr:$num_primitive_operations, VHLO_Attr:$precision_config,
                       VHLO_Attr:$rhs_batching_dimensions, VHLO_Attr:$rhs_component_count,
                       VHLO_Attr:$rhs_contracting_dimensions, VHLO_Attr:$rhs_precision_type);
  let results = (outs VHLO_Value:$result);
}

def DotOpV1 : VHLO_Op<"dot_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Attr:$precision_config);
  let results = (outs VHLO_Value:$result);
}

def EinsumOpV1 : VHLO_Op<"einsum_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs, VHLO_Attr:$einsum_config);
  let results = (outs VHLO_Value:$result);
}

def UnaryEinsumOpV1 : VHLO_Op<"unary_einsum_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$einsum_config);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_DOT
