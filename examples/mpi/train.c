/* Trains a small network on 4 ranks, each with its part of the data: train.mlir has the step.
 *
 *   strata compile train.mlir --target-cpu native -o train.o --header train.h
 *   mpicc -I../../include train.c ../../include/strata/mpi.c train.o -lm -pthread -o train
 *   mpirun -n 4 ./train
 */
#include "train.h"
#include "strata/mpi.h"

#include <math.h>
#include <stdio.h>

static float x[5][6], y[5][3], w1[2][6][8], w2[2][8][3], loss;
static _Alignas(TRAIN_STEP_ALIGNMENT) char workspace[TRAIN_STEP_WORKSPACE_SIZE + 1];

int main(void) {
  strata_mpi_options options = {.size = sizeof options,
                                .replicas = TRAIN_STEP_REPLICAS,
                                .partitions = TRAIN_STEP_PARTITIONS,
                                .program = TRAIN_STEP_PROGRAM,
                                .seconds = 60};
  strata_mpi *mpi;
  int32_t status = strata_mpi_create(&options, &mpi);
  if (status == STRATA_OK) {
    int rank = (int)strata_mpi_rank(mpi);
    /* Rows rank * 5 to rank * 5 + 4 of the data; all ranks begin with the same weights. */
    for (int row = 0; row < 5; row++) {
      for (int column = 0; column < 6; column++) x[row][column] = sinf((float)((rank * 5 + row) * 6 + column));
      for (int column = 0; column < 3; column++) y[row][column] = x[row][column] - 0.5f * x[row][column + 3];
    }
    for (int hidden = 0; hidden < 8; hidden++) {
      for (int in = 0; in < 6; in++) w1[0][in][hidden] = 0.3f * cosf((float)(in * 8 + hidden));
      for (int out = 0; out < 3; out++) w2[0][hidden][out] = 0.3f * sinf((float)(hidden * 3 + out));
    }
    for (int step = 0; step < 200 && status == STRATA_OK; step++) {
      int from = step % 2, to = 1 - from;
      const void *inputs[] = {x, y, w1[from], w2[from]};
      void *outputs[] = {w1[to], w2[to], &loss};
      status = train_step(inputs, outputs, workspace, strata_mpi_executor(mpi));
      if (status == STRATA_OK && rank == 0 && step % 50 == 0) printf("step %d: loss %.4f\n", step, (double)loss);
    }
    if (status == STRATA_OK && rank == 0) printf("step 200: loss %.4f\n", (double)loss);
    status = strata_mpi_end(mpi, status);
  }
  if (status != STRATA_OK) fprintf(stderr, "status %d: %s\n", (int)status, strata_mpi_reason(mpi));
  return strata_mpi_destroy(mpi) || status != STRATA_OK;
}
