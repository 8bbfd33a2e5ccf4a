// The sdy dialect: registration and the operations with a body.

#include "sdy/dialect.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "sdy/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "sdy/ops.h.inc"

#define GET_OP_CLASSES
#include "sdy/ops.cpp.inc"

namespace strata::sdy {

namespace {
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void SdyDialect::initialize() {
  addAttributes();
  addOps();
  addBytecode();
  addInterfaces<Inliner>();
}

void SdyDialect::addOps() {
  addOperations<
#define GET_OP_LIST
#include "sdy/ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Operations with a body
//===----------------------------------------------------------------------===//

/// `(%arg: type, …) { … } attributes : (operands) -> results`
static ParseResult parseBody(OpAsmParser &parser, OperationState &state,
                             ArrayRef<OpAsmParser::UnresolvedOperand> operands, SMLoc location) {
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

static void printBody(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> elided) {
  printer << " (";
  llvm::interleaveComma(op->getRegion(0).getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(op);
}

ParseResult ManualComputationOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto &properties = state.getOrAddProperties<Properties>();
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in_shardings") || parser.parseEqual() ||
      parseShardings(parser, properties.in_shardings) || parser.parseKeyword("out_shardings") ||
      parser.parseEqual() || parseShardings(parser, properties.out_shardings) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual() ||
      parseManualAxes(parser, properties.manual_axes))
    return failure();
  return parseBody(parser, state, operands, location);
}

void ManualComputationOp::print(OpAsmPrinter &printer) {
  printer << "(" << getTensors() << ") in_shardings=";
  printShardings(printer, getInShardings());
  printer << " out_shardings=";
  printShardings(printer, getOutShardings());
  printer << " manual_axes=";
  printManualAxes(printer, getManualAxes());
  printBody(printer, *this, {"in_shardings", "out_shardings", "manual_axes"});
}

ParseResult NamedComputationOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto &properties = state.getOrAddProperties<Properties>();
  std::string name;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseGreater())
    return failure();
  properties.name = parser.getBuilder().getStringAttr(name);
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("in_shardings")))
    if (parser.parseEqual() || parseShardings(parser, properties.in_shardings))
      return failure();
  if (succeeded(parser.parseOptionalKeyword("out_shardings")))
    if (parser.parseEqual() || parseShardings(parser, properties.out_shardings))
      return failure();
  return parseBody(parser, state, operands, location);
}

void NamedComputationOp::print(OpAsmPrinter &printer) {
  printer << "<";
  printer.printString(getName());
  printer << ">(" << getOperands() << ")";
  if (getInShardings()) {
    printer << " in_shardings=";
    printShardings(printer, *getInShardings());
  }
  if (getOutShardings()) {
    printer << " out_shardings=";
    printShardings(printer, *getOutShardings());
  }
  printBody(printer, *this, {"name", "in_shardings", "out_shardings"});
}

} // namespace strata::sdy
