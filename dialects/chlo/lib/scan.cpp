// A loop over one dimension that carries values: text form and checks.

#include "chlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/scan.h.inc"

#define GET_OP_CLASSES
#include "chlo/ops/scan.cpp.inc"

namespace strata::chlo {

void CHLODialect::addScanOps() {
  addOperations<
#define GET_OP_LIST
#include "chlo/ops/scan.cpp.inc"
      >();
}

// Results are printed without names, the body's parameters with the names of
// what they are.
void ScanOp::getAsmResultNames(OpAsmSetValueNameFn) {}

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

// `chlo.scan(%x) inits (%i) dimension=0 attributes {…} { body } : types`
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  IntegerAttr dimension;
  Type i64 = parser.getBuilder().getI64Type();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseAttribute(dimension, i64))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.dimension = dimension;
  NamedAttrList attributes;
  if (parser.parseOptionalAttrDictWithKeyword(attributes))
    return failure();
  // Inherent attributes go to the properties, the rest are discardable.
  for (NamedAttribute attribute : attributes)
    state.addAttribute(attribute.getName(), attribute.getValue());
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseRegion(*state.addRegion()) || parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != inputs.size() + inits.size())
    return parser.emitError(location, "expected ")
           << inputs.size() + inits.size() << " operand types, found " << type.getNumInputs();
  if (type.getNumResults() < inits.size())
    return parser.emitError(location, "expected at least ")
           << inits.size() << " result types, found " << type.getNumResults();
  if (parser.resolveOperands(inputs, type.getInputs().take_front(inputs.size()), location,
                             state.operands) ||
      parser.resolveOperands(inits, type.getInputs().drop_front(inputs.size()), location,
                             state.operands))
    return failure();
  state.addTypes(type.getResults());
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(inputs.size()),
                               static_cast<int32_t>(inits.size())},
             properties.operandSegmentSizes.begin());
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(type.getNumResults() - inits.size()),
                               static_cast<int32_t>(inits.size())},
             properties.resultSegmentSizes.begin());
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << "(";
  printer.printOperands(getInputs());
  printer << ") inits (";
  printer.printOperands(getInits());
  printer << ") dimension=" << getDimension() << " ";
  SmallVector<StringRef> elided = {"dimension", "operandSegmentSizes", "resultSegmentSizes"};
  if (!getIsReverse())
    elided.push_back("is_reverse");
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  printer << " ";
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(getOperation());
}

/// The type without dimension `dim`.
static Type sliceType(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult ScanOp::verify() {
  Block &body = getBody().front();
  unsigned inputs = getInputs().size(), carries = getInits().size(), outputs = getOutputs().size();
  int64_t dim = getDimension();
  if (body.getNumArguments() != inputs + carries)
    return emitOpError("expected a body of ")
           << inputs + carries << " arguments, found " << body.getNumArguments();
  std::optional<int64_t> size;
  if (getScanDimSize())
    size = *getScanDimSize();
  auto check = [&](Value value, StringRef what, unsigned index) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return success();
    if (dim >= type.getRank())
      return emitOpError("expected a dimension below the rank of ")
             << what << " " << index << ", found " << dim << " for rank " << type.getRank();
    int64_t found = type.getDimSize(dim);
    if (size && !ShapedType::isDynamic(found) && found != *size)
      return emitOpError("expected scan dimension size ")
             << *size << " in " << what << " " << index << ", found " << found;
    if (!size && !ShapedType::isDynamic(found))
      size = found;
    return success();
  };
  for (auto [index, value] : llvm::enumerate(getInputs()))
    if (failed(check(value, "input", index)))
      return failure();
  for (auto [index, value] : llvm::enumerate(getOutputs()))
    if (failed(check(value, "output", index)))
      return failure();
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    Value operand = getOperand(index);
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    Type expected = index < inputs && type ? sliceType(type, dim) : operand.getType();
    if (!stablehlo::areCompatibleTypes(expected, argument.getType()))
      return emitOpError("expected body argument ")
             << index << " of type " << expected << ", found " << argument.getType();
  }
  Operation *terminator = body.getTerminator();
  if (terminator->getNumOperands() != outputs + carries)
    return emitOpError("expected a body that returns ")
           << outputs + carries << " values, found " << terminator->getNumOperands();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    Value result = getResult(index);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    Type expected = index < outputs && type ? sliceType(type, dim) : result.getType();
    if (!stablehlo::areCompatibleTypes(expected, value.getType()))
      return emitOpError("expected returned value ")
             << index << " of type " << expected << ", found " << value.getType();
  }
  return success();
}

} // namespace strata::chlo
