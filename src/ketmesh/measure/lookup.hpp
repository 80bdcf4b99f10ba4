// Inverse transform: which outcomes sorted draws fall on.
#pragma once

#include <cstdint>
#include <span>

#include "ketmesh/base/types.hpp"

namespace ketmesh::measure {

/// Walks through the probabilities of a block in logical order, piece by piece, and gives each of its sorted draws the first outcome at which
/// the running sum exceeds the draw. Sums are the same bits for the same probabilities, whatever the layout, the shards and the threads.
class BlockLookup {
 public:
  /// `draws` ascend; the block begins at the running sum `origin`, in units of which a draw d is d * unit. The outcome replaces the draw.
  BlockLookup(std::span<std::uint64_t> draws, double unit, double origin, Index first_outcome);
  /// The next outcomes' probabilities; pieces are multiples of 64 long except the only piece of a small block.
  void feed(std::span<const double> probabilities);
  /// Rounding may leave draws beyond the last sum: the last outcome that is possible takes them. False: the block has none, and
  /// `rest()` is untouched.
  bool finish();
  std::span<std::uint64_t> rest() const { return draws_.subspan(done_); }

 private:
  double target(std::size_t k) const { return static_cast<double>(draws_[k]) * unit_ - origin_; }
  std::span<std::uint64_t> draws_;
  double unit_, origin_;
  Index next_outcome_, last_possible_ = 0;
  std::size_t done_ = 0;
  double sum_ = 0;
  bool any_ = false;
};

}  // namespace ketmesh::measure
