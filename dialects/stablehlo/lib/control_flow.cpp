// Control flow: text form, type inference and checks.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.h.inc"



#define GET_OP_CLASSES
#include "stablehlo/ops/control_flow.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

// while(%iterArg = %a, %iterArg_0 = %b) : type, type attributes {…}
// cond {
//   …
// } do {
//   …
// }
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseBinding = [&]() {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseBinding))
    return failure();
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalColon())) {
    Type first;
    if (parser.parseType(first))
      return failure();
    if (auto function = dyn_cast<FunctionType>(first)) {
      llvm::append_range(types, function.getInputs());
      state.addTypes(function.getResults());
    } else {
      types.push_back(first);
      while (succeeded(parser.parseOptionalComma()))
        if (parser.parseType(types.emplace_back()))
          return failure();
      state.addTypes(types);
    }
  }
  if (types.size() != operands.size())
    return parser.emitError(location, "expected ")
           << operands.size() << " types, one for each operand, found " << types.size();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  Region *cond = state.addRegion(), *body = state.addRegion();
  return failure(parser.resolveOperands(operands, types, location, state.operands) ||
                 parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseKeyword("cond") || parser.parseRegion(*cond, arguments) ||
                 parser.parseKeyword("do") || parser.parseRegion(*body, arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  auto arguments = getCond().getArguments();
  printer << "(";
  llvm::interleaveComma(llvm::zip(arguments, getOperand()), printer, [&](auto binding) {
    printer << std::get<0>(binding) << " = " << std::get<1>(binding);
  });
  printer << ")";
  if (getNumOperands() != 0) {
    printer << " : ";
    if (getOperandTypes() == getResultTypes())
      llvm::interleaveComma(getOperandTypes(), printer);
    else
      printer.printFunctionalType(*this);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  // Both regions name the loop's values alike.
  if (getBody().getNumArguments() == arguments.size())
    printer.shadowRegionArgs(getBody(), ValueRange(arguments));
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// If and case
//===----------------------------------------------------------------------===//

/// A type that includes what each branch yields: a dimension that differs or
/// is dynamic in one of them is dynamic, and bounded when all are.
static Type typeOfEither(Type left, Type right) {
  auto leftTensor = dyn_cast<RankedTensorType>(left);
  auto rightTensor = dyn_cast<RankedTensorType>(right);
  if (!leftTensor || !rightTensor || left == right)
    return left;
  Shape shape;
  for (auto [a, b] : llvm::zip(shapeOf(leftTensor), shapeOf(rightTensor))) {
    if (a.isStatic() && a.size == b.size) {
      shape.push_back(a);
      continue;
    }
    bool bounded = !isDynamic(a.limit()) && !isDynamic(b.limit());
    shape.push_back({dynamic, bounded ? std::max(a.limit(), b.limit()) : dynamic});
  }
  return tensorOf(shape, leftTensor.getElementType());
}

/// Whether both are tensors of one rank and element, or equal.
static bool branchesAgree(Type left, Type right) {
  if (areCompatibleTypes(left, right))
    return true;
  auto leftTensor = dyn_cast<RankedTensorType>(left);
  auto rightTensor = dyn_cast<RankedTensorType>(right);
  if (!leftTensor || !rightTensor || leftTensor.getRank() != rightTensor.getRank() ||
      !areCompatibleElements(leftTensor.getElementType(), rightTensor.getElementType()))
    return false;
  return succeeded(verifyCompatibleShape(leftTensor, rightTensor));
}

static LogicalResult inferBranches(OptionalLocation location, RegionRange branches,
                                   SmallVectorImpl<Type> &types) {
  // case_c1
  if (branches.empty())
    return emitOptionalError(location, "expected at least one branch, found none");
  for (auto [i, branch] : llvm::enumerate(branches)) {
    // case_c2, if_c1
    if (branch->empty() || branch->front().getNumArguments() != 0)
      return emitOptionalError(location, "expected branch ", i, " to have no parameters, found ",
                               branch->empty() ? 0 : branch->front().getNumArguments());
    // case_c3, if_c2
    TypeRange returned = returnedTypes(*branch);
    if (i == 0) {
      llvm::append_range(types, returned);
      continue;
    }
    bool agree = returned.size() == types.size();
    for (size_t j = 0; agree && j != types.size(); ++j)
      agree = branchesAgree(types[j], returned[j]);
    if (!agree)
      return emitOptionalError(location, "expected branch ", i, " to return types of branch 0, ",
                               returnedTypes(*branches[0]), ", found ", returned);
    for (size_t j = 0; j != types.size(); ++j)
      types[j] = typeOfEither(types[j], returned[j]);
  }
  return success();
}

LogicalResult CaseOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (tensorType(adaptor.getIndex()).getRank() != 0)
    return emitOptionalError(location, "expected index to be a scalar, found ",
                             adaptor.getIndex().getType());
  // case_c4
  return inferBranches(location, adaptor.getRegions(), types);
}

LogicalResult IfOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                     Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (tensorType(adaptor.getPred()).getRank() != 0)
    return emitOptionalError(location, "expected pred to be a scalar, found ",
                             adaptor.getPred().getType());
  // if_c3
  return inferBranches(location, adaptor.getRegions(), types);
}

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

LogicalResult WhileOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  // while_c3
  llvm::append_range(types, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult WhileOp::verify() {
  TypeRange operands = getOperandTypes();
  auto check = [&](StringRef name, TypeRange found) -> LogicalResult {
    if (areCompatibleTypes(operands, found))
      return success();
    return emitOpError("expected ") << name << " compatible with the operands " << operands
                                    << ", found " << found;
  };
  // while_c1
  if (failed(check("condition parameters", getCond().getArgumentTypes())))
    return failure();
  TypeRange condition = returnedTypes(getCond());
  if (condition.size() != 1)
    return emitOpError("expected a condition that returns 1 value, found ") << condition.size();
  auto boolean = dyn_cast<RankedTensorType>(condition[0]);
  if (!boolean || boolean.getRank() != 0 || !boolean.getElementType().isInteger(1))
    return emitOpError("expected a condition that returns tensor<i1>, found ") << condition[0];
  // while_c2
  if (failed(check("body parameters", getBody().getArgumentTypes())) ||
      failed(check("body results", returnedTypes(getBody()))))
    return failure();
  return success();
}

void StableHLODialect::addControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/control_flow.cpp.inc"
      >();
}

} // namespace strata::stablehlo
