// The adjoint gradient of a hardware-efficient ansatz beside the forward run: micro_gradient [qubits] [parameters] [repeats]. Energy of the
// open transverse-field Ising chain. Prints seconds (minima) and the ratio; the first run of each, which plans, is left out.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "best_of.hpp"
#include "ketmesh/ketmesh.hpp"

using namespace ketmesh;

namespace {

/// The first call, which plans, is left out.
template <typename F>
double best_after_first(int repeats, F&& f) {
  f();
  return best_of(repeats, f);
}

/// Layers of ry and rz on every qubit, then a chain of cx, until there are so many parameters.
Circuit ansatz(Qubit n, int parameters) {
  Circuit circuit(n);
  int used = 0;
  while (used < parameters) {
    for (Qubit q = 0; q < n; ++q) {
      if (used < parameters) circuit.ry(q, 0.1 + 0.37 * used++);
      if (used < parameters) circuit.rz(q, 0.2 + 0.23 * used++);
    }
    if (used < parameters)
      for (Qubit q = 0; q + 1 < n; ++q) circuit.cx(q, q + 1);
  }
  return circuit;
}

PauliSum ising_chain(Qubit n) {
  std::vector<PauliTerm> terms;
  for (Qubit q = 0; q < n; ++q) {
    terms.push_back({-0.7, std::string(q, 'I') + "X"});
    if (q + 1 < n) terms.push_back({-1.0, std::string(q, 'I') + "ZZ"});
  }
  return PauliSum(terms);
}

}  // namespace

int main(int argc, char** argv) {
  const auto n = static_cast<Qubit>(argc > 1 ? std::atoi(argv[1]) : 24);
  const int parameters = argc > 2 ? std::atoi(argv[2]) : 200, repeats = argc > 3 ? std::atoi(argv[3]) : 3;
  const Circuit circuit = ansatz(n, parameters);
  const PauliSum energy = ising_chain(n);
  for (const Precision precision : {Precision::single, Precision::double_}) {
    Simulator simulator({.precision = precision, .causal_cone = false});
    const double run = best_after_first(repeats, [&] { simulator.run(circuit, {.shots = 0}); });
    const double estimate = best_after_first(repeats, [&] { simulator.estimate(circuit, std::span(&energy, 1)); });
    Gradient last;
    const double gradient =
        best_after_first(repeats, [&] { last = simulator.gradient(circuit, std::span(&energy, 1), {}, {.by_gate = true}); });
    std::printf(
        "n %u, %zu parameters, %s: run %.4f s, estimate %.4f s, gradient %.4f s (%.2f runs); passes %llu, evolve %.4f, read %.4f, "
        "plan %.4f, allocate %.4f, memory %.1f MB\n",
        n, last.num_parameters, precision == Precision::single ? "single" : "double", run, estimate, gradient, gradient / run,
        static_cast<unsigned long long>(last.distribution.passes), last.seconds.evolve, last.seconds.sample, last.seconds.plan,
        last.seconds.allocate, 1e-6 * static_cast<double>(last.distribution.memory_bytes));
  }
  return 0;
}
