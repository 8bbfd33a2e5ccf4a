/* Every exchange on sizes around the limits of the provider, compared with what it should give: exchanges RANKS DIRECT_MEMBERS [LIBRARY].
 * The reducer is neither commutative nor associative, so that the order of the group shows in the bits. */
#include "strata/abi.h"
#include "strata/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, wrong;
static int64_t members[64], ends[128], group[2], pairs[64];

static void half_and(const void *lhs, const void *rhs, void *result, int64_t count) {
  const float *a = lhs, *b = rhs;
  float *c = result;
  for (int64_t at = 0; at < count; at++) c[at] = a[at] * 0.5f + b[at];
}

static void add(const void *lhs, const void *rhs, void *result, int64_t count) {
  const int32_t *a = lhs, *b = rhs;
  int32_t *c = result;
  for (int64_t at = 0; at < count; at++) c[at] = a[at] + b[at];
}

static float value(int64_t device, int64_t at) { return (float)((device * 7919 + at * 31) % 1000) * 0.37f - 17; }

static float folded(int64_t at) {
  float sum = value(members[0], at);
  for (int member = 1; member < ranks; member++) sum = sum * 0.5f + value(members[member], at);
  return sum;
}

static void check(const char *what, int64_t count, int32_t status, const void *found, const void *expected, int64_t elements) {
  if (status != STRATA_OK || memcmp(found, expected, (size_t)elements * 4) != 0) {
    fprintf(stderr, "rank %d: %s of %lld elements: status %d\n", rank, what, (long long)count, status);
    wrong = 1;
  }
}

static void all(const strata_mpi *mpi, int64_t count) {
  const strata_collectives *to = strata_mpi_collectives(mpi);
  strata_collective what = {sizeof what, 5, "all_reduce", 0, 1, group, members, STRATA_F32, 4, STRATA_REDUCE_OTHER, 0, half_and};
  strata_collective shift = {sizeof shift, 5, "collective_permute", 0, ranks - 1, pairs, ends, STRATA_F32, 4, 0, 0, NULL};
  size_t bytes = (size_t)count * (size_t)ranks * 4 + 4;
  float *in = malloc(bytes), *out = malloc(bytes), *expected = malloc(bytes);
  int32_t *whole = malloc(bytes);
  int64_t position = 0;
  int32_t status;
  for (int member = 0; member < ranks; member++) position = members[member] == rank ? member : position;
  for (int64_t at = 0; at < count * ranks; at++) in[at] = value(rank, at);

  status = to->all_reduce(to->context, &what, count, in, out);
  for (int64_t at = 0; at < count; at++) expected[at] = folded(at);
  check(what.operation, count, status, out, expected, count);

  what.operation = "reduce_scatter";
  status = to->reduce_scatter(to->context, &what, count, in, out);
  for (int64_t at = 0; at < count; at++) expected[at] = folded(position * count + at);
  check(what.operation, count, status, out, expected, count);

  what.operation = "all_gather";
  status = to->all_gather(to->context, &what, count, in, out);
  for (int64_t at = 0; at < count * ranks; at++) expected[at] = value(members[at / count], at % count);
  check(what.operation, count, status, out, expected, count * ranks);

  what.operation = "all_to_all";
  status = to->all_to_all(to->context, &what, count, in, out);
  for (int64_t at = 0; at < count * ranks; at++) expected[at] = value(members[at / count], position * count + at % count);
  check(what.operation, count, status, out, expected, count * ranks);

  what.operation = "collective_broadcast";
  status = to->collective_broadcast(to->context, &what, count, in, out);
  for (int64_t at = 0; at < count; at++) expected[at] = value(members[0], at);
  check(what.operation, count, status, out, expected, count);

  /* Sums of integers, which an MPI may compute itself. */
  what.operation = "all_reduce";
  what.element_type = STRATA_I32;
  what.reduction = STRATA_REDUCE_SUM;
  what.combine = add;
  for (int64_t at = 0; at < count; at++) ((int32_t *)out)[at] = (int32_t)(at * 3 + rank);
  status = to->all_reduce(to->context, &what, count, out, whole);
  for (int64_t at = 0; at < count; at++) ((int32_t *)expected)[at] = (int32_t)(at * 3 * ranks + ranks * (ranks - 1) / 2);
  check("sum of integers", count, status, whole, expected, count);

  /* Each to the next one; the first gets nothing. */
  for (int64_t at = 0; at < count; at++) expected[at] = rank == 0 ? 0 : value(rank - 1, at);
  status = to->collective_permute(to->context, &shift, count, in, out);
  check(shift.operation, count, status, out, expected, count);

  /* On two channels, received the other way round. */
  for (shift.channel = 3; shift.channel <= 4; shift.channel++) {
    shift.operation = "send";
    status = to->send(to->context, &shift, shift.channel == 3 ? count : count / 2, in);
    check(shift.operation, count, status, NULL, NULL, 0);
  }
  shift.operation = "recv";
  shift.channel = 4;
  status = to->recv(to->context, &shift, count / 2, out);
  check(shift.operation, count / 2, status, out, expected, count / 2);
  shift.channel = 3;
  status = to->recv(to->context, &shift, count, out);
  check(shift.operation, count, status, out, expected, count);
  free(in);
  free(out);
  free(expected);
  free(whole);
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
