// Shots on the device equal those of the host, draw for draw, in any layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "combinations.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/measure/measure.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"

namespace ketmesh::conformance {
namespace {

using ketmesh::testing::Random;

ShardedState state_on(DeviceMesh mesh, Precision precision, const Layout& layout, const oracle::State& amplitudes) {
  Placement placement;
  placement.num_qubits = layout.num_qubits();
  placement.owners.resize(1);
  ShardedState state(std::make_shared<const DistributedExecutionContext>(std::move(mesh), 1), placement, precision);
  state.set_layout(layout);
  state.from_host<cdouble>(0, amplitudes);
  return state;
}

std::uint64_t different(const std::vector<measure::SampleCount>& a, const std::vector<measure::SampleCount>& b) {
  std::map<Index, std::int64_t> difference;
  for (const auto& c : a) difference[c.outcome] += static_cast<std::int64_t>(c.count);
  for (const auto& c : b) difference[c.outcome] -= static_cast<std::int64_t>(c.count);
  std::uint64_t sum = 0;
  for (const auto& [outcome, d] : difference) sum += static_cast<std::uint64_t>(std::abs(d));
  return sum / 2;
}

TEST(Sampling, DeviceEqualsHost) {
  if (!kernels::cuda_status().available) GTEST_SKIP() << kernels::cuda_status().reason;
  constexpr int n = 18, block_qubits = 10;
  constexpr std::uint64_t kShots = 20000;
  Random random(31);
  for (int round = 0; round < 6; ++round) {
    oracle::State amplitudes = ketmesh::testing::random_amplitudes(random, n);
    // Outcomes and whole blocks that are impossible.
    for (Index i = 0; i < amplitudes.size(); ++i)
      if ((round % 2 == 1 && (i >> block_qubits) % 3 == 1) || (round % 3 == 2 && i % 5 != 0)) amplitudes[i] = 0;
    std::vector<int> bit(n);
    std::iota(bit.begin(), bit.end(), 0);
    std::shuffle(bit.begin(), bit.end(), random);
    measure::BlockSums sums{std::vector<double>(std::size_t{1} << (n - block_qubits))};
    for (Index i = 0; i < amplitudes.size(); ++i) sums.sums[i >> block_qubits] += std::norm(amplitudes[i]);
    // Sums that are not of these amplitudes: the draws of block 4 have no outcome there (it is empty in round 1).
    if (round == 1) sums.sums[4] += 0.01;
    const int first[] = {0};
    for (const Precision precision : {Precision::single, Precision::double_}) {
      const ShardedState host = state_on(DeviceMesh::cpu(1, 1_GiB), precision, Layout(n), amplitudes);
      const ShardedState device = state_on({kernels::cuda_devices(first), 0}, precision, Layout(std::span<const int>(bit)), amplitudes);
      const auto want = measure::sample(host, kShots, 5, 0, &sums), got = measure::sample(device, kShots, 5, 0, &sums);
      EXPECT_LE(different(want, got), precision == Precision::single ? kShots / 1000 : 0) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace ketmesh::conformance
