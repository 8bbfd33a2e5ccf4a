// Gather and scatter: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/gather_scatter.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/gather_scatter.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addGatherScatterOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/gather_scatter.cpp.inc"
      >();
}

} // namespace strata::stablehlo
