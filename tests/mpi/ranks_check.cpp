// Run under mpirun: what N ranks compute is what one rank computes. Every rank checks for itself; GoogleTest's answer is agreed at the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/ketmesh.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"
#include "ketmesh/transport/mpi.hpp"

namespace ketmesh {
namespace {

std::shared_ptr<CollectiveCommunicator> everyone;

struct Row {
  Engine engine;
  Precision precision;
};
constexpr std::array<Row, 4> kRows = {{{Engine::ex, Precision::single},
                                       {Engine::ex, Precision::double_},
                                       {Engine::conventional, Precision::single},
                                       {Engine::conventional, Precision::double_}}};

SimulatorConfig config_of(const Row& row, bool over_ranks) {
  SimulatorConfig config;
  config.backend = over_ranks ? Backend::distributed_mpi_cpu : Backend::cpu;
  config.engine = config.distributed.engine = row.engine;
  config.precision = row.precision;
  config.threads = 1;
  if (over_ranks) config.distributed.placement = "equal";
  config.distributed.timeout_seconds = 120;
  return config;
}

/// How many ranks can own a shard: there are at most as many shards as amplitudes of two.
void expect_spread(const Distribution& d, int world) {
  EXPECT_EQ(d.ranks, world);
  const std::set<int> owners(d.shard_owners.begin(), d.shard_owners.end());
  EXPECT_EQ(owners.size(), static_cast<std::size_t>(std::min(world, d.shards)));
  if (world > 1) EXPECT_GE(d.shards, std::min(world, 32)) << "the ranks are not used";
}

double largest_difference(const std::vector<cdouble>& a, const std::vector<cdouble>& b) {
  double worst = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

template <typename T>
void expect_same_bits(const std::vector<T>& values) {
  std::vector<T> all(values.size() * static_cast<std::size_t>(everyone->world()));
  everyone->all_gather(std::as_bytes(std::span(values)), std::as_writable_bytes(std::span(all)));
  const auto bytes = std::as_bytes(std::span(all));
  const std::size_t part = values.size() * sizeof(T);
  for (int r = 1; r < everyone->world(); ++r)
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part),
                           bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(r) * part)))
        << "rank " << r << " has other bits than rank 0";
}

int rounds() { return everyone->world() > 8 ? 2 : 6; }

TEST(Ranks, RandomCircuitsEqualOneRank) {
  std::uint64_t exchanges = 0;
  for (const Row& row : kRows) {
    Simulator ranks(config_of(row, true), everyone), one(config_of(row, false));
    testing::Random random(31);
    for (int round = 0; round < rounds(); ++round) {
      const Circuit circuit = testing::random_circuit(random, 12, 40, 3, 4);
      const auto here = ranks.statevector(circuit), expected = one.statevector(circuit);
      EXPECT_LE(largest_difference(here, expected), row.precision == Precision::single ? 3e-5 : 1e-12) << "round " << round;
      expect_same_bits(here);
      const std::vector<PauliSum> observables = {PauliSum("ZIZXIIIIIIIY"), PauliSum("IIXXIIIIIIZZ")};
      const Result result = ranks.run(circuit, {.shots = 0, .seed = 3, .observables = observables});
      const Result reference = one.run(circuit, {.shots = 0, .seed = 3, .observables = observables});
      expect_same_bits(result.expectation_values);
      for (std::size_t k = 0; k < observables.size(); ++k)
        EXPECT_NEAR(result.expectation_values[k], reference.expectation_values[k], row.precision == Precision::single ? 1e-4 : 1e-12);
    }
    Circuit deep(12);
    for (int layer = 0; layer < 3; ++layer) {
      for (Qubit q = 0; q < 12; ++q) deep.ry(q, 0.1 * (q + 1) + layer).rz(q, 0.3);
      for (Qubit q = 0; q < 12; ++q) deep.cx(q, (q + 5) % 12);
    }
    const Result result = ranks.run(deep, {.shots = 50, .seed = 9});
    expect_spread(result.distribution, everyone->world());
    exchanges += static_cast<std::uint64_t>(result.distribution.exchanges);
    EXPECT_EQ(result.counts, one.run(deep, {.shots = 50, .seed = 9}).counts);
  }
  if (everyone->world() > 1) EXPECT_GT(exchanges, 0U);
}

TEST(Ranks, DynamicCircuitsGiveTheSameCounts) {
  for (const Row& row : kRows) {
    Simulator ranks(config_of(row, true), everyone), one(config_of(row, false));
    testing::Random random(5);
    for (int round = 0; round < rounds(); ++round) {
      const Circuit circuit = testing::random_dynamic_circuit(random, 12, 16, 3);
      const auto here = ranks.run(circuit, {.shots = 40, .seed = 11}).counts, expected = one.run(circuit, {.shots = 40, .seed = 11}).counts;
      std::uint64_t common = 0, total = 0;
      for (const auto& [bits, count] : expected) total += count;
      for (const auto& [bits, count] : here)
        if (const auto same = expected.find(bits); same != expected.end()) common += std::min(count, same->second);
      EXPECT_EQ(total, 40U);
      EXPECT_GE(common + (row.precision == Precision::single ? 1 : 0), total) << "round " << round;
    }
  }
}

TEST(Ranks, AStateLivesOverThem) {
  const Row row{Engine::ex, Precision::double_};
  const DistributedExecutionContext context(everyone, DeviceMesh::cpu(), 1);
  DistributedState state(context, 10, Precision::double_, config_of(row, true));
  for (Qubit q = 0; q < 10; ++q) state.apply(Circuit(10).h(q));
  EXPECT_NEAR(state.norm_squared(), 1, 1e-12);
  expect_same_bits(std::vector<double>{state.norm_squared()});
  std::size_t shards = state.local_shards().size();
  std::vector<double> sum = {static_cast<double>(shards)};
  everyone->sum(sum);
  EXPECT_GE(sum[0], std::min(everyone->world(), 32));
  EXPECT_THROW(finalize_mpi(), BackendUnavailable) << "a state is alive";
}

TEST(Ranks, WhatDiffersIsNamedByAll) {
  if (everyone->world() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const auto ranks = launcher_communicator();  // it breaks
  Simulator simulator(config_of({Engine::ex, Precision::double_}, true), ranks);
  const bool other = ranks->rank() == ranks->world() - 1;
  const Circuit circuit = Circuit(8).h(0).rx(1, other ? 0.25 : 0.5);
  try {
    simulator.statevector(circuit);
    ADD_FAILURE() << "no rank noticed";
  } catch (const TransportError& error) {
    EXPECT_NE(std::string(error.what()).find("rank " + std::to_string(ranks->world() - 1)), std::string::npos) << error.what();
  }
}

TEST(Ranks, ContextsAreMadeManyTimes) {
  for (int round = 0; round < 20; ++round) {
    const auto ranks = launcher_communicator();
    EXPECT_EQ(ranks->rank(), everyone->rank());
    EXPECT_EQ(ranks->name(), "mpi");
    std::vector<std::int64_t> most = {ranks->rank()};
    ranks->max(most);
    EXPECT_EQ(most[0], ranks->world() - 1);
  }
  EXPECT_THROW(mpi_communicator(std::int64_t{123456789}), OptionError);
  EXPECT_THROW(mpi_communicator((std::int64_t{1} << 40) + 1), OptionError);
}

}  // namespace
}  // namespace ketmesh

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  using namespace ketmesh;
  init_mpi();
  everyone = launcher_communicator(120);
  if (const char* asked = std::getenv("KETMESH_TEST_RANKS"); asked != nullptr && std::atoi(asked) != everyone->world()) {
    std::fprintf(stderr, "%s ranks were asked for, MPI sees %d\n", asked, everyone->world());
    return 1;
  }
  if (everyone->rank() != 0)
    delete ::testing::UnitTest::GetInstance()->listeners().Release(
        ::testing::UnitTest::GetInstance()->listeners().default_result_printer());
  std::vector<std::int64_t> failed = {RUN_ALL_TESTS()};
  const auto mine = failed[0];
  everyone->max(failed);
  if (mine != 0) std::fprintf(stderr, "rank %d failed\n", everyone->rank());
  everyone.reset();
  finalize_mpi();
  bool refused = false;
  try {
    launcher_communicator();
  } catch (const BackendUnavailable& error) {
    refused = std::string(error.what()).find("finalized") != std::string::npos;
  }
  finalize_mpi();
  return failed[0] != 0 || !refused ? 1 : 0;
}
