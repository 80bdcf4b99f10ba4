// An operation that is about to be added to a circuit.
#pragma once

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

struct Circuit::Draft {
  Gate gate;
  std::span<const Control> controls = {};
  std::span<const Qubit> qubits = {};
  std::span<const Parameter> parameters = {};
  std::span<const Clbit> clbits = {};
  std::shared_ptr<const Payload> payload = {};
  std::uint32_t line = 0;
};

}  // namespace ketmesh
