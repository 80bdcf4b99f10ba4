// A 64-bit hash of a stream of numbers; the same in every process and on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace ketmesh {

class Hash {
 public:
  void add(std::uint64_t v) {
    state_ = (state_ ^ v) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }
  void add(double v) { add(std::bit_cast<std::uint64_t>(v + 0.0)); }  // -0.0 equals 0.0
  /// The length, then each element.
  template <typename Range>
  void add_all(const Range& range) {
    add(static_cast<std::uint64_t>(range.size()));
    for (const auto& element : range) add(static_cast<std::uint64_t>(element));
  }
  std::uint64_t value() const { return mix(state_); }

 private:
  // Finaliser of SplitMix64 (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t v) {
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
  }
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace ketmesh
