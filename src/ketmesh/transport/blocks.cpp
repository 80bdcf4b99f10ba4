#include "ketmesh/transport/blocks.hpp"

#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::transport {

ExchangeBlocks exchange_blocks(const Exchange& step, const Placement& placement) {
  const int local = placement.local_bits(), all = local + placement.shard_bits;
  Index seen = 0;
  ExchangeBlocks out;
  std::vector<int> local_bits, shard_bits;
  for (const auto& pair : step.pairs) {
    const bool in_range = pair.local_bit < local && pair.global_bit >= local && pair.global_bit < all;
    if (!in_range || bits::test(seen, pair.local_bit) || bits::test(seen, pair.global_bit))
      throw Internal("exchange of bits " + std::to_string(pair.local_bit) + " and " + std::to_string(pair.global_bit) +
                     " of a state with " + std::to_string(local) + " local of " + std::to_string(all) + " bits");
    seen |= bits::one(pair.local_bit) | bits::one(pair.global_bit);
    out.mask |= bits::one(pair.local_bit);
    local_bits.push_back(pair.local_bit);
    shard_bits.push_back(pair.global_bit - local);
  }
  const int q = static_cast<int>(step.pairs.size());
  out.elements = bits::one(local - q);
  out.contiguous = (out.mask & bits::low_mask(local - q)) == 0;
  Index pattern_mask = 0;
  for (const int b : shard_bits) pattern_mask |= bits::one(b);
  const std::span<const int> places(shard_bits), block_bits(local_bits);
  // In round d pattern a meets a ^ d: each shard has one partner a round, so ranks wait for each other as little as can be.
  for (Index round = 1; round < bits::one(q); ++round)
    for (Index group = 0; group < static_cast<Index>(placement.num_shards()); ++group) {
      if ((group & pattern_mask) != 0) continue;
      for (Index a = 0; a < bits::one(q); ++a) {
        const Index b = a ^ round;
        if (b < a) continue;
        BlockSwap swap{static_cast<int>(group | bits::scatter(a, places)), static_cast<int>(group | bits::scatter(b, places)),
                       bits::scatter(b, block_bits), bits::scatter(a, block_bits)};
        if (swap.first > swap.second) {
          std::swap(swap.first, swap.second);
          std::swap(swap.value_first, swap.value_second);
        }
        out.swaps.push_back(swap);
      }
    }
  return out;
}

}  // namespace ketmesh::transport
