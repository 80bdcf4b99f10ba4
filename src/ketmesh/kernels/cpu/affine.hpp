// Permutations of basis states that are affine over GF(2), as CX and X gates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh::kernels::cpu {

struct AffineMoves {
  struct Move {
    std::uint8_t from, to;  ///< bit `to` ^= bit `from`
  };
  std::vector<Move> moves;          ///< in order of time
  std::vector<std::uint8_t> flips;  ///< afterwards
};

/// The gates of i -> table[i], or nothing when the map is not affine. Row operations that shorten the matrix most come first, so a
/// chain of n CX gives n moves back.
std::optional<AffineMoves> decompose_affine(const std::vector<Index>& table);

}  // namespace ketmesh::kernels::cpu
