// Fourier transforms.

#ifndef STRATA_STABLEHLO_FFT
#define STRATA_STABLEHLO_FFT

include "stablehlo/attributes.td"

def FftOp : StableHLO_Op<"fft", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic, InferTypeOpAdaptor]> {
  let summary = "discrete Fourier transform over the last dimensions";
  let arguments = (ins StableHLO_FloatOrComplexOnlyTensor:$operand,
                       StableHLO_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FloatOrComplexOnlyTensor);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict
      `:` functional-type(operands, results)
  }];
}

#endif // STRATA_STABLEHLO_FFT
