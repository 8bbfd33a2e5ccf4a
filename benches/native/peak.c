/* The machine's single-thread f32 FMA peak, measured: the yardstick of the kernel benchmarks.
 *
 *   double strata_peak_f32(double seconds)   GFLOP/s, over at least `seconds`
 *   const char *strata_peak_isa(void)        the instruction set it used
 *
 * Each step does `chains` independent vector FMAs, enough to cover latency times issue width
 * (4 cycles, 2 a cycle need 8) and few enough to stay in registers. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keeps the result observable, so that the loop is not removed. */
static volatile float sink;

#define EACH_8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define EACH_12(X) EACH_8(X) X(8) X(9) X(10) X(11)
#define EACH_16(X) EACH_12(X) X(12) X(13) X(14) X(15)

/* The factor is below one, so that the sums converge and never become subnormal or infinite. */
#define DEFINE_PEAK(NAME, ATTRIBUTE, VECTOR, EACH, SPLAT)                \
  ATTRIBUTE static void NAME(long steps) {                               \
    VECTOR factor = SPLAT(0.999f), term = SPLAT(0.25f);                  \
    EACH(DECLARE_##NAME)                                                 \
    for (long i = 0; i < steps; ++i) {                                   \
      EACH(STEP_##NAME)                                                  \
      __asm__ volatile("" ::: "memory");                                 \
    }                                                                    \
    EACH(USE_##NAME)                                                     \
  }

#if defined(__x86_64__)
#include <immintrin.h>
#define DECLARE_fma_avx512(I) __m512 c##I = _mm512_set1_ps(1.0f + I);
#define STEP_fma_avx512(I) c##I = _mm512_fmadd_ps(c##I, factor, term);
#define USE_fma_avx512(I) sink = _mm512_cvtss_f32(c##I);
DEFINE_PEAK(fma_avx512, __attribute__((target("avx512f"))), __m512, EACH_16, _mm512_set1_ps)
#define DECLARE_fma_avx2(I) __m256 c##I = _mm256_set1_ps(1.0f + I);
#define STEP_fma_avx2(I) c##I = _mm256_fmadd_ps(c##I, factor, term);
#define USE_fma_avx2(I) sink = _mm256_cvtss_f32(c##I);
DEFINE_PEAK(fma_avx2, __attribute__((target("avx2,fma"))), __m256, EACH_12, _mm256_set1_ps)
#elif defined(__aarch64__)
#include <arm_neon.h>
#define DECLARE_fma_neon(I) float32x4_t c##I = vdupq_n_f32(1.0f + I);
#define STEP_fma_neon(I) c##I = vfmaq_f32(term, c##I, factor);
#define USE_fma_neon(I) sink = vgetq_lane_f32(c##I, 0);
DEFINE_PEAK(fma_neon, , float32x4_t, EACH_16, vdupq_n_f32)
#else
#error "no FMA peak for this machine: add its vector instructions here"
#endif

struct kernel {
  void (*run)(long steps);
  double flops_per_step;
  const char *isa;
};

static struct kernel best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return (struct kernel){fma_avx512, 16 * 16 * 2, "AVX-512"};
  return (struct kernel){fma_avx2, 12 * 8 * 2, "AVX2"};
#else
  return (struct kernel){fma_neon, 16 * 4 * 2, "NEON"};
#endif
}

const char *strata_peak_isa(void) { return best().isa; }

double strata_peak_f32(double seconds) {
  struct kernel kernel = best();
  const long steps = 20000;
  long rounds = 0;
  kernel.run(steps); /* warms the wide units up */
  double start = now(), elapsed;
  do {
    kernel.run(steps);
    ++rounds;
    elapsed = now() - start;
  } while (elapsed < seconds);
  return (double)rounds * (double)steps * kernel.flops_per_step / elapsed * 1e-9;
}
