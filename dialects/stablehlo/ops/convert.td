// Conversion between element types.

#ifndef STRATA_STABLEHLO_CONVERT
#define STRATA_STABLEHLO_CONVERT

include "stablehlo/attributes.td"

def BitcastConvertOp : StableHLO_Op<"bitcast_convert", [
    NoMemoryEffect, SpeculatableIfAllInputsStatic]> {
  let summary = "the same bits read as another element type";
  let arguments = (ins StableHLO_TensorOrPerAxis:$operand);
  let results = (outs StableHLO_TensorOrPerAxis);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// convert_c1: one shape.
def ConvertOp : StableHLO_Op<"convert", [
    CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
    SpeculatableIfStaticDimInOutputIsStaticInInput]> {
  let summary = "the value nearest in another element type";
  let arguments = (ins RankedTensorOf<[F, P, I, C]>:$operand);
  let results = (outs RankedTensorOf<[F, P, I, C]>:$result);
  let assemblyFormat =
    "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

// reduce_precision_c1: one type; reduce_precision_c2, reduce_precision_c3: the least number of bits.
def ReducePrecisionOp : StableHLO_Op<"reduce_precision", [
    Elementwise, CompatibleOperandsAndResultType, NoMemoryEffect,
    SpeculatableIfStaticDimInOutputIsStaticInInput]> {
  let summary = "rounding through a format of fewer bits";
  let arguments = (ins StableHLO_FloatTensor:$operand,
                       ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let results = (outs StableHLO_FloatTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

#endif // STRATA_STABLEHLO_CONVERT
