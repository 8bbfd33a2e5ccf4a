// The largest elements: type inference.

#include "bytecode.h"
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

// `k`, as versions without is_stable wrote it; is_stable follows when it is given.
LogicalResult TopKOp::readProperties(DialectBytecodeReader &reader, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.k = dyn_cast_or_null<IntegerAttr>(bytecode::readTrailing(reader, /*optional=*/false));
  Attribute next = bytecode::readTrailing(reader, /*optional=*/false);
  properties.is_stable = dyn_cast_or_null<BoolAttr>(next);
  // Later versions of upstream write is_stable first, which cannot be distinguished.
  if (!properties.k || (next && !properties.is_stable))
    return reader.emitError() << "expected k and perhaps is_stable, found another encoding of "
                                 "chlo.top_k";
  return success();
}

void TopKOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &properties = getProperties();
  writer.writeAttribute(properties.k);
  if (properties.is_stable)
    writer.writeAttribute(properties.is_stable);
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
