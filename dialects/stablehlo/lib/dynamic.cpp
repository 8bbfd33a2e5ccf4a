// Operations of computed shape: checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/dynamic.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/dynamic.cpp.inc"

namespace strata::stablehlo {

/// A shape operand has one entry for each dimension of `type`.
static LogicalResult checkShapeOperand(OptionalLocation location, StringRef name, Value shape,
                                       RankedTensorType type) {
  int64_t count = tensorType(shape).getDimSize(0);
  if (compatible(count, type.getRank()))
    return success();
  return emitOptionalError(location, "expected ", name, " of ", type.getRank(),
                           " entries, found ", count);
}

/// A constant shape operand agrees with the static dimensions of `type`.
static LogicalResult checkConstantShape(OptionalLocation location, StringRef name, Value shape,
                                        RankedTensorType type) {
  auto sizes = constantInts(shape);
  if (!sizes || static_cast<int64_t>(sizes->size()) != type.getRank())
    return success();
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (size < 0)
      return emitOptionalError(location, "expected ", name, " that is not negative, found ", size);
    if (!compatible(size, type.getDimSize(i)))
      return emitOptionalError(location, "expected ", name, " to be compatible with the result ",
                               type, ", found ", size, " for dimension ", i);
  }
  return success();
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  // dynamic_broadcast_in_dim_c1
  if (!areCompatibleElements(operand.getElementType(), result.getElementType()))
    return emitOpError("expected a result of element type ")
           << operand.getElementType() << ", found " << result.getElementType();
  // dynamic_broadcast_in_dim_c2 to dynamic_broadcast_in_dim_c4
  if (failed(checkCount(getLoc(), "broadcast_dimensions", dims.size(), operand.getRank())) ||
      failed(checkAllInRange(getLoc(), "broadcast_dimensions", dims, result.getRank())) ||
      failed(checkDistinct(getLoc(), "broadcast_dimensions", dims)))
    return failure();
  // dynamic_broadcast_in_dim_c5
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(i);
    if (size != 1 && !compatible(size, result.getDimSize(dim)))
      return emitOpError("operand dimension ")
             << i << " has size " << size << "; it must be 1 or match result dimension " << dim
             << " of " << result;
  }
  // dynamic_broadcast_in_dim_c6
  if (failed(checkBroadcastQuantization(getLoc(), operand, result, dims)))
    return failure();
  // dynamic_broadcast_in_dim_c7
  if (failed(checkShapeOperand(getLoc(), "output_dimensions", getOutputDimensions(), result)) ||
      failed(checkConstantShape(getLoc(), "output_dimensions", getOutputDimensions(), result)))
    return failure();
  // dynamic_broadcast_in_dim_c8 to dynamic_broadcast_in_dim_c10
  SmallVector<int64_t> known;
  if (auto expanding = getKnownExpandingDimensions())
    llvm::append_range(known, *expanding);
  if (auto nonexpanding = getKnownNonexpandingDimensions())
    llvm::append_range(known, *nonexpanding);
  if (failed(checkDistinct(getLoc(), "known expanding and nonexpanding dimensions", known)) ||
      failed(checkAllInRange(getLoc(), "known expanding and nonexpanding dimensions", known,
                             operand.getRank())))
    return failure();
  return success();
}

LogicalResult DynamicIotaOp::verify() {
  RankedTensorType result = tensorType(getResult());
  // dynamic_iota_c1, dynamic_iota_c2
  if (failed(checkInRange(getLoc(), "iota_dimension", getIotaDimension(), result.getRank())) ||
      failed(checkShapeOperand(getLoc(), "output_shape", getOutputShape(), result)) ||
      failed(checkConstantShape(getLoc(), "output_shape", getOutputShape(), result)))
    return failure();
  return success();
}

LogicalResult DynamicPadOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // dynamic_pad_c1
  for (Value value : {Value(getPaddingValue()), Value(getResult())})
    if (getElementTypeOrSelf(value.getType()) != operand.getElementType())
      return emitOpError("expected a padding value and a result of element type ")
             << operand.getElementType() << ", found " << value.getType();
  // dynamic_pad_c2
  if (failed(checkShapeOperand(getLoc(), "edge_padding_low", getEdgePaddingLow(), operand)))
    return failure();
  auto low = constantInts(getEdgePaddingLow()), high = constantInts(getEdgePaddingHigh()),
       interior = constantInts(getInteriorPadding());
  // dynamic_pad_c3
  if (interior)
    for (int64_t value : *interior)
      if (value < 0)
        return emitOpError("expected interior_padding of at least 0, found ") << value;
  // dynamic_pad_c4
  if (!low || !high || !interior)
    return success();
  for (int64_t i = 0, rank = operand.getRank(); i != rank; ++i) {
    int64_t size = operand.getDimSize(i);
    if (isDynamic(size))
      continue;
    int64_t padded =
        size + (*low)[i] + (*high)[i] + std::max<int64_t>(size - 1, 0) * (*interior)[i];
    if (padded < 0 || !compatible(padded, result.getDimSize(i)))
      return emitOpError("expected a result of length ")
             << padded << " along dimension " << i << ", found " << result.getDimSize(i);
  }
  return success();
}

LogicalResult DynamicReshapeOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // dynamic_reshape_c1, dynamic_reshape_c3
  if (!areCompatibleElements(operand.getElementType(), result.getElementType()))
    return emitOpError("expected a result of element type ")
           << operand.getElementType() << ", found " << result.getElementType();
  if (failed(checkReshapeQuantization(getLoc(), operand, result)))
    return failure();
  // dynamic_reshape_c2
  if (operand.hasStaticShape() && result.hasStaticShape() &&
      operand.getNumElements() != result.getNumElements())
    return emitOpError("expected a result of ")
           << operand.getNumElements() << " elements, found " << result.getNumElements();
  // dynamic_reshape_c4
  if (failed(checkShapeOperand(getLoc(), "output_shape", getOutputShape(), result)) ||
      failed(checkConstantShape(getLoc(), "output_shape", getOutputShape(), result)))
    return failure();
  return success();
}

LogicalResult RealDynamicSliceOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // real_dynamic_slice_c1
  if (operand.getElementType() != result.getElementType())
    return emitOpError("expected a result of element type ")
           << operand.getElementType() << ", found " << result;
  if (operand.getRank() != result.getRank())
    return emitOpError("expected a result of rank ")
           << operand.getRank() << ", found " << result.getRank();
  // real_dynamic_slice_c2: the three operands have one type.
  if (tensorType(getStartIndices()).isDynamicDim(0))
    return emitOpError("expected start_indices of known length, found ")
           << getStartIndices().getType();
  return checkShapeOperand(getLoc(), "start_indices", getStartIndices(), operand);
}

LogicalResult GetDimensionSizeOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                   Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // get_dimension_size_c1
  RankedTensorType operand = tensorType(adaptor.getOperand());
  if (failed(checkInRange(location, "dimension", adaptor.getDimension(), operand.getRank())))
    return failure();
  types.push_back(RankedTensorType::get({}, IntegerType::get(operand.getContext(), 32)));
  return success();
}

LogicalResult SetDimensionSizeOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                   Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  // set_dimension_size_c1
  if (failed(checkInRange(location, "dimension", adaptor.getDimension(), operand.getRank())))
    return failure();
  if (tensorType(adaptor.getSize()).getRank() != 0)
    return emitOptionalError(location, "expected size to be a scalar, found ",
                             adaptor.getSize().getType());
  Shape shape = shapeOf(operand);
  Dimension &dimension = shape[adaptor.getDimension()];
  auto size = constantInts(adaptor.getSize());
  if (size && size->size() == 1)
    dimension = {size->front(), dynamic};
  else
    dimension = {dynamic, dimension.limit()};
  types.push_back(tensorOf(shape, operand.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Speculation: only what cannot contradict the result's type
//===----------------------------------------------------------------------===//

/// All inputs are static, and the last `count` operands, which say the shape,
/// are constants: the verifier has then seen every mismatch.
static Speculation::Speculatability speculatableIfShapesKnown(Operation *op, unsigned count) {
  bool known = llvm::all_of(op->getOperandTypes(), [](Type type) {
    return tensorType(type).hasStaticShape();
  }) && llvm::all_of(op->getOperands().take_back(count), [](Value shape) {
    return matchPattern(shape, m_Constant());
  });
  return known ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

static bool isFullyDynamic(RankedTensorType type) {
  return llvm::all_of(type.getShape(), ShapedType::isDynamic);
}

Speculation::Speculatability DynamicBroadcastInDimOp::getSpeculatability() {
  // Ones broadcast to any shape.
  bool ones = llvm::all_of(tensorType(getOperand()).getShape(),
                           [](int64_t size) { return size == 1; });
  if (ones && isFullyDynamic(tensorType(getResult())))
    return Speculation::Speculatable;
  return speculatableIfShapesKnown(*this, 1);
}

Speculation::Speculatability DynamicIotaOp::getSpeculatability() {
  if (isFullyDynamic(tensorType(getResult())))
    return Speculation::Speculatable;
  return speculatableIfShapesKnown(*this, 1);
}

Speculation::Speculatability DynamicPadOp::getSpeculatability() {
  return speculatableIfShapesKnown(*this, 3);
}

Speculation::Speculatability DynamicReshapeOp::getSpeculatability() {
  return speculatableIfShapesKnown(*this, 1);
}

Speculation::Speculatability RealDynamicSliceOp::getSpeculatability() {
  return speculatableIfShapesKnown(*this, 3);
}

Speculation::Speculatability SetDimensionSizeOp::getSpeculatability() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  for (int64_t i = 0, rank = result.getRank(); i != rank; ++i) {
    bool isSet = i == static_cast<int64_t>(getDimension());
    bool known = isSet ? matchPattern(getSize(), m_Constant()) : !operand.isDynamicDim(i);
    if (!result.isDynamicDim(i) && !known)
      return Speculation::NotSpeculatable;
  }
  return Speculation::Speculatable;
}

void StableHLODialect::addDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/dynamic.cpp.inc"
      >();
}

} // namespace strata::stablehlo
