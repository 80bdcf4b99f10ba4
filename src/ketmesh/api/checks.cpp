#include "ketmesh/api/checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ketmesh/base/error.hpp"

namespace ketmesh::api {

void check_values(const Circuit& circuit, const ParameterValues& values) {
  if (values.empty()) return;
  const auto names = circuit.parameter_names();
  for (const auto& [name, value] : values) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string known;
      for (const auto& k : names) known += (known.empty() ? "" : ", ") + k;
      throw CircuitError("the circuit has no parameter \"" + name + "\"" + (known.empty() ? "" : "; it has " + known));
    }
    if (!std::isfinite(value)) throw CircuitError("parameter " + name + " = " + std::to_string(value) + " is not finite");
  }
}

void check_bound(const Circuit& circuit, const ParameterValues& values) {
  for (const auto& name : circuit.parameter_names())
    if (values.find(name) == values.end())
      throw CircuitError("parameter \"" + name + "\" has no value", "give it in RunOptions::parameters or with --param " + name + "=value");
}

void fill_seconds(Seconds& seconds, const RunRecord& record) {
  seconds.plan += record.seconds_plan;
  seconds.allocate += record.seconds_allocate;
  seconds.evolve += record.seconds_evolve;
  seconds.exchange += record.seconds_exchange;
  seconds.sample += record.seconds_sample;
}

}  // namespace ketmesh::api
