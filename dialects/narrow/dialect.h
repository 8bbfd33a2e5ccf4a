// The narrow dialect's class and operations.

#ifndef STRATA_NARROW_DIALECT_H
#define STRATA_NARROW_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "narrow/dialect.h.inc"

#define GET_OP_CLASSES
#include "narrow/ops.h.inc"

#endif // STRATA_NARROW_DIALECT_H
