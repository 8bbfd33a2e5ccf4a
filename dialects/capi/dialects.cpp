// Registration of the library's dialects, and their types, for C.

#include "strata/capi.h"

#include "check/dialect.h"
#include "chlo/dialect.h"
#include "interpreter/dialect.h"
#include "lowering.h"
#include "math.h"
#include "mhlo/dialect.h"
#include "narrow/dialect.h"
#include "schedule.h"
#include "sdy/dialect.h"
#include "stablehlo/dialect.h"
#include "vhlo/dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace strata::stablehlo;

void strataRegisterDialects(MlirDialectRegistry registry) {
  unwrap(registry)->insert<strata::check::CheckDialect, strata::chlo::CHLODialect,
                             strata::interpreter::InterpreterDialect, strata::mhlo::MHLODialect,
                             strata::narrow::NarrowDialect, strata::sdy::SdyDialect, StableHLODialect,
                             strata::vhlo::VHLODialect>();
  strata::registerMath(*unwrap(registry));
  strata::schedule::registerExtension(*unwrap(registry));
  strata::lowering::registerExtension(*unwrap(registry));
}

void strataLoadDialects(MlirContext context) {
  unwrap(context)->loadDialect<StableHLODialect>();
}

bool strataHoldsResources(MlirContext context) {
  bool any = false;
  DenseResourceElementsHandle::getManagerInterface(unwrap(context))
      .getBlobManager()
      .getBlobMap([&](const auto &blobs) { any = !blobs.empty(); });
  return any;
}

bool strataTypeIsToken(MlirType type) { return isa<TokenType>(unwrap(type)); }

bool strataTypeIsFuture(MlirType type) { return isa<FutureType>(unwrap(type)); }

MlirType strataTokenTypeGet(MlirContext context) { return wrap(TokenType::get(unwrap(context))); }

intptr_t strataFutureTypeGetNumTypes(MlirType type) {
  auto future = dyn_cast<FutureType>(unwrap(type));
  return future ? future.getTypes().size() : 0;
}

MlirType strataFutureTypeGetType(MlirType type, intptr_t index) {
  auto future = dyn_cast<FutureType>(unwrap(type));
  if (!future || index < 0 || index >= static_cast<intptr_t>(future.getTypes().size()))
    return {nullptr};
  return wrap(future.getTypes()[index]);
}

bool strataTypeBounds(MlirType type, StrataIntsSink sink, void *data) {
  ArrayRef<int64_t> bounds = boundsOf(unwrap(type));
  if (bounds.empty())
    return false;
  sink(bounds.data(), bounds.size(), data);
  return true;
}
