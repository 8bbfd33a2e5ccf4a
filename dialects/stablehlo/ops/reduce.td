// Reduction and elementwise application of a region.

#ifndef STRATA_STABLEHLO_REDUCE
#define STRATA_STABLEHLO_REDUCE

include "stablehlo/attributes.td"

def MapOp : StableHLO_Op<"map", [
    RecursivelySpeculatableIfAllInputsStatic, RecursiveMemoryEffects, CompatibleShapes,
    SameOperandsAndResultShape,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "a computation applied to each element";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs StableHLO_Tensor);
}

def ReduceOp : StableHLO_Op<"reduce", [
    RecursivelySpeculatableIfAllInputsStatic, RecursiveMemoryEffects, SameVariadicOperandSize,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "elements along dimensions combined by a computation";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Tensor>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasCustomAssemblyFormat = 1;
}

#endif // STRATA_STABLEHLO_REDUCE
