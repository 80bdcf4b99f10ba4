#include "ketmesh/api/gradients.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "ketmesh/api/checks.hpp"
#include "ketmesh/api/reduce.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/gradient.hpp"

namespace ketmesh::api {
namespace {

void check_derivable(const Circuit& circuit) {
  for (std::size_t k = 0; k < circuit.size(); ++k) {
    const Operation op = circuit[k];
    if (gate_row(op.gate).is_unitary || op.gate == Gate::barrier || op.gate == Gate::delay) continue;
    throw CircuitError("operation " + std::to_string(k) + " (" + std::string(to_string(op.gate)) +
                           (op.line > 0 ? ", line " + std::to_string(op.line) : "") + ") has no derivative: a gradient needs unitary gates",
                       "measurements at the end are left out by themselves");
  }
}

/// The column of each name.
std::vector<std::string> columns(const Circuit& circuit, const GradientOptions& options) {
  auto names = circuit.parameter_names();
  if (options.with_respect_to.empty()) return names;
  for (std::size_t k = 0; k < options.with_respect_to.size(); ++k) {
    const auto& name = options.with_respect_to[k];
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw CircuitError("the circuit has no parameter \"" + name + "\" to derive by");
    if (std::find(options.with_respect_to.begin(), options.with_respect_to.begin() + static_cast<std::ptrdiff_t>(k), name) !=
        options.with_respect_to.begin() + static_cast<std::ptrdiff_t>(k))
      throw OptionError("with_respect_to names \"" + name + "\" twice");
  }
  return options.with_respect_to;
}

/// One angle of a gate and how it follows the columns.
struct Angle {
  runtime::GateParameter gate;
  std::vector<std::pair<std::size_t, double>> columns;  // (column, d angle / d name)
};

std::vector<Angle> angles_of(const Circuit& circuit, const std::vector<std::string>& names, const ParameterValues& values, bool by_gate) {
  std::map<std::string, std::size_t, std::less<>> column;
  for (std::size_t c = 0; c < names.size(); ++c) column[names[c]] = c;
  std::vector<Angle> out;
  std::vector<std::string> used;
  for (std::size_t k = 0; k < circuit.size(); ++k) {
    const Operation op = circuit[k];
    if (!gate_row(op.gate).is_unitary) continue;
    for (std::size_t i = 0; i < op.parameters.size(); ++i) {
      Angle angle{{k, i}, {}};
      if (by_gate) {
        angle.columns.emplace_back(out.size(), 1.0);
      } else {
        used.clear();
        op.parameters[i].collect_names(used);
        for (const auto& name : used)
          if (const auto found = column.find(name); found != column.end())
            angle.columns.emplace_back(found->second, op.parameters[i].derivative(name).evaluate(values));
      }
      if (!angle.columns.empty()) out.push_back(std::move(angle));
    }
  }
  return out;
}

}  // namespace

std::size_t num_gradient_columns(const Circuit& circuit, const GradientOptions& options) {
  if (!options.by_gate) return columns(circuit, options).size();
  std::size_t angles = 0;
  for (const Operation op : circuit)
    if (gate_row(op.gate).is_unitary) angles += op.parameters.size();
  return angles;
}

Gradient gradient(Runner& runner, const Circuit& circuit, std::span<const PauliSum> observables, const ParameterValues& values,
                  const GradientOptions& options) {
  const auto start = Clock::now();
  runner.config().check();
  check_values(circuit, values);
  check_bound(circuit, values);
  if (options.by_gate && !options.with_respect_to.empty()) throw OptionError("by_gate and with_respect_to exclude each other");
  const Circuit evolved = circuit.without_final_measurements();
  check_derivable(evolved);
  Gradient out;
  if (!options.by_gate) out.parameters = columns(circuit, options);
  runner.open(evolved.active_qubits().size());
  const Reduced reduced = drop_idle_qubits(evolved, runner.kept_qubits());
  check_width(reduced.original.size());
  const std::vector<Angle> angles = angles_of(reduced.circuit, out.parameters, values, options.by_gate);
  out.num_observables = observables.size();
  out.num_parameters = num_gradient_columns(evolved, options);
  if (options.by_gate && angles.size() != out.num_parameters)
    throw Internal("a circuit without its idle qubits has " + std::to_string(angles.size()) + " angles of " +
                   std::to_string(out.num_parameters));
  out.derivatives.assign(out.num_observables * out.num_parameters, 0.0);

  std::vector<PauliSum> held;
  for (const PauliSum& observable : observables) {
    std::vector<PauliTerm> terms;
    for (const PauliTerm& term : observable.terms())
      if (PauliTerm kept = restrict_term(term, reduced.original); kept.coefficient != 0) terms.push_back(std::move(kept));
    held.emplace_back(std::move(terms));
  }
  std::vector<runtime::GateParameter> gates;
  for (const Angle& angle : angles) gates.push_back(angle.gate);
  RunRecord record;
  const Job job{&reduced.circuit, &values, 0, options.progress};
  runtime::Slopes slopes = runtime::adjoint_slopes(runner.setup(job), reduced.circuit, values, held, gates, record);
  out.values = std::move(slopes.values);
  for (std::size_t o = 0; o < out.num_observables; ++o)
    for (std::size_t a = 0; a < angles.size(); ++a)
      for (const auto& [column, slope] : angles[a].columns)
        out.derivatives[o * out.num_parameters + column] += slope * slopes.slopes[o * angles.size() + a];
  out.distribution = runner.describe(record, nullptr);
  fill_seconds(out.seconds, record);
  out.seconds.total = since(start);
  return out;
}

}  // namespace ketmesh::api
