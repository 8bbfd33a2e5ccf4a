/* What both benchmarks of exchanges have. */
#include "strata/abi.h"
#include "strata/mpi.h"

static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};

static void add(const void *lhs, const void *rhs, void *result, int64_t count) {
  const float *a = lhs, *b = rhs;
  float *c = result;
  for (int64_t at = 0; at < count; at++) c[at] = a[at] + b[at];
}

static int compare(const void *lhs, const void *rhs) {
  double a = *(const double *)lhs, b = *(const double *)rhs;
  return (a > b) - (a < b);
}
