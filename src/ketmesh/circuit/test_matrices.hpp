// Small dense matrices for the tests of this room: a judge that shares no code with what it judges.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

struct Dense {
  std::vector<cdouble> entries;  // row-major
  std::size_t size() const { return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(entries.size())))); }
  cdouble& at(std::size_t r, std::size_t c) { return entries[r * size() + c]; }
  cdouble at(std::size_t r, std::size_t c) const { return entries[r * size() + c]; }
  static Dense identity(std::size_t n) {
    Dense m{std::vector<cdouble>(n * n)};
    for (std::size_t i = 0; i < n; ++i) m.entries[i * (n + 1)] = 1.0;
    return m;
  }
};

inline Dense operator*(const Dense& a, const Dense& b) {
  const std::size_t n = a.size();
  Dense m{std::vector<cdouble>(n * n)};
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t k = 0; k < n; ++k) {
      const cdouble v = a.entries[r * n + k];
      if (v == cdouble{}) continue;
      for (std::size_t c = 0; c < n; ++c) m.entries[r * n + c] += v * b.entries[k * n + c];
    }
  return m;
}

inline Dense adjoint(const Dense& a) {
  const std::size_t n = a.size();
  Dense m{std::vector<cdouble>(n * n)};
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) m.entries[c * n + r] = std::conj(a.entries[r * n + c]);
  return m;
}

inline double distance(const Dense& a, const Dense& b) {
  if (a.entries.size() != b.entries.size()) return 1e300;
  double worst = 0;
  for (std::size_t i = 0; i < a.entries.size(); ++i) worst = std::max(worst, std::abs(a.entries[i] - b.entries[i]));
  return worst;
}

/// m on `targets` (first one least significant) of n qubits, where all controls hold; the identity elsewhere.
inline Dense embed(const Dense& m, std::span<const Qubit> targets, std::span<const Control> controls, std::size_t n) {
  const std::size_t size = std::size_t{1} << n;
  Dense out{std::vector<cdouble>(size * size)};
  for (std::size_t column = 0; column < size; ++column) {
    const bool acts = std::all_of(controls.begin(), controls.end(), [&](Control c) { return ((column >> c.qubit) & 1) == c.value; });
    if (!acts) {
      out.entries[column * size + column] = 1.0;
      continue;
    }
    std::size_t inner = 0, rest = column;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      inner |= ((column >> targets[i]) & 1) << i;
      rest &= ~(std::size_t{1} << targets[i]);
    }
    for (std::size_t row = 0; row < m.size(); ++row) {
      std::size_t where = rest;
      for (std::size_t i = 0; i < targets.size(); ++i) where |= ((row >> i) & 1) << targets[i];
      out.entries[where * size + column] = m.at(row, inner);
    }
  }
  return out;
}

/// The unitary of a circuit without measurements; barriers and delays are left out.
inline Dense dense(const Circuit& circuit, const ParameterValues& values = {}) {
  Dense out = Dense::identity(std::size_t{1} << circuit.num_qubits());
  for (const Operation op : circuit) {
    if (op.gate == Gate::barrier || op.gate == Gate::delay) continue;
    const ResolvedGate gate = resolve(op);
    out = embed(Dense{target_matrix(op, values)}, gate.targets, gate.controls, circuit.num_qubits()) * out;
  }
  return out;
}

inline std::vector<double> test_angles(int count) {
  static const std::vector<double> kAngles = {0.37, -1.21, 2.45, 0.83};
  return {kAngles.begin(), kAngles.begin() + count};
}

}  // namespace ketmesh
