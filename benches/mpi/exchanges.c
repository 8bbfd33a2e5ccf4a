/* The exchanges of strata/mpi.c beside the MPI's own functions, on two ranks: medians of interleaved rounds (docs/performance.md). A round
 * has several calls, since the first one after the other side's finds buffers in the caches of the other rank.
 *
 *   mpicc -O2 -march=x86-64-v3 -Iinclude benches/mpi/exchanges.c include/strata/mpi.c -pthread -o exchanges
 *   mpirun -n 2 ./exchanges [DIRECT_MEMBERS]
 *
 * Ranks have to be bound to processors, which MPICH does with -bind-to core only: two that wait on one processor exchange through its cache.
 */
#include "shared.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 21 };

static void bare(int which, const float *in, float *out, int count) {
  switch (which) {
  case 0: MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
  case 1: MPI_Allgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD); break;
  case 2: MPI_Reduce_scatter_block(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
  default: MPI_Alltoall(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
  }
}

static int32_t ours(const strata_collectives *to, int which, const float *in, float *out, int64_t count) {
  static const int64_t group[] = {0, 2}, members[] = {0, 1};
  strata_collective what = {sizeof what, 1, names[which], 0, 1, group, members, STRATA_F32, 4, STRATA_REDUCE_SUM, 0, add};
  switch (which) {
  case 0: return to->all_reduce(to->context, &what, count, in, out);
  case 1: return to->all_gather(to->context, &what, count, in, out);
  case 2: return to->reduce_scatter(to->context, &what, count, in, out);
  default: return to->all_to_all(to->context, &what, count, in, out);
  }
}

int main(int count, char **arguments) {
  strata_mpi_options options = {.size = sizeof options, .replicas = 1, .partitions = 2, .seconds = 20};
  strata_mpi *mpi;
  int32_t status;
  options.direct_members = count > 1 ? atoi(arguments[1]) : 0;
  status = strata_mpi_create(&options, &mpi);
  for (int which = 0; which < 4 && status == STRATA_OK; which++) {
    for (int64_t bytes = 1024; bytes <= 64 << 20 && status == STRATA_OK; bytes *= 4) {
      int64_t elements = which == 0 ? bytes / 4 : bytes / 8;
      int calls = bytes < 65536 ? 200 : bytes < 1 << 20 ? 20 : 4;
      float *in = malloc((size_t)bytes), *out = malloc((size_t)bytes);
      double times[2][ROUNDS];
      memset(in, 0, (size_t)bytes);
      memset(out, 0, (size_t)bytes);
      for (int round = 0; round < ROUNDS; round++)
        for (int side = 0; side < 2; side++) {
          double begin;
          MPI_Barrier(MPI_COMM_WORLD);
          begin = MPI_Wtime();
          for (int call = 0; call < calls && status == STRATA_OK; call++) {
            if (side == 0) bare(which, in, out, (int)elements);
            else status = ours(strata_mpi_collectives(mpi), which, in, out, elements);
          }
          /* A rank may return while the other one still copies. */
          begin = (MPI_Wtime() - begin) / calls * 1e6;
          MPI_Allreduce(&begin, &times[side][round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
      for (int side = 0; side < 2; side++) qsort(times[side], ROUNDS, sizeof times[side][0], compare);
      if (strata_mpi_rank(mpi) == 0)
        printf("%-15s %9lld bytes: MPI %10.2f us, ours %10.2f us, %.2f\n", names[which], (long long)bytes, times[0][ROUNDS / 2],
               times[1][ROUNDS / 2], times[1][ROUNDS / 2] / times[0][ROUNDS / 2]);
      free(in);
      free(out);
    }
  }
  if (status == STRATA_OK) status = strata_mpi_end(mpi, status);
  if (status != STRATA_OK) fprintf(stderr, "%s\n", strata_mpi_reason(mpi));
  return strata_mpi_destroy(mpi) || status != STRATA_OK;
}
