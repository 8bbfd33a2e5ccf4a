// Reduction over sliding windows, and its transpose.

#ifndef STRATA_STABLEHLO_WINDOW
#define STRATA_STABLEHLO_WINDOW

include "stablehlo/attributes.td"

def ReduceWindowOp : StableHLO_Op<"reduce_window", [
    RecursivelySpeculatableIfAllInputsStatic, RecursiveMemoryEffects, SameVariadicOperandSize,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "elements of each window combined by a computation";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Tensor>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>);
}

def SelectAndScatterOp : StableHLO_Op<"select_and_scatter", [
    RecursivelySpeculatableIfAllInputsStatic, RecursiveMemoryEffects, InferTypeOpAdaptor]> {
  let summary = "values added at the element that each window selects";
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$source,
                       StableHLO_Tensor:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs StableHLO_Tensor);
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_WINDOW
