// Operations that carry a payload, and its checks.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/circuit_draft.hpp"
#include "ketmesh/circuit/pauli_letters.hpp"

namespace ketmesh {
namespace {

constexpr double kTolerance = 1e-8;
// Tables of 2^k entries: indices are 64-bit, but memory is not endless.
constexpr std::size_t kMaxTableQubits = 40;

std::string number(double v) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", v);
  return text.data();
}

void check_length(std::string_view gate, std::size_t qubits, std::size_t given, std::size_t max_qubits, bool squared) {
  if (qubits == 0) throw CircuitError(std::string(gate) + " takes at least 1 qubit, got 0");
  if (qubits > max_qubits)
    throw CircuitError(std::string(gate) + " acts on at most " + std::to_string(max_qubits) + " qubits, got " + std::to_string(qubits));
  const std::size_t wanted = std::size_t{1} << (squared ? 2 * qubits : qubits);
  if (given != wanted)
    throw CircuitError(std::string(gate) + " on " + std::to_string(qubits) + (qubits == 1 ? " qubit" : " qubits") + " takes " +
                       std::to_string(wanted) + " values, got " + std::to_string(given));
}

void check_finite(std::string_view gate, std::span<const cdouble> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i].real()) || !std::isfinite(values[i].imag()))
      throw CircuitError(std::string(gate) + ": value " + std::to_string(i) + " is not finite");
}

cdouble row_product(std::span<const cdouble> m, std::size_t n, std::size_t a, std::size_t b) {
  double re = 0, im = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const cdouble x = m[a * n + i], y = m[b * n + i];
    re += x.real() * y.real() + x.imag() * y.imag();
    im += x.imag() * y.real() - x.real() * y.imag();
  }
  return {re, im};
}

void check_unitary(std::span<const cdouble> m, std::size_t n) {
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const double off = std::abs(row_product(m, n, a, b) - (a == b ? 1.0 : 0.0));
      if (!(off <= kTolerance))
        throw CircuitError("unitary: the matrix is not unitary: entry (" + std::to_string(a) + ", " + std::to_string(b) +
                           ") of U U^dagger is off by " + number(off) + "; 1e-8 is allowed");
    }
}

std::string letters_for(std::string_view gate, std::string_view letters, std::size_t qubits) {
  std::string checked = checked_letters(letters, gate);
  if (checked.size() != qubits)
    throw CircuitError(std::string(gate) + " \"" + checked + "\" takes one qubit a letter: " + std::to_string(checked.size()) +
                       " letters, " + std::to_string(qubits) + " qubits");
  return checked;
}

}  // namespace

bool Payload::operator==(const Payload& other) const {
  const bool conditions = condition == other.condition || (condition && other.condition && *condition == *other.condition);
  return conditions && values == other.values && table == other.table && paulis == other.paulis && blocks == other.blocks;
}

Circuit& Circuit::push_payload(Gate gate, Payload&& payload, std::span<const Qubit> qubits, std::span<const Control> controls,
                               std::span<const Parameter> parameters) {
  return push({.gate = gate,
               .controls = controls,
               .qubits = qubits,
               .parameters = parameters,
               .payload = std::make_shared<const Payload>(std::move(payload))});
}

Circuit& Circuit::pauli(std::string_view letters, std::span<const Qubit> qubits, std::span<const Control> controls) {
  Payload payload;
  payload.paulis = letters_for("pauli", letters, qubits.size());
  return push_payload(Gate::pauli, std::move(payload), qubits, controls);
}

Circuit& Circuit::rotation(std::string_view letters, std::span<const Qubit> qubits, Parameter theta, std::span<const Control> controls) {
  Payload payload;
  payload.paulis = letters_for("rotation", letters, qubits.size());
  return push_payload(Gate::rotation, std::move(payload), qubits, controls, std::span(&theta, 1));
}

Circuit& Circuit::unitary(std::span<const cdouble> matrix, std::span<const Qubit> qubits, std::span<const Control> controls) {
  check_length("unitary", qubits.size(), matrix.size(), kMaxDenseTargets, true);
  check_finite("unitary", matrix);
  check_unitary(matrix, std::size_t{1} << qubits.size());
  Payload payload;
  payload.values.assign(matrix.begin(), matrix.end());
  return push_payload(Gate::unitary, std::move(payload), qubits, controls);
}

Circuit& Circuit::diagonal(std::span<const cdouble> entries, std::span<const Qubit> qubits, std::span<const Control> controls) {
  check_length("diagonal", qubits.size(), entries.size(), kMaxTableQubits, false);
  check_finite("diagonal", entries);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (std::abs(std::abs(entries[i]) - 1.0) > kTolerance)
      throw CircuitError("diagonal: entry " + std::to_string(i) + " has modulus " + number(std::abs(entries[i])) +
                         "; it must be 1 within 1e-8");
  Payload payload;
  payload.values.assign(entries.begin(), entries.end());
  return push_payload(Gate::diagonal, std::move(payload), qubits, controls);
}

Circuit& Circuit::permutation(std::span<const Index> table, std::span<const Qubit> qubits, std::span<const Control> controls) {
  check_length("permutation", qubits.size(), table.size(), kMaxTableQubits, false);
  std::vector<bool> hit(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string entry = "permutation: entry " + std::to_string(i) + " is " + std::to_string(table[i]);
    if (table[i] >= table.size()) throw CircuitError(entry + ", outside 0.." + std::to_string(table.size() - 1));
    if (hit[table[i]]) throw CircuitError(entry + " like an entry before it; every index must come once");
    hit[table[i]] = true;
  }
  Payload payload;
  payload.table.assign(table.begin(), table.end());
  return push_payload(Gate::permutation, std::move(payload), qubits, controls);
}

Circuit& Circuit::initialize(std::span<const cdouble> amplitudes, std::span<const Qubit> qubits) {
  check_length("initialize", qubits.size(), amplitudes.size(), kMaxTableQubits, false);
  check_finite("initialize", amplitudes);
  double norm = 0;
  for (const cdouble a : amplitudes) norm += std::norm(a);
  if (!(std::abs(std::sqrt(norm) - 1.0) <= kTolerance))
    throw CircuitError("initialize: the norm of the amplitudes is " + number(std::sqrt(norm)) + "; it must be 1 within 1e-8");
  Payload payload;
  payload.values.assign(amplitudes.begin(), amplitudes.end());
  return push_payload(Gate::initialize, std::move(payload), qubits, {});
}

Circuit& Circuit::if_else(ClassicalExpression condition, Circuit then_block) {
  Payload payload;
  payload.condition = std::make_shared<const ClassicalExpression>(std::move(condition));
  payload.blocks.push_back(std::move(then_block));
  return push_payload(Gate::if_else, std::move(payload), {}, {});
}

Circuit& Circuit::if_else(ClassicalExpression condition, Circuit then_block, Circuit else_block) {
  Payload payload;
  payload.condition = std::make_shared<const ClassicalExpression>(std::move(condition));
  payload.blocks.push_back(std::move(then_block));
  payload.blocks.push_back(std::move(else_block));
  return push_payload(Gate::if_else, std::move(payload), {}, {});
}

}  // namespace ketmesh
