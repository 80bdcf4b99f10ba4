// Between GPUs by NCCL: pairs of sends and receives into slots, a communicator member for each device of all ranks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/transport/device_room.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh::transport {

class NcclExchanger final : public Exchanger {
 public:
  /// Both must outlive it. Collective calls only.
  NcclExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link);
  ~NcclExchanger() override;

  ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                         std::uint64_t workspace_bytes) override;
  std::string_view name() const override { return "nccl"; }

 private:
  /// One own device: its member of the communicator and its slots.
  struct Member {
    std::unique_ptr<DeviceRoom> room;
    void* communicator = nullptr;
  };
  void meet(const Placement& placement, std::span<const OwnedShard> own);
  Member& member_of(const Placement& placement, const OwnedShard& own);
  int number_of(const Placement::Owner& owner) const;
  void wait_until_ready();

  CollectiveCommunicator& ranks_;
  kernels::DeviceLink& link_;
  std::vector<std::pair<int, int>> numbers_;  // (rank, device) of each member
  std::map<int, Member> members_;             // by number of the own device
  bool met_ = false, failed_ = false;
};

}  // namespace ketmesh::transport
