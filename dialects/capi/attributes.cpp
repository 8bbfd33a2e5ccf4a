// Field-by-field access to the attributes of the StableHLO dialect, for C.

#include "strata/capi.h"

#include "stablehlo/dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace strata::stablehlo;

namespace {
// What a field holds; exactly one member is meaningful.
struct FieldValue {
  enum Kind { None, Ints, Float, Type, Nested } kind = None;
  SmallVector<int64_t> ints;
  double number = 0.0;
  mlir::Type type;
  Attribute nested;

  FieldValue() = default;
  FieldValue(ArrayRef<int64_t> values) : kind(Ints), ints(values) {}
  FieldValue(int64_t value) : kind(Ints), ints(1, value) {}
  FieldValue(const APFloat &value) : kind(Float), number(value.convertToDouble()) {}
  FieldValue(mlir::Type value) : kind(Type), type(value) {}
  FieldValue(Attribute value) : kind(Nested), nested(value) {}
};

using Fields = SmallVector<std::pair<StringRef, FieldValue>>;
} // namespace

static Fields fieldsOf(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, Fields>(attribute)
      .Case([](DotDimensionNumbersAttr attr) -> Fields {
        return {{"lhs_batching_dimensions", attr.getLhsBatchingDimensions()},
                {"rhs_batching_dimensions", attr.getRhsBatchingDimensions()},
                {"lhs_contracting_dimensions", attr.getLhsContractingDimensions()},
                {"rhs_contracting_dimensions", attr.getRhsContractingDimensions()}};
      })
      .Case([](GatherDimensionNumbersAttr attr) -> Fields {
        return {{"offset_dims", attr.getOffsetDims()},
                {"collapsed_slice_dims", attr.getCollapsedSliceDims()},
                {"operand_batching_dims", attr.getOperandBatchingDims()},
                {"start_indices_batching_dims", attr.getStartIndicesBatchingDims()},
                {"start_index_map", attr.getStartIndexMap()},
                {"index_vector_dim", attr.getIndexVectorDim()}};
      })
      .Case([](ScatterDimensionNumbersAttr attr) -> Fields {
        return {{"update_window_dims", attr.getUpdateWindowDims()},
                {"inserted_window_dims", attr.getInsertedWindowDims()},
                {"input_batching_dims", attr.getInputBatchingDims()},
                {"scatter_indices_batching_dims", attr.getScatterIndicesBatchingDims()},
                {"scatter_dims_to_operand_dims", attr.getScatterDimsToOperandDims()},
                {"index_vector_dim", attr.getIndexVectorDim()}};
      })
      .Case([](ConvDimensionNumbersAttr attr) -> Fields {
        return {{"input_batch_dimension", attr.getInputBatchDimension()},
                {"input_feature_dimension", attr.getInputFeatureDimension()},
                {"input_spatial_dimensions", attr.getInputSpatialDimensions()},
                {"kernel_input_feature_dimension", attr.getKernelInputFeatureDimension()},
                {"kernel_output_feature_dimension", attr.getKernelOutputFeatureDimension()},
                {"kernel_spatial_dimensions", attr.getKernelSpatialDimensions()},
                {"output_batch_dimension", attr.getOutputBatchDimension()},
                {"output_feature_dimension", attr.getOutputFeatureDimension()},
                {"output_spatial_dimensions", attr.getOutputSpatialDimensions()}};
      })
      .Case([](OutputOperandAliasAttr attr) -> Fields {
        return {{"output_tuple_indices", attr.getOutputTupleIndices()},
                {"operand_index", attr.getOperandIndex()},
                {"operand_tuple_indices", attr.getOperandTupleIndices()}};
      })
      .Case([](ChannelHandleAttr attr) -> Fields {
        return {{"handle", attr.getHandle()}, {"type", attr.getType()}};
      })
      .Case([](BoundsAttr attr) -> Fields { return {{"bounds", attr.getBounds()}}; })
      .Case([](DotAlgorithmAttr attr) -> Fields {
        return {{"lhs_precision_type", attr.getLhsPrecisionType()},
                {"rhs_precision_type", attr.getRhsPrecisionType()},
                {"accumulation_type", attr.getAccumulationType()},
                {"lhs_component_count", attr.getLhsComponentCount()},
                {"rhs_component_count", attr.getRhsComponentCount()},
                {"num_primitive_operations", attr.getNumPrimitiveOperations()},
                {"allow_imprecise_accumulation",
                 static_cast<int64_t>(attr.getAllowImpreciseAccumulation())}};
      })
      .Case([](ResultAccuracyAttr attr) -> Fields {
        return {{"atol", attr.getAtol()},
                {"rtol", attr.getRtol()},
                {"ulps", attr.getUlps()},
                {"mode", Attribute(attr.getMode())}};
      })
      .Case([](SubAxisInfoAttr attr) -> Fields {
        return {{"pre_size", attr.getPreSize()}, {"size", attr.getSize()}};
      })
      .Case([](AxisRefAttr attr) -> Fields {
        return {{"name", Attribute(attr.getName())},
                {"sub_axis_info", Attribute(attr.getSubAxisInfo())}};
      })
      .Case([](MeshAxisAttr attr) -> Fields {
        return {{"name", Attribute(attr.getName())}, {"size", attr.getSize()}};
      })
      .Case([](MeshAttr attr) -> Fields {
        SmallVector<Attribute> axes(attr.getAxes());
        return {{"axes", Attribute(ArrayAttr::get(attr.getContext(), axes))},
                {"device_ids", Attribute(attr.getDeviceIds())}};
      })
      .Case([](ReplicaGroupMeshAxesAttr attr) -> Fields {
        return {{"mesh", attr.getMesh()}, {"axes", Attribute(attr.getAxes())}};
      })
      .Default([](Attribute) { return Fields(); });
}

static FieldValue fieldOf(MlirAttribute attribute, MlirStringRef field, FieldValue::Kind kind) {
  for (auto &[name, value] : fieldsOf(unwrap(attribute)))
    if (name == unwrap(field) && value.kind == kind)
      return std::move(value);
  return {};
}

bool strataAttrInts(MlirAttribute attribute, MlirStringRef field, StrataIntsSink sink,
                    void *data) {
  FieldValue value = fieldOf(attribute, field, FieldValue::Ints);
  if (value.kind == FieldValue::None)
    return false;
  sink(value.ints.data(), value.ints.size(), data);
  return true;
}

bool strataAttrFloat(MlirAttribute attribute, MlirStringRef field, double *number) {
  FieldValue value = fieldOf(attribute, field, FieldValue::Float);
  *number = value.number;
  return value.kind != FieldValue::None;
}

bool strataAttrType(MlirAttribute attribute, MlirStringRef field, MlirType *type) {
  FieldValue value = fieldOf(attribute, field, FieldValue::Type);
  *type = wrap(value.type);
  return value.kind != FieldValue::None;
}

bool strataAttrNested(MlirAttribute attribute, MlirStringRef field, MlirAttribute *nested) {
  FieldValue value = fieldOf(attribute, field, FieldValue::Nested);
  *nested = wrap(value.nested);
  return value.kind != FieldValue::None;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

template <typename Attr, typename Stringify>
static bool readEnum(Attr attr, Stringify stringify, int32_t *value, MlirStringRef *keyword) {
  if (value)
    *value = static_cast<int32_t>(attr.getValue());
  if (keyword)
    *keyword = wrap(stringify(attr.getValue()));
  return true;
}

bool strataEnumAttr(MlirAttribute attribute, int32_t *value, MlirStringRef *keyword) {
  return llvm::TypeSwitch<Attribute, bool>(unwrap(attribute))
      .Case([&](PrecisionAttr a) { return readEnum(a, stringifyPrecision, value, keyword); })
      .Case([&](ResultAccuracyModeAttr a) {
        return readEnum(a, stringifyResultAccuracyMode, value, keyword);
      })
      .Case([&](FftTypeAttr a) { return readEnum(a, stringifyFftType, value, keyword); })
      .Case([&](ComparisonDirectionAttr a) {
        return readEnum(a, stringifyComparisonDirection, value, keyword);
      })
      .Case([&](ComparisonTypeAttr a) {
        return readEnum(a, stringifyComparisonType, value, keyword);
      })
      .Case([&](TransposeAttr a) { return readEnum(a, stringifyTranspose, value, keyword); })
      .Case([&](RngDistributionAttr a) {
        return readEnum(a, stringifyRngDistribution, value, keyword);
      })
      .Case([&](RngAlgorithmAttr a) { return readEnum(a, stringifyRngAlgorithm, value, keyword); })
      .Default([](Attribute) { return false; });
}

template <typename Attr, typename Enum>
static Attribute getEnum(MLIRContext *context, std::optional<Enum> value) {
  return value ? Attribute(Attr::get(context, *value)) : Attribute();
}

MlirAttribute strataEnumAttrGet(MlirContext context, MlirStringRef mnemonic, int32_t value) {
  MLIRContext *c = unwrap(context);
  StringRef name = unwrap(mnemonic);
  // Loading is needed before attributes of the dialect can be made.
  c->loadDialect<StableHLODialect>();
  Attribute result;
  if (name == PrecisionAttr::getMnemonic())
    result = getEnum<PrecisionAttr>(c, symbolizePrecision(value));
  else if (name == ResultAccuracyModeAttr::getMnemonic())
    result = getEnum<ResultAccuracyModeAttr>(c, symbolizeResultAccuracyMode(value));
  else if (name == FftTypeAttr::getMnemonic())
    result = getEnum<FftTypeAttr>(c, symbolizeFftType(value));
  else if (name == ComparisonDirectionAttr::getMnemonic())
    result = getEnum<ComparisonDirectionAttr>(c, symbolizeComparisonDirection(value));
  else if (name == ComparisonTypeAttr::getMnemonic())
    result = getEnum<ComparisonTypeAttr>(c, symbolizeComparisonType(value));
  else if (name == TransposeAttr::getMnemonic())
    result = getEnum<TransposeAttr>(c, symbolizeTranspose(value));
  else if (name == RngDistributionAttr::getMnemonic())
    result = getEnum<RngDistributionAttr>(c, symbolizeRngDistribution(value));
  else if (name == RngAlgorithmAttr::getMnemonic())
    result = getEnum<RngAlgorithmAttr>(c, symbolizeRngAlgorithm(value));
  return wrap(result);
}

MlirStringRef strataAttrMnemonic(MlirAttribute attribute) {
  StringRef mnemonic =
      llvm::TypeSwitch<Attribute, StringRef>(unwrap(attribute))
          .Case<PrecisionAttr, ResultAccuracyModeAttr, FftTypeAttr, ComparisonDirectionAttr,
                ComparisonTypeAttr, TransposeAttr, RngDistributionAttr, RngAlgorithmAttr,
                DotDimensionNumbersAttr, GatherDimensionNumbersAttr, ScatterDimensionNumbersAttr,
                ConvDimensionNumbersAttr, OutputOperandAliasAttr, ChannelHandleAttr, BoundsAttr,
                DotAlgorithmAttr, ResultAccuracyAttr, SubAxisInfoAttr, AxisRefAttr, MeshAxisAttr,
                MeshAttr, ReplicaGroupMeshAxesAttr>(
              [](auto attr) -> StringRef { return decltype(attr)::getMnemonic(); })
          .Default([](Attribute) { return StringRef(); });
  return wrap(mnemonic);
}
