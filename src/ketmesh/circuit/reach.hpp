// What operations touch, blocks of if_else included.
#pragma once

#include <functional>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

/// Barrier, delay or id: acts on nothing, whatever its controls.
bool has_no_effect(Gate gate);

/// Calls `qubit` for every qubit (controls included) and `bit` for every classical bit (`read`: in a condition, else
/// written) of an operation. Operations without effect in blocks are left out; repeats are possible.
void visit_operands(const Operation& op, const std::function<void(Qubit)>& qubit, const std::function<void(Clbit, bool read)>& bit);

}  // namespace ketmesh
