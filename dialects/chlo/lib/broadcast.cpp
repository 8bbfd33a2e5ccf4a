// Broadcasting operations: the common shape.

#include "chlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/broadcast.h.inc"

#define GET_OP_CLASSES
#include "chlo/ops/broadcast.cpp.inc"

namespace strata::chlo {

void CHLODialect::addBroadcastOps() {
  addOperations<
#define GET_OP_LIST
#include "chlo/ops/broadcast.cpp.inc"
      >();
}

/// The size that two sizes of a dimension broadcast to, if they do.
static FailureOr<int64_t> broadcastSizes(int64_t left, int64_t right) {
  if (left == right || right == 1)
    return left;
  if (left == 1)
    return right;
  // What is not known can only be 1 or the known size, which is not 1.
  if (ShapedType::isDynamic(left))
    return right;
  if (ShapedType::isDynamic(right))
    return left;
  return failure();
}

/// The operand of lower rank takes the dimensions of the other one that
/// `mapping` names, or the last ones; sizes then broadcast pairwise.
static LogicalResult broadcastShapes(std::optional<Location> location, ArrayRef<int64_t> left,
                                     ArrayRef<int64_t> right,
                                     std::optional<ArrayRef<int64_t>> mapping,
                                     SmallVectorImpl<int64_t> &shape) {
  ArrayRef<int64_t> high = left.size() >= right.size() ? left : right;
  ArrayRef<int64_t> low = left.size() >= right.size() ? right : left;
  SmallVector<int64_t> dims;
  if (mapping)
    llvm::append_range(dims, *mapping);
  else
    llvm::append_range(dims, llvm::seq<int64_t>(high.size() - low.size(), high.size()));
  if (dims.size() != low.size())
    return emitOptionalError(location, "expected broadcast_dimensions of size ", low.size(),
                             ", the lower rank, found ", dims.size());
  shape.assign(high.begin(), high.end());
  for (auto [size, dim] : llvm::zip(low, dims)) {
    if (dim < 0 || dim >= static_cast<int64_t>(high.size()))
      return emitOptionalError(location, "expected broadcast_dimensions below the rank ",
                               high.size(), ", found ", dim);
    FailureOr<int64_t> common = broadcastSizes(size, shape[dim]);
    if (failed(common))
      return emitOptionalError(location, "expected sizes that broadcast in dimension ", dim,
                               ", found ", size, " and ", shape[dim]);
    shape[dim] = *common;
  }
  return success();
}

static LogicalResult inferBroadcast(std::optional<Location> location, Type left, Type right,
                                    std::optional<ArrayRef<int64_t>> mapping, Type element,
                                    SmallVectorImpl<Type> &types) {
  auto leftTensor = dyn_cast<RankedTensorType>(left);
  auto rightTensor = dyn_cast<RankedTensorType>(right);
  if (!leftTensor || !rightTensor) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(location, leftTensor.getShape(), rightTensor.getShape(), mapping,
                             shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult BroadcastAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastAndOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastAtan2Op::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastDivideOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastMaximumOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastMinimumOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastMultiplyOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastNextAfterOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastOrOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastPolygammaOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastPowerOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastRemainderOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastShiftLeftOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastShiftRightArithmeticOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastShiftRightLogicalOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastSubtractOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastXorOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastZetaOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), getElementTypeOrSelf(left), types);
}

LogicalResult BroadcastCompareOp::inferReturnTypes(MLIRContext *context,
                                                   std::optional<Location> location,
                                                   Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  return inferBroadcast(location, adaptor.getLhs().getType(), adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(), IntegerType::get(context, 1), types);
}

LogicalResult BroadcastComplexOp::inferReturnTypes(MLIRContext *,
                                                   std::optional<Location> location,
                                                   Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  Type left = adaptor.getLhs().getType();
  return inferBroadcast(location, left, adaptor.getRhs().getType(),
                        adaptor.getBroadcastDimensions(),
                        ComplexType::get(getElementTypeOrSelf(left)), types);
}

LogicalResult BroadcastSelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                  Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  Type onTrue = adaptor.getOnTrue().getType();
  Type element = getElementTypeOrSelf(onTrue);
  if (getElementTypeOrSelf(adaptor.getOnFalse().getType()) != element)
    return emitOptionalError(location, "expected choices of one element type, found ", onTrue,
                             " and ", adaptor.getOnFalse().getType());
  SmallVector<Type> both;
  if (failed(inferBroadcast(location, onTrue, adaptor.getOnFalse().getType(), std::nullopt,
                            element, both)))
    return failure();
  return inferBroadcast(location, both.front(), adaptor.getPred().getType(), std::nullopt,
                        element, types);
}

} // namespace strata::chlo
