// Derivatives of energies by the adjoint method, and one circuit with many rows of parameters.
#include <cmath>
#include <iostream>
#include <ketmesh/ketmesh.hpp>

int main() {
  using namespace ketmesh;
  const Parameter theta = Parameter::named("theta"), phi = Parameter::named("phi");
  const Circuit circuit = Circuit(2).ry(0, theta).cx(0, 1).rx(1, 2 * phi);
  Simulator simulator({.precision = Precision::double_});

  const Gradient g = simulator.gradient(circuit, {"ZZ", PauliSum{{0.5, "XI"}, {-1, "IZ"}}}, {{"theta", 0.3}, {"phi", 1.1}});
  const double energy = g.values[0];        // <ZZ>
  const double slope = g.derivative(1, 0);  // d of the second observable by g.parameters[0]
  std::cout << "<ZZ> " << energy << ", slope " << slope << '\n';

  const std::vector<double> rows = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};  // [B][P]
  const BatchResult r = simulator.run_batch(circuit, rows, {.observables = {"ZZ"}, .statevectors = true});
  for (std::size_t row = 0; row < r.rows; ++row) std::cout << r.expectation_value(row, 0) << '\n';  // states: row-major [B][2^n]

  // <ZZ> = cos(2 phi) and <IZ> = cos(theta) cos(2 phi), <XI> = 0.
  const double expected = std::sin(0.3) * std::cos(2.2);
  return std::abs(energy - std::cos(2.2)) < 1e-12 && std::abs(slope - expected) < 1e-12 && r.statevectors.size() == 12 ? 0 : 1;
}
