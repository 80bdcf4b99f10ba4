// Plans as data, and as the table that `ketmesh plan` prints.
#include "ketmesh/plan/plan.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "config.hpp"
#include "convert.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

nb::list stages(const Plan& plan) {
  nb::list out;
  for (const Stage& stage : plan.stages) {
    nb::list pairs, passes;
    for (const Exchange::Pair pair : stage.exchange.pairs) pairs.append(nb::make_tuple(int{pair.local_bit}, int{pair.global_bit}));
    for (const Pass& pass : stage.passes) {
      std::size_t steps = 0;
      for (const Residency& residency : pass.residencies) steps += residency.steps.size();
      nb::dict entry;
      entry["residencies"] = pass.residencies.size();
      entry["steps"] = steps;
      entry["flops"] = pass.flops;
      passes.append(entry);
    }
    nb::dict entry;
    entry["passes"] = passes;
    entry["exchange"] = pairs;
    entry["exchange_bytes"] = stage.exchange.bytes;
    out.append(entry);
  }
  return out;
}

nb::dict memory(const Plan& plan) {
  nb::dict out;
  nb::list devices;
  for (const DeviceMemory& device : plan.memory.per_device) {
    nb::dict entry;
    entry["rank"] = device.rank;
    entry["device"] = device.device;
    entry["bytes"] = device.bytes;
    entry["capacity"] = device.capacity;
    entry["fits"] = device.fits;
    devices.append(entry);
  }
  out["state_bytes"] = plan.memory.state_bytes;
  out["workspace_bytes"] = plan.memory.workspace_bytes;
  out["per_device"] = devices;
  out["fits"] = plan.memory.fits;
  return out;
}

Plan make(const Circuit& given, Config& config, nb::handle machine) {
  const Circuit circuit = given;
  Lease simulator(config);
  if (machine.is_none()) {
    nb::gil_scoped_release release;
    return simulator->plan(circuit);
  }
  const Machine model = Machine::from_json(to_text(machine, "plan", "machine"));
  nb::gil_scoped_release release;
  return simulator->plan(circuit, model);
}

}  // namespace

void bind_plan(nb::module_& m) {
  nb::class_<Plan>(m, "Plan", "What a run would do: stages of passes, exchanges, memory and predicted seconds. Its text is a table.")
      .def_ro("num_qubits", &Plan::num_qubits)
      .def_prop_ro("precision", [](const Plan& p) { return std::string(to_string(p.precision)); })
      .def_prop_ro("shards", [](const Plan& p) { return p.placement.num_shards(); })
      .def_prop_ro("local_qubits", [](const Plan& p) { return p.placement.local_bits(); })
      .def_ro("tile_qubits", &Plan::tile_bits)
      .def_ro("gates_input", &Plan::gates_input)
      .def_ro("gates_planned", &Plan::gates_planned)
      .def_prop_ro("num_stages", [](const Plan& p) { return p.stages.size(); })
      .def_prop_ro("num_passes", &Plan::num_passes)
      .def_prop_ro("num_exchanges", &Plan::num_exchanges)
      .def_ro("bytes_local", &Plan::bytes_local)
      .def_prop_ro("bytes_exchanged", &Plan::bytes_exchanged_total)
      .def_prop_ro("bytes_between_ranks", &Plan::bytes_between_ranks)
      .def_ro("largest_share", &Plan::largest_share)
      .def_ro("flops", &Plan::flops)
      .def_ro("seconds_evolve", &Plan::seconds_evolve)
      .def_ro("seconds_exchange", &Plan::seconds_exchange)
      .def_ro("seconds_total", &Plan::seconds_total)
      .def_prop_ro("stages", &stages, "One dict a stage: its passes, the exchange at its end, bytes.")
      .def_prop_ro("memory", &memory, "state_bytes, workspace_bytes, per_device, fits.")
      .def_prop_ro("fits", [](const Plan& p) { return p.memory.fits; })
      .def_ro("hash", &Plan::hash)
      .def(
          "__eq__", [](const Plan& a, nb::handle b) { return nb::isinstance<Plan>(b) && a == nb::cast<const Plan&>(b); }, "other"_a)
      .def("__repr__", [](const Plan& p) { return explain(p); });
  m.def("plan", &make, "circuit"_a, "config"_a, "machine"_a.none());
}

}  // namespace ketmesh::python
