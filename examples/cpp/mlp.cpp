// Calls the compiled MLP from two threads concurrently, each with its own workspace.
//
//   strata compile examples/models/mlp.mlir -o mlp.o --header mlp.h
//   c++ -std=c++17 -O2 -I. examples/cpp/mlp.cpp mlp.o -pthread -o mlp && ./mlp
#include <cstddef>
#include <cstdio>
#include <thread>

#include "mlp.h"

struct Call {
  alignas(MLP_MAIN_ALIGNMENT) std::byte workspace[MLP_MAIN_WORKSPACE_SIZE + 1];
  float scores[4][10];
  int status;

  void operator()(const float (&pixels)[4][784]) { status = mlp_main_typed(pixels, scores, workspace); }
};

int main() {
  static float pixels[4][784];
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 784; ++i) pixels[row][i] = static_cast<float>((row + 1) * i % 29) / 29.0f;

  static Call calls[2];
  std::thread other([] { calls[1](pixels); });
  calls[0](pixels);
  other.join();

  bool same = calls[0].status == STRATA_OK && calls[1].status == STRATA_OK;
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 10; ++i) same = same && calls[0].scores[row][i] == calls[1].scores[row][i];
  std::puts(same ? "both threads got the same scores" : "the threads' scores differ");
  return same ? 0 : 1;
}
