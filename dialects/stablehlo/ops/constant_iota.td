// Tensors that have no operands.

#ifndef STRATA_STABLEHLO_CONSTANT_IOTA
#define STRATA_STABLEHLO_CONSTANT_IOTA

include "stablehlo/attributes.td"

def ConstantOp : StableHLO_Op<"constant", [
    ConstantLike, Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticTensor:$output);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  // The value of a quantized constant is given in its storage type.
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange left, ::mlir::TypeRange right);
  }];
}

def IotaOp : StableHLO_Op<"iota", [Pure]> {
  let summary = "indices along a dimension";
  let arguments = (ins StableHLO_Dimension:$iota_dimension);
  let results = (outs StaticShapeTensorOf<[I, F, C, Q]>:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_CONSTANT_IOTA
