// The CHLO dialect in MLIR bytecode: upstream's codes. Attributes that have
// none are written as text, there as here.

#include "bytecode.h"
#include "chlo/dialect.h"

using namespace mlir;
using namespace strata::bytecode;

namespace strata::chlo {

namespace {

enum AttributeCode : uint64_t { comparisonDirection = 0, comparisonType = 1 };

struct Bytecode : BytecodeDialectInterface {
  explicit Bytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case comparisonDirection:
      return readEnum<ComparisonDirectionAttr>(reader, [](uint32_t number) {
        return symbolizeComparisonDirection(number);
      });
    case comparisonType:
      return readEnum<ComparisonTypeAttr>(
          reader, [](uint32_t number) { return symbolizeComparisonType(number); });
    default:
      reader.emitError() << "expected an attribute of CHLO, found code " << code;
      return {};
    }
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const final {
    if (auto direction = dyn_cast<ComparisonDirectionAttr>(attribute))
      writeEnum(writer, comparisonDirection, direction);
    else if (auto type = dyn_cast<ComparisonTypeAttr>(attribute))
      writeEnum(writer, comparisonType, type);
    else
      return failure();
    return success();
  }
};

} // namespace

void CHLODialect::addBytecode() { addInterfaces<Bytecode>(); }

} // namespace strata::chlo
