#include "ketmesh/api/simulator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "ketmesh/api/machine.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

SimulatorConfig exact() { return {.precision = Precision::double_}; }

Counts counts(const Circuit& circuit, std::uint64_t shots = 100) {
  return Simulator(exact()).run(circuit, {.shots = shots, .seed = 7}).counts;
}

TEST(Conventions, QubitZeroIsTheLowestBit) {
  const auto state = Simulator(exact()).statevector(Circuit().x(3));
  ASSERT_EQ(state.size(), 16u);
  EXPECT_EQ(state[8], cdouble(1));
}

TEST(Conventions, KeysOfCounts) {
  EXPECT_EQ(counts(Circuit(3).x(0).cx(0, 2).measure_all()), (Counts{{"101", 100}}));
  const std::vector<Qubit> qubits = {0, 1};
  const std::vector<Clbit> bits = {1, 0};
  EXPECT_EQ(counts(Circuit(2).x(0).measure(qubits, bits)), (Counts{{"01", 100}}));
  EXPECT_EQ(counts(Circuit(4).x(1)), (Counts{{"0000", 100}}));
  EXPECT_EQ(counts(Circuit(4).x(1), 0), Counts{});
  EXPECT_EQ(counts(Circuit(1).x(0).measure(0, 5)), (Counts{{"000001", 100}}));
  EXPECT_EQ(counts(Circuit(3).x(0).measure(1, 0).measure(0, 1)), (Counts{{"010", 100}}));
  EXPECT_EQ(counts(Circuit(2).x(0).measure(0, 0).measure(1, 0)), (Counts{{"00", 100}}));  // a bit written twice keeps the last value
}

TEST(Conventions, Observables) {
  Simulator simulator(exact());
  const auto one = simulator.estimate(Circuit(3).x(0), {"ZI", "IZ", "Z", "IIIIZ", "IIIIX", ""});
  const std::vector<double> want = {-1, 1, -1, 1, 0, 1};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(one[i], want[i], 1e-14) << i;
  const Circuit bell = Circuit(2).h(0).cx(0, 1).measure_all();
  const auto pair = simulator.estimate(bell, {"XX", "YY", "ZZ", "ZI", PauliSum{{0.5, "XX"}, {-2, "YY"}, {3, ""}}});
  const std::vector<double> expected = {1, -1, 1, 0, 5.5};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(pair[i], expected[i], 1e-14) << i;
}

TEST(Conventions, ShotsAreLimited) {
  Simulator simulator;
  try {
    simulator.run(Circuit(1), {.shots = std::uint64_t{1} << 32});
    ADD_FAILURE();
  } catch (const OptionError& e) {
    EXPECT_NE(std::string(e.what()).find("4294967295"), std::string::npos);
  }
}

TEST(Run, EverythingAtOnce) {
  const Circuit bell = Circuit(2).h(0).cx(0, 1).measure_all();
  RunOptions options{.shots = 1000, .seed = 3};
  options.observables = {"ZZ"};
  options.amplitudes = {0, 1, 3};
  options.probabilities = true;
  const Result r = Simulator(exact()).run(bell, options);
  EXPECT_EQ(r.counts.at("00") + r.counts.at("11"), 1000u);
  EXPECT_NEAR(r.expectation_values[0], 1, 1e-14);
  EXPECT_NEAR(std::abs(r.amplitudes.at(3)), std::sqrt(0.5), 1e-14);
  EXPECT_EQ(r.amplitudes.at(1), cdouble(0));
  EXPECT_EQ(r.probabilities.size(), 4u);
  EXPECT_EQ(r.seed, 3u);
  EXPECT_EQ(r.distribution.backend, "cpu");
  EXPECT_EQ(r.distribution.precision, "double");
  EXPECT_EQ(r.distribution.shards, 1);
  EXPECT_EQ(r.distribution.passes, 1u);
  EXPECT_GT(r.distribution.memory_bytes, 0u);
}

TEST(Run, SeedsDecideCounts) {
  const Circuit circuit = Circuit(4).h(0).h(1).h(2).h(3).measure_all();
  Simulator simulator(exact());
  const auto a = simulator.run(circuit, {.shots = 500, .seed = 1}).counts;
  EXPECT_EQ(a, simulator.run(circuit, {.shots = 500, .seed = 1}).counts);
  EXPECT_NE(a, simulator.run(circuit, {.shots = 500, .seed = 2}).counts);
  const Result drawn = simulator.run(circuit, {.shots = 500});
  EXPECT_EQ(drawn.counts, simulator.run(circuit, {.shots = 500, .seed = drawn.seed}).counts);
}

TEST(Run, OnlyActedUponQubitsCostMemory) {
  Circuit wide(1000);
  wide.h(3).cx(3, 998).measure(3, 0).measure(998, 1).measure(500, 2);
  Simulator simulator(exact());
  const Result r = simulator.run(wide, {.shots = 200, .seed = 1});
  EXPECT_EQ(r.num_qubits, 1000u);
  EXPECT_EQ(r.acted_qubits, 2u);
  for (const auto& [key, count] : r.counts) {
    EXPECT_EQ(key.size(), 1000u);
    EXPECT_TRUE(key.substr(0, 3) == "000" || key.substr(0, 3) == "110") << key.substr(0, 3);
  }
  Circuit fifty(50);
  fifty.h(2).cx(2, 40);
  const std::vector<Index> indices = {0, (Index{1} << 40) | 4, 4, 1};
  const auto amplitudes = simulator.amplitudes(fifty, indices);
  EXPECT_NEAR(amplitudes[0].real(), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(amplitudes[1].real(), std::sqrt(0.5), 1e-14);
  EXPECT_EQ(amplitudes[2], cdouble(0));
  EXPECT_EQ(amplitudes[3], cdouble(0));
}

TEST(Run, SizesAreJudgedAtOnce) {
  Simulator simulator;
  Circuit fifty(50);
  for (Qubit q = 0; q < 50; ++q) fifty.h(q);
  try {
    simulator.run(fifty);
    ADD_FAILURE();
  } catch (const DoesNotFit& e) {
    EXPECT_GE(e.needed_bytes(), std::uint64_t{1} << 53);
    EXPECT_NE(std::string(e.what()).find("50"), std::string::npos);
  }
  EXPECT_THROW(simulator.statevector(Circuit(45).h(0)), DoesNotFit);
  EXPECT_THROW(simulator.probabilities(Circuit(45).h(0)), DoesNotFit);
  Circuit wide(64);
  for (Qubit q = 0; q < 64; ++q) wide.h(q);
  EXPECT_THROW(simulator.run(wide), CircuitError);
  EXPECT_THROW(simulator.statevector(wide), CircuitError);
  EXPECT_NEAR(std::abs(simulator.statevector(Circuit(2).h(0).cx(0, 1))[3]), std::sqrt(0.5), 1e-6);  // and life goes on
}

TEST(Run, LightCones) {
  Circuit wide(100);
  for (Qubit q = 0; q < 100; ++q) wide.ry(q, 0.1 * q);
  for (Qubit q = 0; q < 100; q += 2) wide.cx(q, q + 1);
  std::vector<PauliSum> observables;
  for (std::size_t q = 0; q < 100; ++q) observables.emplace_back(std::string(q, 'I') + "Z");
  Simulator simulator(exact());
  const Result r = simulator.estimate(wide, observables);
  for (std::size_t q = 0; q < 100; ++q) {
    const double alone = std::cos(0.1 * static_cast<double>(q));
    EXPECT_NEAR(r.expectation_values[q], q % 2 == 0 ? alone : alone * std::cos(0.1 * static_cast<double>(q - 1)), 1e-13);
  }
  EXPECT_EQ(r.qubits_before, 100u);
  EXPECT_EQ(r.qubits_after, 2u);
  SimulatorConfig whole = exact();
  whole.causal_cone = false;
  EXPECT_THROW(Simulator(whole).estimate(wide, observables), CircuitError);
}

TEST(Run, Parameters) {
  Circuit circuit(1);
  circuit.rx(0, Parameter::named("theta"));
  Simulator simulator(exact());
  const std::vector<PauliSum> z = {"Z"};
  for (const double theta : {0.3, 1.1, 2.0}) {
    const Result r = simulator.estimate(circuit, z, {.parameters = {{"theta", theta}}});
    EXPECT_NEAR(r.expectation_values[0], std::cos(theta), 1e-14);
  }
  EXPECT_THROW(simulator.run(circuit), CircuitError);
  EXPECT_THROW(simulator.run(circuit, {.parameters = {{"theta", 1}, {"phi", 2}}}), CircuitError);
  EXPECT_THROW(simulator.run(circuit, {.parameters = {{"theta", std::nan("")}}}), CircuitError);
}

TEST(Run, MidCircuitMeasurementsFollowOneBranch) {
  Circuit circuit(2, 2);
  circuit.h(0).measure(0, 0).cx(0, 1);
  Simulator simulator(exact());
  int ones = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto state = simulator.statevector(circuit, {.seed = seed});
    EXPECT_NEAR(std::abs(state[0]) + std::abs(state[3]), 1, 1e-14);
    ones += std::abs(state[3]) > 0.5 ? 1 : 0;
    EXPECT_EQ(state, simulator.statevector(circuit, {.seed = seed}));
  }
  EXPECT_GT(ones, 5);
  EXPECT_LT(ones, 35);
}

TEST(Run, DynamicCounts) {
  Circuit flip(2, 2);
  flip.x(1);
  Circuit circuit(2, 2);
  circuit.h(0).measure(0, 0).if_else(ClassicalExpression::bit(0), flip).measure(1, 1).reset(0);
  const auto c = Simulator(exact()).run(circuit, {.shots = 2000, .seed = 11}).counts;
  ASSERT_EQ(c.size(), 2u);
  EXPECT_NEAR(static_cast<double>(c.at("11")), 1000, 150);
}

TEST(Run, InitializeAndReset) {
  const std::vector<cdouble> six = {0, 0, 0, 0, 0, 0, 1, 0};
  const std::vector<Qubit> all = {0, 1, 2};
  EXPECT_EQ(counts(Circuit(3).initialize(six, all).measure_all(), 200), (Counts{{"011", 200}}));
  EXPECT_EQ(counts(Circuit(2).x(0).reset(0).measure_all()), (Counts{{"00", 100}}));
}

TEST(Run, ManyControls) {
  Circuit circuit(20);
  std::vector<Qubit> controls;
  for (Qubit q = 0; q < 19; ++q) {
    circuit.x(q);
    controls.push_back(q);
  }
  circuit.mcx(controls, 19);
  const std::vector<Index> last = {(Index{1} << 20) - 1};
  EXPECT_EQ(Simulator().amplitudes(circuit, last)[0], cdouble(1));
}

TEST(Run, StateVectorFile) {
  const auto path = std::filesystem::temp_directory_path() / "ketmesh_simulator_test.npy";
  RunOptions options{.shots = 0};
  options.statevector_path = path.string();
  Simulator().run(Circuit(3).h(0), options);
  EXPECT_GE(std::filesystem::file_size(path), 8u * 8u);
  std::filesystem::remove(path);
  options.statevector_path = "/no/such/folder/state.npy";
  EXPECT_THROW(Simulator().run(Circuit(3).h(0), options), IoError);
}

TEST(Run, Probabilities) {
  const Circuit ghz = Circuit(3).h(0).cx(0, 1).cx(1, 2);
  Simulator simulator(exact());
  const std::vector<Qubit> some = {2, 0};
  const auto p = simulator.probabilities(ghz, some);
  ASSERT_EQ(p.size(), 4u);
  EXPECT_NEAR(p[0], 0.5, 1e-14);
  EXPECT_NEAR(p[1], 0, 1e-14);
  EXPECT_NEAR(p[3], 0.5, 1e-14);
  EXPECT_EQ(simulator.probabilities(ghz).size(), 8u);
  const std::vector<Qubit> twice = {1, 1}, far = {3};
  EXPECT_THROW(simulator.probabilities(ghz, twice), CircuitError);
  EXPECT_THROW(simulator.probabilities(ghz, far), CircuitError);
}

TEST(Run, LightConesHoldTheShardsThatWereAskedFor) {
  SimulatorConfig config;
  config.backend = Backend::distributed_cpu;
  config.distributed.shards = 4;
  Circuit wide(5);
  for (Qubit q = 0; q < 5; ++q) wide.rx(q, 0.3);
  EXPECT_NEAR(Simulator(config).estimate(wide, {"IIIIZ"}).front(), std::cos(0.3), 1e-6);
}

TEST(Run, InnerProduct) {
  Simulator simulator(exact());
  const Circuit a = Circuit(2).h(0).cx(0, 1), b = Circuit(2).rx(0, 0.4).ry(1, 0.3);
  const auto left = simulator.statevector(a), right = simulator.statevector(b);
  cdouble want = 0;
  for (std::size_t i = 0; i < 4; ++i) want += std::conj(left[i]) * right[i];
  EXPECT_NEAR(std::abs(simulator.inner_product(a, b) - want), 0, 1e-14);
  EXPECT_NEAR(std::abs(simulator.inner_product(a, a) - 1.0), 0, 1e-14);
  EXPECT_THROW(simulator.inner_product(a, Circuit(2).x(0).reset(0)), CircuitError);
  // The narrower circuit has its further qubits in |0>, whichever side it is on.
  const Circuit one = Circuit(1).h(0), bell = Circuit(2).h(0).cx(0, 1),
                prepared = Circuit().initialize(std::vector<cdouble>{0, 1}, std::vector<Qubit>{0});
  EXPECT_NEAR(std::abs(simulator.inner_product(one, bell) - 0.5), 0, 1e-14);
  EXPECT_NEAR(std::abs(simulator.inner_product(bell, one) - 0.5), 0, 1e-14);
  EXPECT_NEAR(std::abs(simulator.inner_product(prepared, Circuit(3).x(0)) - 1.0), 0, 1e-14);
  EXPECT_NEAR(std::abs(simulator.inner_product(Circuit(3).x(2), prepared)), 0, 1e-14);
}

TEST(Run, ProgressMayStop) {
  struct Stop {};
  RunOptions options{.shots = 0};
  std::uint64_t calls = 0;
  options.progress = [&calls](std::uint64_t, std::uint64_t, const char*) {
    if (++calls >= 1) throw Stop{};
  };
  Circuit circuit(18);
  for (int layer = 0; layer < 20; ++layer)
    for (Qubit q = 0; q < 18; ++q) circuit.ry(q, 0.1).cx(q, (q + 7) % 18);
  Simulator simulator;
  EXPECT_THROW(simulator.run(circuit, options), Stop);
  EXPECT_NO_THROW(simulator.run(circuit, {.shots = 0}));
}

TEST(Backends, NamedOnesThatCannotRunSayWhy) {
  for (const Backend backend : {Backend::gpu, Backend::distributed_gpu, Backend::distributed_mpi_cpu, Backend::distributed_mpi_gpu}) {
    try {
      Simulator({.backend = backend}).run(Circuit(1).h(0));
      ADD_FAILURE();
    } catch (const BackendUnavailable& e) {
      EXPECT_NE(std::string(e.what()).find(to_string(backend)), std::string::npos) << e.what();
    }
  }
  // Joined rules come before any device is looked for.
  SimulatorConfig config{.backend = Backend::gpu};
  config.distributed.set("mpi_p2p_bits", "1");
  EXPECT_THROW(Simulator(config).run(Circuit(1).h(0)), OptionError);
}

TEST(Backends, AllPlacementsGiveTheSame) {
  Circuit circuit(7);
  for (Qubit q = 0; q < 7; ++q) circuit.h(q).rz(q, 0.1 * (q + 1));
  for (Qubit q = 0; q < 7; ++q) circuit.cx(q, (q + 3) % 7).rx(q, 0.3).cp(q, (q + 1) % 7, 0.2 * q).swap(q, (q + 2) % 7);
  circuit.measure_all();
  Simulator one(exact());
  const auto want = one.statevector(circuit);
  const auto want_counts = one.run(circuit, {.shots = 300, .seed = 5}).counts;
  for (const Engine engine : {Engine::ex, Engine::conventional})
    for (const int shards : {1, 2, 4, 16})
      for (const char* global : {"", "2"}) {
        SimulatorConfig config = exact();
        config.backend = Backend::distributed_cpu;
        config.engine = config.distributed.engine = engine;
        config.distributed.shards = shards;
        if (shards == 2) config.distributed.set("distributed_global_qubits", global);
        Simulator other(config);
        const auto got = other.statevector(circuit);
        double worst = 0;
        for (std::size_t i = 0; i < want.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
        EXPECT_LE(worst, 1e-13) << shards;
        const Result r = other.run(circuit, {.shots = 300, .seed = 5});
        EXPECT_EQ(r.counts, want_counts);
        EXPECT_EQ(r.distribution.shards, shards);
        EXPECT_EQ(r.distribution.engine, to_string(engine));
      }
}

TEST(Plans, NeedNoHardware) {
  Circuit circuit(34);
  for (Qubit q = 0; q < 34; ++q) circuit.h(q);
  circuit.cx(0, 33);
  Simulator simulator({.backend = Backend::distributed_mpi_gpu});
  const Plan plan = simulator.plan(circuit, model_machine(Backend::distributed_mpi_gpu, 2, 4));
  EXPECT_EQ(plan.num_qubits, 34);
  EXPECT_EQ(plan.placement.num_shards(), 8);
  EXPECT_TRUE(plan.memory.fits);
  EXPECT_FALSE(simulator.plan(circuit, model_machine(Backend::distributed_mpi_gpu, 1, 1, 1_GiB)).memory.fits);
  EXPECT_THROW(model_machine(Backend::cpu, 0), OptionError);
}

TEST(Plans, DynamicCircuits) {
  Circuit one(3, 1), two(3, 1);
  one.x(1);
  two.x(1).h(2).cx(1, 2);
  Circuit circuit(3, 1);
  circuit.h(0).measure(0, 0).if_else(ClassicalExpression::bit(0), one, two).h(1);
  const Plan plan = Simulator().plan(circuit);
  EXPECT_EQ(plan.gates_input, 5u);
}

TEST(Timelines, HoldPhasesPassesAndExchanges) {
  Circuit circuit(10);
  for (Qubit q = 0; q < 10; ++q) circuit.h(q).rx(q, 0.1 * q);
  for (Qubit q = 0; q + 1 < 10; ++q) circuit.cx(q, q + 1).ry(q, 0.3);
  circuit.measure_all();
  Simulator simulator({.backend = Backend::distributed_cpu, .tile_qubits = 6, .distributed = {.shards = 4}});
  Timeline timeline(true);
  const Result r = simulator.run(circuit, {.shots = 10, .timeline = &timeline});
  std::map<std::string, std::uint64_t> count;
  double last = 0;
  for (const TraceEvent& event : timeline.events()) {
    ++count[event.name.substr(0, event.name.find(' '))];
    EXPECT_LE(event.begin, event.end);
    if (event.track == 1) {
      EXPECT_LE(last, event.begin);
      last = event.end;
    }
  }
  EXPECT_GT(r.distribution.exchanges, 0u);
  EXPECT_EQ(count, (std::map<std::string, std::uint64_t>{{"plan", 1},
                                                         {"bind", 1},
                                                         {"allocate", 1},
                                                         {"pass", r.distribution.passes},
                                                         {"exchange", r.distribution.exchanges},
                                                         {"sample", 1}}));
  EXPECT_EQ(timeline.tracks().size(), 2u);
  Timeline off;
  simulator.run(circuit, {.shots = 10, .timeline = &off});
  EXPECT_TRUE(off.events().empty());
}

TEST(Machine, Report) {
  const MachineReport report = examine_machine();
  EXPECT_GE(report.threads, 1);
  EXPECT_FALSE(report.simd_levels.empty());
  EXPECT_GE(report.capacities.at(0).single_qubits, report.capacities.at(0).double_qubits);
  EXPECT_GT(report.capacities.at(0).double_qubits, 10);
  for (const auto& plugin : report.plugins) EXPECT_TRUE(plugin.available || !plugin.reason.empty());
}

}  // namespace
}  // namespace ketmesh
