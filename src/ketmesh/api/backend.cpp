#include "ketmesh/api/backend.hpp"

#include <array>

#include "ketmesh/api/machine.hpp"
#include "ketmesh/api/options.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::api {
namespace {

constexpr std::array<MissingPlugin, 3> kMissing = {
    {{"cuda", "this version has no CUDA plugin (libketmesh_cuda.so)"},
     {"mpi", "this version has no MPI plugin (libketmesh_mpi_openmpi.so, libketmesh_mpi_mpich.so)"},
     {"hdf5", "this version has no HDF5 plugin (libketmesh_hdf5.so)"}}};

int virtual_devices(const SimulatorConfig& config) {
  return config.distributed.devices.empty() ? 2 : static_cast<int>(config.distributed.devices.size());
}

kernels::SimdLevel simd_level(const std::string& name) {
  if (name.empty() || name == "reference") return kernels::SimdLevel::best;
  for (const auto level : {kernels::SimdLevel::avx512, kernels::SimdLevel::avx2, kernels::SimdLevel::sse4, kernels::SimdLevel::neon,
                           kernels::SimdLevel::scalar})
    if (kernels::to_string(level) == name) return level;
  throw OptionError("simd = \"" + name + "\": must be one of avx512, avx2, sse4, neon, scalar, reference, or empty");
}

}  // namespace

std::span<const MissingPlugin> missing_plugins() { return kMissing; }

Backend choose_backend(const SimulatorConfig& config, bool has_communicator) {
  const auto unavailable = [&config](std::string_view reason, const char* hint) {
    throw BackendUnavailable(std::string(to_string(config.backend)) + " cannot run here: " + std::string(reason), hint);
  };
  switch (config.backend) {
    case Backend::automatic:
      return has_communicator ? Backend::distributed_mpi_cpu : Backend::cpu;
    case Backend::cpu:
    case Backend::distributed_cpu:
      return config.backend;
    case Backend::gpu:
    case Backend::distributed_gpu:
      unavailable(kMissing[0].reason, "use --backend cpu, or auto");
      break;
    case Backend::distributed_mpi_cpu:
      if (!has_communicator) unavailable(kMissing[1].reason, "use --backend distributed-cpu for several shards in one process");
      return config.backend;
    case Backend::distributed_mpi_gpu:
      unavailable(kMissing[1].reason, "use --backend distributed-cpu for several shards in one process");
      break;
  }
  throw Internal("a backend that is none");
}

Machine machine_for_plan(const SimulatorConfig& config) {
  if (!config.machine_json.empty()) return Machine::from_json(config.machine_json);
  int devices = 1;
  if (config.backend == Backend::distributed_cpu) devices = virtual_devices(config);
  if (config.backend == Backend::distributed_gpu) devices = std::max(1, static_cast<int>(config.distributed.devices.size()));
  return model_machine(config.backend, 1, devices);
}

DeviceMesh mesh_for_run(const SimulatorConfig& config, Backend backend, int rank, int world) {
  if (!config.machine_json.empty()) {
    const Machine machine = Machine::from_json(config.machine_json);
    if (machine.ranks.size() != static_cast<std::size_t>(world))
      throw OptionError("the machine file has " + std::to_string(machine.ranks.size()) + " ranks, this job has " + std::to_string(world));
    return machine.ranks[static_cast<std::size_t>(rank)];
  }
  return DeviceMesh::cpu(backend == Backend::distributed_cpu ? virtual_devices(config) : 1);
}

PlanOptions plan_options(const SimulatorConfig& config, Backend backend) {
  PlanOptions options;
  options.precision = config.effective_precision();
  const bool gpu = backend == Backend::gpu || backend == Backend::distributed_gpu || backend == Backend::distributed_mpi_gpu;
  options.target = gpu ? DeviceKind::cuda : DeviceKind::cpu;
  options.tile_bits = config.tile_qubits;
  if (is_distributed(backend)) {  // on one device these options change nothing
    const DistributedOptions& d = config.distributed;
    options.shards = d.shards;
    const auto placement = parse_placement(d.placement);
    if (!placement) throw Internal("a placement that was not checked");
    options.policy = placement->policy;
    options.shards_per_rank = placement->shards_per_rank;
    options.global_qubits = d.global_qubits;
    options.workspace_bytes = d.transfer_workspace_bytes;
    options.pin_layout = (d.flags & kFlagPinLayout) != 0;
    options.restore_layout = (d.flags & kFlagRestoreLayout) != 0;
  }
  return options;
}

StateOptions state_options(const SimulatorConfig& config) {
  StateOptions options;
  options.kernels = config.simd == "reference" ? KernelChoice::reference : KernelChoice::fast;
  options.level = simd_level(config.simd);
  options.workspace_bytes = config.distributed.transfer_workspace_bytes;
  return options;
}

}  // namespace ketmesh::api
