// The CHLO dialect's class and attributes.

#ifndef STRATA_CHLO_DIALECT_H
#define STRATA_CHLO_DIALECT_H

#include "stablehlo/dialect.h"

#include "chlo/dialect.h.inc"
#include "chlo/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "chlo/attributes.h.inc"

namespace strata::chlo {
/// As those of StableHLO.
mlir::FailureOr<mlir::RankedTensorType> inferRaggedDot(mlir::Operation *op);
} // namespace strata::chlo

#endif // STRATA_CHLO_DIALECT_H
