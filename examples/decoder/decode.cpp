// Decodes greedily with a cache of keys and values that each call updates in place.
//
//   strata compile examples/decoder/decoder.mlir -o decoder.o --cxx decoder.hpp
//   c++ -std=c++20 -O2 -I. examples/decoder/decode.cpp decoder.o -lm -o decode && ./decode 20 3 14 15 9 26
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "decoder.hpp"

constexpr std::size_t kContext = 32, kVocabulary = 48;
constexpr std::size_t kCache = 2 * 2 * kContext * 3 * 8;  // layers, keys and values, positions, heads, width

int main(int argc, char **argv) {
  if (argc < 3) return std::fputs("usage: decode NEW_TOKENS PROMPT...\n", stderr), 2;
  const std::size_t wanted = std::strtoul(argv[1], nullptr, 10);
  std::vector<std::int32_t> tokens;
  for (int i = 2; i < argc; ++i) tokens.push_back(std::atoi(argv[i]));
  const std::size_t prompt = tokens.size();
  if (wanted > kContext || prompt > kContext - wanted) return std::fputs("decode: the cache is too small\n", stderr), 2;

  decoder_main_program step;  // owns the workspace
  std::vector<float> memory(kCache);
  std::span<float, kCache> cache(memory);
  std::array<float, kVocabulary> logits;
  for (std::size_t at = 0; at + 1 < prompt + wanted; ++at) {
    const std::array<std::int32_t, 1> token{tokens[at]}, position{static_cast<std::int32_t>(at)};
    step(token, position, cache, cache, logits);  // one buffer for the cache before and after
    if (at + 1 < prompt) continue;
    tokens.push_back(static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
  }
  for (std::size_t i = prompt; i < tokens.size(); ++i) std::printf("%s%d", i == prompt ? "" : " ", tokens[i]);
  std::puts("");
}
