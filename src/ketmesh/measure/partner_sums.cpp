#include "ketmesh/measure/partner_sums.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::measure {
namespace {

constexpr std::uint64_t kChunkBytes = 4_MiB;

bool on_device(const transport::OwnedShard& shard) { return shard.kernels->backend == "cuda"; }

/// A chunk of another rank's shard, in the memory of the device that reads it.
class Visitor {
 public:
  Visitor(const transport::OwnedShard& host, std::size_t bytes)
      : host_(host), bytes_(bytes), on_device_(on_device(host)), data_(host.kernels->allocate(host.context, bytes)) {
    if (on_device_) {
      in_.resize(bytes);
      out_.resize(bytes);
    }
  }
  ~Visitor() { host_.kernels->release(host_.context, data_, bytes_); }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  void* data() const { return data_; }

  /// Hands over `mine` while the other one comes, each where it is wanted.
  void swap(CollectiveCommunicator& ranks, int peer, const void* mine, bool sends, bool receives) {
    const std::span<const std::byte> there(static_cast<const std::byte*>(mine), sends ? bytes_ : 0);
    const std::span<std::byte> here(static_cast<std::byte*>(data_), receives ? bytes_ : 0);
    if (!on_device_) return ranks.swap(peer, there, here);
    if (sends) host_.kernels->copy_to_host(host_.context, out_.data(), mine, bytes_);
    ranks.swap(peer, std::span(out_).first(there.size()), std::span(in_).first(here.size()));
    if (receives) host_.kernels->copy_from_host(host_.context, data_, in_.data(), bytes_);
  }

 private:
  const transport::OwnedShard& host_;
  std::size_t bytes_;
  bool on_device_;
  void* data_;
  std::vector<std::byte> in_, out_;
};

const transport::OwnedShard* own_shard(const ShardedState& state, Index number) {
  for (const auto& own : state.own_shards())
    if (own.shard.base >> own.shard.local_bits == number) return &own;
  return nullptr;
}

/// One pair of shards with the lower one's sum; the upper one's is its conjugate, up to the sign.
class Pair {
 public:
  Pair(const ShardedState& state, PauliMasks string, Index lower, Index upper)
      : state_(state), string_(string), lower_(lower), upper_(upper) {
    const std::uint64_t one = bytes_per_amplitude(state.precision());
    const std::uint64_t most = std::max<std::uint64_t>(std::min(kChunkBytes, state.options().workspace_bytes), one);
    while (chunk_bits_ < state.placement().local_bits() && (one << (chunk_bits_ + 1)) <= most) ++chunk_bits_;
    bytes_ = static_cast<std::size_t>(one << chunk_bits_);
    chunks_ = bits::one(state.placement().local_bits() - chunk_bits_);
    flip_ = (string.x & bits::low_mask(state.placement().local_bits())) >> chunk_bits_;
  }

  /// Of two shards of this rank.
  cdouble here(const transport::OwnedShard& lower, const transport::OwnedShard& upper) const {
    cdouble sum = 0;
    if (!on_device(lower) || lower.context.ordinal == upper.context.ordinal) {
      lower.kernels->pauli_sums(lower.context, lower.shard, upper.shard, {&string_, 1}, &sum);
      return sum;
    }
    // Of two GPUs: the upper one's amplitudes come over in chunks.
    upper.kernels->synchronize(upper.context);
    const Visitor visitor(lower, bytes_);
    for (Index j = 0; j < chunks_; ++j) {
      kernels::Shard partner = chunk(upper, j ^ flip_);
      lower.kernels->copy(lower.context, visitor.data(), partner.data, bytes_);
      partner.data = visitor.data();
      lower.kernels->pauli_sums(lower.context, chunk(lower, j), partner, {&string_, 1}, &sum);
    }
    lower.kernels->synchronize(lower.context);
    return sum;
  }

  /// The owner of the lower shard takes the first half of its chunks, that of the upper one the rest.
  cdouble over_ranks(const transport::OwnedShard& mine, int peer) const {
    const bool is_lower = mine.shard.base >> mine.shard.local_bits == lower_;
    const Index half = (chunks_ + 1) / 2;
    Visitor visitor(mine, bytes_);
    CollectiveCommunicator& ranks = state_.context().collective();
    cdouble sum = 0;
    for (Index j = 0; j < half; ++j) {
      const Index first = j, second = half + j;  // chunks of the lower shard
      const bool has_second = second < chunks_;
      if (is_lower) {
        visitor.swap(ranks, peer, chunk(mine, has_second ? second : 0).data, has_second, true);
        kernels::Shard partner = place(upper_, first ^ flip_);
        partner.data = visitor.data();
        mine.kernels->pauli_sums(mine.context, chunk(mine, first), partner, {&string_, 1}, &sum);
      } else {
        visitor.swap(ranks, peer, chunk(mine, first ^ flip_).data, true, has_second);
        if (!has_second) continue;
        kernels::Shard visited = place(lower_, second);
        visited.data = visitor.data();
        mine.kernels->pauli_sums(mine.context, visited, chunk(mine, second ^ flip_), {&string_, 1}, &sum);
      }
      mine.kernels->synchronize(mine.context);  // the visitor's memory is used again
    }
    return sum;
  }

 private:
  kernels::Shard place(Index shard, Index number) const {
    return {nullptr, chunk_bits_, (shard << state_.placement().local_bits()) | (number << chunk_bits_)};
  }
  kernels::Shard chunk(const transport::OwnedShard& own, Index number) const {
    kernels::Shard part = place(own.shard.base >> own.shard.local_bits, number);
    part.data = static_cast<std::byte*>(own.shard.data) + number * bytes_;
    return part;
  }

  const ShardedState& state_;
  PauliMasks string_;
  Index lower_, upper_;
  int chunk_bits_ = 0;
  std::size_t bytes_ = 0;
  Index chunks_ = 1, flip_ = 0;
};

}  // namespace

void add_partner_sums(const ShardedState& state, PauliMasks string, cdouble& sum) {
  const Index flipped = string.x >> state.placement().local_bits();
  const bool odd = bits::parity(string.x & string.z);
  const auto& owners = state.placement().owners;
  // Pairs in one order on every rank: a rank that waits, waits for one that is not further.
  for (Index lower = 0; lower < owners.size(); ++lower) {
    const Index upper = lower ^ flipped;
    if (upper < lower) continue;
    const auto *a = own_shard(state, lower), *b = own_shard(state, upper);
    if (a == nullptr && b == nullptr) continue;
    const Pair pair(state, string, lower, upper);
    cdouble part = 0;
    if (a != nullptr && b != nullptr)
      part = pair.here(*a, *b);
    else
      part = pair.over_ranks(a != nullptr ? *a : *b, owners[static_cast<std::size_t>(a != nullptr ? upper : lower)].rank);
    sum += part + (odd ? -std::conj(part) : std::conj(part));
  }
}

}  // namespace ketmesh::measure
