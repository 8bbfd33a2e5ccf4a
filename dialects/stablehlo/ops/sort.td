// Sorting.

#ifndef STRATA_STABLEHLO_SORT
#define STRATA_STABLEHLO_SORT

include "stablehlo/attributes.td"

def SortOp : StableHLO_Op<"sort", [
    RecursivelySpeculatableIfAllInputsStatic, RecursiveMemoryEffects, CompatibleShapes,
    SameOperandsAndResultShape,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "tensors reordered together along a dimension by a comparator";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_SORT
