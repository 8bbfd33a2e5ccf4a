// Conversion between element types.

#ifndef STRATA_VHLO_CONVERT
#define STRATA_VHLO_CONVERT

include "vhlo/base.td"

def BitcastConvertOpV1 : VHLO_Unary<"bitcast_convert_v1", "0.9.0", VHLO_Current>;
def ConvertOpV1 : VHLO_Unary<"convert_v1", "0.9.0", VHLO_Current>;

def ReducePrecisionOpV1 : VHLO_Op<"reduce_precision_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$exponent_bits, VHLO_Attr:$mantissa_bits);
  let results = (outs VHLO_Value:$output);
}

#endif // STRATA_VHLO_CONVERT
