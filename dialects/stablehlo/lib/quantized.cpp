// Quantisation: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/quantized.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/quantized.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addQuantizedOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/quantized.cpp.inc"
      >();
}

} // namespace strata::stablehlo
