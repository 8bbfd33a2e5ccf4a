/* Checks the emulator: each instruction against its definition, by another route (integers of 64 bits, floats of twice the width), and what must end the process. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

long syscall(long number, ...);
unsigned long amx_executed(void) __attribute__((weak));

static void check(int is_fine, const char *what) {
  if (!is_fine) {
    printf("wrong: %s\n", what);
    exit(1);
  }
}

static uint32_t state = 1;
static uint32_t draw(void) { return state = state * 1664525 + 1013904223; }

typedef struct {
  uint8_t palette, start, zeros[14];
  uint16_t bytes[16];
  uint8_t rows[16];
} config;

static config of_product(int m, int k, int n) {
  config c = {.palette = 1};
  c.rows[0] = m, c.bytes[0] = 4 * n;
  c.rows[1] = m, c.bytes[1] = 4 * k;
  c.rows[2] = k, c.bytes[2] = 4 * n;
  c.rows[7] = 16, c.bytes[7] = 64;
  return c;
}

static void configure(const config *c) { __asm__ volatile("ldtilecfg %0" ::"m"(*c)); }
static void release(void) { __asm__ volatile("tilerelease"); }

#define LOAD(tile, base, stride) \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(base), "r"((long)(stride)) : "memory")
#define STORE(tile, base, stride) \
  __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(base), "r"((long)(stride)) : "memory")

static void multiply(int signs) {
  /* The last operand is the sums, the one before it the left operand. */
  switch (signs) {
    case 3: __asm__ volatile("tdpbssd %tmm2, %tmm1, %tmm0"); break;
    case 2: __asm__ volatile("tdpbsud %tmm2, %tmm1, %tmm0"); break;
    case 1: __asm__ volatile("tdpbusd %tmm2, %tmm1, %tmm0"); break;
    default: __asm__ volatile("tdpbuud %tmm2, %tmm1, %tmm0");
  }
}

static void bytes_are_multiplied(int m, int k, int n, int signs) {
  uint8_t a[16][80], b[16][80];
  uint32_t c[16][24], found[16][24];
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 80; j++) {
      a[i][j] = j % 3 ? draw() >> 24 : 0x80 - (draw() >> 31);
      b[i][j] = j % 3 ? draw() >> 24 : 0xFF;
    }
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 24; j++) c[i][j] = found[i][j] = draw();
  config wanted = of_product(m, k, n);
  configure(&wanted);
  LOAD(0, c, sizeof c[0]);
  LOAD(1, a, sizeof a[0]);
  LOAD(2, b, sizeof b[0]);
  multiply(signs);
  STORE(0, found, sizeof found[0]);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 24; j++) {
      int64_t sum = (int32_t)c[i][j];
      if (i < m && j < n)
        for (int at = 0; at < 4 * k; at++) {
          int64_t left = a[i][at], right = b[at / 4][4 * j + at % 4];
          if ((signs & 2) && left > 127) left -= 256;
          if ((signs & 1) && right > 127) right -= 256;
          sum += left * right;
        }
      check(found[i][j] == (uint32_t)sum, "a product of bytes");
    }
  /* What is beyond rows and columns is zero, as a wider configuration would show; here the same tile once more. */
  LOAD(0, c, sizeof c[0]);
  STORE(0, found, sizeof found[0]);
  check(memcmp(found[0], c[0], 4 * n) == 0, "a tile that was loaded");
  __asm__ volatile("tilezero %tmm0");
  STORE(0, found, sizeof found[0]);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) check(found[i][j] == 0, "a tile that was set to zero");
  release();
}

static uint16_t bf16(float number) {
  uint32_t bits;
  memcpy(&bits, &number, 4);
  return bits >> 16;
}

static float wide(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float number;
  memcpy(&number, &bits, 4);
  return number;
}

/* Sums of small integers are exact in any order; one that rounds, one of subnormal numbers. */
static void numbers_are_multiplied(void) {
  uint16_t a[16][32], b[16][32];
  float c[16][16], found[16][16];
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 32; j++) {
      a[i][j] = bf16((float)((int)(draw() >> 25) - 64));
      b[i][j] = bf16((float)((int)(draw() >> 25) - 64));
    }
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) c[i][j] = (float)(draw() >> 20);
  config wanted = of_product(16, 16, 16);
  configure(&wanted);
  LOAD(0, c, 64);
  LOAD(1, a, 64);
  LOAD(2, b, 64);
  __asm__ volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
  STORE(0, found, 64);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) {
      double sum = c[i][j];
      for (int at = 0; at < 32; at++) sum += (double)wide(a[i][at]) * wide(b[at / 2][2 * j + at % 2]);
      check(found[i][j] == sum, "a product of bf16");
    }
  memset(a, 0, sizeof a);
  memset(b, 0, sizeof b);
  memset(c, 0, sizeof c);
  /* Row 0: 2^12 * 2^12 + 1, in one chain: 2^24 + 1 is a tie, to even. Row 1: the 1 is in the other chain. */
  a[0][0] = a[1][0] = bf16(4096), a[0][2] = a[1][1] = bf16(1);
  b[0][0] = bf16(4096), b[1][0] = b[0][1] = bf16(1);
  c[1][0] = 1;
  /* Row 2: an operand, row 3: a product, row 4: the sum is subnormal. */
  a[2][4] = 0x0040, b[2][0] = bf16(0x1p100f);
  a[3][5] = bf16(0x1p-80f), b[2][1] = bf16(0x1p-60f);
  c[4][0] = 0x1p-130f;
  a[5][6] = bf16(0x1p-60f), b[3][0] = bf16(-0x1p-60f), c[5][0] = 0x1.8p-120f;
  LOAD(0, c, 64);
  LOAD(1, a, 64);
  LOAD(2, b, 64);
  __asm__ volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
  STORE(0, found, 64);
  check(found[0][0] == 0x1p24f, "a tie within a chain");
  /* 2^24 + 1 of the pairs is a tie, 2^24 + 1 with the old sum another: neither adds. */
  check(found[1][0] == 0x1p24f, "ties of pairs and of the sum");
  check(found[2][0] == 0 && found[3][0] == 0 && found[4][0] == 0, "subnormal numbers");
  check(found[5][0] == 0x1p-121f, "a difference that is normal");
  release();
}

static int has_f16(void) {
  unsigned a = 0, b, c, d;
  __get_cpuid_count(7, 1, &a, &b, &c, &d);
  return a >> 21 & 1;
}

static float half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float number = exponent ? ldexpf(1024 + fraction, exponent - 25) : ldexpf(fraction, -24);
  return bits >> 15 ? -number : number;
}

/* Of f16: sums of small integers and of subnormal numbers, which are none of f32, are exact in any order; sums that are subnormal are zero. */
static void halves_are_multiplied(void) {
  uint16_t a[16][32], b[16][32];
  float c[16][16], found[16][16];
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 32; j++) {
      /* From 1 to 2 in steps of 2^-6 where rows are even, subnormal ones elsewhere. */
      a[i][j] = i % 2 ? draw() >> 24 : 0x3C00 | (draw() >> 26) << 4;
      b[i][j] = (draw() >> 31) << 15 | 0x3C00 | (draw() >> 26) << 4;
    }
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) c[i][j] = 0;
  config wanted = of_product(16, 16, 16);
  configure(&wanted);
  LOAD(0, c, 64);
  LOAD(1, a, 64);
  LOAD(2, b, 64);
  __asm__ volatile("tdpfp16ps %tmm2, %tmm1, %tmm0");
  STORE(0, found, 64);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) {
      double sum = c[i][j];
      for (int at = 0; at < 32; at++) sum += (double)half(a[i][at]) * half(b[at / 2][2 * j + at % 2]);
      check(found[i][j] == sum, "a product of f16");
    }
  memset(a, 0, sizeof a);
  memset(b, 0, sizeof b);
  c[0][0] = 0x1p-130f;
  a[1][0] = 0x7C00, b[0][0] = 0x3C00;
  LOAD(0, c, 64);
  LOAD(1, a, 64);
  LOAD(2, b, 64);
  __asm__ volatile("tdpfp16ps %tmm2, %tmm1, %tmm0");
  STORE(0, found, 64);
  check(found[0][0] == 0, "a sum that is subnormal");
  check(isinf(found[1][0]) && found[1][0] > 0, "an infinity");
  release();
}

/* Registers, scales and displacements of memory operands, and the whole state of a tile. */
static void operands_are_found(void) {
  static uint8_t from[4096], to[4096];
  for (int at = 0; at < 4096; at++) from[at] = draw() >> 24;
  config wanted = of_product(3, 5, 7);
  config found;
  configure(&wanted);
  __asm__ volatile("sttilecfg %0" : "=m"(found));
  check(memcmp(&wanted, &found, sizeof found) == 0, "the configuration");
#define TRY(text, base, index, bytes, away)                                                              \
  do {                                                                                                   \
    memset(to, 0, sizeof to);                                                                            \
    __asm__ volatile("mov %0, %%" base "\n\tmov %1, %%" index "\n\ttileloadd " text ", %%tmm7\n\t"       \
                     "mov %2, %%" base "\n\ttilestored %%tmm7, " text                                    \
                     ::"a"(from + 1024), "d"((long)(bytes)), "c"(to + 1024)                              \
                     : base, index, "memory");                                                           \
    for (int row = 0; row < 16; row++)                                                                   \
      check(memcmp(from + 1024 + away, to + 1024 + away, 64) == 0, text);                                \
  } while (0)
  TRY("(%%rbx,%%rsi,1)", "rbx", "rsi", 64, 0);
  TRY("64(%%r8,%%rsi,2)", "r8", "rsi", 40, 64 + 80 * row);
  TRY("-512(%%rbx,%%r9,4)", "rbx", "r9", 20, -512 + 80 * row);
  TRY("(%%r13,%%r12,8)", "r13", "r12", 10, 80 * row);
  TRY("1024(%%r12,%%rdi,1)", "r12", "rdi", -64, 1024 - 64 * row);
  TRY("-1000(%%r15,%%r14,1)", "r15", "r14", 100, -1000 + 100 * row);
  /* Without an index all rows are at one address. */
  __asm__ volatile("tileloaddt1 (%0), %%tmm7" ::"r"(from));
  STORE(7, to, 64);
  for (int row = 0; row < 16; row++) check(memcmp(to + 64 * row, from, 64) == 0, "no index");
  /* A load begins at the row of the configuration, and the next one at row 0. */
  wanted.start = 2;
  configure(&wanted);
  LOAD(7, from, 64);
  __asm__ volatile("sttilecfg %0" : "=m"(found));
  check(found.start == 0, "the first row is 0 again");
  STORE(7, to, 64);
  for (int at = 0; at < 1024; at++) check(to[at] == (at < 128 ? 0 : from[at]), "the first row");
  release();
  __asm__ volatile("sttilecfg %0" : "=m"(found));
  for (unsigned at = 0; at < sizeof found; at++) check(((uint8_t *)&found)[at] == 0, "released");
}

/* Threads have tiles of their own, and configure them. */
static void *in_a_thread(void *data) {
  (void)data;
  for (int round = 0; round < 50; round++) bytes_are_multiplied(16, 16, 16, round % 4);
  return NULL;
}

static void bad_palette(void) {
  config c = of_product(1, 1, 1);
  c.palette = 2;
  configure(&c);
}
static void bad_rows(void) {
  config c = of_product(17, 1, 1);
  configure(&c);
}
static void bad_bytes(void) {
  config c = of_product(1, 1, 17);
  configure(&c);
}
static void rows_without_bytes(void) {
  config c = of_product(1, 0, 1);
  configure(&c);
}
static void bad_reserved(void) {
  config c = of_product(1, 1, 1);
  c.rows[8] = 1;
  configure(&c);
}
static void not_configured(void) { __asm__ volatile("tilezero %tmm0"); }
static void not_this_one(void) {
  config c = of_product(1, 1, 1);
  configure(&c);
  __asm__ volatile("tilezero %tmm3");
}
static void released(void) {
  config c = of_product(1, 1, 1);
  configure(&c);
  release();
  __asm__ volatile("tilezero %tmm0");
}
static void same_tiles(void) {
  config c = of_product(16, 16, 16);
  configure(&c);
  /* Assemblers refuse tdpbssd %tmm1, %tmm1, %tmm0. */
  __asm__ volatile(".byte 0xC4, 0xE2, 0x73, 0x5E, 0xC1");
}
static void bad_product(int tile, int rows, int bytes) {
  config c = of_product(8, 8, 8);
  c.rows[tile] = rows, c.bytes[tile] = bytes;
  configure(&c);
  __asm__ volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
}
static void other_rows(void) { bad_product(0, 7, 32); }
static void other_columns(void) { bad_product(2, 8, 28); }
static void other_depth(void) { bad_product(2, 7, 32); }
static void odd_bytes(void) { bad_product(1, 8, 34); }
static void another_instruction(void) { __asm__ volatile("ud2"); }

static int death(void (*what)(void), int is_silent) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (is_silent && freopen("/dev/null", "w", stderr) == NULL) _exit(9);
    what();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

int main(int count, char **arguments) {
  int is_refused = count > 1 && strcmp(arguments[1], "refused") == 0;
  check(death(released, 1) == SIGILL, "nothing is permitted at first");
  long answer = syscall(158, 0x1023, 18);
  check(answer == (is_refused ? -1 : 0), "the answer to the question");
  if (is_refused) {
    check(death(released, 1) == SIGILL, "nothing is permitted after a refusal");
    puts("refused");
    return 0;
  }
  check(syscall(39) == getpid(), "other system calls");
  for (int m = 1; m <= 16; m += 3)
    for (int k = 1; k <= 16; k += 5)
      for (int n = 1; n <= 16; n += 4)
        for (int signs = 0; signs < 4; signs++) bytes_are_multiplied(m, k, n, signs);
  bytes_are_multiplied(16, 16, 16, 3);
  numbers_are_multiplied();
  if (amx_executed != NULL || has_f16()) halves_are_multiplied();
  operands_are_found();
  pthread_t threads[3];
  for (int at = 0; at < 3; at++) pthread_create(&threads[at], NULL, in_a_thread, NULL);
  for (int at = 0; at < 3; at++) pthread_join(threads[at], NULL);
  void (*const undefined[])(void) = {not_configured, not_this_one, released,    same_tiles, other_rows,
                                     other_columns,  other_depth,  odd_bytes, another_instruction};
  for (unsigned at = 0; at < sizeof undefined / sizeof *undefined; at++)
    check(death(undefined[at], 1) == SIGILL, "what is undefined");
  void (*const protected[])(void) = {bad_palette, bad_rows, bad_bytes, rows_without_bytes, bad_reserved};
  for (unsigned at = 0; at < sizeof protected / sizeof *protected; at++)
    check(death(protected[at], 1) == SIGSEGV, "a configuration that does not exist");
  unsigned a, b, c, d = 0;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  int is_native = d >> 24 & 1;
  /* Of a processor with tiles, the emulator executes the products of f16 alone, if it lacks them; a hypervisor may hide that it has them. */
  unsigned long executed = amx_executed != NULL ? amx_executed() : 0;
  int expected = is_native ? executed == 0 || (executed == 2 && !has_f16()) : executed > 1000;
  check(amx_executed == NULL || expected, "the number of instructions");
  puts("right");
  return 0;
}
