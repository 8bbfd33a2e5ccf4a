// The interpreter dialect: registration. The evaluator gives the operations meaning.

#include "interpreter/dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "interpreter/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "interpreter/ops.cpp.inc"

namespace strata::interpreter {

namespace {
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "interpreter/ops.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

LogicalResult RunParallelOp::verify() {
  size_t partitions = 0, inputs = 0, results = 0;
  if (getPrograms().empty())
    return emitOpError("expected at least one program");
  for (auto [replica, row] : llvm::enumerate(getPrograms().getAsRange<ArrayAttr>())) {
    if (row.empty())
      return emitOpError("expected at least one program in replica ") << replica;
    if (replica > 0 && row.size() != partitions)
      return emitOpError("expected ")
             << partitions << " programs in replica " << replica << ", found " << row.size();
    partitions = row.size();
    for (auto name : row.getAsRange<FlatSymbolRefAttr>()) {
      auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(*this, name);
      if (!function)
        return emitOpError("expected a function named ") << name;
      inputs += function.getNumArguments();
      results += function.getNumResults();
    }
  }
  if (inputs != getInputs().size())
    return emitOpError("expected ")
           << inputs << " inputs, those of all programs, found " << getInputs().size();
  if (results != getResults().size())
    return emitOpError("expected ")
           << results << " results, those of all programs, found " << getResults().size();
  if (auto infeed = getInfeed())
    for (auto name : infeed->getAsRange<FlatSymbolRefAttr>())
      if (!SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(*this, name))
        return emitOpError("expected an infeed function named ") << name;
  return success();
}

} // namespace strata::interpreter
