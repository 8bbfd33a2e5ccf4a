// The StableHLO dialect in MLIR bytecode: upstream's codes and fields.

#include "bytecode.h"
#include "stablehlo/dialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace strata::bytecode;

namespace strata::stablehlo {

namespace {

// The numbers are part of the encoding; 0 was given to an attribute that is
// gone.
enum AttributeCode : uint64_t {
  channelHandle = 1,
  comparisonDirection = 2,
  comparisonType = 3,
  convDimensionNumbers = 4,
  dotDimensionNumbers = 5,
  fftType = 6,
  gatherDimensionNumbers = 7,
  precision = 8,
  rngAlgorithm = 9,
  rngDistribution = 10,
  scatterDimensionNumbers = 11,
  transpose = 12,
  bounds = 13,
  outputOperandAlias = 14,
  dotAlgorithm = 15,
  resultAccuracyMode = 16,
  resultAccuracy = 17,
  replicaGroupMeshAxes = 18,
  subAxisInfo = 19,
  axisRef = 20,
  meshAxis = 21,
  mesh = 22,
};

enum TypeCode : uint64_t { token = 0, future = 1 };

using Dims = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Attribute readConvDimensionNumbers(DialectBytecodeReader &reader) {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch, outputFeature;
  Dims inputSpatial, kernelSpatial, outputSpatial;
  if (failed(readFields(reader, inputBatch, inputFeature, inputSpatial, kernelInput, kernelOutput,
                        kernelSpatial, outputBatch, outputFeature, outputSpatial)))
    return {};
  return ConvDimensionNumbersAttr::get(reader.getContext(), inputBatch, inputFeature, inputSpatial,
                                       kernelInput, kernelOutput, kernelSpatial, outputBatch,
                                       outputFeature, outputSpatial);
}

Attribute readDotDimensionNumbers(DialectBytecodeReader &reader) {
  Dims lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (failed(readFields(reader, lhsBatching, rhsBatching, lhsContracting, rhsContracting)))
    return {};
  return DotDimensionNumbersAttr::get(reader.getContext(), lhsBatching, rhsBatching,
                                      lhsContracting, rhsContracting);
}

/// Gather and scatter have the same five lists and number.
template <typename Attr> Attribute readIndexingDimensions(DialectBytecodeReader &reader) {
  Dims window, removed, operandBatching, indicesBatching, map;
  int64_t vectorDim;
  if (failed(readFields(reader, window, removed, operandBatching, indicesBatching, map,
                        vectorDim)))
    return {};
  return Attr::get(reader.getContext(), window, removed, operandBatching, indicesBatching, map,
                   vectorDim);
}

Attribute readDotAlgorithm(DialectBytecodeReader &reader) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount, rhsCount, operations;
  bool imprecise;
  if (failed(readFields(reader, lhs, rhs, accumulation, lhsCount, rhsCount, operations,
                        imprecise)))
    return {};
  return getChecked<DotAlgorithmAttr>(reader, lhs, rhs, accumulation, lhsCount, rhsCount,
                                      operations, imprecise);
}

Attribute readResultAccuracy(DialectBytecodeReader &reader) {
  FailureOr<APFloat> atol = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  if (failed(atol))
    return {};
  FailureOr<APFloat> rtol = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  int64_t ulps;
  ResultAccuracyModeAttr mode;
  if (failed(rtol) || failed(readFields(reader, ulps, mode)))
    return {};
  return getChecked<ResultAccuracyAttr>(reader, *atol, *rtol, ulps, mode);
}

Attribute readReplicaGroupMeshAxes(DialectBytecodeReader &reader) {
  Attribute mesh;
  SmallVector<Attribute> axes;
  if (failed(readFields(reader, mesh, axes)))
    return {};
  return getChecked<ReplicaGroupMeshAxesAttr>(reader, mesh,
                                              ArrayAttr::get(reader.getContext(), axes));
}

Attribute readAxisRef(DialectBytecodeReader &reader) {
  StringAttr name;
  bool isPart;
  SubAxisInfoAttr part;
  if (failed(readName(reader, name)) || failed(readField(reader, isPart)) ||
      (isPart && failed(readField(reader, part))))
    return {};
  return AxisRefAttr::get(reader.getContext(), name, part);
}

Attribute readMeshAxis(DialectBytecodeReader &reader) {
  StringAttr name;
  int64_t size;
  if (failed(readName(reader, name)) || failed(readField(reader, size)))
    return {};
  return MeshAxisAttr::get(reader.getContext(), name, size);
}

Attribute readMesh(DialectBytecodeReader &reader) {
  ArrayAttr array;
  bool hasDeviceIds;
  DenseIntElementsAttr deviceIds;
  if (failed(readFields(reader, array, hasDeviceIds)) ||
      (hasDeviceIds && failed(readField(reader, deviceIds))))
    return {};
  SmallVector<MeshAxisAttr> axes;
  for (Attribute each : array) {
    auto axis = dyn_cast<MeshAxisAttr>(each);
    if (!axis) {
      reader.emitError() << "expected mesh axes, found " << each;
      return {};
    }
    axes.push_back(axis);
  }
  return MeshAttr::get(reader.getContext(), axes, deviceIds);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

struct Bytecode : BytecodeDialectInterface {
  explicit Bytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    MLIRContext *context = reader.getContext();
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case channelHandle: {
      int64_t handle, type;
      if (failed(readFields(reader, handle, type)))
        return {};
      return ChannelHandleAttr::get(context, handle, type);
    }
    case comparisonDirection:
      return readEnum<ComparisonDirectionAttr>(reader, [](uint32_t number) {
        return symbolizeComparisonDirection(number);
      });
    case comparisonType:
      return readEnum<ComparisonTypeAttr>(
          reader, [](uint32_t number) { return symbolizeComparisonType(number); });
    case convDimensionNumbers:
      return readConvDimensionNumbers(reader);
    case dotDimensionNumbers:
      return readDotDimensionNumbers(reader);
    case fftType:
      return readEnum<FftTypeAttr>(reader,
                                   [](uint32_t number) { return symbolizeFftType(number); });
    case gatherDimensionNumbers:
      return readIndexingDimensions<GatherDimensionNumbersAttr>(reader);
    case precision:
      return readEnum<PrecisionAttr>(reader,
                                     [](uint32_t number) { return symbolizePrecision(number); });
    case rngAlgorithm:
      return readEnum<RngAlgorithmAttr>(
          reader, [](uint32_t number) { return symbolizeRngAlgorithm(number); });
    case rngDistribution:
      return readEnum<RngDistributionAttr>(
          reader, [](uint32_t number) { return symbolizeRngDistribution(number); });
    case scatterDimensionNumbers:
      return readIndexingDimensions<ScatterDimensionNumbersAttr>(reader);
    case transpose:
      return readEnum<TransposeAttr>(reader,
                                     [](uint32_t number) { return symbolizeTranspose(number); });
    case bounds: {
      Dims limits;
      if (failed(readField(reader, limits)))
        return {};
      return BoundsAttr::get(context, limits);
    }
    case outputOperandAlias: {
      Dims outputIndices, operandIndices;
      int64_t operand;
      if (failed(readFields(reader, outputIndices, operand, operandIndices)))
        return {};
      return OutputOperandAliasAttr::get(context, outputIndices, operand, operandIndices);
    }
    case dotAlgorithm:
      return readDotAlgorithm(reader);
    case resultAccuracyMode:
      return readEnum<ResultAccuracyModeAttr>(
          reader, [](uint32_t number) { return symbolizeResultAccuracyMode(number); });
    case resultAccuracy:
      return readResultAccuracy(reader);
    case replicaGroupMeshAxes:
      return readReplicaGroupMeshAxes(reader);
    case subAxisInfo: {
      int64_t preSize, size;
      if (failed(readFields(reader, preSize, size)))
        return {};
      return SubAxisInfoAttr::get(context, preSize, size);
    }
    case axisRef:
      return readAxisRef(reader);
    case meshAxis:
      return readMeshAxis(reader);
    case mesh:
      return readMesh(reader);
    default:
      reader.emitError() << "expected an attribute of StableHLO, found code " << code;
      return {};
    }
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const final {
    return TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case([&](ChannelHandleAttr attr) {
          writeFields(writer, channelHandle, attr.getHandle(), attr.getType());
          return success();
        })
        .Case([&](ComparisonDirectionAttr attr) { return put(writer, comparisonDirection, attr); })
        .Case([&](ComparisonTypeAttr attr) { return put(writer, comparisonType, attr); })
        .Case([&](ConvDimensionNumbersAttr attr) {
          writeFields(writer, convDimensionNumbers, attr.getInputBatchDimension(),
                      attr.getInputFeatureDimension(), attr.getInputSpatialDimensions(),
                      attr.getKernelInputFeatureDimension(), attr.getKernelOutputFeatureDimension(),
                      attr.getKernelSpatialDimensions(), attr.getOutputBatchDimension(),
                      attr.getOutputFeatureDimension(), attr.getOutputSpatialDimensions());
          return success();
        })
        .Case([&](DotDimensionNumbersAttr attr) {
          writeFields(writer, dotDimensionNumbers, attr.getLhsBatchingDimensions(),
                      attr.getRhsBatchingDimensions(), attr.getLhsContractingDimensions(),
                      attr.getRhsContractingDimensions());
          return success();
        })
        .Case([&](FftTypeAttr attr) { return put(writer, fftType, attr); })
        .Case([&](GatherDimensionNumbersAttr attr) {
          writeFields(writer, gatherDimensionNumbers, attr.getOffsetDims(),
                      attr.getCollapsedSliceDims(), attr.getOperandBatchingDims(),
                      attr.getStartIndicesBatchingDims(), attr.getStartIndexMap(),
                      attr.getIndexVectorDim());
          return success();
        })
        .Case([&](PrecisionAttr attr) { return put(writer, precision, attr); })
        .Case([&](RngAlgorithmAttr attr) { return put(writer, rngAlgorithm, attr); })
        .Case([&](RngDistributionAttr attr) { return put(writer, rngDistribution, attr); })
        .Case([&](ScatterDimensionNumbersAttr attr) {
          writeFields(writer, scatterDimensionNumbers, attr.getUpdateWindowDims(),
                      attr.getInsertedWindowDims(), attr.getInputBatchingDims(),
                      attr.getScatterIndicesBatchingDims(), attr.getScatterDimsToOperandDims(),
                      attr.getIndexVectorDim());
          return success();
        })
        .Case([&](TransposeAttr attr) { return put(writer, transpose, attr); })
        .Case([&](BoundsAttr attr) {
          writeFields(writer, bounds, attr.getBounds());
          return success();
        })
        .Case([&](OutputOperandAliasAttr attr) {
          writeFields(writer, outputOperandAlias, attr.getOutputTupleIndices(),
                      attr.getOperandIndex(), attr.getOperandTupleIndices());
          return success();
        })
        .Case([&](DotAlgorithmAttr attr) {
          writeFields(writer, dotAlgorithm, attr.getLhsPrecisionType(),
                      attr.getRhsPrecisionType(), attr.getAccumulationType(),
                      attr.getLhsComponentCount(), attr.getRhsComponentCount(),
                      attr.getNumPrimitiveOperations(), attr.getAllowImpreciseAccumulation());
          return success();
        })
        .Case([&](ResultAccuracyModeAttr attr) { return put(writer, resultAccuracyMode, attr); })
        .Case([&](ResultAccuracyAttr attr) {
          writer.writeVarInt(resultAccuracy);
          writer.writeAPFloatWithKnownSemantics(attr.getAtol());
          writer.writeAPFloatWithKnownSemantics(attr.getRtol());
          writeField(writer, attr.getUlps());
          writeField(writer, Attribute(attr.getMode()));
          return success();
        })
        .Case([&](ReplicaGroupMeshAxesAttr attr) {
          writeFields(writer, replicaGroupMeshAxes, attr.getMesh(), attr.getAxes().getValue());
          return success();
        })
        .Case([&](SubAxisInfoAttr attr) {
          writeFields(writer, subAxisInfo, attr.getPreSize(), attr.getSize());
          return success();
        })
        .Case([&](AxisRefAttr attr) {
          writer.writeVarInt(axisRef);
          writeName(writer, attr.getName());
          writeField(writer, static_cast<bool>(attr.getSubAxisInfo()));
          if (attr.getSubAxisInfo())
            writeField(writer, Attribute(attr.getSubAxisInfo()));
          return success();
        })
        .Case([&](MeshAxisAttr attr) {
          writer.writeVarInt(meshAxis);
          writeName(writer, attr.getName());
          writeField(writer, attr.getSize());
          return success();
        })
        .Case([&](MeshAttr attr) {
          SmallVector<Attribute> axes(attr.getAxes().begin(), attr.getAxes().end());
          bool hasDeviceIds = static_cast<bool>(attr.getDeviceIds());
          writeFields(writer, mesh, ArrayAttr::get(attr.getContext(), axes), hasDeviceIds);
          if (hasDeviceIds)
            writeField(writer, Attribute(attr.getDeviceIds()));
          return success();
        })
        // Written as text.
        .Default([](Attribute) { return failure(); });
  }

  Type readType(DialectBytecodeReader &reader) const final {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    SmallVector<Type> types;
    switch (code) {
    case token:
      return TokenType::get(reader.getContext());
    case future:
      if (failed(readField(reader, types)))
        return {};
      return getChecked<FutureType>(reader, ArrayRef<Type>(types));
    default:
      reader.emitError() << "expected a type of StableHLO, found code " << code;
      return {};
    }
  }

  LogicalResult writeType(Type type, DialectBytecodeWriter &writer) const final {
    if (isa<TokenType>(type))
      writer.writeVarInt(token);
    else if (auto result = dyn_cast<FutureType>(type))
      writeFields(writer, future, result.getTypes());
    else
      return failure();
    return success();
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const final {
    return bytecode::readVersion(reader);
  }

private:
  template <typename EnumAttr>
  static LogicalResult put(DialectBytecodeWriter &writer, uint64_t code, EnumAttr attribute) {
    writeEnum(writer, code, attribute);
    return success();
  }
};

} // namespace

void StableHLODialect::addBytecode() { addInterfaces<Bytecode>(); }

} // namespace strata::stablehlo
