// Functions of operands of one shape: type inference.

#include "chlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/elementwise.h.inc"

#define GET_OP_CLASSES
#include "chlo/ops/elementwise.cpp.inc"

namespace strata::chlo {

void CHLODialect::addElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "chlo/ops/elementwise.cpp.inc"
      >();
}

static LogicalResult inferPredicate(Type operand, SmallVectorImpl<Type> &types) {
  auto shaped = cast<ShapedType>(operand);
  types.push_back(shaped.clone(IntegerType::get(operand.getContext(), 1)));
  return success();
}

LogicalResult IsInfOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return inferPredicate(adaptor.getOperand().getType(), types);
}

LogicalResult IsNegInfOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return inferPredicate(adaptor.getOperand().getType(), types);
}

LogicalResult IsPosInfOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return inferPredicate(adaptor.getOperand().getType(), types);
}

} // namespace strata::chlo
