// Text form that several families share.

#include "stablehlo/assembly.h"

using namespace mlir;

namespace strata::stablehlo {

ParseResult parseDimensionList(AsmParser &parser, SmallVectorImpl<int64_t> &dimensions) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parser.parseInteger(dimensions.emplace_back());
  });
}

void printDimensionList(AsmPrinter &printer, ArrayRef<int64_t> dimensions) {
  printer << "[";
  llvm::interleaveComma(dimensions, printer);
  printer << "]";
}

/// Distributes `(operands) -> result` over `types`.
static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc location, FunctionType function,
                                      ArrayRef<Type *> types) {
  size_t operands = types.size() - 1;
  if (function.getNumInputs() != operands || function.getNumResults() != 1)
    return parser.emitError(location, "expected a function type of ")
           << operands << " operands and 1 result, found " << function;
  for (auto [type, input] : llvm::zip(types.drop_back(), function.getInputs()))
    *type = input;
  *types.back() = function.getResult(0);
  return success();
}

static void printFunctionType(OpAsmPrinter &printer, ArrayRef<Type> types) {
  printer << "(";
  llvm::interleaveComma(types.drop_back(), printer);
  printer << ") -> " << types.back();
}

ParseResult parseOneOrFunctionType(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, location, function, types);
  for (Type *each : types)
    *each = type;
  return success();
}

void printOneOrFunctionType(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.front();
  else
    printFunctionType(printer, types);
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser &parser, Operands &operands,
                                                   Types &types, Type &result) {
  types.resize(operands.size());
  SmallVector<Type *> all;
  for (Type &type : types)
    all.push_back(&type);
  all.push_back(&result);
  return parseOneOrFunctionType(parser, all);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, Operation *, OperandRange,
                                            TypeRange types, Type result) {
  SmallVector<Type> all(types);
  all.push_back(result);
  printOneOrFunctionType(printer, all);
}

/// The type of the real or imaginary part of a tensor of complex numbers.
static Type partType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  auto complex = dyn_cast<ComplexType>(tensor.getElementType());
  return complex ? tensor.clone(complex.getElementType()) : Type();
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, location, function, {&lhs, &rhs, &result});
  Type part = partType(type);
  if (!part)
    return parser.emitError(location, "expected a tensor of complex numbers, found ") << type;
  lhs = rhs = part;
  result = type;
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs, Type result) {
  Type part = partType(result);
  if (lhs == part && rhs == part)
    printer << result;
  else
    printFunctionType(printer, {lhs, rhs, result});
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse,
                              Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(pred))
    return failure();
  if (auto function = dyn_cast<FunctionType>(pred))
    return assignFunctionType(parser, location, function, {&pred, &onTrue, &onFalse, &result});
  if (parser.parseComma() || parser.parseType(onTrue))
    return failure();
  onFalse = result = onTrue;
  return success();
}

void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred, Type onTrue, Type onFalse,
                       Type result) {
  if (onTrue == onFalse && onTrue == result)
    printer << pred << ", " << onTrue;
  else
    printFunctionType(printer, {pred, onTrue, onFalse, result});
}

ParseResult parseTupleOpType(OpAsmParser &parser, Types &operands, Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(location, "expected a tuple type, found ") << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange, Type result) {
  printer << result;
}

ParseResult parsePairwiseOpType(OpAsmParser &parser, Types &operands, Types &results) {
  if (parser.parseTypeList(operands))
    return failure();
  llvm::append_range(results, operands);
  return success();
}

void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parseVariadicOperandWithAttribute(OpAsmParser &parser, Operands &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printVariadicOperandWithAttribute(OpAsmPrinter &printer, Operation *,
                                       OperandRange operands) {
  llvm::interleave(
      operands, [&](Value operand) { printer << operand << ","; }, [&]() { printer << " "; });
}

//===----------------------------------------------------------------------===//
// Convolution dimensions
//===----------------------------------------------------------------------===//

namespace {
// One of the three groups: two named dimensions and the spatial ones.
struct DimensionGroup {
  char firstName, secondName;
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial = {};
};
} // namespace

static ParseResult parseDimensionGroup(AsmParser &parser, DimensionGroup &group) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> spatial; // number, position
  int64_t position = 0;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    int64_t here = position++;
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      if (number < 0)
        return parser.emitError(location, "expected a spatial dimension of at least 0, found ")
               << number;
      spatial.push_back({number, here});
      return success();
    }
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    int64_t *slot = keyword == StringRef(&group.firstName, 1)    ? &group.first
                    : keyword == StringRef(&group.secondName, 1) ? &group.second
                                                                 : nullptr;
    if (!slot)
      return parser.emitError(location, "expected '")
             << group.firstName << "', '" << group.secondName << "' or a number, found '"
             << keyword << "'";
    if (*slot != -1)
      return parser.emitError(location, "dimension '") << keyword << "' is given twice";
    *slot = here;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return failure();
  if (group.first == -1 || group.second == -1)
    return parser.emitError(start, "expected dimensions '")
           << group.firstName << "' and '" << group.secondName << "'";
  llvm::sort(spatial);
  for (auto [i, entry] : llvm::enumerate(spatial)) {
    if (entry.first != static_cast<int64_t>(i))
      return parser.emitError(start, "expected spatial dimensions 0 to ")
             << spatial.size() - 1 << ", each once, found " << entry.first;
    group.spatial.push_back(entry.second);
  }
  return success();
}

ParseResult parseConvolutionDimensions(AsmParser &parser, ConvDimensionNumbersAttr &dimensions) {
  DimensionGroup input{'b', 'f'}, kernel{'i', 'o'}, output{'b', 'f'};
  if (parseDimensionGroup(parser, input) || parser.parseKeyword("x") ||
      parseDimensionGroup(parser, kernel) || parser.parseArrow() ||
      parseDimensionGroup(parser, output))
    return failure();
  dimensions = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial, kernel.first, kernel.second,
      kernel.spatial, output.first, output.second, output.spatial);
  return success();
}

/// Keeps the text short when a dimension of an invalid operation is huge.
static constexpr int64_t maximumPrintedDimensions = 64;

static void printDimensionGroup(AsmPrinter &printer, char firstName, int64_t first,
                                char secondName, int64_t second, ArrayRef<int64_t> spatial) {
  // Positions that no dimension has are printed `?`, so that what cannot be
  // verified can still be shown.
  int64_t last = std::max(first, second);
  for (int64_t position : spatial)
    last = std::max(last, position);
  last = std::min(last, maximumPrintedDimensions - 1);
  printer << "[";
  for (int64_t position = 0; position <= last; ++position) {
    if (position)
      printer << ", ";
    if (position == first)
      printer << StringRef(&firstName, 1);
    else if (position == second)
      printer << StringRef(&secondName, 1);
    else if (const int64_t *found = llvm::find(spatial, position); found != spatial.end())
      printer << found - spatial.begin();
    else
      printer << "?";
  }
  printer << "]";
}

void printConvolutionDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr dimensions) {
  printDimensionGroup(printer, 'b', dimensions.getInputBatchDimension(), 'f',
                      dimensions.getInputFeatureDimension(),
                      dimensions.getInputSpatialDimensions());
  printer << "x";
  printDimensionGroup(printer, 'i', dimensions.getKernelInputFeatureDimension(), 'o',
                      dimensions.getKernelOutputFeatureDimension(),
                      dimensions.getKernelSpatialDimensions());
  printer << "->";
  printDimensionGroup(printer, 'b', dimensions.getOutputBatchDimension(), 'f',
                      dimensions.getOutputFeatureDimension(),
                      dimensions.getOutputSpatialDimensions());
}

//===----------------------------------------------------------------------===//
// Precision
//===----------------------------------------------------------------------===//

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
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
  return success();
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute value) {
    if (auto precisionValue = dyn_cast<PrecisionAttr>(value))
      printer.printStrippedAttrOrType(precisionValue);
    else
      printer << value;
  });
  printer << "]";
}

} // namespace strata::stablehlo
