// The interface over several ranks: the same answers on each, the same exception on each.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "ketmesh/api/simulator.hpp"
#include "ketmesh/api/state.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh {
namespace {

using Ranks = std::shared_ptr<CollectiveCommunicator>;

SimulatorConfig over_ranks(Engine engine = Engine::ex) {
  SimulatorConfig config{.backend = Backend::distributed_mpi_cpu, .precision = Precision::double_, .engine = engine, .threads = 1};
  config.distributed.placement = "equal";
  return config;
}

Circuit mixed(int n) {
  Circuit c(static_cast<std::size_t>(n));
  const auto width = static_cast<Qubit>(n);
  for (int layer = 0; layer < 3; ++layer) {
    for (Qubit q = 0; q < width; ++q) c.h(q).rz(q, 0.2 * q + layer);
    for (Qubit q = 0; q < width; ++q) c.cx(q, (q + 2) % width).ry(q, 0.4).swap(q, (q + 1) % width).cp(q, (q + 3) % width, 0.3);
  }
  return c;
}

TEST(RanksOfTheInterface, RunsGiveTheSameOnEveryRank) {
  constexpr int kQubits = 9;
  const Circuit circuit = mixed(kQubits).measure_all();
  const RunOptions options{.shots = 2000,
                           .seed = 5,
                           .observables = {PauliSum("ZZZ"), PauliSum("XIXIXIXIX"), PauliSum("XXXXXXXXX"), PauliSum("YYXXZZYYX")},
                           .amplitudes = {0, 100, 511},
                           .probabilities = true};
  SimulatorConfig alone = over_ranks();
  alone.backend = Backend::cpu;
  const Result want = Simulator(alone).run(circuit, options);
  for (const Engine engine : {Engine::ex, Engine::conventional})
    for (const int world : {2, 3, 4, 5, 8}) {
      std::vector<Result> results(static_cast<std::size_t>(world));
      run_ranks(world, [&](const Ranks& ranks) {
        results[static_cast<std::size_t>(ranks->rank())] = Simulator(over_ranks(engine), ranks).run(circuit, options);
      });
      for (const Result& got : results) {
        EXPECT_EQ(got.counts, want.counts) << world;
        EXPECT_EQ(got.probabilities, results[0].probabilities) << world;
        EXPECT_EQ(got.expectation_values, results[0].expectation_values) << world;
        EXPECT_EQ(got.distribution.ranks, world);
        EXPECT_GT(got.distribution.exchanges, 0U);
        EXPECT_GT(got.distribution.bytes_between_ranks, 0U);
        EXPECT_EQ(got.distribution.bytes_between_ranks, results[0].distribution.bytes_between_ranks);
        EXPECT_EQ(got.distribution.transport, "threads");
        std::vector<int> owns(static_cast<std::size_t>(world));
        for (const int owner : got.distribution.shard_owners) ++owns[static_cast<std::size_t>(owner)];
        EXPECT_EQ(std::count(owns.begin(), owns.end(), 0), 0) << world;
        for (std::size_t i = 0; i < want.expectation_values.size(); ++i)
          EXPECT_NEAR(got.expectation_values[i], want.expectation_values[i], 1e-12) << world << ' ' << i;
        for (std::size_t i = 0; i < want.probabilities.size(); ++i) ASSERT_NEAR(got.probabilities[i], want.probabilities[i], 1e-14);
        for (const auto& [index, value] : want.amplitudes) EXPECT_LE(std::abs(got.amplitudes.at(index) - value), 1e-14);
      }
    }
}

TEST(RanksOfTheInterface, SeedsAreDrawnOnce) {
  std::vector<std::uint64_t> seeds(3);
  run_ranks(
      3, [&](const Ranks& ranks) { seeds[static_cast<std::size_t>(ranks->rank())] = Simulator(over_ranks(), ranks).run(mixed(5)).seed; });
  EXPECT_EQ(seeds[1], seeds[0]);
  EXPECT_EQ(seeds[2], seeds[0]);
}

std::string error_of(const std::exception_ptr& outcome) {
  try {
    if (outcome) std::rethrow_exception(outcome);
  } catch (const Error& error) {
    return std::string(to_string(error.kind())) + ": " + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(RanksOfTheInterface, ADifferentCircuitOrOptionIsNamed) {
  for (const bool circuit : {true, false}) {
    const auto outcomes = outcomes_of_ranks(3, [&](const Ranks& ranks) {
      Circuit mine = mixed(6);
      if (circuit && ranks->rank() == 2) mine.rx(0, 1e-9);
      Simulator(over_ranks(), ranks).run(mine, {.shots = !circuit && ranks->rank() == 2 ? 11U : 10U});
    });
    for (const auto& outcome : outcomes)
      EXPECT_EQ(error_of(outcome), "TransportError: rank 2 differs from rank 0 in run: another circuit, other parameters or other options");
  }
}

TEST(RanksOfTheInterface, WhoSharesAHostIsCheckedWhereItIsDeclared) {
  run_ranks_on_hosts({"a", "a", "b", "b"}, [](const Ranks& ranks) {
    const Circuit circuit = mixed(7);
    for (const char* flags : {"0", "4"}) {  // with and without the links weighed
      SimulatorConfig config = over_ranks();
      config.distributed.set("mpi_p2p_bits", "1");
      config.distributed.set("distributed_flags", flags);
      EXPECT_GT(Simulator(config, ranks).run(circuit, {.shots = 10}).distribution.exchanges, 0U);
    }
    SimulatorConfig config = over_ranks();
    config.distributed.set("mpi_p2p_bits", "2");
    try {
      Simulator(config, ranks).run(circuit);
      ADD_FAILURE() << "ranks on two hosts";
    } catch (const OptionError& error) {
      EXPECT_NE(std::string(error.what()).find("mpi_p2p_bits = 2: ranks 0 and 2 differ only"), std::string::npos) << error.what();
    }
  });
}

TEST(RanksOfTheInterface, LessMemoryOnOneRankEndsAll) {
  SimulatorConfig config = over_ranks();
  config.machine_json =
      R"({"ranks": [{"devices": [{"kind": "cpu", "memory_bytes": 100000000}]}, {"devices": [{"kind": "cpu", "memory_bytes": 1000}]}]})";
  const auto outcomes = outcomes_of_ranks(2, [&](const Ranks& ranks) { Simulator(config, ranks).run(mixed(10)); });
  EXPECT_EQ(error_of(outcomes[0]), error_of(outcomes[1]));
  EXPECT_TRUE(error_of(outcomes[0]).starts_with("DoesNotFit")) << error_of(outcomes[0]);
}

TEST(RanksOfTheInterface, ErrorsOfAllLeaveTheWorldWhole) {
  run_ranks(3, [](const Ranks& ranks) {
    Simulator simulator(over_ranks(), ranks);
    EXPECT_THROW(simulator.run(mixed(4), {.shots = 1, .amplitudes = {16}}), OptionError);
    EXPECT_THROW(simulator.statevector(mixed(50)), DoesNotFit);
    EXPECT_NEAR(std::norm(simulator.statevector(Circuit(3).h(0).cx(0, 2))[5]), 0.5, 1e-15);
  });
}

TEST(RanksOfTheInterface, AnExceptionOfOneRankAloneReachesTheOthers) {
  const auto outcomes = outcomes_of_ranks(3, [](const Ranks& ranks) {
    DistributedState state(DistributedExecutionContext(ranks), 6, Precision::double_, over_ranks());
    state.apply(mixed(6));
    if (ranks->rank() == 1) throw std::runtime_error("a mistake of the user");
    static_cast<void>(state.norm_squared());
  });
  EXPECT_EQ(error_of(outcomes[1]), "a mistake of the user");
  for (const std::size_t r : {0U, 2U})
    EXPECT_NE(error_of(outcomes[r]).find("rank 1 failed: an exception left the scope"), std::string::npos) << error_of(outcomes[r]);
}

TEST(RanksOfTheInterface, StatesLiveOn) {
  constexpr int kQubits = 7;
  const auto folder = std::filesystem::temp_directory_path() / ("ketmesh-ranks-" + std::to_string(::getpid()));
  SimulatorConfig alone = over_ranks();
  alone.backend = Backend::cpu;
  DistributedState want(kQubits, alone);
  want.apply(mixed(kQubits));
  const auto amplitudes = want.to_host(0, Index{1} << kQubits);
  run_ranks(4, [&](const Ranks& ranks) {
    DistributedState state(DistributedExecutionContext(ranks), kQubits, Precision::double_, over_ranks());
    for (const Operation op : mixed(kQubits)) state.apply(op);
    EXPECT_NEAR(state.norm_squared(), 1, 1e-13);
    EXPECT_EQ(state.local_shards().size(), 1U);
    const auto got = state.to_host(0, Index{1} << kQubits);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LE(std::abs(got[i] - amplitudes[i]), 1e-13);
    state.save(folder);
    const std::size_t kept = state.snapshot();
    const std::vector<Qubit> all{0, 1, 2, 3, 4, 5, 6};
    const Index outcome = state.measure(all);
    EXPECT_NEAR(std::norm(state.amplitudes(std::vector<Index>{outcome})[0]), 1, 1e-13);
    state.restore(kept);
    EXPECT_NEAR(state.expectation(std::vector<PauliSum>{PauliSum("Z")})[0], want.expectation(std::vector<PauliSum>{PauliSum("Z")})[0],
                1e-12);
  });
  // Written by four ranks, read by three and by one.
  run_ranks(3, [&](const Ranks& ranks) {
    DistributedState state = DistributedState::load(DistributedExecutionContext(ranks), folder, over_ranks());
    const auto got = state.to_host(0, Index{1} << kQubits);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LE(std::abs(got[i] - amplitudes[i]), 1e-13);
  });
  const auto got = DistributedState::load(folder).to_host(0, Index{1} << kQubits);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LE(std::abs(got[i] - amplitudes[i]), 1e-13);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ketmesh
