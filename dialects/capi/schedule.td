// Transform operations of schedules that MLIR has only in slower forms.

#ifndef STRATA_CAPI_SCHEDULE
#define STRATA_CAPI_SCHEDULE

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"

def CleanOp : Op<Transform_Dialect, "strata.clean",
    [TransformOpInterface, TransformEachOpTrait,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     ReportTrackingListenerFailuresOpTrait]> {
  let summary = "canonicalizes what a step of a schedule has left";
  let description = [{
    Canonicalizes the target, an operation that is isolated from above, with the
    patterns of all loaded dialects and those for tiled loops and slices, and
    removes common subexpressions.

    The patterns are gathered once in a context. `transform.apply_patterns`
    gathers them for each application, which takes longer than to apply them.
    With `rounds`, their application ends after as many.

    Handles to operations inside of the target stay valid as far as the
    operations are replaced by operations of the same name.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<I64Attr, "0">:$rounds);
  let results = (outs);
  let assemblyFormat = "$target attr-dict `:` type($target)";
  let cppNamespace = "::strata::schedule";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter, ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

def HoistSubsetsOp : Op<Transform_Dialect, "strata.hoist_subsets",
    [TransformOpInterface, TransformEachOpTrait,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     ReportTrackingListenerFailuresOpTrait]> {
  let summary = "keeps what loops read and write at the same place out of their tensors";
  let description = [{
    What `transform.loop.hoist_loop_invariant_subsets` does to loops, and the
    same result. Where a loop-carried tensor is only read and written as
    vectors at places that are apart by constants, and passed on by loops in
    the loop, all of them are moved at once: to compare each with all others, MLIR solves a system of
    inequalities each time. It is not asked where no slice is the same in all
    iterations.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs);
  let assemblyFormat = "$target attr-dict `:` type($target)";
  let cppNamespace = "::strata::schedule";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter, ::mlir::LoopLikeOpInterface target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

def PatternsOp : Op<Transform_Dialect, "strata.patterns",
    [TransformOpInterface, TransformEachOpTrait,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     ReportTrackingListenerFailuresOpTrait] # GraphRegionNoTerminator.traits> {
  let summary = "applies patterns";
  let description = [{
    What `transform.apply_patterns` does, with sets of patterns that are
    gathered once in a context, and without region simplification.

    With `rounds`, it ends after as many: each looks at all operations, and
    nearly always the second one finds nothing to do.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<I64Attr, "0">:$rounds);
  let results = (outs);
  let regions = (region MaxSizedRegion<1>:$patterns);
  let assemblyFormat = "`to` $target $patterns attr-dict `:` type($target)";
  let hasVerifier = 1;
  let cppNamespace = "::strata::schedule";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter, ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

#endif // STRATA_CAPI_SCHEDULE
