// For tests: a state vector run gate by gate from target_matrix, with measurement. Slow and short.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh::qasm {

struct DenseRun {
  std::vector<cdouble> state;
  ClassicalBits bits;
  std::mt19937_64 random;

  explicit DenseRun(const Circuit& circuit, std::uint64_t seed = 1)
      : state(std::size_t{1} << circuit.num_qubits()), bits(circuit.num_clbits()), random(seed) {
    state[0] = 1;
    run(circuit);
  }

  void run(const Circuit& circuit) {
    for (const Operation op : circuit) step(op);
  }

  void step(const Operation& op) {
    switch (op.gate) {
      case Gate::barrier:
      case Gate::delay:
        return;
      case Gate::measure:
        for (std::size_t i = 0; i < op.qubits.size(); ++i) bits.set(op.clbits[i], collapse(op.qubits[i]));
        return;
      case Gate::reset:
        for (const Qubit q : op.qubits) {
          if (!collapse(q)) continue;
          for (std::size_t i = 0; i < state.size(); ++i) {
            if ((i >> q & 1) != 0) std::swap(state[i], state[i ^ (std::size_t{1} << q)]);
          }
        }
        return;
      case Gate::if_else: {
        const Payload& p = op.payload();
        if (p.condition->truth(bits))
          run(p.blocks[0]);
        else if (p.blocks.size() > 1)
          run(p.blocks[1]);
        return;
      }
      default:
        apply(resolve(op), target_matrix(op));
    }
  }

  void apply(const ResolvedGate& gate, const std::vector<cdouble>& matrix) {
    const std::size_t k = gate.targets.size(), size = std::size_t{1} << k;
    std::size_t targets = 0;
    for (const Qubit q : gate.targets) targets |= std::size_t{1} << q;
    std::vector<cdouble> in(size);
    std::vector<std::size_t> at(size);
    for (std::size_t i = 0; i < state.size(); ++i) {
      bool acts = (i & targets) == 0;
      for (const Control c : gate.controls) acts = acts && (i >> c.qubit & 1) == c.value;
      if (!acts) continue;
      for (std::size_t r = 0; r < size; ++r) {
        at[r] = i;
        for (std::size_t b = 0; b < k; ++b) at[r] |= (r >> b & 1) << gate.targets[b];
        in[r] = state[at[r]];
      }
      for (std::size_t r = 0; r < size; ++r) {
        cdouble sum = 0;
        for (std::size_t c = 0; c < size; ++c) sum += matrix[r * size + c] * in[c];
        state[at[r]] = sum;
      }
    }
  }

  bool collapse(Qubit q) {
    double p = 0;
    for (std::size_t i = 0; i < state.size(); ++i) p += (i >> q & 1) != 0 ? std::norm(state[i]) : 0;
    const bool one = std::uniform_real_distribution<>()(random) < p;
    const double scale = 1 / std::sqrt(one ? p : 1 - p);
    for (std::size_t i = 0; i < state.size(); ++i) state[i] *= ((i >> q & 1) != 0) == one ? scale : 0;
    return one;
  }
};

/// Largest difference of amplitudes; huge when the sizes differ.
inline double distance(const std::vector<cdouble>& a, const std::vector<cdouble>& b) {
  if (a.size() != b.size()) return 1e9;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace ketmesh::qasm
