// The draws of Python's random.Random(seed) for a small integer seed, so that benchmark circuits are the same gates and
// angles in both languages. MT19937: Matsumoto and Nishimura, ACM TOMACS 8 (1998); the derived draws are documented in
// Python's `random` module.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace ketmesh::app {

class PythonRandom {
 public:
  explicit PythonRandom(std::uint32_t seed);
  double random() {  ///< [0, 1), 53 bits
    const std::uint32_t a = next() >> 5, b = next() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }
  double uniform(double low, double high) { return low + (high - low) * random(); }
  std::size_t below(std::size_t n) {  ///< uniform over 0 .. n-1, n < 2^31
    const int bits = static_cast<int>(std::bit_width(n));
    for (;;) {
      const std::size_t r = next() >> (32 - bits);
      if (r < n) return r;
    }
  }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[below(i + 1)]);
  }
  template <typename T>
  const T& choice(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::uint32_t next();
  static constexpr std::size_t kWords = 624;
  std::array<std::uint32_t, kWords> state_{};
  std::size_t at_ = kWords;
};

}  // namespace ketmesh::app
