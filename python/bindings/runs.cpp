// Simulator's calls. The circuit is copied before the GIL is released: other threads may change theirs meanwhile.
#include <nanobind/stl/complex.h>

#include "bindings.hpp"
#include "config.hpp"
#include "convert.hpp"
#include "ketmesh/circuit/angles.hpp"
#include "results.hpp"
#include "watch.hpp"

namespace ketmesh::python {
namespace {

using namespace nb::literals;

/// call(simulator) with the GIL released.
template <typename F>
auto leased(Config& config, F&& call) {
  Lease simulator(config);
  try {
    nb::gil_scoped_release release;
    return call(*simulator);
  } catch (const BackendUnavailable& error) {
    name_backend(error, config);
  }
}

/// call(simulator, circuit, options) with a copy of the circuit and the GIL released.
template <typename F>
auto run(const Circuit& given, Config& config, nb::handle parameters, F&& call, RunOptions options = {}) {
  options.parameters = to_values(parameters);
  options.seed = config.seed();
  options.progress = watch();
  const Circuit circuit = given;
  return leased(config, [&](Simulator& simulator) { return call(simulator, circuit, options); });
}

nb::dict base_dict(const Result& result, std::uint64_t seed) {
  nb::dict out;
  out["time_taken"] = result.seconds.total;
  // SimulatorType has the values of Backend.
  const std::string& backend = result.distribution.backend;
  out["simulator"] = backend.empty() ? 0 : static_cast<int>(backend_from_string(backend));
  out["method"] = 0;  // SimulationType.Statevector
  out["distribution"] = to_dict(result.distribution, seed);
  return out;
}

nb::dict execute(const Circuit& given, Config& config, nb::handle shots, nb::handle parameters) {
  RunOptions options;
  options.shots = to_unsigned(shots, "execute", "shots", 0, 0xffffffffu);
  const auto call = [](Simulator& simulator, const Circuit& circuit, const RunOptions& o) { return simulator.run(circuit, o); };
  const Result result = run(given, config, parameters, call, std::move(options));
  nb::dict out;
  out["counts"] = result.counts;
  out.update(base_dict(result, result.seed));
  out["seconds"] = to_dict(result.seconds);
  out["registers"] = list_of(result.registers, [](const Register& r) {
    return record(r, "name", &Register::name, "offset", &Register::offset, "size", &Register::size);
  });
  return out;
}

nb::dict estimate(const Circuit& given, nb::handle observables, Config& config, nb::handle parameters) {
  const std::vector<PauliSum> sums = to_observables(observables);
  const Result result = run(given, config, parameters, [&](Simulator& simulator, const Circuit& circuit, const RunOptions& options) {
    return simulator.estimate(circuit, sums, options);
  });
  nb::dict out = record(result, "expectation_values", &Result::expectation_values, "qubits_before", &Result::qubits_before, "qubits_after",
                        &Result::qubits_after);
  out.update(base_dict(result, result.seed));
  return out;
}

nb::object statevector(const Circuit& given, Config& config, nb::handle parameters) {
  return to_numpy(run(given, config, parameters, [](Simulator& simulator, const Circuit& circuit, const RunOptions& options) {
    return simulator.statevector(circuit, options);
  }));
}

nb::object probabilities(const Circuit& given, Config& config, nb::handle qubits, nb::handle parameters) {
  const std::vector<Qubit> chosen = qubits.is_none() ? std::vector<Qubit>{} : to_qubits(qubits, "get_probabilities");
  if (!qubits.is_none() && chosen.empty()) return to_numpy(std::vector<double>{1.0});
  return to_numpy(run(given, config, parameters, [&](Simulator& simulator, const Circuit& circuit, const RunOptions& options) {
    return simulator.probabilities(circuit, chosen, options);
  }));
}

nb::object amplitudes(const Circuit& given, nb::handle indices, Config& config, nb::handle parameters) {
  const std::vector<Index> wanted = to_indices(indices, "amplitudes");
  return to_numpy(run(given, config, parameters, [&](Simulator& simulator, const Circuit& circuit, const RunOptions& options) {
    return simulator.amplitudes(circuit, wanted, options);
  }));
}

/// {expectation_values, jacobian [observables][columns], parameters}; by name, or a column for each angle of each gate.
nb::dict gradient(const Circuit& given, nb::handle observables, Config& config, nb::handle parameters, nb::handle names, bool by_gate) {
  const ParameterValues values = to_values(parameters);
  const std::vector<PauliSum> sums = to_observables(observables);
  GradientOptions options;
  options.by_gate = by_gate;
  options.progress = watch();
  for (nb::handle name : to_items(names, "gradient", "with_respect_to", "a sequence of names"))
    options.with_respect_to.push_back(nb::isinstance<Parameter>(name) ? nb::cast<const Parameter&>(name).str()
                                                                      : to_text(name, "gradient", "a name of with_respect_to"));
  const Circuit circuit = given;
  Gradient found = leased(config, [&](Simulator& simulator) { return simulator.gradient(circuit, sums, values, options); });
  nb::dict out;
  out["expectation_values"] = found.values;
  const std::size_t rows = found.num_observables, columns = found.num_parameters;
  out["jacobian"] = to_numpy(std::move(found.derivatives)).attr("reshape")(rows, columns);
  out["parameters"] = found.parameters;
  out["time_taken"] = found.seconds.total;
  out["distribution"] = to_dict(found.distribution, 0);
  return out;
}

/// One circuit with many rows of parameters.
nb::dict run_batch(const Circuit& given, nb::handle rows, Config& config, nb::handle observables, nb::handle shots, nb::handle names,
                   bool statevectors) {
  BatchOptions options;
  options.shots = to_unsigned(shots, "run_batch", "shots", 0, 0xffffffffu);
  if (!observables.is_none()) options.observables = to_observables(observables);
  for (nb::handle name : to_items(names, "run_batch", "parameter_names", "a sequence of names"))
    options.parameter_names.push_back(to_text(name, "run_batch", "a parameter name"));
  options.statevectors = statevectors;
  options.seed = config.seed();
  options.progress = watch();
  static constexpr const char* kType = "float64";
  const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(rows, kType);
  const auto view = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(array);
  const std::vector<double> angles(view.data(), view.data() + view.size());
  const Circuit circuit = given;
  BatchResult found = leased(config, [&](Simulator& simulator) { return simulator.run_batch(circuit, angles, options); });
  nb::dict out;
  out["counts"] = found.counts;
  out["expectation_values"] = to_numpy(std::move(found.expectation_values)).attr("reshape")(found.rows, found.num_observables);
  if (statevectors) out["statevectors"] = to_numpy(std::move(found.statevectors)).attr("reshape")(found.rows, -1);
  out["in_lanes"] = found.in_lanes;
  out["time_taken"] = found.seconds.total;
  out["distribution"] = to_dict(found.distribution, found.seed);
  return out;
}

cdouble inner_product(const Circuit& bra, const Circuit& ket, Config& config) {
  const Circuit other = ket;
  return run(bra, config, nb::none(), [&](Simulator& simulator, const Circuit& circuit, const RunOptions& options) {
    return simulator.inner_product(circuit, other, options);
  });
}

}  // namespace

nb::dict to_dict(const Distribution& d, std::uint64_t seed) {
  using D = Distribution;
  nb::dict out =
      record(d, "engine", &D::engine, "backend", &D::backend, "precision", &D::precision, "simd", &D::simd, "threads", &D::threads, "ranks",
             &D::ranks, "devices", &D::devices, "shards", &D::shards, "placement", &D::placement, "transport", &D::transport, "stages",
             &D::stages, "passes", &D::passes, "exchanges", &D::exchanges, "bytes_local", &D::bytes_local, "bytes_exchanged",
             &D::bytes_exchanged, "bytes_between_ranks", &D::bytes_between_ranks, "shard_owners", &D::shard_owners, "memory_bytes",
             &D::memory_bytes, "plan_cached", &D::plan_cached, "notes", &D::notes);
  out["seed"] = seed;
  return out;
}

nb::dict to_dict(const Seconds& s) {
  return record(s, "plan", &Seconds::plan, "allocate", &Seconds::allocate, "evolve", &Seconds::evolve, "exchange", &Seconds::exchange,
                "sample", &Seconds::sample, "total", &Seconds::total);
}

void bind_runs(nb::module_& m) {
  m.def("execute", &execute, "circuit"_a, "config"_a, "shots"_a.none(), "parameters"_a.none());
  m.def("estimate", &estimate, "circuit"_a, "observables"_a.none(), "config"_a, "parameters"_a.none());
  m.def("statevector", &statevector, "circuit"_a, "config"_a, "parameters"_a.none());
  m.def("probabilities", &probabilities, "circuit"_a, "config"_a, "qubits"_a.none(), "parameters"_a.none());
  m.def("amplitudes", &amplitudes, "circuit"_a, "indices"_a.none(), "config"_a, "parameters"_a.none());
  m.def("gradient", &gradient, "circuit"_a, "observables"_a.none(), "config"_a, "parameters"_a.none(), "with_respect_to"_a.none(),
        "by_gate"_a);
  m.def("run_batch", &run_batch, "circuit"_a, "rows"_a, "config"_a, "observables"_a.none(), "shots"_a.none(), "parameter_names"_a.none(),
        "statevectors"_a);
  m.def("num_angles", &num_angles, "circuit"_a, "Parameters of all gates of a circuit.");
  m.def(
      "with_angles",
      [](const Circuit& circuit, nb::handle angles) {
        std::vector<double> values;
        for (nb::handle angle : nb::borrow(angles)) values.push_back(to_real(angle, "params", "an angle"));
        return with_angles(circuit, values);
      },
      "circuit"_a, "angles"_a, "The circuit with other angles, in the order of its gates.");
  m.def("inner_product", &inner_product, "bra"_a, "ket"_a, "config"_a);
}

}  // namespace ketmesh::python
