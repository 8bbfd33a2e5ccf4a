// Elementwise operations: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/elementwise.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/elementwise.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/elementwise.cpp.inc"
      >();
}

} // namespace strata::stablehlo
