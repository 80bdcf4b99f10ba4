// Who takes part in a run; the meshes of all ranks, gathered once.
#include "ketmesh/state/context.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

/// Machine of all ranks from each one's mesh, as text through an all-gather of equal lengths.
Machine gather_machine(CollectiveCommunicator& communicator, DeviceMesh mesh, bool allow_shared) {
  Machine mine;
  mine.allow_shared = allow_shared;
  mine.ranks.push_back(std::move(mesh));
  if (communicator.world() == 1) return mine;
  const std::string text = mine.to_json();
  std::int64_t longest[] = {static_cast<std::int64_t>(text.size())};
  communicator.max(longest);
  const auto length = static_cast<std::size_t>(longest[0]);
  std::string padded = text;
  padded.resize(length, ' ');
  std::string all(length * static_cast<std::size_t>(communicator.world()), ' ');
  communicator.all_gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  Machine machine = mine;
  machine.ranks.clear();
  for (int r = 0; r < communicator.world(); ++r)
    machine.ranks.push_back(Machine::from_json(std::string_view(all).substr(static_cast<std::size_t>(r) * length, length)).ranks.front());
  // Who shares a host is what the communicator found, unless the meshes (of a machine file) say something else than nothing.
  const bool told = std::any_of(machine.ranks.begin(), machine.ranks.end(), [](const DeviceMesh& m) { return m.host != 0; });
  for (std::size_t r = 0; !told && r < machine.ranks.size(); ++r) machine.ranks[r].host = communicator.hosts()[r];
  return machine;
}

/// Ranks of this host that may run on exactly the same cores; those that a launcher bound to cores of their own do not count.
int ranks_on_these_cores(CollectiveCommunicator& communicator) {
  if (communicator.world() == 1) return 1;
  const std::uint64_t mine = affinity_hash();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(communicator.world()));
  communicator.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  const auto& hosts = communicator.hosts();
  const int here = hosts[static_cast<std::size_t>(communicator.rank())];
  int sharing = 0;
  for (std::size_t r = 0; r < all.size(); ++r) sharing += all[r] == mine && hosts[r] == here ? 1 : 0;
  return sharing;
}

}  // namespace

DeviceMesh cpu_mesh_of_rank(const CollectiveCommunicator& communicator) {
  DeviceMesh mesh = DeviceMesh::cpu();
  const auto& hosts = communicator.hosts();
  const auto here = std::count(hosts.begin(), hosts.end(), hosts[static_cast<std::size_t>(communicator.rank())]);
  for (Device& device : mesh.devices) device.memory_bytes /= static_cast<std::uint64_t>(here);
  return mesh;
}

// By value, as everywhere where a context keeps what it is given; the mesh is read from it before it could be moved on.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
DistributedExecutionContext::DistributedExecutionContext(std::shared_ptr<CollectiveCommunicator> communicator)
    : DistributedExecutionContext(communicator, communicator ? cpu_mesh_of_rank(*communicator) : DeviceMesh{}) {}

DistributedExecutionContext::DistributedExecutionContext() : DistributedExecutionContext(DeviceMesh::cpu()) {}

DistributedExecutionContext::DistributedExecutionContext(DeviceMesh mesh, int threads)
    : DistributedExecutionContext(self_communicator(), std::move(mesh), threads) {}

DistributedExecutionContext::DistributedExecutionContext(std::shared_ptr<CollectiveCommunicator> communicator, DeviceMesh mesh, int threads,
                                                         bool allow_shared)
    : communicator_(std::move(communicator)) {
  if (communicator_ == nullptr) throw OptionError("the context has no communicator");
  const int world = communicator_->world(), rank = communicator_->rank();
  if (world < 1) throw OptionError("world = " + std::to_string(world) + ": must be at least 1");
  if (rank < 0 || rank >= world)
    throw OptionError("rank = " + std::to_string(rank) + ": must be 0 to " + std::to_string(world - 1) + " in a world of " +
                      std::to_string(world));
  if (threads < 0) throw OptionError("threads = " + std::to_string(threads) + ": must be 0 (all usable) or more");
  // Before anything collective: a rank with a bad mesh must not leave the others waiting with half a message.
  Machine own;
  own.allow_shared = allow_shared;
  own.ranks.push_back(mesh);
  own.check();
  machine_ = gather_machine(*communicator_, std::move(mesh), allow_shared);
  machine_.check();
  const int sharing = ranks_on_these_cores(*communicator_);
  threads_ = threads > 0 ? usable_threads(threads) : std::max(1, usable_threads() / sharing);
}

int DistributedExecutionContext::rank() const noexcept { return communicator_->rank(); }
int DistributedExecutionContext::world() const noexcept { return communicator_->world(); }

}  // namespace ketmesh
