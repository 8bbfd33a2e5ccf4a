// Tuples, tokens and the barrier.

#ifndef STRATA_STABLEHLO_TUPLE_TOKEN
#define STRATA_STABLEHLO_TUPLE_TOKEN

include "stablehlo/attributes.td"

def AfterAllOp : StableHLO_Op<"after_all", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "a token that comes after all the operands";
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict
      `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}

def CreateTokenOp : StableHLO_Op<"create_token", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "a first token (superseded by after_all)";
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def GetTupleElementOp : StableHLO_Op<"get_tuple_element", [Pure, InferTypeOpAdaptor]> {
  let summary = "one value of a tuple";
  let arguments = (ins StableHLO_Tuple:$operand, ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHLO_TensorTokenTupleOrBuffer);
  let assemblyFormat =
    "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

def OptimizationBarrierOp : StableHLO_Op<"optimization_barrier", [
    Pure, PairwiseSameOperandAndResultType, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "values that nothing is moved across";
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$operand);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
}

def TupleOp : StableHLO_Op<"tuple", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "values grouped into one";
  let arguments = (ins Variadic<StableHLO_TensorTokenTupleOrBuffer>:$val);
  let results = (outs NestedTupleOf<[StableHLO_TensorOrPerAxis, StableHLO_Token,
                                     StableHLO_Buffer]>:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}

#endif // STRATA_STABLEHLO_TUPLE_TOKEN
