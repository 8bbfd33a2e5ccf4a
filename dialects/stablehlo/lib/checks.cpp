// What verifiers and type inference of several families share.

#include "stablehlo/checks.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Shape shapeOf(RankedTensorType type) {
  ArrayRef<int64_t> bounds = boundsOf(type);
  Shape shape(type.getRank());
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    shape[i].size = size;
    if (isDynamic(size) && !bounds.empty())
      shape[i].bound = bounds[i];
  }
  return shape;
}

RankedTensorType tensorOf(ArrayRef<Dimension> shape, Type element) {
  SmallVector<int64_t> sizes, bounds;
  bool bounded = false;
  for (const Dimension &dimension : shape) {
    sizes.push_back(dimension.size);
    bounds.push_back(dimension.isStatic() ? dynamic : dimension.bound);
    bounded |= !isDynamic(bounds.back());
  }
  Attribute encoding = bounded ? BoundsAttr::get(element.getContext(), bounds) : Attribute();
  return RankedTensorType::get(sizes, element, encoding);
}

RankedTensorType withElement(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

RankedTensorType tensorType(Type type) { return cast<RankedTensorType>(type); }

SmallVector<RankedTensorType> tensorTypes(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) { return tensorType(value); });
}

std::optional<SmallVector<int64_t>> constantInts(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  SmallVector<int64_t> result;
  for (const APInt &element : elements)
    result.push_back(element.getSExtValue());
  return result;
}

//===----------------------------------------------------------------------===//
// Dimensions and attributes
//===----------------------------------------------------------------------===//

LogicalResult checkInRange(OptionalLocation location, StringRef name, int64_t value, int64_t end) {
  if (value >= 0 && value < end)
    return success();
  return emitOptionalError(location, "expected ", name, " in the range [0, ", end, "), found ",
                           value);
}

LogicalResult checkAllInRange(OptionalLocation location, StringRef name, ArrayRef<int64_t> values,
                              int64_t end) {
  for (int64_t value : values)
    if (failed(checkInRange(location, name, value, end)))
      return failure();
  return success();
}

LogicalResult checkDistinct(OptionalLocation location, StringRef name, ArrayRef<int64_t> values) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t value : values)
    if (!seen.insert(value).second)
      return emitOptionalError(location, "expected distinct values in ", name, ", found ", value,
                               " twice");
  return success();
}

LogicalResult checkSorted(OptionalLocation location, StringRef name, ArrayRef<int64_t> values) {
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i - 1] > values[i])
      return emitOptionalError(location, "expected ", name, " in ascending order, found ",
                               values[i - 1], " before ", values[i]);
  return success();
}

LogicalResult checkCount(OptionalLocation location, StringRef name, size_t count,
                         size_t expected) {
  if (count == expected)
    return success();
  return emitOptionalError(location, "expected ", name, " of ", expected, " entries, found ",
                           count);
}

LogicalResult checkPrecision(OptionalLocation location, std::optional<ArrayAttr> precision) {
  // Existing programs give one entry for both operands.
  if (!precision || precision->size() <= 2)
    return success();
  return emitOptionalError(location, "expected precision_config of at most 2 entries, found ",
                           precision->size());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

LogicalResult collectWindow(OptionalLocation location, ArrayRef<int64_t> sizes,
                            std::optional<ArrayRef<int64_t>> strides,
                            std::optional<DenseIntElementsAttr> padding,
                            std::optional<ArrayRef<int64_t>> baseDilations,
                            std::optional<ArrayRef<int64_t>> windowDilations,
                            SmallVectorImpl<WindowDimension> &window) {
  auto check = [&](StringRef name, ArrayRef<int64_t> values) -> LogicalResult {
    if (failed(checkCount(location, name, values.size(), sizes.size())))
      return failure();
    for (auto [i, value] : llvm::enumerate(values))
      if (value <= 0)
        return emitOptionalError(location, "expected positive ", name, ", found ", value,
                                 " for dimension ", i);
    return success();
  };
  // An empty list means the default.
  auto isEmpty = [](const std::optional<ArrayRef<int64_t>> &values) {
    return values && values->empty();
  };
  if (isEmpty(strides))
    strides.reset();
  if (isEmpty(baseDilations))
    baseDilations.reset();
  if (isEmpty(windowDilations))
    windowDilations.reset();
  if (padding && padding->getType().getRank() == 2 && padding->getType().getDimSize(0) == 0)
    padding.reset();
  if (failed(check("window dimensions", sizes)) ||
      (strides && failed(check("window strides", *strides))) ||
      (baseDilations && failed(check("base dilations", *baseDilations))) ||
      (windowDilations && failed(check("window dilations", *windowDilations))))
    return failure();
  SmallVector<int64_t> pads;
  if (padding) {
    ArrayRef<int64_t> shape = padding->getType().getShape();
    if (shape.size() != 2 || shape[1] != 2) {
      if (!location)
        return failure();
      InFlightDiagnostic error = emitError(*location);
      error << "expected padding of shape [" << sizes.size() << ", 2], found [";
      llvm::interleaveComma(shape, error);
      return error << "]";
    }
    if (failed(checkCount(location, "padding", shape[0], sizes.size())))
      return failure();
    llvm::append_range(pads, padding->getValues<int64_t>());
  }
  window.resize(sizes.size());
  for (size_t i = 0; i != sizes.size(); ++i) {
    window[i].size = sizes[i];
    if (strides)
      window[i].stride = (*strides)[i];
    if (baseDilations)
      window[i].baseDilation = (*baseDilations)[i];
    if (windowDilations)
      window[i].windowDilation = (*windowDilations)[i];
    if (padding) {
      window[i].paddingLow = pads[2 * i];
      window[i].paddingHigh = pads[2 * i + 1];
    }
  }
  return success();
}

static int64_t dilate(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

Dimension windowPositions(Dimension base, const WindowDimension &window) {
  auto positions = [&](int64_t size) -> int64_t {
    if (isDynamic(size) || isDynamic(window.size))
      return dynamic;
    int64_t padded = dilate(size, window.baseDilation) + window.paddingLow + window.paddingHigh;
    int64_t extent = dilate(window.size, window.windowDilation);
    return padded < extent || padded <= 0 ? 0 : (padded - extent) / window.stride + 1;
  };
  Dimension result;
  result.size = positions(base.size);
  if (isDynamic(result.size))
    result.bound = positions(base.bound);
  return result;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  auto fromQuantized = dyn_cast<quant::QuantizedType>(from);
  auto toQuantized = dyn_cast<quant::QuantizedType>(to);
  if (fromQuantized && toQuantized)
    return isPromotable(fromQuantized.getStorageType(), toQuantized.getStorageType()) &&
           fromQuantized.getExpressedType() == toQuantized.getExpressedType();
  if (auto fromComplex = dyn_cast<ComplexType>(from)) {
    auto toComplex = dyn_cast<ComplexType>(to);
    return toComplex && isPromotable(fromComplex.getElementType(), toComplex.getElementType());
  }
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
  auto fromInteger = dyn_cast<IntegerType>(from), toInteger = dyn_cast<IntegerType>(to);
  if (!fromInteger || !toInteger || fromInteger.getSignedness() != toInteger.getSignedness())
    return false;
  // Booleans are not numbers.
  return !from.isInteger(1) && fromInteger.getWidth() <= toInteger.getWidth();
}

TypeRange returnedTypes(Region &region) {
  if (region.empty() || region.front().empty())
    return {};
  return region.front().back().getOperandTypes();
}

SmallVector<Type> reducerElements(Block &body) {
  SmallVector<Type> elements;
  for (Type type : body.getTerminator()->getOperandTypes())
    elements.push_back(getElementTypeOrSelf(type));
  return elements;
}

LogicalResult checkReducer(OptionalLocation location, Region &region,
                           ArrayRef<RankedTensorType> inputs, ArrayRef<RankedTensorType> inits,
                           ArrayRef<int64_t> dimensions) {
  if (region.empty() || region.front().empty())
    return emitOptionalError(location, "expected a reduction region with a terminator, found none");
  Block &block = region.front();
  size_t count = inputs.size();
  if (block.getNumArguments() != 2 * count)
    return emitOptionalError(location, "expected a reduction region of ", 2 * count,
                             " parameters, found ", block.getNumArguments());
  TypeRange returned = block.back().getOperandTypes();
  if (returned.size() != count)
    return emitOptionalError(location, "expected a reduction region that returns ", count,
                             " tensors, found ", returned.size());
  for (size_t i = 0; i != count; ++i) {
    auto result = dyn_cast<RankedTensorType>(returned[i]);
    if (!result)
      return emitOptionalError(location, "expected a reduction region that returns tensors, found ",
                               returned[i], " at index ", i);
    auto accumulator = dyn_cast<RankedTensorType>(block.getArgument(i).getType());
    auto value = dyn_cast<RankedTensorType>(block.getArgument(count + i).getType());
    if (!accumulator || !areCompatibleTypes(accumulator, result))
      return emitOptionalError(location, "expected parameter ", i,
                               " of the reduction region to have the type of its result, ", result,
                               ", found ", block.getArgument(i).getType());
    if (!value || !areCompatibleElements(value.getElementType(), result.getElementType()))
      return emitOptionalError(location, "expected parameter ", count + i,
                               " of the reduction region to have the element type of its result, ",
                               result.getElementType(), ", found ",
                               block.getArgument(count + i).getType());
    if (!areCompatibleTypes(withElement(result, inits[i].getElementType()), inits[i]))
      return emitOptionalError(location, "expected result ", i,
                               " of the reduction region to have the shape of the initial value, ",
                               inits[i], ", found ", result);
    if (!isPromotable(inits[i].getElementType(), result.getElementType()))
      return emitOptionalError(location, "expected result ", i, " of the reduction region, ",
                               result, ", to be promotable from the initial value's ",
                               inits[i].getElementType());
    if (!isPromotable(inputs[i].getElementType(), value.getElementType()))
      return emitOptionalError(location, "expected parameter ", count + i,
                               " of the reduction region, ", value,
                               ", to be promotable from the input's ", inputs[i].getElementType());
    // Dimensions that are not reduced may be kept in the region, in order.
    size_t next = 0;
    for (int64_t size : value.getShape()) {
      while (next != dimensions.size() && !compatible(dimensions[next], size))
        ++next;
      if (next == dimensions.size())
        return emitOptionalError(location, "expected the shape of parameter ", count + i,
                                 " of the reduction region, ", value,
                                 ", to be drawn in order from the dimensions that are not reduced");
      ++next;
    }
  }
  return success();
}

LogicalResult checkComparator(OptionalLocation location, StringRef name, Region &region,
                              ArrayRef<RankedTensorType> inputs) {
  if (region.empty() || region.front().empty())
    return emitOptionalError(location, "expected a ", name, " with a terminator, found none");
  Block &block = region.front();
  if (block.getNumArguments() != 2 * inputs.size())
    return emitOptionalError(location, "expected a ", name, " of ", 2 * inputs.size(),
                             " parameters, found ", block.getNumArguments());
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type expected = RankedTensorType::get({}, inputs[i / 2].getElementType());
    if (argument.getType() != expected)
      return emitOptionalError(location, "expected parameter ", i, " of the ", name, " to be ",
                               expected, ", found ", argument.getType());
  }
  TypeRange returned = block.back().getOperandTypes();
  if (returned.size() != 1)
    return emitOptionalError(location, "expected a ", name, " that returns 1 value, found ",
                             returned.size());
  auto type = dyn_cast<RankedTensorType>(returned[0]);
  if (!type || type.getRank() != 0 || !type.getElementType().isInteger(1))
    return emitOptionalError(location, "expected a ", name, " that returns tensor<i1>, found ",
                             returned[0]);
  return success();
}

} // namespace strata::stablehlo
