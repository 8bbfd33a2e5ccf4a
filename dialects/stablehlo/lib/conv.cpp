// Convolutions: text form and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/conv.h.inc"

namespace strata::stablehlo {

/// `stride = [2, 2], pad = [[1, 1], [0, 1]], lhs_dilate = …, rhs_dilate = …,
/// reverse = [false, true]` in any order, each at most once.
static ParseResult parseWindowAttributes(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                                         DenseIntElementsAttr &padding,
                                         DenseI64ArrayAttr &lhsDilation,
                                         DenseI64ArrayAttr &rhsDilation,
                                         DenseBoolArrayAttr &reversal) {
  auto &builder = parser.getBuilder();
  auto parseIntegers = [&](DenseI64ArrayAttr &attr) -> ParseResult {
    SmallVector<int64_t> values;
    if (parseDimensionList(parser, values))
      return failure();
    attr = builder.getDenseI64ArrayAttr(values);
    return success();
  };
  auto parsePadding = [&]() -> ParseResult {
    SmallVector<int64_t> values;
    int64_t rows = 0;
    auto parseRow = [&]() -> ParseResult {
      int64_t low, high;
      if (parser.parseLSquare() || parser.parseInteger(low) || parser.parseComma() ||
          parser.parseInteger(high) || parser.parseRSquare())
        return failure();
      values.append({low, high});
      ++rows;
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
      return failure();
    padding = DenseIntElementsAttr::get(
        RankedTensorType::get({rows, 2}, builder.getI64Type()), values);
    return success();
  };
  auto parseReversal = [&]() -> ParseResult {
    SmallVector<bool> values;
    auto parseValue = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalKeyword("true"))) {
        values.push_back(true);
        return success();
      }
      values.push_back(false);
      return parser.parseKeyword("false");
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
      return failure();
    reversal = builder.getDenseBoolArrayAttr(values);
    return success();
  };
  bool first = true;
  while (true) {
    if (!first && failed(parser.parseOptionalComma()))
      return success();
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name))) {
      if (first)
        return success();
      return parser.emitError(location, "expected a window attribute after ','");
    }
    first = false;
    if (parser.parseEqual())
      return failure();
    auto once = [&](Attribute attr) -> ParseResult {
      if (!attr)
        return success();
      return parser.emitError(location, "window attribute '") << name << "' is given twice";
    };
    ParseResult result = success();
    if (name == "stride")
      result = failure(once(strides) || parseIntegers(strides));
    else if (name == "pad")
      result = failure(once(padding) || parsePadding());
    else if (name == "lhs_dilate")
      result = failure(once(lhsDilation) || parseIntegers(lhsDilation));
    else if (name == "rhs_dilate")
      result = failure(once(rhsDilation) || parseIntegers(rhsDilation));
    else if (name == "reverse")
      result = failure(once(reversal) || parseReversal());
    else
      return parser.emitError(location, "expected 'stride', 'pad', 'lhs_dilate', 'rhs_dilate' or "
                                        "'reverse', found '")
             << name << "'";
    if (failed(result))
      return failure();
  }
}

static void printWindowAttributes(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides,
                                  DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                                  DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto start = [&](StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto integers = [&](StringRef name, DenseI64ArrayAttr attr) {
    if (!attr)
      return;
    start(name);
    printDimensionList(printer, attr.asArrayRef());
  };
  integers("stride", strides);
  if (padding) {
    start("pad");
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    printer << "[";
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", [" : "[") << values[i] << ", " << values[i + 1] << "]";
    printer << "]";
  }
  integers("lhs_dilate", lhsDilation);
  integers("rhs_dilate", rhsDilation);
  if (reversal) {
    start("reverse");
    printer << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer,
                          [&](bool value) { printer << (value ? "true" : "false"); });
    printer << "]";
  }
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/conv.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addConvOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/conv.cpp.inc"
      >();
}

} // namespace strata::stablehlo
