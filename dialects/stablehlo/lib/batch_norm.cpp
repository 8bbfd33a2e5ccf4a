// Batch normalisation: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/batch_norm.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/batch_norm.cpp.inc"

namespace strata::stablehlo {

/// The feature dimension, if it is one of the operand's and every vector has
/// its length.
static LogicalResult featureDimension(OptionalLocation location, RankedTensorType operand,
                                      int64_t index, ValueRange vectors, Dimension &feature) {
  // batch_norm_grad_c1, batch_norm_inference_c1, batch_norm_training_c1
  if (failed(checkInRange(location, "feature_index", index, operand.getRank())))
    return failure();
  feature = shapeOf(operand)[index];
  // batch_norm_grad_c5, batch_norm_inference_c3 to batch_norm_inference_c6, batch_norm_training_c3,
  // batch_norm_training_c4
  for (Value vector : vectors) {
    int64_t size = tensorType(vector).getDimSize(0);
    if (!compatible(size, feature.size))
      return emitOptionalError(location, "expected vectors of length ", feature.size,
                               ", that of the feature dimension, found ", size);
  }
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Dimension feature;
  if (failed(featureDimension(location, operand, adaptor.getFeatureIndex(),
                              {adaptor.getScale(), adaptor.getMean(), adaptor.getVariance()},
                              feature)))
    return failure();
  // batch_norm_grad_c3
  if (failed(verifyCompatibleShape(operand, adaptor.getGradOutput().getType())))
    return emitOptionalError(location, "expected grad_output of shape of ", operand, ", found ",
                             adaptor.getGradOutput().getType());
  // batch_norm_grad_c4
  RankedTensorType vector = tensorOf({feature}, operand.getElementType());
  types.append({operand, vector, vector});
  return success();
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                     Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Dimension feature;
  if (failed(featureDimension(location, operand, adaptor.getFeatureIndex(),
                              {adaptor.getScale(), adaptor.getOffset(), adaptor.getMean(),
                               adaptor.getVariance()},
                              feature)))
    return failure();
  // batch_norm_inference_c7
  types.push_back(operand);
  return success();
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Dimension feature;
  if (failed(featureDimension(location, operand, adaptor.getFeatureIndex(),
                              {adaptor.getScale(), adaptor.getOffset()}, feature)))
    return failure();
  // batch_norm_training_c5 to batch_norm_training_c7
  RankedTensorType vector = tensorOf({feature}, operand.getElementType());
  types.append({operand, vector, vector});
  return success();
}

void StableHLODialect::addBatchNormOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/batch_norm.cpp.inc"
      >();
}

} // namespace strata::stablehlo
