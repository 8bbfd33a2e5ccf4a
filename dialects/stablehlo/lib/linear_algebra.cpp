// Linear algebra: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/linear_algebra.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/linear_algebra.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/linear_algebra.cpp.inc"
      >();
}

} // namespace strata::stablehlo
