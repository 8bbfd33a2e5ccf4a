/* Exchanges that are begun and awaited, compared with those that are done at once: overlap RANKS DIRECT_MEMBERS [LIBRARY]. All kinds are
 * under way together, with one in between that is done at once, and are awaited in another order. The reducer is neither commutative nor
 * associative, so that the order of the group shows in the bits. */
#include "strata/abi.h"
#include "strata/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6 };

typedef int32_t function(void *context, const strata_collective *what, int64_t count, const void *input, void *output);

static int rank, ranks, wrong;
static int64_t members[64], ends[128], group[2], pairs[64];

static void half_and(const void *lhs, const void *rhs, void *result, int64_t count) {
  const float *a = lhs, *b = rhs;
  float *c = result;
  for (int64_t at = 0; at < count; at++) c[at] = a[at] * 0.5f + b[at];
}

static void all(const strata_mpi *mpi, int64_t count) {
  static const char *const names[KINDS] = {"all_reduce",         "all_gather",          "reduce_scatter", "all_to_all",
                                           "collective_permute", "collective_broadcast"};
  const strata_collectives *to = strata_mpi_collectives(mpi);
  function *const functions[KINDS] = {to->all_reduce,         to->all_gather,          to->reduce_scatter, to->all_to_all,
                                      to->collective_permute, to->collective_broadcast};
  size_t bytes = (size_t)count * (size_t)ranks * 4 + 4;
  float *in = malloc(bytes), *between = malloc(bytes), *expected[KINDS], *found[KINDS];
  strata_collective what[KINDS];
  int32_t status = STRATA_OK;
  for (int64_t at = 0; at < count * ranks; at++) in[at] = (float)((rank * 7919 + at * 31) % 1000) * 0.37f - 17;
  for (int kind = 0; kind < KINDS; kind++) {
    int moves = kind != 0 && kind != 2, permutes = kind == 4;
    strata_collective one = {sizeof one, 5, names[kind], kind, permutes ? ranks - 1 : 1, permutes ? pairs : group, permutes ? ends : members,
                             STRATA_F32, 4, moves ? 0 : STRATA_REDUCE_OTHER, 0, moves ? NULL : half_and};
    what[kind] = one;
    expected[kind] = malloc(bytes);
    found[kind] = malloc(bytes);
    memset(expected[kind], 7, bytes);
    memset(found[kind], 7, bytes);
  }
  for (int kind = 0; kind < KINDS && status == STRATA_OK; kind++)
    status = functions[kind](to->context, &what[kind], count, in, expected[kind]);
  for (int kind = 0; kind < KINDS && status == STRATA_OK; kind++) {
    status = to->start(to->context, kind + 1, &what[kind], count, in, found[kind]);
    if (kind == 2 && status == STRATA_OK) {
      status = to->all_reduce(to->context, &what[0], count, in, between);
      if (memcmp(between, expected[0], (size_t)count * 4) != 0) wrong = 1;
    }
  }
  for (int turn = 0; turn < KINDS && status == STRATA_OK; turn++) {
    int kind = (turn * 5 + 3) % KINDS;
    status = to->wait(to->context, in, found[kind]);
    if (status != STRATA_OK || memcmp(found[kind], expected[kind], bytes) != 0) {
      fprintf(stderr, "rank %d: %s of %lld elements: status %d\n", rank, names[kind], (long long)count, (int)status);
      wrong = 1;
    }
  }
  if (status != STRATA_OK) wrong = 1;
  for (int kind = 0; kind < KINDS; kind++) {
    free(expected[kind]);
    free(found[kind]);
  }
  free(in);
  free(between);
}

int main(int count, char **arguments) {
  static const int64_t sizes[] = {0, 1, 3, 991, 992, 993, 8192, 8193, 70001, 300007};
  strata_mpi_options options = {.size = sizeof options};
  strata_mpi *mpi;
  int32_t status;
  ranks = atoi(arguments[1]);
  options.replicas = 1;
  options.partitions = ranks;
  options.seconds = 60;
  options.order = STRATA_MPI_ORDER_ALWAYS;
  options.overlap = STRATA_MPI_OVERLAP_ALWAYS;
  options.direct_members = atoi(arguments[2]);
  options.library = count > 3 ? arguments[3] : NULL;
  status = strata_mpi_create(&options, &mpi);
  if (status == STRATA_OK) {
    rank = (int)strata_mpi_rank(mpi);
    /* Not in the order of the ranks. */
    for (int member = 0; member < ranks; member++) members[member] = ranks - 1 - member;
    for (int pair = 0; pair < ranks; pair++) {
      pairs[pair] = 2 * pair;
      ends[2 * pair] = pair;
      ends[2 * pair + 1] = pair + 1;
    }
    group[1] = ranks;
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) all(mpi, sizes[at]);
    status = strata_mpi_end(mpi, STRATA_OK);
  }
  if (status != STRATA_OK) fprintf(stderr, "%s\n", strata_mpi_reason(mpi));
  if (status == STRATA_OK && !wrong && rank == 0) printf("right\n");
  return strata_mpi_destroy(mpi) || status != STRATA_OK || wrong;
}
