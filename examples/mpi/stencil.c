/* Heat in a rod that 4 ranks share, 10 cells each, compared with the whole rod on every rank: stencil.mlir has the steps.
 *
 *   strata compile stencil.mlir --target-cpu native -o stencil.o --header stencil.h
 *   mpicc -I../../include stencil.c ../../include/strata/mpi.c stencil.o -lm -pthread -o stencil
 *   mpirun -n 4 ./stencil
 */
#include "stencil.h"
#include "strata/mpi.h"

#include <math.h>
#include <stdio.h>

static float rod[42], next[42], part[10];
static _Alignas(STENCIL_RUN_ALIGNMENT) char workspace[STENCIL_RUN_WORKSPACE_SIZE + 1];

int main(void) {
  strata_mpi_options options = {.size = sizeof options,
                                .replicas = STENCIL_RUN_REPLICAS,
                                .partitions = STENCIL_RUN_PARTITIONS,
                                .program = STENCIL_RUN_PROGRAM,
                                .seconds = 60};
  strata_mpi *mpi;
  int32_t steps = 300, status = strata_mpi_create(&options, &mpi);
  if (status == STRATA_OK) {
    int rank = (int)strata_mpi_rank(mpi);
    float largest = 0;
    const void *inputs[] = {rod + 1 + rank * 10, &steps};
    void *outputs[] = {part};
    for (int cell = 1; cell <= 40; cell++) rod[cell] = cell < 14 ? 100 : (float)cell;
    status = stencil_run(inputs, outputs, workspace, strata_mpi_executor(mpi));
    for (int step = 0; step < steps; step++) {
      for (int cell = 1; cell <= 40; cell++) next[cell] = rod[cell] + 0.25f * (rod[cell - 1] + rod[cell + 1] - 2 * rod[cell]);
      for (int cell = 1; cell <= 40; cell++) rod[cell] = next[cell];
    }
    for (int cell = 0; cell < 10; cell++) largest = fmaxf(largest, fabsf(part[cell] - rod[1 + rank * 10 + cell]));
    if (status == STRATA_OK) printf("rank %d: %.3f to %.3f degrees, %s\n", rank, (double)part[0], (double)part[9],
                                    largest < 1e-3f ? "as in the whole rod" : "WRONG");
    status = strata_mpi_end(mpi, status);
  }
  if (status != STRATA_OK) fprintf(stderr, "status %d: %s\n", (int)status, strata_mpi_reason(mpi));
  return strata_mpi_destroy(mpi) || status != STRATA_OK;
}
