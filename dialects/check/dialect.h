// The check dialect's class and operations.

#ifndef STRATA_CHECK_DIALECT_H
#define STRATA_CHECK_DIALECT_H

#include "stablehlo/dialect.h"

#include "check/dialect.h.inc"

#define GET_OP_CLASSES
#include "check/ops.h.inc"

#endif // STRATA_CHECK_DIALECT_H
