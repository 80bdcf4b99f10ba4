// A first circuit: build it, run it, read the counts and what was done.
#include <iostream>
#include <ketmesh/ketmesh.hpp>

int main() {
  using namespace ketmesh;
  const Circuit bell = Circuit(2).h(0).cx(0, 1).measure_all();

  Simulator simulator;  // single precision, this machine's cores
  const Result result = simulator.run(bell, {.shots = 1000, .seed = 7});
  for (const auto& [bits, count] : result.counts) std::cout << bits << ' ' << count << '\n';  // bit 0 is the leftmost character
  std::cout << result.distribution.passes << " pass on " << result.distribution.backend << ", seed " << result.seed << '\n';

  std::uint64_t all = 0;
  for (const auto& [bits, count] : result.counts) all += bits[0] == bits[1] ? count : 0;
  return all == 1000 ? 0 : 1;  // a Bell pair agrees in every shot
}
