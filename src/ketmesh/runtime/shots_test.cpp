#include "ketmesh/runtime/shots.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/oracle_testing.hpp"
#include "ketmesh/runtime/preparation.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"

namespace ketmesh::runtime {
namespace {

using Counts = std::map<ClassicalBits, std::uint64_t>;
using testing::Random;

RunSetup setup_of(Precision precision, int shards, EngineKind engine = EngineKind::ex, std::uint64_t memory = 1_GiB) {
  RunSetup setup;
  setup.context = std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(std::min(shards, 2), memory), 2);
  setup.plan.precision = precision;
  setup.plan.shards = shards;
  setup.plan.tile_bits = 8;
  setup.engine = engine;
  return setup;
}

std::map<std::string, std::uint64_t> keys(const Counts& counts) {
  std::map<std::string, std::uint64_t> out;
  for (const auto& [bits, count] : counts) out[bits.key(bits.size())] = count;
  return out;
}

Counts run(const RunSetup& setup, const Circuit& circuit, const ShotOptions& options, RunRecord* record = nullptr) {
  RunRecord own;
  return run_shots(setup, circuit, {}, options, record != nullptr ? *record : own).counts;
}

TEST(Shots, RandomDynamicCircuitsEqualShotsOneByOne) {
  Random random(50);
  PlanCache cache;
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 2 + testing::below(random, 6);
    const int shards = 1 << testing::below(random, std::min<std::size_t>(n, 4));
    const int local = static_cast<int>(n) - std::countr_zero(static_cast<unsigned>(shards));
    const Circuit circuit = testing::random_dynamic_circuit(random, n, 14, static_cast<std::size_t>(std::min(local, 3)));
    const std::uint64_t seed = random();
    const Counts expected = oracle::counts(circuit, 60, seed);
    for (const EngineKind engine : {EngineKind::ex, EngineKind::conventional})
      for (const std::optional<std::size_t> snapshots :
           {std::optional<std::size_t>(), std::optional<std::size_t>(0), std::optional<std::size_t>(1)}) {
        RunSetup setup = setup_of(Precision::double_, shards, engine);
        setup.cache = &cache;
        RunRecord record;
        ASSERT_EQ(keys(run(setup, circuit, {.shots = 60, .seed = seed, .max_snapshots = snapshots}, &record)), keys(expected))
            << "round " << round << ", n = " << n << ", shards = " << shards << ", engine " << static_cast<int>(engine) << '\n'
            << circuit.str();
        EXPECT_LE(record.snapshots, snapshots == std::optional<std::size_t>(0) ? 0U : record.branches);
      }
  }
  EXPECT_LE(cache.size(), kPlanCacheSize);
}

TEST(Shots, MeasurementsAtTheEndAreSampledOnce) {
  const Circuit circuit = testing::ghz(8).measure_all();
  RunRecord record;
  const Counts counts = run(setup_of(Precision::single, 2), circuit, {.shots = 1000, .seed = 3}, &record);
  ASSERT_EQ(counts.size(), 2U);
  std::uint64_t total = 0;
  for (const auto& [bits, count] : counts) {
    EXPECT_TRUE(bits.key(8) == "00000000" || bits.key(8) == "11111111");
    EXPECT_NEAR(static_cast<double>(count), 500, 100);
    total += count;
  }
  EXPECT_EQ(total, 1000U);
  EXPECT_EQ(record.branches, 1U);
  EXPECT_EQ(record.snapshots, 0U);
  const Plan plan = make_plan(circuit.without_final_measurements(), setup_of(Precision::single, 2).context->machine(),
                              setup_of(Precision::single, 2).plan);
  EXPECT_EQ(record.passes, plan.num_passes());
}

TEST(Shots, WorkIsThePrefixAndOneSuffixABranch) {
  // Prefix, a measurement with two outcomes, suffix, a last layer that is sampled.
  Random random(8);
  Circuit prefix = testing::random_circuit(random, 10, 40, 1, 2), suffix = testing::random_circuit(random, 10, 40, 1, 2);
  Circuit circuit(10, 10);
  circuit.compose(prefix).h(0).measure(0, 0).compose(suffix);
  for (Qubit q = 1; q < 10; ++q) circuit.measure(q, q);
  const RunSetup setup = setup_of(Precision::double_, 1);
  RunRecord record;
  run(setup, circuit, {.shots = 500, .seed = 1}, &record);
  EXPECT_EQ(record.branches, 2U);
  EXPECT_EQ(record.snapshots, 1U);
  Circuit whole_prefix = prefix;
  whole_prefix.h(0);
  const auto& machine = setup.context->machine();
  const Plan first = make_plan(whole_prefix, machine, setup.plan);
  PlanOptions options = setup.plan;
  options.start_given = true;
  options.start_layout = first.final_layout;
  const Plan second = make_plan(suffix, machine, options);
  EXPECT_EQ(record.passes, first.num_passes() + 2 * second.num_passes());
  EXPECT_EQ(record.memory_bytes, 2 * (std::uint64_t{16} << 10));
  RunRecord again;
  run(setup, circuit, {.shots = 500, .seed = 1, .max_snapshots = 0}, &again);
  EXPECT_EQ(again.snapshots, 0U);
  EXPECT_EQ(again.passes, 2 * (first.num_passes() + second.num_passes()));
}

TEST(Shots, SnapshotsStayWithinMemory) {
  Circuit circuit(10, 6);
  for (Qubit q = 0; q < 6; ++q) circuit.h(q).measure(q, q).rx(q, 0.5).cx(q, 9);
  circuit.h(9).measure(9, 0);
  const std::uint64_t one = std::uint64_t{16} << 10;
  RunRecord wide, narrow;
  const auto expected = run(setup_of(Precision::double_, 1), circuit, {.shots = 300, .seed = 9}, &wide);
  const auto got = run(setup_of(Precision::double_, 1, EngineKind::ex, 3 * one), circuit, {.shots = 300, .seed = 9}, &narrow);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(narrow.memory_bytes, 3 * one);
  EXPECT_GT(wide.memory_bytes, narrow.memory_bytes);
  EXPECT_GT(narrow.passes, wide.passes);
  // The largest branch goes last and frees its snapshot first, so not more than log2(shots) live.
  EXPECT_LE(wide.memory_bytes, 10 * one);
}

TEST(Shots, ManyMeasurementsInARowNeedNoDeepStack) {
  Circuit circuit(1, 1);
  for (int i = 0; i < 20000; ++i) circuit.x(0).measure(0, 0);
  circuit.x(0).measure(0, 0);
  const auto counts = run(setup_of(Precision::single, 1), circuit, {.shots = 10, .seed = 1});
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts.begin()->first.key(1), "1");
}

TEST(Shots, Conventions) {
  const auto counts = [](const Circuit& circuit, std::uint64_t shots = 10) {
    return keys(run(setup_of(Precision::single, 1), circuit, {.shots = shots, .seed = 5}));
  };
  using Expected = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(counts(Circuit(3).x(0).cx(0, 2).measure_all()), (Expected{{"101", 10}}));
  EXPECT_EQ(counts(Circuit(2, 2).x(0).measure(std::vector<Qubit>{0, 1}, std::vector<Clbit>{1, 0})), (Expected{{"01", 10}}));
  EXPECT_EQ(counts(Circuit(2, 2).x(0)), (Expected{{"00", 10}}));
  EXPECT_EQ(counts(Circuit(2, 2).x(0).measure_all(), 0), (Expected{}));
  // A bit written twice keeps the last value, put off or not.
  EXPECT_EQ(counts(Circuit(2, 1).x(0).measure(0, 0).measure(1, 0)), (Expected{{"0", 10}}));
  EXPECT_EQ(counts(Circuit(2, 1).x(0).measure(1, 0).measure(0, 0)), (Expected{{"1", 10}}));
  EXPECT_EQ(counts(Circuit(2, 1).x(0).measure(0, 0).measure(1, 0).h(1)), (Expected{{"0", 10}}));
  // Teleported |1>.
  Circuit teleport(3, 3);
  teleport.x(0).h(1).cx(1, 2).cx(0, 1).h(0).measure(0, 0).measure(1, 1);
  teleport.if_else(ClassicalExpression::bit(1), Circuit(3, 3).x(2)).if_else(ClassicalExpression::bit(0), Circuit(3, 3).z(2)).measure(2, 2);
  for (const auto& [key, count] : counts(teleport, 100)) EXPECT_EQ(key[2], '1');
  // Reset of one half of a Bell pair leaves the other half mixed.
  const auto mixed = counts(Circuit(2, 2).h(0).cx(0, 1).reset(0).measure_all(), 400);
  ASSERT_EQ(mixed.size(), 2U);
  EXPECT_NEAR(static_cast<double>(mixed.at("01")), 200, 60);
  EXPECT_THROW(run(setup_of(Precision::single, 1), Circuit(1, 1).measure_all(), {.shots = std::uint64_t{1} << 32}), OptionError);
}

TEST(Shots, KeepsTheStateOfStaticCircuits) {
  RunRecord record;
  const Circuit circuit = testing::qft(6, 9).h(3).measure_all();
  auto result = run_shots(setup_of(Precision::double_, 2), circuit, {}, {.shots = 10, .seed = 1, .keep_state = true}, record);
  ASSERT_TRUE(result.state.has_value());
  oracle::State got(64);
  result.state->to_host<cdouble>(0, 64, got);
  const auto expected = oracle::run(circuit.without_final_measurements());
  for (std::size_t i = 0; i < 64; ++i) EXPECT_LT(std::abs(got[i] - expected[i]), 1e-13);
  const Circuit dynamic = Circuit(1, 1).h(0).measure(0, 0).h(0);
  EXPECT_FALSE(
      run_shots(setup_of(Precision::double_, 1), dynamic, {}, {.shots = 10, .seed = 1, .keep_state = true}, record).state.has_value());
}

TEST(OneBranch, IsFixedByTheSeedAndGoesOn) {
  Circuit circuit(3, 3);
  circuit.h(0).measure(0, 0).cx(0, 1).if_else(ClassicalExpression::bit(0), Circuit(3, 3).x(2)).measure(1, 1);
  bool seen[2] = {false, false};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RunRecord record;
    Branch branch;
    const RunSetup setup = setup_of(Precision::double_, 2);
    follow_one_branch(setup, circuit, {}, {.seed = seed}, branch, record);
    ASSERT_TRUE(branch.state.has_value());
    const bool one = draw_uniform(seed, DrawPurpose::branch, 0, 0) >= 0.5;
    seen[one ? 1 : 0] = true;
    EXPECT_EQ(branch.bits.get(0), one);
    EXPECT_FALSE(branch.bits.get(1));  // final: ignored
    EXPECT_EQ(branch.ordinal, 1U);
    const std::vector<Index> index = {one ? 7U : 0U};
    EXPECT_NEAR(std::abs(branch.state->amplitudes(index)[0]), 1, 1e-14);
    follow_one_branch(setup, Circuit(3, 3).measure(2, 2).x(2), {}, {.seed = seed, .final_measurements = true}, branch, record);
    EXPECT_EQ(branch.bits.get(2), one);
    EXPECT_EQ(branch.bits.get(0), one);
    EXPECT_EQ(branch.ordinal, 2U);
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST(Preparation, GateAndWholeState) {
  Random random(2);
  for (std::size_t k = 1; k <= 3; ++k) {
    auto amplitudes = testing::random_amplitudes(random, k);
    if (k == 2) amplitudes = {0, 0, cdouble(0, -1), 0};
    const auto m = preparation_matrix(amplitudes);
    const std::size_t size = amplitudes.size();
    for (std::size_t r = 0; r < size; ++r) {
      EXPECT_LT(std::abs(m[r * size] - amplitudes[r]), 1e-15);
      for (std::size_t s = 0; s < size; ++s) {
        cdouble dot = 0;
        for (std::size_t c = 0; c < size; ++c) dot += m[r * size + c] * std::conj(m[s * size + c]);
        EXPECT_LT(std::abs(dot - (r == s ? 1.0 : 0.0)), 1e-14);
      }
    }
  }
  // Eight qubits at once, and three that hang on others after a reset, on shards too small for the gate.
  const auto wide = testing::random_amplitudes(random, 8);
  Circuit circuit(9, 9);
  circuit.h(8).initialize(wide, std::vector<Qubit>{7, 0, 1, 2, 3, 4, 5, 6}).cx(8, 0);
  for (const int shards : {1, 8}) {
    RunRecord record;
    Branch branch;
    follow_one_branch(setup_of(Precision::double_, shards), circuit, {}, {}, branch, record);
    oracle::State got(512);
    branch.state->to_host<cdouble>(0, 512, got);
    for (Index i = 0; i < 512; ++i) {
      const Index before = (i >> 8) != 0 ? i ^ 1 : i;
      const cdouble expected = wide[((before >> 7) & 1) | ((before & 127) << 1)] * std::sqrt(0.5);
      ASSERT_LT(std::abs(got[i] - expected), 1e-14) << i;
    }
  }
}

}  // namespace
}  // namespace ketmesh::runtime
