#include "ketmesh/api/state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "ketmesh/api/simulator.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

SimulatorConfig sharded(int shards) {
  SimulatorConfig config{.backend = Backend::distributed_cpu, .precision = Precision::double_};
  config.distributed.shards = shards;
  return config;
}

std::vector<cdouble> all(DistributedState& state) { return state.to_host(0, Index{1} << state.num_qubits()); }

double distance(const std::vector<cdouble>& a, const std::vector<cdouble>& b) {
  double worst = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

Circuit mixed() {
  Circuit c(6);
  for (Qubit q = 0; q < 6; ++q) c.h(q).rz(q, 0.2 * q);
  for (Qubit q = 0; q < 6; ++q) c.cx(q, (q + 2) % 6).ry(q, 0.4).swap(q, (q + 1) % 6).cp(q, (q + 3) % 6, 0.3);
  return c;
}

TEST(State, QueuedGatesEqualAWholeCircuit) {
  const Circuit circuit = mixed();
  DistributedState whole(6, sharded(1));
  whole.apply(circuit);
  const auto want = all(whole);
  for (const int shards : {1, 2, 8})
    for (const unsigned flags : {0u, 2u, 8u})
      for (const std::uint32_t queue : {1u, 3u, 1024u}) {
        SimulatorConfig config = sharded(shards);
        config.distributed.flags = flags;
        config.distributed.max_queued_gates = queue;
        DistributedState state(6, config);
        for (const Operation& op : circuit) state.apply(op);
        EXPECT_LE(distance(all(state), want), 1e-13) << shards << ' ' << flags << ' ' << queue;
        EXPECT_NEAR(state.norm_squared(), 1, 1e-13);
      }
}

TEST(State, GatheredOnOneDevice) {
  for (const Precision precision : {Precision::single, Precision::double_})
    for (const int shards : {1, 4, 8}) {
      SimulatorConfig config = sharded(shards);
      config.precision = precision;
      DistributedState state(6, config);
      state.apply(mixed());
      const ShardView view = state.gather();
      EXPECT_EQ(view.range, (IndexRange{0, 64}));
      EXPECT_EQ(view.device, "cpu");
      const auto want = all(state);
      state.apply(Circuit(6).x(0).gphase(0.3));  // does not reach what was gathered
      state.flush();
      for (Index i = 0; i < 64; ++i) {
        const cdouble found = precision == Precision::single ? cdouble(view.data<cfloat>()[i]) : view.data<cdouble>()[i];
        EXPECT_EQ(found, want[i]) << i << ' ' << shards;
      }
    }
  DistributedState state(6, sharded(2));
  EXPECT_EQ(state.gather("cpu:1").device, "cpu:1");
  EXPECT_THROW(state.gather("cuda:7"), OptionError);
}

TEST(State, WhatOneDeviceCannotHoldIsNotGathered) {
  Machine machine;
  machine.ranks = {DeviceMesh::cpu(4, 3 << 10)};  // 8 qubits: 4 KiB in double precision
  SimulatorConfig config = sharded(4);
  config.distributed.transfer_workspace_bytes = 1_MiB;
  config.machine_json = machine.to_json();
  DistributedState state(8, config);
  try {
    state.gather("cpu:2");
    FAIL() << "gathered";
  } catch (const DoesNotFit& error) {
    EXPECT_EQ(error.needed_bytes(), 4096u);
    EXPECT_EQ(error.available_bytes(), 3072u);
  }
}

TEST(State, SavedAndLoadedElsewhere) {
  const auto folder = std::filesystem::temp_directory_path() / ("ketmesh-state-" + std::to_string(::getpid()));
  Circuit circuit = mixed();
  circuit.widen(6, 3).measure(2, 1).h(2);
  DistributedState saved(6, sharded(4));
  saved.apply(circuit);
  saved.save(folder);
  const auto want = all(saved);
  for (const int shards : {1, 2, 8}) {
    DistributedState loaded = DistributedState::load(folder, {.backend = Backend::distributed_cpu, .distributed = {.shards = shards}});
    EXPECT_EQ(loaded.precision(), Precision::double_) << "that of the checkpoint";
    EXPECT_EQ(loaded.classical_bits(), saved.classical_bits());
    EXPECT_LE(distance(all(loaded), want), 0) << shards;
    // What comes next draws as it would have.
    DistributedState again = DistributedState::load(folder, sharded(1));
    const std::vector<Qubit> qubits{0, 1, 2, 3, 4, 5};
    EXPECT_EQ(loaded.measure(qubits), again.measure(qubits));
  }
  std::filesystem::remove_all(folder);
}

TEST(State, ARunThatWasSavedOnItsWayGoesOn) {
  const auto folder = std::filesystem::temp_directory_path() / ("ketmesh-run-" + std::to_string(::getpid()));
  Circuit circuit(6);
  for (int layer = 0; layer < 20; ++layer) circuit.compose(mixed());
  const Parameter angle = Parameter::named("t");
  for (Qubit q = 0; q < 6; ++q) circuit.ry(q, angle * (q + 1.0));
  RunOptions plain{.shots = 0, .parameters = {{"t", 0.3}}, .amplitudes = {0, 17, 63}};
  const auto want = Simulator(sharded(2)).run(circuit, plain).amplitudes;
  // Stopped after the first checkpoint, somewhere in the middle.
  RunOptions saving = plain;
  saving.checkpoint = {.save_path = folder.string(), .every_seconds = 1e-9};
  saving.progress = [&](std::uint64_t, std::uint64_t, const char*) {
    if (std::filesystem::exists(folder / "manifest.json")) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(Simulator(sharded(2)).run(circuit, saving), std::runtime_error);
  RunOptions resuming = plain;
  resuming.checkpoint = {.resume_path = folder.string()};
  for (const int shards : {1, 2, 4}) {
    const auto got = Simulator(sharded(shards)).run(circuit, resuming).amplitudes;
    for (const auto& [index, value] : want) EXPECT_LE(std::abs(got.at(index) - value), 1e-13) << shards << ' ' << index;
  }
  DistributedState loaded = DistributedState::load(folder);
  for (const auto& [index, value] : want) EXPECT_LE(std::abs(loaded.amplitudes(std::span(&index, 1)).front() - value), 1e-13) << index;
  // Another circuit, or other parameters.
  RunOptions other = resuming;
  other.parameters["t"] = 0.31;
  EXPECT_THROW(Simulator(sharded(1)).run(circuit, other), OptionError);
  EXPECT_THROW(Simulator(sharded(1)).run(mixed(), {.shots = 0, .amplitudes = {0}, .checkpoint = resuming.checkpoint}), OptionError);
  EXPECT_THROW(Simulator().run(Circuit(2, 1).h(0).measure(0, 0).h(0), {.checkpoint = {.save_path = folder.string()}}), CircuitError);
  EXPECT_THROW(Simulator().run(Circuit(2).h(0), {.checkpoint = {.every_seconds = 1}}), OptionError);
  std::filesystem::remove_all(folder);
}

TEST(State, FlagsKeepTheLayout) {
  for (const unsigned flags : {2u, 8u}) {
    SimulatorConfig config = sharded(4);
    config.distributed.flags = flags;
    config.distributed.global_qubits = {1, 3};
    DistributedState state(6, config);
    state.apply(Circuit(6).h(0));
    const Layout before = state.layout();
    for (const Operation& op : mixed()) state.apply(op);
    EXPECT_EQ(state.layout(), before) << flags;
    EXPECT_GE(before.bit_of(1), 4);
    EXPECT_GE(before.bit_of(3), 4);
  }
}

TEST(State, LoadSwapRead) {
  for (const int shards : {1, 2, 4}) {
    DistributedState state(6, sharded(shards));
    std::vector<cdouble> values;
    for (int k = 0; k < 64; ++k) values.emplace_back((k + 1) / std::sqrt(89440.0));
    state.from_host(0, values);
    EXPECT_NEAR(state.norm_squared(), 1, 1e-14);
    state.apply(Circuit(6).swap(0, 5));
    const std::vector<Index> indices = {1, 32};
    const auto read = state.amplitudes(indices);
    EXPECT_NEAR(read[0].real(), 33 / std::sqrt(89440.0), 1e-14);
    EXPECT_NEAR(read[1].real(), 2 / std::sqrt(89440.0), 1e-14);
    EXPECT_THROW(state.from_host(60, values), OptionError);
  }
}

TEST(State, GlobalPhaseThenLoad) {
  DistributedState state(2, sharded(1));
  state.apply(Circuit(2).x(0).gphase(0.7));
  const std::vector<cdouble> one = {0.5};
  state.from_host(2, one);
  const auto amplitudes = all(state);
  EXPECT_NEAR(std::abs(amplitudes[1] - std::polar(1.0, 0.7)), 0, 1e-14);
  EXPECT_NEAR(std::abs(amplitudes[2] - 0.5), 0, 1e-14);
}

TEST(State, PauliRotations) {
  for (const int shards : {1, 4}) {
    DistributedState state(4, sharded(shards));
    state.apply(Circuit(4).x(0).x(1));
    const std::vector<Qubit> ends = {0, 3};
    state.apply(Circuit(4).rotation("XX", ends, 1.0));
    const std::vector<Index> indices = {3, 10};
    const auto a = state.amplitudes(indices);
    EXPECT_NEAR(std::abs(a[0] - std::cos(0.5)), 0, 1e-14);
    EXPECT_NEAR(std::abs(a[1] - cdouble(0, -std::sin(0.5))), 0, 1e-14);
  }
}

TEST(State, MeasureCollapsesAndSnapshotsRestore) {
  DistributedState state(5, sharded(4));
  state.apply(Circuit(5).h(0).cx(0, 1).cx(1, 2).cx(2, 3).cx(3, 4));
  const std::size_t before = state.snapshot();
  const std::vector<Qubit> last = {4};
  const Index outcome = state.measure(last);
  const std::vector<PauliSum> z = {"Z"};
  EXPECT_NEAR(state.expectation(z)[0], outcome == 0 ? 1 : -1, 1e-13);
  EXPECT_EQ(state.measure(last), outcome);
  state.restore(before);
  EXPECT_NEAR(state.expectation(z)[0], 0, 1e-13);
  state.drop(before);
  EXPECT_THROW(state.restore(before), OptionError);
  EXPECT_THROW(state.drop(before), OptionError);
}

TEST(State, MeasurementsOfACircuitFillTheBits) {
  DistributedState state(2, sharded(2));
  Circuit circuit(2, 2);
  circuit.x(1).measure(1, 0).measure(0, 1);
  state.apply(circuit);
  EXPECT_TRUE(state.classical_bits().get(0));
  EXPECT_FALSE(state.classical_bits().get(1));
}

TEST(State, Samples) {
  DistributedState state(3, sharded(2));
  state.apply(Circuit(3).h(0).cx(0, 2));
  const auto counts = state.sample(1000, 4);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.at("000") + counts.at("101"), 1000u);
  EXPECT_TRUE(state.sample(0, 4).empty());
}

TEST(State, Views) {
  DistributedState state(5, sharded(4));
  state.apply(Circuit(5).x(4).h(0));
  state.canonicalise();
  EXPECT_TRUE(state.layout().is_identity());
  Index covered = 0;
  double norm = 0;
  for (const ShardView& shard : state.local_shards()) {
    EXPECT_EQ(shard.range.begin, covered);
    covered = shard.range.end;
    const auto* data = shard.data<cdouble>();
    for (Index i = 0; i < shard.range.size(); ++i) norm += std::norm(data[i]);
    EXPECT_THROW(shard.data<cfloat>(), std::invalid_argument);
  }
  EXPECT_EQ(covered, 32u);
  EXPECT_NEAR(norm, 1, 1e-14);
}

TEST(State, Errors) {
  EXPECT_THROW(DistributedState(0), CircuitError);
  EXPECT_THROW(DistributedState(63), CircuitError);
  EXPECT_THROW(DistributedState(50), DoesNotFit);
  DistributedState state(3, sharded(2));
  EXPECT_THROW(state.apply(Circuit(4).x(3)), CircuitError);
  const std::vector<Index> far = {8};
  EXPECT_THROW(state.amplitudes(far), OptionError);
  EXPECT_THROW(state.to_host(4, 9), OptionError);
  const std::vector<Qubit> twice = {1, 1}, high = {3};
  EXPECT_THROW(state.measure(twice), CircuitError);
  EXPECT_THROW(state.probabilities(high), CircuitError);
}

TEST(State, ProgressMayStop) {
  struct Stop {};
  DistributedState state(12);
  Circuit circuit(12);
  for (int layer = 0; layer < 40; ++layer)
    for (Qubit q = 0; q < 12; ++q) circuit.rx(q, 0.1 * layer + q).cx(q, (q + 5) % 12);
  int calls = 0;
  state.on_progress([&calls](std::uint64_t, std::uint64_t, const char*) {
    ++calls;
    throw Stop();
  });
  EXPECT_THROW(state.apply(circuit), Stop);
  EXPECT_EQ(calls, 1);
  const std::vector<Index> zero = {0};
  EXPECT_EQ(state.amplitudes(zero).front(), cdouble(1));  // it was untouched, and is so again
  state.on_progress({});
  state.apply(circuit);
  EXPECT_NEAR(state.norm_squared(), 1, 1e-5);
}

TEST(State, ErrorsAtTheFlushNameTheGate) {
  DistributedState state(3, sharded(2));
  Circuit circuit(3);
  circuit.h(0).h(1);
  circuit.set_line(42);
  circuit.rx(2, Parameter::named("theta"));
  for (const Operation& op : circuit) state.apply(op);
  try {
    state.flush();
    ADD_FAILURE();
  } catch (const CircuitError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("gate number 2"), std::string::npos) << what;
    EXPECT_NE(what.find("line 42"), std::string::npos) << what;
    EXPECT_NE(what.find("theta"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace ketmesh
