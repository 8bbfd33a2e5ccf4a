// Dot products: text form and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/dot.h.inc"

namespace strata::stablehlo {

/// `[0] x [1]`
static ParseResult parseDimensionPair(OpAsmParser &parser, SmallVectorImpl<int64_t> &lhs,
                                      SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseDimensionList(parser, lhs) ||
                 parser.parseKeyword("x") || parseDimensionList(parser, rhs));
}

static void printDimensionPair(OpAsmPrinter &printer, ArrayRef<int64_t> lhs,
                               ArrayRef<int64_t> rhs) {
  printDimensionList(printer, lhs);
  printer << " x ";
  printDimensionList(printer, rhs);
}

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`; the first part
/// only when there is a batching dimension.
static ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                            DotDimensionNumbersAttr &dimensions) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parseDimensionPair(parser, lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimensionPair(parser, lhsContracting, rhsContracting))
    return failure();
  dimensions = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching,
                                            lhsContracting, rhsContracting);
  return success();
}

static void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                                     DotDimensionNumbersAttr dimensions) {
  if (!dimensions.getLhsBatchingDimensions().empty() ||
      !dimensions.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDimensionPair(printer, dimensions.getLhsBatchingDimensions(),
                       dimensions.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimensionPair(printer, dimensions.getLhsContractingDimensions(),
                     dimensions.getRhsContractingDimensions());
}

/// `, precision = [HIGH, DEFAULT], algorithm = <…>`, each when it is given.
static ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, ArrayAttr &precision,
                                                    DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("algorithm")))
    return failure(parser.parseEqual() || parser.parseCustomAttributeWithFallback(algorithm));
  SmallVector<Attribute> values;
  auto parseValue = [&]() -> ParseResult {
    PrecisionAttr value;
    if (parser.parseCustomAttributeWithFallback(value))
      return failure();
    values.push_back(value);
    return success();
  };
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("algorithm") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(algorithm));
}

static void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                             ArrayAttr precision, DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/dot.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Constraints on quantized products: only the right operand may be quantized
/// per axis, its zero points are 0, and its quantized dimension is kept.
static LogicalResult checkQuantizedDot(Operation *op, Type lhs, Type rhs, Type result,
                                       ArrayRef<int64_t> rhsContracting) {
  auto quantized = [](Type element) { return isa<quant::QuantizedType>(element); };
  if (!quantized(lhs) && !quantized(rhs) && !quantized(result))
    return success();
  // dot_general_c14: all or, for weights only, the right operand.
  bool weightsOnly = !quantized(lhs) && quantized(rhs) && !quantized(result);
  if (!weightsOnly && !(quantized(lhs) && quantized(rhs)))
    return op->emitOpError("expected both operands or only rhs to be quantized, found ")
           << lhs << " and " << rhs;
  // dot_general_c15
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(rhs))
    if (perTensor.getZeroPoint() != 0)
      return op->emitOpError("expected rhs with zero point 0, found ") << rhs;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(rhs)) {
    for (int64_t zeroPoint : perAxis.getZeroPoints())
      if (zeroPoint != 0)
        return op->emitOpError("expected rhs with zero points 0, found ") << rhs;
    // dot_general_c16
    if (llvm::is_contained(rhsContracting, perAxis.getQuantizedDimension()))
      return op->emitOpError("expected the quantized dimension of rhs not to be contracted, found ")
             << perAxis.getQuantizedDimension();
  }
  if (weightsOnly) {
    // dot_general_c20
    if (cast<quant::QuantizedType>(rhs).getExpressedType() != lhs || lhs != result)
      return op->emitOpError("expected the expressed type of rhs to be the element type of lhs and "
                             "the result, found ")
             << lhs << ", " << rhs << " and " << result;
    return success();
  }
  auto lhsType = cast<quant::QuantizedType>(lhs), rhsType = cast<quant::QuantizedType>(rhs);
  // dot_general_c17
  if (lhsType.getStorageType() != rhsType.getStorageType())
    return op->emitOpError("expected operands of one storage type, found ")
           << lhs << " and " << rhs;
  // dot_general_c18
  auto resultType = dyn_cast<quant::QuantizedType>(result);
  if (lhsType.getExpressedType() != rhsType.getExpressedType() ||
      (resultType && resultType.getExpressedType() != lhsType.getExpressedType()))
    return op->emitOpError("expected one expressed type, found ")
           << lhs << ", " << rhs << " and " << result;
  // dot_general_c19
  if (isa<quant::UniformQuantizedType>(rhs) && isa<quant::UniformQuantizedPerAxisType>(result))
    return op->emitOpError("expected a per-tensor quantized result, as rhs is, found ") << result;
  return success();
}

/// The result has the given dimensions.
static LogicalResult checkDotResult(Operation *op, ArrayRef<Dimension> shape,
                                    RankedTensorType result) {
  RankedTensorType inferred = tensorOf(shape, result.getElementType());
  if (areCompatibleTypes(inferred, result))
    return success();
  return op->emitOpError("expected a result of shape ") << inferred << ", found " << result;
}

/// Whether a known length is within the other's bound.
static bool fits(Dimension dimension, Dimension other) {
  return !dimension.isStatic() || isDynamic(other.limit()) || dimension.size <= other.limit();
}

LogicalResult DotOp::verify() {
  if (failed(checkPrecision(getLoc(), getPrecisionConfig())))
    return failure();
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  // dot_c2
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 || rhs.getRank() > 2)
    return emitOpError("expected vectors or matrices, found ") << lhs << " and " << rhs;
  // dot_c1
  Shape left = shapeOf(lhs), right = shapeOf(rhs);
  if (!compatible(left.back().size, right.front().size))
    return emitOpError("expected contracted dimensions of equal length, found ")
           << left.back().size << " and " << right.front().size;
  Shape shape(left.begin(), left.end() - 1);
  shape.append(right.begin() + 1, right.end());
  return checkDotResult(*this, shape, tensorType(getResult()));
}

/// Also checks all but the result.
FailureOr<RankedTensorType> inferDotGeneral(Operation *operation) {
  auto op = cast<DotGeneralOp>(operation);
  if (failed(op.verifyInvariantsImpl()))
    return failure();
  Location location = op.getLoc();
  DotDimensionNumbersAttr dimensions = op.getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = dimensions.getLhsBatchingDimensions(),
                    rhsBatching = dimensions.getRhsBatchingDimensions(),
                    lhsContracting = dimensions.getLhsContractingDimensions(),
                    rhsContracting = dimensions.getRhsContractingDimensions();
  RankedTensorType lhs = tensorType(op.getLhs()), rhs = tensorType(op.getRhs());
  SmallVector<int64_t> lhsUsed(lhsBatching), rhsUsed(rhsBatching);
  llvm::append_range(lhsUsed, lhsContracting);
  llvm::append_range(rhsUsed, rhsContracting);
  // dot_general_c1, dot_general_c2
  if (failed(checkCount(location, "rhs_batching_dimensions", rhsBatching.size(),
                        lhsBatching.size())) ||
      failed(checkCount(location, "rhs_contracting_dimensions", rhsContracting.size(),
                        lhsContracting.size())) ||
      // dot_general_c3, dot_general_c4
      failed(checkDistinct(location, "batching and contracting dimensions of lhs", lhsUsed)) ||
      failed(checkDistinct(location, "batching and contracting dimensions of rhs", rhsUsed)) ||
      // dot_general_c5, dot_general_c6
      failed(checkAllInRange(location, "lhs_batching_dimensions", lhsBatching, lhs.getRank())) ||
      failed(
          checkAllInRange(location, "lhs_contracting_dimensions", lhsContracting, lhs.getRank())) ||
      // dot_general_c7, dot_general_c8
      failed(checkAllInRange(location, "rhs_batching_dimensions", rhsBatching, rhs.getRank())) ||
      failed(
          checkAllInRange(location, "rhs_contracting_dimensions", rhsContracting, rhs.getRank())))
    return failure();
  // dot_general_c9
  for (auto [left, right] : llvm::zip(lhsBatching, rhsBatching))
    if (!compatible(lhs.getDimSize(left), rhs.getDimSize(right)))
      return op.emitOpError("expected batching dimensions of equal length, found ")
             << lhs.getDimSize(left) << " and " << rhs.getDimSize(right);
  // dot_general_c10
  for (auto [left, right] : llvm::zip(lhsContracting, rhsContracting))
    if (!compatible(lhs.getDimSize(left), rhs.getDimSize(right)))
      return op.emitOpError("expected contracting dimensions of equal length, found ")
             << lhs.getDimSize(left) << " and " << rhs.getDimSize(right);
  // dot_general_c11
  if (failed(checkPrecision(location, op.getPrecisionConfig())))
    return failure();
  // dot_general_c12
  Shape left = shapeOf(lhs), right = shapeOf(rhs), shape;
  for (auto [l, r] : llvm::zip(lhsBatching, rhsBatching)) {
    Dimension one = left[l], other = right[r];
    if (!fits(one, other) || !fits(other, one))
      return op.emitOpError("expected batching dimensions of equal length, found ")
             << lhs << " and " << rhs;
    shape.push_back(one.isStatic() || (!other.isStatic() && !isDynamic(one.bound)) ? one : other);
  }
  for (auto [i, dimension] : llvm::enumerate(left))
    if (!llvm::is_contained(lhsUsed, i))
      shape.push_back(dimension);
  for (auto [i, dimension] : llvm::enumerate(right))
    if (!llvm::is_contained(rhsUsed, i))
      shape.push_back(dimension);
  return tensorOf(shape, tensorType(op.getResult()).getElementType());
}

LogicalResult DotGeneralOp::verify() {
  FailureOr<RankedTensorType> inferred = inferDotGeneral(*this);
  if (failed(inferred))
    return failure();
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs()),
                   result = tensorType(getResult());
  if (!areCompatibleTypes(*inferred, result))
    return emitOpError("expected a result of shape ") << *inferred << ", found " << result;
  // dot_general_c21; the algorithm itself is checked where it is made.
  if (ArrayAttr precisions = getPrecisionConfigAttr(); precisions && getAlgorithm())
    for (Attribute precision : precisions)
      if (cast<PrecisionAttr>(precision).getValue() != Precision::DEFAULT)
        return emitOpError("expected precision DEFAULT with an algorithm, found ") << precision;
  return checkQuantizedDot(*this, lhs.getElementType(), rhs.getElementType(),
                           result.getElementType(),
                           getDotDimensionNumbers().getRhsContractingDimensions());
}

void StableHLODialect::addDotOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/dot.cpp.inc"
      >();
}

} // namespace strata::stablehlo
