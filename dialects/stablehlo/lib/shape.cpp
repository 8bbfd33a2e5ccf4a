// Operations on shapes: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/shape.h.inc"

namespace strata::stablehlo {

/// `[0:4:2, 1:4]`: start, limit and, unless it is 1, stride.
static ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                                    DenseI64ArrayAttr &limits, DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    if (failed(parser.parseOptionalColon())) {
      stride.push_back(1);
      return success();
    }
    return parser.parseInteger(stride.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

static void printSliceRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr starts,
                             DenseI64ArrayAttr limits, DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(
      llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer,
      [&](auto range) {
        auto [start, limit, stride] = range;
        printer << start << ":" << limit;
        if (stride != 1)
          printer << ":" << stride;
      });
  printer << "]";
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/shape.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/shape.cpp.inc"
      >();
}

} // namespace strata::stablehlo
