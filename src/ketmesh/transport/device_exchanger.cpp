#include "ketmesh/transport/device_exchanger.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/message_exchanger.hpp"
#include "ketmesh/transport/nccl_exchanger.hpp"
#include "ketmesh/transport/peer_exchanger.hpp"

namespace ketmesh::transport {

std::string_view to_string(DeviceTransport transport) {
  static constexpr std::array<std::string_view, 6> kNames = {"auto", "local", "peer", "nccl", "mpi", "staged"};
  return kNames.at(static_cast<std::size_t>(transport));
}

namespace {

const std::string& reason_against(DeviceTransport transport, const TransportFacts& facts) {
  static const std::string none;
  switch (transport) {
    case DeviceTransport::peer:
      return facts.no_peer;
    case DeviceTransport::nccl:
      return facts.no_nccl;
    case DeviceTransport::mpi:
      return facts.no_mpi;
    case DeviceTransport::automatic:
    case DeviceTransport::local:
    case DeviceTransport::staged:
      return none;
  }
  throw Internal("a transport that is none");
}

constexpr std::array kBestFirst = {DeviceTransport::peer, DeviceTransport::nccl, DeviceTransport::mpi, DeviceTransport::staged};

}  // namespace

std::vector<DeviceTransport> transports_to_try(DeviceTransport wanted, const TransportFacts& facts) {
  if (facts.one_device) return {DeviceTransport::local};
  if (wanted != DeviceTransport::automatic) {
    if (const std::string& reason = reason_against(wanted, facts); !reason.empty())
      throw BackendUnavailable("distributed_transport = " + std::string(to_string(wanted)) + " cannot be used here: " + reason,
                               "leave the option out: the best transport that works is taken");
    return {wanted};
  }
  std::vector<DeviceTransport> out;
  for (const DeviceTransport transport : kBestFirst)
    if (reason_against(transport, facts).empty()) out.push_back(transport);
  return out;
}

std::string transport_note(DeviceTransport used, const TransportFacts& facts) {
  std::string why;
  for (const DeviceTransport better : kBestFirst) {
    if (better == used || used == DeviceTransport::local) break;
    why += (why.empty() ? "" : "; ") + std::string("not ") + std::string(to_string(better)) + ": " + reason_against(better, facts);
  }
  return why.empty() ? why : "transport " + std::string(to_string(used)) + ": " + why;
}

std::string shared_gpu(const Machine& machine, const Placement& placement) {
  std::map<std::string, std::pair<int, int>> seen;
  for (const auto& owner : placement.owners) {
    const DeviceMesh& mesh = machine.ranks.at(static_cast<std::size_t>(owner.rank));
    const Device& device = mesh.devices.at(static_cast<std::size_t>(owner.device));
    const std::string gpu = device.uuid.empty() ? "host " + std::to_string(mesh.host) + " " + device.id() : device.uuid;
    const auto [found, added] = seen.try_emplace(gpu, owner.rank, owner.device);
    if (added || found->second == std::pair(owner.rank, owner.device)) continue;
    return "NCCL has one member a GPU, and " + gpu + " is used by " +
           (found->second.first == owner.rank ? "two devices of rank " : "rank " + std::to_string(found->second.first) + " and rank ") +
           std::to_string(owner.rank);
  }
  return {};
}

DeviceExchanger::DeviceExchanger(CollectiveCommunicator& ranks, kernels::DeviceLink& link, const Machine& machine,
                                 const Placement& placement, std::span<const OwnedShard> own, const DeviceTransportOptions& options)
    : ranks_(ranks), link_(link), machine_(machine), options_(options) {
  if (options_.wanted == DeviceTransport::automatic || placement.num_shards() == 1) return;
  used_ = make(transports_to_try(options_.wanted, find_facts(placement, own, {})).front());
}

TransportFacts DeviceExchanger::find_facts(const Placement& placement, std::span<const OwnedShard> own,
                                           const std::string& peer_failed) const {
  TransportFacts facts;
  facts.no_peer = peer_failed;
  std::set<std::pair<int, int>> devices;
  std::set<int> hosts;
  for (const auto& owner : placement.owners) {
    const DeviceMesh& mesh = machine_.ranks.at(static_cast<std::size_t>(owner.rank));
    // A GPU that is listed twice counts as two when a transport was asked for: there is something to move then.
    const bool by_ordinal = options_.wanted == DeviceTransport::automatic;
    devices.insert({owner.rank, by_ordinal ? mesh.devices.at(static_cast<std::size_t>(owner.device)).ordinal : owner.device});
    hosts.insert(mesh.host);
  }
  facts.one_device = devices.size() == 1;
  const auto wants = [&](DeviceTransport t) { return options_.wanted == t || options_.wanted == DeviceTransport::automatic; };
  if (ranks_.world() == 1) {
    for (const OwnedShard& a : own)
      for (const OwnedShard& b : own)
        if (facts.no_peer.empty() && wants(DeviceTransport::peer) && !link_.reach(a.context.ordinal, b.context.ordinal))
          facts.no_peer =
              "GPU " + std::to_string(a.context.ordinal) + " cannot reach the memory of GPU " + std::to_string(b.context.ordinal);
    facts.no_mpi = "all shards are in one process";
  } else {
    if (!peer_failed.empty())
      facts.no_peer = peer_failed;
    else if (!options_.peer_between_ranks)
      facts.no_peer = "mpi_p2p_bits = 0 forbids it between ranks";
    else if (hosts.size() > 1)
      facts.no_peer = "the ranks are on " + std::to_string(hosts.size()) + " hosts";
    if (!ranks_.takes_device_memory())
      facts.no_mpi = ranks_.name() == "mpi"
                         ? "this MPI does not say that it takes device pointers (KETMESH_MPI_DEVICE_POINTERS=1 vouches for it)"
                         : "the ranks are no processes of an MPI job";
  }
  facts.no_nccl = shared_gpu(machine_, placement);
  const bool asks_nccl = facts.no_nccl.empty() && !facts.one_device &&
                         (options_.wanted == DeviceTransport::nccl || (wants(DeviceTransport::nccl) && !facts.no_peer.empty()));
  if (asks_nccl) {
    facts.no_nccl = link_.nccl_missing();
    std::int64_t missing[] = {facts.no_nccl.empty() ? 0 : 1};
    ranks_.max(missing);
    if (missing[0] != 0 && facts.no_nccl.empty()) facts.no_nccl = "another rank has none";
  }
  return facts;
}

std::unique_ptr<Exchanger> DeviceExchanger::make(DeviceTransport transport) const {
  switch (transport) {
    case DeviceTransport::local:
      return std::make_unique<LocalExchanger>();
    case DeviceTransport::peer:
      return std::make_unique<PeerExchanger>(ranks_, link_);
    case DeviceTransport::nccl:
      return std::make_unique<NcclExchanger>(ranks_, link_);
    case DeviceTransport::mpi:
      return std::make_unique<MessageExchanger>(ranks_, link_, false);
    case DeviceTransport::staged:
      if (ranks_.world() == 1) return std::make_unique<PeerExchanger>(ranks_, link_, true);
      return std::make_unique<MessageExchanger>(ranks_, link_, true);
    case DeviceTransport::automatic:
      break;
  }
  throw Internal("a transport that is none");
}

ExchangeCount DeviceExchanger::exchange(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                                        std::uint64_t workspace_bytes) {
  if (step.pairs.empty()) return {};
  if (used_ == nullptr) choose(step, placement, own, workspace_bytes);
  return used_->exchange(step, placement, own, workspace_bytes);
}

void DeviceExchanger::choose(const Exchange& step, const Placement& placement, std::span<const OwnedShard> own,
                             std::uint64_t workspace_bytes) {
  TransportFacts facts = find_facts(placement, own, {});
  DeviceTransport best = transports_to_try(options_.wanted, facts).front();
  if (best == DeviceTransport::peer) {
    // Whether processes can open each other's memory is only known when they try.
    auto peer = std::make_unique<PeerExchanger>(ranks_, link_);
    const std::string failed = peer->prepare(step, placement, own, workspace_bytes);
    if (failed.empty()) {
      used_ = std::move(peer);
      return;
    }
    facts = find_facts(placement, own, failed);
    best = transports_to_try(options_.wanted, facts).front();
  }
  used_ = make(best);
  if (std::string note = transport_note(best, facts); !note.empty()) notes_.push_back(std::move(note));
}

}  // namespace ketmesh::transport
