// Comparison and choice: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/compare_select.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/compare_select.cpp.inc"

namespace strata::stablehlo {

LogicalResult ClampOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  auto check = [&](StringRef name, Value value) -> LogicalResult {
    RankedTensorType type = tensorType(value);
    if (type.getRank() == 0 || succeeded(verifyCompatibleShape(type, operand)))
      return success();
    return emitOptionalError(location, "expected ", name, " to be a scalar or to have shape of ",
                             operand, ", found ", type);
  };
  // clamp_c1, clamp_c2
  if (failed(check("min", adaptor.getMin())) || failed(check("max", adaptor.getMax())))
    return failure();
  // clamp_c4
  types.push_back(operand);
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // compare_c1, compare_c2
  Type boolean = IntegerType::get(adaptor.getLhs().getContext(), 1);
  Type type;
  if (failed(mostSpecificType(location,
                              {withElement(tensorType(adaptor.getLhs()), boolean),
                               withElement(tensorType(adaptor.getRhs()), boolean)},
                              type)))
    return failure();
  types.push_back(type);
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // select_c2
  Type onTrue = getElementTypeOrSelf(adaptor.getOnTrue()),
       onFalse = getElementTypeOrSelf(adaptor.getOnFalse());
  if (isa<quant::QuantizedType>(onTrue) && onTrue != onFalse)
    return emitOptionalError(location, "expected on_false of element type ", onTrue, ", found ",
                             onFalse);
  Type type;
  if (failed(mostSpecificType(location,
                              {adaptor.getOnTrue().getType(), adaptor.getOnFalse().getType()},
                              type)))
    return failure();
  // select_c1
  RankedTensorType pred = tensorType(adaptor.getPred());
  if (pred.getRank() != 0 && failed(verifyCompatibleShape(pred, adaptor.getOnTrue().getType())))
    return emitOptionalError(location, "expected pred to be a scalar or to have the shape of ",
                             adaptor.getOnTrue().getType(), ", found ", pred);
  types.push_back(type);
  return success();
}

void StableHLODialect::addCompareSelectOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/compare_select.cpp.inc"
      >();
}

} // namespace strata::stablehlo
