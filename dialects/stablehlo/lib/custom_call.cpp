// Custom calls and composites: text form, effects and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/custom_call.h.inc"

namespace strata::stablehlo {

/// The target as a symbol name: `@foo` or `@"foo-bar"`.
static ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

static void printCustomCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/custom_call.cpp.inc"

namespace strata::stablehlo {

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // A call may do anything unless the program says that it does nothing.
  if (BoolAttr sideEffect = getHasSideEffectAttr(); sideEffect && !sideEffect.getValue())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // composite_c1
  auto decomposition =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getDecompositionAttr());
  if (!decomposition)
    return emitOpError("expected decomposition to name a function, found '")
           << getDecomposition() << "'";
  // composite_c3
  if (!areCompatibleTypes(decomposition.getArgumentTypes(), getOperandTypes()))
    return emitOpError("expected operand types of the decomposition, ")
           << decomposition.getArgumentTypes() << ", found " << getOperandTypes();
  // composite_c4
  if (!areCompatibleTypes(decomposition.getResultTypes(), getResultTypes()))
    return emitOpError("expected result types of the decomposition, ")
           << decomposition.getResultTypes() << ", found " << getResultTypes();
  return success();
}

} // namespace strata::stablehlo

namespace strata::stablehlo {

void StableHLODialect::addCustomCallOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/custom_call.cpp.inc"
      >();
}

} // namespace strata::stablehlo
