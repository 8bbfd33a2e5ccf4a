// Parses, verifies, transforms by MLIR's own passes, and prints a program.

#include "strata/capi.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace {
// `"hlo_test_speculatability.is_speculatable"(%x)` says that the operation that
// makes %x may be executed speculatively, and likewise for the two other names.
struct CheckSpeculatability
    : mlir::PassWrapper<CheckSpeculatability, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckSpeculatability)

  llvm::StringRef getArgument() const final { return "check-speculatability"; }
  llvm::StringRef getDescription() const final {
    return "compare operations' speculatability with what the program says of it";
  }

  void runOnOperation() final {
    getOperation()->walk([&](mlir::Operation *op) {
      llvm::StringRef name = op->getName().getStringRef();
      if (!name.consume_front("hlo_test_speculatability.") || op->getNumOperands() == 0)
        return;
      mlir::Operation *source = op->getOperand(0).getDefiningOp();
      llvm::StringRef found = "is_not_speculatable";
      if (auto conditional = llvm::dyn_cast_or_null<mlir::ConditionallySpeculatable>(source))
        switch (conditional.getSpeculatability()) {
        case mlir::Speculation::Speculatable:
          found = "is_speculatable";
          break;
        case mlir::Speculation::RecursivelySpeculatable:
          found = "is_recursively_speculatable";
          break;
        case mlir::Speculation::NotSpeculatable:
          break;
        }
      if (found != name)
        source->emitError() << "expected " << name << ", found " << found;
    });
  }
};
} // namespace

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  mlir::PassRegistration<CheckSpeculatability>();
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect,
                  mlir::shape::ShapeDialect, mlir::sparse_tensor::SparseTensorDialect,
                  mlir::tensor::TensorDialect>();
  mlir::func::registerInlinerExtension(registry);
  strataRegisterDialects(wrap(&registry));
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Strata dialect test driver\n", registry));
}
