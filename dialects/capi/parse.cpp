// Parsing with a name for the source: MLIR's own C function leaves locations
// without a file.

#include "mlir-c/IR.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

extern "C" MlirModule strataParseModule(MlirContext context, MlirStringRef source,
                                        MlirStringRef name);

MlirModule strataParseModule(MlirContext context, MlirStringRef source, MlirStringRef name) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(
      unwrap(source), mlir::ParserConfig(unwrap(context)), unwrap(name));
  return wrap(module.release());
}
