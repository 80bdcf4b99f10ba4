// Simulator::gradient: from names to angles of gates and back by the chain rule.
#pragma once

#include <span>

#include "ketmesh/api/gradient.hpp"
#include "ketmesh/api/runner.hpp"
#include "ketmesh/circuit/pauli.hpp"

namespace ketmesh::api {

Gradient gradient(Runner& runner, const Circuit& circuit, std::span<const PauliSum> observables, const ParameterValues& values,
                  const GradientOptions& options);

/// Columns of its answer.
std::size_t num_gradient_columns(const Circuit& circuit, const GradientOptions& options);

}  // namespace ketmesh::api
