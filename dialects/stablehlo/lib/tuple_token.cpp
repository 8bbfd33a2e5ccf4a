// Tuples and tokens: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/tuple_token.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/tuple_token.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addTupleTokenOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/tuple_token.cpp.inc"
      >();
}

} // namespace strata::stablehlo
