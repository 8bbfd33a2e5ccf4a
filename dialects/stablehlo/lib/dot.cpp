// Dot products: text form and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/dot.h.inc"

namespace strata::stablehlo {

/// `[0] x [1]`
static ParseResult parseDimensionPair(OpAsmParser &parser, SmallVectorImpl<int64_t> &lhs,
                                      SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseDimensionList(parser, lhs) ||
                 parser.parseKeyword("x") || parseDimensionList(parser, rhs));
}

static void printDimensionPair(OpAsmPrinter &printer, ArrayRef<int64_t> lhs,
                               ArrayRef<int64_t> rhs) {
  printDimensionList(printer, lhs);
  printer << " x ";
  printDimensionList(printer, rhs);
}

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`; the first part
/// only when there is a batching dimension.
static ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                            DotDimensionNumbersAttr &dimensions) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parseDimensionPair(parser, lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimensionPair(parser, lhsContracting, rhsContracting))
    return failure();
  dimensions = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching,
                                            lhsContracting, rhsContracting);
  return success();
}

static void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                                     DotDimensionNumbersAttr dimensions) {
  if (!dimensions.getLhsBatchingDimensions().empty() ||
      !dimensions.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDimensionPair(printer, dimensions.getLhsBatchingDimensions(),
                       dimensions.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimensionPair(printer, dimensions.getLhsContractingDimensions(),
                     dimensions.getRhsContractingDimensions());
}

/// `, precision = [HIGH, DEFAULT], algorithm = <…>`, each when it is given.
static ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, ArrayAttr &precision,
                                                    DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("algorithm")))
    return failure(parser.parseEqual() || parser.parseCustomAttributeWithFallback(algorithm));
  SmallVector<Attribute> values;
  auto parseValue = [&]() -> ParseResult {
    PrecisionAttr value;
    if (parser.parseCustomAttributeWithFallback(value))
      return failure();
    values.push_back(value);
    return success();
  };
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("algorithm") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(algorithm));
}

static void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                             ArrayAttr precision, DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/dot.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addDotOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/dot.cpp.inc"
      >();
}

} // namespace strata::stablehlo
