/* How long it takes to read some bytes and to write others once, again and again, in whatever caches hold them: what
 * no program with such operands can do without.
 *
 *   double strata_move(const void *from, size_t read, void *to, size_t written, int copies, double seconds)
 *     seconds of a pass, over at least `seconds`: reading all and then writing all, or (`copies`) copying as much as
 *     there is of both, then the rest. The ranges begin at multiples of 64 and are padded to multiples of 64.
 *   int strata_nothing(void **, void **, void *, void *)   an empty function with the signature of an object's
 *
 * Compiled for the processor that runs it, so that loads are as wide as its vectors. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef uint64_t vector __attribute__((vector_size(64)));

static volatile uint64_t sink;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_all(const char *from, size_t bytes) {
  const vector *p = (const vector *)from;
  size_t count = (bytes + 63) / 64, i = 0;
  vector a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
  for (; i + 8 <= count; i += 8) {
    a |= p[i], b |= p[i + 1], c |= p[i + 2], d |= p[i + 3];
    e |= p[i + 4], f |= p[i + 5], g |= p[i + 6], h |= p[i + 7];
  }
  for (; i < count; ++i) a |= p[i];
  a |= b | c | d | e | f | g | h;
  sink = a[0] | a[1] | a[2] | a[3] | a[4] | a[5] | a[6] | a[7];
}

double strata_move(const char *from, size_t read, char *to, size_t written, int copies, double seconds) {
  size_t both = copies ? (read < written ? read : written) : 0;
  long passes = 0, batch = 1;
  double start = now(), elapsed;
  do {
    for (long i = 0; i < batch; ++i) {
      if (both) memcpy(to, from, both);
      if (read > both) read_all(from + both / 64 * 64, read - both);
      if (written > both) memset(to + both, 0, written - both);
      __asm__ volatile("" ::: "memory");
    }
    passes += batch;
    elapsed = now() - start;
    if (elapsed < 0.1 * seconds) batch *= 2;
  } while (elapsed < seconds);
  return elapsed / (double)passes;
}

int strata_nothing(void **inputs, void **outputs, void *workspace, void *executor) {
  (void)inputs, (void)outputs, (void)workspace, (void)executor;
  return 0;
}
