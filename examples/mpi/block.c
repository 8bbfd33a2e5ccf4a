/* A block of a transformer whose heads and hidden layer 2 ranks share, compared with the whole block in plain C: block.mlir has it.
 *
 *   strata compile block.mlir --target-cpu native -o block.o --header block.h
 *   mpicc -I../../include block.c ../../include/strata/mpi.c block.o -lm -pthread -o block
 *   mpirun -n 2 ./block
 */
#include "block.h"
#include "strata/mpi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOKENS = 7, WIDTH = 16, HEADS = 4, SIZE = 4, HIDDEN = 64 };

/* The weights of the whole block, and of this rank. */
static float x[TOKENS][WIDTH], attention[3][WIDTH][HEADS][SIZE], back[HEADS][SIZE][WIDTH], up[WIDTH][HIDDEN], down[HIDDEN][WIDTH];
static float my_attention[3][WIDTH][HEADS / 2][SIZE], my_back[HEADS / 2][SIZE][WIDTH], my_up[WIDTH][HIDDEN / 2], my_down[HIDDEN / 2][WIDTH];
static float result[TOKENS][WIDTH];
static _Alignas(BLOCK_BLOCK_ALIGNMENT) char workspace[BLOCK_BLOCK_WORKSPACE_SIZE + 1];

static void fill(void *values, size_t bytes, float scale, int seed) {
  float *numbers = values;
  for (size_t at = 0; at < bytes / sizeof *numbers; at++) numbers[at] = scale * sinf((float)(at * 7 + (size_t)seed * 13));
}

static void take_part(int rank) {
  for (int in = 0; in < WIDTH; in++) {
    for (int which = 0; which < 3; which++)
      memcpy(my_attention[which][in], attention[which][in] + rank * HEADS / 2, sizeof my_attention[which][in]);
    memcpy(my_up[in], up[in] + rank * HIDDEN / 2, sizeof my_up[in]);
  }
  memcpy(my_back, back + rank * HEADS / 2, sizeof my_back);
  memcpy(my_down, down + rank * HIDDEN / 2, sizeof my_down);
}

static void normalise(float from[TOKENS][WIDTH], float to[TOKENS][WIDTH]) {
  for (int token = 0; token < TOKENS; token++) {
    float mean = 0, variance = 0;
    for (int at = 0; at < WIDTH; at++) mean += from[token][at] / WIDTH;
    for (int at = 0; at < WIDTH; at++) variance += (from[token][at] - mean) * (from[token][at] - mean) / WIDTH;
    for (int at = 0; at < WIDTH; at++) to[token][at] = (from[token][at] - mean) / sqrtf(variance + 1e-5f);
  }
}

/* The whole block; replaces the tokens by what it gives. */
static void whole(float tokens[TOKENS][WIDTH]) {
  static float n[TOKENS][WIDTH], projected[3][TOKENS][HEADS][SIZE], mixed[TOKENS][HEADS][SIZE], hidden[HIDDEN];
  normalise(tokens, n);
  for (int which = 0; which < 3; which++)
    for (int token = 0; token < TOKENS; token++)
      for (int head = 0; head < HEADS; head++)
        for (int at = 0; at < SIZE; at++)
          for (int in = 0; in < WIDTH; in++) projected[which][token][head][at] += n[token][in] * attention[which][in][head][at];
  for (int head = 0; head < HEADS; head++)
    for (int token = 0; token < TOKENS; token++) {
      float weights[TOKENS], sum = 0;
      for (int other = 0; other < TOKENS; other++) {
        float score = 0;
        for (int at = 0; at < SIZE; at++) score += projected[0][token][head][at] * projected[1][other][head][at];
        weights[other] = expf(score / 2);
        sum += weights[other];
      }
      for (int other = 0; other < TOKENS; other++)
        for (int at = 0; at < SIZE; at++) mixed[token][head][at] += weights[other] / sum * projected[2][other][head][at];
    }
  for (int token = 0; token < TOKENS; token++)
    for (int head = 0; head < HEADS; head++)
      for (int at = 0; at < SIZE; at++)
        for (int out = 0; out < WIDTH; out++) tokens[token][out] += mixed[token][head][at] * back[head][at][out];
  normalise(tokens, n);
  for (int token = 0; token < TOKENS; token++) {
    for (int at = 0; at < HIDDEN; at++) {
      hidden[at] = 0;
      for (int in = 0; in < WIDTH; in++) hidden[at] += n[token][in] * up[in][at];
    }
    for (int at = 0; at < HIDDEN; at++)
      for (int out = 0; out < WIDTH; out++) tokens[token][out] += tanhf(hidden[at]) * down[at][out];
  }
}

int main(void) {
  strata_mpi_options options = {.size = sizeof options,
                                .replicas = BLOCK_BLOCK_REPLICAS,
                                .partitions = BLOCK_BLOCK_PARTITIONS,
                                .program = BLOCK_BLOCK_PROGRAM,
                                .seconds = 60};
  strata_mpi *mpi;
  int32_t status = strata_mpi_create(&options, &mpi);
  if (status == STRATA_OK) {
    float largest = 0;
    const void *inputs[] = {x, my_attention[0], my_attention[1], my_attention[2], my_back, my_up, my_down};
    void *outputs[] = {result};
    fill(x, sizeof x, 1, 1);
    fill(attention, sizeof attention, 0.4f, 2);
    fill(back, sizeof back, 0.4f, 3);
    fill(up, sizeof up, 0.3f, 4);
    fill(down, sizeof down, 0.2f, 5);
    take_part((int)strata_mpi_rank(mpi));
    status = block_block(inputs, outputs, workspace, strata_mpi_executor(mpi));
    whole(x);
    for (int token = 0; token < TOKENS; token++)
      for (int at = 0; at < WIDTH; at++) largest = fmaxf(largest, fabsf(result[token][at] - x[token][at]));
    if (status == STRATA_OK) printf("rank %d: %s\n", (int)strata_mpi_rank(mpi), largest < 1e-4f ? "as the whole block" : "WRONG");
    status = strata_mpi_end(mpi, status);
  }
  if (status != STRATA_OK) fprintf(stderr, "status %d: %s\n", (int)status, strata_mpi_reason(mpi));
  return strata_mpi_destroy(mpi) || status != STRATA_OK;
}
