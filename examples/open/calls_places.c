/* An output whose size depends on values.
 *
 *   strata compile places.mlir -o places.o --header places.h
 *   cc calls_places.c places.o -lm -o places && ./places
 */
#include "places.h"

#include <stdio.h>

static _Alignas(PLACES_MAIN_ALIGNMENT) unsigned char workspace[PLACES_MAIN_WORKSPACE_SIZE + 1];

int main(void) {
  for (int limit = 0; limit <= 9; ++limit) {
    float scores[9];
    for (int i = 0; i < 9; ++i)
      scores[i] = (i * 4) % 9 < limit ? 1.0f : -1.0f;
    int32_t places[9];
    int64_t shape[1];
    if (places_main_typed(scores, places, shape, workspace) != STRATA_OK)
      return 1;
    if (shape[0] != limit)
      return 2;
    for (int64_t i = 0; i < shape[0]; ++i)
      if (scores[places[i]] < 0.0f || (i > 0 && places[i] <= places[i - 1]))
        return 3;
    for (int64_t i = shape[0]; i < 9; ++i)
      if (places[i] != 0)
        return 4;
    printf("%d places\n", (int)shape[0]);
  }
  return 0;
}
