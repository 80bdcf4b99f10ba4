// Who takes part in a run: rank and world, this rank's devices, the communicator. Shared by states and executors.
#pragma once

#include <memory>

#include "ketmesh/base/types.hpp"
#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/transport/collective.hpp"

namespace ketmesh {

/// Owns the thread team's size and the communicator. Throws OptionError before any device call for an empty mesh, a duplicate device, a world of 0.
class DistributedExecutionContext {
 public:
  /// One rank on this process's cores.
  DistributedExecutionContext();
  explicit DistributedExecutionContext(DeviceMesh mesh, int threads = 0);
  /// Each rank on its share of its host's memory.
  explicit DistributedExecutionContext(std::shared_ptr<CollectiveCommunicator> communicator);
  /// Collective. `allow_shared`: a device may be listed twice within the rank. threads = 0: all usable ones, divided among the ranks that may use the same.
  DistributedExecutionContext(std::shared_ptr<CollectiveCommunicator> communicator, DeviceMesh mesh, int threads = 0,
                              bool allow_shared = false);

  int rank() const noexcept;
  int world() const noexcept;
  const DeviceMesh& mesh() const noexcept { return machine_.ranks[static_cast<std::size_t>(rank())]; }
  const Machine& machine() const noexcept { return machine_; }  ///< the meshes of all ranks
  CollectiveCommunicator& collective() const noexcept { return *communicator_; }
  const std::shared_ptr<CollectiveCommunicator>& shared_collective() const noexcept { return communicator_; }
  int threads() const noexcept { return threads_; }

 private:
  std::shared_ptr<CollectiveCommunicator> communicator_;
  Machine machine_;
  int threads_ = 1;
};

/// This process's processor, with its share of the memory of the host when other ranks are there too.
DeviceMesh cpu_mesh_of_rank(const CollectiveCommunicator& communicator);

}  // namespace ketmesh
