// Random numbers: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/rng.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/rng.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addRngOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/rng.cpp.inc"
      >();
}

} // namespace strata::stablehlo
