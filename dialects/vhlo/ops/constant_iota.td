// Tensors that have no operands.

#ifndef STRATA_VHLO_CONSTANT_IOTA
#define STRATA_VHLO_CONSTANT_IOTA

include "vhlo/base.td"

def ConstantOpV1 : VHLO_Op<"constant_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Attr:$value);
  let results = (outs VHLO_Value:$output);
}

def IotaOpV1 : VHLO_Op<"iota_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Attr:$iota_dimension);
  let results = (outs VHLO_Value:$output);
}

#endif // STRATA_VHLO_CONSTANT_IOTA
