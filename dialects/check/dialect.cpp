// The check dialect: registration. The evaluator gives the operations meaning.

#include "check/dialect.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "check/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "check/ops.cpp.inc"

namespace strata::check {

namespace {
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

LogicalResult ExpectCloseOp::verify() {
  if (getMinUlpDifference() > getMaxUlpDifference())
    return emitOpError("expected min_ulp_difference to be at most max_ulp_difference (")
           << getMaxUlpDifference() << "), found " << getMinUlpDifference();
  return success();
}

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "check/ops.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

} // namespace strata::check
