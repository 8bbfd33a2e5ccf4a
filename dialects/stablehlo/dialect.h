// The StableHLO dialect's class, types, attributes and op traits. Operations
// are declared family by family: include "stablehlo/<family>.h.inc" where one
// is needed.

#ifndef STRATA_STABLEHLO_DIALECT_H
#define STRATA_STABLEHLO_DIALECT_H

#include "stablehlo/traits.h"
#include "stablehlo/types.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "stablehlo/dialect.h.inc"
#include "stablehlo/enums.h.inc"

namespace strata::stablehlo {
class ResultAccuracyAttr;
class ResultAccuracyModeAttr;
class MeshAxisAttr;
class SubAxisInfoAttr;

/// The accuracy attribute of a mode without tolerances.
ResultAccuracyAttr accuracyOfMode(mlir::MLIRContext *context, ResultAccuracyMode mode);
} // namespace strata::stablehlo

#define GET_ATTRDEF_CLASSES
#include "stablehlo/attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "stablehlo/types.h.inc"

namespace strata::stablehlo {
/// The shape that follows from operands and attributes, with the elements that the result has: these
/// are chosen, which is why the operations do not infer their types.
mlir::FailureOr<mlir::RankedTensorType> inferDotGeneral(mlir::Operation *op);
mlir::FailureOr<mlir::RankedTensorType> inferConvolution(mlir::Operation *op);
} // namespace strata::stablehlo

#endif // STRATA_STABLEHLO_DIALECT_H
