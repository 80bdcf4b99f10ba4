// For tests: random circuits over the whole gate table, and dynamic ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh::testing {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) { return random() % bound; }
inline double angle(Random& random) { return std::uniform_real_distribution<double>(-3.2, 3.2)(random); }

inline std::vector<Qubit> some_qubits(Random& random, std::size_t n, std::size_t k) {
  std::vector<Qubit> all(n);
  std::iota(all.begin(), all.end(), 0U);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(k);
  return all;
}

/// A random unitary, 2^k x 2^k, by Gram-Schmidt on normal numbers.
inline std::vector<cdouble> random_unitary(Random& random, std::size_t k) {
  const std::size_t size = std::size_t{1} << k;
  std::normal_distribution<double> normal;
  std::vector<cdouble> m(size * size);
  for (auto& x : m) x = {normal(random), normal(random)};
  for (std::size_t r = 0; r < size; ++r) {
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t p = 0; p < r; ++p) {
        cdouble dot = 0;
        for (std::size_t c = 0; c < size; ++c) dot += std::conj(m[p * size + c]) * m[r * size + c];
        for (std::size_t c = 0; c < size; ++c) m[r * size + c] -= dot * m[p * size + c];
      }
    double norm = 0;
    for (std::size_t c = 0; c < size; ++c) norm += std::norm(m[r * size + c]);
    for (std::size_t c = 0; c < size; ++c) m[r * size + c] /= std::sqrt(norm);
  }
  return m;
}

inline std::vector<cdouble> random_amplitudes(Random& random, std::size_t k) {
  std::normal_distribution<double> normal;
  std::vector<cdouble> a(std::size_t{1} << k);
  double norm = 0;
  for (auto& x : a) norm += std::norm(x = {normal(random), normal(random)});
  for (auto& x : a) x /= std::sqrt(norm);
  return a;
}

inline std::string random_paulis(Random& random, std::size_t k) {
  std::string letters;
  for (std::size_t i = 0; i < k; ++i) letters += "IXYZ"[below(random, 4)];
  return letters;
}

/// Qubits of a row; rows with any number get 2 to 4.
inline std::size_t row_width(Random& random, const GateRow& row) {
  if (row.num_qubits >= 0) return static_cast<std::size_t>(row.num_qubits);
  return row.gate == Gate::mcx || row.gate == Gate::mcp ? 2 + below(random, 3) : 1 + below(random, 3);
}

/// One unitary row of the table on the given qubits (as many as the row wants) under controls.
inline void add_row(Circuit& circuit, Random& random, const GateRow& row, std::span<const Qubit> qubits,
                    std::span<const Control> controls) {
  const std::size_t k = qubits.size();
  switch (row.gate) {
    case Gate::pauli:
      circuit.pauli(random_paulis(random, k), qubits, controls);
      return;
    case Gate::rotation:
      circuit.rotation(random_paulis(random, k), qubits, angle(random), controls);
      return;
    case Gate::unitary:
      circuit.unitary(random_unitary(random, k), qubits, controls);
      return;
    case Gate::gphase:
      circuit.gphase(angle(random), controls);
      return;
    case Gate::diagonal: {
      std::vector<cdouble> entries(std::size_t{1} << k);
      for (auto& e : entries) e = std::polar(1.0, angle(random));
      circuit.diagonal(entries, qubits, controls);
      return;
    }
    case Gate::permutation: {
      std::vector<Index> table(std::size_t{1} << k);
      std::iota(table.begin(), table.end(), Index{0});
      std::shuffle(table.begin(), table.end(), random);
      circuit.permutation(table, qubits, controls);
      return;
    }
    default:
      break;
  }
  std::vector<Parameter> parameters;
  for (int p = 0; p < row.num_parameters; ++p) parameters.emplace_back(angle(random));
  circuit.append(row.gate, qubits, parameters, controls);
}

/// Any unitary row on random qubits with up to `max_controls` added controls; `widest` limits the targets that must be local.
inline void add_random_gate(Circuit& circuit, Random& random, std::size_t max_controls, std::size_t widest) {
  const std::size_t n = circuit.num_qubits();
  while (true) {
    const auto& row = gate_table()[below(random, gate_table().size())];
    if (!row.is_unitary) continue;
    const std::size_t k = row_width(random, row);
    const std::size_t own_controls = row.num_controls < 0 ? k - 1 : static_cast<std::size_t>(row.num_controls);
    if (k > n || k - own_controls > widest) continue;
    const std::size_t extra = below(random, std::min(max_controls, n - k) + 1);
    const auto qubits = some_qubits(random, n, k + extra);
    std::vector<Control> controls;
    for (std::size_t c = k; c < qubits.size(); ++c)
      controls.push_back({.qubit = qubits[c] & 0x7fffffffU, .value = static_cast<Qubit>(below(random, 2)) & 1U});
    add_row(circuit, random, row, std::span(qubits).first(k), controls);
    return;
  }
}

inline Circuit random_circuit(Random& random, std::size_t n, std::size_t gates, std::size_t max_controls = 2, std::size_t widest = 3) {
  Circuit circuit(n, n);
  for (std::size_t i = 0; i < gates; ++i) add_random_gate(circuit, random, max_controls, widest);
  return circuit;
}

/// Gates mixed with joint measurements, resets, preparations and conditions, blocks in blocks.
inline Circuit random_dynamic_circuit(Random& random, std::size_t n, std::size_t operations, std::size_t widest, int depth = 0) {
  Circuit circuit(n, n);
  for (std::size_t i = 0; i < operations; ++i) {
    const std::size_t kind = below(random, 12);
    if (kind == 0) {
      const auto qubits = some_qubits(random, n, 1 + below(random, std::min<std::size_t>(n, 2)));
      circuit.measure(qubits, some_qubits(random, n, qubits.size()));
    } else if (kind == 1) {
      circuit.reset(some_qubits(random, n, 1));
    } else if (kind == 2) {
      const std::size_t k = 1 + below(random, std::min<std::size_t>(n, 3));
      circuit.initialize(random_amplitudes(random, k), some_qubits(random, n, k));
    } else if (kind == 3 && depth < 2) {
      const auto condition = ClassicalExpression::bit(static_cast<Clbit>(below(random, n)));
      const Circuit then_block = random_dynamic_circuit(random, n, 3, widest, depth + 1);
      if (below(random, 2) == 0)
        circuit.if_else(condition, then_block);
      else
        circuit.if_else(condition, then_block, random_dynamic_circuit(random, n, 3, widest, depth + 1));
    } else {
      add_random_gate(circuit, random, 1, widest);
    }
  }
  if (depth == 0)
    for (const auto q : some_qubits(random, n, 1 + below(random, n))) circuit.measure(q, static_cast<Clbit>(below(random, n)));
  return circuit;
}

inline Circuit bell() { return Circuit(2).h(0).cx(0, 1); }

inline Circuit ghz(Qubit n) {
  Circuit circuit(n);
  circuit.h(0);
  for (Qubit q = 1; q < n; ++q) circuit.cx(q - 1, q);
  return circuit;
}

inline Circuit qft(Qubit n, Index input) {
  Circuit circuit(n);
  for (Qubit q = 0; q < n; ++q)
    if (((input >> q) & 1) != 0) circuit.x(q);
  for (Qubit q = n; q-- > 0;) {
    circuit.h(q);
    for (Qubit k = q; k-- > 0;) circuit.cp(k, q, std::numbers::pi / static_cast<double>(Index{1} << (q - k)));
  }
  for (Qubit q = 0; q < n / 2; ++q) circuit.swap(q, n - 1 - q);
  return circuit;
}

}  // namespace ketmesh::testing
