// Collectives: type inference and checks.

#include "bytecode.h"
#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
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

//===----------------------------------------------------------------------===//
// Groups and channels
//===----------------------------------------------------------------------===//

/// Process ids in replica groups are distinct. Groups of unequal size are
/// filled up with -1. Where `complete`, the ids are 0, 1, 2 and so on.
static LogicalResult checkReplicaGroups(OptionalLocation location, Attribute attribute,
                                        bool equalSizes,
                                        std::optional<int64_t> groupSize = std::nullopt,
                                        bool complete = true) {
  auto groups = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!groups)
    return success();
  SmallVector<int64_t> ids;
  for (int64_t id : groups.getValues<int64_t>()) {
    if (id == -1 && !equalSizes)
      continue;
    if (id < 0)
      return emitOptionalError(location, "expected replica_groups of ids of at least 0, found ",
                               id);
    ids.push_back(id);
  }
  if (failed(checkDistinct(location, "replica_groups", ids)))
    return failure();
  for (int64_t id : ids)
    if (complete && id >= static_cast<int64_t>(ids.size()))
      return emitOptionalError(location, "expected replica_groups of ids 0 to ", ids.size() - 1,
                               ", found ", id);
  if (groupSize && groups.getType().getDimSize(1) != *groupSize)
    return emitOptionalError(location, "expected replica_groups of ", *groupSize,
                             " ids each, found ", groups.getType().getDimSize(1));
  return success();
}

/// Global ids need a channel and groups.
static LogicalResult checkGlobalIds(OptionalLocation location, bool useGlobalIds,
                                    std::optional<ChannelHandleAttr> channel, Attribute groups) {
  if (!useGlobalIds)
    return success();
  if (!channel || channel->getHandle() <= 0)
    return emitOptionalError(location, "expected a positive channel with use_global_device_ids, "
                                       "found ",
                             channel ? channel->getHandle() : 0);
  if (auto elements = dyn_cast<DenseIntElementsAttr>(groups); elements && elements.empty())
    return emitOptionalError(location, "expected replica_groups with use_global_device_ids, found "
                                       "none");
  return success();
}

/// A reduction of two scalars of the operand's elements.
static LogicalResult checkScalarReducer(OptionalLocation location, Region &region,
                                        ValueRange operands) {
  for (Value operand : operands) {
    auto scalar = RankedTensorType::get({}, tensorType(operand).getElementType());
    if (failed(checkReducer(location, region, {scalar}, {scalar}, {})))
      return failure();
  }
  return success();
}

/// The operands that are communicated. A dynamic root is one more operand, the
/// last: an integer for each group.
static FailureOr<ValueRange> dataOperands(OptionalLocation location, ValueRange operands,
                                          bool hasDynamicRoot) {
  if (!hasDynamicRoot)
    return operands;
  if (operands.size() < 2)
    return emitOptionalError(location, "expected operands and then a root, found ",
                             operands.size(), " operands");
  RankedTensorType root = tensorType(operands.back());
  if (root.getRank() > 1 || !isIntegerElement(root.getElementType()))
    return emitOptionalError(location, "expected a root of integers, one for each group, found ",
                             root);
  return operands.drop_back();
}

//===----------------------------------------------------------------------===//
// Gather, reduce, exchange
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  // all_gather_c2, all_gather_c4, all_gather_c5
  if (failed(checkReplicaGroups(getLoc(), getReplicaGroups(), /*equalSizes=*/true)) ||
      failed(checkGlobalIds(getLoc(), getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())))
    return failure();
  for (auto [operandValue, resultValue] : llvm::zip(getOperands(), getResults())) {
    RankedTensorType operand = tensorType(operandValue), result = tensorType(resultValue);
    // all_gather_c1
    int64_t gathered = getAllGatherDim();
    if (failed(checkInRange(getLoc(), "all_gather_dim", gathered, operand.getRank())))
      return failure();
    // all_gather_c6
    if (operand.getRank() != result.getRank())
      return emitOpError("expected a result of rank ") << operand.getRank() << ", found " << result;
    for (int64_t i = 0, rank = operand.getRank(); i != rank; ++i) {
      int64_t from = operand.getDimSize(i), to = result.getDimSize(i);
      if (i != gathered && !compatible(from, to))
        return emitOpError("expected a result of length ")
               << from << " along dimension " << i << ", found " << to;
      if (i == gathered && from == 0)
        return emitOpError("expected dimension ")
               << i << " of the operand, which is gathered, not to be empty, found " << operand;
      if (i == gathered && !isDynamic(from) && !isDynamic(to) && to % from != 0)
        return emitOpError("expected a result whose length along dimension ")
               << i << " is a multiple of " << from << ", found " << to;
    }
  }
  return success();
}

/// Types of operands with the elements that the computation yields.
static LogicalResult inferReduction(OptionalLocation location, Region &computation,
                                    ValueRange operands, SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return emitOptionalError(location, "expected at least one operand, found none");
  if (failed(checkScalarReducer(location, computation, operands)))
    return failure();
  Type element = reducerElements(computation.front()).front();
  for (Value operand : operands)
    types.push_back(withElement(tensorType(operand), element));
  return success();
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // all_reduce_c5, all_reduce_c6, all_reduce_c7
  return inferReduction(location, adaptor.getComputation(), adaptor.getOperands(), types);
}

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1, all_reduce_c3, all_reduce_c4
  if (failed(checkReplicaGroups(getLoc(), getReplicaGroups(), /*equalSizes=*/false)) ||
      failed(checkGlobalIds(getLoc(), getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())))
    return failure();
  return success();
}

LogicalResult CollectiveReduceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                   Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<ValueRange> data =
      dataOperands(location, adaptor.getOperands(), adaptor.getHasDynamicRoot());
  if (failed(data))
    return failure();
  return inferReduction(location, adaptor.getComputation(), *data, types);
}

LogicalResult CollectiveReduceOp::verify() {
  if (failed(checkReplicaGroups(getLoc(), getReplicaGroups(), /*equalSizes=*/false)) ||
      failed(checkGlobalIds(getLoc(), getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())))
    return failure();
  return success();
}

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  int64_t split = adaptor.getSplitDimension(), concat = adaptor.getConcatDimension(),
          count = adaptor.getSplitCount();
  // all_to_all_c5, all_to_all_c7, all_to_all_c8; split_count is positive by its type
  if (failed(checkReplicaGroups(location, adaptor.getReplicaGroups(), /*equalSizes=*/true, count)))
    return failure();
  for (Value value : adaptor.getOperands()) {
    RankedTensorType operand = tensorType(value);
    // all_to_all_c1, all_to_all_c3
    if (failed(checkInRange(location, "split_dimension", split, operand.getRank())) ||
        failed(checkInRange(location, "concat_dimension", concat, operand.getRank())))
      return failure();
    // all_to_all_c2
    Shape shape = shapeOf(operand);
    if (!isDynamic(shape[split].limit()) && shape[split].limit() % count != 0)
      return emitOptionalError(location, "expected dimension ", split,
                               " to be divisible by split_count ", count, ", found ",
                               shape[split].limit());
    // all_to_all_c9
    auto scale = [&](int64_t &size, bool grow) {
      if (!isDynamic(size))
        size = grow ? size * count : size / count;
    };
    scale(shape[split].size, false);
    scale(shape[split].bound, false);
    scale(shape[concat].size, true);
    scale(shape[concat].bound, true);
    types.push_back(tensorOf(shape, operand.getElementType()));
  }
  return success();
}

// Channel and groups, as versions without a dynamic root wrote them; a dynamic
// root follows. Later versions of upstream put it, or nothing, before the groups:
// that there is one then shows in the number of operands, which is verified.
LogicalResult CollectiveBroadcastOp::readProperties(DialectBytecodeReader &reader,
                                                    OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.channel_handle)))
    return failure();
  Attribute first = bytecode::readTrailing(reader, /*optional=*/false);
  Attribute second = bytecode::readTrailing(reader, /*optional=*/false);
  properties.has_dynamic_root = dyn_cast_or_null<UnitAttr>(second);
  properties.replica_groups = second && !properties.has_dynamic_root ? second : first;
  if (!properties.replica_groups)
    return reader.emitError() << "expected replica_groups, found the end";
  return success();
}

void CollectiveBroadcastOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &properties = getProperties();
  writer.writeOptionalAttribute(properties.channel_handle);
  writer.writeAttribute(properties.replica_groups);
  if (properties.has_dynamic_root)
    writer.writeAttribute(properties.has_dynamic_root);
}

LogicalResult CollectiveBroadcastOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  // collective_broadcast_c3
  FailureOr<ValueRange> data =
      dataOperands(location, adaptor.getOperands(), adaptor.getHasDynamicRoot());
  if (failed(data))
    return failure();
  llvm::append_range(types, data->getTypes());
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  // collective_broadcast_c1, collective_broadcast_c2
  return checkReplicaGroups(getLoc(), getReplicaGroups(), /*equalSizes=*/true, std::nullopt,
                            /*complete=*/false);
}

LogicalResult CollectivePermuteOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                                    ValueRange operands, DictionaryAttr,
                                                    OpaqueProperties, RegionRange,
                                                    SmallVectorImpl<Type> &types) {
  // collective_permute_c5
  types.push_back(operands[0].getType());
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  // collective_permute_c1
  if (pairs.getType().getRank() != 2 || pairs.getType().getDimSize(1) != 2)
    return emitOpError("expected source_target_pairs of shape [N, 2], found ") << pairs.getType();
  SmallVector<int64_t> sources, targets;
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    // collective_permute_c4
    if (id < 0)
      return emitOpError("expected source_target_pairs of ids of at least 0, found ") << id;
    (i % 2 == 0 ? sources : targets).push_back(id);
  }
  // collective_permute_c2, collective_permute_c3
  if (failed(checkDistinct(getLoc(), "sources of source_target_pairs", sources)) ||
      failed(checkDistinct(getLoc(), "targets of source_target_pairs", targets)))
    return failure();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  RankedTensorType operand = tensorType(getOperand()), result = tensorType(getResult());
  // reduce_scatter_c3, reduce_scatter_c5, reduce_scatter_c6
  if (failed(checkReplicaGroups(getLoc(), getReplicaGroups(), /*equalSizes=*/true)) ||
      failed(checkGlobalIds(getLoc(), getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())) ||
      // reduce_scatter_c7
      failed(checkScalarReducer(getLoc(), getComputation(), getOperand())))
    return failure();
  // reduce_scatter_c2
  int64_t scattered = getScatterDimension();
  if (operand.getRank() != result.getRank())
    return emitOpError("expected a result of rank ") << operand.getRank() << ", found " << result;
  if (failed(checkInRange(getLoc(), "scatter_dimension", scattered, operand.getRank())))
    return failure();
  // reduce_scatter_c1, reduce_scatter_c8
  for (int64_t i = 0, rank = operand.getRank(); i != rank; ++i) {
    int64_t from = operand.getDimSize(i), to = result.getDimSize(i);
    if (i != scattered && !compatible(from, to))
      return emitOpError("expected a result of length ")
             << from << " along dimension " << i << ", found " << to;
    if (i == scattered && (from == 0 || to == 0))
      return emitOpError("expected dimension ")
             << i << ", which is scattered, not to be empty, found " << operand << " and " << result;
    if (i == scattered && !isDynamic(from) && !isDynamic(to) && from % to != 0)
      return emitOpError("expected a result whose length along dimension ")
             << i << " divides " << from << ", found " << to;
  }
  // reduce_scatter_c9
  Type element = reducerElements(getComputation().front()).front();
  if (result.getElementType() != element)
    return emitOpError("expected a result of element type ") << element << ", found " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

LogicalResult AsyncStartOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Region &body = adaptor.getBody();
  if (body.empty() || body.front().getOperations().size() != 2)
    return emitOptionalError(location, "expected a region of one operation and a return, found ",
                             body.empty() ? 0 : body.front().getOperations().size(),
                             " operations");
  Block &block = body.front();
  StringRef name = block.front().getName().getStringRef();
  static constexpr StringRef allowed[] = {
      "stablehlo.all_gather",     "stablehlo.all_reduce",         "stablehlo.all_to_all",
      "stablehlo.collective_broadcast", "stablehlo.collective_permute",
      "stablehlo.collective_reduce", "stablehlo.dynamic_slice",
      "stablehlo.dynamic_update_slice", "stablehlo.reduce_scatter", "stablehlo.slice"};
  if (!llvm::is_contained(allowed, name))
    return emitOptionalError(location, "expected a region with a collective or slice operation, "
                                       "found '",
                             name, "'");
  if (block.getNumArguments() != adaptor.getOperands().size())
    return emitOptionalError(location, "expected a region of ", adaptor.getOperands().size(),
                             " parameters, found ", block.getNumArguments());
  for (auto [i, operand, argument] :
       llvm::enumerate(adaptor.getOperands(), block.getArguments()))
    if (operand.getType() != argument.getType())
      return emitOptionalError(location, "expected parameter ", i, " of the region to be ",
                               operand.getType(), ", found ", argument.getType());
  SmallVector<Type> results(returnedTypes(body));
  for (Type type : results)
    if (!isa<RankedTensorType>(type))
      return emitOptionalError(location, "expected a region that returns tensors, found ", type);
  types.push_back(FutureType::get(block.front().getContext(), results));
  return success();
}

LogicalResult AsyncDoneOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, cast<FutureType>(adaptor.getOperand().getType()).getTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// Process ids
//===----------------------------------------------------------------------===//

static RankedTensorType processIdType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 32, IntegerType::Unsigned));
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                              ValueRange operands, DictionaryAttr, OpaqueProperties,
                                              RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(processIdType(context));
  return success();
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                            ValueRange operands, DictionaryAttr, OpaqueProperties,
                                            RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(processIdType(context));
  return success();
}

//===----------------------------------------------------------------------===//
// Speculation
//===----------------------------------------------------------------------===//

/// The result claims no length that the operand leaves open, and none of the
/// dimensions `grouped`, whose lengths follow from the number of processes.
static Speculation::Speculatability speculatableUnlessClaimed(Operation *op,
                                                              ArrayRef<int64_t> grouped) {
  for (auto [from, to] : llvm::zip(op->getOperandTypes(), op->getResultTypes())) {
    RankedTensorType operand = tensorType(from), result = tensorType(to);
    for (int64_t i = 0, rank = result.getRank(); i != rank; ++i)
      if (!result.isDynamicDim(i) &&
          (operand.isDynamicDim(i) || llvm::is_contained(grouped, i)))
        return Speculation::NotSpeculatable;
  }
  return Speculation::Speculatable;
}

Speculation::Speculatability AllGatherOp::getSpeculatability() {
  return speculatableUnlessClaimed(*this, static_cast<int64_t>(getAllGatherDim()));
}

Speculation::Speculatability AllToAllOp::getSpeculatability() {
  int64_t grouped[] = {static_cast<int64_t>(getSplitDimension()),
                       static_cast<int64_t>(getConcatDimension())};
  return speculatableUnlessClaimed(*this, grouped);
}

Speculation::Speculatability ReduceScatterOp::getSpeculatability() {
  return speculatableUnlessClaimed(*this, static_cast<int64_t>(getScatterDimension()));
}

void StableHLODialect::addCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/collective.cpp.inc"
      >();
}

} // namespace strata::stablehlo
