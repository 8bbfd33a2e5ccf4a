// Passes to the LLVM dialect for programs that a client waits for.

#ifndef STRATA_CAPI_LOWERING_H
#define STRATA_CAPI_LOWERING_H

#include "mlir/IR/DialectRegistry.h"

namespace strata::lowering {

// Registers `strata-to-llvm`.
void registerPasses();

// Lets a context keep what the pass gathers.
void registerExtension(mlir::DialectRegistry &registry);

} // namespace strata::lowering

#endif // STRATA_CAPI_LOWERING_H
