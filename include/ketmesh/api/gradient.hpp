// What Simulator::gradient takes and returns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ketmesh/api/result.hpp"

namespace ketmesh {

struct GradientOptions {
  std::vector<std::string> with_respect_to{};  ///< names, in the order of the columns; empty: all names of the circuit, as they appear
  /// Instead of by name: a column for every angle of every gate, in the order of the circuit (delays have none), whether it is a number or named.
  bool by_gate = false;
  /// Called between passes with (done, total, what); may throw to stop.
  std::function<void(std::uint64_t, std::uint64_t, const char*)> progress{};
};

struct Gradient {
  std::vector<std::string> parameters;  ///< of the columns; empty with by_gate
  std::size_t num_observables = 0, num_parameters = 0;
  std::vector<double> values;       ///< expectation values, one an observable
  std::vector<double> derivatives;  ///< row-major [num_observables][num_parameters]
  Distribution distribution;
  Seconds seconds;
  double derivative(std::size_t observable, std::size_t parameter) const { return derivatives.at(observable * num_parameters + parameter); }
};

}  // namespace ketmesh
