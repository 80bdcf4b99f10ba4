// Energies: the transverse-field Ising chain in a product state, and one-qubit values of a circuit far wider than any memory.
#include <cmath>
#include <iostream>
#include <ketmesh/ketmesh.hpp>

int main() {
  using namespace ketmesh;
  constexpr Qubit kSpins = 12;
  constexpr double kTilt = 0.4;

  // H = - sum Z_i Z_i+1 - 0.5 sum X_i as one weighted sum of Pauli strings; character i acts on qubit i.
  std::vector<PauliTerm> terms;
  for (Qubit i = 0; i + 1 < kSpins; ++i) terms.push_back({-1.0, std::string(i, 'I') + "ZZ"});
  for (Qubit i = 0; i < kSpins; ++i) terms.push_back({-0.5, std::string(i, 'I') + "X"});
  const PauliSum hamiltonian(terms);

  Circuit tilted(kSpins);
  for (Qubit q = 0; q < kSpins; ++q) tilted.ry(q, kTilt);

  Simulator simulator({.precision = Precision::double_});
  const double energy = simulator.estimate(tilted, {hamiltonian}).front();
  const double exact = -(kSpins - 1.0) * std::cos(kTilt) * std::cos(kTilt) - 0.5 * kSpins * std::sin(kTilt);
  std::cout << "energy " << energy << ", exactly " << exact << '\n';

  // Each observable is computed on its light cone: only the qubits that can reach it.
  Circuit wide(100);
  for (Qubit q = 0; q < 100; ++q) wide.ry(q, 0.1 * q);
  for (Qubit q = 0; q + 1 < 100; q += 2) wide.cx(q, q + 1);
  const std::vector<PauliSum> last = {PauliSum(std::string(99, 'I') + "Z")};
  const Result result = simulator.estimate(wide, last);
  const double expected = std::cos(0.1 * 98) * std::cos(0.1 * 99);
  std::cout << "<Z_99> " << result.expectation_values[0] << ", exactly " << expected << " (" << result.qubits_after << " of "
            << result.qubits_before << " qubits)\n";
  return std::abs(energy - exact) < 1e-9 && std::abs(result.expectation_values[0] - expected) < 1e-9 ? 0 : 1;
}
