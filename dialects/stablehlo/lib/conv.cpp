// Convolutions: text form and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/conv.h.inc"

namespace strata::stablehlo {

/// `stride = [2, 2], pad = [[1, 1], [0, 1]], lhs_dilate = …, rhs_dilate = …,
/// reverse = [false, true]` in any order, each at most once.
static ParseResult parseWindowAttributes(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                                         DenseIntElementsAttr &padding,
                                         DenseI64ArrayAttr &lhsDilation,
                                         DenseI64ArrayAttr &rhsDilation,
                                         DenseBoolArrayAttr &reversal) {
  auto &builder = parser.getBuilder();
  auto parseIntegers = [&](DenseI64ArrayAttr &attr) -> ParseResult {
    SmallVector<int64_t> values;
    if (parseDimensionList(parser, values))
      return failure();
    attr = builder.getDenseI64ArrayAttr(values);
    return success();
  };
  auto parsePadding = [&]() -> ParseResult {
    SmallVector<int64_t> values;
    int64_t rows = 0;
    auto parseRow = [&]() -> ParseResult {
      int64_t low, high;
      if (parser.parseLSquare() || parser.parseInteger(low) || parser.parseComma() ||
          parser.parseInteger(high) || parser.parseRSquare())
        return failure();
      values.append({low, high});
      ++rows;
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
      return failure();
    padding = DenseIntElementsAttr::get(
        RankedTensorType::get({rows, 2}, builder.getI64Type()), values);
    return success();
  };
  auto parseReversal = [&]() -> ParseResult {
    SmallVector<bool> values;
    auto parseValue = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalKeyword("true"))) {
        values.push_back(true);
        return success();
      }
      values.push_back(false);
      return parser.parseKeyword("false");
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
      return failure();
    reversal = builder.getDenseBoolArrayAttr(values);
    return success();
  };
  bool first = true;
  while (true) {
    if (!first && failed(parser.parseOptionalComma()))
      return success();
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    // A comma may follow the last one.
    if (failed(parser.parseOptionalKeyword(&name)))
      return success();
    first = false;
    if (parser.parseEqual())
      return failure();
    auto once = [&](Attribute attr) -> ParseResult {
      if (!attr)
        return success();
      return parser.emitError(location, "window attribute '") << name << "' is given twice";
    };
    ParseResult result = success();
    if (name == "stride")
      result = failure(once(strides) || parseIntegers(strides));
    else if (name == "pad")
      result = failure(once(padding) || parsePadding());
    else if (name == "lhs_dilate")
      result = failure(once(lhsDilation) || parseIntegers(lhsDilation));
    else if (name == "rhs_dilate")
      result = failure(once(rhsDilation) || parseIntegers(rhsDilation));
    else if (name == "reverse")
      result = failure(once(reversal) || parseReversal());
    else
      return parser.emitError(location, "expected 'stride', 'pad', 'lhs_dilate', 'rhs_dilate' or "
                                        "'reverse', found '")
             << name << "'";
    if (failed(result))
      return failure();
  }
}

static void printWindowAttributes(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides,
                                  DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                                  DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto start = [&](StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto integers = [&](StringRef name, DenseI64ArrayAttr attr) {
    if (!attr)
      return;
    start(name);
    printDimensionList(printer, attr.asArrayRef());
  };
  integers("stride", strides);
  if (padding) {
    start("pad");
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    printer << "[";
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", [" : "[") << values[i] << ", " << values[i + 1] << "]";
    printer << "]";
  }
  integers("lhs_dilate", lhsDilation);
  integers("rhs_dilate", rhsDilation);
  if (reversal) {
    start("reverse");
    printer << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer,
                          [&](bool value) { printer << (value ? "true" : "false"); });
    printer << "]";
  }
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/conv.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Dimension numbers of one of the three tensors: each in range, none twice,
/// as many as the tensor has dimensions.
static LogicalResult checkRoles(Operation *op, StringRef name, int64_t first, int64_t second,
                                ArrayRef<int64_t> spatial, int64_t rank) {
  SmallVector<int64_t> all(spatial);
  all.append({first, second});
  if (failed(checkCount(op->getLoc(), name, all.size(), rank)) ||
      failed(checkDistinct(op->getLoc(), name, all)) ||
      failed(checkAllInRange(op->getLoc(), name, all, rank)))
    return failure();
  return success();
}

/// What both convolutions share. `padding` is absent when it is computed, and
/// then nothing is known of the result's spatial dimensions.
template <typename Op>
static FailureOr<RankedTensorType> inferConvolution(Op op,
                                                    std::optional<DenseIntElementsAttr> padding,
                                                    bool paddingIsKnown) {
  Location location = op.getLoc();
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType lhs = tensorType(op.getLhs()), rhs = tensorType(op.getRhs());
  int64_t rank = lhs.getRank();
  // convolution_c1, dynamic_conv_c1
  if (rhs.getRank() != rank)
    return op.emitOpError("expected operands of equal rank, found ") << lhs << " and " << rhs;
  if (rank < 2)
    return op.emitOpError("expected operands of rank 2 or more, found ") << lhs;
  // convolution_c12, convolution_c13, convolution_c17 to convolution_c20,
  // dynamic_conv_c12, dynamic_conv_c13, dynamic_conv_c17 to dynamic_conv_c20
  if (failed(checkRoles(op, "input dimensions", numbers.getInputBatchDimension(),
                        numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions(),
                        rank)) ||
      failed(checkRoles(op, "kernel dimensions", numbers.getKernelInputFeatureDimension(),
                        numbers.getKernelOutputFeatureDimension(),
                        numbers.getKernelSpatialDimensions(), rank)) ||
      failed(checkRoles(op, "output dimensions", numbers.getOutputBatchDimension(),
                        numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions(),
                        rank)))
    return failure();
  // convolution_c2 to convolution_c8,
  // dynamic_conv_c2, dynamic_conv_c3, dynamic_conv_c5 to dynamic_conv_c8
  Shape input = shapeOf(lhs), kernel = shapeOf(rhs);
  SmallVector<int64_t> sizes;
  for (int64_t dimension : numbers.getKernelSpatialDimensions()) {
    // Lengths that are not known are taken for 1 while attributes are checked.
    int64_t size = kernel[dimension].size;
    sizes.push_back(isDynamic(size) ? 1 : size);
  }
  SmallVector<WindowDimension> window;
  std::optional<ArrayRef<int64_t>> strides = op.getWindowStrides();
  // Exported dynamic convolutions of one spatial dimension come with strides for two.
  if (!paddingIsKnown && strides && strides->size() > sizes.size())
    strides = strides->take_front(sizes.size());
  if (failed(collectWindow(location, sizes, strides, padding, op.getLhsDilation(),
                           op.getRhsDilation(), window)))
    return failure();
  // convolution_c9, dynamic_conv_c9
  if (auto reversal = op.getWindowReversal(); reversal && !reversal->empty())
    if (failed(checkCount(location, "window reversal", reversal->size(), sizes.size())))
      return failure();
  // convolution_c23, dynamic_conv_c23; the counts are positive by their type
  int64_t groups = op.getFeatureGroupCount(), batches = op.getBatchGroupCount();
  if (groups > 1 && batches > 1)
    return op.emitOpError("expected feature_group_count or batch_group_count to be 1, found ")
           << groups << " and " << batches;
  auto divisible = [&](StringRef name, int64_t size, StringRef by, int64_t count) -> LogicalResult {
    if (isDynamic(size) || size % count == 0)
      return success();
    return op.emitOpError("expected ") << name << " to be divisible by " << by << " " << count
                                       << ", found " << size;
  };
  Dimension batch = input[numbers.getInputBatchDimension()];
  Dimension feature = input[numbers.getInputFeatureDimension()];
  Dimension kernelInput = kernel[numbers.getKernelInputFeatureDimension()];
  Dimension kernelOutput = kernel[numbers.getKernelOutputFeatureDimension()];
  // convolution_c10, convolution_c11, convolution_c15, convolution_c16,
  // dynamic_conv_c10, dynamic_conv_c11, dynamic_conv_c15, dynamic_conv_c16
  if (failed(divisible("the input batch dimension", batch.size, "batch_group_count", batches)) ||
      failed(
          divisible("the input feature dimension", feature.size, "feature_group_count", groups)) ||
      failed(divisible("the kernel output feature dimension", kernelOutput.size,
                       "batch_group_count", batches)) ||
      failed(divisible("the kernel output feature dimension", kernelOutput.size,
                       "feature_group_count", groups)))
    return failure();
  // convolution_c14, dynamic_conv_c14
  if (!isDynamic(feature.size) && !compatible(kernelInput.size, feature.size / groups))
    return op.emitOpError("expected a kernel input feature dimension of ")
           << feature.size / groups << ", found " << kernelInput.size;
  // convolution_c24, dynamic_conv_c24
  if (failed(checkPrecision(location, op.getPrecisionConfig())))
    return failure();
  // convolution_c25, convolution_c26, dynamic_conv_c25, dynamic_conv_c26
  Shape output(rank);
  output[numbers.getOutputBatchDimension()] = {
      isDynamic(batch.size) ? dynamic : batch.size / batches,
      isDynamic(batch.bound) ? dynamic : batch.bound / batches};
  output[numbers.getOutputFeatureDimension()] = kernelOutput;
  for (auto [i, dimension] : llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    if (!paddingIsKnown)
      continue;
    WindowDimension position = window[i];
    position.size = kernel[numbers.getKernelSpatialDimensions()[i]].size;
    output[dimension] = windowPositions(input[numbers.getInputSpatialDimensions()[i]], position);
  }
  return tensorOf(output, tensorType(op.getResult()).getElementType());
}

FailureOr<RankedTensorType> inferConvolution(Operation *operation) {
  auto op = cast<ConvolutionOp>(operation);
  if (failed(op.verifyInvariantsImpl()))
    return failure();
  return inferConvolution(op, op.getPadding(), /*paddingIsKnown=*/true);
}

template <typename Op>
static LogicalResult verifyConvolution(Op op, std::optional<DenseIntElementsAttr> padding,
                                       bool paddingIsKnown) {
  FailureOr<RankedTensorType> inferred = inferConvolution(op, padding, paddingIsKnown);
  if (failed(inferred))
    return failure();
  if (!areCompatibleTypes(*inferred, op.getType()))
    return op.emitOpError("expected a result of shape ") << *inferred << ", found " << op.getType();
  return success();
}

/// Constraints on the element types of convolutions, quantized ones above all.
template <typename Op> static LogicalResult checkConvolutionElements(Op op) {
  Type lhs = getElementTypeOrSelf(op.getLhs()), rhs = getElementTypeOrSelf(op.getRhs()),
       result = getElementTypeOrSelf(op.getResult());
  auto quantized = [](Type element) { return isa<quant::QuantizedType>(element); };
  // convolution_c27, dynamic_conv_c27
  if (!quantized(lhs) && !quantized(rhs) && !quantized(result)) {
    if (lhs == rhs)
      return success();
    return op.emitOpError("expected operands of one element type, found ") << lhs << " and " << rhs;
  }
  // convolution_c28, dynamic_conv_c28
  bool weightsOnly = !quantized(lhs) && quantized(rhs) && !quantized(result);
  if (!weightsOnly && !(quantized(lhs) && quantized(rhs) && quantized(result)))
    return op.emitOpError("expected all types or only rhs to be quantized, found ")
           << lhs << ", " << rhs << " and " << result;
  // convolution_c29, dynamic_conv_c29
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(rhs))
    if (perAxis.getQuantizedDimension() !=
        op.getDimensionNumbers().getKernelOutputFeatureDimension())
      return op.emitOpError("expected rhs to be quantized along its output feature dimension ")
             << op.getDimensionNumbers().getKernelOutputFeatureDimension() << ", found "
             << perAxis.getQuantizedDimension();
  if (weightsOnly) {
    // convolution_c34, dynamic_conv_c34
    if (cast<quant::QuantizedType>(rhs).getExpressedType() != lhs || lhs != result)
      return op.emitOpError("expected the expressed type of rhs to be the element type of lhs and "
                            "the result, found ")
             << lhs << ", " << rhs << " and " << result;
    return success();
  }
  // convolution_c30, dynamic_conv_c30
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(result)) {
    if (perAxis.getQuantizedDimension() != op.getDimensionNumbers().getOutputFeatureDimension())
      return op.emitOpError("expected the result to be quantized along its feature dimension ")
             << op.getDimensionNumbers().getOutputFeatureDimension() << ", found "
             << perAxis.getQuantizedDimension();
    // convolution_c33, dynamic_conv_c33
    if (!isa<quant::UniformQuantizedPerAxisType>(rhs))
      return op.emitOpError("expected a per-tensor quantized result, as rhs is, found ") << result;
  }
  auto lhsType = cast<quant::QuantizedType>(lhs), rhsType = cast<quant::QuantizedType>(rhs),
       resultType = cast<quant::QuantizedType>(result);
  // convolution_c31, dynamic_conv_c31
  if (lhsType.getStorageType() != rhsType.getStorageType())
    return op.emitOpError("expected operands of one storage type, found ") << lhs << " and " << rhs;
  // convolution_c32, dynamic_conv_c32
  if (lhsType.getExpressedType() != rhsType.getExpressedType() ||
      resultType.getExpressedType() != lhsType.getExpressedType())
    return op.emitOpError("expected one expressed type, found ")
           << lhs << ", " << rhs << " and " << result;
  return success();
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyConvolution(*this, getPadding(), /*paddingIsKnown=*/true)))
    return failure();
  return checkConvolutionElements(*this);
}

LogicalResult DynamicConvOp::verify() {
  // dynamic_conv_c4
  RankedTensorType padding = tensorType(getPadding());
  int64_t spatial = getDimensionNumbers().getInputSpatialDimensions().size();
  if (padding.getDimSize(0) != spatial || padding.getDimSize(1) != 2)
    return emitOpError("expected padding of shape [")
           << spatial << ", 2], found " << padding;
  if (failed(verifyConvolution(*this, std::nullopt, /*paddingIsKnown=*/false)))
    return failure();
  return checkConvolutionElements(*this);
}

Speculation::Speculatability DynamicConvOp::getSpeculatability() {
  // Padding that is known has been verified.
  if (!constantInts(getPadding()))
    return Speculation::NotSpeculatable;
  return detail::speculatableIfInputsStatic(*this, /*recursive=*/false);
}

void StableHLODialect::addConvOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/conv.cpp.inc"
      >();
}

} // namespace strata::stablehlo
