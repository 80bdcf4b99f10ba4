// Bit tricks on 64-bit indices: masks, spreading the bits of a small index over a mask, permuting bits.
#pragma once

#include <bit>
#include <span>

#include "ketmesh/base/types.hpp"

namespace ketmesh::bits {

constexpr Index one(int bit) { return Index{1} << bit; }
constexpr Index low_mask(int count) { return count >= 64 ? ~Index{0} : one(count) - 1; }
constexpr bool test(Index value, int bit) { return ((value >> bit) & 1) != 0; }
constexpr int count(Index mask) { return std::popcount(mask); }
constexpr int lowest(Index mask) { return std::countr_zero(mask); }
constexpr bool parity(Index value) { return (std::popcount(value) & 1) != 0; }

/// Visits the set bits of `mask` from the lowest: f(bit).
template <typename F>
constexpr void for_each(Index mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

/// Spreads the low bits of `value` over the set bits of `mask`, lowest first (pdep).
constexpr Index deposit(Index value, Index mask) {
  Index out = 0;
  for (int i = 0; mask != 0; mask &= mask - 1, ++i)
    if (test(value, i)) out |= mask & (~mask + 1);
  return out;
}

/// Gathers the bits of `value` at the set bits of `mask`, lowest first (pext).
constexpr Index extract(Index value, Index mask) {
  Index out = 0;
  for (int i = 0; mask != 0; mask &= mask - 1, ++i)
    if ((value & mask & (~mask + 1)) != 0) out |= one(i);
  return out;
}

/// Index whose bit positions[i] is bit i of `value`.
template <typename Int>
constexpr Index scatter(Index value, std::span<const Int> positions) {
  Index out = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (test(value, static_cast<int>(i))) out |= one(static_cast<int>(positions[i]));
  return out;
}

/// Index whose bit i is bit positions[i] of `value`.
template <typename Int>
constexpr Index gather(Index value, std::span<const Int> positions) {
  Index out = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (test(value, static_cast<int>(positions[i]))) out |= one(static_cast<int>(i));
  return out;
}

}  // namespace ketmesh::bits
