// Pattern sets of MLIR whose own passes do more than a stage needs.

#include "strata/capi.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

MlirAttribute strataOperationAttributes(MlirOperation op) {
  return wrap(unwrap(op)->getAttrDictionary());
}

void strataFoldMemRefViews(MlirOperation root) {
  RewritePatternSet patterns(unwrap(root)->getContext());
  memref::populateFoldMemRefAliasOpPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // As in MLIR's own pass, some patterns never say that they are done.
  (void)applyPatternsGreedily(unwrap(root), std::move(patterns), config);
}
