// Types of the StableHLO dialect and predicates on them.

#include "stablehlo/dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "stablehlo/types.cpp.inc"

namespace strata::stablehlo {

void StableHLODialect::addTypes() {
  Dialect::addTypes<
#define GET_TYPEDEF_LIST
#include "stablehlo/types.cpp.inc"
      >();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "future element type must be a ranked tensor, but got '" << type << "'";
  return success();
}

Type FutureType::parse(AsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&]() { return parser.parseType(types.emplace_back()); }))
    return {};
  return getChecked([&]() { return parser.emitError(start); }, parser.getContext(), types);
}

void FutureType::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getTypes(), printer);
  printer << ">";
}

bool isFloatElement(Type type) {
  return isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType, Float8E3M4Type, Float8E4M3Type,
             Float8E4M3FNType, Float8E4M3FNUZType, Float8E4M3B11FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float8E8M0FNUType, BFloat16Type, Float16Type, Float32Type,
             Float64Type>(type);
}

bool isFloat32Or64Element(Type type) { return isa<Float32Type, Float64Type>(type); }

bool isBooleanElement(Type type) { return type.isSignlessInteger(1); }

static bool hasIntegerWidth(IntegerType type) {
  switch (type.getWidth()) {
  case 2:
  case 4:
  case 8:
  case 16:
  case 32:
  case 64:
    return true;
  default:
    return false;
  }
}

bool isIntegerElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSigned() && hasIntegerWidth(integer);
}

bool isSignedIntegerElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() && hasIntegerWidth(integer);
}

bool isComplexElement(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && isFloat32Or64Element(complex.getElementType());
}

static bool hasQuantizedStorage(quant::QuantizedType type) {
  auto storage = dyn_cast<IntegerType>(type.getStorageType());
  return storage && storage.getWidth() <= 32 && hasIntegerWidth(storage);
}

/// quantized_type_c6: MLIR compares a scale with bounds, which is false of NaN.
static bool isScale(double scale) { return std::isfinite(scale) && scale > 0; }

/// quantized_type_c7
static bool isStored(quant::QuantizedType type, int64_t zeroPoint) {
  return zeroPoint >= type.getStorageTypeMin() && zeroPoint <= type.getStorageTypeMax();
}

bool isPerTensorQuantizedElement(Type type) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(type);
  return quantized && hasQuantizedStorage(quantized) && isScale(quantized.getScale()) &&
         isStored(quantized, quantized.getZeroPoint());
}

bool isPerAxisQuantizedElement(Type type) {
  auto quantized = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  return quantized && hasQuantizedStorage(quantized) &&
         llvm::all_of(quantized.getScales(), isScale) &&
         llvm::all_of(quantized.getZeroPoints(),
                      [&](int64_t zeroPoint) { return isStored(quantized, zeroPoint); });
}

bool hasQuantizedDimension(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return true;
  auto quantized = dyn_cast<quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  if (!quantized)
    return true;
  // quantized_type_c12, quantized_type_c13
  int64_t dimension = quantized.getQuantizedDimension();
  return dimension >= 0 && dimension < tensor.getRank() &&
         (tensor.isDynamicDim(dimension) ||
          tensor.getDimSize(dimension) == static_cast<int64_t>(quantized.getScales().size()));
}

ArrayRef<int64_t> boundsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  if (auto bounds = dyn_cast_or_null<BoundsAttr>(tensor.getEncoding()))
    if (static_cast<int64_t>(bounds.getBounds().size()) == tensor.getRank())
      return bounds.getBounds();
  return {};
}

bool isStaticOrSingleBounded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  if (tensor.hasStaticShape())
    return true;
  if (tensor.getNumDynamicDims() != 1)
    return false;
  ArrayRef<int64_t> bounds = boundsOf(type);
  return llvm::count_if(bounds, [](int64_t bound) { return !ShapedType::isDynamic(bound); }) == 1;
}

bool isReplicaGroups(Attribute attribute) {
  if (isa<ReplicaGroupMeshAxesAttr>(attribute))
    return true;
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  return elements && elements.getElementType().isSignlessInteger(64) &&
         elements.getType().getRank() == 2;
}

bool isLayout(Attribute attribute) {
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  return elements && elements.getElementType().isIndex() && elements.getType().getRank() == 1;
}

bool areCompatibleElements(Type left, Type right) {
  if (left == right)
    return true;
  auto leftQuantized = dyn_cast<quant::QuantizedType>(left);
  auto rightQuantized = dyn_cast<quant::QuantizedType>(right);
  if (!leftQuantized || !rightQuantized)
    return false;
  // Both per tensor or both per axis.
  return leftQuantized.getTypeID() == rightQuantized.getTypeID() &&
         leftQuantized.getStorageType() == rightQuantized.getStorageType() &&
         leftQuantized.getStorageTypeMin() == rightQuantized.getStorageTypeMin() &&
         leftQuantized.getStorageTypeMax() == rightQuantized.getStorageTypeMax() &&
         leftQuantized.getExpressedType() == rightQuantized.getExpressedType();
}

bool areCompatibleTypes(Type left, Type right) {
  if (left == right)
    return true;
  auto leftTensor = dyn_cast<TensorType>(left), rightTensor = dyn_cast<TensorType>(right);
  if (!leftTensor || !rightTensor ||
      !areCompatibleElements(leftTensor.getElementType(), rightTensor.getElementType()))
    return false;
  if (!leftTensor.hasRank() || !rightTensor.hasRank())
    return true;
  if (leftTensor.getRank() != rightTensor.getRank())
    return false;
  ArrayRef<int64_t> leftBounds = boundsOf(left), rightBounds = boundsOf(right);
  auto fits = [](int64_t size, ArrayRef<int64_t> bounds, int64_t dimension) {
    return ShapedType::isDynamic(size) || bounds.empty() ||
           ShapedType::isDynamic(bounds[dimension]) || size <= bounds[dimension];
  };
  for (int64_t i = 0, rank = leftTensor.getRank(); i != rank; ++i) {
    int64_t leftSize = leftTensor.getDimSize(i), rightSize = rightTensor.getDimSize(i);
    bool dynamic = ShapedType::isDynamic(leftSize) || ShapedType::isDynamic(rightSize);
    if (!dynamic && leftSize != rightSize)
      return false;
    if (!fits(leftSize, rightBounds, i) || !fits(rightSize, leftBounds, i))
      return false;
  }
  return true;
}

bool areCompatibleTypes(TypeRange left, TypeRange right) {
  if (left.size() != right.size())
    return false;
  for (auto [leftType, rightType] : llvm::zip(left, right))
    if (!areCompatibleTypes(leftType, rightType))
      return false;
  return true;
}

} // namespace strata::stablehlo
