// Exchanges between devices on whole values, as Shardy's partitioner writes
// them, and the other operations that programs after propagation have: their
// text form, and what their axes must be.

#include "sdy/dialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "sdy/ops.h.inc"

namespace strata::sdy {

using Delimiter = AsmParser::Delimiter;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

// {"a", "b":(1)2}
ParseResult parseAxes(OpAsmParser &parser, ArrayAttr &axes) {
  SmallVector<Attribute> list;
  auto parseAxis = [&]() -> ParseResult {
    Attribute axis = AxisRefAttr::parse(parser, {});
    if (!axis)
      return failure();
    list.push_back(axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseAxis))
    return failure();
  axes = parser.getBuilder().getArrayAttr(list);
  return success();
}

void printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes, printer, [&](Attribute axis) {
    if (auto ref = dyn_cast<AxisRefAttr>(axis))
      ref.print(printer);
    else
      printer << axis;
  });
  printer << "}";
}

// [{"a"}, {}]
ParseResult parseAxisLists(OpAsmParser &parser, ArrayAttr &lists) {
  SmallVector<Attribute> all;
  auto parseList = [&]() -> ParseResult {
    ArrayAttr axes;
    if (parseAxes(parser, axes))
      return failure();
    all.push_back(axes);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseList))
    return failure();
  lists = parser.getBuilder().getArrayAttr(all);
  return success();
}

static void printList(OpAsmPrinter &printer, Operation *op, Attribute list) {
  if (auto axes = dyn_cast<ArrayAttr>(list))
    printAxes(printer, op, axes);
  else
    printer << list;
}

void printAxisLists(OpAsmPrinter &printer, Operation *op, ArrayAttr lists) {
  printer << "[";
  llvm::interleaveComma(lists, printer, [&](Attribute list) { printList(printer, op, list); });
  printer << "]";
}

// [{"a"}: 0->1], each as [axes, 0, 1]
ParseResult parseAxisMoves(OpAsmParser &parser, ArrayAttr &moves) {
  Builder builder = parser.getBuilder();
  SmallVector<Attribute> all;
  auto parseMove = [&]() -> ParseResult {
    ArrayAttr axes;
    int64_t from, to;
    if (parseAxes(parser, axes) || parser.parseColon() || parser.parseInteger(from) ||
        parser.parseArrow() || parser.parseInteger(to))
      return failure();
    Attribute move[] = {axes, builder.getI64IntegerAttr(from), builder.getI64IntegerAttr(to)};
    all.push_back(builder.getArrayAttr(move));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseMove))
    return failure();
  moves = builder.getArrayAttr(all);
  return success();
}

namespace {
/// Axes that leave one dimension for another.
struct Move {
  ArrayAttr axes;
  int64_t from, to;
};
} // namespace

static std::optional<Move> readMove(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list || list.size() != 3)
    return std::nullopt;
  auto axes = dyn_cast<ArrayAttr>(list[0]);
  auto from = dyn_cast<IntegerAttr>(list[1]), to = dyn_cast<IntegerAttr>(list[2]);
  if (!axes || !from || !to)
    return std::nullopt;
  return Move{axes, from.getInt(), to.getInt()};
}

void printAxisMoves(OpAsmPrinter &printer, Operation *op, ArrayAttr moves) {
  printer << "[";
  llvm::interleaveComma(moves, printer, [&](Attribute attribute) {
    std::optional<Move> move = readMove(attribute);
    if (!move) {
      printer << attribute;
      return;
    }
    printAxes(printer, op, move->axes);
    printer << ": " << move->from << "->" << move->to;
  });
  printer << "]";
}

static constexpr StringRef directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};

ParseResult parseDirection(OpAsmParser &parser, StringAttr &direction) {
  SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (!llvm::is_contained(directions, word))
    return parser.emitError(location, "expected NONE, FORWARD, BACKWARD or BOTH, found '")
           << word << "'";
  direction = parser.getBuilder().getStringAttr(word);
  return success();
}

void printDirection(OpAsmPrinter &printer, Operation *, StringAttr direction) {
  printer << direction.getValue();
}

// {sdy.sharding = …} dense<…> : tensor<…>
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseAttribute(value, "value", state.attributes))
    return failure();
  state.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " " << getValue();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult PropagationBarrierOp::verify() {
  if (llvm::is_contained(directions, getAllowedDirection()))
    return success();
  return emitOpError("expected allowed_direction NONE, FORWARD, BACKWARD or BOTH, found ")
         << getAllowedDirectionAttr();
}

LogicalResult ConstantOp::verify() {
  if (getValue().getType() == getType())
    return success();
  return emitOpError("expected a value of type ") << getType() << ", found "
                                                  << getValue().getType();
}

/// The axes of an attribute; an error where it is not a list of them.
static LogicalResult readAxes(Operation *op, Attribute attribute,
                              SmallVectorImpl<AxisRefAttr> &axes) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return op->emitOpError("expected a list of axes, found ") << attribute;
  for (Attribute entry : list) {
    auto axis = dyn_cast<AxisRefAttr>(entry);
    if (!axis)
      return op->emitOpError("expected an axis, found ") << entry;
    axes.push_back(axis);
  }
  return success();
}

/// The axes of each dimension.
static LogicalResult readLists(Operation *op, ArrayAttr attribute, TensorShardingAttr sharding,
                               SmallVectorImpl<SmallVector<AxisRefAttr>> &lists) {
  size_t rank = sharding.getDimensions().size();
  if (attribute.size() != rank)
    return op->emitOpError("expected axes of ")
           << rank << " dimensions, found " << attribute.size();
  SmallVector<AxisRefAttr> all;
  for (Attribute list : attribute) {
    if (failed(readAxes(op, list, lists.emplace_back())))
      return failure();
    llvm::append_range(all, lists.back());
  }
  return verifyAxes(op, sharding.getMeshOrRef(), all);
}

static bool splits(TensorShardingAttr sharding, AxisRefAttr axis) {
  return llvm::any_of(sharding.getDimensions(), [&](DimensionShardingAttr dimension) {
    return llvm::is_contained(dimension.getAxes(), axis);
  });
}

/// No dimension of the result is split along what is gathered or added.
static LogicalResult checkGone(Operation *op, TensorShardingAttr sharding,
                               ArrayRef<AxisRefAttr> axes) {
  for (AxisRefAttr axis : axes)
    if (splits(sharding, axis))
      return op->emitOpError("expected no dimension of out_sharding to be split along ")
             << axis.getName() << ", found " << sharding;
  return success();
}

/// A dimension of the result is split along `axes` last. Parts of axes may be one with those before them.
static LogicalResult checkLast(Operation *op, TensorShardingAttr sharding, int64_t dimension,
                               ArrayRef<AxisRefAttr> axes) {
  if (llvm::any_of(axes, [](AxisRefAttr axis) { return bool(axis.getSubAxisInfo()); }))
    return success();
  ArrayRef<AxisRefAttr> own = sharding.getDimensions()[dimension].getAxes();
  if (own.size() >= axes.size() && own.take_back(axes.size()) == axes)
    return success();
  return op->emitOpError("expected out_sharding to split dimension ")
         << dimension << " along the axes of the operation last, found " << sharding;
}

/// Lists of axes that dimensions are split along afterwards.
static LogicalResult checkSplitting(Operation *op, ArrayAttr attribute,
                                    TensorShardingAttr sharding) {
  SmallVector<SmallVector<AxisRefAttr>> lists;
  if (failed(verifySharding(op, sharding, op->getResult(0).getType())) ||
      failed(readLists(op, attribute, sharding, lists)))
    return failure();
  for (auto [dimension, axes] : llvm::enumerate(lists))
    if (failed(checkLast(op, sharding, dimension, axes)))
      return failure();
  return success();
}

/// Lists of axes that dimensions are not split along afterwards.
static LogicalResult checkGathering(Operation *op, ArrayAttr attribute,
                                    TensorShardingAttr sharding) {
  SmallVector<SmallVector<AxisRefAttr>> lists;
  if (failed(verifySharding(op, sharding, op->getResult(0).getType())) ||
      failed(readLists(op, attribute, sharding, lists)))
    return failure();
  for (ArrayRef<AxisRefAttr> axes : lists)
    if (failed(checkGone(op, sharding, axes)))
      return failure();
  return success();
}

static LogicalResult checkAxes(Operation *op, ArrayAttr attribute, TensorShardingAttr sharding) {
  SmallVector<AxisRefAttr> axes;
  if (failed(verifySharding(op, sharding, op->getResult(0).getType())) ||
      failed(readAxes(op, attribute, axes)) ||
      failed(verifyAxes(op, sharding.getMeshOrRef(), axes)))
    return failure();
  return checkGone(op, sharding, axes);
}

LogicalResult AllGatherOp::verify() {
  return checkGathering(*this, getGatheringAxes(), getOutSharding());
}

LogicalResult AllSliceOp::verify() {
  return checkSplitting(*this, getSlicingAxes(), getOutSharding());
}

LogicalResult ReduceScatterOp::verify() {
  return checkSplitting(*this, getReduceScatterAxes(), getOutSharding());
}

LogicalResult AllReduceOp::verify() {
  return checkAxes(*this, getReductionAxes(), getOutSharding());
}

LogicalResult ShardedToUnreducedOp::verify() {
  return checkGathering(*this, getAxes(), getOutSharding());
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  return checkAxes(*this, getAxes(), getOutSharding());
}

LogicalResult CollectivePermuteOp::verify() {
  return verifySharding(*this, getOutSharding(), getType());
}

LogicalResult AllToAllOp::verify() {
  TensorShardingAttr sharding = getOutSharding();
  if (failed(verifySharding(*this, sharding, getType())))
    return failure();
  int64_t rank = sharding.getDimensions().size();
  if (getParams().empty())
    return emitOpError("expected axes that leave a dimension for another, found none");
  for (Attribute attribute : getParams()) {
    std::optional<Move> move = readMove(attribute);
    if (!move)
      return emitOpError("expected axes and two dimensions, found ") << attribute;
    SmallVector<AxisRefAttr> axes;
    if (failed(readAxes(*this, move->axes, axes)) ||
        failed(verifyAxes(*this, sharding.getMeshOrRef(), axes)))
      return failure();
    for (int64_t dimension : {move->from, move->to})
      if (dimension < 0 || dimension >= rank)
        return emitOpError("expected dimensions below ") << rank << ", found " << dimension;
    if (move->from == move->to)
      return emitOpError("expected two dimensions, found ") << move->from << " twice";
    if (failed(checkLast(*this, sharding, move->to, axes)))
      return failure();
  }
  return success();
}

} // namespace strata::sdy
