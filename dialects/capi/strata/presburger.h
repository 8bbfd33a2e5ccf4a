/* The C interface of MLIR's Presburger library, as far as Strata uses it. */

#ifndef STRATA_PRESBURGER_CAPI_H
#define STRATA_PRESBURGER_CAPI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether integers solve a system of inequalities: for each of `count` rows of `unknowns` + 1 numbers, the sum of the unknowns'
 * products with their coefficients, and of the last number, is 0 or more. */
bool strataHasIntegerSolution(intptr_t unknowns, const int64_t *rows, intptr_t count);

#ifdef __cplusplus
}
#endif

#endif /* STRATA_PRESBURGER_CAPI_H */
