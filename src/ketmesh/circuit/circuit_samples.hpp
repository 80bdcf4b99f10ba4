// Circuits for the tests of this room: one operation for every unitary row, and random ones.
#pragma once

#include <numbers>
#include <random>
#include <string>

#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/test_matrices.hpp"

namespace ketmesh {

inline std::vector<Qubit> first_qubits(std::size_t n, Qubit from = 0) {
  std::vector<Qubit> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = from + static_cast<Qubit>(i);
  return out;
}

/// A unitary without structure: a product of u on each qubit and cx, seen as one matrix.
inline std::vector<cdouble> some_unitary(std::size_t k, double seed) {
  Circuit c(k);
  for (int layer = 0; layer < 3; ++layer)
    for (std::size_t q = 0; q < k; ++q) {
      const double a = seed + 1.3 * static_cast<double>(q) + 0.7 * layer;
      c.u(static_cast<Qubit>(q), a, 2 * a, 1 - a);
      if (q > 0) c.cx(static_cast<Qubit>(q - 1), static_cast<Qubit>(q));
    }
  return dense(c).entries;
}

/// `row` on the given qubits with angles made of `seed`. For unitary rows only.
inline void append_row(Circuit& c, const GateRow& row, std::span<const Qubit> qubits, double seed, std::span<const Control> controls = {}) {
  std::vector<Parameter> angles;
  for (int i = 0; i < row.num_parameters; ++i) angles.emplace_back(seed + 0.9 * i);
  const std::size_t n = std::size_t{1} << qubits.size();
  std::string letters;
  for (std::size_t i = 0; i < qubits.size(); ++i) letters += "YXZ"[i % 3];
  switch (row.gate) {
    case Gate::pauli:
      c.pauli(letters, qubits, controls);
      return;
    case Gate::rotation:
      c.rotation(letters, qubits, angles[0], controls);
      return;
    case Gate::unitary:
      c.unitary(some_unitary(qubits.size(), seed), qubits, controls);
      return;
    case Gate::diagonal: {
      std::vector<cdouble> entries(n);
      for (std::size_t i = 0; i < n; ++i) entries[i] = std::polar(1.0, seed * static_cast<double>(i * i + 1));
      c.diagonal(entries, qubits, controls);
      return;
    }
    case Gate::permutation: {
      std::vector<Index> table(n);
      for (std::size_t i = 0; i < n; ++i) table[i] = (3 * i + 1) % n;
      c.permutation(table, qubits, controls);
      return;
    }
    case Gate::gphase:
      c.gphase(angles[0], controls);
      return;
    default:
      c.append(row.gate, qubits, angles, controls);
  }
}

inline std::size_t sample_width(const GateRow& row) { return row.num_qubits >= 0 ? static_cast<std::size_t>(row.num_qubits) : 3; }

inline Circuit row_circuit(const GateRow& row, std::size_t width, double seed = 0.37) {
  Circuit c(width);
  append_row(c, row, first_qubits(sample_width(row)), seed);
  return c;
}

template <typename F>
void for_each_unitary_row(F f) {
  for (const GateRow& row : gate_table())
    if (row.is_unitary) f(row);
}

/// Random gates of the whole table with up to two added controls.
inline Circuit random_circuit(std::size_t width, std::size_t gates, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<const GateRow*> rows;
  for_each_unitary_row([&](const GateRow& row) {
    if (sample_width(row) <= width) rows.push_back(&row);
  });
  Circuit c(width);
  for (std::size_t i = 0; i < gates; ++i) {
    const GateRow& row = *rows[random() % rows.size()];
    std::vector<Qubit> qubits = first_qubits(width);
    std::shuffle(qubits.begin(), qubits.end(), random);
    const std::size_t k = sample_width(row);
    std::vector<Control> controls;
    const std::size_t last = std::min(width, k + random() % 3);
    for (std::size_t j = k; j < last; ++j) controls.push_back(control_on(qubits[j], (random() & 1) != 0));
    append_row(c, row, std::span(qubits).first(k), static_cast<double>(random() % 6283) / 1000, controls);
  }
  return c;
}

}  // namespace ketmesh
