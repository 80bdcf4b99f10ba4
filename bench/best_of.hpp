// The time of something that is repeated.
#pragma once

#include <algorithm>
#include <chrono>

/// Seconds of the fastest of `repeats` calls of f.
template <typename F>
double best_of(int repeats, F&& f) {
  double best = 1e30;
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}
