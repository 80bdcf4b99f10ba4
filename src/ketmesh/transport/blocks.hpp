// Which blocks of which shards an exchange swaps: arithmetic shared by all exchangers.
//
// Amplitude (shard s, local index i) goes where the pairs' bits are swapped. So with a = the bits of s at the global bits and b != a any other
// pattern of them, the block of s whose local bits equal b changes places with the block of the shard with pattern b whose local bits equal a.
#pragma once

#include <cstdint>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::transport {

/// A block of shard `first` changes places with one of shard `second` (first < second).
struct BlockSwap {
  int first = 0, second = 0;
  Index value_first = 0, value_second = 0;  ///< local bits of the block under ExchangeBlocks::mask
};

struct ExchangeBlocks {
  Index mask = 0;                ///< the pairs' local bits
  Index elements = 0;            ///< of one block
  bool contiguous = false;       ///< the local bits are the top ones of a shard: element j of a block lies at value + j
  std::vector<BlockSwap> swaps;  ///< in the same order on every rank
};

/// Throws Internal when a bit is out of its range or named twice.
ExchangeBlocks exchange_blocks(const Exchange& step, const Placement& placement);

}  // namespace ketmesh::transport
