// The mhlo dialect's class and operations.

#ifndef STRATA_MHLO_DIALECT_H
#define STRATA_MHLO_DIALECT_H

#include "stablehlo/dialect.h"

#include "mhlo/dialect.h.inc"

#define GET_OP_CLASSES
#include "mhlo/ops.h.inc"

#endif // STRATA_MHLO_DIALECT_H
