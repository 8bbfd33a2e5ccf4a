// When passes begin and end. The C interface of MLIR offers a report that it prints itself, and nothing else.

#include "strata/capi.h"

#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace {
class Listener : public PassInstrumentation {
public:
  explicit Listener(StrataPassSink hear) : hear(hear) {}

  void runBeforePass(Pass *pass, Operation *) override { tell(pass, true); }
  void runAfterPass(Pass *pass, Operation *) override { tell(pass, false); }
  void runAfterPassFailed(Pass *pass, Operation *) override { tell(pass, false); }

private:
  void tell(Pass *pass, bool begins) {
    // Adaptors to passes of inner operations have no command-line name.
    if (!pass->getArgument().empty())
      hear(wrap(pass->getArgument()), begins);
  }

  StrataPassSink hear;
};
} // namespace

void strataListenToPasses(MlirPassManager manager, StrataPassSink hear) {
  unwrap(manager)->addInstrumentation(std::make_unique<Listener>(hear));
}
