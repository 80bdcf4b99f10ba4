#include "ketmesh/circuit/angles.hpp"

#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"

namespace ketmesh {

std::size_t num_angles(const Circuit& circuit) {
  std::size_t count = 0;
  for (const Operation op : circuit)
    if (gate_row(op.gate).is_unitary) count += op.parameters.size();
  return count;
}

Circuit with_angles(const Circuit& circuit, std::span<const double> angles) {
  const std::size_t wanted = num_angles(circuit);
  if (angles.size() != wanted)
    throw CircuitError("the circuit has " + std::to_string(wanted) + " gate parameters, got " + std::to_string(angles.size()) + " values");
  Circuit out(circuit.num_qubits(), circuit.num_clbits());
  std::size_t next = 0;
  for (Operation op : circuit) {
    std::vector<Parameter> replaced(op.parameters.begin(), op.parameters.end());
    if (gate_row(op.gate).is_unitary)
      for (Parameter& p : replaced) p = angles[next++];
    op.parameters = replaced;
    out.append(op);
  }
  return out;
}

}  // namespace ketmesh
