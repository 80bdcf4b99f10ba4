// A phase layer split by where its bits are: registers, the thread's part of the tile index, outside the tile.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ketmesh/kernels/gpu/program.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels::cuda {

/// On the tile index: (index & mask) == value; the sign is the parity of index & parity.
struct PhaseCondition {
  std::uint16_t mask = 0, value = 0, parity = 0;
  auto operator<=>(const PhaseCondition&) const = default;
};

/// Every term is written as terms "all of these register bits are 1" by expanding 1 - b and 1 - 2b over subsets; terms with the same register set and
/// the same condition on the thread share one sum of outside entries.
class PhaseSplit {
 public:
  using Parts = std::map<PhaseCondition, std::vector<PhaseEntry>>;

  /// tile_of[physical bit]: tile bit or -1; `registers`: the tile bits that are in registers.
  PhaseSplit(const std::array<int, 64>& tile_of, std::span<const std::uint8_t> registers) : tile_of_(&tile_of), registers_(registers) {}

  void add(const PhaseTerm& term, const std::vector<double>& angles);
  const std::map<unsigned, Parts>& groups() const { return groups_; }

 private:
  void add(Index mask, Index value, Index parity, std::uint64_t angle);
  int register_of(int tile_bit) const;

  const std::array<int, 64>* tile_of_;
  std::span<const std::uint8_t> registers_;
  std::map<unsigned, Parts> groups_;
};

}  // namespace ketmesh::kernels::cuda
