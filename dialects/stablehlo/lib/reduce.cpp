// Reduction: text form, type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/reduce.h.inc"



#define GET_OP_CLASSES
#include "stablehlo/ops/reduce.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Reduce: text form
//===----------------------------------------------------------------------===//

/// The scalar type that a compact reducer works on.
static RankedTensorType scalarOf(Type type) {
  return RankedTensorType::get({}, getElementTypeOrSelf(type));
}

/// The only operation of the body, if naming it says everything: it is
/// commutative, takes the two arguments in order, has no attributes, and its
/// type follows from the first input.
static Operation *compactReducer(ReduceOp op) {
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 || !llvm::hasSingleElement(op.getBody()))
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return nullptr;
  Operation &inner = block.front();
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || terminator->getNumOperands() != 1 || inner.getNumResults() != 1 ||
      terminator->getOperand(0) != inner.getResult(0) || !terminator->getAttrs().empty())
    return nullptr;
  Type scalar = scalarOf(op.getOperand(0).getType());
  if (!isa_and_nonnull<StableHLODialect>(inner.getDialect()) || inner.getNumRegions() != 0 ||
      !inner.hasTrait<OpTrait::IsCommutative>() || inner.getNumOperands() != 2 ||
      inner.getOperand(0) != block.getArgument(0) || inner.getOperand(1) != block.getArgument(1) ||
      inner.getResult(0).getType() != scalar || !inner.getAttrs().empty())
    return nullptr;
  for (Value operand : inner.getOperands())
    if (operand.getType() != scalar)
      return nullptr;
  return &inner;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t inputs = getInputs().size();
  for (size_t i = 0; i != inputs; ++i)
    printer << (i ? ", (" : "(") << getInputs()[i] << " init: " << getInitValues()[i] << ")";
  Operation *inner = compactReducer(*this);
  if (inner) {
    printer << " applies ";
    printer.printKeywordOrString(inner->getName().getStringRef());
  }
  printer << " across dimensions = ";
  printDimensionList(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner || getBody().empty())
    return;
  // Arguments are grouped by operand: the left one, then the right one.
  printer.printNewline();
  printer << " reducer";
  auto arguments = getBody().getArguments();
  size_t half = arguments.size() / 2;
  for (size_t i = 0; i != half; ++i) {
    printer << (i ? " (" : "(");
    printer.printRegionArgument(arguments[i]);
    printer << ", ";
    printer.printRegionArgument(arguments[i + half]);
    printer << ")";
  }
  printer << "  ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Builds the body that `applies` stands for.
static ParseResult buildCompactReducer(OpAsmParser &parser, SMLoc location, StringRef name,
                                       Type input, Location bodyLocation, Region &body) {
  OperationName innerName(name, parser.getContext());
  if (!innerName.isRegistered() || !isa<StableHLODialect>(innerName.getDialect()) ||
      !innerName.hasTrait<OpTrait::IsCommutative>())
    return parser.emitError(location, "expected a commutative operation of stablehlo, found '")
           << name << "'";
  Type scalar = scalarOf(input);
  Block &block = body.emplaceBlock();
  block.addArguments({scalar, scalar}, {bodyLocation, bodyLocation});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState inner(bodyLocation, innerName);
  inner.addOperands(block.getArguments());
  inner.addTypes(scalar);
  Operation *op = builder.create(inner);
  ReturnOp::create(builder, bodyLocation, op->getResults());
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  llvm::append_range(operands, inits);

  SMLoc nameLocation = parser.getCurrentLocation();
  std::string reducer;
  bool compact = succeeded(parser.parseOptionalKeyword("applies"));
  if (compact) {
    nameLocation = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&reducer))
      return failure();
  }
  SmallVector<int64_t> dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseDimensionList(parser, dimensions) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (parser.resolveOperands(operands, type.getInputs(), location, state.operands))
    return failure();
  state.addTypes(type.getResults());
  state.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  Region *body = state.addRegion();

  if (compact) {
    // The body has the location of the whole operation, which must be known
    // before the body is built.
    std::optional<Location> given;
    if (failed(parser.parseOptionalLocationSpecifier(given)))
      return failure();
    if (given)
      state.location = *given;
    return buildCompactReducer(parser, nameLocation, reducer, type.getInput(0), state.location,
                               *body);
  }
  SmallVector<OpAsmParser::Argument> left, right;
  auto parseArgument = [&](OpAsmParser::Argument &argument) {
    return ParseResult(failure(
        parser.parseArgument(argument, /*allowType=*/true) ||
        failed(parser.parseOptionalLocationSpecifier(argument.sourceLoc))));
  };
  if (parser.parseKeyword("reducer"))
    return failure();
  while (succeeded(parser.parseOptionalLParen()))
    if (parseArgument(left.emplace_back()) || parser.parseComma() ||
        parseArgument(right.emplace_back()) || parser.parseRParen())
      return failure();
  llvm::append_range(left, right);
  return parser.parseRegion(*body, left);
}

//===----------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------===//

LogicalResult MapOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // map_c1, map_c2
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "expected at least one input, found none");
  RankedTensorType first = tensorType(adaptor.getInputs()[0]);
  for (Value input : adaptor.getInputs())
    if (failed(verifyCompatibleShape(first, input.getType())))
      return emitOptionalError(location, "expected inputs of one shape, found ", first, " and ",
                               input.getType());
  // map_c3
  for (auto [i, dimension] : llvm::enumerate(adaptor.getDimensions()))
    if (dimension != static_cast<int64_t>(i))
      return emitOptionalError(location, "expected dimensions 0, 1, 2 and so on, found ", dimension,
                               " at index ", i);
  if (failed(checkCount(location, "dimensions", adaptor.getDimensions().size(), first.getRank())))
    return failure();
  // map_c4
  Region &region = adaptor.getComputation();
  if (region.empty() || region.front().empty())
    return emitOptionalError(location, "expected a computation with a terminator, found none");
  Block &block = region.front();
  if (block.getNumArguments() != adaptor.getInputs().size())
    return emitOptionalError(location, "expected a computation of ", adaptor.getInputs().size(),
                             " parameters, found ", block.getNumArguments());
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type expected =
        RankedTensorType::get({}, tensorType(adaptor.getInputs()[i]).getElementType());
    if (argument.getType() != expected)
      return emitOptionalError(location, "expected parameter ", i, " of the computation to be ",
                               expected, ", found ", argument.getType());
  }
  TypeRange returned = returnedTypes(region);
  if (returned.size() != 1)
    return emitOptionalError(location, "expected a computation that returns 1 value, found ",
                             returned.size());
  auto scalar = dyn_cast<RankedTensorType>(returned[0]);
  if (!scalar || scalar.getRank() != 0)
    return emitOptionalError(location, "expected a computation that returns a scalar, found ",
                             returned[0]);
  types.push_back(withElement(first, scalar.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// Checks inputs and dimensions, and collects the dimensions that are kept.
static LogicalResult keptDimensions(OptionalLocation location,
                                    ArrayRef<RankedTensorType> inputs,
                                    ArrayRef<int64_t> dimensions, Shape &kept) {
  // reduce_c3
  if (inputs.empty())
    return emitOptionalError(location, "expected at least one input, found none");
  // reduce_c1
  for (RankedTensorType input : inputs)
    if (failed(verifyCompatibleShape(inputs[0], input)))
      return emitOptionalError(location, "expected inputs of one shape, found ", inputs[0], " and ",
                               input);
  // reduce_c4, reduce_c5
  if (failed(checkAllInRange(location, "dimensions", dimensions, inputs[0].getRank())) ||
      failed(checkDistinct(location, "dimensions", dimensions)))
    return failure();
  for (auto [i, dimension] : llvm::enumerate(shapeOf(inputs[0])))
    if (!llvm::is_contained(dimensions, i))
      kept.push_back(dimension);
  return success();
}

static SmallVector<int64_t> sizesOf(ArrayRef<Dimension> shape) {
  return llvm::map_to_vector(shape, [](const Dimension &dimension) { return dimension.size; });
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  SmallVector<RankedTensorType> inputs = tensorTypes(adaptor.getInputs());
  Shape kept;
  if (failed(keptDimensions(location, inputs, adaptor.getDimensions(), kept)) ||
      // reduce_c2, reduce_c6
      failed(checkReducer(location, adaptor.getBody(), inputs,
                          tensorTypes(adaptor.getInitValues()), sizesOf(kept))))
    return failure();
  // reduce_c7, reduce_c8
  for (Type element : reducerElements(adaptor.getBody().front()))
    types.push_back(tensorOf(kept, element));
  return success();
}

void StableHLODialect::addReduceOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/reduce.cpp.inc"
      >();
}

} // namespace strata::stablehlo
