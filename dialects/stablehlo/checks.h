// What verifiers and type inference of several families share. Every function
// that can fail reports what was expected and what was found.

#ifndef STRATA_STABLEHLO_CHECKS_H
#define STRATA_STABLEHLO_CHECKS_H

#include "stablehlo/dialect.h"

namespace strata::stablehlo {

using OptionalLocation = std::optional<mlir::Location>;

constexpr int64_t dynamic = mlir::ShapedType::kDynamic;
inline bool isDynamic(int64_t size) { return mlir::ShapedType::isDynamic(size); }

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// A dimension: its length, or `dynamic` and then perhaps a bound.
struct Dimension {
  int64_t size = dynamic;
  int64_t bound = dynamic;

  bool isStatic() const { return !isDynamic(size); }
  /// The greatest length that is known; `dynamic` when none is.
  int64_t limit() const { return isStatic() ? size : bound; }
};

using Shape = llvm::SmallVector<Dimension>;

Shape shapeOf(mlir::RankedTensorType type);
/// A type with bounds as encoding where a dynamic dimension has one.
mlir::RankedTensorType tensorOf(llvm::ArrayRef<Dimension> shape, mlir::Type element);
/// The same shape and encoding with other elements.
mlir::RankedTensorType withElement(mlir::RankedTensorType type, mlir::Type element);

mlir::RankedTensorType tensorType(mlir::Type type);
inline mlir::RankedTensorType tensorType(mlir::Value value) { return tensorType(value.getType()); }
llvm::SmallVector<mlir::RankedTensorType> tensorTypes(mlir::ValueRange values);

/// Whether some length satisfies both.
inline bool compatible(int64_t left, int64_t right) {
  return isDynamic(left) || isDynamic(right) || left == right;
}

/// The value of a constant operand, or nothing.
std::optional<llvm::SmallVector<int64_t>> constantInts(mlir::Value value);

//===----------------------------------------------------------------------===//
// Dimensions and attributes
//===----------------------------------------------------------------------===//

mlir::LogicalResult checkInRange(OptionalLocation location, llvm::StringRef name, int64_t value,
                                 int64_t end);
mlir::LogicalResult checkAllInRange(OptionalLocation location, llvm::StringRef name,
                                    llvm::ArrayRef<int64_t> values, int64_t end);
mlir::LogicalResult checkDistinct(OptionalLocation location, llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> values);
mlir::LogicalResult checkSorted(OptionalLocation location, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> values);
mlir::LogicalResult checkCount(OptionalLocation location, llvm::StringRef name, size_t count,
                               size_t expected);
/// At most two precisions, one for each operand.
mlir::LogicalResult checkPrecision(OptionalLocation location,
                                   std::optional<mlir::ArrayAttr> precision);

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

/// Quantized per tensor, the elements keep scale and zero point.
mlir::LogicalResult checkSameQuantization(OptionalLocation location,
                                          mlir::RankedTensorType operand,
                                          mlir::RankedTensorType result);

/// Quantized per axis, the elements keep scales and zero points.
mlir::LogicalResult checkSameScales(OptionalLocation location, mlir::RankedTensorType operand,
                                    mlir::RankedTensorType result);

/// The result of a broadcast is quantized along the dimension that the
/// operand's quantized one goes to; a single scale is everyone's there.
mlir::LogicalResult checkBroadcastQuantization(OptionalLocation location,
                                               mlir::RankedTensorType operand,
                                               mlir::RankedTensorType result,
                                               llvm::ArrayRef<int64_t> dims);

/// A reshape keeps scale and zero point of quantized elements. Per axis, the
/// elements before, along and after the quantized dimension stay the same in
/// number, as far as lengths are known.
mlir::LogicalResult checkReshapeQuantization(OptionalLocation location,
                                             mlir::RankedTensorType operand,
                                             mlir::RankedTensorType result);

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};

/// Collects the attributes of a window of the given sizes: each is absent or
/// has one entry for each dimension; sizes, strides and dilations are positive.
mlir::LogicalResult collectWindow(OptionalLocation location, llvm::ArrayRef<int64_t> sizes,
                                  std::optional<llvm::ArrayRef<int64_t>> strides,
                                  std::optional<mlir::DenseIntElementsAttr> padding,
                                  std::optional<llvm::ArrayRef<int64_t>> baseDilations,
                                  std::optional<llvm::ArrayRef<int64_t>> windowDilations,
                                  llvm::SmallVectorImpl<WindowDimension> &window);

/// Number of positions of the window over `base`.
Dimension windowPositions(Dimension base, const WindowDimension &window);

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Whether values of `from` may be accumulated in `to`: the same kind of
/// number, at least as wide.
bool isPromotable(mlir::Type from, mlir::Type to);

/// The element types that a reduction region yields; it must have been checked.
llvm::SmallVector<mlir::Type> reducerElements(mlir::Block &body);

/// A region that combines `inputs` with `inits`: its arguments are one
/// accumulator and one value for each input; it returns the accumulators.
/// The values' shapes are drawn in order from `dimensions`.
mlir::LogicalResult checkReducer(OptionalLocation location, mlir::Region &region,
                                 llvm::ArrayRef<mlir::RankedTensorType> inputs,
                                 llvm::ArrayRef<mlir::RankedTensorType> inits,
                                 llvm::ArrayRef<int64_t> dimensions);

/// A region with scalar arguments of the elements of `inputs`, each twice in a
/// row, that returns one boolean.
mlir::LogicalResult checkComparator(OptionalLocation location, llvm::StringRef name,
                                    mlir::Region &region,
                                    llvm::ArrayRef<mlir::RankedTensorType> inputs);

/// The terminator's operand types; empty when the region has no terminator.
mlir::TypeRange returnedTypes(mlir::Region &region);

} // namespace strata::stablehlo

#endif // STRATA_STABLEHLO_CHECKS_H
