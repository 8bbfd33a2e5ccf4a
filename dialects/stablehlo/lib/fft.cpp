// Fourier transforms: type inference.

#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/fft.h.inc"

#define GET_OP_CLASSES
#include "stablehlo/ops/fft.cpp.inc"

namespace strata::stablehlo {

LogicalResult FftOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> lengths = adaptor.getFftLength();
  int64_t count = lengths.size(), rank = operand.getRank();
  // fft_c3
  if (count < 1 || count > 3)
    return emitOptionalError(location, "expected fft_length of 1 to 3 entries, found ", count);
  // fft_c1
  if (count > rank)
    return emitOptionalError(location, "expected an operand of rank ", count, " or more, found ",
                             operand);
  for (int64_t length : lengths)
    if (length < 0)
      return emitOptionalError(location, "expected fft_length that is not negative, found ",
                               length);
  // fft_c2
  FftType kind = adaptor.getFftType();
  auto complex = dyn_cast<ComplexType>(operand.getElementType());
  bool realOperand = kind == FftType::RFFT;
  if (realOperand ? !isFloat32Or64Element(operand.getElementType()) : !complex)
    return emitOptionalError(location, "expected an operand of ",
                             realOperand ? "f32 or f64" : "complex", " elements for ",
                             stringifyFftType(kind), ", found ", operand);
  Shape shape = shapeOf(operand);
  Type element = operand.getElementType();
  auto check = [&](int64_t index, int64_t expected) -> LogicalResult {
    int64_t size = shape[rank - count + index].size;
    if (compatible(size, expected))
      return success();
    return emitOptionalError(location, "expected dimension ", rank - count + index,
                             " of the operand to be ", expected, ", found ", size);
  };
  // fft_c4, fft_c5
  int64_t last = lengths.back();
  if (kind == FftType::RFFT || kind == FftType::IRFFT)
    for (int64_t i = 0; i + 1 < count; ++i)
      if (failed(check(i, lengths[i])))
        return failure();
  if (kind == FftType::RFFT) {
    if (failed(check(count - 1, last)))
      return failure();
    element = ComplexType::get(element);
    shape.back() = {last == 0 ? 0 : last / 2 + 1, dynamic};
  } else if (kind == FftType::IRFFT) {
    if (failed(check(count - 1, last == 0 ? 0 : last / 2 + 1)))
      return failure();
    element = complex.getElementType();
    shape.back() = {last, dynamic};
  }
  types.push_back(tensorOf(shape, element));
  return success();
}

void StableHLODialect::addFftOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/fft.cpp.inc"
      >();
}

} // namespace strata::stablehlo
