// Fourier transforms: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/fft.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/fft.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addFftOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/fft.cpp.inc"
      >();
}

} // namespace strata::stablehlo
