// One conversion to the LLVM dialect instead of one for each dialect, with patterns that are gathered once in a context: to gather
// them, to walk the program and to reconcile types six times takes longer than to convert a small program.

#include "lowering.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace strata::lowering {
namespace {

LowerToLLVMOptions options(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  // Shapes are static, so that a pointer says all of a memref.
  options.useBarePtrCallConv = true;
  return options;
}

/// Types and patterns, which refer to each other.
struct Gathered {
  explicit Gathered(MLIRContext *context) : types(context, options(context)) {
    RewritePatternSet all(context);
    index::populateIndexToLLVMConversionPatterns(types, all);
    arith::populateArithToLLVMConversionPatterns(types, all);
    ub::populateUBToLLVMConversionPatterns(types, all);
    populateFinalizeMemRefToLLVMConversionPatterns(types, all);
    populateFuncToLLVMConversionPatterns(types, all);
    cf::populateControlFlowToLLVMConversionPatterns(types, all);
    cf::populateAssertToLLVMConversionPattern(types, all);
    patterns = std::move(all);
  }

  LLVMTypeConverter types;
  FrozenRewritePatternSet patterns;
};

/// What a context keeps. It belongs to the transform dialect, which lives as long.
class Kept : public transform::TransformDialectData<Kept> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Kept)

  Kept(MLIRContext *context) : TransformDialectData(context), context(context) {}

  const FrozenRewritePatternSet &patterns() const {
    if (!gathered)
      gathered = std::make_unique<Gathered>(context);
    return gathered->patterns;
  }

private:
  MLIRContext *context;
  mutable std::unique_ptr<Gathered> gathered;
};

class Extension : public transform::TransformDialectExtension<Extension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)

  using Base::Base;

  void init() {
    addDialectDataInitializer<Kept>([](Kept &) {});
  }
};

class ToLLVM : public PassWrapper<ToLLVM, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLLVM)

  StringRef getArgument() const override { return "strata-to-llvm"; }
  StringRef getDescription() const override {
    return "`index`, `arith`, `ub`, `memref`, `func` and `cf` to the LLVM dialect at once";
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto *dialect = context->getLoadedDialect<transform::TransformDialect>();
    LLVMConversionTarget target(*context);
    if (failed(applyPartialConversion(getOperation(), target,
                                      dialect->getExtraData<Kept>().patterns())))
      signalPassFailure();
  }
};

} // namespace

void registerPasses() { PassRegistration<ToLLVM>(); }

void registerExtension(DialectRegistry &registry) { registry.addExtensions<Extension>(); }

} // namespace strata::lowering
