// Result types of operations that do not infer them themselves.

#include "strata/capi.h"

#include "chlo/dialect.h"
#include "stablehlo/dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

/// The result's type of the kinds whose element type does not follow from the operands.
static FailureOr<RankedTensorType> inferOpenResult(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.dot_general")
    return strata::stablehlo::inferDotGeneral(op);
  if (name == "stablehlo.convolution")
    return strata::stablehlo::inferConvolution(op);
  if (name == "chlo.ragged_dot")
    return strata::chlo::inferRaggedDot(op);
  return failure();
}

bool strataInferResult(MlirOperation raw) {
  Operation *op = unwrap(raw);
  FailureOr<RankedTensorType> type = inferOpenResult(op);
  if (failed(type))
    return false;
  op->getResult(0).setType(*type);
  return true;
}

bool strataInferredTypes(MlirOperation raw, StrataTypeSink sink, void *data) {
  Operation *op = unwrap(raw);
  SmallVector<Type> types;
  if (auto inferring = dyn_cast<InferTypeOpInterface>(op)) {
    if (failed(inferring.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                          op->getRegions(), types)))
      return false;
  } else {
    FailureOr<RankedTensorType> type = inferOpenResult(op);
    if (failed(type))
      return false;
    types.push_back(*type);
  }
  for (Type type : types)
    sink(wrap(type), data);
  return true;
}
