// The narrow dialect: registration and verifiers.

#include "narrow/dialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#include "narrow/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "narrow/ops.cpp.inc"

namespace strata::narrow {

void NarrowDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "narrow/ops.cpp.inc"
      >();
}

/// Whether the elements of a lane of that name are floats.
static bool isFloatLane(StringRef lane) { return lane == "bf16" || lane == "f16"; }

/// The number of elements in a lane of that name; 0 for another name.
static int64_t elementsOf(StringRef lane) {
  if (lane == "s8" || lane == "u8")
    return 4;
  return lane == "s16" || isFloatLane(lane) ? 2 : 0;
}

/// The bits of integers of that name, of which a word has several; 0 for another name.
static int64_t bitsOf(StringRef from) {
  if (from == "s4" || from == "u4")
    return 4;
  return from == "s8" || from == "u8" ? 8 : 0;
}

LogicalResult WidenOp::verify() {
  if (bitsOf(getFrom()) == 0)
    return emitOpError("expected integers of s4, u4, s8 or u8, found ") << getFrom();
  return success();
}

LogicalResult ScaleOp::verify() {
  if (getParams().empty() || getParams().size() > 2)
    return emitOpError("expected a scale and at most a zero point");
  return success();
}

/// Lanes of these names with sums of that type.
template <typename Op>
static LogicalResult verifyLanes(Op op, Type sum) {
  for (StringRef lane : {op.getLeft(), op.getRight()})
    if (elementsOf(lane) == 0)
      return op.emitOpError("expected lanes of s8, u8, s16, bf16 or f16, found ") << lane;
  if (elementsOf(op.getLeft()) != elementsOf(op.getRight()))
    return op.emitOpError("expected as many elements in a lane of either operand");
  bool isFloat = isFloatLane(op.getLeft());
  if (isFloat != isFloatLane(op.getRight()) || isFloat != getElementTypeOrSelf(sum).isF32())
    return op.emitOpError("expected sums of f32 for lanes of floats, and for no others");
  if (isFloat && op.getLeft() != op.getRight())
    return op.emitOpError("expected floats of one format in the lanes of both operands");
  return success();
}

LogicalResult DotOp::verify() { return verifyLanes(*this, getResult().getType()); }

LogicalResult MatmulOp::verify() {
  ArrayRef<int64_t> left = cast<VectorType>(getLhs().getType()).getShape();
  ArrayRef<int64_t> right = cast<VectorType>(getRhs().getType()).getShape();
  ArrayRef<int64_t> sums = cast<VectorType>(getSums().getType()).getShape();
  if (left[1] != right[0] || left[0] != sums[0] || right[1] != sums[1])
    return emitOpError("expected matrices of m x k and k x n lanes and m x n sums");
  return verifyLanes(*this, getSums().getType());
}

LogicalResult PartitionOp::verify() {
  auto operand = cast<ShapedType>(getOperand().getType());
  if (!operand.hasStaticShape())
    return emitOpError("expected a static number of lanes");
  if (isa<VectorType>(operand) != isa<VectorType>(getMask().getType()))
    return emitOpError("expected two tensors or two vectors");
  return success();
}

LogicalResult PackOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  int64_t count = elementsOf(getTo()), dimension = getDimension();
  bool isWord = from.getElementType().isInteger(32);
  if (isWord && (bitsOf(getFrom()) == 0 || getTo() != "bf16"))
    return emitOpError("expected s4, u4, s8 or u8 to bf16 in elements of 32 bits, found ") << getFrom() << " to " << getTo();
  bool isHalf = from.getElementType().isF16(), isFloat = isWord || isHalf || from.getElementType().isBF16();
  StringRef format = isHalf ? "f16" : "bf16";
  if (isWord) {
    count = 16 / bitsOf(getFrom());
  } else if (isFloat ? getFrom() != format : getFrom() != "s8" && getFrom() != "u8")
    return emitOpError("expected elements of ") << (isFloat ? format : "s8 or u8") << ", found " << getFrom();
  if (count == 0 || (isFloat ? getTo() != format : isFloatLane(getTo())))
    return emitOpError("expected lanes of ") << (isFloat ? format : "s8, u8 or s16") << ", found " << getTo();
  if (!from.hasStaticShape() || from.getRank() != to.getRank() || dimension < 0 ||
      dimension >= from.getRank())
    return emitOpError("expected static shapes of one rank that have dimension ") << dimension;
  // Of words, lanes are what is unpacked.
  SmallVector<int64_t> shape(isWord ? to.getShape() : from.getShape());
  shape[dimension] = (shape[dimension] + count - 1) / count;
  if (ArrayRef(shape) != (isWord ? from : to).getShape())
    return emitOpError("expected lanes of ") << count << " elements along dimension " << dimension;
  if (getParams().size() > 2 || (!isWord && !getParams().empty()))
    return emitOpError("expected a scale and at most a zero point, of integers in words");
  int64_t lanes = to.getDimSize(dimension);
  if (getStride() && dimension + 1 != from.getRank())
    return emitOpError("expected the last dimension with a stride, found ") << dimension;
  if (auto stride = getStride(); stride && (!isWord || *stride < 1 || lanes % count != 0 || lanes / count % *stride != 0))
    return emitOpError("expected lanes of words, a multiple of ") << count << " strides of " << *stride;
  // A multiple of how many lanes a group has.
  int64_t unit = getStride().value_or(count);
  for (Value param : getParams()) {
    auto type = cast<RankedTensorType>(param.getType());
    SmallVector<int64_t> own(from.getShape());
    if (type.hasStaticShape() && type.getRank() == from.getRank())
      own[dimension] = type.getDimSize(dimension);
    // Without a stride, the last word may be a part of one.
    int64_t groups = own[dimension], all = getStride() ? lanes : count * from.getDimSize(dimension);
    bool isWhole = groups > 0 && all > 0 && all % groups == 0 && all / groups % unit == 0;
    if (type.getShape() != ArrayRef(own) || !isWhole)
      return emitOpError("expected a parameter for each group of as many words along dimension ") << dimension;
  }
  return success();
}

} // namespace strata::narrow
