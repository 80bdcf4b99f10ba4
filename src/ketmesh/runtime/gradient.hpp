// Values and slopes of expectation values by the adjoint method (Jones and Gacon 2020): the circuit once forward, then its inverse on the
// state and on the observable applied to it, reading matrix elements on the way. Everything runs as planned passes and exchanges.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/runtime/evolve.hpp"

namespace ketmesh::runtime {

/// Parameter `index` of operation `operation`.
struct GateParameter {
  std::size_t operation = 0, index = 0;
};

struct Slopes {
  std::vector<double> values;  ///< of the observables
  std::vector<double> slopes;  ///< row-major [observables][parameters]: derivatives by the angle of one gate each
};

/// `circuit` holds unitary operations only and acts on |0..0>. Memory for all states held at once is judged before any is made: two, and one
/// more for several observables. Throws DoesNotFit, CircuitError.
Slopes adjoint_slopes(const RunSetup& setup, const Circuit& circuit, const ParameterValues& values, std::span<const PauliSum> observables,
                      std::span<const GateParameter> parameters, RunRecord& record);

}  // namespace ketmesh::runtime
