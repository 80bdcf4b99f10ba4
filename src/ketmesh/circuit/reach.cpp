#include "ketmesh/circuit/reach.hpp"

namespace ketmesh {

bool has_no_effect(Gate gate) { return gate == Gate::barrier || gate == Gate::delay || gate == Gate::id; }

void visit_operands(const Operation& op, const std::function<void(Qubit)>& qubit, const std::function<void(Clbit, bool read)>& bit) {
  for (const Control control : op.controls) qubit(control.qubit);
  for (const Qubit q : op.qubits) qubit(q);
  for (const Clbit b : op.clbits) bit(b, false);
  if (op.gate != Gate::if_else) return;
  std::vector<Clbit> condition_bits;
  op.payload().condition->collect_bits(condition_bits);
  for (const Clbit b : condition_bits) bit(b, true);
  for (const Circuit& block : op.payload().blocks)
    for (const Operation inner : block)
      if (!has_no_effect(inner.gate)) visit_operands(inner, qubit, bit);
}

}  // namespace ketmesh
