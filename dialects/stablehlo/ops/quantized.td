// Between real numbers and their quantized form.

#ifndef STRATA_STABLEHLO_QUANTIZED
#define STRATA_STABLEHLO_QUANTIZED

include "stablehlo/attributes.td"

// uniform_dequantize_c1: one shape.
def UniformDequantizeOp : StableHLO_Op<"uniform_dequantize", [
    CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
    SpeculatableIfStaticDimInOutputIsStaticInInput, InferTypeOpAdaptor]> {
  let summary = "real numbers of quantized ones";
  let arguments = (ins RankedTensorOf<[Q, A], [HasQuantizedDimension]>:$operand);
  let results = (outs RankedTensorOf<[F]>:$result);
  let assemblyFormat =
    "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

// uniform_quantize_c1: one shape.
def UniformQuantizeOp : StableHLO_Op<"uniform_quantize", [
    CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
    SpeculatableIfStaticDimInOutputIsStaticInInput]> {
  let summary = "quantized numbers nearest to real or quantized ones";
  let arguments = (ins RankedTensorOf<[F, Q, A], [HasQuantizedDimension]>:$operand);
  let results = (outs RankedTensorOf<[Q, A], [HasQuantizedDimension]>:$result);
  let assemblyFormat =
    "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_QUANTIZED
