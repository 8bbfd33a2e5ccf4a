// Op traits of the StableHLO dialect.

#ifndef STRATA_STABLEHLO_TRAITS_H
#define STRATA_STABLEHLO_TRAITS_H

#include "stablehlo/types.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace strata::stablehlo {

/// The most specific type that all of `types` are compatible with.
mlir::LogicalResult mostSpecificType(std::optional<mlir::Location> location,
                                     mlir::TypeRange types, mlir::Type &result);

namespace detail {
mlir::LogicalResult verifyCompatibleTypes(mlir::Operation *op);
mlir::LogicalResult verifyCompatibleElements(mlir::Operation *op, bool withResults);
mlir::LogicalResult verifyCompatibleShapes(mlir::Operation *op);
mlir::LogicalResult verifySameElements(mlir::Operation *op);
mlir::LogicalResult verifyPairs(mlir::Operation *op, bool elementsOnly);
mlir::Speculation::Speculatability speculatableIfInputsStatic(mlir::Operation *op, bool recursive);
mlir::Speculation::Speculatability speculatableIfOutputDimsKnown(mlir::Operation *op);
} // namespace detail

namespace trait {

template <typename Op>
class CompatibleOperandsAndResultType
    : public mlir::OpTrait::TraitBase<Op, CompatibleOperandsAndResultType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyCompatibleTypes(op);
  }
  static mlir::LogicalResult
  inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                   mlir::ValueRange operands, mlir::DictionaryAttr, mlir::OpaqueProperties,
                   mlir::RegionRange, llvm::SmallVectorImpl<mlir::Type> &types) {
    mlir::Type type;
    if (mlir::failed(mostSpecificType(location, operands.getTypes(), type)))
      return mlir::failure();
    types.push_back(type);
    return mlir::success();
  }
};

template <typename Op>
class CompatibleOperandsAndResultElementType
    : public mlir::OpTrait::TraitBase<Op, CompatibleOperandsAndResultElementType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyCompatibleElements(op, /*withResults=*/true);
  }
};

template <typename Op>
class CompatibleOperandsElementType
    : public mlir::OpTrait::TraitBase<Op, CompatibleOperandsElementType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyCompatibleElements(op, /*withResults=*/false);
  }
};

template <typename Op>
class CompatibleShapes : public mlir::OpTrait::TraitBase<Op, CompatibleShapes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyCompatibleShapes(op);
  }
};

template <typename Op>
class SameElementTypes : public mlir::OpTrait::TraitBase<Op, SameElementTypes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameElements(op);
  }
};

template <typename Op>
class PairwiseSameOperandAndResultType
    : public mlir::OpTrait::TraitBase<Op, PairwiseSameOperandAndResultType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyPairs(op, /*elementsOnly=*/false);
  }
};

template <typename Op>
class PairwiseSameOperandAndResultElementType
    : public mlir::OpTrait::TraitBase<Op, PairwiseSameOperandAndResultElementType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyPairs(op, /*elementsOnly=*/true);
  }
};

template <typename Op>
class SpeculatableIfAllInputsStatic
    : public mlir::OpTrait::TraitBase<Op, SpeculatableIfAllInputsStatic> {
public:
  mlir::Speculation::Speculatability getSpeculatability() {
    return detail::speculatableIfInputsStatic(this->getOperation(), /*recursive=*/false);
  }
};

template <typename Op>
class RecursivelySpeculatableIfAllInputsStatic
    : public mlir::OpTrait::TraitBase<Op, RecursivelySpeculatableIfAllInputsStatic> {
public:
  mlir::Speculation::Speculatability getSpeculatability() {
    return detail::speculatableIfInputsStatic(this->getOperation(), /*recursive=*/true);
  }
};

template <typename Op>
class SpeculatableIfStaticDimInOutputIsStaticInInput
    : public mlir::OpTrait::TraitBase<Op, SpeculatableIfStaticDimInOutputIsStaticInInput> {
public:
  mlir::Speculation::Speculatability getSpeculatability() {
    return detail::speculatableIfOutputDimsKnown(this->getOperation());
  }
};

} // namespace trait
} // namespace strata::stablehlo

#endif // STRATA_STABLEHLO_TRAITS_H
