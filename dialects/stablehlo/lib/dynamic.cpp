// Operations of computed shape: checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/dynamic.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/dynamic.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/dynamic.cpp.inc"
      >();
}

} // namespace strata::stablehlo
