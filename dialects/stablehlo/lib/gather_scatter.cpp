// Gather and scatter: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/gather_scatter.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/gather_scatter.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// The dimensions of `shape` without the index vector's.
static Shape batchOf(ArrayRef<Dimension> indices, int64_t vectorDim) {
  Shape batch;
  for (auto [i, dimension] : llvm::enumerate(indices))
    if (static_cast<int64_t>(i) != vectorDim)
      batch.push_back(dimension);
  return batch;
}

/// Checks that gather and scatter share, in the terms of gather. `collapsed`
/// and `operandBatching` name dimensions of the operand that the slices lack.
struct IndexDimensions {
  StringRef collapsedName, operandBatchingName, indicesBatchingName, mapName;
  ArrayRef<int64_t> collapsed, operandBatching, indicesBatching, map;
  int64_t vectorDim;
};

static LogicalResult checkIndexDimensions(OptionalLocation location, const IndexDimensions &names,
                                          RankedTensorType operand, RankedTensorType indices) {
  // gather_c2, dynamic_gather_c2, scatter_c22
  if (names.vectorDim < 0 || names.vectorDim > indices.getRank())
    return emitOptionalError(location, "expected index_vector_dim in the range [0, ",
                             indices.getRank(), "], found ", names.vectorDim);
  // gather_c3, dynamic_gather_c3, scatter_c19
  int64_t length =
      names.vectorDim < indices.getRank() ? indices.getDimSize(names.vectorDim) : 1;
  if (!compatible(length, names.map.size()))
    return emitOptionalError(location, "expected ", names.mapName, " of ", length,
                             " entries, found ", names.map.size());
  // gather_c6 to gather_c8, gather_c10, gather_c11, dynamic_gather_c6, dynamic_gather_c7,
  // scatter_c9 to scatter_c13
  SmallVector<int64_t> dropped(names.collapsed);
  llvm::append_range(dropped, names.operandBatching);
  if (failed(checkDistinct(location, names.collapsedName, dropped)) ||
      failed(checkSorted(location, names.collapsedName, names.collapsed)) ||
      failed(checkAllInRange(location, names.collapsedName, names.collapsed, operand.getRank())) ||
      failed(checkSorted(location, names.operandBatchingName, names.operandBatching)) ||
      failed(checkAllInRange(location, names.operandBatchingName, names.operandBatching,
                             operand.getRank())))
    return failure();
  // gather_c13 to gather_c15, scatter_c14 to scatter_c16
  if (failed(checkDistinct(location, names.indicesBatchingName, names.indicesBatching)) ||
      failed(checkAllInRange(location, names.indicesBatchingName, names.indicesBatching,
                             indices.getRank())))
    return failure();
  if (llvm::is_contained(names.indicesBatching, names.vectorDim))
    return emitOptionalError(location, "expected ", names.indicesBatchingName,
                             " without index_vector_dim, found ", names.vectorDim);
  // gather_c16, gather_c17, scatter_c17, scatter_c18
  if (failed(checkCount(location, names.indicesBatchingName, names.indicesBatching.size(),
                        names.operandBatching.size())))
    return failure();
  for (auto [left, right] : llvm::zip(names.operandBatching, names.indicesBatching))
    if (!compatible(operand.getDimSize(left), indices.getDimSize(right)))
      return emitOptionalError(location, "expected batching dimensions of equal length, found ",
                               operand.getDimSize(left), " and ", indices.getDimSize(right));
  // gather_c18, gather_c19, dynamic_gather_c9, dynamic_gather_c10, scatter_c20, scatter_c21
  SmallVector<int64_t> mapped(names.map);
  llvm::append_range(mapped, names.operandBatching);
  if (failed(checkDistinct(location, names.mapName, mapped)) ||
      failed(checkAllInRange(location, names.mapName, names.map, operand.getRank())))
    return failure();
  return success();
}

/// The result's shape; `sizes` are those of the slices, `dynamic` where they
/// are not known.
static LogicalResult gatherShape(OptionalLocation location, GatherDimensionNumbersAttr numbers,
                                 RankedTensorType operand, RankedTensorType indices,
                                 ArrayRef<int64_t> sizes, Shape &shape) {
  IndexDimensions names{"collapsed_slice_dims",
                        "operand_batching_dims",
                        "start_indices_batching_dims",
                        "start_index_map",
                        numbers.getCollapsedSliceDims(),
                        numbers.getOperandBatchingDims(),
                        numbers.getStartIndicesBatchingDims(),
                        numbers.getStartIndexMap(),
                        numbers.getIndexVectorDim()};
  if (failed(checkIndexDimensions(location, names, operand, indices)))
    return failure();
  // gather_c1, dynamic_gather_c1
  ArrayRef<int64_t> offsets = numbers.getOffsetDims();
  int64_t dropped = names.collapsed.size() + names.operandBatching.size();
  if (operand.getRank() != static_cast<int64_t>(offsets.size()) + dropped)
    return emitOptionalError(location, "expected an operand of rank ", offsets.size() + dropped,
                             ", the number of offset, collapsed and batching dimensions, found ",
                             operand);
  // gather_c4, gather_c5, dynamic_gather_c4, dynamic_gather_c5
  Shape batch = batchOf(shapeOf(indices), names.vectorDim);
  if (failed(checkDistinct(location, "offset_dims", offsets)) ||
      failed(checkSorted(location, "offset_dims", offsets)) ||
      failed(checkAllInRange(location, "offset_dims", offsets, batch.size() + offsets.size())))
    return failure();
  // gather_c20
  if (failed(checkCount(location, "slice_sizes", sizes.size(), operand.getRank())))
    return failure();
  // gather_c21, dynamic_gather_c12
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t length = operand.getDimSize(i);
    if (!isDynamic(size) && (size < 0 || (!isDynamic(length) && size > length)))
      return emitOptionalError(
          location, "expected slice_sizes between 0 and the operand's length, ", length,
          ", found ", size, " for dimension ", i);
  }
  // gather_c9, gather_c12, dynamic_gather_c8
  for (ArrayRef<int64_t> dimensions : {names.collapsed, names.operandBatching})
    for (int64_t dimension : dimensions)
      if (!isDynamic(sizes[dimension]) && sizes[dimension] > 1)
        return emitOptionalError(location, "expected slice_sizes of at most 1 for collapsed and "
                                           "batching dimensions, found ",
                                 sizes[dimension], " for dimension ", dimension);
  // gather_c22, dynamic_gather_c13
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(names.collapsed, i) && !llvm::is_contained(names.operandBatching, i))
      kept.push_back(size);
  const Dimension *nextBatch = batch.begin();
  const int64_t *nextOffset = kept.begin();
  for (int64_t i = 0, rank = batch.size() + kept.size(); i != rank; ++i) {
    if (llvm::is_contained(offsets, i))
      shape.push_back({*nextOffset++, dynamic});
    else
      shape.push_back(*nextBatch++);
  }
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Shape shape;
  if (failed(gatherShape(location, adaptor.getDimensionNumbers(), operand,
                         tensorType(adaptor.getStartIndices()), adaptor.getSliceSizes(), shape)))
    return failure();
  // gather_c23
  types.push_back(tensorOf(shape, operand.getElementType()));
  return success();
}

LogicalResult GatherOp::verify() {
  // gather_c23: quantized elements keep scale and zero point.
  return checkSameQuantization(getLoc(), tensorType(getOperand()), tensorType(getResult()));
}

LogicalResult DynamicGatherOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  // dynamic_gather_c11
  int64_t count = tensorType(adaptor.getSliceSizes()).getDimSize(0);
  if (count != operand.getRank())
    return emitOptionalError(location, "expected slice_sizes of ", operand.getRank(),
                             " entries, found ", count);
  SmallVector<int64_t> sizes(operand.getRank(), dynamic);
  if (auto constant = constantInts(adaptor.getSliceSizes()))
    sizes = *constant;
  Shape shape;
  if (failed(gatherShape(location, adaptor.getDimensionNumbers(), operand,
                         tensorType(adaptor.getStartIndices()), sizes, shape)))
    return failure();
  // dynamic_gather_c14
  types.push_back(tensorOf(shape, operand.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // scatter_c24, scatter_c25: the element types are the region's; verify()
  // checks the rest.
  TypeRange returned = returnedTypes(adaptor.getUpdateComputation());
  if (returned.size() != adaptor.getInputs().size())
    return emitOptionalError(location, "expected an update computation that returns ",
                             adaptor.getInputs().size(), " tensors, found ", returned.size());
  for (auto [input, type] : llvm::zip(adaptor.getInputs(), returned))
    types.push_back(withElement(tensorType(input), getElementTypeOrSelf(type)));
  return success();
}

LogicalResult ScatterOp::verify() {
  SmallVector<RankedTensorType> inputs = tensorTypes(getInputs()),
                                updates = tensorTypes(getUpdates());
  RankedTensorType indices = tensorType(getScatterIndices());
  // scatter_c5
  if (inputs.empty())
    return emitOpError("expected at least one input, found none");
  // scatter_c1, scatter_c3
  for (auto [input, update] : llvm::zip(inputs, updates)) {
    if (failed(verifyCompatibleShape(inputs[0], input)))
      return emitOpError("expected inputs of one shape, found ") << inputs[0] << " and " << input;
    if (failed(verifyCompatibleShape(updates[0], update)))
      return emitOpError("expected updates of one shape, found ")
             << updates[0] << " and " << update;
  }
  // scatter_c6
  SmallVector<RankedTensorType> inits, values;
  for (auto [input, update] : llvm::zip(inputs, updates)) {
    if (!areCompatibleElements(input.getElementType(), update.getElementType()))
      return emitOpError("expected updates of the input's element type, ")
             << input.getElementType() << ", found " << update;
    inits.push_back(RankedTensorType::get({}, input.getElementType()));
    values.push_back(RankedTensorType::get({}, update.getElementType()));
  }
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  IndexDimensions names{"inserted_window_dims",
                        "input_batching_dims",
                        "scatter_indices_batching_dims",
                        "scatter_dims_to_operand_dims",
                        numbers.getInsertedWindowDims(),
                        numbers.getInputBatchingDims(),
                        numbers.getScatterIndicesBatchingDims(),
                        numbers.getScatterDimsToOperandDims(),
                        numbers.getIndexVectorDim()};
  if (failed(checkIndexDimensions(getLoc(), names, inputs[0], indices)))
    return failure();
  // scatter_c2
  ArrayRef<int64_t> window = numbers.getUpdateWindowDims();
  int64_t dropped = names.collapsed.size() + names.operandBatching.size();
  if (inputs[0].getRank() != static_cast<int64_t>(window.size()) + dropped)
    return emitOpError("expected inputs of rank ")
           << window.size() + dropped
           << ", the number of window, inserted and batching dimensions, found " << inputs[0];
  // scatter_c7, scatter_c8
  if (failed(checkDistinct(getLoc(), "update_window_dims", window)) ||
      failed(checkSorted(getLoc(), "update_window_dims", window)) ||
      failed(checkAllInRange(getLoc(), "update_window_dims", window, updates[0].getRank())))
    return failure();
  // scatter_c4
  Shape batch = batchOf(shapeOf(indices), names.vectorDim);
  if (updates[0].getRank() != static_cast<int64_t>(batch.size() + window.size()))
    return emitOpError("expected updates of rank ")
           << batch.size() + window.size() << ", found " << updates[0];
  SmallVector<int64_t> limits;
  for (int64_t i = 0, rank = inputs[0].getRank(); i != rank; ++i)
    if (!llvm::is_contained(names.collapsed, i) && !llvm::is_contained(names.operandBatching, i))
      limits.push_back(shapeOf(inputs[0])[i].limit());
  const Dimension *nextBatch = batch.begin();
  const int64_t *nextLimit = limits.begin();
  for (auto [i, size] : llvm::enumerate(updates[0].getShape())) {
    if (llvm::is_contained(window, i)) {
      int64_t limit = *nextLimit++;
      if (!isDynamic(size) && !isDynamic(limit) && size > limit)
        return emitOpError("expected window dimension ")
               << i << " of updates to be at most " << limit << ", found " << size;
    } else if (int64_t expected = (nextBatch++)->size; !compatible(size, expected)) {
      return emitOpError("expected scatter dimension ")
             << i << " of updates to be " << expected << ", found " << size;
    }
  }
  // scatter_c23
  return checkReducer(getLoc(), getUpdateComputation(), values, inits, {});
}

//===----------------------------------------------------------------------===//
// Speculation: indices that are no longer sorted or unique elsewhere would be
// undefined behaviour
//===----------------------------------------------------------------------===//

Speculation::Speculatability GatherOp::getSpeculatability() {
  if (getIndicesAreSorted())
    return Speculation::NotSpeculatable;
  return detail::speculatableIfInputsStatic(*this, /*recursive=*/false);
}

Speculation::Speculatability DynamicGatherOp::getSpeculatability() {
  if (!constantInts(getSliceSizes()))
    return Speculation::NotSpeculatable;
  return detail::speculatableIfInputsStatic(*this, /*recursive=*/false);
}

Speculation::Speculatability ScatterOp::getSpeculatability() {
  if (getIndicesAreSorted() || getUniqueIndices())
    return Speculation::NotSpeculatable;
  return detail::speculatableIfInputsStatic(*this, /*recursive=*/true);
}

void StableHLODialect::addGatherScatterOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/gather_scatter.cpp.inc"
      >();
}

} // namespace strata::stablehlo
