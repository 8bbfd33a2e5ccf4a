// Control flow: text form, type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"



#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

// while(%iterArg = %a, %iterArg_0 = %b) : type, type attributes {…}
// cond {
//   …
// } do {
//   …
// }
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseBinding = [&]() {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseBinding))
    return failure();
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalColon())) {
    Type first;
    if (parser.parseType(first))
      return failure();
    if (auto function = dyn_cast<FunctionType>(first)) {
      llvm::append_range(types, function.getInputs());
      state.addTypes(function.getResults());
    } else {
      types.push_back(first);
      while (succeeded(parser.parseOptionalComma()))
        if (parser.parseType(types.emplace_back()))
          return failure();
      state.addTypes(types);
    }
  }
  if (types.size() != operands.size())
    return parser.emitError(location, "expected ")
           << operands.size() << " types, one for each operand, found " << types.size();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  Region *cond = state.addRegion(), *body = state.addRegion();
  return failure(parser.resolveOperands(operands, types, location, state.operands) ||
                 parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseKeyword("cond") || parser.parseRegion(*cond, arguments) ||
                 parser.parseKeyword("do") || parser.parseRegion(*body, arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  auto arguments = getCond().getArguments();
  printer << "(";
  llvm::interleaveComma(llvm::zip(arguments, getOperand()), printer, [&](auto binding) {
    printer << std::get<0>(binding) << " = " << std::get<1>(binding);
  });
  printer << ")";
  if (getNumOperands() != 0) {
    printer << " : ";
    if (getOperandTypes() == getResultTypes())
      llvm::interleaveComma(getOperandTypes(), printer);
    else
      printer.printFunctionalType(*this);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  // Both regions name the loop's values alike.
  if (getBody().getNumArguments() == arguments.size())
    printer.shadowRegionArgs(getBody(), ValueRange(arguments));
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace strata::stablehlo

namespace strata::stablehlo {

void StableHLODialect::addControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/control_flow.cpp.inc"
      >();
}

} // namespace strata::stablehlo
