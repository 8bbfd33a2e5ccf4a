// The mhlo dialect: registration. No stage sees its operations.

#include "mhlo/dialect.h"

using namespace mlir;

#include "mhlo/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "mhlo/ops.cpp.inc"

namespace strata::mhlo {

void MHLODialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "mhlo/ops.cpp.inc"
      >();
}

} // namespace strata::mhlo
