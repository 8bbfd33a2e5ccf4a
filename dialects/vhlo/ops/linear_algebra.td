// Factorisation and triangular systems.

#ifndef STRATA_VHLO_LINEAR_ALGEBRA
#define STRATA_VHLO_LINEAR_ALGEBRA

include "vhlo/base.td"

def CholeskyOpV1 : VHLO_Op<"cholesky_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$a, VHLO_Attr:$lower);
  let results = (outs VHLO_Value:$result);
}

def TriangularSolveOpV1 : VHLO_Op<"triangular_solve_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$a, VHLO_Value:$b, VHLO_Attr:$left_side, VHLO_Attr:$lower,
                       VHLO_Attr:$transpose_a, VHLO_Attr:$unit_diagonal);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_LINEAR_ALGEBRA
