// Constants, also of the shape of another value.

#ifndef STRATA_CHLO_CONSTANT
#define STRATA_CHLO_CONSTANT

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "chlo/base.td"

def ConstantOp : CHLO_Op<"constant", [Pure, ConstantLike, InferTypeOpAdaptor]> {
  let summary = "a constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<[F, P, I, C, Q]>:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def ConstantLikeOp : CHLO_Op<"constant_like", [
    Pure, SameOperandsAndResultShape, InferTypeOpAdaptor]> {
  let summary = "a constant in all elements of the operand's shape";
  let arguments = (ins CHLO_Tensor:$operand, TypedAttrInterface:$value);
  let results = (outs CHLO_Tensor);
  let hasVerifier = 1;
}

#endif // STRATA_CHLO_CONSTANT
