/* Runs the compiled MLP on the bundled inputs and prints its classes next to JAX's.
 *
 *   strata compile examples/models/mlp.mlir -o mlp.o --header mlp.h
 *   cc -O2 -I. examples/c/mlp.c mlp.o -lm -o mlp
 *   ./mlp examples/models/mlp/input0.npy examples/models/mlp/output0.npy
 *
 * Everything is allocated here: the object itself owns no memory. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlp.h"

enum { BATCH = 4, PIXELS = 784, CLASSES = 10 };

/* Reads the `count` values of a C-ordered little-endian f32 .npy file (format version 1). */
static void read_npy(const char *path, float *values, size_t count) {
  unsigned char start[10];
  char header[65536];
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  int good = fread(start, 1, sizeof start, file) == sizeof start &&
             memcmp(start, "\x93NUMPY\x01", 7) == 0;
  if (good) {
    size_t length = start[8] | (size_t)start[9] << 8;
    good = fread(header, 1, length, file) == length;
    header[length] = '\0';
    good = good && strstr(header, "'<f4'") != NULL &&
           strstr(header, "'fortran_order': False") != NULL &&
           fread(values, sizeof *values, count, file) == count && fgetc(file) == EOF;
  }
  fclose(file);
  if (!good) {
    fprintf(stderr, "%s: not a .npy file with %zu f32 values\n", path, count);
    exit(1);
  }
}

static int largest(const float *scores) {
  int best = 0;
  for (int i = 1; i < CLASSES; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

int main(int argc, char **argv) {
  static float input[BATCH][PIXELS], output[BATCH][CLASSES], jax[BATCH][CLASSES];
  if (argc != 3) {
    fprintf(stderr, "usage: %s INPUT.npy JAX_OUTPUT.npy\n", argv[0]);
    return 2;
  }
  read_npy(argv[1], &input[0][0], BATCH * PIXELS);
  read_npy(argv[2], &jax[0][0], BATCH * CLASSES);

  /* aligned_alloc wants a multiple of the alignment. */
  size_t size = (mlp_main_workspace_size() + MLP_MAIN_ALIGNMENT) / MLP_MAIN_ALIGNMENT * MLP_MAIN_ALIGNMENT;
  void *workspace = aligned_alloc(MLP_MAIN_ALIGNMENT, size);
  if (workspace == NULL) return 1;
  int32_t status = mlp_main_typed(input, output, workspace);
  free(workspace);
  if (status != 0) {
    fprintf(stderr, "mlp_main returned %d\n", (int)status);
    return 1;
  }

  int same = 1;
  float worst = 0;
  puts("row  Strata  JAX");
  for (int row = 0; row < BATCH; ++row) {
    for (int i = 0; i < CLASSES; ++i) worst = fmaxf(worst, fabsf(output[row][i] - jax[row][i]));
    printf("%3d  %6d  %3d\n", row, largest(output[row]), largest(jax[row]));
    same = same && largest(output[row]) == largest(jax[row]);
  }
  printf("largest difference of a score: %.1e\n", (double)worst);
  return same ? 0 : 1;
}
