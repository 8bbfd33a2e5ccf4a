// The largest elements: type inference.

#include "chlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/top_k.h.inc"

#define GET_OP_CLASSES
#include "chlo/ops/top_k.cpp.inc"

namespace strata::chlo {

void CHLODialect::addTopKOps() {
  addOperations<
#define GET_OP_LIST
#include "chlo/ops/top_k.cpp.inc"
      >();
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type operand = adaptor.getOperand().getType();
  Type index = IntegerType::get(context, 32);
  auto ranked = dyn_cast<RankedTensorType>(operand);
  if (!ranked) {
    types.push_back(operand);
    types.push_back(UnrankedTensorType::get(index));
    return success();
  }
  int64_t k = adaptor.getK();
  if (ranked.getRank() < 1)
    return emitOptionalError(location, "expected an operand of rank 1 or more, found rank 0");
  if (k < 0)
    return emitOptionalError(location, "expected k >= 0, found ", k);
  int64_t last = ranked.getShape().back();
  if (!ShapedType::isDynamic(last) && last < k)
    return emitOptionalError(location, "expected a last dimension of at least k = ", k,
                             ", found ", last);
  SmallVector<int64_t> shape(ranked.getShape());
  shape.back() = k;
  types.push_back(RankedTensorType::get(shape, ranked.getElementType(), ranked.getEncoding()));
  types.push_back(RankedTensorType::get(shape, index, ranked.getEncoding()));
  return success();
}

} // namespace strata::chlo
