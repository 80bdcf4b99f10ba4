#include "python_random.hpp"

namespace ketmesh::app {

PythonRandom::PythonRandom(std::uint32_t seed) {
  // init_by_array with the one-word key {seed}.
  state_[0] = 19650218u;
  for (std::uint32_t i = 1; i < kWords; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  std::size_t i = 1;
  const auto step = [&] {
    if (++i >= kWords) {
      state_[0] = state_[kWords - 1];
      i = 1;
    }
  };
  for (std::size_t k = 0; k < kWords; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + seed;
    step();
  }
  for (std::size_t k = 0; k < kWords - 1; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) - static_cast<std::uint32_t>(i);
    step();
  }
  state_[0] = 0x80000000u;
}

std::uint32_t PythonRandom::next() {
  if (at_ >= kWords) {
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kWords] & 0x7fffffffu);
      state_[i] = state_[(i + 397) % kWords] ^ (y >> 1) ^ ((y & 1u) != 0 ? 0x9908b0dfu : 0u);
    }
    at_ = 0;
  }
  std::uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

}  // namespace ketmesh::app
