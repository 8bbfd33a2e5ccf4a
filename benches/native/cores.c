/* What the tasks of a program take, for scripts/simulate_cores.py: an executor that runs the tasks of each dispatch one after the
 * other, and notes the time of each, and of the code before it; and what the pool of strata/threads.h takes to wake its threads.
 *
 *   const strata_executor *cores_recorder(size_t concurrency)
 *   const strata_executor *cores_pool(size_t threads)
 *   double cores_call(entry, inputs, outputs, workspace, executor, calls)   seconds of a call, or -1 if one fails
 *   size_t cores_dispatches(void), cores_tasks(void)     of the calls since `cores_forget`
 *   void cores_read(size_t *counts, double *before, double *tasks)
 *     of each dispatch the number of its tasks and the seconds before it; of each task its seconds. A call ends with a
 *     dispatch of no tasks.
 *   void cores_wake(executor, rounds, signal, start, end)
 *     of each round, seconds from a dispatch until its caller runs a task, and until another thread does, and from the end
 *     of the last task, on the other thread, until the dispatch returns
 *
 * The header of a program comes first (-include). */
/* Threads that sleep between dispatches: of those that look for work no more can be measured than there are processors. */
#define STRATA_POOL_SPIN 0
#include "strata/threads.h"

#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct {
  size_t *counts;
  double *before, *tasks;
  size_t dispatches, most_dispatches, task_count, most_tasks;
  double last;
} record;

/* Makes room, outside of what is timed. */
static void reserve(size_t count) {
  if (record.dispatches + 1 > record.most_dispatches) {
    record.most_dispatches = 2 * record.most_dispatches + 1024;
    record.counts = (size_t *)realloc(record.counts, record.most_dispatches * sizeof *record.counts);
    record.before = (double *)realloc(record.before, record.most_dispatches * sizeof *record.before);
  }
  if (record.task_count + count >= record.most_tasks) {
    record.most_tasks = 2 * record.most_tasks + count + 16384;
    record.tasks = (double *)realloc(record.tasks, record.most_tasks * sizeof *record.tasks);
  }
  if (!record.counts || !record.before || !record.tasks) abort();
}

static void note(double begin, size_t count) {
  reserve(count);
  record.before[record.dispatches] = begin - record.last;
  record.counts[record.dispatches++] = count;
}

static void record_tasks(void *context, size_t count, void (*task)(void *, size_t, size_t), void *state) {
  double *tasks, begin = now();
  size_t index;
  (void)context;
  note(begin, count);
  tasks = record.tasks + record.task_count;
  record.task_count += count;
  begin = now();
  for (index = 0; index < count; index++) {
    double end;
    task(state, index, index + 1);
    end = now();
    tasks[index] = end - begin;
    begin = end;
  }
  record.last = now();
}

const strata_executor *cores_recorder(size_t concurrency) {
  static strata_executor executor;
  memset(&executor, 0, sizeof executor);
  executor.concurrency = concurrency;
  executor.parallel_for = record_tasks;
  return &executor;
}

const strata_executor *cores_pool(size_t threads) {
  strata_pool *pool = strata_pool_create(threads);
  return pool && pool->executor.concurrency == threads ? strata_pool_executor(pool) : NULL;
}

typedef int32_t entry_function(const void *const *, void *const *, void *, const strata_executor *);

double cores_call(entry_function *entry, const void *const *inputs, void *const *outputs, void *workspace,
                  const strata_executor *executor, size_t calls) {
  double begin = now(), end;
  size_t call;
  for (call = 0; call < calls; call++) {
    record.last = now();
    if (entry(inputs, outputs, workspace, executor) != 0) return -1;
    if (executor && executor->parallel_for == record_tasks) note(now(), 0);
  }
  end = now();
  return (end - begin) / (double)calls;
}

void cores_forget(void) { record.dispatches = record.task_count = 0; }
size_t cores_dispatches(void) { return record.dispatches; }
size_t cores_tasks(void) { return record.task_count; }

void cores_read(size_t *counts, double *before, double *tasks) {
  memcpy(counts, record.counts, record.dispatches * sizeof *counts);
  memcpy(before, record.before, record.dispatches * sizeof *before);
  if (record.task_count) memcpy(tasks, record.tasks, record.task_count * sizeof *tasks);
}

/* Seconds for which a thread is not waited for any longer. */
#define PATIENCE 0.002
/* Seconds of the task that the caller waits for, and between dispatches. */
#define WORK 100e-6

typedef struct wait {
  double caller, other, end; /* when the caller's task began, when another one did and ended */
  int has_begun;
  double work;
} wait;

/* The first task is the caller's, unless the other thread was faster. */
static void wait_for_others(void *state, size_t begin, size_t end) {
  wait *w = (wait *)state;
  double start = now();
  (void)end;
  if (begin == 0) {
    w->caller = start;
    while (!__atomic_load_n(&w->has_begun, __ATOMIC_ACQUIRE) && now() < start + PATIENCE) {
    }
  } else if (!__atomic_load_n(&w->has_begun, __ATOMIC_ACQUIRE)) {
    w->other = start;
    __atomic_store_n(&w->has_begun, 1, __ATOMIC_RELEASE);
    while (now() < start + w->work) {
    }
    w->end = now();
  }
}

void cores_wake(const strata_executor *executor, size_t rounds, double *signal, double *start, double *end) {
  size_t round;
  strata_pool *pool = (strata_pool *)executor->context;
  for (round = 0; round < rounds; round++) {
    wait w;
    double begin = now();
    memset(pool->costs, 0, sizeof pool->costs); /* threads are not woken for tasks that are known to be short */
    while (now() < begin + WORK) {
    }
    memset(&w, 0, sizeof w);
    w.work = WORK;
    begin = now();
    executor->parallel_for(executor->context, executor->concurrency, wait_for_others, &w);
    end[round] = now() - w.end;
    signal[round] = w.caller - begin;
    start[round] = w.other - begin;
  }
}
