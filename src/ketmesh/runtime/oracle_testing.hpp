// For tests: a dense state vector in double precision, gate by gate from the definition, and shots one by one. Shares nothing with the engines but
// the matrices of the gate table and the keys of draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/runtime/program.hpp"

namespace ketmesh::oracle {

using State = std::vector<cdouble>;

inline State zero_state(int n) {
  State a(std::size_t{1} << n);
  a[0] = 1;
  return a;
}

/// out[r] = sum_c m[r][c] in[c] on the targets where all controls hold.
inline void apply(const Operation& op, State& a, const ParameterValues& values = {}) {
  if (op.gate == Gate::barrier || op.gate == Gate::delay) return;
  const ResolvedGate gate = resolve(op);
  const std::vector<cdouble> m = target_matrix(op, values);
  Index control_mask = 0, control_value = 0, target_mask = 0;
  for (const auto c : gate.controls) {
    control_mask |= Index{1} << c.qubit;
    control_value |= Index{c.value} << c.qubit;
  }
  for (const auto q : gate.targets) target_mask |= Index{1} << q;
  const std::span<const Qubit> targets(gate.targets);
  const std::size_t size = std::size_t{1} << targets.size();
  State in(size);
  for (Index i = 0; i < a.size(); ++i) {
    if ((i & target_mask) != 0 || (i & control_mask) != control_value) continue;
    for (Index c = 0; c < size; ++c) in[c] = a[i | bits::scatter(c, targets)];
    for (Index r = 0; r < size; ++r) {
      cdouble sum = 0;
      for (Index c = 0; c < size; ++c) sum += m[r * size + c] * in[c];
      a[i | bits::scatter(r, targets)] = sum;
    }
  }
}

inline State run(const Circuit& circuit, const ParameterValues& values = {}) {
  State a = zero_state(static_cast<int>(circuit.num_qubits()));
  for (const Operation op : circuit) apply(op, a, values);
  return a;
}

inline std::vector<double> probabilities(const State& a, std::span<const Qubit> qubits) {
  std::vector<double> p(std::size_t{1} << qubits.size());
  for (Index i = 0; i < a.size(); ++i) p[bits::gather(i, qubits)] += std::norm(a[i]);
  return p;
}

inline Index choose(const std::vector<double>& p, double u) {
  double total = 0, sum = 0;
  for (const double x : p) total += x;
  Index last = 0;
  for (Index i = 0; i < p.size(); ++i) {
    if (p[i] > 0) last = i;
    sum += p[i];
    if (sum > u * total) return i;
  }
  return last;
}

inline void collapse(State& a, std::span<const Qubit> qubits, Index value) {
  double norm = 0;
  for (Index i = 0; i < a.size(); ++i)
    if (bits::gather(i, qubits) != value)
      a[i] = 0;
    else
      norm += std::norm(a[i]);
  for (auto& x : a) x /= std::sqrt(norm);
}

/// One shot by the rules of the specification: every measurement that is not final and every reset draws at once, final ones at the end.
class Shot {
 public:
  Shot(const Circuit& circuit, const runtime::Program& program, std::uint64_t seed, std::uint64_t shot, const ParameterValues& values)
      : circuit_(circuit),
        program_(program),
        seed_(seed),
        shot_(shot),
        values_(values),
        state_(zero_state(static_cast<int>(circuit.num_qubits()))),
        bits_(circuit.num_clbits()) {}

  ClassicalBits run() {
    walk(circuit_);
    if (!final_.empty()) {
      std::vector<Qubit> qubits;
      if (program_.is_static())
        for (Qubit q = 0; q < circuit_.num_qubits(); ++q) qubits.push_back(q);
      else
        for (const auto& [q, b] : final_)
          if (std::find(qubits.begin(), qubits.end(), q) == qubits.end()) qubits.push_back(q);
      std::sort(qubits.begin(), qubits.end());
      const Index value = choose(probabilities(state_, qubits), draw_uniform(seed_, DrawPurpose::terminal_sampling, shot_, 0));
      for (const auto& [q, b] : final_)
        bits_.set(b, bits::test(value, static_cast<int>(std::find(qubits.begin(), qubits.end(), q) - qubits.begin())));
    }
    return bits_;
  }

 private:
  /// Of several measurements into one bit the last one counts.
  void put_off(Qubit qubit, Clbit bit) {
    std::erase_if(final_, [&](const auto& f) { return f.second == bit; });
    final_.emplace_back(qubit, bit);
  }

  Index draw(std::span<const Qubit> qubits) {
    const Index value = choose(probabilities(state_, qubits), draw_uniform(seed_, DrawPurpose::measurement, shot_, ordinal_++));
    collapse(state_, qubits, value);
    return value;
  }

  void walk(const Circuit& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Operation op = block[i];
      if (op.gate == Gate::measure && program_.is_final(block, i)) {
        for (std::size_t j = 0; j < op.qubits.size(); ++j) put_off(op.qubits[j], op.clbits[j]);
      } else if (op.gate == Gate::measure) {
        const Index value = draw(op.qubits);
        for (std::size_t j = 0; j < op.qubits.size(); ++j) {
          bits_.set(op.clbits[j], bits::test(value, static_cast<int>(j)));
          std::erase_if(final_, [&](const auto& f) { return f.second == op.clbits[j]; });
        }
      } else if (op.gate == Gate::reset || op.gate == Gate::initialize) {
        const Index value = draw(op.qubits);
        State cleared(state_.size());
        for (Index k = 0; k < state_.size(); ++k)
          if (bits::gather(k, op.qubits) == value) cleared[k & ~bits::scatter(value, op.qubits)] = state_[k];
        state_ = cleared;
        if (op.gate == Gate::initialize)
          for (Index k = 0; k < state_.size(); ++k)
            state_[k] = cleared[k & ~bits::scatter(bits::low_mask(static_cast<int>(op.qubits.size())), op.qubits)] *
                        op.payload().values[bits::gather(k, op.qubits)];
      } else if (op.gate == Gate::if_else) {
        const std::size_t chosen = op.payload().condition->truth(bits_) ? 0 : 1;
        if (chosen < op.payload().blocks.size()) walk(op.payload().blocks[chosen]);
      } else {
        apply(op, state_, values_);
      }
    }
  }

  const Circuit& circuit_;
  const runtime::Program& program_;
  std::uint64_t seed_, shot_, ordinal_ = 0;
  const ParameterValues& values_;
  State state_;
  ClassicalBits bits_;
  std::vector<std::pair<Qubit, Clbit>> final_;
};

inline std::map<ClassicalBits, std::uint64_t> counts(const Circuit& circuit, std::uint64_t shots, std::uint64_t seed,
                                                     const ParameterValues& values = {}) {
  const runtime::Program program(circuit);
  std::map<ClassicalBits, std::uint64_t> out;
  for (std::uint64_t k = 0; k < shots; ++k) ++out[Shot(circuit, program, seed, k, values).run()];
  return out;
}

}  // namespace ketmesh::oracle
