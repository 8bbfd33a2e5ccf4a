// The sdy dialect in MLIR bytecode: upstream's codes and fields.

#include "bytecode.h"
#include "sdy/dialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace strata::bytecode;

namespace strata::sdy {

namespace {

// The numbers are part of the encoding. Shardings with unreduced axes were added later and have
// separate codes.
enum AttributeCode : uint64_t {
  manualAxes = 0,
  meshAxis = 1,
  mesh = 2,
  subAxisInfo = 3,
  axisRef = 4,
  dimensionSharding = 5,
  tensorSharding = 6,
  tensorShardingPerValue = 7,
  dimMapping = 8,
  tensorMapping = 9,
  opShardingRule = 10,
  unreducedTensorSharding = 15,
  unreducedTensorShardingPerValue = 16,
};

using Indices = SmallVector<int64_t>;

Attribute readMeshAxis(DialectBytecodeReader &reader) {
  StringAttr name;
  int64_t size;
  if (failed(readName(reader, name)) || failed(readField(reader, size)))
    return {};
  return MeshAxisAttr::getChecked([&]() { return reader.emitError(); }, reader.getContext(), name,
                                  size);
}

Attribute readAxisRef(DialectBytecodeReader &reader) {
  StringAttr name;
  Attribute part;
  if (failed(readName(reader, name)) || failed(reader.readOptionalAttribute(part)))
    return {};
  auto info = dyn_cast_or_null<SubAxisInfoAttr>(part);
  if (part && !info) {
    reader.emitError() << "expected a part of an axis, found " << part;
    return {};
  }
  return AxisRefAttr::get(reader.getContext(), name, info);
}

Attribute readDimensionSharding(DialectBytecodeReader &reader) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed, hasPriority;
  uint64_t number;
  if (failed(readFields(reader, axes, isClosed)) ||
      failed(reader.readVarIntWithFlag(number, hasPriority)))
    return {};
  std::optional<int64_t> priority;
  if (hasPriority)
    priority = number;
  return DimensionShardingAttr::get(reader.getContext(), axes, isClosed, priority);
}

Attribute readTensorSharding(DialectBytecodeReader &reader, bool hasUnreduced) {
  Attribute meshOrRef;
  SmallVector<DimensionShardingAttr> dimensions;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (failed(readFields(reader, meshOrRef, dimensions, replicated)) ||
      (hasUnreduced && failed(readField(reader, unreduced))))
    return {};
  if (!isa<FlatSymbolRefAttr, MeshAttr>(meshOrRef)) {
    reader.emitError() << "expected a mesh or its name, found " << meshOrRef;
    return {};
  }
  return TensorShardingAttr::get(reader.getContext(), meshOrRef, dimensions, replicated,
                                 unreduced);
}

Attribute readOpShardingRule(DialectBytecodeReader &reader) {
  Indices sizes, reduction, replication, permutation, blocked;
  SmallVector<TensorMappingAttr> operands, results;
  bool isCustom;
  if (failed(readFields(reader, sizes, operands, results, reduction, replication, permutation,
                        blocked, isCustom)))
    return {};
  return OpShardingRuleAttr::get(reader.getContext(), sizes, operands, results, reduction,
                                 replication, permutation, blocked, isCustom);
}

/// An attribute that is one list.
template <typename Attr, typename Entry> Attribute readOneList(DialectBytecodeReader &reader) {
  SmallVector<Entry> list;
  if (failed(readField(reader, list)))
    return {};
  return Attr::get(reader.getContext(), list);
}

struct Bytecode : BytecodeDialectInterface {
  explicit Bytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    MLIRContext *context = reader.getContext();
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case manualAxes:
      return readOneList<ManualAxesAttr, StringAttr>(reader);
    case meshAxis:
      return readMeshAxis(reader);
    case mesh: {
      SmallVector<MeshAxisAttr> axes;
      Indices deviceIds;
      if (failed(readFields(reader, axes, deviceIds)))
        return {};
      return MeshAttr::getChecked([&]() { return reader.emitError(); }, context,
                                  ArrayRef<MeshAxisAttr>(axes), ArrayRef<int64_t>(deviceIds));
    }
    case subAxisInfo: {
      int64_t preSize, size;
      if (failed(readFields(reader, preSize, size)))
        return {};
      return SubAxisInfoAttr::get(context, preSize, size);
    }
    case axisRef:
      return readAxisRef(reader);
    case dimensionSharding:
      return readDimensionSharding(reader);
    case tensorSharding:
      return readTensorSharding(reader, /*hasUnreduced=*/false);
    case unreducedTensorSharding:
      return readTensorSharding(reader, /*hasUnreduced=*/true);
    case tensorShardingPerValue:
    case unreducedTensorShardingPerValue:
      return readOneList<TensorShardingPerValueAttr, TensorShardingAttr>(reader);
    case dimMapping:
      return readOneList<DimMappingAttr, int64_t>(reader);
    case tensorMapping:
      return readOneList<TensorMappingAttr, DimMappingAttr>(reader);
    case opShardingRule:
      return readOpShardingRule(reader);
    default:
      reader.emitError() << "expected an attribute of sdy, found code " << code;
      return {};
    }
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const final {
    return TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case([&](ManualAxesAttr attr) {
          writeFields(writer, manualAxes, attr.getAxes());
          return success();
        })
        .Case([&](MeshAxisAttr attr) {
          writer.writeVarInt(meshAxis);
          writeName(writer, attr.getName());
          writeField(writer, attr.getSize());
          return success();
        })
        .Case([&](MeshAttr attr) {
          writeFields(writer, mesh, attr.getAxes(), attr.getDeviceIds());
          return success();
        })
        .Case([&](SubAxisInfoAttr attr) {
          writeFields(writer, subAxisInfo, attr.getPreSize(), attr.getSize());
          return success();
        })
        .Case([&](AxisRefAttr attr) {
          writer.writeVarInt(axisRef);
          writeName(writer, attr.getName());
          writer.writeOptionalAttribute(attr.getSubAxisInfo());
          return success();
        })
        .Case([&](DimensionShardingAttr attr) {
          writeFields(writer, dimensionSharding, attr.getAxes(), attr.getIsClosed());
          std::optional<int64_t> priority = attr.getPriority();
          writer.writeVarIntWithFlag(priority.value_or(0), priority.has_value());
          return success();
        })
        .Case([&](TensorShardingAttr attr) {
          bool hasUnreduced = !attr.getUnreduced().empty();
          writeFields(writer, hasUnreduced ? unreducedTensorSharding : tensorSharding,
                      attr.getMeshOrRef(), attr.getDimensions(), attr.getReplicated());
          if (hasUnreduced)
            writeField(writer, attr.getUnreduced());
          return success();
        })
        .Case([&](TensorShardingPerValueAttr attr) {
          bool hasUnreduced = llvm::any_of(attr.getShardings(), [](TensorShardingAttr sharding) {
            return !sharding.getUnreduced().empty();
          });
          writeFields(writer,
                      hasUnreduced ? unreducedTensorShardingPerValue : tensorShardingPerValue,
                      attr.getShardings());
          return success();
        })
        .Case([&](DimMappingAttr attr) {
          writeFields(writer, dimMapping, attr.getFactors());
          return success();
        })
        .Case([&](TensorMappingAttr attr) {
          writeFields(writer, tensorMapping, attr.getDimensions());
          return success();
        })
        .Case([&](OpShardingRuleAttr attr) {
          writeFields(writer, opShardingRule, attr.getFactorSizes(), attr.getOperands(),
                      attr.getResults(), attr.getReductionFactors(),
                      attr.getNeedReplicationFactors(), attr.getPermutationFactors(),
                      attr.getBlockedPropagationFactors(), attr.getIsCustom());
          return success();
        })
        // Written as text.
        .Default([](Attribute) { return failure(); });
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const final {
    return bytecode::readVersion(reader);
  }
};

} // namespace

void SdyDialect::addBytecode() { addInterfaces<Bytecode>(); }

} // namespace strata::sdy
