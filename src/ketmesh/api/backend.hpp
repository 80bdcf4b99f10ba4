// Which backend runs, on which machine, with which options of the planner and of the state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ketmesh/api/config.hpp"
#include "ketmesh/mesh/mesh.hpp"
#include "ketmesh/plan/planner.hpp"
#include "ketmesh/state/context.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::api {

struct Plugin {
  std::string name;
  bool available = false;
  std::string reason;  ///< why not
  std::string detail;  ///< what was opened
};
/// The libraries that are opened on first need.
std::vector<Plugin> plugins();

/// From this many qubits on `automatic` takes a GPU that is there: below, a launch costs more than the gates.
inline constexpr int kAutomaticGpuQubits = 20;

/// The backend that runs `num_qubits` acted-upon qubits: `automatic` becomes one of the others; one asked for by name stays that one or throws
/// BackendUnavailable with its name and the reason. `has_communicator`: the caller brought ranks of its own.
Backend choose_backend(const SimulatorConfig& config, bool has_communicator, std::size_t num_qubits);

/// The ranks of an MPI backend whose caller brought none: those of the communicator that the options name, else all that were launched. Null for
/// other backends. Collective; throws BackendUnavailable with the backend and the reason.
std::shared_ptr<CollectiveCommunicator> communicator_for_run(const SimulatorConfig& config, Backend backend);

/// The machine that a plan is made for when nothing runs: the machine file, else model_machine.
Machine machine_for_plan(const SimulatorConfig& config);

/// This rank's devices for a run; a processor's memory is shared with the other ranks of its host. Collective. Throws OptionError when the machine file has another
/// number of ranks than the job.
DeviceMesh mesh_for_run(const SimulatorConfig& config, Backend backend, CollectiveCommunicator& ranks);

/// `backend` is the one that runs or is planned for.
PlanOptions plan_options(const SimulatorConfig& config, Backend backend);
StateOptions state_options(const SimulatorConfig& config);

}  // namespace ketmesh::api
