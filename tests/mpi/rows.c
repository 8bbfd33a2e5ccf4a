/* Exchanges of ragged rows, compared with what they should give: rows RANKS DIRECT_MEMBERS. Lists name the same row of an output twice, and
 * places of no rows; then few rows of many, of which no others may be sent. With -DLACKING rows that are not there, which ends all with a
 * status. With -DTHREADS the devices are threads of one process. */
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

#ifdef LACKING
/* The first member sends what it has not, or where nothing is; others send it two rows. It gets a status, and so do they; nothing is written. */
static int check_lacking(const strata_collectives *to, int64_t device) {
  strata_collective what = {sizeof what, 5, "ragged_all_to_all", 0, 1, group, members, STRATA_I32, 4, 0, 0, NULL};
  int64_t lists[3][MOST] = {{0}};
  int32_t in[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, out[8] = {0}, status;
  strata_ragged rows = {sizeof rows, 2, 5, 4, 1, lists[0], lists[1], lists[2], in, out};
  int is_first = device == members[0], wrong = 0, last = ranks - 1;
  strata_collective before = {sizeof before, 5, "all_gather", 0, 1, group, members, STRATA_I32, 4, 0, 0, NULL};
  int32_t number = (int32_t)device, numbers[MOST];
  /* So that all have begun; to some the failure comes already here. */
  status = to->all_gather(to->context, &before, 1, &number, numbers);
  wrong = status != STRATA_OK && (is_first || status != STRATA_DEVICE_FAILED);
  lists[1][0] = 2;
  if (is_first) {
    lists[1][last] = 3;
    if (ranks == 1) lists[1][last] = -1;
    if (ranks == 2) lists[0][last] = 3;
    if (ranks == 3) lists[2][last] = 2;
    if (ranks == 4) lists[0][last] = -1;
    if (ranks == 5) lists[0][last] = INT64_MAX;
  }
  status = to->ragged_all_to_all(to->context, &what, &rows);
  for (int at = 0; at < 8; at++) wrong |= out[at] != 0;
  wrong |= status != (is_first ? STRATA_WRONG_SIZES : STRATA_DEVICE_FAILED);
  if (wrong) fprintf(stderr, "device %d, rows that are not there: status %d\n", (int)device, (int)status);
  return wrong;
}

/* Whether the reason names the device, and what it wanted to send. */
static int is_named(const char *reason) {
  char name[40];
  static const char *const sent[] = {"", "sends -1 rows", "3 rows from row 3 on, of 5", "to row 2 on, of 4", "from row -1 on", "from row 9223372036854775807 on"};
#ifdef THREADS
  snprintf(name, sizeof name, "device %d in ragged_all_to_all", (int)members[0]);
#else
  snprintf(name, sizeof name, "rank %d in ragged_all_to_all", (int)members[0]);
#endif
  if (strncmp(reason, name, strlen(name)) == 0 && strstr(reason, sent[ranks]) != NULL) return 1;
  fprintf(stderr, "the reason is: %s\n", reason);
  return 0;
}

static int check_all(const strata_collectives *to, int64_t device) { return check_lacking(to, device); }
#else
static int is_named(const char *reason) {
  if (reason[0] != 0) fprintf(stderr, "%s\n", reason);
  return reason[0] == 0;
}

static int32_t element(int64_t device, int64_t at) { return (int32_t)(device * 1000003 + at); }

static int64_t mixed(int round, int64_t device, int64_t position, int64_t update, int list) {
  uint64_t all = (uint64_t)((((round * 31 + device) * 31 + position) * 31 + update) * 31 + list) * UINT64_C(0x9e3779b97f4a7c15);
  return (int64_t)(all >> 40);
}

/* Which rows a device sends to the member at a position: list 0 is where they begin, 1 how many they are, 2 where they go. */
static int64_t entry(int round, int64_t device, int64_t position, int64_t update, int list) {
  static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, OUTPUT, 0};
  int64_t from = mixed(round, device, position, update, 0) % (INPUT + 1), to = mixed(round, device, position, update, 2) % (OUTPUT + 1);
  int64_t any = mixed(round, device, position, update, 1), size = any % (round == 0 ? 4 : 20);
  /* Of one round no two reach the same place. */
  if (round == 0) to = (device * UPDATES + update) * 4 % OUTPUT;
  if (size > INPUT - from) size = INPUT - from;
  if (size > OUTPUT - to) size = OUTPUT - to;
  /* Rows that are none may be anywhere. */
  if (size == 0) from = odd[any / 20 % 5], to = odd[any / 100 % 5];
  return list == 0 ? from : list == 1 ? size : to;
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
#endif
#ifdef THREADS
static int32_t body(void *argument, int64_t device, const strata_executor *executor) {
  int *wrong = argument;
  wrong[device] = check_all(executor->host->collectives, device);
  return STRATA_OK;
}
#endif

int main(int count, char **arguments) {
  int wrong;
  ranks = atoi(arguments[1]);
  /* Not in the order of the ranks. */
  for (int member = 0; member < ranks; member++) members[member] = ranks - 1 - member;
  group[1] = ranks;
#ifdef THREADS
  int all[MOST] = {0};
  strata_devices *devices = strata_devices_create(1, ranks, 60);
  (void)count;
  strata_devices_run(devices, body, all);
  wrong = !is_named(strata_devices_reason(devices));
  for (int device = 0; device < ranks; device++) wrong |= all[device];
  strata_devices_destroy(devices);
  if (!wrong) printf("right\n");
  return wrong;
#else
  strata_mpi_options options = {.size = sizeof options, .replicas = 1, .partitions = ranks, .seconds = 60};
  strata_mpi *mpi;
  options.direct_members = atoi(arguments[2]);
  options.library = count > 3 ? arguments[3] : NULL;
  if (strata_mpi_create(&options, &mpi) != STRATA_OK) {
    fprintf(stderr, "%s\n", strata_mpi_reason(mpi));
    return 1;
  }
  wrong = check_all(strata_mpi_collectives(mpi), strata_mpi_rank(mpi));
  strata_mpi_end(mpi, STRATA_OK);
  wrong |= !is_named(strata_mpi_reason(mpi));
  if (!wrong && strata_mpi_rank(mpi) == 0) printf("right\n");
  strata_mpi_destroy(mpi);
  return wrong;
#endif
}
