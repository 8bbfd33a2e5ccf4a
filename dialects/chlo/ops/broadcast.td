// Operations that broadcast their operands to a common shape first.

#ifndef STRATA_CHLO_BROADCAST
#define STRATA_CHLO_BROADCAST

include "chlo/base.td"

class CHLO_Broadcast<string mnemonic, list<Trait> traits>
    : CHLO_Op<mnemonic, !listconcat(traits, [Pure, InferTypeOpAdaptor])> {
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)
  }];
}

class CHLO_BroadcastBinary<string mnemonic, Type type, list<Trait> traits>
    : CHLO_Broadcast<mnemonic, traits> {
  let arguments = (ins type:$lhs, type:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs type);
}

def BroadcastAddOp : CHLO_BroadcastBinary<"broadcast_add", CHLO_Tensor,
    [Commutative, CompatibleOperandsAndResultElementType]> {
  let summary = "sum, after broadcasting";
}
def BroadcastAndOp : CHLO_BroadcastBinary<"broadcast_and", CHLO_BoolOrIntTensor,
    [Commutative]> {
  let summary = "logical or bitwise and, after broadcasting";
}
def BroadcastAtan2Op : CHLO_BroadcastBinary<"broadcast_atan2", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "angle of a point, after broadcasting";
}
def BroadcastDivideOp : CHLO_BroadcastBinary<"broadcast_divide", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "quotient, after broadcasting";
}
def BroadcastMaximumOp : CHLO_BroadcastBinary<"broadcast_maximum", CHLO_Tensor,
    [Commutative, CompatibleOperandsAndResultElementType]> {
  let summary = "larger of two, after broadcasting";
}
def BroadcastMinimumOp : CHLO_BroadcastBinary<"broadcast_minimum", CHLO_Tensor,
    [Commutative, CompatibleOperandsAndResultElementType]> {
  let summary = "smaller of two, after broadcasting";
}
def BroadcastMultiplyOp : CHLO_BroadcastBinary<"broadcast_multiply", CHLO_Tensor,
    [Commutative, SameOperandsAndResultElementType]> {
  let summary = "product, after broadcasting";
}
def BroadcastNextAfterOp : CHLO_BroadcastBinary<"broadcast_next_after", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "neighbouring value in a direction, after broadcasting";
}
def BroadcastOrOp : CHLO_BroadcastBinary<"broadcast_or", CHLO_BoolOrIntTensor,
    [Commutative]> {
  let summary = "logical or bitwise or, after broadcasting";
}
def BroadcastPolygammaOp : CHLO_BroadcastBinary<"broadcast_polygamma", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "derivatives of the digamma function, after broadcasting";
}
def BroadcastPowerOp : CHLO_BroadcastBinary<"broadcast_power", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "power, after broadcasting";
}
def BroadcastRemainderOp : CHLO_BroadcastBinary<"broadcast_remainder", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "remainder, after broadcasting";
}
def BroadcastShiftLeftOp : CHLO_BroadcastBinary<"broadcast_shift_left", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "bits shifted to the left, after broadcasting";
}
def BroadcastShiftRightArithmeticOp : CHLO_BroadcastBinary<"broadcast_shift_right_arithmetic", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "bits shifted to the right, sign kept, after broadcasting";
}
def BroadcastShiftRightLogicalOp : CHLO_BroadcastBinary<"broadcast_shift_right_logical", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "bits shifted to the right, zeros shifted in, after broadcasting";
}
def BroadcastSubtractOp : CHLO_BroadcastBinary<"broadcast_subtract", CHLO_Tensor,
    [SameOperandsAndResultElementType]> {
  let summary = "difference, after broadcasting";
}
def BroadcastXorOp : CHLO_BroadcastBinary<"broadcast_xor", CHLO_BoolOrIntTensor,
    [Commutative]> {
  let summary = "logical or bitwise exclusive or, after broadcasting";
}
def BroadcastZetaOp : CHLO_BroadcastBinary<"broadcast_zeta", CHLO_FloatTensor,
    [SameOperandsAndResultElementType]> {
  let summary = "Hurwitz zeta function, after broadcasting";
}

def BroadcastCompareOp : CHLO_Broadcast<"broadcast_compare", []> {
  let summary = "relation between elements, after broadcasting";
  let arguments = (ins CHLO_Tensor:$lhs, CHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs CHLO_BoolTensor);
}

def BroadcastComplexOp : CHLO_Broadcast<"broadcast_complex", []> {
  let summary = "complex numbers from their parts, after broadcasting";
  let arguments = (ins CHLO_FloatTensor:$lhs, CHLO_FloatTensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs CHLO_ComplexTensor);
}

def BroadcastSelectOp : CHLO_Op<"broadcast_select", [Pure, InferTypeOpAdaptor]> {
  let summary = "choice between elements, after broadcasting of all three operands";
  let arguments = (ins StableHLO_BoolTensor:$pred, CHLO_Tensor:$on_true, CHLO_Tensor:$on_false);
  let results = (outs CHLO_Tensor);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
      `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type(results)
  }];
}

#endif // STRATA_CHLO_BROADCAST
