/* The functions of strata/mpi.h, which says how to compile this file.
 *
 * Two ways lead through it. Small groups exchange values by messages between all pairs ("direct"): the first message of each pair says what
 * its sender is doing, with the values if they are few, so that ranks that do different things find out, and sums are computed in the
 * order of the group at no price. Larger groups agree first, by the same messages in a logarithmic number of rounds, and then use MPI's
 * collective functions on a communicator of the group, which is made once. In both, nothing waits without a time limit: operations are
 * the nonblocking ones, which are tested until they are complete, the time is over, or a rank says that it has failed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "abi.h"
#include "mpi.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef STRATA_MPI_ABI
#include "mpi_abi.h"
#include <dlfcn.h>
#else
#include <mpi.h>
#endif

/* Values of at most so many bytes travel with the message that says what they are: with it they are below 4 KiB, up to which Open MPI
 * sends at once. */
#define EAGER 3968
/* Up to so many bytes of values are sent in two messages of EAGER bytes: Open MPI takes longer for one that it does not send at once than
 * for two, but not than for three. */
#ifdef OPEN_MPI
#define SHORT (2 * EAGER)
#else
#define SHORT 0
#endif
/* Up to so many bytes, a sum of two ranks is computed by both, after one exchange instead of two. */
#define WHOLE 32768
/* Larger sums are computed in pieces of so many bytes, which stay in the second-level cache, while the next ones travel. */
#define PIECE (256 << 10)
/* The most bytes of one message, and of one collective function of MPI: counts are of type int. Tests set a small number. */
#ifndef STRATA_MPI_MOST
#define STRATA_MPI_MOST (1 << 30)
#endif
#define MOST ((size_t)STRATA_MPI_MOST)
/* Elements that are combined at a time: the partial results stay in the first-level cache. */
#define BLOCK 1024
/* Tests of a request before the rank gives its processor to others that want it. */
#define SPINS 64
#define REASON 512
/* What ranks are in at their beginning and end. */
#define BEGINNING "strata_mpi_create"
#define END "strata_mpi_end"

enum { TAG_HEAD = 1, TAG_DATA, TAG_RESULT, TAG_SEND, TAG_SENT, TAG_NOTICE, TAG_GROUP };

/* What a rank is doing; the first message to another one. */
typedef struct head {
  uint64_t program;
  uint64_t groups; /* a hash of the members, and of how values are combined */
  int64_t channel;
  int64_t bytes;
  int32_t element_type;
  char operation[28];
} head;

/* Says to all others that a rank has failed. */
typedef struct notice {
  int32_t status;
  char reason[252];
} notice;

/* Operations under way. */
typedef struct pending {
  MPI_Request *requests;
  int *peers; /* -1 for all of a group */
  char *receives;
  int count, room;
  int done; /* so many of the first ones are complete */
} pending;

/* The communicator of a group. */
typedef struct group {
  struct group *next;
  MPI_Comm comm;
  int count;
  int64_t members[];
} group;

/* An exchange between `start` and `wait`. */
struct flight;

/* Something sent that may not have been received yet. */
typedef struct parcel {
  struct parcel *next;
  head said;
  int peer;
  pending requests;
  char *data;
} parcel;

struct strata_mpi {
  strata_collectives collectives;
  strata_host host;
  strata_executor executor;
  strata_mpi_options options;
  MPI_Comm all;
  int rank, size;
  int has_all, owns_mpi, listens, has_processors, overlaps;
  MPI_Request listening;
  notice heard;
  notice said;
  int32_t status;
  char reason[REASON];
  group *groups;
  parcel *sent;       /* under way */
  parcel *received;   /* taken from MPI, not yet asked for */
  int64_t *sent_to;   /* how many, by rank */
  int64_t *got_from;  /* the same, as far as they were asked for */
  struct flight *flights; /* under way */
  struct flight *idle;    /* no more under way; their memory is used again */
  pending heads, values[2], results[2];
  char *slots; /* first messages: one of each member, then those to them */
  char *scratch;
  size_t scratch_size;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static size_t smaller(size_t one, size_t other) { return one < other ? one : other; }

/* ---- Blocking functions of MPI ---- */

/* Ends the process if MPI does not return. */
typedef struct watch {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int is_over, is_running;
  double seconds;
  const char *where;
  int32_t status;
} watch;

static void *watch_thread(void *argument) {
  watch *own = argument;
  struct timespec deadline;
  double whole = own->seconds > 1e9 ? 1e9 : own->seconds;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += (time_t)whole;
  deadline.tv_nsec += (long)((whole - (double)(time_t)whole) * 1e9);
  if (deadline.tv_nsec >= 1000000000L) {
    deadline.tv_sec += 1;
    deadline.tv_nsec -= 1000000000L;
  }
  pthread_mutex_lock(&own->mutex);
  while (!own->is_over) {
    if (pthread_cond_timedwait(&own->changed, &own->mutex, &deadline) != 0 && !own->is_over) {
      fprintf(stderr, "strata: this process waited %g seconds in %s for other ranks, and ends\n", own->seconds, own->where);
      fflush(stderr);
      _exit(own->status);
    }
  }
  pthread_mutex_unlock(&own->mutex);
  return NULL;
}

static void watch_begin(watch *own, const char *where, double seconds, int32_t status) {
  memset(own, 0, sizeof *own);
  own->where = where;
  own->seconds = seconds;
  own->status = status;
  pthread_mutex_init(&own->mutex, NULL);
  pthread_cond_init(&own->changed, NULL);
  own->is_running = pthread_create(&own->thread, NULL, watch_thread, own) == 0;
}

static void watch_end(watch *own) {
  if (own->is_running) {
    pthread_mutex_lock(&own->mutex);
    own->is_over = 1;
    pthread_cond_signal(&own->changed);
    pthread_mutex_unlock(&own->mutex);
    pthread_join(own->thread, NULL);
  }
  pthread_cond_destroy(&own->changed);
  pthread_mutex_destroy(&own->mutex);
}

/* ---- Failures ---- */

/* Notes the first failure, and tells it to all others if there is something to tell them by. */
static int32_t fail(strata_mpi *mpi, int32_t status, const char *format, ...) {
  va_list arguments;
  int peer;
  if (mpi->status != STRATA_OK) {
    return mpi->status;
  }
  mpi->status = status;
  va_start(arguments, format);
  vsnprintf(mpi->reason, sizeof mpi->reason, format, arguments);
  va_end(arguments);
  if (!mpi->listens) {
    return status;
  }
  mpi->said.status = status;
  snprintf(mpi->said.reason, sizeof mpi->said.reason, "%.251s", mpi->reason);
  for (peer = 0; peer < mpi->size; peer++) {
    if (peer != mpi->rank) {
      /* Its end is not waited for: what it is sent from stays until the process ends, or all have said farewell. */
      MPI_Request request;
      MPI_Isend(&mpi->said, (int)sizeof mpi->said, MPI_BYTE, peer, TAG_NOTICE, mpi->all, &request);
    }
  }
  return status;
}

static int32_t fail_by_mpi(strata_mpi *mpi, int error, const char *where) {
  char text[MPI_MAX_ERROR_STRING + 1];
  int length = 0;
  if (MPI_Error_string(error, text, &length) != MPI_SUCCESS) {
    length = 0;
  }
  text[length] = 0;
  return fail(mpi, STRATA_DEVICE_FAILED, "rank %d in %s: MPI says: %s", mpi->rank, where, text);
}

static int32_t no_memory(strata_mpi *mpi, const char *where) {
  return fail(mpi, STRATA_DEVICE_FAILED, "rank %d in %s: there is no memory", mpi->rank, where);
}

/* Looks whether another rank has failed. */
static void listen(strata_mpi *mpi) {
  int flag = 0;
  if (mpi->listens && mpi->status == STRATA_OK && MPI_Test(&mpi->listening, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag) {
    mpi->listens = 0;
    mpi->status = STRATA_DEVICE_FAILED;
    mpi->heard.reason[sizeof mpi->heard.reason - 1] = 0;
    snprintf(mpi->reason, sizeof mpi->reason, "%s", mpi->heard.reason);
  }
}

/* ---- Requests ---- */

/* Room for one more request; NULL if there is no memory. */
static MPI_Request *another(pending *all, int peer, int receives) {
  if (all->count == all->room) {
    int room = all->room == 0 ? 64 : 2 * all->room;
    MPI_Request *requests = realloc(all->requests, (size_t)room * sizeof *requests);
    int *peers;
    char *kinds;
    if (requests != NULL) {
      all->requests = requests;
    }
    peers = realloc(all->peers, (size_t)room * sizeof *peers);
    if (peers != NULL) {
      all->peers = peers;
    }
    kinds = realloc(all->receives, (size_t)room);
    if (kinds != NULL) {
      all->receives = kinds;
    }
    if (requests == NULL || peers == NULL || kinds == NULL) {
      return NULL;
    }
    all->room = room;
  }
  all->peers[all->count] = peer;
  all->receives[all->count] = (char)receives;
  all->requests[all->count] = MPI_REQUEST_NULL;
  return &all->requests[all->count++];
}

static void release(pending *all) {
  free(all->requests);
  free(all->peers);
  free(all->receives);
  memset(all, 0, sizeof *all);
}

/* Takes back what has not been received, so that nothing is written to the buffers any more. What is sent is only read. */
static void cancel(pending *all) {
  int at, tries, flag;
  for (at = 0; at < all->count; at++) {
    if (all->requests[at] == MPI_REQUEST_NULL || !all->receives[at]) {
      continue;
    }
    MPI_Cancel(&all->requests[at]);
    for (tries = 0, flag = 0; tries < 1000 && !flag; tries++) {
      if (MPI_Test(&all->requests[at], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        break;
      }
    }
  }
  all->count = all->done = 0;
}

static void cancel_flights(strata_mpi *mpi);

static void cancel_all(strata_mpi *mpi) {
  int at;
  cancel_flights(mpi);
  cancel(&mpi->heads);
  for (at = 0; at < 2; at++) {
    cancel(&mpi->values[at]);
    cancel(&mpi->results[at]);
  }
}

/* Whether all are complete. Only the first that is not is tested: each test makes all of them go on. */
static int test_all(pending *all, int *flag) {
  int error = MPI_SUCCESS;
  *flag = 1;
  while (all->done < all->count && *flag && error == MPI_SUCCESS) {
    error = MPI_Test(&all->requests[all->done], flag, MPI_STATUS_IGNORE);
    all->done += error == MPI_SUCCESS && *flag;
  }
  return error;
}

/* The ranks that requests wait for, in words. */
static void name_peers(const strata_mpi *mpi, const pending *all, char *text, size_t room) {
  int at, before, named = 0;
  size_t used = 0;
  text[0] = 0;
  for (at = 0; at < all->count && used + 16 < room; at++) {
    int peer = all->peers[at], is_new = 1;
    if (all->requests[at] == MPI_REQUEST_NULL || peer == mpi->rank) {
      continue;
    }
    for (before = 0; before < at; before++) {
      is_new &= !(all->requests[before] != MPI_REQUEST_NULL && all->peers[before] == peer);
    }
    if (is_new && peer >= 0) {
      used += (size_t)snprintf(text + used, room - used, "%s%d", named++ == 0 ? "rank " : ", ", peer);
    }
  }
  if (named == 0) {
    snprintf(text, room, "its group");
  }
}

/* How long a wait has lasted; the clock is looked at only where it lasts. */
typedef struct patience {
  double begin, deadline;
  unsigned polls;
  int is_long;
} patience;

/* How many ranks launchers say are on this machine, or 0. */
static long ranks_here(void) {
  static const char *const counts[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
  long ranks = 0;
  size_t at;
  for (at = 0; at < sizeof counts / sizeof *counts; at++) {
    const char *count = getenv(counts[at]);
    long here = count == NULL ? 0 : atol(count);
    ranks = here > 0 && (ranks == 0 || here < ranks) ? here : ranks;
  }
  return ranks;
}

/* Whether the ranks on this machine have a processor each, as far as launchers say: then a rank that waits takes none from another, and
 * one that gave its own to another program would wait for that one's end. */
static int has_processors(const strata_mpi *mpi) {
  long here = ranks_here();
  return (here > 0 && here < mpi->size ? here : mpi->size) <= sysconf(_SC_NPROCESSORS_ONLN);
}

/* Between two tests: looks at failures and the time, and gives the processor to others that may need it. */
static int32_t pause_between(strata_mpi *mpi, pending *all, patience *own, const char *where) {
  struct timespec nap = {0, 50000};
  double time;
  own->polls++;
  if (own->polls < SPINS) {
    return STRATA_OK;
  }
  if (own->is_long || !mpi->has_processors) {
    sched_yield();
  }
  if (own->polls % 16 != 0) {
    return STRATA_OK;
  }
  listen(mpi);
  if (mpi->status != STRATA_OK) {
    return STRATA_DEVICE_FAILED;
  }
  time = now();
  if (own->begin == 0) {
    own->begin = time;
    own->deadline = time + mpi->options.seconds;
  }
  if (time > own->deadline) {
    char peers[128];
    int at, flag;
    for (at = 0; at < all->count; at++) {
      /* Those that are complete become null. */
      MPI_Test(&all->requests[at], &flag, MPI_STATUS_IGNORE);
    }
    name_peers(mpi, all, peers, sizeof peers);
    return fail(mpi, STRATA_TIMED_OUT, "rank %d waited %g seconds in %s for %s", mpi->rank, mpi->options.seconds, where, peers);
  }
  own->is_long = time > own->begin + 0.02;
  if (own->is_long) {
    nanosleep(&nap, NULL);
  }
  return STRATA_OK;
}

/* Waits for all requests; on another status than 0 none is left that writes to a buffer, but for MPI's collective functions. */
static int32_t wait_for(strata_mpi *mpi, pending *all, patience *own, const char *where) {
  int32_t status = STRATA_OK;
  while (all->count > 0) {
    int flag, error = test_all(all, &flag);
    if (error != MPI_SUCCESS) {
      status = fail_by_mpi(mpi, error, where);
    } else if (flag) {
      all->count = all->done = 0;
    } else {
      status = pause_between(mpi, all, own, where);
    }
    if (status != STRATA_OK) {
      cancel(all);
      cancel_all(mpi);
      return status;
    }
  }
  return STRATA_OK;
}

/* The most bytes of each message for so many. */
static size_t part_of(size_t bytes, int tag) { return bytes <= SHORT && tag == TAG_DATA ? EAGER : MOST; }

/* Begins to receive at `to`, or to send what is at `from`; returns what MPI does, or -1 without memory. */
static int post(strata_mpi *mpi, pending *all, char *to, const char *from, size_t bytes, int peer, int tag) {
  size_t most = part_of(bytes, tag), at;
  int error = MPI_SUCCESS;
  for (at = 0; at < bytes && error == MPI_SUCCESS; at += most) {
    int part = (int)smaller(most, bytes - at);
    MPI_Request *request = another(all, peer, to != NULL);
    if (request == NULL) {
      return -1;
    }
    error = to != NULL ? MPI_Irecv(to + at, part, MPI_BYTE, peer, tag, mpi->all, request)
                       : MPI_Isend(from + at, part, MPI_BYTE, peer, tag, mpi->all, request);
  }
  return error;
}

static int post_receive(strata_mpi *mpi, pending *all, void *data, size_t bytes, int peer, int tag) {
  return post(mpi, all, data, NULL, bytes, peer, tag);
}

static int post_send(strata_mpi *mpi, pending *all, const void *data, size_t bytes, int peer, int tag) {
  return post(mpi, all, NULL, data, bytes, peer, tag);
}

static int32_t posted(strata_mpi *mpi, int error, const char *where) {
  if (error == MPI_SUCCESS) {
    return STRATA_OK;
  }
  cancel_all(mpi);
  return error == -1 ? no_memory(mpi, where) : fail_by_mpi(mpi, error, where);
}

/* ---- Who does what ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static head head_of(const strata_collective *what, const int64_t *members, int64_t count, size_t bytes) {
  head own;
  uint64_t hash = mix((uint64_t)what->reduction, (uint64_t)count);
  int64_t at;
  memset(&own, 0, sizeof own);
  for (at = 0; at < count; at++) {
    hash = mix(hash, (uint64_t)members[at]);
  }
  own.program = what->program;
  own.groups = hash;
  own.channel = what->channel;
  own.bytes = (int64_t)bytes;
  own.element_type = what->element_type;
  memcpy(own.operation, what->operation, strnlen(what->operation, sizeof own.operation - 1));
  return own;
}

/* Compares what another rank is doing with what this one is. */
static int32_t check(strata_mpi *mpi, const head *own, const head *other, int peer) {
  if (memcmp(own, other, sizeof *own) == 0) {
    return STRATA_OK;
  }
  if (strncmp(other->operation, END, sizeof other->operation) == 0) {
    return fail(mpi, STRATA_DEVICE_FAILED, "rank %d has ended, and rank %d waits for it in %s", peer, mpi->rank, own->operation);
  }
  if (strncmp(own->operation, END, sizeof own->operation) == 0) {
    return fail(mpi, STRATA_DEVICE_FAILED, "rank %d has ended, and rank %d waits for it in %.27s", mpi->rank, peer, other->operation);
  }
  if (own->program != other->program) {
    return fail(mpi, STRATA_DIFFERENT_PROGRAMS, "rank %d runs another program than rank %d", peer, mpi->rank);
  }
  if (memcmp(own->operation, other->operation, sizeof own->operation) != 0 || own->bytes != other->bytes) {
    return fail(mpi, STRATA_DIFFERENT_PROGRAMS, "rank %d is in %s of %lld bytes, and rank %d in %.27s of %lld bytes", mpi->rank,
                own->operation, (long long)own->bytes, peer, other->operation, (long long)other->bytes);
  }
  return fail(mpi, STRATA_DIFFERENT_PROGRAMS, "ranks %d and %d are in %s with other groups, types or channels", mpi->rank, peer,
              own->operation);
}

/* All members say what they do, in rounds: in each, a member hears of twice as many as before. Returns when all have come. */
static int32_t agree(strata_mpi *mpi, const head *own, const int64_t *members, int64_t count, int64_t position) {
  patience patient = {0, 0, 0, 0};
  int64_t step;
  for (step = 1; step < count; step *= 2) {
    int to = (int)members[(position + step) % count], from = (int)members[(position + count - step) % count];
    head *other = (head *)mpi->slots;
    int32_t status;
    int error = post_receive(mpi, &mpi->heads, other, sizeof *other + EAGER, from, TAG_HEAD);
    if (error == MPI_SUCCESS) {
      error = post_send(mpi, &mpi->heads, own, sizeof *own, to, TAG_HEAD);
    }
    status = posted(mpi, error, own->operation);
    if (status == STRATA_OK) {
      status = wait_for(mpi, &mpi->heads, &patient, own->operation);
    }
    if (status == STRATA_OK) {
      status = check(mpi, own, other, from);
    }
    if (status != STRATA_OK) {
      return status;
    }
  }
  return STRATA_OK;
}

/* The first message of member `at`, and that to it, of a group of up to `direct_members`. */
#define SLOT (sizeof(head) + EAGER)

static char *incoming(char *slots, int64_t at) { return slots + (size_t)at * SLOT; }

static char *outgoing(const strata_mpi *mpi, char *slots, int64_t at) {
  return slots + ((size_t)mpi->options.direct_members + (size_t)at) * SLOT;
}

/* What a member exchanges with the others. */
typedef struct swap {
  const head *own;
  const int64_t *members;
  int64_t count, position;
  const char *input; /* what is sent to member `at` is `input + at * input_step` */
  size_t input_step;
  char *output; /* what it sent is at `output + at * output_step`, or with the first message */
  size_t output_step;
  size_t bytes;
} swap;

/* Posts the first messages, in `slots`: with the values if these are few; without values if `bytes` is 0. */
static int post_heads(strata_mpi *mpi, pending *all, char *slots, const swap *what, size_t bytes) {
  int64_t turn;
  int error = MPI_SUCCESS;
  size_t with = bytes <= EAGER ? bytes : 0;
  for (turn = 1; turn < what->count && error == MPI_SUCCESS; turn++) {
    int64_t from = (what->position + what->count - turn) % what->count;
    error = post_receive(mpi, all, incoming(slots, from), SLOT, (int)what->members[from], TAG_HEAD);
  }
  for (turn = 1; turn < what->count && error == MPI_SUCCESS; turn++) {
    int64_t to = (what->position + turn) % what->count;
    /* The same message for all if all get the same. */
    char *message = outgoing(mpi, slots, what->input_step == 0 ? 0 : to);
    if (turn == 1 || what->input_step != 0) {
      memcpy(message, what->own, sizeof *what->own);
      if (with > 0) {
        memcpy(message + sizeof *what->own, what->input + (size_t)to * what->input_step, with);
      }
    }
    error = post_send(mpi, all, message, sizeof *what->own + with, (int)what->members[to], TAG_HEAD);
  }
  return error;
}

static int32_t wait_for_heads(strata_mpi *mpi, pending *all, char *slots, const swap *what, patience *patient) {
  int32_t status = wait_for(mpi, all, patient, what->own->operation);
  int64_t at;
  for (at = 0; at < what->count && status == STRATA_OK; at++) {
    if (at != what->position) {
      status = check(mpi, what->own, (const head *)incoming(slots, at), (int)what->members[at]);
    }
  }
  if (status != STRATA_OK) {
    cancel_all(mpi);
  }
  return status;
}

/* Begins to exchange a block with each other member. */
static int post_blocks(strata_mpi *mpi, pending *heads, pending *values, char *slots, const swap *what) {
  int64_t turn;
  int error = MPI_SUCCESS, is_large = what->bytes > EAGER;
  for (turn = 1; turn < what->count && error == MPI_SUCCESS && is_large; turn++) {
    int64_t from = (what->position + what->count - turn) % what->count;
    error = post_receive(mpi, values, what->output + (size_t)from * what->output_step, what->bytes, (int)what->members[from],
                         TAG_DATA);
  }
  if (error == MPI_SUCCESS) {
    error = post_heads(mpi, heads, slots, what, what->bytes);
  }
  for (turn = 1; turn < what->count && error == MPI_SUCCESS && is_large; turn++) {
    int64_t to = (what->position + turn) % what->count;
    error = post_send(mpi, values, what->input + (size_t)to * what->input_step, what->bytes, (int)what->members[to], TAG_DATA);
  }
  return error;
}

/* `places` gets where the blocks of all members are when they have come. */
static void blocks_of(char *slots, const swap *what, const char **places) {
  int64_t at;
  for (at = 0; at < what->count; at++) {
    places[at] = what->bytes > EAGER ? what->output + (size_t)at * what->output_step : incoming(slots, at) + sizeof(head);
  }
  places[what->position] = what->input + (size_t)what->position * what->input_step;
}

/* Exchanges a block with each other member; `places` gets where those of the others are. */
static int32_t exchange(strata_mpi *mpi, const swap *what, const char **places) {
  patience patient = {0, 0, 0, 0};
  int32_t status =
      posted(mpi, post_blocks(mpi, &mpi->heads, &mpi->values[0], mpi->slots, what), what->own->operation);
  blocks_of(mpi->slots, what, places);
  if (status == STRATA_OK) {
    status = wait_for_heads(mpi, &mpi->heads, mpi->slots, what, &patient);
  }
  if (status == STRATA_OK) {
    status = wait_for(mpi, &mpi->values[0], &patient, what->own->operation);
  }
  return status;
}

/* ---- Combining ---- */

/* Combines `count` elements of all places, in their order. */
static void combine(const strata_collective *what, const char *const *places, int64_t members, char *result, size_t count) {
  size_t block, size = (size_t)what->element_size;
  int64_t at;
  if (members == 1) {
    memcpy(result, places[0], count * size);
    return;
  }
  for (block = 0; block < count; block += BLOCK) {
    size_t rest = count - block < BLOCK ? count - block : BLOCK, place = block * size;
    what->combine(places[0] + place, places[1] + place, result + place, (int64_t)rest);
    for (at = 2; at < members; at++) {
      what->combine(result + place, places[at] + place, result + place, (int64_t)rest);
    }
  }
}

/* Bytes to work with, the same ones every time. */
static char *scratch(strata_mpi *mpi, size_t bytes) {
  if (mpi->scratch_size < bytes) {
    void *memory = NULL;
    free(mpi->scratch);
    mpi->scratch = NULL;
    mpi->scratch_size = 0;
    if (posix_memalign(&memory, 64, bytes) != 0) {
      return NULL;
    }
    mpi->scratch = memory;
    mpi->scratch_size = bytes;
  }
  return mpi->scratch;
}

/* Where the share of member `at` of `count` elements begins; that of the next one is its end. */
static size_t share(size_t count, int64_t members, int64_t at) {
  size_t parts = (size_t)members, part = (size_t)at;
  return count / parts * part + smaller(part, count % parts);
}

/* Each member combines its share of `count` elements, in pieces, while the next ones travel. With `is_whole` it gives each
 * result to all, which go to their places in `output`; else `output` is that of its share. */
static int32_t reduce_pieces(strata_mpi *mpi, const strata_collective *what, const swap *group, size_t count, int is_whole,
                             char *output) {
  const char *operation = group->own->operation, *places[64];
  size_t size = (size_t)what->element_size, piece = PIECE / size > 0 ? PIECE / size : 1;
  size_t mine = share(count, group->count, group->position), my_end = share(count, group->count, group->position + 1);
  size_t most = share(count, group->count, 1), pieces = (most + piece - 1) / piece, at, stride = smaller(piece, most) * size;
  patience patient = {0, 0, 0, 0};
  char *buffers = scratch(mpi, 2 * (size_t)group->count * stride);
  int32_t status = buffers == NULL ? no_memory(mpi, operation) : STRATA_OK;
  int64_t turn;
  int error = MPI_SUCCESS;
  if (status == STRATA_OK) {
    status = posted(mpi, post_heads(mpi, &mpi->heads, mpi->slots, group, 0), operation);
  }
  for (at = 0; at <= pieces && status == STRATA_OK; at++) {
    pending *values = &mpi->values[at % 2], *before = &mpi->values[(at + 1) % 2], *results = &mpi->results[(at + 1) % 2];
    size_t begin, length;
    if (at < pieces) {
      for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
        int64_t from = (group->position + group->count - turn) % group->count;
        if (mine + at * piece < my_end) {
          error = post_receive(mpi, values, buffers + ((at % 2) * (size_t)group->count + (size_t)from) * stride,
                               smaller(piece, my_end - mine - at * piece) * size, (int)group->members[from], TAG_DATA);
        }
      }
      for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
        int64_t to = (group->position + turn) % group->count;
        size_t first = share(count, group->count, to) + at * piece, end = share(count, group->count, to + 1);
        if (first < end) {
          error = post_send(mpi, values, group->input + first * size, smaller(piece, end - first) * size,
                            (int)group->members[to], TAG_DATA);
        }
      }
      status = posted(mpi, error, operation);
    }
    if (at == 0) {
      status = status == STRATA_OK ? wait_for_heads(mpi, &mpi->heads, mpi->slots, group, &patient) : status;
      continue;
    }
    if (status == STRATA_OK) {
      status = wait_for(mpi, before, &patient, operation);
    }
    if (status == STRATA_OK) {
      status = wait_for(mpi, results, &patient, operation);
    }
    if (status != STRATA_OK) {
      break;
    }
    begin = mine + (at - 1) * piece;
    length = begin < my_end ? smaller(piece, my_end - begin) : 0;
    for (turn = 0; turn < group->count; turn++) {
      places[turn] = turn == group->position
                         ? group->input + begin * size
                         : buffers + (((at + 1) % 2) * (size_t)group->count + (size_t)turn) * stride;
    }
    combine(what, places, group->count, output + (is_whole ? begin : begin - mine) * size, length);
    if (!is_whole) {
      continue;
    }
    for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
      int64_t from = (group->position + group->count - turn) % group->count;
      size_t first = share(count, group->count, from) + (at - 1) * piece, end = share(count, group->count, from + 1);
      if (first < end) {
        error = post_receive(mpi, results, output + first * size, smaller(piece, end - first) * size,
                             (int)group->members[from], TAG_RESULT);
      }
    }
    for (turn = 1; turn < group->count && error == MPI_SUCCESS && length > 0; turn++) {
      int64_t to = (group->position + turn) % group->count;
      error = post_send(mpi, results, output + begin * size, length * size, (int)group->members[to], TAG_RESULT);
    }
    status = posted(mpi, error, operation);
  }
  for (at = 0; at < 2; at++) {
    if (status == STRATA_OK) {
      status = wait_for(mpi, &mpi->results[at], &patient, operation);
    }
  }
  return status;
}

/* ---- MPI's collective functions ---- */

/* The communicator of a group, made at its first use by all of its members, which are all there. */
static int32_t communicator(strata_mpi *mpi, const int64_t *members, int64_t count, const char *where, MPI_Comm *result) {
  group *own;
  int *ranks;
  int64_t at;
  int error;
  MPI_Group everyone, chosen;
  watch guard;
  for (own = mpi->groups; own != NULL; own = own->next) {
    if (own->count == count && memcmp(own->members, members, (size_t)count * sizeof *members) == 0) {
      *result = own->comm;
      return STRATA_OK;
    }
  }
  own = malloc(sizeof *own + (size_t)count * sizeof *members);
  ranks = malloc((size_t)count * sizeof *ranks);
  if (own == NULL || ranks == NULL) {
    free(own);
    free(ranks);
    return no_memory(mpi, where);
  }
  memcpy(own->members, members, (size_t)count * sizeof *members);
  own->count = (int)count;
  for (at = 0; at < count; at++) {
    ranks[at] = (int)members[at];
  }
  watch_begin(&guard, "MPI_Comm_create_group", mpi->options.seconds, STRATA_TIMED_OUT);
  error = MPI_Comm_group(mpi->all, &everyone);
  if (error == MPI_SUCCESS) {
    error = MPI_Group_incl(everyone, (int)count, ranks, &chosen);
    if (error == MPI_SUCCESS) {
      error = MPI_Comm_create_group(mpi->all, chosen, TAG_GROUP, &own->comm);
      MPI_Group_free(&chosen);
    }
    MPI_Group_free(&everyone);
  }
  watch_end(&guard);
  free(ranks);
  if (error == MPI_SUCCESS) {
    error = MPI_Comm_set_errhandler(own->comm, MPI_ERRORS_RETURN);
  }
  if (error != MPI_SUCCESS) {
    free(own);
    return fail_by_mpi(mpi, error, where);
  }
  own->next = mpi->groups;
  mpi->groups = own;
  *result = own->comm;
  return STRATA_OK;
}

/* `bytes` bytes, of which the next ones begin `step` bytes later; MPI counts them in pointers' size, however far that is. */
static int strided(size_t bytes, size_t step, MPI_Datatype *result) {
  MPI_Datatype inner;
  int error = MPI_Type_contiguous((int)bytes, MPI_BYTE, &inner);
  if (error == MPI_SUCCESS) {
    error = MPI_Type_create_resized(inner, 0, (MPI_Aint)step, result);
    MPI_Type_free(&inner);
  }
  return error == MPI_SUCCESS ? MPI_Type_commit(result) : error;
}

enum operation { GATHER, TRANSPOSE, BROADCAST };

/* Moves blocks of `bytes` bytes, whose steps in `input` and `output` are given, by a collective function. */
static int32_t move_by_mpi(strata_mpi *mpi, enum operation kind, MPI_Comm comm, const head *own, const char *input,
                           size_t input_step, char *output, size_t output_step, size_t bytes) {
  patience patient = {0, 0, 0, 0};
  size_t begin;
  int32_t status = STRATA_OK;
  for (begin = 0; begin < bytes && status == STRATA_OK; begin += MOST) {
    size_t part = smaller(bytes - begin, MOST);
    MPI_Datatype from = MPI_BYTE, to = MPI_BYTE;
    int makes_from = kind == TRANSPOSE && part != input_step, makes_to = kind != BROADCAST && part != output_step;
    int error = MPI_SUCCESS, count_from = makes_from ? 1 : (int)part, count_to = makes_to ? 1 : (int)part;
    MPI_Request *request = another(&mpi->values[0], -1, 0);
    if (request == NULL) {
      return no_memory(mpi, own->operation);
    }
    if (makes_from) {
      error = strided(part, input_step, &from);
    }
    if (makes_to && error == MPI_SUCCESS) {
      error = strided(part, output_step, &to);
    }
    if (error == MPI_SUCCESS) {
      switch (kind) {
      case GATHER:
        error = MPI_Iallgather(input + begin, (int)part, MPI_BYTE, output + begin, count_to, to, comm, request);
        break;
      case TRANSPOSE:
        error = MPI_Ialltoall(input + begin, count_from, from, output + begin, count_to, to, comm, request);
        break;
      default:
        error = MPI_Ibcast(output + begin, (int)part, MPI_BYTE, 0, comm, request);
      }
    }
    status = posted(mpi, error, own->operation);
    if (status == STRATA_OK) {
      status = wait_for(mpi, &mpi->values[0], &patient, own->operation);
    }
    if (makes_from) {
      MPI_Type_free(&from);
    }
    if (makes_to) {
      MPI_Type_free(&to);
    }
  }
  return status;
}

/* The names that MPI has for a reduction and a type; 0 if it has none, or computes something else: minimum and maximum of
 * floating-point numbers, of which one may be NaN. */
static int known(const strata_collective *what, MPI_Op *op, MPI_Datatype *type) {
  int is_bits = 0;
  switch (what->reduction) {
  case STRATA_REDUCE_SUM: *op = MPI_SUM; break;
  case STRATA_REDUCE_PRODUCT: *op = MPI_PROD; break;
  case STRATA_REDUCE_MINIMUM: *op = MPI_MIN; break;
  case STRATA_REDUCE_MAXIMUM: *op = MPI_MAX; break;
  case STRATA_REDUCE_AND: *op = MPI_BAND, is_bits = 1; break;
  case STRATA_REDUCE_OR: *op = MPI_BOR, is_bits = 1; break;
  case STRATA_REDUCE_XOR: *op = MPI_BXOR, is_bits = 1; break;
  default: return 0;
  }
  switch (what->element_type) {
  case 0x208: *type = MPI_INT8_T; return 1;
  case 0x210: *type = MPI_INT16_T; return 1;
  case 0x220: *type = MPI_INT32_T; return 1;
  case 0x240: *type = MPI_INT64_T; return 1;
  case 0x308: *type = MPI_UINT8_T; return 1;
  case 0x310: *type = MPI_UINT16_T; return 1;
  case 0x320: *type = MPI_UINT32_T; return 1;
  case 0x340: *type = MPI_UINT64_T; return 1;
  case 0x420: *type = MPI_FLOAT; break;
  case 0x440: *type = MPI_DOUBLE; break;
  case 0x640: *type = MPI_C_FLOAT_COMPLEX; break;
  case 0x680: *type = MPI_C_DOUBLE_COMPLEX; break;
  default: return 0;
  }
  return !is_bits && what->reduction == STRATA_REDUCE_SUM ? 2 : 0;
}

/* Whether MPI may combine the elements: in any order gives the same bits for integers. */
static int by_mpi(const strata_mpi *mpi, const strata_collective *what, size_t bytes, MPI_Op *op, MPI_Datatype *type) {
  int kind = known(what, op, type);
  int any = mpi->options.order == STRATA_MPI_ORDER_ANY ||
            (mpi->options.order == STRATA_MPI_ORDER_SMALL && bytes > (size_t)mpi->options.ordered_bytes);
  return kind == 1 || (kind == 2 && any);
}

/* Bytes that all members' pieces of a reduction in a large group have together. */
#define LARGE_PIECE (MOST < (size_t)64 << 20 ? MOST : (size_t)64 << 20)

/* A sum in a large group. Its elements are combined in the order of the group by those whose share they are, or by MPI. */
static int32_t reduce_by_mpi(strata_mpi *mpi, const strata_collective *what, const swap *group, MPI_Comm comm, size_t count,
                             const char *input, char *output) {
  size_t size = (size_t)what->element_size, begin, piece = LARGE_PIECE / size > 0 ? LARGE_PIECE / size : 1;
  const char *operation = group->own->operation;
  patience patient = {0, 0, 0, 0};
  int32_t status = STRATA_OK;
  MPI_Op op = MPI_SUM;
  MPI_Datatype type = MPI_BYTE;
  int uses_op = by_mpi(mpi, what, count * size, &op, &type);
  const char **places = malloc((size_t)group->count * sizeof *places);
  int *counts = malloc(4 * (size_t)group->count * sizeof *counts);
  if (places == NULL || counts == NULL) {
    status = no_memory(mpi, operation);
  }
  for (begin = 0; begin < count && status == STRATA_OK; begin += piece) {
    size_t part = smaller(count - begin, piece), mine = share(part, group->count, group->position);
    size_t length = share(part, group->count, group->position + 1) - mine;
    int *from = counts, *from_at = counts + group->count, *to = from_at + group->count, *to_at = to + group->count;
    MPI_Request *request = another(&mpi->values[0], -1, 0);
    char *buffers = request == NULL ? NULL : scratch(mpi, (size_t)group->count * length * size + 1);
    int64_t at;
    int error;
    if (buffers == NULL) {
      status = no_memory(mpi, operation);
      break;
    }
    if (uses_op) {
      error = MPI_Iallreduce(input + begin * size, output + begin * size, (int)part, type, op, comm, request);
    } else {
      for (at = 0; at < group->count; at++) {
        size_t first = share(part, group->count, at);
        from[at] = (int)((share(part, group->count, at + 1) - first) * size);
        from_at[at] = (int)(first * size);
        to[at] = (int)(length * size);
        to_at[at] = (int)((size_t)at * length * size);
        places[at] = buffers + to_at[at];
      }
      error = MPI_Ialltoallv(input + begin * size, from, from_at, MPI_BYTE, buffers, to, to_at, MPI_BYTE, comm, request);
    }
    status = posted(mpi, error, operation);
    if (status == STRATA_OK) {
      status = wait_for(mpi, &mpi->values[0], &patient, operation);
    }
    if (uses_op || status != STRATA_OK) {
      continue;
    }
    combine(what, places, group->count, output + (begin + mine) * size, length);
    request = another(&mpi->values[0], -1, 0);
    error = MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, output + begin * size, from, from_at, MPI_BYTE, comm, request);
    status = posted(mpi, error, operation);
    if (status == STRATA_OK) {
      status = wait_for(mpi, &mpi->values[0], &patient, operation);
    }
  }
  free(places);
  free(counts);
  return status;
}

/* The part of this member, combined in the order of the group. */
static int32_t scatter_by_mpi(strata_mpi *mpi, const strata_collective *what, const swap *group, MPI_Comm comm, size_t count,
                              const char *input, char *output) {
  size_t size = (size_t)what->element_size, members = (size_t)group->count, begin;
  size_t piece = LARGE_PIECE / (size * members) > 0 ? LARGE_PIECE / (size * members) : 1;
  const char **places = malloc(members * sizeof *places);
  char *buffers = scratch(mpi, members * smaller(piece, count) * size + 1);
  int32_t status = places == NULL || buffers == NULL ? no_memory(mpi, group->own->operation) : STRATA_OK;
  for (begin = 0; begin < count && status == STRATA_OK; begin += piece) {
    size_t part = smaller(count - begin, piece), at;
    status = move_by_mpi(mpi, TRANSPOSE, comm, group->own, input + begin * size, count * size, buffers, part * size, part * size);
    for (at = 0; at < members; at++) {
      places[at] = buffers + at * part * size;
    }
    if (status == STRATA_OK) {
      combine(what, places, group->count, output + begin * size, part);
    }
  }
  free(places);
  return status;
}

/* ---- What objects call ---- */

/* The group of this rank among those of an exchange. */
typedef struct place {
  const int64_t *members;
  int64_t count, position;
  head own;
} place;

/* Finds it; 0 if there is none. */
static int find(const strata_mpi *mpi, const strata_collective *what, size_t bytes, place *result) {
  int64_t group, at;
  for (group = 0; group < what->group_count; group++) {
    for (at = what->group_starts[group]; at < what->group_starts[group + 1]; at++) {
      if (what->members[at] == mpi->rank) {
        result->members = what->members + what->group_starts[group];
        result->count = what->group_starts[group + 1] - what->group_starts[group];
        result->position = at - what->group_starts[group];
        result->own = head_of(what, result->members, result->count, bytes);
        return 1;
      }
    }
  }
  return 0;
}

static swap swap_of(const place *own, const void *input, size_t input_step, void *output, size_t output_step, size_t bytes) {
  swap what = {&own->own, own->members, own->count, own->position, input, input_step, output, output_step, bytes};
  return what;
}

/* Copies what came with the first messages, and what the rank gives itself, to where they belong. While large messages travel, such a copy
 * would take the caches from them: all_gather of 64 MiB 8.3 ms, and 7.1 after them. */
static void settle(const swap *what, const char *const *places) {
  int64_t at;
  for (at = 0; at < what->count; at++) {
    char *to = what->output + (size_t)at * what->output_step;
    if (places[at] != to && what->bytes > 0) {
      memcpy(to, places[at], what->bytes);
    }
  }
}

static int is_direct(const strata_mpi *mpi, const place *own) { return own->count <= mpi->options.direct_members; }

/* Agrees with the others of a large group, and gives its communicator. */
static int32_t assemble(strata_mpi *mpi, const place *own, MPI_Comm *comm) {
  int32_t status = agree(mpi, &own->own, own->members, own->count, own->position);
  return status == STRATA_OK ? communicator(mpi, own->members, own->count, own->own.operation, comm) : status;
}

static int64_t members_of(const strata_collective *what) { return what->group_count > 0 ? what->group_starts[1] : 0; }

/* What every exchange begins with: a status if there was a failure, or this rank takes no part, so that its result is zeros. */
static int enter(strata_mpi *mpi, const strata_collective *what, size_t bytes, void *output, size_t zeros, place *own,
                 int32_t *status) {
  *status = mpi->status == STRATA_OK ? STRATA_OK : STRATA_DEVICE_FAILED;
  if (*status == STRATA_OK && find(mpi, what, bytes, own)) {
    return 1;
  }
  if (*status == STRATA_OK && zeros > 0) {
    memset(output, 0, zeros);
  }
  return 0;
}

static int32_t all_reduce(void *context, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  const char *places[64];
  place own;
  swap group;
  MPI_Comm comm;
  int32_t status;
  if (!enter(mpi, what, bytes, output, bytes, &own, &status)) {
    return status;
  }
  group = swap_of(&own, input, 0, output, 0, bytes);
  if (own.count == 1) {
    if (bytes > 0) {
      memcpy(output, input, bytes);
    }
    return STRATA_OK;
  }
  if (!is_direct(mpi, &own)) {
    status = assemble(mpi, &own, &comm);
    return status == STRATA_OK ? reduce_by_mpi(mpi, what, &group, comm, (size_t)count, input, output) : status;
  }
  if (bytes > EAGER && (own.count > 2 || bytes > WHOLE)) {
    return reduce_pieces(mpi, what, &group, (size_t)count, 1, output);
  }
  group.output = scratch(mpi, (size_t)own.count * bytes + 1);
  group.output_step = bytes;
  status = group.output == NULL ? no_memory(mpi, what->operation) : exchange(mpi, &group, places);
  if (status == STRATA_OK && bytes > 0) {
    combine(what, places, own.count, output, (size_t)count);
  }
  return status;
}

static int32_t reduce_scatter(void *context, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  const char *places[64];
  place own;
  swap group;
  MPI_Comm comm;
  int32_t status;
  if (!enter(mpi, what, bytes, output, bytes, &own, &status)) {
    return status;
  }
  group = swap_of(&own, input, bytes, output, 0, bytes);
  if (!is_direct(mpi, &own) && own.count > 1) {
    status = assemble(mpi, &own, &comm);
    return status == STRATA_OK ? scatter_by_mpi(mpi, what, &group, comm, (size_t)count, input, output) : status;
  }
  if (bytes > EAGER && own.count > 1) {
    return reduce_pieces(mpi, what, &group, (size_t)count * (size_t)own.count, 0, output);
  }
  status = exchange(mpi, &group, places);
  if (status == STRATA_OK && bytes > 0) {
    combine(what, places, own.count, output, (size_t)count);
  }
  return status;
}

/* Those that only move values. */
static int32_t move(strata_mpi *mpi, enum operation kind, const place *own, const swap *group) {
  const char *places[64];
  MPI_Comm comm;
  int32_t status;
  if (is_direct(mpi, own) || own->count == 1) {
    status = exchange(mpi, group, places);
    if (status == STRATA_OK) {
      settle(group, places);
    }
    return status;
  }
  status = assemble(mpi, own, &comm);
  return status == STRATA_OK ? move_by_mpi(mpi, kind, comm, &own->own, group->input, group->input_step, group->output,
                                           group->output_step, group->bytes)
                             : status;
}

static int32_t all_gather(void *context, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  place own;
  swap group;
  int32_t status;
  if (!enter(mpi, what, bytes, output, bytes * (size_t)members_of(what), &own, &status)) {
    return status;
  }
  group = swap_of(&own, input, 0, output, bytes, bytes);
  return move(mpi, GATHER, &own, &group);
}

static int32_t all_to_all(void *context, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  place own;
  swap group;
  int32_t status;
  if (!enter(mpi, what, bytes, output, bytes * (size_t)members_of(what), &own, &status)) {
    return status;
  }
  group = swap_of(&own, input, bytes, output, bytes, bytes);
  return move(mpi, TRANSPOSE, &own, &group);
}

/* Rows of an entry of lists: where they begin at the sender, how many there are on both sides, where they go. */
typedef struct range {
  size_t from, count, to;
  int64_t member;
} range;

static range range_of(const strata_ragged *rows, const int64_t *lists, int64_t member, int64_t update) {
  int64_t from = lists[update], count = lists[rows->updates + update], to = lists[2 * rows->updates + update];
  range own = {0, 0, 0, member};
  if (from >= 0 && to >= 0 && count > 0 && from < rows->input_rows && to < rows->output_rows) {
    int64_t most = rows->input_rows - from < rows->output_rows - to ? rows->input_rows - from : rows->output_rows - to;
    own.from = (size_t)from;
    own.count = (size_t)(count < most ? count : most);
    own.to = (size_t)to;
  }
  return own;
}

/* Refuses lists with an entry of rows that are not there. Each rank looks at its own, before it sends anything. */
static int32_t look_at_lists(strata_mpi *mpi, const strata_collective *what, const strata_ragged *rows, int64_t entries) {
  int64_t at;
  for (at = 0; at < entries; at++) {
    int64_t from = rows->input_offsets[at], count = rows->send_sizes[at], to = rows->output_offsets[at];
    if (count < 0 || (count > 0 && (from < 0 || to < 0 || count > rows->input_rows - from || count > rows->output_rows - to))) {
      return fail(mpi, STRATA_WRONG_SIZES,
                  "rank %d in %s: entry %lld of its lists sends %lld rows from row %lld on, of %lld, to row %lld on, of %lld", mpi->rank,
                  what->operation, (long long)at, (long long)count, (long long)from, (long long)rows->input_rows, (long long)to,
                  (long long)rows->output_rows);
    }
  }
  return STRATA_OK;
}

static int by_place(const void *lhs, const void *rhs) {
  const range *one = lhs, *other = rhs;
  return one->to < other->to ? -1 : one->to > other->to;
}

/* Whether rows are written twice, so that the order of messages matters. `sorted` has room for all. */
static int overlap(const range *all, int64_t count, range *sorted) {
  size_t end = 0;
  int64_t at;
  memcpy(sorted, all, (size_t)count * sizeof *all);
  qsort(sorted, (size_t)count, sizeof *sorted, by_place);
  for (at = 0; at < count; at++) {
    if (sorted[at].count == 0) {
      continue;
    }
    if (sorted[at].to < end) {
      return 1;
    }
    end = sorted[at].to + sorted[at].count;
  }
  return 0;
}

/* Sends the rows that the lists name, and takes those of others: `given` has for each member the three lists of what goes to it, `all` room
 * for what each sends here, in order, and for as many more. */
static int32_t move_rows(strata_mpi *mpi, const strata_collective *what, const strata_ragged *rows, const place *own,
                         const int64_t *given, range *all) {
  size_t row = (size_t)rows->row_size * (size_t)what->element_size;
  int64_t entries = own->count * rows->updates, at, turn;
  int in_order = overlap(all, entries, all + entries), error = MPI_SUCCESS;
  const char *input = rows->input;
  char *output = rows->output;
  patience patient = {0, 0, 0, 0};
  int32_t status = STRATA_OK;
  for (turn = 1; turn < own->count; turn++) {
    int64_t to = (own->position + turn) % own->count;
    for (at = 0; at < rows->updates && error == MPI_SUCCESS; at++) {
      range one = range_of(rows, given + 3 * rows->updates * to, to, at);
      error = post_send(mpi, &mpi->values[1], input + one.from * row, one.count * row, (int)own->members[to], TAG_DATA);
    }
  }
  for (at = 0; at < entries && error == MPI_SUCCESS && status == STRATA_OK; at++) {
    if (all[at].count * row == 0) {
      continue;
    }
    if (all[at].member == own->position) {
      memcpy(output + all[at].to * row, input + all[at].from * row, all[at].count * row);
      continue;
    }
    error = post_receive(mpi, &mpi->values[0], output + all[at].to * row, all[at].count * row,
                         (int)own->members[all[at].member], TAG_DATA);
    if (in_order && error == MPI_SUCCESS) {
      status = wait_for(mpi, &mpi->values[0], &patient, what->operation);
    }
  }
  if (status == STRATA_OK) {
    status = posted(mpi, error, what->operation);
  }
  for (at = 0; at < 2 && status == STRATA_OK; at++) {
    status = wait_for(mpi, &mpi->values[at], &patient, what->operation);
  }
  return status;
}

static int32_t ragged(void *context, const strata_collective *what, const strata_ragged *rows) {
  strata_mpi *mpi = context;
  size_t each = 3 * (size_t)rows->updates * sizeof(int64_t), entries;
  const int64_t *lists[3] = {rows->input_offsets, rows->send_sizes, rows->output_offsets};
  int64_t *given, *taken, member, at;
  range *all;
  place own;
  swap group;
  int32_t status;
  if (!enter(mpi, what, (size_t)(rows->output_rows * rows->row_size) * (size_t)what->element_size, NULL, 0, &own, &status)) {
    return status;
  }
  entries = (size_t)(own.count * rows->updates);
  status = look_at_lists(mpi, what, rows, own.count * rows->updates);
  if (status != STRATA_OK) {
    return status;
  }
  given = malloc((size_t)own.count * each + 1);
  taken = malloc((size_t)own.count * each + 1);
  all = malloc(2 * entries * sizeof *all + 1);
  if (given == NULL || taken == NULL || all == NULL) {
    status = no_memory(mpi, what->operation);
  } else {
    for (member = 0; member < own.count; member++) {
      for (at = 0; at < 3; at++) {
        memcpy(given + (3 * member + at) * rows->updates, lists[at] + member * rows->updates,
               (size_t)rows->updates * sizeof(int64_t));
      }
    }
    group = swap_of(&own, given, each, taken, each, each);
    status = move(mpi, TRANSPOSE, &own, &group);
  }
  if (status == STRATA_OK) {
    for (member = 0; member < own.count; member++) {
      for (at = 0; at < rows->updates; at++) {
        all[member * rows->updates + at] = range_of(rows, taken + 3 * rows->updates * member, member, at);
      }
    }
    status = move_rows(mpi, what, rows, &own, given, all);
  }
  free(given);
  free(taken);
  free(all);
  return status;
}

/* What groups of two and of a broadcast do: this rank gives its values to some ranks and takes those of one. */
typedef struct passing {
  head own;
  int to[64]; /* -1 for no rank */
  int64_t receivers;
  int from; /* -1 for no rank */
  const void *input;
  void *output;
  size_t bytes;
} passing;

static int post_pass(strata_mpi *mpi, pending *heads, pending *values, char *slots, const passing *what) {
  char *message = outgoing(mpi, slots, 0);
  size_t with = what->bytes <= EAGER ? what->bytes : 0;
  int64_t at;
  int error = MPI_SUCCESS;
  memcpy(message, &what->own, sizeof what->own);
  if (with > 0 && what->receivers > 0) {
    memcpy(message + sizeof what->own, what->input, with);
  }
  if (what->from >= 0) {
    error = post_receive(mpi, heads, incoming(slots, 0), SLOT, what->from, TAG_HEAD);
    if (error == MPI_SUCCESS && with == 0) {
      error = post_receive(mpi, values, what->output, what->bytes, what->from, TAG_DATA);
    }
  }
  for (at = 0; at < what->receivers && error == MPI_SUCCESS; at++) {
    if (what->to[at] >= 0) {
      error = post_send(mpi, heads, message, sizeof what->own + with, what->to[at], TAG_HEAD);
      if (error == MPI_SUCCESS && with == 0) {
        error = post_send(mpi, values, what->input, what->bytes, what->to[at], TAG_DATA);
      }
    }
  }
  return error;
}

static int32_t finish_pass(strata_mpi *mpi, pending *heads, pending *values, char *slots, const passing *what) {
  patience patient = {0, 0, 0, 0};
  size_t with = what->bytes <= EAGER ? what->bytes : 0;
  int32_t status = wait_for(mpi, heads, &patient, what->own.operation);
  if (status == STRATA_OK && what->from >= 0) {
    status = check(mpi, &what->own, (const head *)incoming(slots, 0), what->from);
  }
  if (status != STRATA_OK) {
    cancel_all(mpi);
    return status;
  }
  if (what->from >= 0 && with > 0) {
    memcpy(what->output, incoming(slots, 0) + sizeof what->own, with);
  }
  return wait_for(mpi, values, &patient, what->own.operation);
}

static int32_t pass(strata_mpi *mpi, const passing *what) {
  int32_t status =
      posted(mpi, post_pass(mpi, &mpi->heads, &mpi->values[0], mpi->slots, what), what->own.operation);
  return status == STRATA_OK ? finish_pass(mpi, &mpi->heads, &mpi->values[0], mpi->slots, what) : status;
}

/* What this rank does in a broadcast by messages; the first member has its values already. */
static void passing_of_broadcast(const place *own, const void *input, void *output, size_t bytes, passing *what) {
  int64_t at;
  what->own = own->own;
  for (at = 1; at < own->count; at++) {
    what->to[at - 1] = (int)own->members[at];
  }
  what->receivers = own->position == 0 ? own->count - 1 : 0;
  what->from = own->position == 0 ? -1 : (int)own->members[0];
  what->input = input;
  what->output = output;
  what->bytes = bytes;
  if (own->position == 0 && bytes > 0) {
    memcpy(output, input, bytes);
  }
}

/* What this rank does in a permutation; what needs no other rank is done. */
static void passing_of_permute(const strata_mpi *mpi, const strata_collective *what, const void *input, void *output, size_t bytes,
                               passing *result) {
  int from = -1, to = -1;
  int64_t pair;
  for (pair = 0; pair < what->group_count; pair++) {
    const int64_t *ends = what->members + what->group_starts[pair];
    if (ends[1] == mpi->rank) {
      from = (int)ends[0];
    }
    if (ends[0] == mpi->rank) {
      to = (int)ends[1];
    }
  }
  if (bytes > 0 && from < 0) {
    memset(output, 0, bytes);
  } else if (bytes > 0 && from == mpi->rank) {
    memcpy(output, input, bytes);
  }
  result->own = head_of(what, what->members, 2 * what->group_count, bytes);
  result->to[0] = to == mpi->rank ? -1 : to;
  result->receivers = result->to[0] >= 0 ? 1 : 0;
  result->from = from == mpi->rank ? -1 : from;
  result->input = input;
  result->output = output;
  result->bytes = bytes;
}

static int32_t broadcast(void *context, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  place own;
  passing passed;
  MPI_Comm comm;
  int32_t status;
  if (!enter(mpi, what, bytes, output, bytes, &own, &status)) {
    return status;
  }
  if (is_direct(mpi, &own) || own.count == 1) {
    passing_of_broadcast(&own, input, output, bytes, &passed);
    return pass(mpi, &passed);
  }
  if (own.position == 0 && bytes > 0) {
    memcpy(output, input, bytes);
  }
  status = assemble(mpi, &own, &comm);
  return status == STRATA_OK ? move_by_mpi(mpi, BROADCAST, comm, &own.own, NULL, 0, output, 0, bytes) : status;
}

static int32_t permute(void *context, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  passing passed;
  if (mpi->status != STRATA_OK) {
    return STRATA_DEVICE_FAILED;
  }
  passing_of_permute(mpi, what, input, output, (size_t)count * (size_t)what->element_size, &passed);
  return pass(mpi, &passed);
}

/* ---- Exchanges under way ----
 *
 * `start` posts the messages of a small group, and `wait` waits for them and combines what came. A rank goes on with its program in
 * between; whether messages do, too, is up to the MPI. Between ranks of one machine they do not: large ones are copied by a rank that is
 * in the MPI. Then all is done at `start`, where pieces are combined while others travel. Those of all exchanges are posted in the order of the program, the same on all
 * ranks, so that each finds its own. A sum of three or more ranks with many values has a second round, which `wait` does; larger groups
 * do all at `start`. */

enum course { DONE, BLOCKS, SUM, SHARES, PASSES };

typedef struct flight {
  struct flight *next;
  const strata_collective *what;
  const void *input;
  void *output;
  size_t count;
  enum course course;
  place own;
  swap group;
  passing passed;
  pending heads, values;
  char *slots;
  char *buffers;
  size_t buffer_size;
} flight;

/* Memory of a flight that is over, or new one; NULL if there is none. */
static flight *new_flight(strata_mpi *mpi) {
  flight *own = mpi->idle;
  void *slots = NULL;
  if (own != NULL) {
    mpi->idle = own->next;
    return own;
  }
  own = calloc(1, sizeof *own);
  if (own != NULL && posix_memalign(&slots, 64, 2 * (size_t)mpi->options.direct_members * SLOT) != 0) {
    free(own);
    return NULL;
  }
  if (own != NULL) {
    own->slots = slots;
  }
  return own;
}

static void free_flights(flight *own) {
  while (own != NULL) {
    flight *next = own->next;
    release(&own->heads);
    release(&own->values);
    free(own->slots);
    free(own->buffers);
    free(own);
    own = next;
  }
}

/* Takes back what they would receive. What they send may still be read: their memory stays. */
static void cancel_flights(strata_mpi *mpi) {
  flight *own;
  for (own = mpi->flights; own != NULL; own = own->next) {
    cancel(&own->heads);
    cancel(&own->values);
  }
}

static char *buffers_of(flight *own, size_t bytes) {
  if (own->buffer_size < bytes) {
    void *memory = NULL;
    free(own->buffers);
    own->buffers = NULL;
    own->buffer_size = 0;
    if (posix_memalign(&memory, 64, bytes) != 0) {
      return NULL;
    }
    own->buffers = memory;
    own->buffer_size = bytes;
  }
  return own->buffers;
}

/* Begins a sum of which each member combines its share. */
static int post_shares(strata_mpi *mpi, flight *own) {
  const swap *group = &own->group;
  size_t size = (size_t)own->what->element_size, mine = share(own->count, group->count, group->position);
  size_t length = share(own->count, group->count, group->position + 1) - mine;
  int64_t turn;
  int error = MPI_SUCCESS;
  for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
    int64_t from = (group->position + group->count - turn) % group->count;
    error = post_receive(mpi, &own->values, own->buffers + (size_t)from * length * size, length * size, (int)group->members[from],
                         TAG_DATA);
  }
  if (error == MPI_SUCCESS) {
    error = post_heads(mpi, &own->heads, own->slots, group, 0);
  }
  for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
    int64_t to = (group->position + turn) % group->count;
    size_t first = share(own->count, group->count, to), end = share(own->count, group->count, to + 1);
    error = post_send(mpi, &own->values, group->input + first * size, (end - first) * size, (int)group->members[to], TAG_DATA);
  }
  return error;
}

/* Combines the share of this member, and gives it to all. */
static int32_t finish_shares(strata_mpi *mpi, flight *own) {
  const swap *group = &own->group;
  const char *places[64];
  char *output = own->output;
  size_t size = (size_t)own->what->element_size, mine = share(own->count, group->count, group->position);
  size_t length = share(own->count, group->count, group->position + 1) - mine;
  pending *results = &mpi->results[0];
  patience patient = {0, 0, 0, 0};
  int64_t turn;
  int32_t status;
  int error = MPI_SUCCESS;
  for (turn = 0; turn < group->count; turn++) {
    places[turn] = turn == group->position ? group->input + mine * size : own->buffers + (size_t)turn * length * size;
  }
  for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
    int64_t from = (group->position + group->count - turn) % group->count;
    size_t first = share(own->count, group->count, from), end = share(own->count, group->count, from + 1);
    error = post_receive(mpi, results, output + first * size, (end - first) * size, (int)group->members[from], TAG_RESULT);
  }
  combine(own->what, places, group->count, output + mine * size, length);
  for (turn = 1; turn < group->count && error == MPI_SUCCESS; turn++) {
    int64_t to = (group->position + turn) % group->count;
    error = post_send(mpi, results, output + mine * size, length * size, (int)group->members[to], TAG_RESULT);
  }
  status = posted(mpi, error, group->own->operation);
  return status == STRATA_OK ? wait_for(mpi, results, &patient, group->own->operation) : status;
}

/* Chooses how an exchange is done, if it can be under way. */
static enum course course_of(strata_mpi *mpi, int32_t kind, flight *own, size_t bytes) {
  const strata_collective *what = own->what;
  place *group = &own->own;
  if (!mpi->overlaps) {
    return DONE;
  }
  if (kind == STRATA_COLLECTIVE_PERMUTE) {
    passing_of_permute(mpi, what, own->input, own->output, bytes, &own->passed);
    return PASSES;
  }
  if (!find(mpi, what, bytes, group) || group->count == 1 || !is_direct(mpi, group)) {
    return DONE;
  }
  switch (kind) {
  case STRATA_ALL_REDUCE:
    own->group = swap_of(group, own->input, 0, NULL, bytes, bytes);
    return bytes > EAGER && group->count > 2 ? SHARES : SUM;
  case STRATA_REDUCE_SCATTER:
    own->group = swap_of(group, own->input, bytes, NULL, bytes, bytes);
    return SUM;
  case STRATA_ALL_GATHER: own->group = swap_of(group, own->input, 0, own->output, bytes, bytes); return BLOCKS;
  case STRATA_ALL_TO_ALL: own->group = swap_of(group, own->input, bytes, own->output, bytes, bytes); return BLOCKS;
  case STRATA_COLLECTIVE_BROADCAST:
    passing_of_broadcast(group, own->input, own->output, bytes, &own->passed);
    return PASSES;
  default: return DONE;
  }
}

/* Does an exchange at once. */
static int32_t do_now(strata_mpi *mpi, int32_t kind, const flight *own) {
  const strata_collectives *all = &mpi->collectives;
  int32_t (*const functions[])(void *, const strata_collective *, int64_t, const void *, void *) = {
      all->all_reduce,         all->all_gather,          all->reduce_scatter, all->all_to_all,
      all->collective_permute, all->collective_broadcast};
  if (kind < 1 || kind > (int32_t)(sizeof functions / sizeof *functions)) {
    return fail(mpi, STRATA_NO_COLLECTIVES, "rank %d starts an exchange of kind %d, which there is not", mpi->rank, (int)kind);
  }
  return functions[kind - 1](mpi, own->what, (int64_t)own->count, own->input, own->output);
}

/* Ranks that do all at once, as objects of earlier versions, do not take part in what others only begin. */
static void call_start(head *own) {
  size_t length = strnlen(own->operation, sizeof own->operation);
  snprintf(own->operation + length, sizeof own->operation - length, " begun");
}

static int32_t start(void *context, int32_t kind, const strata_collective *what, int64_t count, const void *input, void *output) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size, needed;
  flight *own, **last;
  int32_t status;
  int error = MPI_SUCCESS;
  if (mpi->status != STRATA_OK) {
    return STRATA_DEVICE_FAILED;
  }
  own = new_flight(mpi);
  if (own == NULL) {
    return no_memory(mpi, what->operation);
  }
  own->next = NULL;
  own->what = what;
  own->input = input;
  own->output = output;
  own->count = (size_t)count;
  own->course = course_of(mpi, kind, own, bytes);
  call_start(own->course == PASSES ? &own->passed.own : &own->own.own);
  for (last = &mpi->flights; *last != NULL; last = &(*last)->next) {
  }
  *last = own;
  if (own->course == DONE) {
    return do_now(mpi, kind, own);
  }
  if (own->course == PASSES) {
    return posted(mpi, post_pass(mpi, &own->heads, &own->values, own->slots, &own->passed), what->operation);
  }
  needed = own->course == SHARES ? (bytes / (size_t)own->own.count + (size_t)what->element_size) * (size_t)own->own.count
                                 : bytes * (size_t)own->own.count;
  if ((own->course == SUM && bytes > EAGER) || own->course == SHARES) {
    if (buffers_of(own, needed + 1) == NULL) {
      return no_memory(mpi, what->operation);
    }
    own->group.output = own->buffers;
  }
  if (own->course == SHARES) {
    error = post_shares(mpi, own);
  } else {
    error = post_blocks(mpi, &own->heads, &own->values, own->slots, &own->group);
  }
  status = posted(mpi, error, what->operation);
  return status;
}

static int32_t finish(strata_mpi *mpi, flight *own) {
  patience patient = {0, 0, 0, 0};
  const char *places[64];
  int32_t status;
  if (own->course == DONE) {
    return STRATA_OK;
  }
  if (own->course == PASSES) {
    return finish_pass(mpi, &own->heads, &own->values, own->slots, &own->passed);
  }
  status = wait_for_heads(mpi, &own->heads, own->slots, &own->group, &patient);
  if (status == STRATA_OK) {
    status = wait_for(mpi, &own->values, &patient, own->group.own->operation);
  }
  if (status != STRATA_OK) {
    return status;
  }
  if (own->course == SHARES) {
    return finish_shares(mpi, own);
  }
  blocks_of(own->slots, &own->group, places);
  if (own->course == SUM) {
    combine(own->what, places, own->group.count, own->output, own->count);
  } else {
    settle(&own->group, places);
  }
  return STRATA_OK;
}

static int32_t await(void *context, const void *input, void *output) {
  strata_mpi *mpi = context;
  flight **at = &mpi->flights, *own;
  int32_t status;
  if (mpi->status != STRATA_OK) {
    return STRATA_DEVICE_FAILED;
  }
  while (*at != NULL && ((*at)->output != output || (*at)->input != input)) {
    at = &(*at)->next;
  }
  own = *at;
  if (own == NULL) {
    return fail(mpi, STRATA_DEVICE_FAILED, "rank %d waits for an exchange that it has not begun", mpi->rank);
  }
  status = finish(mpi, own);
  if (status == STRATA_OK) {
    *at = own->next;
    own->next = mpi->idle;
    mpi->idle = own;
  }
  return status;
}

static void abandon(void *context) {
  strata_mpi *mpi = context;
  if (mpi->flights != NULL) {
    fail(mpi, STRATA_DEVICE_FAILED, "rank %d left its program with an exchange under way", mpi->rank);
    cancel_all(mpi);
  }
}

/* ---- Send and receive ---- */

static void free_parcel(parcel *one) {
  release(&one->requests);
  free(one->data);
  free(one);
}

/* Frees what has been received by now. */
static void reap(strata_mpi *mpi) {
  parcel **at = &mpi->sent;
  while (*at != NULL) {
    parcel *one = *at;
    int flag = 0;
    if (test_all(&one->requests, &flag) == MPI_SUCCESS && flag) {
      *at = one->next;
      free_parcel(one);
    } else {
      at = &one->next;
    }
  }
}

static int32_t send_to(void *context, const strata_collective *what, int64_t count, const void *data) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  int64_t pair;
  reap(mpi);
  for (pair = 0; pair < what->group_count; pair++) {
    const int64_t *ends = what->members + what->group_starts[pair];
    parcel *one, **last;
    int error;
    if (ends[0] != mpi->rank) {
      continue;
    }
    if (mpi->status != STRATA_OK) {
      return STRATA_DEVICE_FAILED;
    }
    one = calloc(1, sizeof *one);
    if (one != NULL) {
      one->data = malloc(bytes + 1);
    }
    if (one == NULL || one->data == NULL) {
      free(one);
      return no_memory(mpi, what->operation);
    }
    if (bytes > 0) {
      memcpy(one->data, data, bytes);
    }
    one->said = head_of(what, ends, 2, bytes);
    one->peer = (int)ends[1];
    /* The program goes on. */
    mpi->sent_to[one->peer]++;
    error = post_send(mpi, &one->requests, &one->said, sizeof one->said, one->peer, TAG_SEND);
    if (error == MPI_SUCCESS) {
      error = post_send(mpi, &one->requests, one->data, bytes, one->peer, TAG_SENT);
    }
    for (last = &mpi->sent; *last != NULL; last = &(*last)->next) {
    }
    *last = one;
    if (error != MPI_SUCCESS) {
      return error == -1 ? no_memory(mpi, what->operation) : fail_by_mpi(mpi, error, what->operation);
    }
  }
  return STRATA_OK;
}

static int32_t receive(void *context, const strata_collective *what, int64_t count, void *data) {
  strata_mpi *mpi = context;
  size_t bytes = (size_t)count * (size_t)what->element_size;
  patience patient = {0, 0, 0, 0};
  int source = -1;
  int64_t pair, ends[2];
  parcel **at, *one;
  head own;
  int32_t status = STRATA_OK;
  for (pair = 0; pair < what->group_count; pair++) {
    if (what->members[what->group_starts[pair] + 1] == mpi->rank) {
      source = (int)what->members[what->group_starts[pair]];
    }
  }
  if (mpi->status != STRATA_OK) {
    return STRATA_DEVICE_FAILED;
  }
  reap(mpi);
  if (source < 0) {
    if (bytes > 0) {
      memset(data, 0, bytes);
    }
    return STRATA_OK;
  }
  ends[0] = source;
  ends[1] = mpi->rank;
  own = head_of(what, ends, 2, bytes);
  for (;;) {
    for (at = &mpi->received; *at != NULL && !((*at)->peer == source && (*at)->said.channel == what->channel);
         at = &(*at)->next) {
    }
    if (*at != NULL) {
      break;
    }
    /* The next one of this rank, which may be for another channel. */
    one = calloc(1, sizeof *one);
    if (one == NULL) {
      return no_memory(mpi, what->operation);
    }
    one->peer = source;
    status = posted(mpi, post_receive(mpi, &one->requests, &one->said, sizeof one->said, source, TAG_SEND), what->operation);
    if (status == STRATA_OK) {
      status = wait_for(mpi, &one->requests, &patient, what->operation);
    }
    if (status == STRATA_OK) {
      one->data = malloc((size_t)one->said.bytes + 1);
      status = one->data == NULL ? no_memory(mpi, what->operation)
                                 : posted(mpi,
                                          post_receive(mpi, &one->requests, one->data, (size_t)one->said.bytes, source, TAG_SENT),
                                          what->operation);
    }
    if (status == STRATA_OK) {
      status = wait_for(mpi, &one->requests, &patient, what->operation);
    }
    if (status != STRATA_OK) {
      cancel(&one->requests);
      free_parcel(one);
      return status;
    }
    *at = one;
  }
  one = *at;
  *at = one->next;
  memcpy(own.operation, one->said.operation, sizeof own.operation);
  if (own.program != one->said.program || own.bytes != one->said.bytes || own.element_type != one->said.element_type) {
    snprintf(own.operation, sizeof own.operation, "%s", what->operation);
    status = check(mpi, &own, &one->said, source);
  } else if (bytes > 0) {
    memcpy(data, one->data, bytes);
  }
  mpi->got_from[source]++;
  free_parcel(one);
  return status;
}

/* ---- Beginning and end ---- */

#ifdef STRATA_MPI_ABI
/* The MPI beside the launcher, which is found as the shell finds commands: `bin/mpiexec`, `lib/libmpi_abi.so.1`. */
static void *load_beside_launcher(const char *const *names, size_t count) {
  const char *path = getenv("PATH");
  char file[4096];
  while (path != NULL && *path != 0) {
    size_t length = strcspn(path, ":"), at;
    int written = snprintf(file, sizeof file, "%.*s/mpiexec", (int)smaller(length, sizeof file), path);
    if (length > 0 && written < (int)sizeof file && access(file, X_OK) == 0) {
      for (at = 0; at < count; at++) {
        void *library = NULL;
        written = snprintf(file, sizeof file, "%.*s/../lib/%s", (int)smaller(length, sizeof file), path, names[at]);
        if (written < (int)sizeof file) {
          library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
        }
        if (library != NULL) {
          return library;
        }
      }
    }
    path += length + (path[length] == ':');
  }
  return NULL;
}

/* Loads the MPI; NULL, or why not. */
static const char *load(const char *file) {
  static const char *const names[] = {"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so", "libmpi_abi.dylib"};
  static char reason[REASON];
  void *library = NULL;
  int (*version)(int *, int *) = NULL;
  void *found;
  size_t at;
  int major = -1, minor = -1;
  if (strata_mpi_functions_.Initialized != NULL) {
    return NULL;
  }
  for (at = 0; at < (file == NULL ? sizeof names / sizeof *names : 1) && library == NULL; at++) {
    library = dlopen(file == NULL ? names[at] : file, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL && (at == 0 || file != NULL)) {
      const char *said = dlerror();
      snprintf(reason, sizeof reason, "there is no MPI with the standard ABI: %s", said == NULL ? "" : said);
    }
  }
  if (library == NULL && file == NULL) {
    library = load_beside_launcher(names, sizeof names / sizeof *names);
  }
  if (library == NULL) {
    return reason;
  }
  found = dlsym(library, "MPI_Abi_get_version");
  memcpy(&version, &found, sizeof version);
  if (version == NULL || version(&major, &minor) != MPI_SUCCESS || major < 1) {
    snprintf(reason, sizeof reason, "%s is not an MPI with the standard ABI", file == NULL ? "libmpi_abi" : file);
    return reason;
  }
#define STRATA_MPI_LOAD_(name, parameters)                                                             \
  found = dlsym(library, "MPI_" #name);                                                                \
  if (found == NULL) {                                                                                 \
    snprintf(reason, sizeof reason, "the MPI has no function MPI_" #name);                             \
    memset(&strata_mpi_functions_, 0, sizeof strata_mpi_functions_);                                   \
    return reason;                                                                                     \
  }                                                                                                    \
  memcpy(&strata_mpi_functions_.name, &found, sizeof found);
  STRATA_MPI_FUNCTIONS_(STRATA_MPI_LOAD_)
#undef STRATA_MPI_LOAD_
  return NULL;
}
#endif

static void set_collectives(strata_mpi *mpi) {
  strata_collectives *all = &mpi->collectives;
  all->size = sizeof *all;
  all->context = mpi;
  all->replica_count = mpi->options.replicas;
  all->partition_count = mpi->options.partitions;
  all->replica = mpi->rank / mpi->options.partitions;
  all->partition = mpi->rank % mpi->options.partitions;
  all->all_reduce = all_reduce;
  all->all_gather = all_gather;
  all->reduce_scatter = reduce_scatter;
  all->all_to_all = all_to_all;
  all->collective_permute = permute;
  all->collective_broadcast = broadcast;
  all->send = send_to;
  all->recv = receive;
  all->ragged_all_to_all = ragged;
  all->start = start;
  all->wait = await;
  all->abandon = abandon;
  mpi->host.size = sizeof mpi->host;
  mpi->host.collectives = all;
  mpi->executor.concurrency = 1;
  mpi->executor.host = &mpi->host;
}

/* All ranks say what they do, and each gives each other one a number: in a direct exchange if there are few, so that all hear of all. */
static int32_t meet_all(strata_mpi *mpi, const char *operation, const int64_t *given, int64_t *taken) {
  strata_collective what;
  int64_t *members = malloc((size_t)mpi->size * sizeof *members), at;
  const char *places[64];
  place own;
  swap group;
  int32_t status;
  if (members == NULL) {
    return no_memory(mpi, operation);
  }
  memset(&what, 0, sizeof what);
  what.operation = operation;
  what.program = mpi->options.program;
  for (at = 0; at < mpi->size; at++) {
    members[at] = at;
  }
  own.members = members;
  own.count = mpi->size;
  own.position = mpi->rank;
  own.own = head_of(&what, members, mpi->size, sizeof *given);
  group = swap_of(&own, given, sizeof *given, taken, sizeof *taken, sizeof *given);
  if (is_direct(mpi, &own)) {
    status = exchange(mpi, &group, places);
    if (status == STRATA_OK) {
      settle(&group, places);
    }
  } else {
    status = agree(mpi, &own.own, members, mpi->size, mpi->rank);
    if (status == STRATA_OK) {
      status = move_by_mpi(mpi, TRANSPOSE, mpi->all, &own.own, group.input, sizeof *given, group.output, sizeof *taken, sizeof *given);
    }
  }
  free(members);
  return status;
}

int32_t strata_mpi_create(const strata_mpi_options *options, strata_mpi **result) {
  strata_mpi *mpi = calloc(1, sizeof *mpi);
  MPI_Comm given;
  MPI_Request *request;
  patience patient = {0, 0, 0, 0};
  watch guard;
  int has_begun = 0, is_over = 0, provided, error, rank;
  int32_t status;
  *result = mpi;
  if (mpi == NULL) {
    return STRATA_DEVICE_FAILED;
  }
  memcpy(&mpi->options, options, smaller(options->size, sizeof mpi->options));
  if (!(mpi->options.seconds > 0)) {
    mpi->options.seconds = 300;
  }
  if (mpi->options.direct_members <= 0) {
    mpi->options.direct_members = 16;
  }
  if (mpi->options.direct_members > 64) {
    mpi->options.direct_members = 64;
  }
  if (mpi->options.ordered_bytes <= 0) {
    mpi->options.ordered_bytes = 16 << 20;
  }
  if (mpi->options.replicas < 1 || mpi->options.partitions < 1) {
    return fail(mpi, STRATA_WRONG_DEVICES, "there are no devices in %lld replicas of %lld partitions",
                (long long)mpi->options.replicas, (long long)mpi->options.partitions);
  }
#ifdef STRATA_MPI_ABI
  {
    const char *why = load(mpi->options.library);
    if (why != NULL) {
      return fail(mpi, STRATA_NO_COLLECTIVES, "%s", why);
    }
  }
#endif
  MPI_Initialized(&has_begun);
  MPI_Finalized(&is_over);
  if (is_over) {
    return fail(mpi, STRATA_NO_COLLECTIVES, "MPI_Finalize was called before");
  }
  if (!has_begun) {
    watch_begin(&guard, "MPI_Init", mpi->options.seconds, STRATA_TIMED_OUT);
    error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    watch_end(&guard);
    if (error != MPI_SUCCESS) {
      return fail_by_mpi(mpi, error, "MPI_Init");
    }
    mpi->owns_mpi = 1;
  }
  given = mpi->options.communicator == NULL ? MPI_COMM_WORLD : *(const MPI_Comm *)mpi->options.communicator;
  if (MPI_Comm_rank(given, &mpi->rank) != MPI_SUCCESS || MPI_Comm_size(given, &mpi->size) != MPI_SUCCESS) {
    return fail(mpi, STRATA_DEVICE_FAILED, "MPI does not know the communicator");
  }
  mpi->has_processors = has_processors(mpi);
  mpi->overlaps = mpi->options.overlap == STRATA_MPI_OVERLAP_ALWAYS ||
                  (mpi->options.overlap == STRATA_MPI_OVERLAP_NETWORK && ranks_here() < mpi->size);
  if (mpi->options.replicas > INT64_MAX / mpi->options.partitions ||
      mpi->options.replicas * mpi->options.partitions != mpi->size) {
    return fail(mpi, STRATA_WRONG_DEVICES, "the program is for %lld replica%s of %lld partition%s, and there %s %d rank%s",
                (long long)mpi->options.replicas, mpi->options.replicas == 1 ? "" : "s", (long long)mpi->options.partitions,
                mpi->options.partitions == 1 ? "" : "s", mpi->size == 1 ? "is" : "are", mpi->size,
                mpi->size == 1 ? "" : "s");
  }
  set_collectives(mpi);
  {
    void *slots = NULL;
    if (posix_memalign(&slots, 64, 2 * (size_t)mpi->options.direct_members * SLOT) != 0) {
      return no_memory(mpi, BEGINNING);
    }
    mpi->slots = slots;
    mpi->sent_to = calloc((size_t)mpi->size, sizeof *mpi->sent_to);
    mpi->got_from = calloc((size_t)mpi->size, sizeof *mpi->got_from);
    if (mpi->sent_to == NULL || mpi->got_from == NULL) {
      return no_memory(mpi, BEGINNING);
    }
  }
  request = another(&mpi->values[0], -1, 0);
  if (request == NULL) {
    return no_memory(mpi, BEGINNING);
  }
  error = MPI_Comm_idup(given, &mpi->all, request);
  status = posted(mpi, error, "MPI_Comm_idup");
  if (status == STRATA_OK) {
    status = wait_for(mpi, &mpi->values[0], &patient, "MPI_Comm_idup");
  }
  if (status != STRATA_OK) {
    return status;
  }
  mpi->has_all = 1;
  MPI_Comm_set_errhandler(mpi->all, MPI_ERRORS_RETURN);
  error = MPI_Irecv(&mpi->heard, (int)sizeof mpi->heard, MPI_BYTE, MPI_ANY_SOURCE, TAG_NOTICE, mpi->all, &mpi->listening);
  if (error != MPI_SUCCESS) {
    return fail_by_mpi(mpi, error, BEGINNING);
  }
  mpi->listens = 1;
  /* Exchanges are under way if all ranks want that: a launcher may say different things on different machines. */
  for (rank = 0; rank < mpi->size; rank++) {
    mpi->sent_to[rank] = mpi->overlaps;
  }
  status = meet_all(mpi, BEGINNING, mpi->sent_to, mpi->got_from);
  for (rank = 0; rank < mpi->size; rank++) {
    mpi->overlaps = mpi->overlaps && mpi->got_from[rank] != 0;
    mpi->sent_to[rank] = mpi->got_from[rank] = 0;
  }
  return status;
}

const strata_executor *strata_mpi_executor(const strata_mpi *mpi) { return &mpi->executor; }

const strata_collectives *strata_mpi_collectives(const strata_mpi *mpi) { return &mpi->collectives; }

int64_t strata_mpi_rank(const strata_mpi *mpi) { return mpi->rank; }

const char *strata_mpi_reason(const strata_mpi *mpi) { return mpi == NULL ? "there is no memory" : mpi->reason; }

/* Waits for all ranks, and looks whether what each sent to this one has been received. */
static int32_t end_together(strata_mpi *mpi) {
  int64_t *taken = calloc((size_t)mpi->size, sizeof *taken), at;
  int32_t status = taken == NULL ? no_memory(mpi, END) : meet_all(mpi, END, mpi->sent_to, taken);
  patience patient = {0, 0, 0, 0};
  for (at = 0; at < mpi->size && status == STRATA_OK; at++) {
    if (taken[at] != mpi->got_from[at]) {
      status = fail(mpi, STRATA_DEVICE_FAILED, "rank %d sent %lld messages to rank %d, which received %lld", (int)at,
                    (long long)taken[at], mpi->rank, (long long)mpi->got_from[at]);
    }
  }
  /* Those that found nothing hear now of what others found. */
  if (status == STRATA_OK) {
    status = meet_all(mpi, END, mpi->sent_to, taken);
  }
  free(taken);
  for (; status == STRATA_OK && mpi->sent != NULL; reap(mpi)) {
    status = pause_between(mpi, &mpi->sent->requests, &patient, END);
  }
  return status;
}

int32_t strata_mpi_end(strata_mpi *mpi, int32_t status) {
  if (status != STRATA_OK && mpi->status == STRATA_OK) {
    fail(mpi, status, "the program of rank %d returned %d", mpi->rank, (int)status);
  }
  if (mpi->status == STRATA_OK && mpi->flights != NULL) {
    abandon(mpi);
  }
  if (mpi->status == STRATA_OK) {
    end_together(mpi);
  }
  return status != STRATA_OK ? status : mpi->status;
}

/* Waits a little for the others to come to the same place; 1 if they did. */
static int say_farewell(strata_mpi *mpi) {
  MPI_Request request;
  double deadline = now() + 2;
  int flag = 0;
  if (!mpi->has_all || MPI_Ibarrier(mpi->all, &request) != MPI_SUCCESS) {
    return !mpi->has_all;
  }
  while (now() < deadline) {
    struct timespec nap = {0, 100000};
    if (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag) {
      return flag;
    }
    nanosleep(&nap, NULL);
  }
  return 0;
}

int32_t strata_mpi_destroy(strata_mpi *mpi) {
  watch guard;
  int flag, is_left = 0;
  if (mpi == NULL) {
    return 0;
  }
  if (mpi->status != STRATA_OK && mpi->has_all && !say_farewell(mpi)) {
    /* MPI may still read what was sent: it stays. */
    return 1;
  }
  if (mpi->has_all) {
    if (mpi->listens) {
      MPI_Cancel(&mpi->listening);
      MPI_Test(&mpi->listening, &flag, MPI_STATUS_IGNORE);
    }
    is_left = mpi->sent != NULL || mpi->status != STRATA_OK;
  }
  watch_begin(&guard, "MPI_Finalize", is_left ? 5 : mpi->options.seconds, mpi->status == STRATA_OK ? STRATA_TIMED_OUT : mpi->status);
  while (mpi->groups != NULL) {
    group *own = mpi->groups;
    mpi->groups = own->next;
    if (!is_left) {
      MPI_Comm_free(&own->comm);
    }
    free(own);
  }
  if (mpi->has_all && !is_left) {
    MPI_Comm_free(&mpi->all);
  }
  if (mpi->owns_mpi) {
    MPI_Finalize();
  }
  watch_end(&guard);
  while (mpi->received != NULL) {
    parcel *one = mpi->received;
    mpi->received = one->next;
    free_parcel(one);
  }
  if (is_left) {
    return 0;
  }
  free_flights(mpi->flights);
  free_flights(mpi->idle);
  release(&mpi->heads);
  for (flag = 0; flag < 2; flag++) {
    release(&mpi->values[flag]);
    release(&mpi->results[flag]);
  }
  free(mpi->slots);
  free(mpi->sent_to);
  free(mpi->got_from);
  free(mpi->scratch);
  free(mpi);
  return 0;
}
