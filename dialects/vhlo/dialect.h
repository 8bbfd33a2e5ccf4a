// The VHLO dialect's class and operations.

#ifndef STRATA_VHLO_DIALECT_H
#define STRATA_VHLO_DIALECT_H

#include "vhlo/encoding.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "vhlo/dialect.h.inc"

#endif // STRATA_VHLO_DIALECT_H
