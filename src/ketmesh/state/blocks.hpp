// Walks logical ranges of a state in aligned blocks that a kernel can pack from a shard: the one place where logical order meets shards.
#pragma once

#include <vector>

#include "ketmesh/plan/layout.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::state {

/// The part of an aligned logical block that one shard holds: the amplitudes of the shard whose local bits `mask` equal `value`,
/// element j of them (numbered by the remaining local bits) is element logical(j) of the block.
struct BlockPart {
  int shard = 0;
  Index mask = 0, value = 0;
  Index offset = 0;                  ///< from the block qubits that are shard bits
  const std::vector<Index>* places;  ///< contribution of each element; shared by all blocks of a size
};

/// Logical blocks of 2^size amplitudes.
class BlockMap {
 public:
  BlockMap(const Layout& layout, const Placement& placement, int size);
  int size() const noexcept { return size_; }
  Index elements_per_part() const noexcept { return static_cast<Index>(places_.size()); }
  /// Parts of the block that begins at logical index `begin` (a multiple of 2^size).
  std::vector<BlockPart> parts(Index begin) const;

 private:
  Layout layout_;
  int local_ = 0, size_ = 0;
  Index mask_ = 0;                 // local bits that are constant in a block
  std::vector<int> shard_qubits_;  // block qubits that are shard bits
  std::vector<Index> places_;
};

/// Largest aligned block that begins at `begin` and ends at or before `end`, at most 2^limit.
int aligned_block(Index begin, Index end, int limit);

}  // namespace ketmesh::state
