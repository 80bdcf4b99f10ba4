// The angles of a circuit as one list: every parameter of every unitary operation, in the order of the circuit.
#pragma once

#include <span>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

std::size_t num_angles(const Circuit& circuit);

/// The same operations with other angles, whether they were numbers or named: what GradientOptions::by_gate has a column for. Throws CircuitError for a
/// wrong number of angles or one that is not finite. Same width, no registers.
Circuit with_angles(const Circuit& circuit, std::span<const double> angles);

}  // namespace ketmesh
