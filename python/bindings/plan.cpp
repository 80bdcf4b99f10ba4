// Plans as data, and as the table that `ketmesh plan` prints.
#include "ketmesh/plan/plan.hpp"

#include "bindings.hpp"
#include "config.hpp"
#include "convert.hpp"
#include "results.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

nb::dict pass_dict(const Pass& pass) {
  const auto steps = [](const Pass& p) {
    std::size_t sum = 0;
    for (const Residency& residency : p.residencies) sum += residency.steps.size();
    return sum;
  };
  return record(
      pass, "residencies", [](const Pass& p) { return p.residencies.size(); }, "steps", steps, "flops", &Pass::flops);
}

nb::dict stage_dict(const Stage& stage) {
  nb::dict out;
  out["passes"] = list_of(stage.passes, &pass_dict);
  out["exchange"] =
      list_of(stage.exchange.pairs, [](const Exchange::Pair p) { return nb::make_tuple(int{p.local_bit}, int{p.global_bit}); });
  out["exchange_bytes"] = stage.exchange.bytes;
  return out;
}

nb::list stages(const Plan& plan) { return list_of(plan.stages, &stage_dict); }

nb::dict device_dict(const DeviceMemory& device) {
  return record(device, "rank", &DeviceMemory::rank, "device", &DeviceMemory::device, "bytes", &DeviceMemory::bytes, "capacity",
                &DeviceMemory::capacity, "fits", &DeviceMemory::fits);
}

nb::dict memory(const Plan& plan) {
  nb::dict out;
  out["state_bytes"] = plan.memory.state_bytes;
  out["workspace_bytes"] = plan.memory.workspace_bytes;
  out["per_device"] = list_of(plan.memory.per_device, &device_dict);
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
