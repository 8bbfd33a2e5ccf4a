// One object, batches of 1 to 100.
//
//   strata compile scores.mlir -o scores.o --cxx scores.hpp
//   c++ -std=c++20 batches.cpp scores.o -o batches && ./batches
#include "scores.hpp"

#include <cmath>
#include <vector>

int main() {
  scores_main_program program;
  for (std::int64_t batch = 1; batch <= 100; ++batch) {
    std::vector<float> points(batch * 4, 0.25f), scores(batch * 3);
    if (program(batch, points, scores) != STRATA_OK)
      return 1;
    // Spans of another size are refused.
    if (program(batch + 1, points, scores) != STRATA_WRONG_SIZES)
      return 2;
    for (std::int64_t row = 0; row < batch; ++row)
      if (std::fabs(scores[3 * row] + scores[3 * row + 1] + scores[3 * row + 2] - 1.0f) > 1e-5f)
        return 3;
  }
}
