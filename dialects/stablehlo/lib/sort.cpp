// Sorting: checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/sort.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/sort.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addSortOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/sort.cpp.inc"
      >();
}

} // namespace strata::stablehlo
