// Factorisation and triangular systems.

#ifndef STRATA_STABLEHLO_LINEAR_ALGEBRA
#define STRATA_STABLEHLO_LINEAR_ALGEBRA

include "stablehlo/attributes.td"

def CholeskyOp : StableHLO_Op<"cholesky", [
    NoMemoryEffect, CompatibleOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let summary = "triangular factor of Hermitian positive-definite matrices";
  let arguments = (ins StableHLO_FloatOrComplexTensor:$a,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict
      `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

// triangular_solve_c1: one element type.
def TriangularSolveOp : StableHLO_Op<"triangular_solve", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>, CompatibleOperandsAndResultElementType,
    InferTypeOpAdaptor]> {
  let summary = "solutions of triangular systems of equations";
  let arguments = (ins StableHLO_FloatOrComplexOnlyTensor:$a,
                       StableHLO_FloatOrComplexOnlyTensor:$b, BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FloatOrComplexOnlyTensor);
}

#endif // STRATA_STABLEHLO_LINEAR_ALGEBRA
