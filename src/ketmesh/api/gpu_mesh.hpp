// Which GPUs a rank takes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ketmesh/api/config.hpp"
#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/transport/collective.hpp"

namespace ketmesh::api {

/// Ordinals for one rank when nobody named any: ranks of a host that see the same GPUs divide them, in the order of both; where there are more ranks than GPUs,
/// neighbours share one. `seen[r]`: UUIDs of the GPUs that rank r sees.
std::vector<int> gpus_of_rank(std::span<const std::vector<std::string>> seen, std::span<const int> hosts, int rank);

/// This rank's GPUs: those that are named, else its share of those that it sees; backend gpu: one. The memory of a GPU that several ranks use is divided among
/// them, after each has made its context. Collective. Throws OptionError for a GPU that is not there.
DeviceMesh gpu_mesh(const SimulatorConfig& config, Backend backend, CollectiveCommunicator& ranks);

}  // namespace ketmesh::api
