// Transform operations of schedules.

#include "schedule.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#define GET_OP_CLASSES
#include "capi/schedule.h.inc"

using namespace mlir;

namespace strata::schedule {
namespace {

/// Patterns of a context, gathered at the first use. They belong to the transform dialect, which lives as long.
class Patterns : public transform::TransformDialectData<Patterns> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Patterns)

  Patterns(MLIRContext *context) : TransformDialectData(context), context(context) {}

  const FrozenRewritePatternSet &get(StringRef name,
                                     function_ref<void(RewritePatternSet &)> gather) const {
    // A dialect loaded since then adds its patterns.
    size_t loaded = context->getLoadedDialects().size();
    if (loaded != dialects)
      known.clear();
    dialects = loaded;
    auto [place, isNew] = known.try_emplace(name);
    if (isNew) {
      RewritePatternSet all(context);
      gather(all);
      // A pattern of LLVM 22.1.8 that reads out of bounds when an index is linearized along a single dimension.
      std::string wrong = "(anonymous namespace)::SplitDelinearizeSpanningLastLinearizeArg";
      place->second = FrozenRewritePatternSet(std::move(all), wrong);
    }
    return place->second;
  }

private:
  MLIRContext *context;
  mutable size_t dialects = 0;
  mutable llvm::StringMap<FrozenRewritePatternSet> known;
};

/// Programs whose dialects are known: patterns of others match nothing in them.
enum class Programs { Any, Nests, Hlo, Llvm };

std::optional<Programs> programsOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Programs>>(name)
      .Case("", Programs::Any)
      .Case("nests", Programs::Nests)
      .Case("hlo", Programs::Hlo)
      .Case("llvm", Programs::Llvm)
      .Default(std::nullopt);
}

bool mayHave(Programs programs, StringRef dialect) {
  static const llvm::StringSet<> notInNests{
      "check", "chlo", "interpreter",   "llvm",      "mhlo",      "pdl", "pdl_interp", "quant",
      "sdy",   "shape", "sparse_tensor", "stablehlo", "transform", "vhlo"};
  static const llvm::StringSet<> notBeforeLinalg{
      "affine", "bufferization", "linalg", "llvm",      "memref", "narrow",
      "pdl",    "pdl_interp",    "scf",    "transform", "vector"};
  switch (programs) {
  case Programs::Any:
    return true;
  case Programs::Nests:
    return !notInNests.contains(dialect);
  case Programs::Hlo:
    return !notBeforeLinalg.contains(dialect);
  case Programs::Llvm:
    return dialect == "llvm" || dialect == "builtin";
  }
  llvm_unreachable("all kinds of programs are above");
}

/// The canonicalization patterns of all dialects that are in these programs. Each application sorts all patterns by benefit: those
/// of dialects that are in no nest cost more than all others together.
void addCanonical(RewritePatternSet &all, Programs programs) {
  MLIRContext *context = all.getContext();
  for (Dialect *dialect : context->getLoadedDialects())
    if (mayHave(programs, dialect->getNamespace()))
      dialect->getCanonicalizationPatterns(all);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (mayHave(programs, name.getDialectNamespace()))
      name.getCanonicalizationPatterns(all, context);
}

const FrozenRewritePatternSet &patternsOf(MLIRContext *context, StringRef name,
                                          function_ref<void(RewritePatternSet &)> gather) {
  auto *dialect = context->getLoadedDialect<transform::TransformDialect>();
  return dialect->getExtraData<Patterns>().get(name, gather);
}

/// The listener keeps the handles of the schedule up to date. Every region has one block: nothing is left to simplify once
/// dead operations are gone, which the driver erases.
GreedyRewriteConfig configuration(RewriterBase &rewriter, int64_t rounds) {
  GreedyRewriteConfig config;
  config.setListener(static_cast<RewriterBase::Listener *>(rewriter.getListener()));
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (rounds > 0)
    config.setMaxIterations(rounds);
  return config;
}

class Extension : public transform::TransformDialectExtension<Extension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)

  using Base::Base;

  void init() {
    registerTransformOps<CleanOp, HoistSubsetsOp, PatternsOp>();
    // Made here, because a dialect is not changed any more while schedules run.
    addDialectDataInitializer<Patterns>([](Patterns &) {});
  }
};

} // namespace

DiagnosedSilenceableFailure CleanOp::applyToOne(transform::TransformRewriter &rewriter,
                                                Operation *target,
                                                transform::ApplyToEachResultList &results,
                                                transform::TransformState &state) {
  if (!target->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return emitDefaultDefiniteFailure(target) << ": it is not isolated from above";
  const FrozenRewritePatternSet &patterns =
      patternsOf(getContext(), "clean", [](RewritePatternSet &all) {
        addCanonical(all, Programs::Nests);
        linalg::populateLinalgTilingCanonicalizationPatterns(all);
        tensor::populateDropRedundantInsertSliceRankExpansionPatterns(all);
        scf::populateSCFForLoopCanonicalizationPatterns(all);
      });
  GreedyRewriteConfig config = configuration(rewriter, getRounds());
  if (failed(applyPatternsGreedily(target, patterns, config)) && getRounds() == 0)
    return emitDefaultSilenceableFailure(target) << ": canonicalization comes to no end";
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, target);
  return DiagnosedSilenceableFailure::success();
}

void CleanOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

namespace {

/// What a transfer accesses of a tensor.
struct Piece {
  vector::TransferReadOp read;
  vector::TransferWriteOp write;
};

/// Whether two transfers access the same elements: the same indices, vector and map.
bool isSame(VectorTransferOpInterface one, VectorTransferOpInterface other) {
  return one.getIndices() == other.getIndices() && one.getVectorType() == other.getVectorType() &&
         one.getPermutationMap() == other.getPermutationMap();
}

/// How many elements a transfer accesses along each dimension, or nothing if MLIR would not say it as a box.
std::optional<SmallVector<int64_t>> extents(VectorTransferOpInterface op) {
  AffineMap map = op.getPermutationMap();
  if (!map.isMinorIdentity() || op.getVectorType().isScalable())
    return std::nullopt;
  SmallVector<int64_t> sizes(op.getIndices().size(), 1);
  ArrayRef<int64_t> shape = op.getVectorType().getShape();
  llvm::copy(shape, sizes.end() - shape.size());
  return sizes;
}

/// Whether constant indices say that two transfers have no element in common.
bool isApart(VectorTransferOpInterface one, VectorTransferOpInterface other) {
  std::optional<SmallVector<int64_t>> sizes = extents(one), others = extents(other);
  if (!sizes || !others)
    return false;
  for (auto [first, second, size, its] :
       llvm::zip_equal(one.getIndices(), other.getIndices(), *sizes, *others)) {
    std::optional<int64_t> from = getConstantIntValue(first), to = getConstantIntValue(second);
    if (from && to && (*from + size <= *to || *to + its <= *from))
      return true;
  }
  return false;
}

/// Whether a loop returns what it carries as it is, which at most passes through loops in it.
bool passesOn(scf::ForOp loop, BlockArgument carried) {
  Value value = carried, yielded = loop.getTiedLoopYieldedValue(carried)->get();
  while (value.hasOneUse() && value != yielded) {
    OpOperand &use = *value.getUses().begin();
    auto inner = dyn_cast<scf::ForOp>(use.getOwner());
    BlockArgument own = inner ? inner.getTiedLoopRegionIterArg(&use) : BlockArgument();
    if (!own || !passesOn(inner, own))
      return false;
    value = inner.getTiedLoopResult(&use);
  }
  return value.hasOneUse();
}

/// The transfers between a loop-carried tensor and what is yielded for it, where nothing else is on the way but loops that pass
/// it on, all of them are pairs of a read and a write that the loop does not change, and all pairs are apart. In the order in
/// which MLIR would find them.
std::optional<SmallVector<Piece>> invariantPieces(scf::ForOp loop, BlockArgument carried,
                                                  unsigned position) {
  SmallVector<Piece> pieces;
  auto takes = [&](VectorTransferOpInterface op) -> Piece * {
    bool outside = op->getBlock() == loop.getBody() && !op.getMask() && extents(op) &&
                   llvm::all_of(op.getIndices(), [&](Value index) {
                     return loop.isDefinedOutsideOfLoop(index);
                   });
    if (!outside)
      return nullptr;
    for (Piece &piece : pieces) {
      auto known = piece.read ? cast<VectorTransferOpInterface>(piece.read.getOperation())
                              : cast<VectorTransferOpInterface>(piece.write.getOperation());
      if (isSame(known, op))
        return &piece;
    }
    return &pieces.emplace_back();
  };
  Value value = carried;
  while (true) {
    Value next;
    for (OpOperand &use : value.getUses()) {
      if (auto read = dyn_cast<vector::TransferReadOp>(use.getOwner())) {
        Piece *piece = takes(cast<VectorTransferOpInterface>(read.getOperation()));
        // What is read after the piece is written is not the loop-carried value. Uses have no order: the write of this very
        // value, which comes after the read, may have been seen before it.
        if (!piece || piece->read || &use != &read.getBaseMutable() ||
            (piece->write && piece->write.getBase() != value) ||
            !loop.isDefinedOutsideOfLoop(read.getPadding()))
          return std::nullopt;
        piece->read = read;
      } else if (auto write = dyn_cast<vector::TransferWriteOp>(use.getOwner())) {
        Piece *piece = takes(cast<VectorTransferOpInterface>(write.getOperation()));
        if (!piece || piece->write || &use != &write.getBaseMutable() || next)
          return std::nullopt;
        piece->write = write;
        next = write.getResult();
      } else if (auto inner = dyn_cast<scf::ForOp>(use.getOwner())) {
        // Its own transfers are outside of it by now.
        BlockArgument own = inner.getTiedLoopRegionIterArg(&use);
        if (!own || next || !passesOn(inner, own))
          return std::nullopt;
        next = inner.getTiedLoopResult(&use);
      } else if (use.getOwner() == loop.getBody()->getTerminator()) {
        if (use.getOperandNumber() != position || !value.hasOneUse())
          return std::nullopt;
      } else {
        return std::nullopt;
      }
    }
    if (!next)
      break;
    value = next;
  }
  if (pieces.empty() || loop.getYieldedValues()[position] != value)
    return std::nullopt;
  for (auto [index, one] : llvm::enumerate(pieces)) {
    Piece piece = one;
    if (!piece.read || !piece.write)
      return std::nullopt;
    for (Piece other : ArrayRef(pieces).drop_front(index + 1))
      if (!isApart(cast<VectorTransferOpInterface>(piece.read.getOperation()),
                   cast<VectorTransferOpInterface>(other.read.getOperation())))
        return std::nullopt;
  }
  return pieces;
}

/// Carries the pieces as vectors: read before the loop, written after it.
scf::ForOp hoist(RewriterBase &rewriter, scf::ForOp loop, unsigned position,
                 ArrayRef<Piece> pieces) {
  Value init = loop.getInitArgs()[position];
  SmallVector<Value> vectors;
  for (Piece piece : pieces) {
    rewriter.modifyOpInPlace(piece.read, [&] { piece.read.getBaseMutable().set(init); });
    rewriter.moveOpBefore(piece.read, loop);
    vectors.push_back(piece.read.getResult());
  }
  auto yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    SmallVector<Value> values;
    for (Piece piece : pieces)
      values.push_back(piece.write.getVector());
    return values;
  };
  FailureOr<LoopLikeOpInterface> replaced =
      loop.replaceWithAdditionalYields(rewriter, vectors, true, yields);
  assert(succeeded(replaced) && "an scf.for takes more values");
  auto made = cast<scf::ForOp>(replaced->getOperation());
  Value result = made.getResult(position);
  size_t first = made.getNumResults() - pieces.size();
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    auto write = piece.write;
    rewriter.replaceAllUsesWith(write.getResult(), write.getBase());
    rewriter.moveOpAfter(write, made);
    rewriter.replaceAllUsesWith(result, write.getResult());
    rewriter.modifyOpInPlace(write, [&] {
      write.getBaseMutable().set(result);
      write.getValueToStoreMutable().set(made.getResult(first + index));
    });
  }
  return made;
}

/// Whether an operation of the loop reads a slice that is the same in all iterations, and one writes such a slice: without
/// both, MLIR has nothing to move.
bool hasInvariantSubsets(LoopLikeOpInterface loop) {
  auto isInvariant = [&](Operation *op, ArrayRef<OpOperand *> but) {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return llvm::is_contained(but, &operand) || loop.isDefinedOutsideOfLoop(operand.get());
    });
  };
  bool reads = false, writes = false;
  for (Region *region : loop.getLoopRegions())
    for (Operation &op : region->getOps()) {
      if (auto read = dyn_cast<SubsetExtractionOpInterface>(op))
        reads |= isInvariant(&op, {&read.getSourceOperand()});
      if (auto write = dyn_cast<SubsetInsertionOpInterface>(op))
        writes |= isInvariant(&op, {&write.getSourceOperand(), &write.getDestinationOperand()});
    }
  return reads && writes;
}

} // namespace

DiagnosedSilenceableFailure
HoistSubsetsOp::applyToOne(transform::TransformRewriter &rewriter, LoopLikeOpInterface loop,
                           transform::ApplyToEachResultList &results,
                           transform::TransformState &state) {
  if (auto simple = dyn_cast<scf::ForOp>(loop.getOperation())) {
    for (unsigned position = 0; position < simple.getNumRegionIterArgs(); ++position)
      if (auto pieces =
              invariantPieces(simple, simple.getRegionIterArg(position), position))
        simple = hoist(rewriter, simple, position, *pieces);
    loop = cast<LoopLikeOpInterface>(simple.getOperation());
  }
  if (hasInvariantSubsets(loop))
    hoistLoopInvariantSubsets(rewriter, loop);
  return DiagnosedSilenceableFailure::success();
}

void HoistSubsetsOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure PatternsOp::applyToOne(transform::TransformRewriter &rewriter,
                                                   Operation *target,
                                                   transform::ApplyToEachResultList &results,
                                                   transform::TransformState &state) {
  std::string name;
  llvm::raw_string_ostream text(name);
  for (Operation &op : getPatterns().getOps())
    text << op.getName() << op.getAttrDictionary();
  const FrozenRewritePatternSet &patterns =
      patternsOf(getContext(), name, [&](RewritePatternSet &all) {
        for (Operation &op : getPatterns().getOps()) {
          if (isa<transform::ApplyCanonicalizationPatternsOp>(op))
            addCanonical(all, Programs::Nests);
          else
            cast<transform::PatternDescriptorOpInterface>(op).populatePatterns(all);
        }
      });
  GreedyRewriteConfig config = configuration(rewriter, getRounds());
  LogicalResult ended = failure();
  if (target->hasTrait<OpTrait::IsIsolatedFromAbove>()) {
    ended = applyPatternsGreedily(target, patterns, config);
  } else {
    SmallVector<Operation *> ops;
    target->walk([&](Operation *nested) {
      if (nested != target)
        ops.push_back(nested);
    });
    ended = applyOpPatternsGreedily(ops, patterns, config);
  }
  if (failed(ended) && getRounds() == 0)
    return emitDefaultSilenceableFailure(target) << ": the patterns come to no end";
  return DiagnosedSilenceableFailure::success();
}

LogicalResult PatternsOp::verify() {
  for (Operation &op : getPatterns().getOps())
    if (!isa<transform::PatternDescriptorOpInterface>(op))
      return emitOpError() << "holds an operation that is not a set of patterns: " << op.getName();
  return success();
}

void PatternsOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

namespace {

/// MLIR's `canonicalize`, with patterns that are gathered once in a context.
class Canonicalize : public PassWrapper<Canonicalize, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Canonicalize)

  Canonicalize() = default;
  Canonicalize(const Canonicalize &pass) : PassWrapper(pass) {}

  StringRef getArgument() const override { return "strata-canonicalize"; }
  StringRef getDescription() const override {
    return "`canonicalize`, with patterns that are gathered once in a context";
  }

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<Programs> known = programsOf(programs);
    if (!known)
      return emitError(UnknownLoc::get(context), "there are no programs `") << programs << "`";
    patterns = patternsOf(context, "canonical " + programs,
                          [&](RewritePatternSet &all) { addCanonical(all, *known); });
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(regions ? GreedySimplifyRegionLevel::Normal
                                                : GreedySimplifyRegionLevel::Disabled);
    // Where it comes to no end, what it did is right nevertheless.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

private:
  Option<std::string> programs{
      *this, "programs",
      llvm::cl::desc("Without the patterns of dialects that are not in `nests`, `hlo` or `llvm`")};
  Option<bool> regions{*this, "regions", llvm::cl::desc("Simplifies regions, too"),
                       llvm::cl::init(true)};
  FrozenRewritePatternSet patterns;
};

} // namespace

void registerPasses() { PassRegistration<Canonicalize>(); }

void registerExtension(DialectRegistry &registry) { registry.addExtensions<Extension>(); }

} // namespace strata::schedule

#define GET_OP_CLASSES
#include "capi/schedule.cpp.inc"
