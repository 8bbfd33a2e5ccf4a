// One object, grids of several sizes.
//
//   strata compile grid.mlir -o grid.o --cxx grid.hpp --max x.1=100
//   c++ -std=c++20 calls_grid.cpp grid.o -o grid && ./grid
#include "grid.hpp"

#include <vector>

int main() {
  grid_main_program program;
  for (std::int64_t rows = 0; rows <= 40; rows += 5)
    for (std::int64_t columns = 0; columns <= 100; columns += 3) {
      const auto count = static_cast<std::size_t>(rows * columns);
      std::vector<float> x(count, 2.0f), y(count, 3.0f), z(count);
      if (program(rows, columns, x, y, z) != STRATA_OK) return 1;
      for (const float one : z)
        if (one != 9.0f) return 2;
      // Spans of another length are refused.
      if (program(rows + 1, columns + 1, x, y, z) != STRATA_WRONG_SIZES) return 3;
    }
  return 0;
}
