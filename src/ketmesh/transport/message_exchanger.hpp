// Between the GPUs of several ranks by messages: from device memory where the transport of messages takes it, else through pinned host memory.
#pragma once

#include <map>
#include <memory>

#include "ketmesh/transport/device_room.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh::transport {

class MessageExchanger final : public Exchanger {
 public:
  /// Both must outlive it. Collective calls only. `staged`: through the host.
  MessageExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link, bool staged);
  ~MessageExchanger() override;

  ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                         std::uint64_t workspace_bytes) override;
  std::string_view name() const override { return staged_ ? "staged" : "mpi"; }

 private:
  class Pipeline;
  CollectiveCommunicator& ranks_;
  kernels::DeviceLink& link_;
  bool staged_;
  std::map<int, std::unique_ptr<DeviceRoom>> rooms_;  // by number of the own device
};

}  // namespace ketmesh::transport
