// The library's extension of the transform dialect.

#ifndef STRATA_CAPI_SCHEDULE_H
#define STRATA_CAPI_SCHEDULE_H

#include "mlir/IR/DialectRegistry.h"

namespace strata::schedule {

// Registers the passes that need what the operations of schedules share.
void registerPasses();

// Adds the operations of schedules to the transform dialect.
void registerExtension(mlir::DialectRegistry &registry);

} // namespace strata::schedule

#endif // STRATA_CAPI_SCHEDULE_H
