// Batch normalisation: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/batch_norm.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/batch_norm.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addBatchNormOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/batch_norm.cpp.inc"
      >();
}

} // namespace strata::stablehlo
