// What op traits check, and when operations may be executed speculatively.

#include "stablehlo/dialect.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace strata::stablehlo {

LogicalResult mostSpecificType(std::optional<Location> location, TypeRange types, Type &result) {
  if (types.empty())
    return emitOptionalError(location, "expected at least one operand to infer a type from");
  auto first = dyn_cast<RankedTensorType>(types.front());
  for (Type type : types.drop_front())
    if (!areCompatibleTypes(types.front(), type))
      return emitOptionalError(location, "expected operands of compatible types, found ",
                               types.front(), " and ", type);
  if (!first || types.size() == 1) {
    result = types.front();
    return success();
  }
  // A static dimension says more than a bound, and a bound more than nothing.
  SmallVector<int64_t> shape(first.getShape());
  SmallVector<int64_t> bounds(shape.size(), ShapedType::kDynamic);
  for (Type type : types) {
    ArrayRef<int64_t> typeBounds = boundsOf(type);
    for (auto [i, size] : llvm::enumerate(cast<RankedTensorType>(type).getShape())) {
      if (!ShapedType::isDynamic(size))
        shape[i] = size;
      if (!typeBounds.empty() && !ShapedType::isDynamic(typeBounds[i]))
        bounds[i] = ShapedType::isDynamic(bounds[i]) ? typeBounds[i]
                                                     : std::min(bounds[i], typeBounds[i]);
    }
  }
  bool bounded = false;
  for (auto [size, bound] : llvm::zip(shape, bounds)) {
    if (!ShapedType::isDynamic(size))
      bound = ShapedType::kDynamic;
    bounded |= !ShapedType::isDynamic(bound);
  }
  Attribute encoding = first.getEncoding();
  if (bounded)
    encoding = BoundsAttr::get(first.getContext(), bounds);
  else if (isa_and_nonnull<BoundsAttr>(encoding))
    encoding = {};
  result = RankedTensorType::get(shape, first.getElementType(), encoding);
  return success();
}

namespace detail {

LogicalResult verifyCompatibleTypes(Operation *op) {
  Type expected = op->getNumResults() ? op->getResult(0).getType()
                  : op->getNumOperands() ? op->getOperand(0).getType()
                                         : Type();
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                            llvm::to_vector(op->getResultTypes())))
    if (!areCompatibleTypes(type, expected))
      return op->emitOpError("requires compatible types for all operands and results: expected ")
             << expected << ", found " << type;
  return success();
}

LogicalResult verifyCompatibleElements(Operation *op, bool withResults) {
  if (op->getNumOperands() == 0)
    return success();
  Type expected = getElementTypeOrSelf(op->getOperand(0).getType());
  auto check = [&](Type type) -> LogicalResult {
    Type element = getElementTypeOrSelf(type);
    if (areCompatibleElements(element, expected))
      return success();
    return op->emitOpError("requires compatible element types for all operands")
           << (withResults ? " and results" : "") << ": expected " << expected << ", found "
           << element;
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  if (withResults)
    for (Type type : op->getResultTypes())
      if (failed(check(type)))
        return failure();
  return success();
}

/// Compares the types of all operands and results with the first.
static LogicalResult compareTypes(Operation *op, StringRef what,
                                  function_ref<bool(Type, Type)> agree) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : llvm::drop_begin(types, types.empty() ? 0 : 1))
    if (!agree(types.front(), type))
      return op->emitOpError("expected one ")
             << what << " of operands and results, found " << types.front() << " and " << type;
  return success();
}

LogicalResult verifyCompatibleShapes(Operation *op) {
  return compareTypes(op, "shape", [](Type left, Type right) {
    return succeeded(verifyCompatibleShape(left, right));
  });
}

LogicalResult verifySameElements(Operation *op) {
  return compareTypes(op, "element type", [](Type left, Type right) {
    return getElementTypeOrSelf(left) == getElementTypeOrSelf(right);
  });
}

LogicalResult verifyPairs(Operation *op, bool elementsOnly) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError("requires as many operands as results: found ")
           << op->getNumOperands() << " operands and " << op->getNumResults() << " results";
  for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i) {
    Type operand = op->getOperand(i).getType(), result = op->getResult(i).getType();
    if (elementsOnly) {
      operand = getElementTypeOrSelf(operand);
      result = getElementTypeOrSelf(result);
    }
    if (operand != result)
      return op->emitOpError("requires the same ")
             << (elementsOnly ? "element type" : "type") << " for operand and result at index " << i
             << ": found " << operand << " and " << result;
  }
  return success();
}

static bool hasStaticShape(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || shaped.hasStaticShape();
}

Speculation::Speculatability speculatableIfInputsStatic(Operation *op, bool recursive) {
  if (!llvm::all_of(op->getOperandTypes(), hasStaticShape))
    return Speculation::NotSpeculatable;
  return recursive ? Speculation::RecursivelySpeculatable : Speculation::Speculatable;
}

Speculation::Speculatability speculatableIfOutputDimsKnown(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto input = dyn_cast<RankedTensorType>(operand.getType());
    if (!input || input.hasStaticShape())
      continue;
    for (Type type : op->getResultTypes()) {
      auto output = dyn_cast<RankedTensorType>(type);
      if (!output || output.getRank() != input.getRank())
        return Speculation::NotSpeculatable;
      for (auto [in, out] : llvm::zip(input.getShape(), output.getShape()))
        if (ShapedType::isDynamic(in) && !ShapedType::isDynamic(out))
          return Speculation::NotSpeculatable;
    }
  }
  return Speculation::Speculatable;
}

} // namespace detail
} // namespace strata::stablehlo
