// Dense unitaries: of a circuit, and their principal powers.
#pragma once

#include <span>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

/// Row-major matrix of a circuit on the listed qubits (the first is the least significant bit), which must be all that it
/// acts on. Throws CircuitError for an unbound parameter or an operation that is not a unitary.
std::vector<cdouble> circuit_matrix(const Circuit& circuit, std::span<const Qubit> qubits);

/// U^exponent = V diag(e^{i exponent a}) V^dagger with eigenvalues e^{i a}, a in (-pi, pi]: the principal power, as
/// OpenQASM 3 defines `pow`. The eigenvectors come from Jacobi rotations for normal matrices (Goldstine and Horwitz 1959,
/// with the angles of Cardoso and Souloumiac 1996).
std::vector<cdouble> unitary_power(std::span<const cdouble> unitary, double exponent);

/// e^{i exponent a} for a number e^{i a}, a in (-pi, pi]; numbers within rounding of -1 count as a = pi.
cdouble phase_power(cdouble phase, double exponent);

}  // namespace ketmesh
