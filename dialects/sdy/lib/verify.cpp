// What shardings, sharding rules and bodies with manual axes must be. A
// sharding speaks of axes of a mesh, which may be a symbol: so operations and
// functions are verified, not attributes by themselves.

#include "sdy/dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "sdy/ops.h.inc"

namespace strata::sdy {

/// Begins an error at the place that is verified.
using Emit = llvm::function_ref<InFlightDiagnostic()>;

static constexpr StringRef shardingName = "sdy.sharding";
static constexpr StringRef shardingRuleName = "sdy.sharding_rule";

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(Emit emitError, StringAttr name, int64_t size) {
  if (size >= 1)
    return success();
  return emitError() << "expected axis " << name << " of size 1 or more, found " << size;
}

LogicalResult MeshAttr::verify(Emit emitError, ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  llvm::SmallSet<StringRef, 8> names;
  int64_t devices = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName().getValue()).second)
      return emitError() << "expected distinct axes, found " << axis.getName() << " twice";
    // Sizes without end are refused by those who ask for the devices.
    if (llvm::MulOverflow(devices, axis.getSize(), devices))
      devices = std::numeric_limits<int64_t>::max();
  }
  if (deviceIds.empty())
    return success();
  for (int64_t id : deviceIds)
    if (id < 0)
      return emitError() << "expected device_ids of at least 0, found " << id;
  if (devices != static_cast<int64_t>(deviceIds.size()))
    return emitError() << "expected " << devices << " device_ids, one for each device, found "
                       << deviceIds.size();
  // One device without axes may have any id.
  if (axes.empty())
    return success();
  llvm::SmallDenseSet<int64_t> found;
  std::optional<int64_t> repeated;
  for (int64_t id : deviceIds) {
    if (id >= devices)
      return emitError() << "expected device_ids 0 to " << devices - 1 << ", found " << id;
    if (!found.insert(id).second && !repeated)
      repeated = id;
  }
  if (!repeated)
    return success();
  // There are as many ids as devices, so that one is missing.
  int64_t missing = 0;
  while (found.contains(missing))
    ++missing;
  return emitError() << "expected device_ids 0 to " << devices - 1 << " once each, found "
                     << *repeated << " more than once and no " << missing;
}

/// A mesh of one device, given by its id, and no axes.
static bool isMaximal(MeshAttr mesh) {
  return mesh.getAxes().empty() && mesh.getDeviceIds().size() == 1;
}

/// Position of an axis in the mesh, or nothing.
static std::optional<size_t> axisIndex(MeshAttr mesh, StringAttr name) {
  for (auto [i, axis] : llvm::enumerate(mesh.getAxes()))
    if (axis.getName() == name)
      return i;
  return std::nullopt;
}

/// The mesh of a sharding: its own, or the one that its symbol names in the
/// module around `op`.
static MeshAttr lookupMesh(Operation *op, Attribute meshOrRef) {
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef))
    return mesh;
  auto symbol = dyn_cast<FlatSymbolRefAttr>(meshOrRef);
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  if (!symbol || !module)
    return {};
  auto mesh = dyn_cast_or_null<MeshOp>(SymbolTable::lookupSymbolIn(module, symbol.getAttr()));
  return mesh ? mesh.getMesh() : MeshAttr();
}

/// The error where `lookupMesh` finds none.
static LogicalResult reportNoMesh(Emit emit, Operation *op, Attribute meshOrRef) {
  InFlightDiagnostic error = emit() << "expected a mesh of the module, found " << meshOrRef;
  auto symbol = dyn_cast<FlatSymbolRefAttr>(meshOrRef);
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  if (!symbol || !module)
    return error;
  if (Operation *other = SymbolTable::lookupSymbolIn(module, symbol.getAttr()))
    error << ", which is the name of a " << other->getName();
  return error;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

namespace {
/// The part of an axis that a reference names: of the sizes whose product is
/// the axis, those between the products `begin` and `end`.
struct AxisPart {
  AxisRefAttr ref;
  size_t axis;
  int64_t begin, end;

  bool isWhole() const { return !ref.getSubAxisInfo(); }
  int64_t size() const { return end / begin; }
};
} // namespace

/// A reference as programs have it: "a" or "a":(1)2.
static std::string text(const AxisPart &part) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << '"' << part.ref.getName().getValue() << '"';
  if (SubAxisInfoAttr info = part.ref.getSubAxisInfo())
    stream << ":(" << info.getPreSize() << ")" << info.getSize();
  return result;
}

/// Resolves references, and checks each separately.
static LogicalResult resolveAxes(Emit emit, MeshAttr mesh, ArrayRef<AxisRefAttr> refs,
                                 SmallVectorImpl<AxisPart> &parts) {
  for (AxisRefAttr ref : refs) {
    std::optional<size_t> index = axisIndex(mesh, ref.getName());
    if (!index)
      return emit() << "expected an axis of the mesh " << mesh << ", found " << ref.getName();
    int64_t size = mesh.getAxes()[*index].getSize();
    SubAxisInfoAttr info = ref.getSubAxisInfo();
    if (!info) {
      parts.push_back({ref, *index, 1, size});
      continue;
    }
    AxisPart part{ref, *index, info.getPreSize(), 0};
    if (info.getPreSize() < 1 || info.getSize() < 2)
      return emit() << "expected a sub-axis of pre-size 1 or more and size 2 or more, found " << text(part);
    if (llvm::MulOverflow(info.getPreSize(), info.getSize(), part.end) || size % part.end != 0)
      return emit() << "expected a sub-axis whose pre-size and size divide the axis, of size "
                    << size << ", found " << text(part);
    if (info.getSize() == size)
      return emit() << "expected a sub-axis smaller than its axis, of size " << size << ", found "
                    << text(part);
    parts.push_back(part);
  }
  return success();
}

/// No part is used twice, also not by way of another reference.
static LogicalResult checkDisjoint(Emit emit, ArrayRef<AxisPart> parts) {
  for (auto [i, left] : llvm::enumerate(parts))
    for (const AxisPart &right : parts.drop_front(i + 1)) {
      if (left.axis != right.axis)
        continue;
      bool apart = left.end <= right.begin || right.end <= left.begin;
      if (apart && !left.isWhole() && !right.isWhole())
        continue;
      return emit() << "expected axes that do not overlap, found " << text(left) << " and "
                    << text(right);
    }
  return success();
}

/// Neighbours in a list are not two halves of one part.
static LogicalResult checkMerged(Emit emit, ArrayRef<AxisPart> list) {
  for (size_t i = 1; i < list.size(); ++i) {
    const AxisPart &left = list[i - 1], &right = list[i];
    if (left.isWhole() || right.isWhole() || left.axis != right.axis || left.end != right.begin)
      continue;
    return emit() << "expected consecutive sub-axes to be one, found " << text(left) << " and "
                  << text(right);
  }
  return success();
}

/// Axes whose order does not matter are in that of the mesh.
static LogicalResult checkOrdered(Emit emit, StringRef name, ArrayRef<AxisPart> list) {
  auto before = [](const AxisPart &left, const AxisPart &right) {
    return std::tuple(left.axis, left.begin, left.end) <
           std::tuple(right.axis, right.begin, right.end);
  };
  for (size_t i = 1; i < list.size(); ++i)
    if (before(list[i], list[i - 1]))
      return emit() << "expected " << name << " axes in the order of the mesh, found "
                    << text(list[i - 1]) << " before " << text(list[i]);
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// Manual axes of the bodies around an operation.
static SmallVector<StringAttr> outerManualAxes(Operation *op) {
  SmallVector<StringAttr> axes;
  for (auto parent = op->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>())
    llvm::append_range(axes, parent.getManualAxes().getAxes());
  return axes;
}

/// A value without dimensions is neither split nor copied.
static LogicalResult checkUnsplit(Emit emit, TensorShardingAttr sharding, StringRef what) {
  if (sharding.getDimensions().empty() && sharding.getReplicated().empty() &&
      sharding.getUnreduced().empty())
    return success();
  return emit() << "expected a sharding of rank 0 without replicated or unreduced axes for "
                << what << ", found " << sharding;
}

/// `type` is absent if a sharding is on an operation without results.
static LogicalResult checkSharding(Emit emit, Operation *op, TensorShardingAttr sharding,
                                   Type type) {
  MeshAttr mesh = lookupMesh(op, sharding.getMeshOrRef());
  if (!mesh)
    return reportNoMesh(emit, op, sharding.getMeshOrRef());
  if (isMaximal(mesh))
    return checkUnsplit(emit, sharding, "a single device");
  if (!type)
    return checkUnsplit(emit, sharding, "an operation without results");
  auto shaped = dyn_cast<ShapedType>(type);
  if (auto tuple = dyn_cast<TupleType>(type)) {
    if (tuple.size() != 1)
      return emit() << "expected a tuple of one value to have a sharding, found " << tuple;
    shaped = dyn_cast<ShapedType>(tuple.getType(0));
  }
  if (!shaped)
    return checkUnsplit(emit, sharding, "a value that is not a tensor");
  if (!shaped.hasRank())
    return emit() << "expected a ranked tensor to have a sharding, found " << type;
  if (shaped.getRank() != static_cast<int64_t>(sharding.getDimensions().size()))
    return emit() << "expected a sharding of rank " << shaped.getRank() << ", found "
                  << sharding.getDimensions().size();

  SmallVector<AxisPart> all;
  auto addList = [&](ArrayRef<AxisRefAttr> refs, StringRef ordered) -> LogicalResult {
    SmallVector<AxisPart> list;
    if (failed(resolveAxes(emit, mesh, refs, list)) || failed(checkMerged(emit, list)) ||
        (!ordered.empty() && failed(checkOrdered(emit, ordered, list))))
      return failure();
    llvm::append_range(all, list);
    return success();
  };
  for (auto [i, dimension] : llvm::enumerate(sharding.getDimensions())) {
    if (std::optional<int64_t> priority = dimension.getPriority()) {
      if (*priority < 0)
        return emit() << "expected a priority of at least 0 for dimension " << i << ", found "
                      << *priority;
      if (dimension.getIsClosed() && dimension.getAxes().empty())
        return emit() << "expected no priority for dimension " << i
                      << ", which is closed and has no axes, found " << *priority;
    }
    if (failed(addList(dimension.getAxes(), "")))
      return failure();
  }
  if (failed(addList(sharding.getReplicated(), "replicated")) ||
      failed(addList(sharding.getUnreduced(), "unreduced")) || failed(checkDisjoint(emit, all)))
    return failure();
  for (StringAttr manual : outerManualAxes(op))
    for (const AxisPart &part : all)
      if (part.ref.getName() == manual)
        return emit() << "expected axes that no sdy.manual_computation around deals with, found "
                      << manual;
  return success();
}

static LogicalResult checkShardings(Operation *op, StringRef name,
                                    TensorShardingPerValueAttr shardings, TypeRange types) {
  ArrayRef<TensorShardingAttr> list = shardings.getShardings();
  auto emit = [&](size_t i) { return op->emitOpError(name) << " " << i << ": "; };
  if (types.empty() && list.size() == 1)
    return checkSharding([&]() { return emit(0); }, op, list.front(), Type());
  if (list.size() != types.size())
    return op->emitOpError("expected ")
           << types.size() << " shardings, one for each " << name << ", found " << list.size();
  for (auto [i, sharding, type] : llvm::enumerate(list, types)) {
    size_t index = i;
    if (failed(checkSharding([&]() { return emit(index); }, op, sharding, type)))
      return failure();
  }
  return success();
}

LogicalResult verifySharding(Operation *op, TensorShardingAttr sharding, Type type) {
  return checkSharding([&]() { return op->emitOpError(); }, op, sharding, type);
}

LogicalResult verifyAxes(Operation *op, Attribute meshOrRef, ArrayRef<AxisRefAttr> axes) {
  auto emit = [&]() { return op->emitOpError(); };
  MeshAttr mesh = lookupMesh(op, meshOrRef);
  SmallVector<AxisPart> parts;
  if (!mesh)
    return reportNoMesh(emit, op, meshOrRef);
  return success(succeeded(resolveAxes(emit, mesh, axes, parts)) &&
                 succeeded(checkDisjoint(emit, parts)));
}

LogicalResult ShardingConstraintOp::verify() {
  return checkSharding([&]() { return emitOpError(); }, *this, getSharding(), getType());
}

LogicalResult ReshardOp::verify() {
  return checkSharding([&]() { return emitOpError(); }, *this, getSharding(), getType());
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Types outside and inside of a body: inside, a dimension is as much shorter
/// as the manual axes that split it are long.
static LogicalResult checkManualValues(ManualComputationOp op, StringRef name, TypeRange outer,
                                       TypeRange inner, TensorShardingPerValueAttr shardings) {
  if (outer.empty() && inner.empty() && shardings.getShardings().empty())
    return success();
  if (failed(checkShardings(op, name, shardings, outer)))
    return failure();
  if (outer.size() != inner.size())
    return op.emitOpError("expected a body of ")
           << outer.size() << " " << name << "s, found " << inner.size();
  ArrayRef<StringAttr> manual = op.getManualAxes().getAxes();
  for (auto [i, type, local, sharding] :
       llvm::enumerate(outer, inner, shardings.getShardings())) {
    auto isManual = [&](AxisRefAttr ref) { return llvm::is_contained(manual, ref.getName()); };
    for (auto [d, dimension] : llvm::enumerate(sharding.getDimensions()))
      if (ArrayRef<AxisRefAttr> axes = dimension.getAxes();
          !std::is_partitioned(axes.begin(), axes.end(), isManual))
        return op.emitOpError("expected manual axes before free ones in dimension ")
               << d << " of the sharding of " << name << " " << i << ", found " << sharding;
    auto shaped = dyn_cast<ShapedType>(type);
    MeshAttr mesh = lookupMesh(op, sharding.getMeshOrRef());
    if (!shaped || isMaximal(mesh))
      continue;
    SmallVector<int64_t> sizes(shaped.getShape());
    for (auto [size, dimension] : llvm::zip(sizes, sharding.getDimensions())) {
      SmallVector<AxisPart> parts;
      if (failed(resolveAxes([&]() { return op.emitOpError(); }, mesh, dimension.getAxes(), parts)))
        return failure();
      int64_t split = 1;
      for (const AxisPart &part : parts)
        if (isManual(part.ref) && llvm::MulOverflow(split, part.size(), split))
          split = std::numeric_limits<int64_t>::max();
      if (ShapedType::isDynamic(size))
        continue;
      if (size % split != 0)
        return op.emitOpError("expected a length that the manual axes divide by ")
               << split << " for " << name << " " << i << ", found " << size;
      size /= split;
    }
    auto expected = RankedTensorType::get(sizes, shaped.getElementType());
    if (local != expected)
      return op.emitOpError("expected ")
             << name << " " << i << " of the body to be " << expected << ", found " << local;
  }
  return success();
}

LogicalResult ManualComputationOp::verify() {
  ArrayRef<StringAttr> manual = getManualAxes().getAxes();
  for (auto [i, axis] : llvm::enumerate(manual))
    if (llvm::is_contained(manual.drop_front(i + 1), axis))
      return emitOpError("expected distinct manual_axes, found ") << axis << " twice";
  for (StringAttr outer : outerManualAxes(*this))
    if (llvm::is_contained(manual, outer))
      return emitOpError("expected axes that no sdy.manual_computation around deals with, found ")
             << outer;
  ArrayRef<TensorShardingAttr> in = getInShardings().getShardings(),
                               out = getOutShardings().getShardings();
  Block &body = getBody().front();
  bool unsharded = in.empty() && out.empty();
  if (unsharded && !manual.empty() && !isa<ReturnOp>(body.front()))
    return emitOpError("expected no manual_axes without shardings, found ") << manual.size();
  // All shardings are of one mesh, or of none.
  MeshAttr common;
  for (TensorShardingAttr sharding : llvm::concat<const TensorShardingAttr>(in, out)) {
    MeshAttr mesh = lookupMesh(*this, sharding.getMeshOrRef());
    if (!mesh || (mesh.getAxes().empty() && common))
      continue;
    if (common && !common.getAxes().empty() && common != mesh && !manual.empty())
      return emitOpError("expected shardings of one mesh, found ") << common << " and " << mesh;
    common = mesh;
  }
  // Before the values: their sizes are told by these axes.
  for (StringAttr axis : manual)
    if (common && !axisIndex(common, axis))
      return emitOpError("expected manual_axes of the mesh ") << common << ", found " << axis;
  if (failed(checkManualValues(*this, "operand", getOperandTypes(), body.getArgumentTypes(),
                               getInShardings())) ||
      failed(checkManualValues(*this, "result", getResultTypes(),
                               body.getTerminator()->getOperandTypes(), getOutShardings())))
    return failure();
  return success();
}

LogicalResult NamedComputationOp::verify() {
  auto compare = [&](StringRef name, TypeRange inner, TypeRange outer) -> LogicalResult {
    if (inner.size() != outer.size())
      return emitOpError("expected a body of ")
             << outer.size() << " " << name << "s, found " << inner.size();
    for (auto [i, found, expected] : llvm::enumerate(inner, outer))
      if (found != expected)
        return emitOpError("expected ")
               << name << " " << i << " of the body to be " << expected << ", found " << found;
    return success();
  };
  Block &body = getBody().front();
  if (failed(compare("operand", body.getArgumentTypes(), getOperandTypes())) ||
      failed(compare("result", body.getTerminator()->getOperandTypes(), getResultTypes())))
    return failure();
  if (getInShardings() &&
      failed(checkShardings(*this, "operand", *getInShardings(), getOperandTypes())))
    return failure();
  if (getOutShardings() &&
      failed(checkShardings(*this, "result", *getOutShardings(), getResultTypes())))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

/// Factors of the dimensions of operands or results; marks those it meets.
static LogicalResult checkMappings(Operation *op, StringRef name, TypeRange types,
                                   ArrayRef<TensorMappingAttr> mappings,
                                   ArrayRef<int64_t> factors, llvm::BitVector &met) {
  if (types.empty() || types.size() != mappings.size())
    return op->emitOpError("expected a sharding rule with ")
           << std::max<size_t>(types.size(), 1) << " " << name << " mappings, found "
           << mappings.size();
  for (auto [i, type, mapping] : llvm::enumerate(types, mappings)) {
    size_t index = i;
    auto emit = [&]() { return op->emitOpError(name) << " " << index << ": "; };
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasStaticShape())
      return emit() << "expected a tensor of static shape to have a sharding rule, found " << type;
    if (shaped.getRank() != static_cast<int64_t>(mapping.getDimensions().size()))
      return emit() << "expected a mapping of rank " << shaped.getRank() << ", found "
                    << mapping.getDimensions().size();
    llvm::BitVector used(factors.size());
    for (DimMappingAttr dimension : mapping.getDimensions()) {
      if (dimension.getFactors().empty())
        return emit() << "expected a factor for each dimension, found none";
      for (int64_t factor : dimension.getFactors()) {
        if (factor < 0 || factor >= static_cast<int64_t>(factors.size()))
          return emit() << "expected factors below " << factors.size() << ", found " << factor;
        if (used.test(factor))
          return emit() << "expected distinct factors, found " << factor << " twice";
        if (factors[factor] == 1 && dimension.getFactors().size() > 1)
          return emit() << "expected no factor of size 1 beside others, found " << factor;
        used.set(factor);
        met.set(factor);
      }
    }
  }
  return success();
}

static LogicalResult checkRule(Operation *op, OpShardingRuleAttr rule) {
  ArrayRef<int64_t> factors = rule.getFactorSizes();
  llvm::BitVector met(factors.size());
  if (failed(checkMappings(op, "operand", op->getOperandTypes(), rule.getOperands(), factors,
                           met)) ||
      failed(checkMappings(op, "result", op->getResultTypes(), rule.getResults(), factors, met)))
    return failure();
  if (int unused = met.find_first_unset(); unused != -1)
    return op->emitOpError("expected all factors of the sharding rule in its mappings, found ")
           << unused << " in none";
  auto checkIndices = [&](ArrayRef<int64_t> indices) -> LogicalResult {
    for (auto [i, index] : llvm::enumerate(indices)) {
      if (index < 0 || index >= static_cast<int64_t>(factors.size()))
        return op->emitOpError("expected special factors below ")
               << factors.size() << ", found " << index;
      if (i > 0 && indices[i - 1] >= index)
        return op->emitOpError("expected special factors in ascending order, found ")
               << indices[i - 1] << " before " << index;
    }
    return success();
  };
  llvm::BitVector special(factors.size());
  for (ArrayRef<int64_t> indices :
       {rule.getReductionFactors(), rule.getNeedReplicationFactors(),
        rule.getPermutationFactors()}) {
    if (failed(checkIndices(indices)))
      return failure();
    for (int64_t index : indices) {
      if (special.test(index))
        return op->emitOpError("expected each factor to be special in one way, found ")
               << index << " twice";
      special.set(index);
    }
  }
  for (TensorMappingAttr mapping : rule.getResults())
    for (DimMappingAttr dimension : mapping.getDimensions())
      for (int64_t factor : dimension.getFactors())
        if (llvm::is_contained(rule.getReductionFactors(), factor))
          return op->emitOpError("expected reduction factors in no result, found ") << factor;
  return checkIndices(rule.getBlockedPropagationFactors());
}

//===----------------------------------------------------------------------===//
// Attributes on other operations
//===----------------------------------------------------------------------===//

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  // The types of an artifact are not tensors yet; what it becomes is verified.
  if (op->getName().getDialectNamespace() == "vhlo")
    return success();
  if (attribute.getName() == shardingName) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
    if (!shardings)
      return op->emitOpError("expected sdy.sharding to be #sdy.sharding_per_value, found ")
             << attribute.getValue();
    return checkShardings(op, "result", shardings, op->getResultTypes());
  }
  if (attribute.getName() == shardingRuleName) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule)
      return op->emitOpError("expected sdy.sharding_rule to be #sdy.op_sharding_rule, found ")
             << attribute.getValue();
    return checkRule(op, rule);
  }
  return success();
}

static LogicalResult checkFunctionSharding(Operation *op, NamedAttribute attribute, StringRef name,
                                           unsigned index, Type type) {
  if (attribute.getName() != shardingName)
    return success();
  auto emit = [&]() { return op->emitOpError(name) << " " << index << ": "; };
  auto sharding = dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding)
    return emit() << "expected sdy.sharding to be #sdy.sharding, found " << attribute.getValue();
  return checkSharding(emit, op, sharding, type);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return checkFunctionSharding(op, attribute, "argument", index,
                               function.getArgumentTypes()[index]);
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                      NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return checkFunctionSharding(op, attribute, "result", index, function.getResultTypes()[index]);
}

} // namespace strata::sdy
