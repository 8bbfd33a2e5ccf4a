// Elementwise arithmetic, mathematical functions, bits and complex parts.

#ifndef STRATA_STABLEHLO_ELEMENTWISE
#define STRATA_STABLEHLO_ELEMENTWISE

include "stablehlo/attributes.td"

// Programs print one type when all operands and results share it.
defvar unaryFormat =
  "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
defvar binaryFormat = [{
  $lhs `,` $rhs attr-dict
    `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
}];

class StableHLO_Unary<string mnemonic, Type operandType, list<Trait> traits = [],
                      Type resultType = operandType>
    : StableHLO_Op<mnemonic, !listconcat(traits, [
        CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
        SpeculatableIfStaticDimInOutputIsStaticInInput])> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = unaryFormat;
}

// cbrt_c1, ceil_c1, count_leading_zeros_c1, cosine_c1, exponential_c1, exponential_minus_one_c1,
// floor_c1, log_c1, log_plus_one_c1, logistic_c1, negate_c1, not_c1, popcnt_c1,
// round_nearest_afz_c1, round_nearest_even_c1, rsqrt_c1, sign_c1, sine_c1, sqrt_c1, tan_c1,
// tanh_c1: one type of operand and result.
class StableHLO_UnaryOfOneType<string mnemonic, Type type>
    : StableHLO_Unary<mnemonic, type, [CompatibleOperandsAndResultType]>;

// Functions whose accuracy can be asked for.
class StableHLO_Function<string mnemonic>
    : StableHLO_UnaryOfOneType<mnemonic, StableHLO_FloatOrComplexTensor> {
  let arguments = (ins StableHLO_FloatOrComplexTensor:$operand,
                       StableHLO_OptionalResultAccuracy:$result_accuracy);
}

class StableHLO_Binary<string mnemonic, Type operandType, list<Trait> traits = [],
                       Type resultType = operandType>
    : StableHLO_Op<mnemonic, !listconcat(traits, [
        CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
        SpeculatableIfAllInputsStatic])> {
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs resultType:$result);
  let assemblyFormat = binaryFormat;
}

// and_c1, atan2_c1, divide_c1, maximum_c1, minimum_c1, multiply_c1, or_c1, power_c1, remainder_c1,
// shift_left_c1, shift_right_arithmetic_c1, shift_right_logical_c1, subtract_c1, xor_c1: one type
// of operands and result.
class StableHLO_BinaryOfOneType<string mnemonic, Type type, list<Trait> traits = [],
                                Type resultType = type>
    : StableHLO_Binary<mnemonic, type, !listconcat(traits, [CompatibleOperandsAndResultType]),
                       resultType>;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

def AbsOp : StableHLO_Unary<"abs", RankedTensorOf<[S, F, C, Q]>,
                            [DeclareOpInterfaceMethods<InferTypeOpInterface>],
                            RankedTensorOf<[S, F, Q]>> {
  let summary = "absolute value; the modulus of complex numbers";
}
def CbrtOp : StableHLO_Function<"cbrt"> { let summary = "cubic root"; }
def CeilOp : StableHLO_UnaryOfOneType<"ceil", StableHLO_FloatTensor> {
  let summary = "the smallest integral value not below the operand";
}
def ClzOp : StableHLO_UnaryOfOneType<"count_leading_zeros", StableHLO_IntTensor> {
  let summary = "number of zero bits above the highest one";
}
def CosineOp : StableHLO_Function<"cosine"> { let summary = "cosine"; }
def ExpOp : StableHLO_Function<"exponential"> { let summary = "e to the power of the operand"; }
def Expm1Op : StableHLO_Function<"exponential_minus_one"> {
  let summary = "exponential less one, accurate near zero";
}
def FloorOp : StableHLO_UnaryOfOneType<"floor", StableHLO_FloatTensor> {
  let summary = "the largest integral value not above the operand";
}
def ImagOp : StableHLO_Unary<"imag", StableHLO_FloatOrComplexOnlyTensor,
                             [DeclareOpInterfaceMethods<InferTypeOpInterface>],
                             RankedTensorOf<[F]>> {
  let summary = "imaginary part";
}
def IsFiniteOp : StableHLO_Op<"is_finite", [
    CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
    SpeculatableIfStaticDimInOutputIsStaticInInput,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "whether a number is neither infinite nor NaN";
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def LogOp : StableHLO_Function<"log"> { let summary = "natural logarithm"; }
def Log1pOp : StableHLO_Function<"log_plus_one"> {
  let summary = "logarithm of one plus the operand, accurate near zero";
}
def LogisticOp : StableHLO_Function<"logistic"> { let summary = "1 / (1 + exp(-x))"; }
def NegOp : StableHLO_UnaryOfOneType<"negate", StableHLO_ArithmeticTensor> {
  let summary = "negation";
}
def NotOp : StableHLO_UnaryOfOneType<"not", StableHLO_BoolOrIntTensor> {
  let summary = "logical or bitwise complement";
}
def PopulationCountOp : StableHLO_UnaryOfOneType<"popcnt", StableHLO_IntTensor> {
  let summary = "number of one bits";
}
def RealOp : StableHLO_Unary<"real", StableHLO_FloatOrComplexOnlyTensor,
                             [DeclareOpInterfaceMethods<InferTypeOpInterface>],
                             RankedTensorOf<[F]>> {
  let summary = "real part";
}
def RoundOp : StableHLO_UnaryOfOneType<"round_nearest_afz", StableHLO_FloatTensor> {
  let summary = "nearest integral value, ties away from zero";
}
def RoundNearestEvenOp : StableHLO_UnaryOfOneType<"round_nearest_even", StableHLO_FloatTensor> {
  let summary = "nearest integral value, ties to even";
}
def RsqrtOp : StableHLO_Function<"rsqrt"> { let summary = "reciprocal of the square root"; }
def SignOp : StableHLO_UnaryOfOneType<"sign", StableHLO_SignedArithmeticTensor> {
  let summary = "-1, 0 or 1; z / |z| for complex numbers";
}
def SineOp : StableHLO_Function<"sine"> { let summary = "sine"; }
def SqrtOp : StableHLO_Function<"sqrt"> { let summary = "square root"; }
def TanOp : StableHLO_Function<"tan"> { let summary = "tangent"; }
def TanhOp : StableHLO_Function<"tanh"> { let summary = "hyperbolic tangent"; }

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

def AddOp : StableHLO_Binary<"add", StableHLO_TensorOrPerAxis,
                             [Commutative, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "sum; logical or of booleans";
  let hasVerifier = 1;
}
def AndOp : StableHLO_BinaryOfOneType<"and", StableHLO_BoolOrIntTensor, [Commutative],
                                      StableHLO_Tensor> {
  let summary = "logical or bitwise conjunction";
}
def Atan2Op : StableHLO_BinaryOfOneType<"atan2", StableHLO_FloatOrComplexTensor> {
  let summary = "angle of the point (rhs, lhs)";
}
def ComplexOp : StableHLO_Op<"complex", [
    CompatibleShapes, Elementwise, SameOperandsAndResultShape, NoMemoryEffect,
    SpeculatableIfAllInputsStatic, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "complex number of a real and an imaginary part";
  let arguments = (ins RankedTensorOf<[StableHLO_Float32Or64]>:$lhs,
                       RankedTensorOf<[StableHLO_Float32Or64]>:$rhs);
  let results = (outs RankedTensorOf<[C]>:$result);
  let assemblyFormat =
    "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}
def DivOp : StableHLO_BinaryOfOneType<"divide", StableHLO_ArithmeticTensor> {
  let summary = "quotient";
}
def MaxOp : StableHLO_BinaryOfOneType<"maximum", StableHLO_Tensor, [Commutative]> {
  let summary = "larger of two; logical or of booleans; lexicographic for complex numbers";
}
def MinOp : StableHLO_BinaryOfOneType<"minimum", StableHLO_Tensor, [Commutative]> {
  let summary = "smaller of two; logical and of booleans; lexicographic for complex numbers";
}
def MulOp : StableHLO_BinaryOfOneType<"multiply", StableHLO_Tensor, [Commutative]> {
  let summary = "product; logical and of booleans";
}
def OrOp : StableHLO_BinaryOfOneType<"or", StableHLO_BoolOrIntTensor, [Commutative],
                                     StableHLO_Tensor> {
  let summary = "logical or bitwise disjunction";
}
def PowOp : StableHLO_BinaryOfOneType<"power", StableHLO_ArithmeticTensor> {
  let summary = "lhs to the power of rhs";
}
def RemOp : StableHLO_BinaryOfOneType<"remainder", StableHLO_ArithmeticTensor> {
  let summary = "remainder of the division, with the sign of the dividend";
}
def ShiftLeftOp : StableHLO_BinaryOfOneType<"shift_left", StableHLO_IntTensor> {
  let summary = "shift towards the high bits";
}
def ShiftRightArithmeticOp
    : StableHLO_BinaryOfOneType<"shift_right_arithmetic", StableHLO_IntTensor> {
  let summary = "shift towards the low bits that keeps the sign";
}
def ShiftRightLogicalOp : StableHLO_BinaryOfOneType<"shift_right_logical", StableHLO_IntTensor> {
  let summary = "shift towards the low bits that fills with zeros";
}
def SubtractOp : StableHLO_BinaryOfOneType<"subtract", StableHLO_ArithmeticTensor> {
  let summary = "difference";
}
def XorOp : StableHLO_BinaryOfOneType<"xor", StableHLO_BoolOrIntTensor, [Commutative],
                                      StableHLO_Tensor> {
  let summary = "logical or bitwise exclusive disjunction";
}

#endif // STRATA_STABLEHLO_ELEMENTWISE
