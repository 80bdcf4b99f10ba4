#include "ketmesh/api/machine.hpp"

#include <algorithm>
#include <bit>

#include "ketmesh/api/backend.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh {
namespace {

/// Figures of an H200: what a plan for a GPU is made for when nobody says otherwise.
Device model_gpu(int ordinal, std::uint64_t memory_bytes) {
  Device device;
  device.kind = DeviceKind::cuda;
  device.ordinal = ordinal;
  device.name = "H200 (model)";
  device.memory_bytes = memory_bytes > 0 ? memory_bytes : 141'000'000'000u;
  device.fast_memory_bytes = 228_KiB;
  device.memory_bandwidth = 4.29e12;
  device.flops_single = 60e12;
  device.flops_double = 30e12;
  return device;
}

/// Largest n whose state with its workspace fits, by asking the planner.
int largest(const Machine& machine, Precision precision, std::uint64_t workspace) {
  PlanOptions options;
  options.precision = precision;
  options.workspace_bytes = workspace;
  options.check_memory = false;
  int n = 0;
  while (n < kMaxQubits && plan_state(n + 1, machine, options).memory.fits) ++n;
  return n;
}

}  // namespace

Machine model_machine(Backend backend, int ranks, int devices_per_rank, std::uint64_t memory_bytes) {
  const auto positive = [](const char* what, int value) {
    if (value < 1 || value > 65536)
      throw OptionError(std::string(what) + " = " + std::to_string(value) + ": must be an integer from 1 to 65536");
  };
  positive("ranks", ranks);
  positive("devices_per_rank", devices_per_rank);
  Machine machine;
  Device cpu;
  if (!is_gpu(backend)) {
    cpu = probe_cpu();
    cpu.memory_bytes = memory_bytes > 0 ? memory_bytes : cpu.memory_bytes / static_cast<std::uint64_t>(devices_per_rank);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    DeviceMesh mesh;
    for (int d = 0; d < devices_per_rank; ++d) {
      mesh.devices.push_back(is_gpu(backend) ? model_gpu(d, memory_bytes) : cpu);
      mesh.devices.back().ordinal = d;
    }
    mesh.host = rank;
    machine.ranks.push_back(std::move(mesh));
  }
  if (is_gpu(backend)) {
    machine.inside_rank = {LinkClass::peer, 395e9, 5e-6};
    machine.inside_host = {LinkClass::host, 50e9, 10e-6};
    machine.between_hosts = {LinkClass::network, 50e9, 20e-6};
  }
  return machine;
}

MachineReport examine_machine() {
  MachineReport report;
  report.version = version();
  report.machine.ranks.push_back(DeviceMesh{{probe_cpu()}, 0});
  report.threads = usable_threads();
  report.simd = kernels::cpu_kernels(Precision::single).level;
  for (const kernels::SimdLevel level : kernels::available_simd_levels()) report.simd_levels.emplace_back(kernels::to_string(level));
  for (const Device& gpu : visible_gpus()) report.machine.ranks.front().devices.push_back(gpu);
  report.plugins = plugin_reports();
  for (const Device& device : report.machine.ranks.front().devices) {
    Machine one;
    one.ranks.push_back(DeviceMesh{{device}, 0});
    report.capacities.push_back({device.id(), largest(one, Precision::single, 16_MiB), largest(one, Precision::double_, 16_MiB)});
  }
  const Machine two = model_machine(Backend::distributed_cpu, 1, 2);
  report.capacities.push_back({"distributed-cpu (2)", largest(two, Precision::single, 16_MiB), largest(two, Precision::double_, 16_MiB)});
  return report;
}

std::vector<PluginReport> plugin_reports() {
  std::vector<PluginReport> reports;
  for (const api::Plugin& plugin : api::plugins()) reports.push_back({plugin.name, plugin.available, plugin.reason, plugin.detail});
  return reports;
}

std::vector<Device> visible_gpus() { return kernels::cuda_devices(); }

std::string version() { return KETMESH_VERSION; }

}  // namespace ketmesh
