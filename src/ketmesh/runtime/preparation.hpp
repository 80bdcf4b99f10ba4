// `initialize`: given amplitudes on qubits that are |0>.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh::runtime {

/// Up to this many qubits a preparation is a gate.
inline constexpr std::size_t kPreparationGateQubits = 6;

/// A unitary, row-major 2^k x 2^k, whose first column is `amplitudes` (normalised here): a Householder reflection.
std::vector<cdouble> preparation_matrix(std::span<const cdouble> amplitudes);

/// Sets qubits, all |0> now, to the amplitudes (index bit j is qubits[j]): the state is rewritten through the host.
void prepare(ShardedState& state, std::span<const Qubit> qubits, std::span<const cdouble> amplitudes);

}  // namespace ketmesh::runtime
