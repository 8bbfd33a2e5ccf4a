/* One object, batches of 1 to 100.
 *
 *   strata compile scores.mlir -o scores.o --header scores.h
 *   cc batches.c scores.o -lm -o batches && ./batches
 */
#include "scores.h"

#include <math.h>
#include <stdio.h>

static _Alignas(SCORES_MAIN_ALIGNMENT) unsigned char workspace[SCORES_MAIN_WORKSPACE_SIZE + 1];
static float points[100 * 4], scores[100 * 3];

int main(void) {
  for (int i = 0; i < 100 * 4; ++i)
    points[i] = (float)(i % 13) / 7.0f - 0.8f;
  for (int64_t batch = 1; batch <= 100; ++batch) {
    /* The shapes say the batch, and the batch the shapes of the outputs. */
    const int64_t shape[2] = {batch, 4}, *const shapes[1] = {shape};
    int64_t symbols[1], scores_shape[2], *const output_shapes[1] = {scores_shape};
    if (scores_main_dims(shapes, symbols) != STRATA_OK ||
        scores_main_output_shapes(symbols, output_shapes) != STRATA_OK || scores_shape[0] != batch)
      return 1;
    if (scores_main_typed(batch, points, scores, workspace) != STRATA_OK)
      return 2;
    for (int64_t row = 0; row < batch; ++row)
      if (fabsf(scores[3 * row] + scores[3 * row + 1] + scores[3 * row + 2] - 1.0f) > 1e-5f)
        return 3;
  }
  const int64_t wrong[2] = {5, 3}, *const wrong_shapes[1] = {wrong};
  int64_t symbols[1];
  if (scores_main_dims(wrong_shapes, symbols) != STRATA_WRONG_SIZES)
    return 4;
  const int64_t negative[1] = {-1};
  printf("condition %s\n", scores_main_constraints[scores_main_constraint(negative)]);
  return 0;
}
