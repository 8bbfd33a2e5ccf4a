// Quantisation: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/quantized.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/quantized.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// What other families check of quantized elements
//===----------------------------------------------------------------------===//

static quant::UniformQuantizedPerAxisType perAxis(RankedTensorType type) {
  return dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType());
}

LogicalResult checkSameQuantization(OptionalLocation location, RankedTensorType operand,
                                    RankedTensorType result) {
  auto expected = dyn_cast<quant::UniformQuantizedType>(operand.getElementType());
  if (!expected || expected == result.getElementType())
    return success();
  return emitOptionalError(location, "expected a result of element type ", expected, ", found ",
                           result.getElementType());
}

LogicalResult checkSameScales(OptionalLocation location, RankedTensorType operand,
                              RankedTensorType result) {
  auto from = perAxis(operand), to = perAxis(result);
  if (!from || !to ||
      (from.getScales() == to.getScales() && from.getZeroPoints() == to.getZeroPoints()))
    return success();
  return emitOptionalError(location, "expected a result with the scales and zero points of ", from,
                           ", found ", to);
}

LogicalResult checkBroadcastQuantization(OptionalLocation location, RankedTensorType operand,
                                         RankedTensorType result, ArrayRef<int64_t> dims) {
  auto from = perAxis(operand), to = perAxis(result);
  if (!from || !to)
    return success();
  int64_t dimension = from.getQuantizedDimension();
  if (dims[dimension] != to.getQuantizedDimension())
    return emitOptionalError(location, "expected quantized dimension ", dims[dimension],
                             ", found ", to.getQuantizedDimension());
  if (operand.getDimSize(dimension) != 1)
    return success();
  double scale = from.getScales().front();
  int64_t zeroPoint = from.getZeroPoints().front();
  for (auto [toScale, toZeroPoint] : llvm::zip(to.getScales(), to.getZeroPoints()))
    if (toScale != scale || toZeroPoint != zeroPoint)
      return emitOptionalError(location, "expected the operand's only scale and zero point, ",
                               scale, ":", zeroPoint, ", all along the result, found ", toScale,
                               ":", toZeroPoint);
  return success();
}

LogicalResult checkReshapeQuantization(OptionalLocation location, RankedTensorType operand,
                                       RankedTensorType result) {
  if (failed(checkSameQuantization(location, operand, result)) ||
      failed(checkSameScales(location, operand, result)))
    return failure();
  auto from = perAxis(operand), to = perAxis(result);
  if (!from || !to)
    return success();
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t value = 1;
    for (int64_t size : sizes)
      value *= size;
    return value;
  };
  int64_t fromDimension = from.getQuantizedDimension(), toDimension = to.getQuantizedDimension();
  bool known = operand.hasStaticShape() && result.hasStaticShape();
  if (!compatible(operand.getDimSize(fromDimension), result.getDimSize(toDimension)) ||
      (known && product(operand.getShape().take_front(fromDimension)) !=
                    product(result.getShape().take_front(toDimension))))
    return emitOptionalError(location, "expected the quantized dimension ", fromDimension, " of ",
                             operand, " to be kept, found ", toDimension, " of ", result);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult UniformDequantizeOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // uniform_dequantize_c2
  RankedTensorType operand = tensorType(adaptor.getOperand());
  auto quantized = cast<quant::QuantizedType>(operand.getElementType());
  types.push_back(withElement(operand, quantized.getExpressedType()));
  return success();
}

LogicalResult UniformQuantizeOp::verify() {
  // uniform_quantize_c2
  Type element = tensorType(getOperand()).getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = quantized.getExpressedType();
  auto result = cast<quant::QuantizedType>(tensorType(getResult()).getElementType());
  if (result.getExpressedType() != element)
    return emitOpError("expected a result that expresses ") << element << ", found " << result;
  return success();
}

void StableHLODialect::addQuantizedOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/quantized.cpp.inc"
      >();
}

} // namespace strata::stablehlo
