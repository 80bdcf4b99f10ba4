// Operations as planning and the reference read them: base gate, targets, all controls; and the matrix on the targets.
#include <cmath>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/pauli.hpp"

namespace ketmesh {
namespace {

std::size_t own_controls(const GateRow& row, std::size_t qubits) {
  return row.num_controls >= 0 ? static_cast<std::size_t>(row.num_controls) : qubits - 1;
}

// identity * 1 + string * P
std::vector<cdouble> pauli_combination(std::string_view letters, cdouble identity, cdouble string) {
  const std::size_t n = std::size_t{1} << letters.size();
  const PauliMasks masks = pauli_masks(letters);
  static constexpr cdouble kPhases[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const cdouble factor = string * kPhases[masks.num_y() % 4];
  std::vector<cdouble> m(n * n);
  for (std::size_t column = 0; column < n; ++column) {
    m[column * n + column] += identity;
    m[(column ^ masks.x) * n + column] += bits::parity(column & masks.z) ? -factor : factor;
  }
  return m;
}

}  // namespace

ResolvedGate resolve(const Operation& op) {
  const GateRow& row = gate_row(op.gate);
  const std::size_t own = own_controls(row, op.qubits.size());
  ResolvedGate out{row.base, {op.qubits.begin() + static_cast<std::ptrdiff_t>(own), op.qubits.end()}, {}};
  out.controls.reserve(op.controls.size() + own);
  out.controls.assign(op.controls.begin(), op.controls.end());
  for (std::size_t i = 0; i < own; ++i) out.controls.push_back(control_on(op.qubits[i]));
  return out;
}

std::vector<cdouble> target_matrix(const Operation& op, const ParameterValues& values) {
  const GateRow& row = gate_row(op.gate);
  if (!row.is_unitary) throw CircuitError(std::string(row.name) + " is not a unitary and has no matrix");
  const std::size_t targets = op.qubits.size() - own_controls(row, op.qubits.size());
  if (targets > static_cast<std::size_t>(kMaxDenseTargets))
    throw CircuitError(std::string(row.name) + " on " + std::to_string(targets) + " targets is too wide for a dense matrix; at most " +
                       std::to_string(kMaxDenseTargets) + " are possible");
  std::vector<double> angles;
  for (const Parameter& p : op.parameters) angles.push_back(p.evaluate(values));
  if (!row.has_payload) return base_matrix(op.gate, angles);
  const Payload& payload = op.payload();
  const std::size_t n = std::size_t{1} << targets;
  switch (op.gate) {
    case Gate::unitary:
      return payload.values;
    case Gate::pauli:
      return pauli_combination(payload.paulis, 0.0, 1.0);
    case Gate::rotation:
      return pauli_combination(payload.paulis, std::cos(angles[0] / 2), {0.0, -std::sin(angles[0] / 2)});
    case Gate::diagonal: {
      std::vector<cdouble> m(n * n);
      for (std::size_t i = 0; i < n; ++i) m[i * n + i] = payload.values[i];
      return m;
    }
    case Gate::permutation: {
      std::vector<cdouble> m(n * n);
      for (std::size_t i = 0; i < n; ++i) m[payload.table[i] * n + i] = 1.0;
      return m;
    }
    default:
      throw Internal("payload row " + std::string(row.name) + " has no matrix");
  }
}

}  // namespace ketmesh
