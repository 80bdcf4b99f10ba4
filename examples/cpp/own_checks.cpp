// Own checks: a state that lives between calls is acted upon, looked at, measured and put back.
#include <array>
#include <cmath>
#include <iostream>
#include <ketmesh/ketmesh.hpp>
#include <numbers>

int main() {
  using namespace ketmesh;
  DistributedState state(6, {.backend = Backend::distributed_cpu, .precision = Precision::double_});
  state.apply(Circuit(6).h(0).cx(0, 1).cx(1, 2).cx(2, 3).cx(3, 4).cx(4, 5));
  bool right = std::abs(state.norm_squared() - 1) < 1e-12;

  // Gates may come as operations of one's own circuits; the state queues and plans them together.
  const Circuit turn = Circuit(6).rz(5, std::numbers::pi / 3);
  for (const Operation& operation : turn) state.apply(operation);
  const std::array<Index, 2> corners = {0, 63};
  const auto amplitudes = state.amplitudes(corners);
  right = right && std::abs(amplitudes[1] / amplitudes[0] - std::polar(1.0, std::numbers::pi / 3)) < 1e-12;

  const std::size_t before = state.snapshot();
  const std::array<Qubit, 1> first = {0};
  const Index outcome = state.measure(first);  // collapses all six
  const std::array<PauliSum, 1> last = {PauliSum("IIIIIZ")};
  right = right && std::abs(state.expectation(last)[0] - (outcome == 0 ? 1 : -1)) < 1e-12;
  state.restore(before);
  right = right && std::abs(state.expectation(last)[0]) < 1e-12;

  for (const ShardView& shard : state.local_shards())  // zero copy
    std::cout << "shard " << shard.shard << " on " << shard.device << ": amplitudes " << shard.range.begin << " to " << shard.range.end
              << '\n';
  std::cout << (right ? "as expected\n" : "WRONG\n");
  return right ? 0 : 1;
}
