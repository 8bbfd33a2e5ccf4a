// The sdy dialect's class and attributes.

#ifndef STRATA_SDY_DIALECT_H
#define STRATA_SDY_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sdy/dialect.h.inc"

namespace strata::sdy {
class MeshAxisAttr;
class SubAxisInfoAttr;
class AxisRefAttr;
class DimensionShardingAttr;
class TensorShardingAttr;
class DimMappingAttr;
class TensorMappingAttr;
} // namespace strata::sdy

#define GET_ATTRDEF_CLASSES
#include "sdy/attributes.h.inc"

namespace strata::sdy {

// `[<@mesh, [{"a"}]>, …]` and `{"a"}`, as operations print them.
mlir::ParseResult parseShardings(mlir::AsmParser &parser, TensorShardingPerValueAttr &shardings);
void printShardings(mlir::AsmPrinter &printer, TensorShardingPerValueAttr shardings);
mlir::ParseResult parseManualAxes(mlir::AsmParser &parser, ManualAxesAttr &axes);
void printManualAxes(mlir::AsmPrinter &printer, ManualAxesAttr axes);

} // namespace strata::sdy

#endif // STRATA_SDY_DIALECT_H
