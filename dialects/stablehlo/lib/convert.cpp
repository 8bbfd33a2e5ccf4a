// Conversion: text form, type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/convert.h.inc"

namespace strata::stablehlo {

/// `e5m10`
static ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponentBits,
                                         IntegerAttr &mantissaBits) {
  SMLoc location = parser.getCurrentLocation();
  StringRef format;
  if (parser.parseKeyword(&format))
    return failure();
  StringRef rest = format;
  int32_t exponent = 0, mantissa = 0;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponent) || !rest.consume_front("m") ||
      rest.getAsInteger(10, mantissa))
    return parser.emitError(location, "expected a format such as e5m10, found '") << format << "'";
  exponentBits = parser.getBuilder().getI32IntegerAttr(exponent);
  mantissaBits = parser.getBuilder().getI32IntegerAttr(mantissa);
  return success();
}

static void printExponentMantissa(OpAsmPrinter &printer, Operation *, IntegerAttr exponentBits,
                                  IntegerAttr mantissaBits) {
  printer << "e" << exponentBits.getInt() << "m" << mantissaBits.getInt();
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/convert.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addConvertOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/convert.cpp.inc"
      >();
}

} // namespace strata::stablehlo
