// Linear algebra: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/linear_algebra.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/linear_algebra.cpp.inc"

namespace strata::stablehlo {

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensorType(adaptor.getA());
  // cholesky_c2
  if (a.getRank() < 2)
    return emitOptionalError(location, "expected a of rank 2 or more, found ", a);
  // cholesky_c3
  int64_t rows = a.getDimSize(a.getRank() - 2), columns = a.getDimSize(a.getRank() - 1);
  if (!compatible(rows, columns))
    return emitOptionalError(location, "expected square matrices, found ", rows, " rows and ",
                             columns, " columns");
  // cholesky_c1
  types.push_back(a);
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensorType(adaptor.getA()), b = tensorType(adaptor.getB());
  int64_t rank = a.getRank();
  // triangular_solve_c2
  if (rank < 2 || b.getRank() != rank)
    return emitOptionalError(location, "expected operands of equal rank of 2 or more, found ", a,
                             " and ", b);
  // triangular_solve_c3
  for (int64_t i = 0; i + 2 < rank; ++i)
    if (!compatible(a.getDimSize(i), b.getDimSize(i)))
      return emitOptionalError(location, "expected equal batch dimensions, found ", a, " and ", b);
  // triangular_solve_c3
  int64_t rows = a.getDimSize(rank - 2), columns = a.getDimSize(rank - 1);
  if (!compatible(rows, columns))
    return emitOptionalError(location, "expected square matrices, found ", rows, " rows and ",
                             columns, " columns");
  int64_t side = adaptor.getLeftSide() ? rank - 2 : rank - 1;
  if (!compatible(columns, b.getDimSize(side)))
    return emitOptionalError(location, "expected dimension ", side, " of b to be ", columns,
                             ", found ", b.getDimSize(side));
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOptionalError(location, "expected transpose_a to be NO_TRANSPOSE, TRANSPOSE or "
                                       "ADJOINT, found TRANSPOSE_INVALID");
  // triangular_solve_c4
  types.push_back(b);
  return success();
}

Speculation::Speculatability TriangularSolveOp::getSpeculatability() {
  // That the diagonal is one may only hold where the program would have come.
  if (getUnitDiagonal())
    return Speculation::NotSpeculatable;
  return detail::speculatableIfInputsStatic(*this, /*recursive=*/false);
}

void StableHLODialect::addLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/linear_algebra.cpp.inc"
      >();
}

} // namespace strata::stablehlo
