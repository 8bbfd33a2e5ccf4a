/* AMX for tests, on any x86-64 Linux: executes the tile instructions that the processor refuses.
 *
 * A shared library, preloaded (LD_PRELOAD) or opened. Its handler of SIGILL decodes the instruction at the faulting address, executes it on
 * tiles in memory, and continues after it. Semantics and faults are those of Intel's Software Developer's Manual, volume 2 (the
 * instructions' pages) and volume 1, chapter 18 (palette 1). What the manual answers with #UD or #GP ends the process with a line that says
 * why: a test that gets there has failed.
 *
 * As on a real system, a process must ask for tiles first: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA), by `syscall`, which the
 * preloaded library answers where the system cannot, or by `amx_permit`, where it is opened. STRATA_AMX=refuse in the environment
 * makes the system refuse. `amx_executed` counts instructions. On a processor with AMX only what it lacks faults (`tdpfp16ps`), and is
 * emulated on the tiles that the system saved for the handler. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <immintrin.h>

enum { TILES = 8, ROWS = 16, BYTES = 64 };
enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };

typedef struct {
  uint8_t bytes[ROWS][BYTES];
} tile;

/* What each thread has: mapped at its first use, and not unmapped. Libraries that are opened have room for a pointer in the initial-exec
 * model only, which needs no allocation, as a handler of signals must do none. */
typedef struct {
  tile tiles[TILES];
  uint8_t config[64];
} thread_state;
static __thread __attribute__((tls_model("initial-exec"))) thread_state *own;
#define tiles (own->tiles)
#define config (own->config)

static atomic_int permitted;
static atomic_ulong executed;

void amx_permit(void) { atomic_store(&permitted, 1); }
unsigned long amx_executed(void) { return atomic_load(&executed); }

/* Only what handlers of signals may call. */
static _Noreturn void fault(int number, const char *why) {
  static const char start[] = "amx emulator: ";
  ssize_t done = write(2, start, sizeof start - 1);
  done += write(2, why, strlen(why));
  done += write(2, "\n", 1);
  (void)done;
  signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  _exit(128 + number);
}

static void undefined_unless(int is_fine, const char *why) {
  if (!is_fine) fault(SIGILL, why);
}

/* #GP, which Linux reports as a segmentation fault. */
static void protected_unless(int is_fine, const char *why) {
  if (!is_fine) fault(SIGSEGV, why);
}

static int rows_of(int t) { return config[48 + t]; }
static int bytes_of(int t) { return config[16 + 2 * t] | config[17 + 2 * t] << 8; }

static void load_config(const uint8_t *from) {
  uint8_t next[64];
  memcpy(next, from, sizeof next);
  if (next[0] == 0) {
    memset(next, 0, sizeof next);
  } else {
    protected_unless(next[0] == 1, "ldtilecfg: this palette does not exist");
    for (int at = 2; at < 64; at++)
      if (at < 16 || (at >= 32 && at < 48) || at >= 56)
        protected_unless(next[at] == 0, "ldtilecfg: a reserved byte is not 0");
    for (int t = 0; t < TILES; t++) {
      int rows = next[48 + t], bytes = next[16 + 2 * t] | next[17 + 2 * t] << 8;
      protected_unless(rows <= ROWS && bytes <= BYTES, "ldtilecfg: a tile is too large");
      protected_unless((rows == 0) == (bytes == 0), "ldtilecfg: a tile has either no rows or no bytes");
    }
  }
  memcpy(config, next, sizeof next);
  memset(tiles, 0, sizeof tiles);
}

static void need_tile(int t) {
  undefined_unless(config[0] == 1, "a tile is used before ldtilecfg, or after tilerelease");
  undefined_unless(rows_of(t) != 0, "a tile is used that is not configured");
}

/* All from this row on is zero, and the next load or store begins at row 0. */
static void finish(int t, int rows) {
  for (int row = rows; row < ROWS; row++) memset(tiles[t].bytes[row], 0, BYTES);
  config[1] = 0;
}

static void load(int t, const uint8_t *base, int64_t stride) {
  int rows = rows_of(t), bytes = bytes_of(t);
  undefined_unless(config[1] < rows, "tileloadd: the first row is not in the tile");
  for (int row = config[1]; row < rows; row++) {
    uint8_t *to = tiles[t].bytes[row];
    memcpy(to, base + row * stride, bytes);
    memset(to + bytes, 0, BYTES - bytes);
  }
  finish(t, rows);
}

static void store(int t, uint8_t *base, int64_t stride) {
  undefined_unless(config[1] < rows_of(t), "tilestored: the first row is not in the tile");
  for (int row = config[1]; row < rows_of(t); row++)
    memcpy(base + row * stride, tiles[t].bytes[row], bytes_of(t));
  config[1] = 0;
}

static void need_product(int sums, int left, int right) {
  undefined_unless(sums != left && sums != right && left != right, "a product needs three tiles");
  need_tile(sums);
  need_tile(left);
  need_tile(right);
  int is_fine = bytes_of(sums) % 4 == 0 && bytes_of(left) % 4 == 0 && bytes_of(right) % 4 == 0;
  undefined_unless(is_fine, "a product of tiles whose bytes are not a multiple of 4");
  undefined_unless(rows_of(sums) == rows_of(left), "a product whose left tile has not the rows of the sums");
  undefined_unless(bytes_of(sums) == bytes_of(right), "a product whose right tile has not the columns of the sums");
  undefined_unless(bytes_of(left) / 4 == rows_of(right), "a product whose tiles do not fit");
}

static int32_t byte_of(const uint8_t *at, int is_signed) { return is_signed ? (int8_t)*at : *at; }

static void multiply_bytes(int sums, int left, int right, int left_signed, int right_signed) {
  for (int m = 0; m < rows_of(sums); m++)
    for (int n = 0; n < bytes_of(sums) / 4; n++) {
      uint32_t sum;
      memcpy(&sum, &tiles[sums].bytes[m][4 * n], 4);
      for (int k = 0; k < bytes_of(left) / 4; k++)
        for (int byte = 0; byte < 4; byte++) {
          int32_t a = byte_of(&tiles[left].bytes[m][4 * k + byte], left_signed);
          int32_t b = byte_of(&tiles[right].bytes[k][4 * n + byte], right_signed);
          sum += (uint32_t)(a * b);
        }
      memcpy(&tiles[sums].bytes[m][4 * n], &sum, 4);
    }
  finish(sums, rows_of(sums));
}

static float bf16_of(const uint8_t *at) {
  uint32_t bits = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 24;
  float number;
  memcpy(&number, &bits, 4);
  return number;
}

static float f16_of(const uint8_t *at) { return _cvtsh_ss((uint16_t)(at[0] | at[1] << 8)); }

/* Products of even and of odd elements are summed apart, then together; all with one rounding to nearest even, subnormal numbers of 32 bits
 * are zero. */
static void multiply_floats(int sums, int left, int right, float (*number)(const uint8_t *)) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(0x1f80 | 0x8040);
  for (int m = 0; m < rows_of(sums); m++)
    for (int n = 0; n < bytes_of(sums) / 4; n++) {
      volatile float even = 0, odd = 0, sum;
      for (int k = 0; k < bytes_of(left) / 4; k++) {
        const uint8_t *a = &tiles[left].bytes[m][4 * k], *b = &tiles[right].bytes[k][4 * n];
        even = __builtin_fmaf(number(a), number(b), even);
        odd = __builtin_fmaf(number(a + 2), number(b + 2), odd);
      }
      float pair = even + odd, old;
      memcpy(&old, &tiles[sums].bytes[m][4 * n], 4);
      sum = old + pair;
      float result = sum;
      memcpy(&tiles[sums].bytes[m][4 * n], &result, 4);
    }
  _mm_setcsr(before);
  finish(sums, rows_of(sums));
}

/* The register with this number, as ModRM, SIB and REX count. */
static uint64_t general(const ucontext_t *context, int number) {
  static const int places[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return (uint64_t)context->uc_mcontext.gregs[places[number]];
}

typedef struct {
  uint64_t address; /* of the memory operand, without the index */
  int64_t stride;   /* the index with its scale; 0 if there is none */
  int has_sib;
  int length; /* of ModRM, SIB and displacement */
} operand;

/* `after` is the address after the instruction, for what is relative to it. */
static operand memory(const ucontext_t *context, const uint8_t *modrm, int x, int b) {
  operand found = {0};
  int mod = modrm[0] >> 6, rm = modrm[0] & 7, at = 1, base = rm | b << 3;
  int is_bare = 0;
  if (rm == 4) {
    int sib = modrm[at++], index = (sib >> 3 & 7) | x << 3;
    found.has_sib = 1;
    base = (sib & 7) | b << 3;
    if (index != 4) found.stride = (int64_t)(general(context, index) << (sib >> 6));
    is_bare = mod == 0 && (sib & 7) == 5;
  } else if (mod == 0 && rm == 5) {
    int32_t away;
    memcpy(&away, modrm + 1, 4);
    found.length = 5;
    found.address = (uint64_t)(modrm + 5) + (int64_t)away;
    return found;
  }
  if (!is_bare) found.address = general(context, base);
  if (mod == 1) {
    found.address += (int64_t)(int8_t)modrm[at];
    at += 1;
  } else if (mod == 2 || is_bare) {
    int32_t away;
    memcpy(&away, modrm + at, 4);
    found.address += (int64_t)away;
    at += 4;
  }
  found.length = at;
  return found;
}

enum { NONE, P66, PF3, PF2 };

/* Executes the instruction at `code`; its length, or 0 where it is not an instruction of AMX. */
static int execute(const ucontext_t *context, const uint8_t *code) {
  /* VEX with three bytes, of the map 0F38. */
  if (code[0] != 0xC4 || (code[1] & 0x1F) != 2) return 0;
  int opcode = code[3], modrm = code[4];
  if (opcode != 0x49 && opcode != 0x4B && opcode != 0x5C && opcode != 0x5E) return 0;
  int r = !(code[1] & 0x80), x = !(code[1] & 0x40), b = !(code[1] & 0x20);
  int wide = code[2] >> 7, vvvv = ~(code[2] >> 3) & 15, length = code[2] >> 2 & 1, prefix = code[2] & 3;
  int is_register = modrm >> 6 == 3, reg = modrm >> 3 & 7, rm = modrm & 7;
  if (wide || length || (opcode == 0x5C && prefix != PF3 && prefix != PF2)) return 0;
  undefined_unless(atomic_load(&permitted), "an instruction of AMX in a process that has not asked for tiles");
  if (opcode == 0x5C || opcode == 0x5E) {
    undefined_unless(is_register && !r && !b && vvvv < TILES, "a product needs three tiles");
    need_product(reg, rm, vvvv);
    if (opcode == 0x5C)
      multiply_floats(reg, rm, vvvv, prefix == PF3 ? bf16_of : f16_of);
    else
      multiply_bytes(reg, rm, vvvv, prefix == PF2 || prefix == PF3, prefix == PF2 || prefix == P66);
    return 5;
  }
  undefined_unless(vvvv == 0, "a field of the instruction must be 1111");
  if (opcode == 0x49 && is_register) {
    if (prefix == NONE && reg == 0 && rm == 0) {
      memset(config, 0, sizeof config);
      memset(tiles, 0, sizeof tiles);
      return 5;
    }
    if (prefix != PF2 || rm != 0) return 0;
    undefined_unless(!r, "there is no such tile");
    need_tile(reg);
    finish(reg, 0);
    return 5;
  }
  if (is_register) return 0;
  operand to = memory(context, code + 4, x, b);
  if (opcode == 0x49) {
    if (reg != 0) return 0;
    if (prefix == NONE)
      load_config((const uint8_t *)to.address);
    else if (prefix == P66)
      memcpy((void *)to.address, config, sizeof config);
    else
      return 0;
  } else {
    if (prefix == NONE) return 0;
    undefined_unless(to.has_sib && !r, "the operand has no index");
    need_tile(reg);
    if (prefix == PF3)
      store(reg, (uint8_t *)to.address, to.stride);
    else
      load(reg, (const uint8_t *)to.address, to.stride);
  }
  return 4 + to.length;
}

static long system_call(long number, const long *arguments) {
  register long r10 __asm__("r10") = arguments[3];
  register long r8 __asm__("r8") = arguments[4];
  register long r9 __asm__("r9") = arguments[5];
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* The tiles that the system saved, where the processor has some: the configuration, then the data, of the extended state in the frame. */
enum { XTILECFG = 17, SW_BYTES = 464, XSTATE_BV = 512, MAGIC = 0x46505853 };

static uint8_t *saved_tiles(const ucontext_t *context, unsigned component) {
  uint8_t *frame = (uint8_t *)context->uc_mcontext.fpregs;
  uint32_t magic;
  uint64_t saved, there;
  memcpy(&magic, frame + SW_BYTES, sizeof magic);
  memcpy(&saved, frame + SW_BYTES + 8, sizeof saved);
  if (magic != MAGIC || !(saved >> component & 1)) return NULL;
  memcpy(&there, frame + XSTATE_BV, sizeof there);
  unsigned size, offset, c, d;
  __cpuid_count(13, component, size, offset, c, d);
  if (!(there >> component & 1)) {
    memset(frame + offset, 0, size);
    there |= (uint64_t)1 << component;
    memcpy(frame + XSTATE_BV, &there, sizeof there);
  }
  return frame + offset;
}

static int has_tiles(void) {
  unsigned a, b, c, d = 0;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  return d >> 24 & 1;
}

static void handle(int number, siginfo_t *info, void *data) {
  (void)info;
  ucontext_t *context = data;
  uint8_t *data_of_tiles = NULL;
  if (own == NULL) {
    long arguments[6] = {0, sizeof(thread_state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0};
    own = (thread_state *)system_call(SYS_mmap, arguments);
  }
  if (has_tiles()) {
    const uint8_t *own_config = saved_tiles(context, XTILECFG);
    data_of_tiles = saved_tiles(context, XTILEDATA);
    undefined_unless(own_config && data_of_tiles, "the system saves no tiles");
    memcpy(config, own_config, sizeof config);
    memcpy(tiles, data_of_tiles, sizeof tiles);
  }
  int length = execute(context, (const uint8_t *)context->uc_mcontext.gregs[REG_RIP]);
  if (data_of_tiles) memcpy(data_of_tiles, tiles, sizeof tiles);
  if (length == 0) {
    /* Not ours: it faults once more, and ends the process as it would have. */
    signal(number, SIG_DFL);
    return;
  }
  atomic_fetch_add_explicit(&executed, 1, memory_order_relaxed);
  context->uc_mcontext.gregs[REG_RIP] += length;
}

/* glibc's, but for the permission. */
long syscall(long number, ...) {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int at = 0; at < 6; at++) arguments[at] = va_arg(list, long);
  va_end(list);
  if (number == SYS_arch_prctl && arguments[0] == ARCH_REQ_XCOMP_PERM && arguments[1] == XTILEDATA) {
    const char *wish = getenv("STRATA_AMX");
    if (wish != NULL && strcmp(wish, "refuse") == 0) {
      errno = EINVAL;
      return -1;
    }
    amx_permit();
    system_call(number, arguments);
    return 0;
  }
  long result = system_call(number, arguments);
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

/* With STRATA_AMX_COUNT in the environment, says how many instructions there were. */
__attribute__((destructor)) static void end(void) {
  if (getenv("STRATA_AMX_COUNT") != NULL && amx_executed() > 0)
    fprintf(stderr, "amx emulator: executed %lu\n", amx_executed());
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  /* Code of the program may fault while it handles a signal of its own. */
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
