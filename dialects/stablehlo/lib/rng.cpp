// Random numbers: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/rng.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/rng.cpp.inc"

namespace strata::stablehlo {

LogicalResult RngOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // rng_c1
  if (adaptor.getA().getType() != adaptor.getB().getType())
    return emitOptionalError(location, "expected a and b of one type, found ",
                             adaptor.getA().getType(), " and ", adaptor.getB().getType());
  // rng_c2
  Type element = tensorType(adaptor.getA()).getElementType();
  if (adaptor.getRngDistribution() == RngDistribution::NORMAL && !isFloatElement(element))
    return emitOptionalError(location, "expected floating-point elements for NORMAL, found ",
                             element);
  // rng_c3
  SmallVector<int64_t> shape(tensorType(adaptor.getShape()).getDimSize(0), dynamic);
  if (auto constant = constantInts(adaptor.getShape()))
    shape = *constant;
  for (int64_t size : shape)
    if (!isDynamic(size) && size < 0)
      return emitOptionalError(location, "expected a shape that is not negative, found ", size);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  // rng_bit_generator_c1
  if (!areCompatibleTypes(getInitialState().getType(), getOutputState().getType()))
    return emitOpError("expected an output state of the initial state's type, ")
           << getInitialState().getType() << ", found " << getOutputState().getType();
  return success();
}

void StableHLODialect::addRngOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/rng.cpp.inc"
      >();
}

} // namespace strata::stablehlo
