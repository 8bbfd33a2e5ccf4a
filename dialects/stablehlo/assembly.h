// The parts of the operations' text form that are written by hand. The
// declarative formats in ops/<family>.td name them as custom<…> directives.

#ifndef STRATA_STABLEHLO_ASSEMBLY_H
#define STRATA_STABLEHLO_ASSEMBLY_H

#include "stablehlo/dialect.h"

#include "mlir/IR/OpImplementation.h"

namespace strata::stablehlo {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

/// `[0, 1]`
mlir::ParseResult parseDimensionList(mlir::AsmParser &parser,
                                     llvm::SmallVectorImpl<int64_t> &dimensions);
void printDimensionList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dimensions);

// One type for all, or `(operands) -> result` when they differ. The last type
// is the result's.
mlir::ParseResult parseOneOrFunctionType(mlir::OpAsmParser &parser,
                                         llvm::ArrayRef<mlir::Type *> types);
void printOneOrFunctionType(mlir::OpAsmPrinter &printer, llvm::ArrayRef<mlir::Type> types);

template <typename... T>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser &parser, T &...types) {
  return parseOneOrFunctionType(parser, {&types...});
}
template <typename... T>
void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer, mlir::Operation *, T... types) {
  printOneOrFunctionType(printer, {mlir::Type(types)...});
}

/// One type for any number of operands and the result.
mlir::ParseResult parseVariadicSameOperandsAndResultType(mlir::OpAsmParser &parser,
                                                         Operands &operands, Types &types,
                                                         mlir::Type &result);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                                            mlir::OperandRange operands, mlir::TypeRange types,
                                            mlir::Type result);

/// The complex type, when the parts have its element type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs,
                                     mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type lhs,
                        mlir::Type rhs, mlir::Type result);

/// The predicate's type and that of both choices and the result.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser, mlir::Type &pred,
                                    mlir::Type &onTrue, mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type pred,
                       mlir::Type onTrue, mlir::Type onFalse, mlir::Type result);

/// The tuple type, which gives those of the operands.
mlir::ParseResult parseTupleOpType(mlir::OpAsmParser &parser, Types &operands,
                                   mlir::Type &result);
void printTupleOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                      mlir::Type result);

/// The operands' types, which are the results' too.
mlir::ParseResult parsePairwiseOpType(mlir::OpAsmParser &parser, Types &operands, Types &results);
void printPairwiseOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::TypeRange operands, mlir::TypeRange results);

/// Operands that are each followed by a comma.
mlir::ParseResult parseVariadicOperandWithAttribute(mlir::OpAsmParser &parser,
                                                    Operands &operands);
void printVariadicOperandWithAttribute(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                                       mlir::OperandRange operands);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, shared by the attribute and the
/// convolution.
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser &parser,
                                             ConvDimensionNumbersAttr &dimensions);
void printConvolutionDimensions(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr dimensions);
inline void printConvolutionDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                       ConvDimensionNumbersAttr dimensions) {
  printConvolutionDimensions(printer, dimensions);
}

/// `, precision = [DEFAULT, HIGHEST]` when there is a configuration.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision);
void printPrecisionConfig(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          mlir::ArrayAttr precision);

} // namespace strata::stablehlo

#endif // STRATA_STABLEHLO_ASSEMBLY_H
