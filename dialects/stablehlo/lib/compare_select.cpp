// Comparison and choice: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/compare_select.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/compare_select.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addCompareSelectOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/compare_select.cpp.inc"
      >();
}

} // namespace strata::stablehlo
