// The check dialect: expectations in test programs.

#ifndef STRATA_CHECK_OPS
#define STRATA_CHECK_OPS

include "stablehlo/base.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::strata::check";
  let summary = "Expectations about values in test programs";
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;

def Check_FloatOrComplexTensor : TensorOf<[AnyFloat, AnyComplex]>;

def ExpectAlmostEqOp : Check_Op<"expect_almost_eq", [SameTypeOperands]> {
  let summary = "elements differ by less than a tolerance";
  let arguments = (ins Check_FloatOrComplexTensor:$lhs, Check_FloatOrComplexTensor:$rhs,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)
  }];
}

def ExpectAlmostEqConstOp : Check_Op<"expect_almost_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let summary = "elements differ from a constant by less than a tolerance";
  let arguments = (ins Check_FloatOrComplexTensor:$lhs, ElementsAttr:$value,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

def ExpectCloseOp : Check_Op<"expect_close", [
    AllTypesMatch<["actual", "expected"]>, AllShapesMatch<["actual", "expected"]>]> {
  let summary = "elements differ by a number of units in the last place within an interval";
  let arguments = (ins Check_FloatOrComplexTensor:$actual, Check_FloatOrComplexTensor:$expected,
                       DefaultValuedAttr<UI64Attr, "1">:$max_ulp_difference,
                       DefaultValuedOptionalAttr<UI64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected (`,` `max_ulp_difference` `=` $max_ulp_difference^)?
      (`,` `min_ulp_difference` `=` $min_ulp_difference^)? attr-dict
      `:` type($actual) `,` type($expected)
  }];
  let hasVerifier = 1;
}

def ExpectEqOp : Check_Op<"expect_eq", [SameTypeOperands]> {
  let summary = "elements are equal";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def ExpectEqConstOp : Check_Op<"expect_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let summary = "elements equal those of a constant";
  let arguments = (ins StableHLO_Tensor:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

def ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let summary = "elements equal those that a probe recorded";
  let arguments = (ins StableHLO_Tensor:$expected, StrAttr:$probe_id,
                       DefaultValuedOptionalAttr<UI32Attr, "0">:$iteration);
  let assemblyFormat = [{
    $expected `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iteration^)? attr-dict
      `:` type($expected)
  }];
}

#endif // STRATA_CHECK_OPS
