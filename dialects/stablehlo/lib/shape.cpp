// Operations on shapes: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/shape.h.inc"

namespace strata::stablehlo {

/// `[0:4:2, 1:4]`: start, limit and, unless it is 1, stride.
static ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                                    DenseI64ArrayAttr &limits, DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    if (failed(parser.parseOptionalColon())) {
      stride.push_back(1);
      return success();
    }
    return parser.parseInteger(stride.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

static void printSliceRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr starts,
                             DenseI64ArrayAttr limits, DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(
      llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer,
      [&](auto range) {
        auto [start, limit, stride] = range;
        printer << start << ":" << limit;
        if (stride != 1)
          printer << ":" << stride;
      });
  printer << "]";
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/shape.cpp.inc"

namespace strata::stablehlo {

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // broadcast_c1
  for (int64_t size : adaptor.getBroadcastSizes())
    if (size < 0)
      return emitOptionalError(location, "expected broadcast_sizes that are not negative, found ",
                               size);
  // broadcast_c2
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Shape shape;
  for (int64_t size : adaptor.getBroadcastSizes())
    shape.push_back({size, dynamic});
  llvm::append_range(shape, shapeOf(operand));
  types.push_back(tensorOf(shape, operand.getElementType()));
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  // broadcast_in_dim_c2, broadcast_in_dim_c3, broadcast_in_dim_c4
  if (failed(checkCount(getLoc(), "broadcast_dimensions", dims.size(), operand.getRank())) ||
      failed(checkAllInRange(getLoc(), "broadcast_dimensions", dims, result.getRank())) ||
      failed(checkDistinct(getLoc(), "broadcast_dimensions", dims)))
    return failure();
  // broadcast_in_dim_c5
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(i);
    // A length that is known is not given up by a bounded result.
    if (size != 1 && !isDynamic(size) && size != result.getDimSize(dim))
      return emitOpError("operand dimension ")
             << i << " has size " << size << "; it must be 1 or match result dimension " << dim
             << " of " << result;
  }
  // broadcast_in_dim_c1
  if (failed(checkSameQuantization(getLoc(), operand, result)))
    return failure();
  // broadcast_in_dim_c6
  return checkBroadcastQuantization(getLoc(), operand, result, dims);
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // concatenate_c3
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "expected at least one input, found none");
  // concatenate_c4
  RankedTensorType first = tensorType(adaptor.getInputs()[0]);
  int64_t joined = adaptor.getDimension();
  if (failed(checkInRange(location, "dimension", joined, first.getRank())))
    return failure();
  // concatenate_c2, concatenate_c6
  Shape shape = shapeOf(first);
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = tensorType(input);
    if (type.getRank() != first.getRank())
      return emitOptionalError(location, "expected inputs of rank ", first.getRank(), ", found ",
                               type);
    for (auto [i, dimension] : llvm::enumerate(shapeOf(type))) {
      Dimension &result = shape[i];
      if (static_cast<int64_t>(i) == joined) {
        bool limited = !isDynamic(result.limit()) && !isDynamic(dimension.limit());
        int64_t limit = limited ? result.limit() + dimension.limit() : dynamic;
        result.size = result.isStatic() && dimension.isStatic() ? limit : dynamic;
        result.bound = result.isStatic() ? dynamic : limit;
        continue;
      }
      if (!compatible(result.size, dimension.size))
        return emitOptionalError(location, "expected inputs of equal length along dimension ", i,
                                 ", found ", result.size, " and ", dimension.size);
      if (!result.isStatic() && dimension.isStatic())
        result = dimension;
      else if (!result.isStatic() && !isDynamic(dimension.bound))
        result.bound = isDynamic(result.bound) ? dimension.bound
                                               : std::min(result.bound, dimension.bound);
    }
  }
  types.push_back(tensorOf(shape, first.getElementType()));
  return success();
}

/// Start indices are one scalar for each dimension, all of one type.
static LogicalResult checkStartIndices(OptionalLocation location, ValueRange starts,
                                       int64_t rank) {
  if (failed(checkCount(location, "start_indices", starts.size(), rank)))
    return failure();
  for (Value start : starts)
    if (start.getType() != starts[0].getType())
      return emitOptionalError(location, "expected start_indices of one type, found ",
                               starts[0].getType(), " and ", start.getType());
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  // dynamic_slice_c2, dynamic_slice_c3
  if (failed(checkStartIndices(location, adaptor.getStartIndices(), operand.getRank())) ||
      failed(checkCount(location, "slice_sizes", sizes.size(), operand.getRank())))
    return failure();
  // dynamic_slice_c4
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t length = operand.getDimSize(i);
    if (size < 0 || (!isDynamic(length) && size > length))
      return emitOptionalError(
          location, "expected slice_sizes between 0 and the operand's length, ", length,
          ", found ", size, " for dimension ", i);
  }
  // dynamic_slice_c5
  types.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                     Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType update = tensorType(adaptor.getUpdate());
  // dynamic_update_slice_c2
  if (update.getElementType() != operand.getElementType())
    return emitOptionalError(location, "expected an update of element type ",
                             operand.getElementType(), ", found ", update);
  // dynamic_update_slice_c3
  if (update.getRank() != operand.getRank())
    return emitOptionalError(location, "expected an update of rank ", operand.getRank(),
                             ", found ", update);
  // dynamic_update_slice_c4, dynamic_update_slice_c5
  if (failed(checkStartIndices(location, adaptor.getStartIndices(), operand.getRank())))
    return failure();
  // dynamic_update_slice_c6
  for (auto [i, size] : llvm::enumerate(update.getShape())) {
    int64_t length = operand.getDimSize(i);
    if (!isDynamic(size) && !isDynamic(length) && size > length)
      return emitOptionalError(location, "expected an update of at most the operand's length, ",
                               length, ", found ", size, " for dimension ", i);
  }
  // dynamic_update_slice_c1
  types.push_back(operand);
  return success();
}

/// Slices have the operand's elements, quantisation parameters included.
static LogicalResult checkSliceElements(Operation *op, Type element, RankedTensorType result) {
  if (result.getElementType() == element)
    return success();
  return op->emitOpError("expected a result of element type ") << element << ", found " << result;
}

LogicalResult DynamicSliceOp::verify() {
  // dynamic_slice_c1
  return checkSliceElements(*this, getOperand().getType().getElementType(), getType());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  // dynamic_update_slice_c1
  return checkSliceElements(*this, getOperand().getType().getElementType(), getType());
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  int64_t rank = operand.getRank();
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow(), high = adaptor.getEdgePaddingHigh(),
                    interior = adaptor.getInteriorPadding();
  // pad_c2
  if (failed(checkCount(location, "edge_padding_low", low.size(), rank)) ||
      failed(checkCount(location, "edge_padding_high", high.size(), rank)) ||
      failed(checkCount(location, "interior_padding", interior.size(), rank)))
    return failure();
  Shape shape = shapeOf(operand);
  for (auto [i, dimension] : llvm::enumerate(shape)) {
    // pad_c3
    if (interior[i] < 0)
      return emitOptionalError(location, "expected interior_padding of at least 0, found ",
                               interior[i], " for dimension ", i);
    // pad_c4
    auto padded = [&, i = i](int64_t size) {
      int64_t gaps = std::max<int64_t>(size - 1, 0);
      return isDynamic(size) ? dynamic : size + low[i] + high[i] + gaps * interior[i];
    };
    dimension = {padded(dimension.size), padded(dimension.bound)};
    if (!isDynamic(dimension.limit()) && dimension.limit() < 0)
      return emitOptionalError(location, "expected padding that leaves a length of at least 0, "
                                         "found ",
                               dimension.limit(), " for dimension ", i);
  }
  types.push_back(tensorOf(shape, operand.getElementType()));
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // reshape_c1
  if (isa<quant::UniformQuantizedType>(operand.getElementType()) &&
      failed(checkReshapeQuantization(getLoc(), operand, result)))
    return failure();
  if (!operand.hasStaticShape() || !result.hasStaticShape())
    return success();
  // reshape_c2
  if (operand.getNumElements() != result.getNumElements())
    return emitOpError("expected a result of ")
           << operand.getNumElements() << " elements, found " << result.getNumElements();
  // reshape_c1, reshape_c3
  return checkReshapeQuantization(getLoc(), operand, result);
}

LogicalResult ReverseOp::verify() {
  // reverse_c1
  if (failed(checkSameQuantization(getLoc(), tensorType(getOperand()), tensorType(getResult()))))
    return failure();
  // reverse_c2, reverse_c3
  if (failed(checkDistinct(getLoc(), "dimensions", getDimensions())) ||
      failed(checkAllInRange(getLoc(), "dimensions", getDimensions(), getType().getRank())))
    return failure();
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  int64_t rank = operand.getRank();
  ArrayRef<int64_t> starts = adaptor.getStartIndices(), limits = adaptor.getLimitIndices(),
                    strides = adaptor.getStrides();
  // slice_c2
  if (failed(checkCount(location, "start_indices", starts.size(), rank)) ||
      failed(checkCount(location, "limit_indices", limits.size(), rank)) ||
      failed(checkCount(location, "strides", strides.size(), rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, dimension] : llvm::enumerate(shapeOf(operand))) {
    // slice_c3
    if (starts[i] < 0 || limits[i] < starts[i])
      return emitOptionalError(location, "expected 0 <= start <= limit for dimension ", i,
                               ", found start ", starts[i], " and limit ", limits[i]);
    if (!isDynamic(dimension.limit()) && limits[i] > dimension.limit())
      return emitOptionalError(location, "expected a limit of at most ", dimension.limit(),
                               " for dimension ", i, ", found ", limits[i]);
    // slice_c4
    if (strides[i] <= 0)
      return emitOptionalError(location, "expected a positive stride for dimension ", i,
                               ", found ", strides[i]);
    // slice_c5
    shape.push_back(llvm::divideCeil(static_cast<uint64_t>(limits[i] - starts[i]),
                                     static_cast<uint64_t>(strides[i])));
  }
  types.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // transpose_c2
  if (failed(checkCount(location, "permutation", permutation.size(), operand.getRank())) ||
      failed(checkAllInRange(location, "permutation", permutation, operand.getRank())) ||
      failed(checkDistinct(location, "permutation", permutation)))
    return failure();
  // transpose_c3
  Shape from = shapeOf(operand), to;
  for (int64_t dimension : permutation)
    to.push_back(from[dimension]);
  // transpose_c4: the quantized dimension moves along.
  Type element = operand.getElementType();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    int32_t moved = llvm::find(permutation, perAxis.getQuantizedDimension()) - permutation.begin();
    element = quant::UniformQuantizedPerAxisType::get(
        perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(),
        perAxis.getScales(), perAxis.getZeroPoints(), moved, perAxis.getStorageTypeMin(),
        perAxis.getStorageTypeMax());
  }
  types.push_back(tensorOf(to, element));
  return success();
}

/// The quantized dimension of a per-axis type.
static std::optional<int64_t> quantizedDimension(RankedTensorType type) {
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType()))
    return perAxis.getQuantizedDimension();
  return std::nullopt;
}

LogicalResult TransposeOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // transpose_c1
  if (failed(checkSameQuantization(getLoc(), operand, result)) ||
      failed(checkSameScales(getLoc(), operand, result)))
    return failure();
  // transpose_c4
  auto from = quantizedDimension(operand), to = quantizedDimension(result);
  ArrayRef<int64_t> permutation = getPermutation();
  // A permutation of another length is refused where the result is inferred.
  if (from && to && *to < static_cast<int64_t>(permutation.size()) && permutation[*to] != *from)
    return emitOpError("expected the quantized dimension ")
           << *from << " to move along, found " << *to << " in " << getType();
  return success();
}

Speculation::Speculatability TransposeOp::getSpeculatability() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    if (operand.isDynamicDim(from) && !result.isDynamicDim(to))
      return Speculation::NotSpeculatable;
  return Speculation::Speculatable;
}

void StableHLODialect::addShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/shape.cpp.inc"
      >();
}

} // namespace strata::stablehlo
