// This machine, and machines that need not exist.
#include "ketmesh/api/machine.hpp"

#include "bindings.hpp"
#include "convert.hpp"
#include "results.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

nb::dict device_dict(const Device& d) {
  return record(d, "id", &Device::id, "name", &Device::name, "memory_bytes", &Device::memory_bytes, "memory_bandwidth",
                &Device::memory_bandwidth);
}

nb::dict plugin_dict(const PluginReport& p) {
  return record(p, "name", &PluginReport::name, "available", &PluginReport::available, "reason", &PluginReport::reason);
}

nb::dict capacity_dict(const CapacityReport& c) {
  return record(c, "placement", &CapacityReport::placement, "single_qubits", &CapacityReport::single_qubits, "double_qubits",
                &CapacityReport::double_qubits);
}

nb::dict report() {
  MachineReport r;
  {
    nb::gil_scoped_release release;
    r = examine_machine();
  }
  nb::dict out = record(r, "version", &MachineReport::version, "threads", &MachineReport::threads, "simd", &MachineReport::simd,
                        "simd_levels", &MachineReport::simd_levels);
  nb::list devices;
  for (const DeviceMesh& mesh : r.machine.ranks) devices += list_of(mesh.devices, &device_dict);
  out["devices"] = devices;
  out["plugins"] = list_of(r.plugins, &plugin_dict);
  out["capacities"] = list_of(r.capacities, &capacity_dict);
  return out;
}

}  // namespace

void bind_machine(nb::module_& m) {
  nb::class_<Device>(m, "Device", "Something that owns memory and runs kernels: ``cpu``, ``cpu:1``, ``cuda:0``.")
      .def_prop_ro("id", &Device::id, "How it is named elsewhere.")
      .def_ro("name", &Device::name, "As the system calls it.")
      .def_ro("memory_bytes", &Device::memory_bytes, "Usable capacity.")
      .def_ro("memory_bandwidth", &Device::memory_bandwidth, "Bytes/s read and written by all its cores.")
      .def_ro("flops_single", &Device::flops_single, "Flop/s in single precision, a multiply-add counted as two.")
      .def("__repr__", [](const Device& d) { return "Device(" + d.id() + ", " + std::to_string(d.memory_bytes) + " bytes)"; });
  nb::class_<DeviceMesh>(m, "DeviceMesh", "The devices of one process, in order: what a State may be spread over.")
      .def_static(
          "cpu",
          [](nb::handle count, nb::handle capacity_each) {
            return DeviceMesh::cpu(static_cast<int>(to_unsigned(count, "DeviceMesh.cpu", "count", 1, 65536)),
                                   to_unsigned(capacity_each, "DeviceMesh.cpu", "capacity_each"));
          },
          "count"_a = 1, "capacity_each"_a = 0,
          "Virtual devices that share this process's cores; a capacity of 0 is the memory free now, divided.")
      .def_static(
          "all",
          [] {
            nb::gil_scoped_release release;
            return examine_machine().machine.ranks.front();
          },
          "Every device that this process may use.")
      .def_ro("devices", &DeviceMesh::devices, "The devices.")
      .def("__len__", [](const DeviceMesh& mesh) { return mesh.devices.size(); })
      .def(
          "__eq__", [](const DeviceMesh& a, nb::handle b) { return nb::isinstance<DeviceMesh>(b) && a == nb::cast<const DeviceMesh&>(b); },
          "other"_a)
      .def("__repr__", [](const DeviceMesh& mesh) {
        std::string text;
        for (const Device& device : mesh.devices) text += (text.empty() ? "" : ", ") + device.id();
        return "DeviceMesh(" + text + ")";
      });
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
