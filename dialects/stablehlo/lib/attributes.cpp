// Attributes of the StableHLO dialect: their text form and what they check.

#include "stablehlo/assembly.h"
#include "stablehlo/dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "stablehlo/enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/attributes.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addAttributes() {
  Dialect::addAttributes<
#define GET_ATTRDEF_LIST
#include "stablehlo/attributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Named fields
//===----------------------------------------------------------------------===//

namespace {
// A field of a structure, filled by the parser: either a list or a number.
struct Field {
  StringRef name;
  SmallVectorImpl<int64_t> *list = nullptr;
  int64_t *number = nullptr;
};
} // namespace

/// Reads `name = value` pairs in any order, each at most once, up to `>`. A
/// comma may follow the last one, and a field may be absent.
static ParseResult parseFields(AsmParser &parser, ArrayRef<Field> fields) {
  SmallVector<bool> seen(fields.size(), false);
  while (failed(parser.parseOptionalGreater())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    const Field *field = llvm::find_if(fields, [&](const Field &f) { return f.name == name; });
    if (field == fields.end()) {
      InFlightDiagnostic error = parser.emitError(location, "expected one of ");
      llvm::interleaveComma(fields, error, [&](const Field &f) { error << "'" << f.name << "'"; });
      return error << ", found '" << name << "'";
    }
    size_t index = field - fields.begin();
    if (seen[index])
      return parser.emitError(location, "field '") << name << "' is given twice";
    seen[index] = true;
    if (field->list ? parseDimensionList(parser, *field->list)
                    : parser.parseInteger(*field->number))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

/// Prints the fields that are not empty lists or zeros.
static void printFields(AsmPrinter &printer,
                        ArrayRef<std::pair<StringRef, ArrayRef<int64_t>>> lists,
                        ArrayRef<std::pair<StringRef, int64_t>> numbers = {}) {
  StringRef separator = "";
  printer << "<";
  for (auto [name, list] : lists) {
    if (list.empty())
      continue;
    printer << separator << name << " = ";
    printDimensionList(printer, list);
    separator = ", ";
  }
  for (auto [name, number] : numbers) {
    if (number == 0)
      continue;
    printer << separator << name << " = " << number;
    separator = ", ";
  }
  printer << ">";
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (parser.parseLess() ||
      parseFields(parser, {{"lhs_batching_dimensions", &lhsBatching},
                           {"rhs_batching_dimensions", &rhsBatching},
                           {"lhs_contracting_dimensions", &lhsContracting},
                           {"rhs_contracting_dimensions", &rhsContracting}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printFields(printer, {{"lhs_batching_dimensions", getLhsBatchingDimensions()},
                        {"rhs_batching_dimensions", getRhsBatchingDimensions()},
                        {"lhs_contracting_dimensions", getLhsContractingDimensions()},
                        {"rhs_contracting_dimensions", getRhsContractingDimensions()}});
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  if (parser.parseLess() ||
      parseFields(parser, {{"offset_dims", &offset},
                           {"collapsed_slice_dims", &collapsed},
                           {"operand_batching_dims", &operandBatching},
                           {"start_indices_batching_dims", &indicesBatching},
                           {"start_index_map", &map},
                           {"index_vector_dim", nullptr, &vectorDim}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching, map,
             vectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printFields(printer,
              {{"offset_dims", getOffsetDims()},
               {"collapsed_slice_dims", getCollapsedSliceDims()},
               {"operand_batching_dims", getOperandBatchingDims()},
               {"start_indices_batching_dims", getStartIndicesBatchingDims()},
               {"start_index_map", getStartIndexMap()}},
              {{"index_vector_dim", getIndexVectorDim()}});
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  if (parser.parseLess() ||
      parseFields(parser, {{"update_window_dims", &window},
                           {"inserted_window_dims", &inserted},
                           {"input_batching_dims", &inputBatching},
                           {"scatter_indices_batching_dims", &indicesBatching},
                           {"scatter_dims_to_operand_dims", &map},
                           {"index_vector_dim", nullptr, &vectorDim}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching, indicesBatching, map,
             vectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printFields(printer,
              {{"update_window_dims", getUpdateWindowDims()},
               {"inserted_window_dims", getInsertedWindowDims()},
               {"input_batching_dims", getInputBatchingDims()},
               {"scatter_indices_batching_dims", getScatterIndicesBatchingDims()},
               {"scatter_dims_to_operand_dims", getScatterDimsToOperandDims()}},
              {{"index_vector_dim", getIndexVectorDim()}});
}

//===----------------------------------------------------------------------===//
// Convolution dimensions
//===----------------------------------------------------------------------===//

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalKeyword("raw"))) {
    ConvDimensionNumbersAttr attr;
    if (parseConvolutionDimensions(parser, attr) || parser.parseGreater())
      return {};
    return attr;
  }
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0,
          outputFeature = 0;
  SmallVector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  if (parseFields(parser, {{"input_batch_dimension", nullptr, &inputBatch},
                           {"input_feature_dimension", nullptr, &inputFeature},
                           {"input_spatial_dimensions", &inputSpatial},
                           {"kernel_input_feature_dimension", nullptr, &kernelInput},
                           {"kernel_output_feature_dimension", nullptr, &kernelOutput},
                           {"kernel_spatial_dimensions", &kernelSpatial},
                           {"output_batch_dimension", nullptr, &outputBatch},
                           {"output_feature_dimension", nullptr, &outputFeature},
                           {"output_spatial_dimensions", &outputSpatial}}))
    return {};
  return get(parser.getContext(), inputBatch, inputFeature, inputSpatial, kernelInput,
             kernelOutput, kernelSpatial, outputBatch, outputFeature, outputSpatial);
}

/// Whether each position has at most one dimension, so that the short form
/// can show all of them.
static bool haveOwnPositions(int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> positions(spatial);
  positions.append({first, second});
  llvm::sort(positions);
  return positions.front() >= 0 &&
         positions.back() < static_cast<int64_t>(2 * positions.size()) &&
         std::adjacent_find(positions.begin(), positions.end()) == positions.end();
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  if (haveOwnPositions(getInputBatchDimension(), getInputFeatureDimension(),
                       getInputSpatialDimensions()) &&
      haveOwnPositions(getKernelInputFeatureDimension(), getKernelOutputFeatureDimension(),
                       getKernelSpatialDimensions()) &&
      haveOwnPositions(getOutputBatchDimension(), getOutputFeatureDimension(),
                       getOutputSpatialDimensions())) {
    printer << "<";
    printConvolutionDimensions(printer, *this);
    printer << ">";
    return;
  }
  auto list = [&](ArrayRef<int64_t> dimensions) { printDimensionList(printer, dimensions); };
  printer << "<raw input_batch_dimension = " << getInputBatchDimension()
          << ", input_feature_dimension = " << getInputFeatureDimension()
          << ", input_spatial_dimensions = ";
  list(getInputSpatialDimensions());
  printer << ", kernel_input_feature_dimension = " << getKernelInputFeatureDimension()
          << ", kernel_output_feature_dimension = " << getKernelOutputFeatureDimension()
          << ", kernel_spatial_dimensions = ";
  list(getKernelSpatialDimensions());
  printer << ", output_batch_dimension = " << getOutputBatchDimension()
          << ", output_feature_dimension = " << getOutputFeatureDimension()
          << ", output_spatial_dimensions = ";
  list(getOutputSpatialDimensions());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Small structures, all of whose fields are printed
//===----------------------------------------------------------------------===//

// Every field is given, in this order.
Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> outputIndices, operandIndices;
  int64_t operand = 0;
  if (parser.parseLess() || parser.parseKeyword("output_tuple_indices") || parser.parseEqual() ||
      parseDimensionList(parser, outputIndices) || parser.parseComma() ||
      parser.parseKeyword("operand_index") || parser.parseEqual() ||
      parser.parseInteger(operand) || parser.parseComma() ||
      parser.parseKeyword("operand_tuple_indices") || parser.parseEqual() ||
      parseDimensionList(parser, operandIndices) || parser.parseGreater())
    return {};
  return get(parser.getContext(), outputIndices, operand, operandIndices);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  printer << "<output_tuple_indices = ";
  printDimensionList(printer, getOutputTupleIndices());
  printer << ", operand_index = " << getOperandIndex() << ", operand_tuple_indices = ";
  printDimensionList(printer, getOperandTupleIndices());
  printer << ">";
}

// Both fields are given, in any order.
Attribute ChannelHandleAttr::parse(AsmParser &parser, Type) {
  std::optional<int64_t> handle, type;
  auto parseField = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    bool known = name == "handle" || name == "type";
    std::optional<int64_t> &field = name == "handle" ? handle : type;
    if (!known || field)
      return parser.emitError(location, "expected 'handle' and 'type', found '")
             << name << (known ? "' twice" : "'");
    return parser.parseInteger(field.emplace());
  };
  if (parser.parseLess() || parseField() || parser.parseComma() || parseField() ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), *handle, *type);
}

void ChannelHandleAttr::print(AsmPrinter &printer) const {
  printer << "<handle = " << getHandle() << ", type = " << getType() << ">";
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  DenseIntElementsAttr deviceIds;
  auto parseAxis = [&]() { return parser.parseCustomAttributeWithFallback(axes.emplace_back()); };
  if (parser.parseLess() || parser.parseKeyword("axes") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseAttribute(deviceIds))
      return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), axes, deviceIds);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<axes=[";
  llvm::interleaveComma(getAxes(), printer,
                        [&](MeshAxisAttr axis) { printer.printStrippedAttrOrType(axis); });
  printer << "]";
  if (getDeviceIds())
    printer << ", device_ids=" << getDeviceIds();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Dot algorithms
//===----------------------------------------------------------------------===//

/// The algorithms that some hardware has, as the specification lists them.
static bool isKnownAlgorithm(Type lhs, Type rhs, Type accumulation, int64_t operations,
                             bool imprecise) {
  auto isFloat8 = [](Type type) {
    return isa<Float8E3M4Type, Float8E4M3Type, Float8E4M3FNType, Float8E4M3FNUZType,
               Float8E4M3B11FNUZType, Float8E5M2Type, Float8E5M2FNUZType>(type);
  };
  if (isFloat8(lhs) && isFloat8(rhs))
    return accumulation.isF32() && operations == 1;
  if (imprecise || lhs != rhs)
    return false;
  if (lhs.isF16())
    return (accumulation.isF16() || accumulation.isF32()) && operations == 1;
  if (lhs.isBF16())
    return (accumulation.isBF16() && operations == 1) ||
           (accumulation.isF32() && (operations == 1 || operations == 3 || operations == 6));
  if (lhs.isTF32())
    return accumulation.isF32() && (operations == 1 || operations == 3);
  return (lhs.isF32() || lhs.isF64()) && accumulation == lhs && operations == 1;
}

LogicalResult DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type lhs,
                                       Type rhs, Type accumulation, int64_t lhsCount,
                                       int64_t rhsCount, int64_t operations, bool imprecise) {
  // dot_general_c22 to dot_general_c26
  std::pair<StringRef, int64_t> counts[] = {{"lhs_component_count", lhsCount},
                                            {"rhs_component_count", rhsCount},
                                            {"num_primitive_operations", operations}};
  for (auto [name, count] : counts)
    if (count < 1)
      return emitError() << "expected " << name << " of at least 1, found " << count;
  if (lhsCount == 1 && rhsCount == 1 &&
      isKnownAlgorithm(lhs, rhs, accumulation, operations, imprecise))
    return success();
  return emitError() << "expected a dot algorithm that some hardware has, found operands of " << lhs
                     << " and " << rhs << " in " << lhsCount << " and " << rhsCount
                     << " components, accumulated in " << accumulation << " by " << operations
                     << (imprecise ? " imprecise" : "") << " operations";
}

LogicalResult ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               Attribute mesh, ArrayAttr axes) {
  if (!isa<FlatSymbolRefAttr, MeshAttr>(mesh))
    return emitError() << "expected mesh to be a symbol or #stablehlo.mesh, found " << mesh;
  for (Attribute axis : axes)
    if (!isa<AxisRefAttr>(axis))
      return emitError() << "expected axes of #stablehlo.axis_ref, found " << axis;
  return success();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static ParseResult parseBound(AsmParser &parser, SmallVectorImpl<int64_t> &bounds) {
  if (succeeded(parser.parseOptionalQuestion())) {
    bounds.push_back(ShapedType::kDynamic);
    return success();
  }
  return parser.parseInteger(bounds.emplace_back());
}

Attribute BoundsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&]() { return parseBound(parser, bounds); }))
    return {};
  return get(parser.getContext(), bounds);
}

void BoundsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << "?";
    else
      printer << bound;
  });
  printer << ">";
}

LogicalResult BoundsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size())
    return emitError() << "expected " << shape.size() << " bounds, one for each dimension, found "
                       << getBounds().size();
  for (auto [i, bound] : llvm::enumerate(getBounds()))
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(shape[i]))
      return emitError() << "expected no bound for static dimension " << i << ", found " << bound;
  return success();
}

/// The older spelling `type_extensions<bounds = [8, ?]>`.
static Attribute parseTypeExtensions(DialectAsmParser &parser) {
  SmallVector<int64_t> bounds;
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&]() { return parseBound(parser, bounds); }) ||
      parser.parseGreater())
    return {};
  return BoundsAttr::get(parser.getContext(), bounds);
}

//===----------------------------------------------------------------------===//
// Result accuracy
//===----------------------------------------------------------------------===//

ResultAccuracyAttr accuracyOfMode(MLIRContext *context, ResultAccuracyMode mode) {
  return ResultAccuracyAttr::get(context, APFloat(0.0), APFloat(0.0), 0,
                                 ResultAccuracyModeAttr::get(context, mode));
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0.0, rtol = 0.0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  SMLoc start = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "atol")
      return parser.parseFloat(atol);
    if (name == "rtol")
      return parser.parseFloat(rtol);
    if (name == "ulps")
      return parser.parseInteger(ulps);
    if (name == "mode")
      return parser.parseCustomAttributeWithFallback(mode);
    return parser.emitError(location, "expected one of 'atol', 'rtol', 'ulps', 'mode', found '")
           << name << "'";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return {};
  if (!mode) {
    parser.emitError(start, "expected 'mode', found none");
    return {};
  }
  return getChecked([&]() { return parser.emitError(start); }, parser.getContext(), APFloat(atol),
                    APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!getAtol().isZero()) {
    printer << "atol = ";
    printer.printFloat(getAtol());
    printer << ", ";
  }
  if (!getRtol().isZero()) {
    printer << "rtol = ";
    printer.printFloat(getRtol());
    printer << ", ";
  }
  if (getUlps() != 0)
    printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << Attribute(getMode()) << ">";
}

LogicalResult ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         APFloat atol, APFloat rtol, int64_t ulps,
                                         ResultAccuracyModeAttr mode) {
  bool tolerant = !atol.isZero() || !rtol.isZero() || ulps != 0;
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "expected tolerances that are not negative";
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE && tolerant)
    return emitError() << "expected atol, rtol and ulps to be 0 unless mode is TOLERANCE, found "
                          "mode "
                       << stringifyResultAccuracyMode(mode.getValue());
  return success();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult result = generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  if (mnemonic == "type_extensions")
    return parseTypeExtensions(parser);
  parser.emitError(parser.getNameLoc(), "unknown attribute '")
      << mnemonic << "' in dialect 'stablehlo'";
  return {};
}

void StableHLODialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  bool isEnum =
      llvm::TypeSwitch<Attribute, bool>(attr)
          .Case<PrecisionAttr, FftTypeAttr, ComparisonDirectionAttr, ComparisonTypeAttr,
                TransposeAttr, RngDistributionAttr, RngAlgorithmAttr>([&](auto value) {
            printer << value.getMnemonic() << " ";
            value.print(printer);
            return true;
          })
          .Default([](Attribute) { return false; });
  // Every attribute of the dialect has a mnemonic, so the generated printer
  // knows all the others.
  if (!isEnum)
    (void)generatedAttributePrinter(attr, printer);
}

} // namespace strata::stablehlo
