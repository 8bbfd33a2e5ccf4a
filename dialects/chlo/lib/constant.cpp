// Constants: folding, type inference, checks.

#include "chlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/constant.h.inc"

#define GET_OP_CLASSES
#include "chlo/ops/constant.cpp.inc"

namespace strata::chlo {

void CHLODialect::addConstantOps() {
  addOperations<
#define GET_OP_LIST
#include "chlo/ops/constant.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getValue().getShapedType());
  return success();
}

LogicalResult ConstantLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto shaped = dyn_cast<ShapedType>(adaptor.getOperand().getType());
  auto value = adaptor.getValueAttr();
  if (!shaped || !value)
    return emitOptionalError(location, "expected a tensor and a typed value");
  types.push_back(shaped.clone(value.getType()));
  return success();
}

LogicalResult ConstantLikeOp::verify() {
  Type expected = getElementTypeOrSelf(getType());
  if (getValue().getType() != expected)
    return emitOpError("expected a value of the result's element type ")
           << expected << ", found " << getValue().getType();
  return success();
}

} // namespace strata::chlo
