// Transform operations of schedules.

#include "schedule.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define GET_OP_CLASSES
#include "capi/schedule.h.inc"

using namespace mlir;

namespace strata::schedule {
namespace {

// The patterns of a context. They belong to the transform dialect, which lives as long.
class CleanPatterns : public transform::TransformDialectData<CleanPatterns> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CleanPatterns)

  CleanPatterns(MLIRContext *context) : TransformDialectData(context), context(context) {}

  const FrozenRewritePatternSet &get() const {
    // A dialect loaded since then adds its patterns.
    size_t loaded = context->getLoadedDialects().size();
    if (loaded != dialects) {
      patterns = gather();
      dialects = loaded;
    }
    return patterns;
  }

private:
  FrozenRewritePatternSet gather() const {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      name.getCanonicalizationPatterns(all, context);
    linalg::populateLinalgTilingCanonicalizationPatterns(all);
    tensor::populateDropRedundantInsertSliceRankExpansionPatterns(all);
    scf::populateSCFForLoopCanonicalizationPatterns(all);
    return FrozenRewritePatternSet(std::move(all));
  }

  MLIRContext *context;
  mutable size_t dialects = 0;
  mutable FrozenRewritePatternSet patterns;
};

class Extension : public transform::TransformDialectExtension<Extension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)

  using Base::Base;

  void init() {
    registerTransformOps<CleanOp>();
    // Made here, because a dialect is not changed any more while schedules run.
    addDialectDataInitializer<CleanPatterns>([](CleanPatterns &) {});
  }
};

} // namespace

DiagnosedSilenceableFailure CleanOp::applyToOne(transform::TransformRewriter &rewriter,
                                                Operation *target,
                                                transform::ApplyToEachResultList &results,
                                                transform::TransformState &state) {
  if (!target->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return emitDefaultDefiniteFailure(target) << ": it is not isolated from above";
  auto *dialect = getContext()->getLoadedDialect<transform::TransformDialect>();
  const FrozenRewritePatternSet &patterns =
      dialect->getExtraData<CleanPatterns>().get();
  // The listener keeps the handles of the schedule up to date.
  auto *listener = static_cast<RewriterBase::Listener *>(rewriter.getListener());
  GreedyRewriteConfig config;
  config.setListener(listener);
  if (failed(applyPatternsGreedily(target, patterns, config)))
    return emitDefaultSilenceableFailure(target) << ": canonicalization comes to no end";
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, target);
  return DiagnosedSilenceableFailure::success();
}

void CleanOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

void registerExtension(DialectRegistry &registry) { registry.addExtensions<Extension>(); }

} // namespace strata::schedule

#define GET_OP_CLASSES
#include "capi/schedule.cpp.inc"
