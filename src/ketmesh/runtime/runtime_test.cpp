#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/evolve.hpp"
#include "ketmesh/runtime/oracle_testing.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"

namespace ketmesh::runtime {
namespace {

using testing::Random;

RunSetup setup_of(Precision precision, int shards, EngineKind engine, int tile = 0) {
  RunSetup setup;
  setup.context = std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(std::min(shards, 2), 1_GiB), 2);
  setup.plan.precision = precision;
  setup.plan.shards = shards;
  setup.plan.tile_bits = tile;
  setup.engine = engine;
  return setup;
}

oracle::State run(const RunSetup& setup, const Circuit& circuit, RunRecord& record, const ParameterValues& values = {}) {
  std::optional<ShardedState> state;
  evolve(setup, circuit, 0, circuit.size(), values, state, record);
  oracle::State out(std::size_t{1} << circuit.num_qubits());
  state->to_host<cdouble>(0, out.size(), out);
  return out;
}

double distance(const oracle::State& a, const oracle::State& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

double tolerance(Precision precision, std::size_t gates) {
  const double root = std::sqrt(static_cast<double>(gates));
  return precision == Precision::single ? 1e-6 + 1e-7 * root : 1e-14 + 1e-15 * root;
}

TEST(Executor, KnownStatesOnAnyShards) {
  for (const Circuit& circuit : {testing::bell(), testing::ghz(9), testing::qft(8, 0b10110101)}) {
    const auto expected = oracle::run(circuit);
    for (const Precision precision : {Precision::single, Precision::double_})
      for (const int shards : {1, 2, 4, 8})
        for (const EngineKind engine : {EngineKind::ex, EngineKind::conventional}) {
          if (circuit.num_qubits() < 5 && shards > 1) continue;
          RunRecord record;
          const auto got = run(setup_of(precision, shards, engine, 6), circuit, record);
          EXPECT_LT(distance(got, expected), tolerance(precision, circuit.size()))
              << circuit.num_qubits() << " qubits, " << shards << " shards, engine " << static_cast<int>(engine);
        }
  }
}

TEST(Executor, RandomCircuitsEqualTheOracle) {
  Random random(20);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 3 + testing::below(random, 7);
    const int shards = 1 << testing::below(random, std::min<std::size_t>(n - 2, 4));
    const int local = static_cast<int>(n) - std::countr_zero(static_cast<unsigned>(shards));
    const Circuit circuit = testing::random_circuit(random, n, 30, 2, static_cast<std::size_t>(std::min(local, 3)));
    const auto expected = oracle::run(circuit);
    for (const Precision precision : {Precision::single, Precision::double_})
      for (const EngineKind engine : {EngineKind::ex, EngineKind::conventional}) {
        RunRecord record;
        const auto got = run(setup_of(precision, shards, engine, 8), circuit, record);
        ASSERT_LT(distance(got, expected), tolerance(precision, circuit.size()))
            << "round " << round << ", n = " << n << ", shards = " << shards << ", engine " << static_cast<int>(engine) << '\n'
            << circuit.str();
      }
  }
}

TEST(Executor, RecordsWhatThePlanPredicted) {
  Random random(9);
  const Circuit circuit = testing::random_circuit(random, 12, 80, 1, 2);
  for (const int shards : {1, 4, 8}) {
    const auto setup = setup_of(Precision::single, shards, EngineKind::ex, 8);
    PlanOptions options = setup.plan;
    const Plan plan = make_plan(circuit, setup.context->machine(), options);
    ASSERT_GT(plan.num_passes(), 1U);
    ASSERT_EQ(plan.num_exchanges() > 0, shards > 1);
    RunRecord record;
    std::uint64_t reports = 0;
    RunSetup with_progress = setup;
    with_progress.progress = [&](std::uint64_t, std::uint64_t total, const char*) {
      ++reports;
      EXPECT_EQ(total, plan.num_passes());
    };
    run(with_progress, circuit, record);
    EXPECT_EQ(record.passes, plan.num_passes());
    EXPECT_EQ(record.exchanges, plan.num_exchanges());
    EXPECT_EQ(record.bytes_local, plan.bytes_local);
    EXPECT_EQ(record.bytes_exchanged, plan.bytes_exchanged_total());
    EXPECT_EQ(record.bytes_between_ranks, 0U);
    EXPECT_EQ(record.memory_bytes, plan.memory.state_bytes + plan.memory.workspace_bytes);
    EXPECT_EQ(reports, plan.num_passes() + plan.num_exchanges());
    EXPECT_EQ(record.transport, plan.num_exchanges() > 0 ? "local" : "none");
  }
}

TEST(Executor, ProgressMayStopARun) {
  RunSetup setup = setup_of(Precision::single, 1, EngineKind::ex, 8);
  setup.progress = [](std::uint64_t, std::uint64_t, const char*) { throw std::runtime_error("stop"); };
  RunRecord record;
  EXPECT_THROW(run(setup, testing::ghz(12), record), std::runtime_error);
  EXPECT_EQ(record.passes, 1U);
}

TEST(Executor, WindowsAndLaterCallsGoOnFromTheLayout) {
  Random random(4);
  const Circuit circuit = testing::random_circuit(random, 8, 50, 1, 2);
  const auto expected = oracle::run(circuit);
  for (const int shards : {1, 4})
    for (const EngineKind engine : {EngineKind::ex, EngineKind::conventional}) {
      RunSetup setup = setup_of(Precision::double_, shards, engine, 7);
      setup.window = 7;
      RunRecord record;
      EXPECT_LT(distance(run(setup, circuit, record), expected), tolerance(Precision::double_, 50));
      setup.window = kWindow;
      std::optional<ShardedState> state;
      evolve(setup, circuit, 0, 20, {}, state, record);
      evolve(setup, circuit, 20, 20, {}, state, record);
      evolve(setup, circuit, 20, 50, {}, state, record);
      oracle::State out(256);
      state->to_host<cdouble>(0, 256, out);
      EXPECT_LT(distance(out, expected), tolerance(Precision::double_, 50));
    }
}

TEST(Executor, NewAnglesPlanNothing) {
  const auto make = [](double a) { return Circuit(7).h(0).cx(0, 6).rx(6, a).rzz(1, 6, a * 2).ry(3, Parameter::named("t")); };
  for (const int shards : {1, 2}) {
    PlanCache cache;
    RunSetup setup = setup_of(Precision::double_, shards, EngineKind::ex, 7);
    setup.cache = &cache;
    bool first = true;
    // On one shard the numbers of the last run are kept: they must go when an angle or only a parameter's value is another one.
    for (const auto& [a, t] : {std::pair{0.3, 0.3}, {1.7, 1.7}, {1.7, 1.7}, {1.7, 0.2}, {0.3, 0.2}}) {
      RunRecord record;
      const Circuit circuit = make(a);
      EXPECT_LT(distance(run(setup, circuit, record, {{"t", t}}), oracle::run(circuit, {{"t", t}})), 1e-14);
      EXPECT_EQ(record.plan_cached, !first);
      first = false;
    }
    EXPECT_EQ(cache.size(), 1U);
    setup.state.kernels = KernelChoice::reference;  // other kernels, the same plan
    RunRecord record;
    const Circuit circuit = make(0.3);
    EXPECT_LT(distance(run(setup, circuit, record, {{"t", 0.2}}), oracle::run(circuit, {{"t", 0.2}})), 1e-14);
  }
}

TEST(PlanCache, KeepsTheMostRecentlyUsed) {
  PlanCache cache(2);
  const Machine machine{.ranks = {DeviceMesh::cpu(1, 1_GiB)}};
  const auto circuit_of = [](Qubit q) { return Circuit(6).h(q).cx(q, 5); };
  const auto find = [&](Qubit q, const PlanOptions& options = {}) {
    const Circuit circuit = circuit_of(q);
    return cache.find_or_make(circuit, 0, circuit.size(), machine, options);
  };
  EXPECT_FALSE(find(0).cached);
  EXPECT_FALSE(find(1).cached);
  EXPECT_TRUE(find(0).cached);
  EXPECT_FALSE(find(2).cached);  // 1 goes
  EXPECT_TRUE(find(0).cached);
  EXPECT_FALSE(find(1).cached);
  PlanOptions other;
  other.precision = Precision::double_;
  EXPECT_FALSE(find(1, other).cached);
  PlanOptions further;
  further.start_given = true;
  further.start_layout = Layout(6);
  EXPECT_FALSE(find(1, further).cached);
  EXPECT_TRUE(find(1, further).cached);
  EXPECT_EQ(cache.size(), 2U);
}

TEST(Executor, DoesNotFitIsSaidBeforeMemoryIsTouched) {
  RunRecord record;
  EXPECT_THROW(run(setup_of(Precision::single, 1, EngineKind::ex), testing::ghz(40), record), DoesNotFit);
  EXPECT_THROW(run(setup_of(Precision::single, 1, EngineKind::conventional), testing::ghz(40), record), DoesNotFit);
  EXPECT_EQ(record.memory_bytes, 0U);
}

}  // namespace
}  // namespace ketmesh::runtime
