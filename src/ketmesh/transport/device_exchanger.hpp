// Which transport moves amplitudes between GPUs: the one that was asked for, or the best one that works here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ketmesh/kernels/gpu/device_link.hpp"
#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh::transport {

enum class DeviceTransport : std::uint8_t { automatic, local, peer, nccl, mpi, staged };
std::string_view to_string(DeviceTransport transport);

struct DeviceTransportOptions {
  DeviceTransport wanted = DeviceTransport::automatic;
  bool peer_between_ranks = true;
};

/// What the choice depends on; the same on every rank. A reason that is not empty says why a transport cannot be used.
struct TransportFacts {
  bool one_device = false;  ///< all shards lie on one device of one rank
  std::string no_peer, no_nccl, no_mpi;
};

/// Those that can be used, the best first; more than one only for `automatic`. On one device there is nothing to choose. Throws BackendUnavailable when the one that is wanted cannot be used.
std::vector<DeviceTransport> transports_to_try(DeviceTransport wanted, const TransportFacts& facts);

/// For "automatic" with a worse one than the best: one line that says why.
std::string transport_note(DeviceTransport used, const TransportFacts& facts);

/// NCCL has one member a GPU: the text that says who shares one, or "".
std::string shared_gpu(const Machine& machine, const Placement& placement);

/// Chooses at the first exchange, or at once when a transport was asked for by name.
class DeviceExchanger final : public Exchanger {
 public:
  /// Collective. `ranks` and `link` must outlive it.
  DeviceExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link, const Machine& machine, const Placement& placement,
                  std::span<const OwnedShard> own, const DeviceTransportOptions& options);
  ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                         std::uint64_t workspace_bytes) override;
  std::string_view name() const override { return used_ ? used_->name() : to_string(options_.wanted); }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  TransportFacts find_facts(const Placement& placement, std::span<const OwnedShard> own, const std::string& peer_failed) const;
  void choose(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own, std::uint64_t workspace_bytes);
  std::unique_ptr<Exchanger> make(DeviceTransport transport) const;

  CollectiveCommunicator& ranks_;
  kernels::DeviceLink& link_;
  Machine machine_;
  DeviceTransportOptions options_;
  std::unique_ptr<Exchanger> used_;
  std::vector<std::string> notes_;
};

}  // namespace ketmesh::transport
