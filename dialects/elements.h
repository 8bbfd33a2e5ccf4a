// Dense elements that refer to bytes outside of the context: MLIR copies them into it, where they stay as long as it does.

#ifndef STRATA_ELEMENTS_H
#define STRATA_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

namespace strata {

/// Fewer bytes are copied: a reference would save nothing.
constexpr size_t FEW_BYTES = 4096;

/// Whether the bytes stay what and where they are to the end of the process (`strataKeepBytes`).
bool areKept(llvm::ArrayRef<char> bytes);

/// The attribute that `DenseElementsAttr::getFromRawBuffer` makes of the same arguments, which `bytes` must fit. It refers to
/// `bytes`, unless they are few or the context has an equal one. They must live as long as the context.
mlir::DenseElementsAttr borrowElements(mlir::ShapedType type, llvm::ArrayRef<char> bytes);

/// The same of bytes that are kept, and a copy of others.
mlir::DenseElementsAttr elementsOf(mlir::ShapedType type, llvm::ArrayRef<char> bytes);

/// Whether what this thread parses next has numbers for elements.
bool haveNumbers();

/// Elements that the text or bytecode which this thread parses has a number for (`strataNumberElements`); null if there is no such number,
/// it was there before, or its bytes do not fit the type.
mlir::Attribute numberedElements(mlir::ShapedType type, uint64_t number);

} // namespace strata

#endif // STRATA_ELEMENTS_H
