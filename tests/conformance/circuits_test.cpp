// Random circuits, and dynamic ones with their counts, on every combination.
#include <gtest/gtest.h>

#include <algorithm>

#include "combinations.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"
#include "ketmesh/runtime/shots.hpp"

namespace ketmesh::conformance {
namespace {

using ketmesh::testing::Random;

void check_random_circuits(int rounds, std::uint64_t seed) {
  Random random(seed);
  auto rows = combinations();
  Coverage coverage;
  for (const auto& row : rows) coverage.expect(row.name());
  for (int round = 0; round < rounds; ++round) {
    const Circuit circuit = ketmesh::testing::random_circuit(random, kQubits, 10 + ketmesh::testing::below(random, 40), 3, 4);
    const auto expected = oracle::run(circuit);
    for (auto& row : rows) {
      std::optional<ShardedState> state;
      RunRecord record;
      runtime::evolve(row.setup, circuit, 0, circuit.size(), {}, state, record);
      ASSERT_LE(distance(read(*state), expected), tolerance(row.precision, circuit.size()))
          << "round " << round << " on " << row.name() << '\n'
          << circuit.str();
      ASSERT_EQ(state->placement().num_shards(), row.shards);
      coverage.ran(row.name());
    }
  }
  EXPECT_EQ(coverage.missing(), std::vector<std::string>{});
}

void check_dynamic_circuits(int rounds, std::uint64_t seed) {
  constexpr std::uint64_t kShots = 40;
  Random random(seed);
  auto rows = combinations();
  Coverage coverage;
  for (const auto& row : rows) coverage.expect(row.name());
  for (int round = 0; round < rounds; ++round) {
    const std::size_t n = 9;  // 32 shards of 2^4
    const Circuit circuit = ketmesh::testing::random_dynamic_circuit(random, n, 16, 3);
    const auto expected = oracle::counts(circuit, kShots, 5);
    for (auto& row : rows) {
      RunRecord record;
      const auto counts = runtime::run_shots(row.setup, circuit, {}, {.shots = kShots, .seed = 5}, record).counts;
      std::uint64_t total = 0, common = 0;
      for (const auto& [bits, count] : counts) {
        total += count;
        const auto same = expected.find(bits);
        if (same != expected.end()) common += std::min(count, same->second);
      }
      ASSERT_EQ(total, kShots);
      // Single precision: a shot whose draw lies within rounding of a boundary may fall on the other side.
      const std::uint64_t may_differ = row.precision == Precision::single ? 1 : 0;
      ASSERT_GE(common + may_differ, kShots) << "round " << round << " on " << row.name() << '\n' << circuit.str();
      coverage.ran(row.name());
    }
  }
  EXPECT_EQ(coverage.missing(), std::vector<std::string>{});
}

/// Tiles and rows as a run without options has them, so that shards have bits above the real tile.
TEST(Circuits, RealTile) {
  Random random(7);
  const Circuit circuit = ketmesh::testing::random_circuit(random, 18, 30, 2, 3);
  const auto expected = oracle::run(circuit);
  std::size_t ran = 0, wanted = 0;
  for (auto& row : combinations()) {
    if (row.backend == "reference" || row.shards > 4 || row.shards == 2) continue;
    ++wanted;
    row.setup.plan.tile_bits = row.setup.plan.row_bits = 0;
    std::optional<ShardedState> state;
    RunRecord record;
    runtime::evolve(row.setup, circuit, 0, circuit.size(), {}, state, record);
    ASSERT_LE(distance(read(*state), expected), tolerance(row.precision, circuit.size())) << row.name();
    ++ran;
  }
  EXPECT_EQ(ran, wanted);
  EXPECT_EQ(wanted % 8, 0U);  // precisions, engines and two numbers of shards of each level
  EXPECT_GT(wanted, 0U);
}

TEST(Circuits, Random) { check_random_circuits(2, 3); }
TEST(Circuits, Dynamic) { check_dynamic_circuits(2, 4); }
TEST(SlowCircuits, Random) { check_random_circuits(125, 5); }  // on at least 80 combinations: 10,000 runs
TEST(SlowCircuits, Dynamic) { check_dynamic_circuits(25, 6); }

}  // namespace
}  // namespace ketmesh::conformance
