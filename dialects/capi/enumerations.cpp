// Enumerations of MLIR's own dialects, which its C interface neither makes nor reads.

#include "strata/capi.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

MlirAttribute strataUpstreamEnumAttrGet(MlirContext context, MlirStringRef name, int64_t value) {
  MLIRContext *c = unwrap(context);
  StringRef of = unwrap(name);
  Attribute result;
  if (of == "arith.fastmath") {
    c->getOrLoadDialect<arith::ArithDialect>();
    result = arith::FastMathFlagsAttr::get(c, static_cast<arith::FastMathFlags>(value));
  } else if (of == "linalg.iterator_type") {
    c->getOrLoadDialect<linalg::LinalgDialect>();
    result = linalg::IteratorTypeAttr::get(c, static_cast<utils::IteratorType>(value));
  } else if (of == "llvm.linkage") {
    c->getOrLoadDialect<LLVM::LLVMDialect>();
    result = LLVM::LinkageAttr::get(c, static_cast<LLVM::linkage::Linkage>(value));
  } else if (of == "vector.iterator_type") {
    c->getOrLoadDialect<vector::VectorDialect>();
    result = vector::IteratorTypeAttr::get(c, static_cast<vector::IteratorType>(value));
  } else if (of == "vector.kind") {
    c->getOrLoadDialect<vector::VectorDialect>();
    result = vector::CombiningKindAttr::get(c, static_cast<vector::CombiningKind>(value));
  }
  return wrap(result);
}

MlirStringRef strataUpstreamEnumAttr(MlirAttribute attribute, int64_t *value) {
  StringRef name;
  auto is = [&](StringRef of, auto number) {
    name = of;
    *value = static_cast<int64_t>(number);
  };
  llvm::TypeSwitch<Attribute>(unwrap(attribute))
      .Case([&](arith::FastMathFlagsAttr a) { is("arith.fastmath", a.getValue()); })
      .Case([&](linalg::IteratorTypeAttr a) { is("linalg.iterator_type", a.getValue()); })
      .Case([&](LLVM::LinkageAttr a) { is("llvm.linkage", a.getLinkage()); })
      .Case([&](vector::IteratorTypeAttr a) { is("vector.iterator_type", a.getValue()); })
      .Case([&](vector::CombiningKindAttr a) { is("vector.kind", a.getValue()); });
  return wrap(name);
}
