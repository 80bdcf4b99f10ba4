// Many small circuits from one plan: micro_batch [circuits] [qubits] [layers]. Seconds (best of three) for energies of all rows, beside the same
// rows run one by one from the cached plan (a hundredth of them, scaled).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "best_of.hpp"
#include "ketmesh/ketmesh.hpp"

using namespace ketmesh;

int main(int argc, char** argv) {
  const auto circuits = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 100000);
  const auto n = static_cast<Qubit>(argc > 2 ? std::atoi(argv[2]) : 10);
  const int layers = argc > 3 ? std::atoi(argv[3]) : 4;
  Circuit circuit(n);
  std::size_t names = 0;
  for (int layer = 0; layer < layers; ++layer) {
    for (Qubit q = 0; q < n; ++q) circuit.ry(q, Parameter::named("t" + std::to_string(names++)));
    for (Qubit q = 0; q < n; ++q) circuit.rz(q, Parameter::named("t" + std::to_string(names++)));
    for (Qubit q = 0; q + 1 < n; ++q) circuit.cx(q, q + 1);
  }
  std::vector<double> rows(circuits * names);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = 0.001 * static_cast<double>(i % 6283);
  const std::vector<PauliSum> energy = {PauliSum(std::string(n, 'Z')), PauliSum{{1, "XX"}, {1, "ZZ"}}};
  for (const Precision precision : {Precision::single, Precision::double_}) {
    Simulator simulator({.precision = precision, .causal_cone = false});
    BatchResult last;
    const double batch = best_of(3, [&] { last = simulator.run_batch(circuit, rows, {.observables = energy}); });
    const std::size_t few = std::max<std::size_t>(1, circuits / 100);
    const double one_by_one = best_of(1, [&] {
      ParameterValues values;
      for (std::size_t r = 0; r < few; ++r) {
        for (std::size_t k = 0; k < names; ++k) values["t" + std::to_string(k)] = rows[r * names + k];
        simulator.estimate(circuit, energy, {.parameters = values});
      }
    });
    std::printf("%zu circuits of %u qubits, %zu gates, %s: %.3f s (%.2f us each%s), one by one %.2f us each\n", circuits, n, circuit.size(),
                precision == Precision::single ? "single" : "double", batch, 1e6 * batch / static_cast<double>(circuits),
                last.in_lanes ? ", in lanes" : "", 1e6 * one_by_one / static_cast<double>(few));
  }
  return 0;
}
