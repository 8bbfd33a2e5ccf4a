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
