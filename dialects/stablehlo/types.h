// Predicates on types and attributes that constraints in the .td files use.

#ifndef STRATA_STABLEHLO_TYPES_H
#define STRATA_STABLEHLO_TYPES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

namespace strata::stablehlo {

bool isFloatElement(mlir::Type type);
bool isFloat32Or64Element(mlir::Type type);
bool isBooleanElement(mlir::Type type);
bool isIntegerElement(mlir::Type type);
bool isSignedIntegerElement(mlir::Type type);
bool isComplexElement(mlir::Type type);
bool isPerTensorQuantizedElement(mlir::Type type);
bool isPerAxisQuantizedElement(mlir::Type type);

/// No tensor that is quantized along a dimension which it lacks or which has
/// another number of indices than there are scales.
bool hasQuantizedDimension(mlir::Type type);

/// A ranked tensor of static shape, or with one dynamic dimension that is
/// bounded.
bool isStaticOrSingleBounded(mlir::Type type);

/// Two-dimensional i64 elements, or groups given by mesh axes.
bool isReplicaGroups(mlir::Attribute attribute);
/// One-dimensional `index` elements.
bool isLayout(mlir::Attribute attribute);

/// Bounds of the dimensions of a ranked tensor; empty when it has none.
llvm::ArrayRef<int64_t> boundsOf(mlir::Type type);

/// Equal, or equal up to quantisation parameters of the same storage and
/// expressed type.
bool areCompatibleElements(mlir::Type left, mlir::Type right);
/// Tensors are compatible when some static type is an instance of both: equal
/// ranks, dimensions equal or dynamic, no static dimension above a bound.
bool areCompatibleTypes(mlir::Type left, mlir::Type right);
bool areCompatibleTypes(mlir::TypeRange left, mlir::TypeRange right);

} // namespace strata::stablehlo

#endif // STRATA_STABLEHLO_TYPES_H
