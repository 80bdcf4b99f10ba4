#include "ketmesh/state/blocks.hpp"

#include <algorithm>
#include <bit>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::state {

BlockMap::BlockMap(const Layout& layout, const Placement& placement, int size)
    : layout_(layout), local_(placement.local_bits()), size_(size) {
  std::vector<std::pair<int, int>> free;  // (local bit, qubit) of the block's qubits, by bit
  for (int q = 0; q < size; ++q) {
    const int bit = layout.bit_of(q);
    if (bit < local_)
      free.emplace_back(bit, q);
    else
      shard_qubits_.push_back(q);
  }
  std::sort(free.begin(), free.end());
  mask_ = bits::low_mask(local_);
  for (const auto& [bit, qubit] : free) mask_ &= ~bits::one(bit);
  places_.assign(std::size_t{1} << free.size(), 0);
  for (std::size_t f = 0; f < free.size(); ++f)
    for (std::size_t j = 0; j < (std::size_t{1} << f); ++j) places_[j | (std::size_t{1} << f)] = places_[j] | bits::one(free[f].second);
}

std::vector<BlockPart> BlockMap::parts(Index begin) const {
  std::vector<BlockPart> out;
  for (Index pattern = 0; pattern < bits::one(static_cast<int>(shard_qubits_.size())); ++pattern) {
    const Index offset = bits::scatter(pattern, std::span<const int>(shard_qubits_));
    const Index physical = layout_.to_physical(begin | offset);
    out.push_back({static_cast<int>(physical >> local_), mask_, physical & mask_, offset, &places_});
  }
  return out;
}

int aligned_block(Index begin, Index end, int limit) {
  int size = std::min(limit, static_cast<int>(std::bit_width(end - begin)) - 1);
  if (begin != 0) size = std::min(size, std::countr_zero(begin));
  return size;
}

}  // namespace ketmesh::state
