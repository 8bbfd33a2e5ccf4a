// Conversion: text form, type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
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

/// Number of bits of an element as it is stored.
static int64_t storedBits(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * storedBits(complex.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return storedBits(quantized.getStorageType());
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // bitcast_convert_c2
  if (isa<ComplexType>(operand.getElementType()) != isa<ComplexType>(result.getElementType()))
    return emitOpError("expected both types to be complex or neither, found ")
           << operand << " and " << result;
  // bitcast_convert_c1: the narrower type has one dimension more, unless the
  // widths agree.
  int64_t operandBits = storedBits(operand.getElementType());
  int64_t resultBits = storedBits(result.getElementType());
  RankedTensorType narrow = operandBits < resultBits ? operand : result;
  RankedTensorType wide = operandBits < resultBits ? result : operand;
  int64_t narrowBits = std::min(operandBits, resultBits);
  int64_t wideBits = std::max(operandBits, resultBits);
  ArrayRef<int64_t> shape = narrow.getShape();
  if (narrowBits != wideBits) {
    if (narrow.getRank() != wide.getRank() + 1)
      return emitOpError("expected ")
             << narrow << " to have one dimension more than " << wide << " has";
    if (wideBits % narrowBits != 0 || !compatible(shape.back(), wideBits / narrowBits))
      return emitOpError("expected the last dimension of ")
             << narrow << " to hold the " << wideBits << " bits of an element of " << wide;
    shape = shape.drop_back();
  }
  if (failed(verifyCompatibleShape(shape, wide.getShape())))
    return emitOpError("expected compatible shapes, found ") << operand << " and " << result;
  return success();
}

void StableHLODialect::addConvertOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/convert.cpp.inc"
      >();
}

} // namespace strata::stablehlo
