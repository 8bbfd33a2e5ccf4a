// Result types of operations that do not infer them themselves.

#include "strata/capi.h"

#include "chlo/dialect.h"
#include "stablehlo/dialect.h"

#include "mlir/CAPI/IR.h"

using namespace mlir;

bool strataInferResult(MlirOperation raw) {
  Operation *op = unwrap(raw);
  StringRef name = op->getName().getStringRef();
  FailureOr<RankedTensorType> type = failure();
  if (name == "stablehlo.dot_general")
    type = strata::stablehlo::inferDotGeneral(op);
  else if (name == "stablehlo.convolution")
    type = strata::stablehlo::inferConvolution(op);
  else if (name == "chlo.ragged_dot")
    type = strata::chlo::inferRaggedDot(op);
  if (failed(type))
    return false;
  op->getResult(0).setType(*type);
  return true;
}
