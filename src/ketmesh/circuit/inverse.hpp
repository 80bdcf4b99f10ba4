// The inverse of one operation.
#pragma once

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

/// Appends the inverse of `op`: one operation, or several for rc3x. CircuitError for one that is not a unitary; barrier
/// and delay are appended as they are.
void append_inverse(Circuit& out, const Operation& op);

}  // namespace ketmesh
