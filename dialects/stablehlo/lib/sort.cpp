// Sorting: checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/sort.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/sort.cpp.inc"

namespace strata::stablehlo {

LogicalResult SortOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // sort_c2, sort_c3
  for (Value input : adaptor.getInputs())
    types.push_back(input.getType());
  return success();
}

LogicalResult SortOp::verify() {
  // sort_c1
  if (getInputs().empty())
    return emitOpError("expected at least one input, found none");
  // sort_c4: a negative dimension counts from the last.
  SmallVector<RankedTensorType> inputs = tensorTypes(getInputs());
  int64_t rank = inputs[0].getRank(), dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return emitOpError("expected dimension in the range [")
           << -rank << ", " << rank << "), found " << dimension;
  // sort_c5
  return checkComparator(getLoc(), "comparator", getComparator(), inputs);
}

void StableHLODialect::addSortOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/sort.cpp.inc"
      >();
}

} // namespace strata::stablehlo
