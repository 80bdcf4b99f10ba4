#include <iostream>
#include <ketmesh/ketmesh.hpp>

int main() {
  using namespace ketmesh;
  const Circuit bell = Circuit(2).h(0).cx(0, 1).measure_all();
  const Result result = Simulator().run(bell, {.shots = 1000, .seed = 7});
  for (const auto& [bits, count] : result.counts) std::cout << bits << ' ' << count << '\n';
}
