// What the exchangers share: swaps between shards of this process, device memory of one call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/blocks.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh::transport {

/// Whether the shard lies in memory that the processor does not reach.
inline bool is_on_device(const OwnedShard& shard) { return shard.kernels->backend == "cuda"; }

/// Device memory of one call.
class DeviceBuffer {
 public:
  DeviceBuffer(const OwnedShard& owner, std::size_t bytes)
      : owner_(owner), bytes_(bytes), data_(owner.kernels->allocate(owner.context, bytes)) {}
  ~DeviceBuffer() { owner_.kernels->release(owner_.context, data_, bytes_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  const OwnedShard& owner_;
  std::size_t bytes_;
  void* data_;
};

/// The shard of this number among those of this rank; nullptr: another rank has it.
inline const OwnedShard* find_shard(std::span<const OwnedShard> own, int number) {
  const auto found = std::find_if(own.begin(), own.end(),
                                  [&](const OwnedShard& o) { return o.shard.base >> o.shard.local_bits == static_cast<Index>(number); });
  return found == own.end() ? nullptr : &*found;
}

inline const OwnedShard& owner_of(std::span<const OwnedShard> own, int number) {
  const OwnedShard* const shard = find_shard(own, number);
  if (shard == nullptr) throw Internal("shard " + std::to_string(number) + " is not of this rank");
  return *shard;
}

/// All swaps of `blocks`, whose shards are all among `own`, through at most workspace_bytes (but two amplitudes a thread).
ExchangeCount swap_within(const ExchangeBlocks& blocks, std::span<const OwnedShard> own, std::uint64_t workspace_bytes);

/// The same for the shards of several GPUs, each swap between two of one GPU: device by device.
ExchangeCount swap_within_devices(const ExchangeBlocks& blocks, std::span<const OwnedShard> own, std::uint64_t workspace_bytes);

}  // namespace ketmesh::transport
