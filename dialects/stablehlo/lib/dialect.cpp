// The StableHLO dialect: registration, inlining, constants.

#include "stablehlo/dialect.h"

#include "mlir/Transforms/InliningUtils.h"

#define GET_OP_CLASSES
#include "stablehlo/ops/constant_iota.h.inc"

using namespace mlir;

#include "stablehlo/dialect.cpp.inc"

namespace strata::stablehlo {

namespace {
// Operations may be moved into and between regions freely: no region of the
// dialect gives its operations another meaning.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void StableHLODialect::initialize() {
  addAttributes();
  addTypes();
  addElementwiseOps();
  addCompareSelectOps();
  addConvertOps();
  addConstantIotaOps();
  addShapeOps();
  addDynamicOps();
  addDotOps();
  addConvOps();
  addReduceOps();
  addWindowOps();
  addGatherScatterOps();
  addSortOps();
  addFftOps();
  addLinearAlgebraOps();
  addBatchNormOps();
  addRngOps();
  addControlFlowOps();
  addTupleTokenOps();
  addCollectiveOps();
  addHostIoOps();
  addCustomCallOps();
  addQuantizedOps();
  addBytecode();
  addInterfaces<Inliner>();
}

Operation *StableHLODialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                 Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!elements || !tensor || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, tensor, elements);
}

} // namespace strata::stablehlo
