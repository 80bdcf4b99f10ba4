// Expectation values, each on its light cone where that is smaller.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/api/runner.hpp"
#include "ketmesh/api/simulator.hpp"

namespace ketmesh::api {

struct Estimate {
  std::vector<double> values;                       ///< one an observable
  std::size_t qubits_before = 0, qubits_after = 0;  ///< acted upon; of the largest state that was needed
};

/// `circuit` has no measurements at its end. A dynamic circuit follows the branch of the seed and has no light cones. When `state` is given
/// it is the one that the circuit makes on the qubits `original`, and is read.
Estimate estimate_terms(Runner& runner, const Circuit& circuit, bool dynamic, const RunOptions& options, std::uint64_t seed,
                        RunRecord& record, ShardedState* state, std::span<const Qubit> original);

/// Probabilities over any number of qubits in logical order (measure's own table ends at 26), normalised.
std::vector<double> all_probabilities(const ShardedState& state, std::span<const int> qubits);

}  // namespace ketmesh::api
