// A loop over one dimension that carries values.

#ifndef STRATA_CHLO_SCAN
#define STRATA_CHLO_SCAN

include "chlo/base.td"

def ScanOp : CHLO_Op<"scan", [
    AttrSizedOperandSegments, AttrSizedResultSegments, IsolatedFromAbove,
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames",
                                                 "getAsmBlockArgumentNames"]>]> {
  let summary = "a computation applied to the slices along a dimension, carrying values";
  let arguments = (ins Variadic<CHLO_Tensor>:$inputs, Variadic<CHLO_Tensor>:$inits,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<CHLO_Tensor>:$outputs, Variadic<CHLO_Tensor>:$carries);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // STRATA_CHLO_SCAN
