/* What goes wrong on one of the ranks: failures RANKS WHAT [LIBRARY]. Prints the status and the reason of each rank that returns. */
#include "strata/abi.h"
#include "strata/mpi.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(const void *lhs, const void *rhs, void *result, int64_t count) {
  const float *a = lhs, *b = rhs;
  float *c = result;
  for (int64_t at = 0; at < count; at++) c[at] = a[at] + b[at];
}

int main(int count, char **arguments) {
  static int64_t all[] = {0, 1, 2, 3}, group[] = {0, 0}, pair[] = {1, 0}, ends[] = {0, 2};
  strata_collective sum = {sizeof sum, 5, "all_reduce", 0, 1, group, all, STRATA_F32, 4, STRATA_REDUCE_SUM, 0, add};
  strata_collective sent = {sizeof sent, 5, "send", 7, 1, ends, pair, STRATA_F32, 4, 0, 0, NULL};
  strata_mpi_options options = {.size = sizeof options};
  const strata_collectives *to;
  const char *what = arguments[2], *who = getenv("OMPI_COMM_WORLD_RANK");
  int ranks = atoi(arguments[1]), elements = 40000, mine, left;
  float *in = calloc(1 << 20, 4), *out = calloc(1 << 20, 4);
  strata_mpi *mpi;
  int32_t status;
  mine = atoi(who != NULL ? who : getenv("PMI_RANK"));
  group[1] = ranks;
  options.replicas = strcmp(what, "count") == 0 ? 2 : 1;
  options.partitions = ranks;
  options.seconds = 2;
  options.overlap = STRATA_MPI_OVERLAP_ALWAYS;
  options.program = strcmp(what, "program") == 0 && mine == 1 ? 2 : 1;
  options.library = count > 3 ? arguments[3] : NULL;
  if (strcmp(what, "never") == 0 && mine == 1) sleep(60);
  status = strata_mpi_create(&options, &mpi);
  if (status == STRATA_OK) {
    to = strata_mpi_collectives(mpi);
    for (int step = 0; step < 10 && status == STRATA_OK; step++) {
      if (step == 5 && mine == 1) {
        if (strcmp(what, "status") == 0) { status = 77; break; }
        if (strcmp(what, "end") == 0) break;
        if (strcmp(what, "late") == 0) sleep(4);
        if (strcmp(what, "killed") == 0) raise(SIGKILL);
        if (strcmp(what, "size") == 0) elements = 3;
        if (strcmp(what, "hash") == 0) sum.program = 6;
        if (strcmp(what, "other") == 0) {
          sum.operation = "all_gather";
          status = to->all_gather(to->context, &sum, 10, in, out);
          break;
        }
        if (strcmp(what, "send") == 0) to->send(to->context, &sent, 5, in);
        if (strcmp(what, "begun left") == 0) {
          to->start(to->context, STRATA_ALL_REDUCE, &sum, elements, in, out);
          to->abandon(to->context);
          status = 77;
          break;
        }
        if (strcmp(what, "begun late") == 0) sleep(4);
      }
      if (strncmp(what, "begun", 5) == 0 && !(strcmp(what, "begun else") == 0 && step == 5 && mine == 1)) {
        status = to->start(to->context, STRATA_ALL_REDUCE, &sum, elements, in, out);
        status = status == STRATA_OK ? to->wait(to->context, in, out) : status;
      } else {
        status = to->all_reduce(to->context, &sum, elements, in, out);
      }
    }
    if (strcmp(what, "receive") == 0 && mine == 0 && status == STRATA_OK) {
      sent.operation = "recv";
      status = to->recv(to->context, &sent, 5, out);
    }
    status = strata_mpi_end(mpi, status);
  }
  printf("rank %d: %d %s\n", mine, status, strata_mpi_reason(mpi));
  fflush(stdout);
  left = strata_mpi_destroy(mpi);
  return left || status != STRATA_OK;
}
