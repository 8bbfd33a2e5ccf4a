// Tuples, tokens and the barrier.

#ifndef STRATA_VHLO_TUPLE_TOKEN
#define STRATA_VHLO_TUPLE_TOKEN

include "vhlo/base.td"

def AfterAllOpV1 : VHLO_Op<"after_all_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs);
  let results = (outs VHLO_Value:$result);
}

def CreateTokenOpV1 : VHLO_Op<"create_token_v1", "0.9.0", VHLO_Current> {
  let results = (outs VHLO_Value:$output);
}

def GetTupleElementOpV1 : VHLO_Op<"get_tuple_element_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$index);
  let results = (outs VHLO_Value:$result);
}

def OptimizationBarrierOpV1 : VHLO_Op<"optimization_barrier_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operand);
  let results = (outs VHLO_Values:$result);
}

def TupleOpV1 : VHLO_Op<"tuple_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$val);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_TUPLE_TOKEN
