// Machines that need not exist, for plans; and what this machine is, for a doctor's report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ketmesh/api/config.hpp"
#include "ketmesh/mesh/mesh.hpp"

namespace ketmesh {

/// `ranks` ranks with `devices_per_rank` devices of the kind that `backend` computes on (automatic: this processor). memory_bytes
/// is the capacity of each device; 0: that of this machine's memory for a processor (divided among all of its devices that share
/// it), 141e9 for a GPU. GPUs have the figures of an H200. Throws OptionError for numbers that are not positive.
Machine model_machine(Backend backend, int ranks = 1, int devices_per_rank = 1, std::uint64_t memory_bytes = 0);

/// A library opened on first need.
struct PluginReport {
  std::string name;  ///< "cuda", "mpi", "hdf5"
  bool available = false;
  std::string reason;  ///< why not, and what to do
  std::string detail;  ///< what was opened: paths and versions
};

struct CapacityReport {
  std::string placement;  ///< "cpu", "distributed-cpu"
  int single_qubits = 0;  ///< the largest n that fits with its workspace
  int double_qubits = 0;
};

struct MachineReport {
  std::string version;
  Machine machine;  ///< measured or read from the system, free memory now
  int threads = 1;
  std::string simd;                      ///< the level that runs by default
  std::vector<std::string> simd_levels;  ///< all that this processor has
  std::vector<PluginReport> plugins;
  std::vector<CapacityReport> capacities;
};

/// Looks at this process's machine: cores, memory, SIMD levels, plugins. Never throws for what is missing: the report says why.
MachineReport examine_machine();

/// The libraries that are opened on first need, without a look at the rest of the machine. Never throws.
std::vector<PluginReport> plugin_reports();
/// GPUs that this process may use; empty without the plugin. Never throws.
std::vector<Device> visible_gpus();

/// "0.1.0"
std::string version();

}  // namespace ketmesh
