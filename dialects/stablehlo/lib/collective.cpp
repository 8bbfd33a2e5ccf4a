// Collectives: type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/collective.h.inc"



#define GET_OP_CLASSES
#include "stablehlo/ops/collective.cpp.inc"

namespace strata::stablehlo {

/// A mesh that replica groups name must exist.
static LogicalResult verifyMeshSymbol(Operation *op, Attribute replicaGroups,
                                      SymbolTableCollection &symbols) {
  auto groups = dyn_cast<ReplicaGroupMeshAxesAttr>(replicaGroups);
  if (!groups)
    return success();
  auto symbol = dyn_cast<FlatSymbolRefAttr>(groups.getMesh());
  if (!symbol || symbols.lookupNearestSymbolFrom(op, symbol))
    return success();
  return op->emitOpError("expected replica_groups to name a mesh, but symbol '")
         << symbol.getValue() << "' was not found";
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

LogicalResult CollectiveBroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

LogicalResult CollectiveReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

} // namespace strata::stablehlo

namespace strata::stablehlo {

void StableHLODialect::addCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/collective.cpp.inc"
      >();
}

} // namespace strata::stablehlo
