// Dot product over groups of rows: checks.

#include "chlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/ragged_dot.h.inc"

#define GET_OP_CLASSES
#include "chlo/ops/ragged_dot.cpp.inc"

namespace strata::chlo {

void CHLODialect::addRaggedDotOps() {
  addOperations<
#define GET_OP_LIST
#include "chlo/ops/ragged_dot.cpp.inc"
      >();
}

namespace {
struct NamedDims {
  StringRef name;
  ArrayRef<int64_t> dims;
};

bool differ(int64_t left, int64_t right) {
  return left != right && !ShapedType::isDynamic(left) && !ShapedType::isDynamic(right);
}
} // namespace

/// Every list names dimensions of the operand, each at most once.
static LogicalResult checkLists(RaggedDotOp op, int64_t rank, ArrayRef<NamedDims> lists) {
  SmallVector<StringRef> owner(rank);
  for (const NamedDims &list : lists)
    for (int64_t dim : list.dims) {
      if (dim < 0 || dim >= rank)
        return op.emitOpError("expected ")
               << list.name << " below the rank " << rank << ", found " << dim;
      if (!owner[dim].empty())
        return op.emitOpError("expected distinct dimensions, found ")
               << dim << " in " << owner[dim] << " and " << list.name;
      owner[dim] = list.name;
    }
  return success();
}

static LogicalResult checkPairs(RaggedDotOp op, StringRef what, RankedTensorType lhs,
                                ArrayRef<int64_t> lhsDims, RankedTensorType rhs,
                                ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return op.emitOpError("expected as many ")
           << what << " dimensions in lhs as in rhs, found " << lhsDims.size() << " and "
           << rhsDims.size();
  for (auto [left, right] : llvm::zip(lhsDims, rhsDims))
    if (differ(lhs.getDimSize(left), rhs.getDimSize(right)))
      return op.emitOpError("expected equal sizes of ")
             << what << " dimensions, found " << lhs.getDimSize(left) << " and "
             << rhs.getDimSize(right);
  return success();
}

FailureOr<RankedTensorType> inferRaggedDot(Operation *operation) {
  auto op = cast<RaggedDotOp>(operation);
  if (failed(op.verifyInvariantsImpl()))
    return failure();
  if (auto precision = op.getPrecisionConfig(); precision && precision->size() > 2)
    return op.emitOpError("expected precision_config of at most 2 entries, found ")
           << precision->size();
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto sizes = cast<RankedTensorType>(op.getGroupSizes().getType());
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> groups = numbers.getRhsGroupDimensions();
  if (failed(checkLists(op, lhs.getRank(),
                        {{"lhs_batching_dimensions", lhsBatch},
                         {"lhs_contracting_dimensions", lhsContracting}})) ||
      failed(checkLists(op, rhs.getRank(),
                        {{"rhs_batching_dimensions", rhsBatch},
                         {"rhs_contracting_dimensions", rhsContracting},
                         {"rhs_group_dimensions", groups}})) ||
      failed(checkPairs(op, "batching", lhs, lhsBatch, rhs, rhsBatch)) ||
      failed(checkPairs(op, "contracting", lhs, lhsContracting, rhs, rhsContracting)))
    return failure();
  if (numbers.getLhsRaggedDimensions().size() != 1)
    return op.emitOpError("expected one ragged dimension in lhs, found ")
           << numbers.getLhsRaggedDimensions().size();
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  if (failed(checkLists(op, lhs.getRank(), {{"lhs_ragged_dimensions", {ragged}}})))
    return failure();

  // The groups partition the ragged dimension separately for each index of the dimensions before it
  // of the same kind: batch, contracting or free.
  bool batch = llvm::is_contained(lhsBatch, ragged);
  bool contracting = llvm::is_contained(lhsContracting, ragged);
  SmallVector<int64_t> prefix;
  if (batch) {
    for (int64_t dim : lhsBatch.take_until([&](int64_t dim) { return dim == ragged; }))
      prefix.push_back(lhs.getDimSize(dim));
  } else {
    for (int64_t dim : lhsBatch)
      prefix.push_back(lhs.getDimSize(dim));
    if (contracting) {
      for (int64_t dim : lhsContracting.take_until([&](int64_t dim) { return dim == ragged; }))
        prefix.push_back(lhs.getDimSize(dim));
    } else {
      for (int64_t dim = 0; dim < ragged; ++dim)
        if (!llvm::is_contained(lhsBatch, dim) && !llvm::is_contained(lhsContracting, dim))
          prefix.push_back(lhs.getDimSize(dim));
    }
  }
  int64_t rank = sizes.getRank();
  if (rank != 1 && rank != static_cast<int64_t>(prefix.size()) + 1)
    return op.emitOpError("expected group_sizes of rank 1 or ")
           << prefix.size() + 1 << ", found " << rank;
  if (rank != 1)
    for (auto [size, expected] : llvm::zip(sizes.getShape(), prefix))
      if (differ(size, expected))
        return op.emitOpError("expected group_sizes of shape [")
               << prefix << ", groups], found [" << sizes.getShape() << "]";

  if ((batch || contracting) && !groups.empty())
    return op.emitOpError("expected no group dimension in rhs where the ragged dimension is a "
                       "batching or contracting one, found ")
           << groups.size();
  if (!batch && !contracting) {
    if (groups.size() != 1)
      return op.emitOpError("expected one group dimension in rhs where the ragged dimension is a "
                         "free one, found ")
             << groups.size();
    if (differ(rhs.getDimSize(groups.front()), sizes.getShape().back()))
      return op.emitOpError("expected a group dimension of size ")
             << sizes.getShape().back() << " in rhs, found " << rhs.getDimSize(groups.front());
  }

  // The result: [groups if contracting], batch, free of lhs, free of rhs.
  SmallVector<int64_t> shape;
  if (contracting)
    shape.push_back(sizes.getShape().back());
  for (int64_t dim : lhsBatch)
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim = 0; dim < lhs.getRank(); ++dim)
    if (!llvm::is_contained(lhsBatch, dim) && !llvm::is_contained(lhsContracting, dim))
      shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim = 0; dim < rhs.getRank(); ++dim)
    if (!llvm::is_contained(rhsBatch, dim) && !llvm::is_contained(rhsContracting, dim) &&
        !llvm::is_contained(groups, dim))
      shape.push_back(rhs.getDimSize(dim));
  return RankedTensorType::get(shape, getElementTypeOrSelf(op.getResult().getType()));
}

LogicalResult RaggedDotOp::verify() {
  for (Type type : getOperation()->getOperandTypes())
    if (!isa<RankedTensorType>(type))
      return success();
  auto result = dyn_cast<RankedTensorType>(getResult().getType());
  if (!result)
    return success();
  FailureOr<RankedTensorType> inferred = inferRaggedDot(*this);
  if (failed(inferred))
    return failure();
  ArrayRef<int64_t> shape = inferred->getShape();
  bool same = result.getRank() == static_cast<int64_t>(shape.size());
  for (auto [size, expected] : llvm::zip(result.getShape(), shape))
    same &= !differ(size, expected);
  if (!same)
    return emitOpError("expected a result of shape [")
           << shape << "], found [" << result.getShape() << "]";
  return success();
}

} // namespace strata::chlo
