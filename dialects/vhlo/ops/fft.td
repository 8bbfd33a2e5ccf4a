// Fourier transforms.

#ifndef STRATA_VHLO_FFT
#define STRATA_VHLO_FFT

include "vhlo/base.td"

def FftOpV1 : VHLO_Op<"fft_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$fft_length, VHLO_Attr:$fft_type);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_FFT
