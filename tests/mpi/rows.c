/* Exchanges of ragged rows, compared with what they should give: rows RANKS DIRECT_MEMBERS. Lists name rows that are not there, and the same row of
 * an output twice; then few rows of many, of which no others may be sent. With -DTHREADS the devices are threads of one process. */
#include "strata/abi.h"
#ifdef THREADS
#include "strata/devices.h"
#else
#include "strata/mpi.h"
#ifndef STRATA_MPI_ABI
#include <mpi.h>
#endif
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, UPDATES = 3, INPUT = 40, OUTPUT = 50, WIDTH = 700, FEW = 5000 };

static int ranks;
static int64_t members[MOST], group[2];

#if !defined(THREADS) && !defined(STRATA_MPI_ABI)
static long long sent;

/* Takes MPI's place, as the standard lets tools do. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  sent += count;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
#endif

static int32_t element(int64_t device, int64_t at) { return (int32_t)(device * 1000003 + at); }

/* Which rows a device sends to the member at a position: list 0 is where they begin, 1 how many they are, 2 where they go. */
static int64_t entry(int round, int64_t device, int64_t position, int64_t update, int list) {
  uint64_t mixed = (uint64_t)((((round * 31 + device) * 31 + position) * 31 + update) * 31 + list) * UINT64_C(0x9e3779b97f4a7c15);
  int64_t any = (int64_t)(mixed >> 40);
  static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, OUTPUT, 0};
  if (any % 7 == 0) return odd[any / 7 % 5];
  /* Of one round no two reach the same place. */
  if (round == 0 && list == 2) return (device * UPDATES + update) * 4 % OUTPUT;
  return any % (list == 1 ? (round == 0 ? 4 : 20) : INPUT);
}

static int check(const strata_collectives *to, int64_t device, int round) {
  strata_collective what = {sizeof what, 5, "ragged_all_to_all", 0, 1, group, members, STRATA_I32, 4, 0, 0, NULL};
  int64_t lists[3][MOST * UPDATES], position = 0;
  int32_t *in = malloc(sizeof *in * INPUT * WIDTH), *out = malloc(sizeof *out * OUTPUT * WIDTH);
  int32_t *expected = malloc(sizeof *expected * OUTPUT * WIDTH);
  strata_ragged rows = {sizeof rows, WIDTH, INPUT, OUTPUT, UPDATES, lists[0], lists[1], lists[2], in, out};
  int32_t status;
  int wrong;
  for (int64_t at = 0; at < INPUT * WIDTH; at++) in[at] = element(device, at);
  for (int64_t at = 0; at < OUTPUT * WIDTH; at++) expected[at] = out[at] = -(int32_t)at;
  for (int64_t member = 0; member < ranks; member++) {
    position = members[member] == device ? member : position;
    for (int list = 0; list < 3; list++)
      for (int64_t update = 0; update < UPDATES; update++)
        lists[list][member * UPDATES + update] = entry(round, device, member, update, list);
  }
  for (int64_t member = 0; member < ranks; member++) {
    for (int64_t update = 0; update < UPDATES; update++) {
      int64_t from = entry(round, members[member], position, update, 0), to_row = entry(round, members[member], position, update, 2);
      int64_t size = entry(round, members[member], position, update, 1);
      for (int64_t row = 0; row < size && from >= 0 && to_row >= 0 && row < INPUT - from && row < OUTPUT - to_row; row++)
        for (int64_t at = 0; at < WIDTH; at++)
          expected[(to_row + row) * WIDTH + at] = element(members[member], (from + row) * WIDTH + at);
    }
  }
  status = to->ragged_all_to_all(to->context, &what, &rows);
  wrong = status != STRATA_OK || memcmp(out, expected, sizeof *out * OUTPUT * WIDTH) != 0;
  if (wrong) fprintf(stderr, "device %d, round %d: status %d\n", (int)device, round, (int)status);
  free(in);
  free(out);
  free(expected);
  return wrong;
}

/* Each device sends two of its rows to the next member. */
static int check_few(const strata_collectives *to, int64_t device) {
  strata_collective what = {sizeof what, 5, "ragged_all_to_all", 0, 1, group, members, STRATA_I32, 4, 0, 0, NULL};
  int64_t lists[3][MOST] = {{0}}, position = 0, before;
  int32_t *in = calloc(FEW * 10, sizeof *in), *out = calloc(FEW * 10, sizeof *out);
  strata_ragged rows = {sizeof rows, 10, FEW, FEW, 1, lists[0], lists[1], lists[2], in, out};
  int32_t status;
  int wrong = 0;
  for (int64_t member = 0; member < ranks; member++) position = members[member] == device ? member : position;
  before = members[(position + ranks - 1) % ranks];
  lists[0][(position + 1) % ranks] = FEW - 2;
  lists[1][(position + 1) % ranks] = 2;
  for (int64_t at = 0; at < FEW * 10; at++) in[at] = element(device, at);
#if !defined(THREADS) && !defined(STRATA_MPI_ABI)
  sent = 0;
#endif
  status = to->ragged_all_to_all(to->context, &what, &rows);
#if !defined(THREADS) && !defined(STRATA_MPI_ABI)
  /* 80 bytes of rows, and what says so. */
  if (sent > 80 + ranks * 2 * 100) {
    fprintf(stderr, "device %d sent %lld bytes\n", (int)device, sent);
    wrong = 1;
  }
#endif
  for (int64_t at = 0; at < FEW * 10; at++) wrong |= out[at] != (at < 20 ? element(before, (FEW - 2) * 10 + at) : 0);
  if (wrong || status != STRATA_OK) fprintf(stderr, "device %d, few rows: status %d\n", (int)device, (int)status);
  free(in);
  free(out);
  return wrong || status != STRATA_OK;
}

static int check_all(const strata_collectives *to, int64_t device) {
  int wrong = 0;
  for (int round = 0; round < 6; round++) wrong |= check(to, device, round);
  return wrong | check_few(to, device);
}

#ifdef THREADS
static int32_t body(void *argument, int64_t device, const strata_executor *executor) {
  (void)argument;
  return check_all(executor->host->collectives, device);
}
#endif

int main(int count, char **arguments) {
  int wrong;
  ranks = atoi(arguments[1]);
  /* Not in the order of the ranks. */
  for (int member = 0; member < ranks; member++) members[member] = ranks - 1 - member;
  group[1] = ranks;
#ifdef THREADS
  strata_devices *devices = strata_devices_create(1, ranks, 60);
  (void)count;
  wrong = strata_devices_run(devices, body, NULL) != STRATA_OK;
  strata_devices_destroy(devices);
  if (!wrong) printf("right\n");
  return wrong;
#else
  strata_mpi_options options = {.size = sizeof options, .replicas = 1, .partitions = ranks, .seconds = 60};
  strata_mpi *mpi;
  options.direct_members = atoi(arguments[2]);
  options.library = count > 3 ? arguments[3] : NULL;
  int32_t status = strata_mpi_create(&options, &mpi);
  wrong = status == STRATA_OK && check_all(strata_mpi_collectives(mpi), strata_mpi_rank(mpi));
  if (status == STRATA_OK) status = strata_mpi_end(mpi, STRATA_OK);
  if (status != STRATA_OK) fprintf(stderr, "%s\n", strata_mpi_reason(mpi));
  if (status == STRATA_OK && !wrong && strata_mpi_rank(mpi) == 0) printf("right\n");
  return strata_mpi_destroy(mpi) || status != STRATA_OK || wrong;
#endif
}
