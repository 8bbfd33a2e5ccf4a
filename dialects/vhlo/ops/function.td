// Functions and calls of them.

#ifndef STRATA_VHLO_FUNCTION
#define STRATA_VHLO_FUNCTION

include "vhlo/base.td"

def CallOpV1 : VHLO_Op<"call_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operands, VHLO_Attr:$callee);
  let results = (outs VHLO_Values:$results);
}

def FuncOpV1 : VHLO_Op<"func_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Attr:$arg_attrs, VHLO_Attr:$function_type, VHLO_Attr:$res_attrs,
                       VHLO_Attr:$sym_name, VHLO_Attr:$sym_visibility);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}

#endif // STRATA_VHLO_FUNCTION
