// Tuples and tokens: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/tuple_token.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/tuple_token.cpp.inc"

namespace strata::stablehlo {

LogicalResult AfterAllOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                           ValueRange operands, DictionaryAttr, OpaqueProperties,
                                           RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(context));
  return success();
}

LogicalResult CreateTokenOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                              ValueRange operands, DictionaryAttr, OpaqueProperties,
                                              RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(context));
  return success();
}

LogicalResult GetTupleElementOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto tuple = cast<TupleType>(adaptor.getOperand().getType());
  // get_tuple_element_c1
  if (failed(checkInRange(location, "index", adaptor.getIndex(), tuple.size())))
    return failure();
  // get_tuple_element_c2
  types.push_back(tuple.getType(adaptor.getIndex()));
  return success();
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                      ValueRange operands, DictionaryAttr,
                                                      OpaqueProperties, RegionRange,
                                                      SmallVectorImpl<Type> &types) {
  // optimization_barrier_c1
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                        ValueRange operands, DictionaryAttr, OpaqueProperties,
                                        RegionRange, SmallVectorImpl<Type> &types) {
  // tuple_c1
  types.push_back(TupleType::get(context, SmallVector<Type>(operands.getTypes())));
  return success();
}

void StableHLODialect::addTupleTokenOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/tuple_token.cpp.inc"
      >();
}

} // namespace strata::stablehlo
