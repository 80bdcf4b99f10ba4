// Exchange between shards in the memory of one process.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/memory.hpp"
#include "ketmesh/transport/swaps.hpp"

namespace ketmesh::transport {
namespace {

// A chunk that stays in the cache of its core: the workspace then costs no memory traffic, and a swap is two reads and two writes.
constexpr std::uint64_t kChunkBytes = 64_KiB;
// Below this a team costs more than it saves.
constexpr std::uint64_t kTeamBytes = 512_KiB;

/// `chunk` elements from `first` of both blocks change places through `space`, 2 * chunk elements.
struct ChunkSwap {
  const OwnedShard& a;
  const OwnedShard& b;
  const ExchangeBlocks& blocks;
  const BlockSwap& swap;

  void run(const kernels::DeviceContext& context, Index first, Index count, std::byte* space) const {
    const auto& kernels = *a.kernels;
    const std::size_t one = bytes_per_amplitude(kernels.precision), bytes = static_cast<std::size_t>(count) * one;
    if (blocks.contiguous) {
      std::byte* const in_a = static_cast<std::byte*>(a.shard.data) + (swap.value_first + first) * one;
      std::byte* const in_b = static_cast<std::byte*>(b.shard.data) + (swap.value_second + first) * one;
      kernels.copy(context, space, in_a, bytes);
      kernels.copy(context, in_a, in_b, bytes);
      kernels.copy(context, in_b, space, bytes);
      return;
    }
    kernels.pack(context, a.shard, blocks.mask, swap.value_first, first, count, space);
    kernels.pack(context, b.shard, blocks.mask, swap.value_second, first, count, space + bytes);
    kernels.unpack(context, a.shard, blocks.mask, swap.value_first, first, count, space + bytes);
    kernels.unpack(context, b.shard, blocks.mask, swap.value_second, first, count, space);
  }
};

}  // namespace

ExchangeCount LocalExchanger::exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                       std::uint64_t workspace_bytes) {
  if (step.pairs.empty()) return {};
  if (own.size() != static_cast<std::size_t>(placement.num_shards()))
    throw Internal("local exchange with " + std::to_string(own.size()) + " of " + std::to_string(placement.num_shards()) +
                   " shards in this process");
  const std::uint64_t shard_bytes = bytes_per_amplitude(own.front().kernels->precision) << placement.local_bits();
  const std::uint64_t room = plan::exchange_room(shard_bytes, static_cast<int>(step.pairs.size()), workspace_bytes);
  return swap_within(exchange_blocks(step, placement), own, room);
}

ExchangeCount swap_within_devices(const ExchangeBlocks& blocks, std::span<const OwnedShard> own, std::uint64_t workspace_bytes) {
  ExchangeCount count;
  std::vector<bool> done(blocks.swaps.size());
  for (std::size_t first = 0; first < blocks.swaps.size(); ++first) {
    if (done[first]) continue;
    const int device = owner_of(own, blocks.swaps[first].first).context.ordinal;
    ExchangeBlocks of_device = blocks;
    of_device.swaps.clear();
    for (std::size_t k = first; k < blocks.swaps.size(); ++k) {
      if (done[k] || owner_of(own, blocks.swaps[k].first).context.ordinal != device) continue;
      done[k] = true;
      of_device.swaps.push_back(blocks.swaps[k]);
    }
    std::vector<OwnedShard> there;
    for (const OwnedShard& shard : own)
      if (shard.context.ordinal == device) there.push_back(shard);
    const ExchangeCount one = swap_within(of_device, there, workspace_bytes);
    count.bytes += one.bytes;
    count.workspace_bytes += one.workspace_bytes;
  }
  return count;
}

ExchangeCount swap_within(const ExchangeBlocks& blocks, std::span<const OwnedShard> own, std::uint64_t workspace_bytes) {
  if (blocks.swaps.empty()) return {};
  const std::uint64_t one = bytes_per_amplitude(own.front().kernels->precision);
  const std::uint64_t total = blocks.elements * blocks.swaps.size() * one;
  if (own.front().kernels->swap_blocks != nullptr) {
    for (const BlockSwap& swap : blocks.swaps) {
      const OwnedShard &a = owner_of(own, swap.first), &b = owner_of(own, swap.second);
      a.kernels->swap_blocks(a.context, a.shard, b.shard, blocks.mask, swap.value_first, swap.value_second);
    }
    return {2 * total, 0, 0};
  }
  // A GPU has no team and no cache of one core: its chunks are as long as the workspace allows.
  const bool on_device = is_on_device(own.front());
  const int threads = on_device || total < kTeamBytes ? 1 : std::max(1, own.front().context.threads);
  const std::uint64_t share = workspace_bytes / (2 * static_cast<std::uint64_t>(threads));
  const Index chunk = std::clamp<Index>((on_device ? share : std::min(share, kChunkBytes)) / one, 1, blocks.elements);
  const Index chunks = (blocks.elements + chunk - 1) / chunk;
  const std::size_t space = static_cast<std::size_t>(2 * chunk * one);
  const DeviceBuffer workspace(own.front(), space * static_cast<std::size_t>(threads));

  const Index items = chunks * blocks.swaps.size(), per_thread = (items + static_cast<Index>(threads) - 1) / static_cast<Index>(threads);
  std::uint64_t bytes = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : bytes) if (threads > 1)
  for (int t = 0; t < threads; ++t) {
    std::byte* const slice = workspace.data() + static_cast<std::size_t>(t) * space;
    for (Index item = per_thread * static_cast<Index>(t); item < std::min(items, per_thread * (static_cast<Index>(t) + 1)); ++item) {
      const BlockSwap& swap = blocks.swaps[item / chunks];
      const Index first = item % chunks * chunk, here = std::min(chunk, blocks.elements - first);
      const OwnedShard &a = owner_of(own, swap.first), &b = owner_of(own, swap.second);
      kernels::DeviceContext alone = a.context;
      alone.threads = 1;
      ChunkSwap{a, b, blocks, swap}.run(alone, first, here, slice);
      bytes += 2 * here * one;
    }
  }
  if (on_device) own.front().kernels->synchronize(own.front().context);  // the workspace is given back
  return {bytes, 0, space * static_cast<std::size_t>(threads)};
}

}  // namespace ketmesh::transport
