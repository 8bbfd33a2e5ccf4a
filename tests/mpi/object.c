/* An object that begins exchanges before it needs them: whether its outputs are those that it has where they are done at once, to the
 * bit: object RANKS [LIBRARY]. */
#include "test.h"
#include "strata/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes(const strata_tensor *tensor) {
  size_t count = (size_t)(tensor->element_type & 0xff) / 8;
  for (int32_t dim = 0; dim < tensor->rank; dim++) count *= (size_t)tensor->dimensions[dim];
  return count;
}

int main(int count, char **arguments) {
  const strata_signature *signature = &test_main_signature;
  strata_mpi_options options = {.size = sizeof options};
  const void *inputs[8];
  void *outputs[2][8], *workspace = aligned_alloc(64, (test_main_workspace_size() + 127) / 64 * 64);
  strata_collectives older;
  strata_host host = {.size = sizeof host, .collectives = &older};
  strata_executor at_once = {.concurrency = 1, .host = &host};
  strata_mpi *mpi;
  int32_t status;
  int differ = 0, rank;
  options.replicas = atoi(arguments[1]);
  options.partitions = 1;
  options.program = TEST_MAIN_PROGRAM;
  options.overlap = STRATA_MPI_OVERLAP_ALWAYS;
  options.library = count > 2 ? arguments[2] : NULL;
  status = strata_mpi_create(&options, &mpi);
  if (status == STRATA_OK) {
    rank = (int)strata_mpi_rank(mpi);
    for (int32_t at = 0; at < signature->input_count; at++) {
      size_t elements = bytes(&signature->inputs[at]) / 4;
      float *values = malloc(elements * 4);
      for (size_t one = 0; one < elements; one++) values[one] = (float)((rank * 31 + (int)one * 7 + at) % 23) * 0.09f - 1;
      inputs[at] = values;
    }
    /* As of the version before. */
    older = *strata_mpi_collectives(mpi);
    older.size = offsetof(strata_collectives, start);
    for (int which = 0; which < 2 && status == STRATA_OK; which++) {
      for (int32_t at = 0; at < signature->output_count; at++) {
        outputs[which][at] = malloc(bytes(&signature->outputs[at]));
        memset(outputs[which][at], which, bytes(&signature->outputs[at]));
      }
      status = test_main(inputs, outputs[which], workspace, which ? &at_once : strata_mpi_executor(mpi));
    }
    for (int32_t at = 0; at < signature->output_count && status == STRATA_OK; at++)
      differ |= memcmp(outputs[0][at], outputs[1][at], bytes(&signature->outputs[at])) != 0;
    status = strata_mpi_end(mpi, status);
    if (status == STRATA_OK && !differ && rank == 0) printf("right\n");
  }
  if (status != STRATA_OK) fprintf(stderr, "%s\n", strata_mpi_reason(mpi));
  return strata_mpi_destroy(mpi) || status != STRATA_OK || differ;
}
