// Windows: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/window.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/window.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addWindowOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/window.cpp.inc"
      >();
}

} // namespace strata::stablehlo
