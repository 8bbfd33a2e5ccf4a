// Transform operations of schedules that MLIR has only in slower forms.

#ifndef STRATA_CAPI_SCHEDULE
#define STRATA_CAPI_SCHEDULE

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

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

    Handles to operations inside of the target stay valid as far as the
    operations are replaced by operations of the same name.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
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

#endif // STRATA_CAPI_SCHEDULE
