/* One object, grids of several sizes. The same file is C99, C11 and C++20.
 *
 *   strata compile grid.mlir -o grid.o --header grid.h --max x.1=100
 *   cc calls_grid.c grid.o -lm -o grid && ./grid
 */
#include "grid.h"

#include <stddef.h>

/* The workspace is aligned by hand: C99 has no _Alignas. */
static unsigned char memory[GRID_MAIN_WORKSPACE_SIZE + GRID_MAIN_ALIGNMENT];
static float x[40 * 100], y[40 * 100], z[40 * 100 + 1];

int main(void) {
  const size_t past = (size_t)(uintptr_t)memory % GRID_MAIN_ALIGNMENT;
  unsigned char *workspace = memory + (GRID_MAIN_ALIGNMENT - past) % GRID_MAIN_ALIGNMENT;
  for (int i = 0; i < 40 * 100; ++i) {
    x[i] = (float)(i % 13);
    y[i] = (float)(i % 7);
  }
  for (int64_t rows = 0; rows <= 40; rows += 5)
    for (int64_t columns = 0; columns <= 100; columns += 3) {
      const int64_t shape[2] = {rows, columns}, *const shapes[2] = {shape, shape};
      int64_t symbols[GRID_MAIN_SYMBOLS], found[2], *const output_shapes[1] = {found};
      if (grid_main_dims(shapes, symbols) != STRATA_OK || symbols[0] != rows || symbols[1] != columns)
        return 1;
      if (grid_main_output_shapes(symbols, output_shapes) != STRATA_OK || found[1] != columns)
        return 2;
      if (grid_main_workspace_size(symbols) > GRID_MAIN_WORKSPACE_SIZE)
        return 3;
      z[rows * columns] = -1.0f;
      if (grid_main_typed(rows, columns, x, y, z, workspace) != STRATA_OK)
        return 4;
      for (int64_t i = 0; i < rows * columns; ++i)
        if (z[i] != x[i] * y[i] + y[i])
          return 5;
      if (z[rows * columns] != -1.0f)
        return 6;
    }
  if (grid_main_typed(1, 101, x, y, z, workspace) != STRATA_WRONG_SIZES)
    return 7;
  const int64_t one[2] = {4, 5}, other[2] = {4, 6}, *const wrong[2] = {one, other};
  int64_t symbols[2];
  return grid_main_dims(wrong, symbols) == STRATA_WRONG_SIZES ? 0 : 8;
}
