// Sums of many Pauli strings in few reads of a shard: a read holds tiles, and each string whose flipped bits lie within the tile is summed from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ketmesh/circuit/pauli.hpp"

namespace ketmesh::kernels {

struct PauliRead {
  std::vector<std::uint8_t> tile;  ///< bits, ascending; the lowest `rows` of the shard are among them
  int rows = 0;
  std::vector<std::size_t> terms;
};

struct PauliReads {
  std::vector<PauliRead> reads;
  std::vector<std::size_t> alone;  ///< strings that flip more bits than a tile has room for
};

/// Each string in one read. `terms`: flipped bits below local_bits count. Long rows (2^rows amplitudes) are given up for half as long ones where that saves a read.
PauliReads plan_pauli_reads(std::span<const PauliMasks> terms, int local_bits, int tile_bits, int rows);

}  // namespace ketmesh::kernels
