// Constants and iota: text form, folding, type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/constant_iota.h.inc"



#define GET_OP_CLASSES
#include "stablehlo/ops/constant_iota.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &, OperationState &state, Attribute value) {
  ElementsAttr elements = dyn_cast<ElementsAttr>(value);
  if (!elements) {
    auto typed = cast<TypedAttr>(value);
    elements = DenseElementsAttr::get(RankedTensorType::get({}, typed.getType()), value);
  }
  state.getOrAddProperties<Properties>().value = elements;
  state.addTypes(elements.getShapedType());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), isa<IntegerType>(getType().getElementType()) ? "c" : "cst");
}

/// `dense<…> : type`, or `() <{value = …}> : () -> type` when the type of the
/// value is not that of the result, as with quantized constants.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (failed(parser.parseOptionalLParen())) {
    if (parser.parseOptionalAttrDict(state.attributes) ||
        parser.parseCustomAttributeWithFallback(value, Type()))
      return failure();
    state.getOrAddProperties<Properties>().value = value;
    state.addTypes(value.getShapedType());
    return success();
  }
  NamedAttrList properties;
  if (parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalLess()))
    if (parser.parseOptionalAttrDict(properties) || parser.parseGreater())
      return failure();
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function || function.getNumInputs() != 0 || function.getNumResults() != 1)
    return parser.emitError(location, "expected a function type of 0 operands and 1 result, found ")
           << type;
  Attribute given = properties.get("value");
  if (!given)
    given = state.attributes.erase("value");
  value = dyn_cast_or_null<ElementsAttr>(given);
  if (!value)
    return parser.emitError(location, "expected an elements attribute 'value'");
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(function.getResults());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getShapedType() == getType()) {
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " " << getValue();
    return;
  }
  printer << "() <{value = " << getValue() << "}>";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " : () -> " << getType();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *context, OptionalLocation location,
                                           ValueRange operands, DictionaryAttr attributes,
                                           OpaqueProperties properties, RegionRange regions,
                                           SmallVectorImpl<Type> &types) {
  // constant_c1
  Adaptor adaptor(operands, attributes, properties, regions);
  types.push_back(adaptor.getValue().getShapedType());
  return success();
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange left, TypeRange right) {
  if (left.size() != 1 || right.size() != 1)
    return false;
  auto value = dyn_cast<RankedTensorType>(left[0]), result = dyn_cast<RankedTensorType>(right[0]);
  if (!value || !result)
    return false;
  if (auto quantized = dyn_cast<quant::QuantizedType>(result.getElementType()))
    if (value.getElementType() == quantized.getStorageType())
      return value.getShape() == result.getShape();
  return areCompatibleTypes(value, result);
}

LogicalResult IotaOp::verify() {
  // iota_c1
  return checkInRange(getLoc(), "iota_dimension", getIotaDimension(), getType().getRank());
}

void StableHLODialect::addConstantIotaOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/constant_iota.cpp.inc"
      >();
}

} // namespace strata::stablehlo
