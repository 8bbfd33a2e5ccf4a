// Registration of the passes that pipelines may name: those of the dialects that Strata uses.
//
// MLIR's "all passes" hold some that initialize every code generator of LLVM, which then is in every binary.

#include "lowering.h"
#include "schedule.h"
#include "strata/capi.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Quant/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Between dialects that Strata uses.
static void registerConversions() {
  registerArithToLLVMConversionPass();
  registerConvertBufferizationToMemRefPass();
  registerConvertComplexToLLVMPass();
  registerConvertComplexToLibmPass();
  registerConvertComplexToStandardPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertIndexToLLVMPass();
  registerConvertLinalgToStandardPass();
  registerConvertMathToFuncsPass();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerConvertShapeConstraintsPass();
  registerConvertShapeToStandardPass();
  registerConvertTensorToLinalgPass();
  registerConvertToLLVMPass();
  registerConvertVectorToLLVMPass();
  registerConvertVectorToSCFPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerLiftControlFlowToSCFPass();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerSetLLVMModuleDataLayoutPass();
  registerUBToLLVMConversionPass();
}

void strataRegisterPasses() {
  registerConversions();
  strata::lowering::registerPasses();
  strata::schedule::registerPasses();
  registerTransformsPasses();
  affine::registerAffinePasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  bufferization::registerBufferizationPipelines();
  func::registerFuncPasses();
  LLVM::registerDIScopeForLLVMFuncOpPassPass();
  LLVM::registerLLVMAddComdatsPass();
  LLVM::registerLLVMLegalizeForExportPassPass();
  LLVM::registerLLVMRequestCWrappersPassPass();
  LLVM::registerLLVMUseDefaultVisibilityPassPass();
  math::registerMathPasses();
  memref::registerMemRefPasses();
  quant::registerQuantPasses();
  registerLinalgPasses();
  registerSCFPasses();
  registerShapePasses();
  tensor::registerTensorPasses();
  transform::registerTransformPasses();
  vector::registerVectorPasses();
}

/// Clears write errors of LLVM's streams, for example of `print-ir` to a closed pipe: LLVM would abort the process for
/// them at exit.
extern "C" void strataForgetUnreadOutput(void);
void strataForgetUnreadOutput() {
  llvm::errs().clear_error();
  llvm::outs().clear_error();
}
