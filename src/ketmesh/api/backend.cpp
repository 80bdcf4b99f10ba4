#include "ketmesh/api/backend.hpp"

#include <algorithm>
#include <array>

#include "ketmesh/api/gpu_mesh.hpp"
#include "ketmesh/api/machine.hpp"
#include "ketmesh/api/options.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/transport/mpi.hpp"
#include "ketmesh/transport/mpi_library.hpp"

namespace ketmesh::api {
namespace {

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

transport::DeviceTransport device_transport(const DistributedOptions& options) {
  using transport::DeviceTransport;
  if ((options.flags & kFlagHostStaged) != 0) return DeviceTransport::staged;
  switch (options.transport) {
    case TransportChoice::automatic:
      return DeviceTransport::automatic;
    case TransportChoice::peer:
      return DeviceTransport::peer;
    case TransportChoice::nccl:
      return DeviceTransport::nccl;
    case TransportChoice::mpi:
      return DeviceTransport::mpi;
    case TransportChoice::staged:
      return DeviceTransport::staged;
  }
  throw Internal("a transport that is none");
}

Plugin mpi_plugin() {
  const transport::MpiLibrary mpi = transport::mpi_library();
  if (mpi.table == nullptr) return {"mpi", false, mpi.reason, ""};
  std::array<char, 512> version{};
  if (mpi.table->library_version(version.data(), static_cast<std::int32_t>(version.size())) != 0) version = {};
  std::string text(version.data());
  text = text.substr(0, text.find_first_of(",\n"));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return {"mpi", true, "", text + ", " + mpi.library + ", " + mpi.plugin};
}

}  // namespace

std::vector<Plugin> plugins() {
  const kernels::CudaStatus& cuda = kernels::cuda_status();
  return {{"cuda", cuda.available, cuda.reason, cuda.library},
          mpi_plugin(),
          {"hdf5", false, "this version has no HDF5 plugin (libketmesh_hdf5.so)", ""}};
}

Backend choose_backend(const SimulatorConfig& config, bool has_communicator, std::size_t num_qubits) {
  const auto unavailable = [&config](const std::string& reason, const char* hint) {
    throw BackendUnavailable(std::string(to_string(config.backend)) + " cannot run here: " + reason, hint);
  };
  const auto need_gpu = [&] {
    if (!kernels::cuda_status().available)
      unavailable(kernels::cuda_status().reason, "use --backend cpu, or auto; `ketmesh doctor` tells more");
  };
  switch (config.backend) {
    case Backend::automatic:
      if (has_communicator) return Backend::distributed_mpi_cpu;
      return num_qubits >= static_cast<std::size_t>(kAutomaticGpuQubits) && config.simd.empty() && kernels::cuda_status().available
                 ? Backend::gpu
                 : Backend::cpu;
    case Backend::cpu:
    case Backend::distributed_cpu:
    case Backend::distributed_mpi_cpu:
      return config.backend;
    case Backend::gpu:
    case Backend::distributed_gpu:
    case Backend::distributed_mpi_gpu:
      need_gpu();
      return config.backend;
  }
  throw Internal("a backend that is none");
}

std::shared_ptr<CollectiveCommunicator> communicator_for_run(const SimulatorConfig& config, Backend backend) {
  if (!is_mpi(backend)) return nullptr;
  const double timeout = config.distributed.timeout_seconds;
  try {
    return config.distributed.mpi_communicator ? mpi_communicator(*config.distributed.mpi_communicator, timeout)
                                               : launcher_communicator(timeout);
  } catch (const BackendUnavailable& error) {
    throw BackendUnavailable(std::string(to_string(backend)) + " cannot run here: " + error.what(), error.hint());
  }
}

Machine machine_for_plan(const SimulatorConfig& config) {
  if (!config.machine_json.empty()) return Machine::from_json(config.machine_json);
  int devices = 1;
  if (config.backend == Backend::distributed_cpu) devices = virtual_devices(config);
  if (config.backend == Backend::distributed_gpu) devices = std::max(1, static_cast<int>(config.distributed.devices.size()));
  return model_machine(config.backend, 1, devices);
}

namespace {

/// mpi_p2p_bits = k declares that ranks which differ only in their low k bits share a host.
void check_p2p_bits(int k, const CollectiveCommunicator& ranks) {
  const auto& hosts = ranks.hosts();
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    const std::size_t first = r >> k << k;
    if (hosts[r] != hosts[first])
      throw OptionError("mpi_p2p_bits = " + std::to_string(k) + ": ranks " + std::to_string(first) + " and " + std::to_string(r) +
                            " differ only in their low " + std::to_string(k) + " bits and are on different hosts",
                        "start the ranks of a host next to each other, or leave the option out");
  }
}

}  // namespace

DeviceMesh mesh_for_run(const SimulatorConfig& config, Backend backend, CollectiveCommunicator& ranks) {
  if (is_mpi(backend) && config.distributed.mpi_p2p_bits) check_p2p_bits(*config.distributed.mpi_p2p_bits, ranks);
  if (!config.machine_json.empty()) {
    const Machine machine = Machine::from_json(config.machine_json);
    if (machine.ranks.size() != static_cast<std::size_t>(ranks.world()))
      throw OptionError("the machine file has " + std::to_string(machine.ranks.size()) + " ranks, this job has " +
                        std::to_string(ranks.world()));
    return machine.ranks[static_cast<std::size_t>(ranks.rank())];
  }
  if (is_gpu(backend)) return gpu_mesh(config, backend, ranks);
  return backend == Backend::distributed_cpu ? DeviceMesh::cpu(virtual_devices(config)) : cpu_mesh_of_rank(ranks);
}

PlanOptions plan_options(const SimulatorConfig& config, Backend backend) {
  PlanOptions options;
  options.precision = config.effective_precision();
  options.target = is_gpu(backend) ? DeviceKind::cuda : DeviceKind::cpu;
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
    options.full_mesh = (d.flags & kFlagFullMesh) != 0;
  }
  return options;
}

StateOptions state_options(const SimulatorConfig& config) {
  StateOptions options;
  options.kernels = config.simd == "reference" ? KernelChoice::reference : KernelChoice::fast;
  options.level = simd_level(config.simd);
  options.workspace_bytes = config.distributed.transfer_workspace_bytes;
  options.stream = config.cuda_stream;
  options.transport.wanted = device_transport(config.distributed);
  options.transport.peer_between_ranks = config.distributed.mpi_p2p_bits.value_or(1) != 0;
  return options;
}

}  // namespace ketmesh::api
