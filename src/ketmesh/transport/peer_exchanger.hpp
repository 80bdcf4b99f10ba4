// Between GPUs that reach each other's memory: of one process, and of the processes of one host (CUDA IPC). Chunks are copied from the shard into the
// other side's slots by the copy engines, and from there into place; events order both sides, and ranks tell each other only that an event was recorded.
// With slots in pinned host memory the same serves devices of one process that do not reach each other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/transport/device_room.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh::transport {

class PeerExchanger final : public Exchanger {
 public:
  /// Both must outlive it. Collective calls only. `staged`: slots in host memory, which only a world of one rank can have.
  PeerExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link, bool staged = false);
  ~PeerExchanger() override;

  ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                         std::uint64_t workspace_bytes) override;
  std::string_view name() const override { return staged_ ? "staged" : "peer"; }

  /// Makes memory and opens that of the other ranks, as exchange() does: "" or, on every rank, why this cannot be.
  std::string prepare(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own, std::uint64_t workspace_bytes);

 private:
  using Key = std::pair<int, int>;  // rank, number of the device in its mesh
  DeviceRoom& room_of(const Placement& placement, const OwnedShard& own);
  std::string meet(const Placement& placement);
  void swap_with(const DeviceBlock& mine, const Placement& placement, int other, const ChunkShape& shape);

  CollectiveCommunicator& ranks_;
  kernels::DeviceLink& link_;
  std::map<int, std::unique_ptr<DeviceRoom>> rooms_;  // by number of the own device
  std::map<Key, std::map<int, SlotView>> others_;     // of another rank, as each own device sees it
  bool met_ = false, staged_ = false;
};

}  // namespace ketmesh::transport
