// Exchange with the host: effects and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
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

/// Results are tensors, if any, and then a token.
static LogicalResult checkTransferResults(Operation *op) {
  // infeed_c1, recv_c2
  if (op->getNumResults() == 0)
    return op->emitOpError("expected at least one result, found none");
  // infeed_c3, recv_c4
  TypeRange types = op->getResultTypes();
  if (!isa<TokenType>(types.back()))
    return op->emitOpError("expected a token as last result, found ") << types.back();
  // infeed_c2, recv_c3
  for (Type type : types.drop_back())
    if (isa<TokenType>(type))
      return op->emitOpError("expected tensors before the last result, found ") << type;
  return success();
}

/// The channel's type says between whom it goes.
static LogicalResult checkChannel(Operation *op, ChannelHandleAttr channel, bool host,
                                  int64_t hostType) {
  // send_c1, recv_c1
  constexpr int64_t deviceToDevice = 1;
  int64_t expected = host ? hostType : deviceToDevice;
  if (channel.getType() != expected)
    return op->emitOpError("expected channel type ")
           << expected << (host ? " for" : " without") << " a host transfer, found "
           << channel.getType();
  return success();
}

LogicalResult InfeedOp::verify() {
  if (failed(checkTransferResults(*this)))
    return failure();
  std::optional<ArrayAttr> layout = getLayout();
  if (!layout)
    return success();
  if (failed(checkCount(getLoc(), "layout", layout->size(), getNumResults() - 1)))
    return failure();
  for (Attribute each : *layout) {
    auto order = dyn_cast<ArrayAttr>(each);
    if (!order)
      return emitOpError("expected layout to be an array of arrays, found ") << each;
    for (Attribute dimension : order)
      if (!isa<IntegerAttr>(dimension))
        return emitOpError("expected layout of integers, found ") << dimension;
  }
  return success();
}

LogicalResult OutfeedOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(context));
  return success();
}

LogicalResult SendOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                       ValueRange operands, DictionaryAttr, OpaqueProperties,
                                       RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(context));
  return success();
}

LogicalResult SendOp::verify() {
  constexpr int64_t deviceToHost = 2;
  return checkChannel(*this, getChannelHandle(), getIsHostTransfer(), deviceToHost);
}

LogicalResult RecvOp::verify() {
  constexpr int64_t hostToDevice = 3;
  if (failed(checkTransferResults(*this)))
    return failure();
  return checkChannel(*this, getChannelHandle(), getIsHostTransfer(), hostToDevice);
}

void StableHLODialect::addHostIoOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/host_io.cpp.inc"
      >();
}

} // namespace strata::stablehlo
