// Elementwise operations: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/elementwise.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/elementwise.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Type inference
//===----------------------------------------------------------------------===//

/// The type of one part of complex numbers; real numbers are their own part.
static RankedTensorType partOf(Value value) {
  RankedTensorType type = tensorType(value);
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  return complex ? withElement(type, complex.getElementType()) : type;
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      ValueRange operands, DictionaryAttr, OpaqueProperties,
                                      RegionRange, SmallVectorImpl<Type> &types) {
  // abs_c1, abs_c2
  types.push_back(partOf(operands[0]));
  return success();
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                       ValueRange operands, DictionaryAttr, OpaqueProperties,
                                       RegionRange, SmallVectorImpl<Type> &types) {
  // imag_c1, imag_c2
  types.push_back(partOf(operands[0]));
  return success();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                       ValueRange operands, DictionaryAttr, OpaqueProperties,
                                       RegionRange, SmallVectorImpl<Type> &types) {
  // real_c1, real_c2
  types.push_back(partOf(operands[0]));
  return success();
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                           ValueRange operands, DictionaryAttr, OpaqueProperties,
                                           RegionRange, SmallVectorImpl<Type> &types) {
  // is_finite_c1
  RankedTensorType type = tensorType(operands[0]);
  types.push_back(withElement(type, IntegerType::get(type.getContext(), 1)));
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, SmallVectorImpl<Type> &types) {
  // complex_c1, complex_c2, complex_c3
  Type type;
  if (failed(mostSpecificType(location, operands.getTypes(), type)))
    return failure();
  RankedTensorType part = tensorType(type);
  types.push_back(withElement(part, ComplexType::get(part.getElementType())));
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      ValueRange operands, DictionaryAttr, OpaqueProperties,
                                      RegionRange, SmallVectorImpl<Type> &types) {
  // add_c1 to add_c4; an operand that is quantized per tensor may be added to one that is per axis.
  SmallVector<Type> inputs(operands.getTypes());
  for (auto [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
    auto tensor = dyn_cast<quant::UniformQuantizedType>(getElementTypeOrSelf(inputs[from]));
    auto axis = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(inputs[to]));
    if (tensor && axis && tensor.getStorageType() == axis.getStorageType() &&
        tensor.getExpressedType() == axis.getExpressedType())
      inputs[from] = withElement(tensorType(inputs[from]), axis);
  }
  Type type;
  if (failed(mostSpecificType(location, inputs, type)))
    return failure();
  types.push_back(type);
  return success();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult AddOp::verify() {
  auto perAxis = [](Value value) {
    return dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(value.getType()));
  };
  auto lhs = perAxis(getLhs()), rhs = perAxis(getRhs()), result = perAxis(getResult());
  // add_c5
  if ((lhs || rhs) != static_cast<bool>(result))
    return emitOpError("expected a per-axis quantized result exactly when an operand is, found ")
           << getLhs().getType() << ", " << getRhs().getType() << " and " << getType();
  // add_c6, add_c7
  for (auto operand : {lhs, rhs})
    if (operand && operand.getQuantizedDimension() != result.getQuantizedDimension())
      return emitOpError("expected quantized dimension ")
             << result.getQuantizedDimension() << ", found " << operand.getQuantizedDimension();
  return success();
}

void StableHLODialect::addElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/elementwise.cpp.inc"
      >();
}

} // namespace strata::stablehlo
