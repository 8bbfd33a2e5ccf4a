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

// `{"a", "b":(1)2}`, `[{"a"}, {}]` and `[{"a"}: 0->1]`, before the operand of an exchange.
mlir::ParseResult parseAxes(mlir::OpAsmParser &parser, mlir::ArrayAttr &axes);
void printAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr axes);
mlir::ParseResult parseAxisLists(mlir::OpAsmParser &parser, mlir::ArrayAttr &lists);
void printAxisLists(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr lists);
mlir::ParseResult parseAxisMoves(mlir::OpAsmParser &parser, mlir::ArrayAttr &moves);
void printAxisMoves(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr moves);
mlir::ParseResult parseDirection(mlir::OpAsmParser &parser, mlir::StringAttr &direction);
void printDirection(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr direction);

// Verifies the sharding of a value of an operation, and axes of its mesh.
mlir::LogicalResult verifySharding(mlir::Operation *op, TensorShardingAttr sharding,
                                   mlir::Type type);
mlir::LogicalResult verifyAxes(mlir::Operation *op, mlir::Attribute meshOrRef,
                               mlir::ArrayRef<AxisRefAttr> axes);

} // namespace strata::sdy

#endif // STRATA_SDY_DIALECT_H
