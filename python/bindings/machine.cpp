// This machine, and machines that need not exist.
#include "ketmesh/api/machine.hpp"

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

nb::dict report() {
  MachineReport r;
  {
    nb::gil_scoped_release release;
    r = examine_machine();
  }
  nb::list devices, plugins, capacities, levels;
  for (const DeviceMesh& mesh : r.machine.ranks)
    for (const Device& device : mesh.devices) {
      nb::dict entry;
      entry["id"] = device.id();
      entry["name"] = device.name;
      entry["memory_bytes"] = device.memory_bytes;
      entry["memory_bandwidth"] = device.memory_bandwidth;
      devices.append(entry);
    }
  for (const PluginReport& plugin : r.plugins) {
    nb::dict entry;
    entry["name"] = plugin.name;
    entry["available"] = plugin.available;
    entry["reason"] = plugin.reason;
    plugins.append(entry);
  }
  for (const CapacityReport& capacity : r.capacities) {
    nb::dict entry;
    entry["placement"] = capacity.placement;
    entry["single_qubits"] = capacity.single_qubits;
    entry["double_qubits"] = capacity.double_qubits;
    capacities.append(entry);
  }
  for (const std::string& level : r.simd_levels) levels.append(level);
  nb::dict out;
  out["version"] = r.version;
  out["threads"] = r.threads;
  out["simd"] = r.simd;
  out["simd_levels"] = levels;
  out["devices"] = devices;
  out["plugins"] = plugins;
  out["capacities"] = capacities;
  return out;
}

}  // namespace

void bind_machine(nb::module_& m) {
  m.def("machine_report", &report);
  m.def(
      "num_gpus", [] { return visible_gpus().size(); }, "GPUs that this process may use; never raises.");
  m.def(
      "model_machine",
      [](const std::string& backend, int ranks, int devices_per_rank, nb::handle memory_bytes) {
        const std::uint64_t bytes = memory_bytes.is_none() ? 0 : to_unsigned(memory_bytes, "model_machine", "memory_bytes");
        return model_machine(backend_from_string(backend), ranks, devices_per_rank, bytes).to_json();
      },
      "backend"_a, "ranks"_a, "devices_per_rank"_a, "memory_bytes"_a.none());
}

}  // namespace ketmesh::python
