/* Prints how many bytes of values the first rank sends in each exchange, which is what it receives: all ranks do the same. */
#include "strata/abi.h"
#include "strata/mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long long sent;

/* Takes MPI's place, as the standard lets tools do. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  enum { HEAD = 1, HEAD_BYTES = 64 };
  sent += count - (tag == HEAD ? HEAD_BYTES : 0);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

static void add(const void *lhs, const void *rhs, void *result, int64_t count) {
  const float *a = lhs, *b = rhs;
  float *c = result;
  for (int64_t at = 0; at < count; at++) c[at] = a[at] + b[at];
}

int main(int count, char **arguments) {
  int64_t ranks = count > 1 ? atoll(arguments[1]) : 2, group[] = {0, ranks}, members[64];
  strata_mpi_options options = {.size = sizeof options, .replicas = 1, .partitions = ranks, .seconds = 60};
  strata_mpi *mpi;
  int32_t status = strata_mpi_create(&options, &mpi);
  const strata_collectives *to = strata_mpi_collectives(mpi);
  for (int64_t at = 0; at < ranks; at++) members[at] = at;
  for (int which = 2; which < count && status == STRATA_OK; which++) {
    /* Of what each rank gives. */
    int64_t elements = atoll(arguments[which]);
    float *in = calloc((size_t)elements, sizeof *in), *out = calloc((size_t)(elements * ranks), sizeof *out);
    strata_collective what = {sizeof what, 1, "all_reduce", 0, 1, group, members, STRATA_F32, 4, STRATA_REDUCE_SUM, 0, add};
    for (int operation = 0; operation < 4 && status == STRATA_OK; operation++) {
      static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
      long long before = sent;
      what.operation = names[operation];
      switch (operation) {
      case 0: status = to->all_reduce(to->context, &what, elements, in, out); break;
      case 1: status = to->all_gather(to->context, &what, elements, in, out); break;
      case 2: status = to->reduce_scatter(to->context, &what, elements / ranks, in, out); break;
      default: status = to->all_to_all(to->context, &what, elements / ranks, in, out);
      }
      if (strata_mpi_rank(mpi) == 0) printf("%s %lld %lld\n", names[operation], (long long)elements, sent - before);
    }
    free(in);
    free(out);
  }
  if (status == STRATA_OK) status = strata_mpi_end(mpi, status);
  if (status != STRATA_OK) fprintf(stderr, "%s\n", strata_mpi_reason(mpi));
  return strata_mpi_destroy(mpi) || status != STRATA_OK;
}
