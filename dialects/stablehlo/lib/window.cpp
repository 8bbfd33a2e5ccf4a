// Windows: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/window.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/window.cpp.inc"

namespace strata::stablehlo {

LogicalResult ReduceWindowOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  SmallVector<RankedTensorType> inputs = tensorTypes(adaptor.getInputs());
  SmallVector<RankedTensorType> inits = tensorTypes(adaptor.getInitValues());
  // reduce_window_c1
  if (inputs.empty())
    return emitOptionalError(location, "expected at least one input, found none");
  // reduce_window_c2
  for (RankedTensorType input : inputs)
    if (failed(verifyCompatibleShape(inputs[0], input)))
      return emitOptionalError(location, "expected inputs of one shape, found ", inputs[0], " and ",
                               input);
  // reduce_window_c4 to reduce_window_c12
  ArrayRef<int64_t> sizes = adaptor.getWindowDimensions();
  SmallVector<WindowDimension> window;
  if (failed(checkCount(location, "window_dimensions", sizes.size(), inputs[0].getRank())) ||
      failed(collectWindow(location, sizes, adaptor.getWindowStrides(), adaptor.getPadding(),
                           adaptor.getBaseDilations(), adaptor.getWindowDilations(), window)))
    return failure();
  // reduce_window_c3, reduce_window_c13
  if (failed(checkReducer(location, adaptor.getBody(), inputs, inits, {})))
    return failure();
  // reduce_window_c14, reduce_window_c15, reduce_window_c16
  Shape shape;
  for (auto [dimension, position] : llvm::zip(shapeOf(inputs[0]), window))
    shape.push_back(windowPositions(dimension, position));
  for (Type element : reducerElements(adaptor.getBody().front()))
    types.push_back(tensorOf(shape, element));
  return success();
}

LogicalResult SelectAndScatterOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                   Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // select_and_scatter_c11, select_and_scatter_c12: the element type is the
  // scatter region's; verify() checks the rest.
  TypeRange returned = returnedTypes(adaptor.getScatter());
  if (returned.size() != 1 || !isa<RankedTensorType>(returned[0]))
    return emitOptionalError(location, "expected a scatter region that returns 1 tensor, found ",
                             returned.size(), " values");
  types.push_back(withElement(tensorType(adaptor.getOperand()), getElementTypeOrSelf(returned[0])));
  return success();
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), source = tensorType(getSource()),
                   init = tensorType(getInitValue());
  // select_and_scatter_c9
  if (failed(checkComparator(getLoc(), "select region", getSelect(), {operand})))
    return failure();
  // select_and_scatter_c3, select_and_scatter_c10
  RankedTensorType scalar = RankedTensorType::get({}, source.getElementType());
  if (failed(checkReducer(getLoc(), getScatter(), {scalar}, {init}, {})))
    return failure();
  // select_and_scatter_c1
  if (!areCompatibleElements(operand.getElementType(), source.getElementType()))
    return emitOpError("expected a source of element type ")
           << operand.getElementType() << ", found " << source;
  // select_and_scatter_c4 to select_and_scatter_c8
  SmallVector<int64_t> ones(operand.getRank(), 1);
  ArrayRef<int64_t> sizes = getWindowDimensions().value_or(ones);
  SmallVector<WindowDimension> window;
  if (failed(checkCount(getLoc(), "window_dimensions", sizes.size(), operand.getRank())) ||
      failed(collectWindow(getLoc(), sizes, getWindowStrides(), getPadding(), std::nullopt,
                           std::nullopt, window)))
    return failure();
  // select_and_scatter_c2
  Shape shape;
  for (auto [dimension, position] : llvm::zip(shapeOf(operand), window))
    shape.push_back(windowPositions(dimension, position));
  RankedTensorType expected = tensorOf(shape, source.getElementType());
  if (!areCompatibleTypes(expected, source))
    return emitOpError("expected a source of shape ") << expected << ", found " << source;
  return success();
}

void StableHLODialect::addWindowOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/window.cpp.inc"
      >();
}

} // namespace strata::stablehlo
