// The interpreter dialect: what test programs ask of the evaluator.

#ifndef STRATA_INTERPRETER_OPS
#define STRATA_INTERPRETER_OPS

include "stablehlo/base.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::strata::interpreter";
  let summary = "Running programs concurrently, recording and printing values";
}

class Interpreter_Op<string mnemonic, list<Trait> traits = []>
    : Op<Interpreter_Dialect, mnemonic, traits>;

def PrintOp : Interpreter_Op<"print"> {
  let summary = "prints a value";
  let arguments = (ins StableHLO_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def ProbeOp : Interpreter_Op<"probe", [SameOperandsAndResultType]> {
  let summary = "records a value and passes it on";
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$probe_id);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` type($operand)";
}

def RunParallelOp : Interpreter_Op<"run_parallel"> {
  let summary = "runs a grid of functions, replicas by partitions, concurrently";
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$inputs,
                       OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "functions">>:$infeed,
                       TypedArrayAttrBase<TypedArrayAttrBase<FlatSymbolRefAttr, "functions">,
                                          "replicas of partitions">:$programs);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
}

#endif // STRATA_INTERPRETER_OPS
