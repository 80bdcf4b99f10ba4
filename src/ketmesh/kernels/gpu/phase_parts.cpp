#include "ketmesh/kernels/gpu/phase_parts.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::cuda {
namespace {

/// Angle in radians as a fraction of a turn in units of 2^-64.
std::uint64_t turns(double angle) {
  long double x = static_cast<long double>(angle) / (2 * std::numbers::pi_v<long double>);
  x -= std::floor(x);
  const long double scaled = std::ldexp(x, 64);
  return scaled >= 0x1p64L ? 0 : static_cast<std::uint64_t>(scaled);
}

}  // namespace

int PhaseSplit::register_of(int tile_bit) const {
  for (std::size_t k = 0; k < registers_.size(); ++k)
    if (registers_[k] == tile_bit) return static_cast<int>(k);
  return -1;
}

void PhaseSplit::add(const PhaseTerm& term, const std::vector<double>& angles) {
  switch (term.kind) {
    case PhaseTerm::Kind::match:
      return add(term.mask, term.value, 0, turns(angles[term.angle]));
    case PhaseTerm::Kind::parity:
      return add(term.control_mask, term.control_value, term.mask, turns(angles[term.angle]));
    case PhaseTerm::Kind::table:
      for (Index i = 0; i < bits::one(static_cast<int>(term.bits.size())); ++i) {
        Index mask = term.control_mask, value = term.control_value;
        for (std::size_t k = 0; k < term.bits.size(); ++k) {
          mask |= bits::one(term.bits[k]);
          if (bits::test(i, static_cast<int>(k))) value |= bits::one(term.bits[k]);
        }
        add(mask, value, 0, turns(angles[term.angle + i]));
      }
      return;
  }
}

void PhaseSplit::add(Index mask, Index value, Index parity, std::uint64_t angle) {
  if (angle == 0) return;
  PhaseEntry entry{};
  PhaseCondition condition;
  unsigned ones = 0, zeros = 0, signs = 0;
  bits::for_each(mask, [&](int b) {
    const int j = (*tile_of_)[static_cast<std::size_t>(b)];
    const bool on = bits::test(value, b);
    if (j < 0) {
      entry.mask |= bits::one(b);
      if (on) entry.value |= bits::one(b);
    } else if (const int r = register_of(j); r >= 0) {
      (on ? ones : zeros) |= 1u << r;
    } else {
      condition.mask = static_cast<std::uint16_t>(condition.mask | (1u << j));
      if (on) condition.value = static_cast<std::uint16_t>(condition.value | (1u << j));
    }
  });
  bits::for_each(parity, [&](int b) {
    const int j = (*tile_of_)[static_cast<std::size_t>(b)];
    if (j < 0) {
      entry.parity |= bits::one(b);
    } else if (const int r = register_of(j); r >= 0) {
      signs |= 1u << r;
    } else {
      condition.parity = static_cast<std::uint16_t>(condition.parity | (1u << j));
    }
  });
  // prod over ones of b * prod over zeros of (1 - b) * prod over signs of (1 - 2b), written out over subsets.
  for (unsigned z = zeros;; z = (z - 1) & zeros) {
    for (unsigned s = signs;; s = (s - 1) & signs) {
      std::uint64_t factor = std::popcount(z) % 2 != 0 ? ~std::uint64_t{0} : 1;
      for (int k = 0; k < std::popcount(s); ++k) factor *= ~std::uint64_t{1};  // -2
      const std::uint64_t part = angle * factor;
      if (part != 0) {
        std::vector<PhaseEntry>& entries = groups_[ones | z | s][condition];
        bool joined = false;
        for (PhaseEntry& e : entries)
          if (e.mask == entry.mask && e.value == entry.value && e.parity == entry.parity) {
            e.angle = static_cast<std::int64_t>(static_cast<std::uint64_t>(e.angle) + part);
            joined = true;
            break;
          }
        entry.angle = static_cast<std::int64_t>(part);
        if (!joined) entries.push_back(entry);
      }
      if (s == 0) break;
    }
    if (z == 0) break;
  }
}

}  // namespace ketmesh::kernels::cuda
