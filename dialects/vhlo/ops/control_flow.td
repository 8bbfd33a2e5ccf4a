// Choice, loops and the terminator of regions.

#ifndef STRATA_VHLO_CONTROL_FLOW
#define STRATA_VHLO_CONTROL_FLOW

include "vhlo/base.td"

def CaseOpV1 : VHLO_Op<"case_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$index);
  let regions = (region VariadicRegion<AnyRegion>:$branches);
  let results = (outs VHLO_Values:$results);
}

def IfOpV1 : VHLO_Op<"if_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$pred);
  let regions = (region AnyRegion:$true_branch, AnyRegion:$false_branch);
  let results = (outs VHLO_Values:$results);
}

def ReturnOpV1 : VHLO_Op<"return_v1", "0.9.0", VHLO_Current, [Terminator]> {
  let arguments = (ins VHLO_Values:$results);
}

def WhileOpV1 : VHLO_Op<"while_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$operand);
  let regions = (region AnyRegion:$cond, AnyRegion:$body);
  let results = (outs VHLO_Values:$results);
}

#endif // STRATA_VHLO_CONTROL_FLOW
