/* Calls an entry the way the header allows, on buffers next to guard pages. Inputs are read
 * from standard input one after the other, outputs are written to standard output.
 *
 * Compiled with -DHEADER='"x.h"' -DENTRY=x_main -DPREFIX=X_MAIN. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define SIGNATURE JOIN(ENTRY, _signature)
#define WORKSPACE_SIZE JOIN(PREFIX, _WORKSPACE_SIZE)
#define ALIGNMENT JOIN(PREFIX, _ALIGNMENT)

enum { MOST = 256, CALLS = 4, CANARY = 0xAB };

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static size_t tensor_bytes(const strata_tensor *tensor) {
  size_t bits = (size_t)tensor->element_type & 0xff;
  size_t bytes = tensor->element_type >> 8 == 7 ? 1 : (bits + 7) / 8;
  for (int32_t i = 0; i < tensor->rank; ++i) bytes *= (size_t)tensor->dimensions[i];
  return bytes;
}

/* Memory between two pages that cannot be touched; `data` is adjacent to the lower or the upper one. */
typedef struct buffer {
  unsigned char *pages, *data;
  size_t inner, size;
} buffer;

static buffer new_buffer(size_t size, size_t alignment, int is_high, int fill) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  buffer b = {NULL, NULL, (size + page) / page * page, size};
  void *all =
      mmap(NULL, b.inner + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) fail("mmap");
  b.pages = (unsigned char *)all + page;
  if (mprotect(all, page, PROT_NONE) || mprotect(b.pages + b.inner, page, PROT_NONE))
    fail("mprotect");
  memset(b.pages, fill, b.inner);
  /* Aligned to 64 at the upper end leaves a gap of up to 63 bytes: `touched` looks at it. */
  b.data = is_high ? b.pages + (b.inner - size) / alignment * alignment : b.pages;
  return b;
}

/* Whether a byte outside of the buffer, or with `whole` any byte, is no longer `fill`. */
static int touched(const buffer *b, int fill, int whole) {
  for (size_t i = 0; i < b->inner; ++i) {
    int is_inside = b->pages + i >= b->data && b->pages + i < b->data + b->size;
    if ((whole || !is_inside) && b->pages[i] != fill) return 1;
  }
  return 0;
}

static void protect(const buffer *b) {
  if (mprotect(b->pages, b->inner, PROT_READ)) fail("mprotect");
}

static void free_buffer(const buffer *b) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  munmap(b->pages - page, b->inner + 2 * page);
}

/* What the inputs hold, and what the first call returned. */
static unsigned char *input_bytes[MOST], *output_bytes[MOST];

/* One call; the outputs are kept the first time and compared from then on. */
static void call(int is_high, int workspace_fill) {
  const void *inputs[MOST] = {NULL};
  void *outputs[MOST] = {NULL};
  buffer in[MOST], out[MOST];
  buffer workspace = new_buffer(WORKSPACE_SIZE, ALIGNMENT, is_high, workspace_fill);
  for (int32_t i = 0; i < SIGNATURE.input_count; ++i) {
    in[i] = new_buffer(tensor_bytes(&SIGNATURE.inputs[i]), 1, is_high, CANARY);
    memcpy(in[i].data, input_bytes[i], in[i].size);
    protect(&in[i]);
    inputs[i] = in[i].data;
  }
  for (int32_t i = 0; i < SIGNATURE.output_count; ++i) {
    out[i] = new_buffer(tensor_bytes(&SIGNATURE.outputs[i]), 1, is_high, CANARY);
    outputs[i] = out[i].data;
  }
  if (ENTRY(inputs, outputs, workspace.data, NULL) != STRATA_OK) fail("status");
  if (touched(&workspace, workspace_fill, 0)) fail("more than the workspace was written");
  for (int32_t i = 0; i < SIGNATURE.output_count; ++i) {
    if (touched(&out[i], CANARY, 0)) fail("more than the output was written");
    if (output_bytes[i] == NULL) {
      output_bytes[i] = malloc(out[i].size + 1);
      memcpy(output_bytes[i], out[i].data, out[i].size);
    } else if (memcmp(output_bytes[i], out[i].data, out[i].size) != 0) {
      fail("two calls return different outputs");
    }
    free_buffer(&out[i]);
  }
  for (int32_t i = 0; i < SIGNATURE.input_count; ++i) free_buffer(&in[i]);
  free_buffer(&workspace);
}

static void *calls(void *fill) {
  for (int i = 0; i < CALLS; ++i) call(i % 2, *(int *)fill);
  return NULL;
}

static int32_t try_call(const void *const *inputs, void *const *outputs, void *workspace) {
  return ENTRY(inputs, outputs, workspace, NULL);
}

/* Calls that must be rejected without writing the outputs. */
static void refused(void) {
  const void *inputs[MOST] = {NULL};
  void *outputs[MOST] = {NULL};
  buffer out[MOST];
  buffer workspace = new_buffer(WORKSPACE_SIZE + 1, ALIGNMENT, 0, 0);
  for (int32_t i = 0; i < SIGNATURE.input_count; ++i) inputs[i] = input_bytes[i];
  for (int32_t i = 0; i < SIGNATURE.output_count; ++i) {
    out[i] = new_buffer(tensor_bytes(&SIGNATURE.outputs[i]), 1, 0, CANARY);
    outputs[i] = out[i].data;
  }
  if (SIGNATURE.input_count > 0) {
    if (try_call(NULL, outputs, workspace.data) != STRATA_NULL_INPUT) fail("inputs NULL");
    for (int32_t i = 0; i < SIGNATURE.input_count; ++i) {
      inputs[i] = NULL;
      if (tensor_bytes(&SIGNATURE.inputs[i]) > 0 &&
          try_call(inputs, outputs, workspace.data) != STRATA_NULL_INPUT)
        fail("an input NULL");
      inputs[i] = input_bytes[i];
    }
  }
  if (SIGNATURE.output_count > 0) {
    if (try_call(inputs, NULL, workspace.data) != STRATA_NULL_OUTPUT) fail("outputs NULL");
    int32_t last = SIGNATURE.output_count - 1;
    outputs[last] = NULL;
    if (out[last].size > 0 && try_call(inputs, outputs, workspace.data) != STRATA_NULL_OUTPUT)
      fail("last output NULL");
    outputs[last] = out[last].data;
  }
  if (WORKSPACE_SIZE > 0) {
    if (try_call(inputs, outputs, NULL) != STRATA_NULL_WORKSPACE) fail("workspace NULL");
    if (try_call(inputs, outputs, workspace.data + 1) != STRATA_UNALIGNED_WORKSPACE)
      fail("workspace not aligned");
  }
  for (int32_t i = 0; i < SIGNATURE.output_count; ++i) {
    if (touched(&out[i], CANARY, 1)) fail("a rejected call wrote an output");
    free_buffer(&out[i]);
  }
  free_buffer(&workspace);
}

int main(void) {
  /* 3 with quantized types */
  if (SIGNATURE.version < 2 || SIGNATURE.version > 3 || SIGNATURE.workspace_alignment != ALIGNMENT ||
      (size_t)SIGNATURE.workspace_size != JOIN(ENTRY, _workspace_size)() ||
      SIGNATURE.workspace_size != WORKSPACE_SIZE)
    fail("table, macros and function differ");
  if (SIGNATURE.input_count > MOST || SIGNATURE.output_count > MOST) fail("too many buffers");
  for (int32_t i = 0; i < SIGNATURE.input_count; ++i) {
    size_t size = tensor_bytes(&SIGNATURE.inputs[i]);
    input_bytes[i] = malloc(size + 1);
    if (fread(input_bytes[i], 1, size, stdin) != size) fail("too few bytes for the inputs");
  }
  if (fgetc(stdin) != EOF) fail("too many bytes for the inputs");

  refused();
  /* What the workspace held before must not matter. */
  call(1, CANARY);
  call(0, 0);
  call(1, 0xFF);
  pthread_t threads[2];
  int fills[2] = {0x55, 0xFE};
  for (int i = 0; i < 2; ++i)
    if (pthread_create(&threads[i], NULL, calls, &fills[i])) fail("pthread_create");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);

  for (int32_t i = 0; i < SIGNATURE.output_count; ++i)
    fwrite(output_bytes[i], 1, tensor_bytes(&SIGNATURE.outputs[i]), stdout);
  return 0;
}
