// Between real numbers and their quantized form.

#ifndef STRATA_VHLO_QUANTIZED
#define STRATA_VHLO_QUANTIZED

include "vhlo/base.td"

def UniformDequantizeOpV1 : VHLO_Unary<"uniform_dequantize_v1", "0.9.0", VHLO_Current>;
def UniformQuantizeOpV1 : VHLO_Unary<"uniform_quantize_v1", "0.9.0", VHLO_Current>;

#endif // STRATA_VHLO_QUANTIZED
