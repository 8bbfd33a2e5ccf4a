// The interpreter dialect's class and operations.

#ifndef STRATA_INTERPRETER_DIALECT_H
#define STRATA_INTERPRETER_DIALECT_H

#include "stablehlo/dialect.h"

#include "interpreter/dialect.h.inc"

#define GET_OP_CLASSES
#include "interpreter/ops.h.inc"

#endif // STRATA_INTERPRETER_DIALECT_H
