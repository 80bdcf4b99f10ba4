// Circuits over the threads world: every rank ends with the state and the counts of one rank, and what was exchanged is what the plan said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ketmesh/runtime/oracle_testing.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"
#include "ketmesh/runtime/shots.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh::runtime {
namespace {

using testing::Random;
using Ranks = std::shared_ptr<CollectiveCommunicator>;

constexpr std::size_t kQubits = 12;

struct Row {
  int ranks = 1;
  Precision precision = Precision::double_;
  EngineKind engine = EngineKind::ex;
  PlacementPolicy policy = PlacementPolicy::equal;
  std::uint64_t workspace = 16_MiB;
};

RunSetup setup_on(const Ranks& ranks, const Row& row) {
  RunSetup setup;
  setup.context = std::make_shared<DistributedExecutionContext>(ranks, DeviceMesh::cpu(1, 1_GiB), 1);
  setup.plan.precision = row.precision;
  setup.plan.policy = row.policy;
  setup.plan.tile_bits = 6;
  setup.plan.row_bits = 3;
  setup.plan.workspace_bytes = row.workspace;
  setup.engine = row.engine;
  if (row.policy == PlacementPolicy::explicit_counts) {
    // All but one shard on the last rank, the rest on the first.
    setup.plan.shards_per_rank.assign(static_cast<std::size_t>(ranks->world()), 0);
    setup.plan.shards_per_rank.back() = 7;
    setup.plan.shards_per_rank.front() += 1;
  }
  return setup;
}

double distance(const oracle::State& a, const oracle::State& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// What a rank saw of a run.
struct Seen {
  oracle::State state;
  RunRecord record;
  bool owns = false;
  std::uint64_t exchanges = 0, between_ranks = 0;  ///< of the plan
};

std::vector<Seen> run(const Row& row, const Circuit& circuit) {
  std::vector<Seen> seen(static_cast<std::size_t>(row.ranks));
  run_ranks(row.ranks, [&](const Ranks& ranks) {
    Seen& mine = seen[static_cast<std::size_t>(ranks->rank())];
    const RunSetup setup = setup_on(ranks, row);
    std::optional<ShardedState> state;
    evolve(setup, circuit, 0, circuit.size(), {}, state, mine.record);
    mine.owns = !state->own_shards().empty();
    mine.state.resize(std::size_t{1} << circuit.num_qubits());
    state->to_host<cdouble>(0, mine.state.size(), mine.state);
    if (row.engine != EngineKind::ex) return;
    const Plan plan = make_plan(circuit, setup.context->machine(), setup.plan);
    mine.exchanges = plan.num_exchanges();
    mine.between_ranks = plan.bytes_between_ranks();
  });
  return seen;
}

void check(const Row& row, const Circuit& circuit, const oracle::State& expected) {
  const auto seen = run(row, circuit);
  const std::string what = std::to_string(row.ranks) + " ranks, " + std::string(to_string(row.precision)) + ", engine " +
                           std::to_string(static_cast<int>(row.engine));
  const double root = std::sqrt(static_cast<double>(circuit.size()));
  EXPECT_LE(distance(seen[0].state, expected), row.precision == Precision::single ? 1e-6 + 1e-7 * root : 1e-14 + 1e-15 * root) << what;
  std::uint64_t between_ranks = 0;
  for (const Seen& rank : seen) {
    EXPECT_EQ(rank.state, seen[0].state) << what;
    EXPECT_EQ(rank.owns, row.policy != PlacementPolicy::explicit_counts || &rank == &seen.front() || &rank == &seen.back()) << what;
    EXPECT_GT(rank.record.exchanges, 0U) << what;
    EXPECT_EQ(rank.record.transport, "threads");
    if (row.engine == EngineKind::ex) {
      EXPECT_EQ(rank.record.exchanges, rank.exchanges) << what;
    }
    between_ranks += rank.record.bytes_between_ranks;
  }
  EXPECT_GT(between_ranks, 0U) << what;
  if (row.engine == EngineKind::ex) {
    EXPECT_EQ(between_ranks, seen[0].between_ranks) << what;
  }
}

/// Random gates between layers that move every qubit, so that no placement goes without an exchange.
Circuit mixing_circuit(Random& random) {
  Circuit circuit = testing::random_circuit(random, kQubits, 20, 2, 3);
  for (int layer = 0; layer < 2; ++layer) {
    for (Qubit q = 0; q < kQubits; ++q) circuit.ry(q, testing::angle(random));
    for (Qubit q = 0; q < kQubits; ++q) circuit.cz(q, (q + 1) % kQubits);
  }
  for (std::size_t i = 0; i < 20; ++i) testing::add_random_gate(circuit, random, 2, 3);
  return circuit;
}

void check_random_circuits(int rounds, std::uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const Circuit circuit = mixing_circuit(random);
    const auto expected = oracle::run(circuit);
    for (const int ranks : {2, 3, 4, 5, 8})
      for (const Precision precision : {Precision::single, Precision::double_})
        for (const EngineKind engine : {EngineKind::ex, EngineKind::conventional})
          for (const PlacementPolicy policy : {PlacementPolicy::equal, PlacementPolicy::round_robin, PlacementPolicy::explicit_counts})
            check({ranks, precision, engine, policy, ranks == 3 ? 1024U : 16_MiB}, circuit, expected);
    if (::testing::Test::HasFailure()) FAIL() << "round " << round << '\n' << circuit.str();
  }
}

void check_dynamic_circuits(int rounds, std::uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const Circuit circuit = testing::random_dynamic_circuit(random, kQubits, 18, 3);
    using Counts = std::map<ClassicalBits, std::uint64_t>;
    const auto counts_of = [&](const Row& row) {
      std::vector<Counts> counts(static_cast<std::size_t>(row.ranks));
      run_ranks(row.ranks, [&](const Ranks& ranks) {
        RunRecord record;
        counts[static_cast<std::size_t>(ranks->rank())] =
            run_shots(setup_on(ranks, row), circuit, {}, {.shots = 200, .seed = seed}, record).counts;
      });
      for (const Counts& other : counts) EXPECT_EQ(other, counts[0]);
      return counts[0];
    };
    for (const Precision precision : {Precision::double_, Precision::single}) {
      const Counts alone = counts_of({.ranks = 1, .precision = precision});
      for (const int ranks : {2, 3, 4, 8})
        for (const EngineKind engine : {EngineKind::ex, EngineKind::conventional}) {
          if (engine == EngineKind::conventional && ranks != 3) continue;
          const Counts together = counts_of({.ranks = ranks, .precision = precision, .engine = engine});
          std::uint64_t same = 0;
          for (const auto& [bits, count] : alone) same += together.contains(bits) ? std::min(count, together.at(bits)) : 0;
          // Single precision: a draw within rounding of a border may fall on the other side of it.
          EXPECT_GE(same + (precision == Precision::single ? 1 : 0), 200U) << ranks << " ranks, " << to_string(precision);
        }
    }
    if (::testing::Test::HasFailure()) FAIL() << "round " << round << '\n' << circuit.str();
  }
}

TEST(Ranks, RandomCircuits) { check_random_circuits(1, 31); }
TEST(Ranks, DynamicCircuitsCountAlike) { check_dynamic_circuits(3, 32); }
TEST(SlowRanks, RandomCircuits) { check_random_circuits(12, 33); }
TEST(SlowRanks, DynamicCircuitsCountAlike) { check_dynamic_circuits(50, 34); }

TEST(Ranks, ASmallStateStaysOnOneRankUnlessToldOtherwise) {
  const Circuit circuit = testing::ghz(10);
  const auto expected = oracle::run(circuit);
  const auto seen = run({.ranks = 4, .policy = PlacementPolicy::automatic}, circuit);
  for (std::size_t r = 0; r < seen.size(); ++r) {
    EXPECT_EQ(seen[r].owns, r == 0);
    EXPECT_EQ(seen[r].record.exchanges, 0U);
    EXPECT_LE(distance(seen[r].state, expected), 1e-14);
  }
}

TEST(Ranks, StartBitsAreTheCallersChoiceAndChangeNothing) {
  Random random(35);
  const Circuit circuit = testing::random_circuit(random, kQubits, 30, 1, 2);
  const auto expected = oracle::run(circuit);
  for (const std::vector<int>& global : {std::vector<int>{0, 1, 2}, {11, 3, 7}})
    run_ranks(3, [&](const Ranks& ranks) {
      RunSetup setup = setup_on(ranks, {.ranks = 3});
      setup.plan.global_qubits = global;
      std::optional<ShardedState> state;
      RunRecord record;
      evolve(setup, circuit, 0, circuit.size(), {}, state, record);
      oracle::State out(expected.size());
      state->to_host<cdouble>(0, out.size(), out);
      EXPECT_LE(distance(out, expected), 1e-13);
      EXPECT_EQ(state->placement().num_shards(), 8);
    });
}

}  // namespace
}  // namespace ketmesh::runtime
