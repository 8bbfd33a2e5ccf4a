// Functions of one or two operands of the same shape.

#ifndef STRATA_CHLO_ELEMENTWISE
#define STRATA_CHLO_ELEMENTWISE

include "chlo/base.td"

class CHLO_Unary<string mnemonic, Type type>
    : CHLO_Op<mnemonic, [
        Pure, Elementwise, SameOperandsAndResultShape, CompatibleOperandsAndResultType]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class CHLO_Predicate<string mnemonic>
    : CHLO_Op<mnemonic, [
        Pure, Elementwise, SameOperandsAndResultShape, InferTypeOpAdaptor]> {
  let arguments = (ins CHLO_FloatTensor:$operand);
  let results = (outs CHLO_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class CHLO_Binary<string mnemonic, dag operands, Type resultType, string first, string second,
                  list<Trait> traits = []>
    : CHLO_Op<mnemonic, !listconcat(traits, [Pure, CompatibleOperandsAndResultType])> {
  let arguments = operands;
  let results = (outs resultType:$result);
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($" # first
    # ") `,` type($" # second # ") `->` type($result)";
}

def AsinAcosKernelOp : CHLO_Unary<"_asin_acos_kernel", CHLO_ComplexTensor> {
  let summary = "the part that the complex arc sine and arc cosine share";
}
def AcosOp : CHLO_Unary<"acos", CHLO_FloatOrComplexTensor> { let summary = "arc cosine"; }
def AcoshOp : CHLO_Unary<"acosh", CHLO_FloatOrComplexTensor> {
  let summary = "inverse hyperbolic cosine";
}
def AsinOp : CHLO_Unary<"asin", CHLO_FloatOrComplexTensor> { let summary = "arc sine"; }
def AsinhOp : CHLO_Unary<"asinh", CHLO_FloatOrComplexTensor> {
  let summary = "inverse hyperbolic sine";
}
def AtanOp : CHLO_Unary<"atan", CHLO_FloatOrComplexTensor> { let summary = "arc tangent"; }
def AtanhOp : CHLO_Unary<"atanh", CHLO_FloatOrComplexTensor> {
  let summary = "inverse hyperbolic tangent";
}
def BesselI1eOp : CHLO_Unary<"bessel_i1e", CHLO_FloatOrComplexTensor> {
  let summary = "exponentially scaled modified Bessel function of order 1";
}
def ConjOp : CHLO_Unary<"conj", CHLO_FloatOrComplexTensor> { let summary = "complex conjugate"; }
def CoshOp : CHLO_Unary<"cosh", CHLO_FloatOrComplexTensor> { let summary = "hyperbolic cosine"; }
def DigammaOp : CHLO_Unary<"digamma", CHLO_FloatTensor> {
  let summary = "derivative of the logarithm of the gamma function";
}
def ErfOp : CHLO_Unary<"erf", CHLO_FloatTensor> { let summary = "error function"; }
def ErfInvOp : CHLO_Unary<"erf_inv", CHLO_FloatTensor> { let summary = "inverse error function"; }
def ErfcOp : CHLO_Unary<"erfc", CHLO_FloatTensor> { let summary = "complementary error function"; }
def LgammaOp : CHLO_Unary<"lgamma", CHLO_FloatTensor> {
  let summary = "logarithm of the absolute value of the gamma function";
}
def SinhOp : CHLO_Unary<"sinh", CHLO_FloatOrComplexTensor> { let summary = "hyperbolic sine"; }
def SquareOp : CHLO_Unary<"square", CHLO_FloatOrComplexTensor> { let summary = "square"; }
def TanOp : CHLO_Unary<"tan", CHLO_FloatOrComplexTensor> { let summary = "tangent"; }

def IsInfOp : CHLO_Predicate<"is_inf"> { let summary = "whether infinite"; }
def IsNegInfOp : CHLO_Predicate<"is_neg_inf"> { let summary = "whether negative infinity"; }
def IsPosInfOp : CHLO_Predicate<"is_pos_inf"> { let summary = "whether positive infinity"; }

def MulhiOp : CHLO_Binary<"mulhi", (ins StableHLO_IntTensor:$lhs, StableHLO_IntTensor:$rhs),
                          StableHLO_IntTensor, "lhs", "rhs", [Commutative]> {
  let summary = "upper half of the product of integers";
}
def NextAfterOp : CHLO_Binary<"next_after", (ins CHLO_FloatTensor:$x, CHLO_FloatTensor:$y),
                              CHLO_FloatTensor, "x", "y"> {
  let summary = "the value next to x in the direction of y";
}
def PolygammaOp : CHLO_Binary<"polygamma", (ins CHLO_FloatTensor:$n, CHLO_FloatTensor:$x),
                              CHLO_FloatTensor, "n", "x"> {
  let summary = "n-th derivative of the digamma function";
}
def ZetaOp : CHLO_Binary<"zeta", (ins CHLO_FloatTensor:$x, CHLO_FloatTensor:$q),
                         CHLO_FloatTensor, "x", "q"> {
  let summary = "Hurwitz zeta function";
}

#endif // STRATA_CHLO_ELEMENTWISE
