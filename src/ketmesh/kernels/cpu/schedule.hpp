// The operations of a pass in sweeps: which bits sit in registers when, and where pending phases are applied.
#pragma once

#include <vector>

#include "ketmesh/kernels/cpu/lower.hpp"

namespace ketmesh::kernels::cpu {

struct VectorShape {
  int lane_bits = 0;      ///< log2 of the Reals in a vector
  int register_bits = 0;  ///< bits of vectors held in registers at once
  int chunk_bits = 0;     ///< log2 of the vectors of a chunk that fits the first cache
};

/// An operation, or (op < 0) phases to apply together.
struct PlannedItem {
  std::int32_t op = -1;
  std::vector<TileTerm> terms;
};

struct PlannedSweep {
  std::uint32_t registers = 0;  ///< tile bits; register_bits of them, none in a vector
  std::vector<PlannedItem> items;
};

struct PlannedGroup {
  std::int32_t wide = -1;   ///< a wide operation, alone
  std::uint32_t chunk = 0;  ///< tile bits of a chunk, without those in a vector
  std::vector<PlannedSweep> sweeps;
};

/// Keeps the order of operations that do not commute. Phases wait until an operation moves one of their bits, and then go together.
std::vector<PlannedGroup> schedule(const std::vector<TileOp>& ops, int padded_bits, const VectorShape& shape);

}  // namespace ketmesh::kernels::cpu
