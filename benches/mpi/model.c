/* The times of exchanges on any number of ranks beside those that `strata check --latency 1.5 --bandwidth 5` estimates
 * (docs/guide/devices.md): medians and minima of rounds of the rank that takes longest.
 *
 *   mpicc -O2 -march=x86-64-v3 -Iinclude benches/mpi/model.c include/strata/mpi.c -pthread -o model
 *   mpirun -n 4 ./model
 */
#include "shared.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Groups of more than 16 take other ways. */
enum { ROUNDS = 15, MOST = 16 };

/* Microseconds for `bytes` that each of `ranks` gives. */
static double estimated(int which, int ranks, double bytes) {
  int is_whole = bytes <= 3968 || (ranks == 2 && bytes <= 32768);
  double others = bytes * (ranks - 1);
  double received = which == 1 || (which == 0 && is_whole) ? others : which == 0 ? 2 * others / ranks : others / ranks;
  return (which == 0 && !is_whole ? 2 : 1) * 1.5 + received / 5e3;
}

static int32_t exchange(const strata_mpi *mpi, int which, int ranks, int64_t count, const float *in, float *out) {
  const strata_collectives *to = strata_mpi_collectives(mpi);
  int64_t group[2] = {0, ranks}, members[MOST];
  strata_collective what = {sizeof what, 1, names[which], 0, 1, group, members, STRATA_F32, 4, STRATA_REDUCE_SUM, 0, add};
  for (int at = 0; at < ranks; at++) members[at] = at;
  switch (which) {
  case 0: return to->all_reduce(to->context, &what, count, in, out);
  case 1: return to->all_gather(to->context, &what, count, in, out);
  case 2: return to->reduce_scatter(to->context, &what, count, in, out);
  default: return to->all_to_all(to->context, &what, count, in, out);
  }
}

int main(void) {
  strata_mpi_options options = {.size = sizeof options, .replicas = 1, .seconds = 20};
  strata_mpi *mpi = NULL;
  int ranks, rank;
  int32_t status;
  MPI_Init(NULL, NULL);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  options.partitions = ranks;
  status = ranks > MOST ? 1 : strata_mpi_create(&options, &mpi);
  for (int which = 0; which < 4 && status == STRATA_OK; which++) {
    /* The size of the larger buffer. */
    for (int64_t size = 1024; size <= 4 << 20 && status == STRATA_OK; size *= 16) {
      int64_t count = size / 4 / (which == 0 ? 1 : ranks);
      int calls = size < 65536 ? 50 : size < 1 << 20 ? 10 : 2;
      double given = (double)(which == 1 ? count * 4 : size), times[ROUNDS];
      float *in = calloc(1, (size_t)size), *out = calloc(1, (size_t)size);
      for (int round = 0; round < ROUNDS; round++) {
        double begin;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        for (int call = 0; call < calls && status == STRATA_OK; call++) status = exchange(mpi, which, ranks, count, in, out);
        begin = (MPI_Wtime() - begin) / calls * 1e6;
        MPI_Allreduce(&begin, &times[round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      }
      qsort(times, ROUNDS, sizeof times[0], compare);
      if (rank == 0) {
        double model = estimated(which, ranks, given);
        printf("%d ranks, %-14s %8lld bytes: %9.2f us (at least %9.2f), estimate %9.2f us, %.2f\n", ranks, names[which], (long long)size,
               times[ROUNDS / 2], times[0], model, times[ROUNDS / 2] / model);
      }
      free(in);
      free(out);
    }
  }
  if (mpi != NULL) status = strata_mpi_end(mpi, status);
  if (status != STRATA_OK) fprintf(stderr, "%s\n", mpi == NULL ? "there are too many ranks" : strata_mpi_reason(mpi));
  if (mpi != NULL) strata_mpi_destroy(mpi);
  MPI_Finalize();
  return status != STRATA_OK;
}
