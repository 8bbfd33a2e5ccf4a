/* Calls a layer whose weights are inputs that are laid out once.
 *
 *   strata compile examples/prepared/layer.mlir -o layer.o --header layer.h
 *   cc -O2 -I. examples/prepared/layer.c layer.o -lm -o layer
 *   ./layer */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "layer.h"

enum { ROWS = 3, DEPTH = 65, COLUMNS = 131 };

static float x[ROWS][DEPTH], weights[DEPTH][COLUMNS], bias[COLUMNS], y[ROWS][COLUMNS];
static _Alignas(LAYER_MAIN_PREPARED_ALIGNMENT) uint8_t block[LAYER_MAIN_PREPARED_SIZE];
static _Alignas(LAYER_MAIN_PREPARE_ALIGNMENT) uint8_t memory[LAYER_MAIN_PREPARE_WORKSPACE_SIZE + 1];
static _Alignas(LAYER_MAIN_ALIGNMENT) uint8_t workspace[LAYER_MAIN_WORKSPACE_SIZE + 1];

/* What is computed from the weights as they are. Small integers: every order of a sum gives the same. */
static int is_right(void) {
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < COLUMNS; ++column) {
      float sum = 0;
      for (int k = 0; k < DEPTH; ++k) sum += x[row][k] * weights[k][column];
      if (y[row][column] != sum + bias[column]) return 0;
    }
  return 1;
}

int main(void) {
  for (int k = 0; k < DEPTH; ++k) {
    for (int row = 0; row < ROWS; ++row) x[row][k] = (float)((row * 7 + k) % 5 - 2);
    for (int column = 0; column < COLUMNS; ++column) weights[k][column] = (float)((k * 3 + column) % 7 - 3);
  }
  for (int column = 0; column < COLUMNS; ++column) bias[column] = (float)(column % 11);

  /* Nothing is in the block yet. */
  const void *inputs[] = {x, block};
  void *outputs[] = {y};
  if (layer_main(inputs, outputs, workspace, NULL) != STRATA_NOT_PREPARED) return 1;

  /* Once: the prepared inputs, in the order of the program, become the block. */
  const void *plain[] = {weights, bias};
  void *blocks[] = {block};
  int32_t status = layer_main_prepare(plain, blocks, memory, NULL);
  if (status != STRATA_OK) {
    fprintf(stderr, "layer_main_prepare returned %d\n", (int)status);
    return 1;
  }

  /* Any number of times: the block takes the place of these inputs. */
  for (int call = 0; call < 3; ++call) {
    memset(y, 0, sizeof y);
    status = layer_main(inputs, outputs, workspace, NULL);
    if (status != STRATA_OK || !is_right()) {
      fprintf(stderr, "call %d: status %d, or a wrong result\n", call, (int)status);
      return 1;
    }
  }
  printf("%d calls with weights that were prepared once, in %d bytes\n", 3, LAYER_MAIN_PREPARED_SIZE);
  return 0;
}
