// Exchange with the host: effects and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/host_io.h.inc"



#define GET_OP_CLASSES
#include "stablehlo/ops/host_io.cpp.inc"

namespace strata::stablehlo {

/// Transfers may neither be dropped nor reordered nor repeated.
static void
addTransferEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void InfeedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addTransferEffects(effects);
}

void OutfeedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addTransferEffects(effects);
}

void SendOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addTransferEffects(effects);
}

void RecvOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addTransferEffects(effects);
}

} // namespace strata::stablehlo

namespace strata::stablehlo {

void StableHLODialect::addHostIoOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/host_io.cpp.inc"
      >();
}

} // namespace strata::stablehlo
