// Amplitudes of logical blocks on their way from the shards of all ranks to the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "ketmesh/state/blocks.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::state {

/// This rank's shard of a number; nullptr: another rank has it.
inline const transport::OwnedShard* own_shard(const ShardedState& state, int number) {
  for (const auto& own : state.own_shards())
    if (static_cast<int>(own.shard.base >> own.shard.local_bits) == number) return &own;
  return nullptr;
}

/// Device memory for one part of a block.
class Staging {
 public:
  Staging(const transport::OwnedShard& own, Index elements)
      : own_(own),
        bytes_(static_cast<std::size_t>(elements * bytes_per_amplitude(own.kernels->precision))),
        device_(own.kernels->allocate(own.context, bytes_)) {}
  ~Staging() { own_.kernels->release(own_.context, device_, bytes_); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void read(const BlockPart& part, void* host) {
    own_.kernels->pack(own_.context, own_.shard, part.mask, part.value, 0, static_cast<Index>(part.places->size()), device_);
    own_.kernels->copy_to_host(own_.context, host, device_, bytes_);
  }
  void write(const BlockPart& part, const void* host) {
    own_.kernels->copy_from_host(own_.context, device_, host, bytes_);
    own_.kernels->unpack(own_.context, own_.shard, part.mask, part.value, 0, static_cast<Index>(part.places->size()), device_);
    own_.kernels->synchronize(own_.context);  // the staging is used again
  }

 private:
  const transport::OwnedShard& own_;
  std::size_t bytes_;
  void* device_;
};

/// Blocks as parts, by the rank that has them. Held is what the state holds: cfloat or cdouble.
template <typename Held>
class PartBuffer {
 public:
  explicit PartBuffer(const ShardedState& state) : state_(state), of_rank_(static_cast<std::size_t>(state.context().world())) {}

  /// Reads this rank's parts of the block that begins at logical index `at`, which is element `place` of what place() fills; the map must live until then.
  void add(const BlockMap& map, Index at, Index place) {
    for (const auto& part : map.parts(at)) {
      const auto owner = static_cast<std::size_t>(state_.placement().owners[static_cast<std::size_t>(part.shard)].rank);
      auto& values = of_rank_[owner];
      parts_.push_back({owner, values.size(), place + part.offset, part.places});
      values.resize(values.size() + part.places->size());
      if (const auto* own = own_shard(state_, part.shard))
        Staging(*own, map.elements_per_part()).read(part, values.data() + parts_.back().first);
      elements_ += part.places->size();
    }
  }

  Index elements() const noexcept { return elements_; }
  /// Of a rank: sizes are right on every rank, values on that one only - the caller moves them.
  std::vector<Held>& of_rank(int rank) { return of_rank_[static_cast<std::size_t>(rank)]; }

  /// Every element at its place, times the state's global phase.
  template <typename T>
  void place(std::span<T> out) const {
    const bool has_phase = state_.global_phase() != 0;
    const T phase = static_cast<T>(std::polar(1.0, state_.global_phase()));
    for (const Part& part : parts_) {
      const Held* const held = of_rank_[part.owner].data() + part.first;
      T* const block = out.data() + part.place;
      for (std::size_t j = 0; j < part.places->size(); ++j)
        block[(*part.places)[j]] = has_phase ? static_cast<T>(held[j]) * phase : static_cast<T>(held[j]);
    }
  }

  void clear() {
    parts_.clear();
    for (auto& values : of_rank_) values.clear();
    elements_ = 0;
  }

 private:
  struct Part {
    std::size_t owner, first;  ///< rank, place among its values
    Index place;               ///< of the part's block and shard bits in the output
    const std::vector<Index>* places;
  };
  const ShardedState& state_;
  std::vector<std::vector<Held>> of_rank_;
  std::vector<Part> parts_;
  Index elements_ = 0;
};

}  // namespace ketmesh::state
