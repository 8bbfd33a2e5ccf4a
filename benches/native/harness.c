/* Times a compiled object against the FMA peak, alternately, and prints the medians:
 *
 *   <seconds per call> <peak GFLOP/s> <sustained peak GFLOP/s>
 *
 * The peak is taken in short slices between those of the object, the sustained one on its own. They differ on
 * machines that slow vector units down under load: there multiply-adds without loads start at the rate that the
 * object's load left and speed up for some ten milliseconds, to one that no code with loads is given.
 *
 * Compiled with -DINPUT_BYTES=… and -DOUTPUT_BYTES=…, lists of the f32 buffers' sizes, and linked with
 * peak.c and an object named `program`. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

double strata_peak_f32(double seconds);
int32_t program_main(const void *const *inputs, void *const *outputs, void *workspace, const void *executor);
size_t program_main_workspace_size(void);

enum { ROUNDS = 75, ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };
static const double object_slice = 0.01, peak_slice = 0.002, sustained_slice = 0.02;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, ascending);
  return values[ROUNDS / 2];
}

/* Large buffers use huge pages, as docs/abi.md advises: columns of a large matrix otherwise touch more pages than the TLB holds. */
static void *buffer(size_t bytes) {
  size_t alignment = bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
  size_t rounded = (bytes / alignment + 1) * alignment;
  void *p = aligned_alloc(alignment, rounded);
  if (p == NULL) exit(1);
#ifdef MADV_HUGEPAGE
  if (alignment == HUGE_PAGE) madvise(p, rounded, MADV_HUGEPAGE);
#endif
  float *values = p;
  for (size_t i = 0; i < bytes / sizeof *values; ++i) values[i] = (float)(i % 17) * 0.0625f - 0.5f;
  return p;
}

int main(void) {
  const size_t input_bytes[] = {INPUT_BYTES}, output_bytes[] = {OUTPUT_BYTES};
  const void *inputs[sizeof input_bytes / sizeof *input_bytes];
  void *outputs[sizeof output_bytes / sizeof *output_bytes];
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i) inputs[i] = buffer(input_bytes[i]);
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) outputs[i] = buffer(output_bytes[i]);
  void *workspace = buffer(program_main_workspace_size());

  double start = now(), calls_per_slice, times[ROUNDS], peaks[ROUNDS], sustained[ROUNDS];
  for (int i = 0; i < 3; ++i)
    if (program_main(inputs, outputs, workspace, NULL) != 0) return 1;
  calls_per_slice = object_slice / ((now() - start) / 3);
  long calls = calls_per_slice < 1 ? 1 : (long)calls_per_slice;
  for (int round = 0; round < ROUNDS; ++round) {
    peaks[round] = strata_peak_f32(peak_slice);
    start = now();
    for (long i = 0; i < calls; ++i) program_main(inputs, outputs, workspace, NULL);
    times[round] = (now() - start) / (double)calls;
  }
  for (int round = 0; round < ROUNDS; ++round) sustained[round] = strata_peak_f32(sustained_slice);
  printf("%.9g %.9g %.9g\n", median(times), median(peaks), median(sustained));
  return 0;
}
