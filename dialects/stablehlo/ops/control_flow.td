// Choice, loops and the terminator of regions.

#ifndef STRATA_STABLEHLO_CONTROL_FLOW
#define STRATA_STABLEHLO_CONTROL_FLOW

include "stablehlo/attributes.td"

def CaseOp : StableHLO_Op<"case", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "one of several branches, chosen by an index";
  let arguments = (ins StableHLO_Int32Tensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<StableHLO_PerAxisOrToken>);
}

def IfOp : StableHLO_Op<"if", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor]> {
  let summary = "one of two branches";
  let arguments = (ins StableHLO_BoolTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<StableHLO_PerAxisOrToken>);
}

def ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let summary = "values that a region yields";
  let arguments = (ins Variadic<StableHLO_TensorTokenOrBuffer>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def WhileOp : StableHLO_Op<"while", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a body repeated while a condition holds";
  let arguments = (ins Variadic<StableHLO_TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_TensorTokenOrBuffer>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_CONTROL_FLOW
