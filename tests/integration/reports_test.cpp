// Reports of real users of simulators, told anew for the C++ interface: small inputs, right answers. What can be said in OpenQASM is in tests/cli and circuit/qasm.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "ketmesh/base/error.hpp"
#include "ketmesh/ketmesh.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh {
namespace {

using Ranks = std::shared_ptr<CollectiveCommunicator>;
constexpr int kWorlds[] = {1, 2, 4};

SimulatorConfig over_ranks(Precision precision = Precision::double_) {
  SimulatorConfig config{.backend = Backend::distributed_mpi_cpu, .precision = precision, .threads = 1};
  config.distributed.placement = "equal";
  return config;
}

/// work(state) on each of `world` ranks, over a state of num_qubits in |0..0>.
void with_state(int world, int num_qubits, Precision precision, const std::function<void(DistributedState&)>& work) {
  run_ranks(world, [&](const Ranks& ranks) {
    const std::uint64_t capacity = 2 * (bytes_per_amplitude(precision) << num_qubits) + 64_MiB;
    DistributedState state(DistributedExecutionContext(ranks, DeviceMesh::cpu(1, capacity), 1), num_qubits, precision,
                           over_ranks(precision));
    work(state);
  });
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string message_of(const std::exception_ptr& outcome) {
  return message_of([&] {
    if (outcome) std::rethrow_exception(outcome);
  });
}

// A loaded state, gates and printed bits agree on which qubit is which.
TEST(Reports, ALoadedStateIsMeasuredInTheSameOrder) {
  std::vector<cdouble> amplitudes(8);
  amplitudes[6] = 1;
  const std::vector<Qubit> qubits = {0, 1, 2};
  const std::vector<Clbit> bits = {0, 1, 2};
  Circuit circuit(3, 3);
  circuit.initialize(amplitudes, qubits).measure(qubits, bits);
  const auto counts = Simulator().run(circuit, {.shots = 200, .seed = 1}).counts;
  EXPECT_EQ(counts, (std::map<std::string, std::uint64_t>{{"011", 200}}));
}

void check_controls_on_all_qubits(int num_qubits, Precision precision) {
  const auto last = static_cast<Qubit>(num_qubits - 1);
  Circuit circuit(static_cast<std::size_t>(num_qubits));
  std::vector<Control> controls;
  for (Qubit q = 0; q < last; ++q) {
    circuit.x(q);
    controls.push_back(control_on(q));
  }
  circuit.append(Gate::x, std::span(&last, 1), {}, controls);
  const Index all = (Index{1} << num_qubits) - 1;
  for (const int world : kWorlds)
    with_state(world, num_qubits, precision, [&](DistributedState& state) {
      state.apply(circuit);
      EXPECT_EQ(state.amplitudes(std::span(&all, 1)).front(), cdouble(1)) << world;
      EXPECT_NEAR(state.norm_squared(), 1, 1e-12) << world;
    });
}

TEST(Reports, ControlsMayCoverAllQubits) { check_controls_on_all_qubits(14, Precision::double_); }
TEST(SlowReports, ControlsMayCoverAllOf26Qubits) { check_controls_on_all_qubits(26, Precision::single); }

// A size that does not fit any memory is refused with its number; nothing wraps around to a small one.
TEST(Reports, FarTooManyQubitsAreRefused) {
  for (const std::size_t n : {std::size_t{1} << 31, std::size_t{1} << 63, static_cast<std::size_t>(-1)}) {
    const std::string said = message_of([n] {
      Circuit circuit(n);
      circuit.h(0).h(static_cast<Qubit>(n - 1));
      Simulator().statevector(circuit);
    });
    EXPECT_NE(said.find("qubit"), std::string::npos) << n << ": " << said;
  }
  for (const int n : {-1, 0, 63, std::numeric_limits<int>::max()}) {
    const std::string said = message_of([n] { DistributedState state(n); });
    EXPECT_NE(said.find(std::to_string(n)), std::string::npos) << n << ": " << said;
  }
}

// Indices beyond 32 bits.
TEST(SlowReports, StatesOfMoreThan31Qubits) {
  int widest = 0;
  for (const CapacityReport& capacity : examine_machine().capacities)
    if (capacity.placement == "cpu") widest = capacity.single_qubits;
  if (widest < 31) GTEST_SKIP() << "this machine holds " << widest << " qubits";
  for (int n = 31; n <= std::min(widest, 33); ++n) {
    DistributedState state(n, {.precision = Precision::single});
    const auto last = static_cast<Qubit>(n - 1);
    state.apply(Circuit(static_cast<std::size_t>(n)).h(0).h(last));
    const Index top = Index{1} << (n - 1);
    const std::vector<Index> indices = {0, 1, top, top + 1, 2, top - 1};
    const auto values = state.amplitudes(indices);
    for (std::size_t i = 0; i < indices.size(); ++i) EXPECT_LE(std::abs(values[i] - cdouble(i < 4 ? 0.5 : 0)), 1e-6) << n << ' ' << i;
    EXPECT_NEAR(state.probabilities(std::span(&last, 1))[1], 0.5, 1e-6);
    EXPECT_NEAR(state.norm_squared(), 1, 1e-5);
  }
}

// exp(-i angle / 2 P) whose string mixes amplitudes of two ranks.
TEST(Reports, PauliRotationsAcrossRanks) {
  struct Case {
    const char* letters;
    Qubit a, b;
  };
  for (const Case& c : {Case{"XX", 0, 3}, {"YX", 0, 3}, {"ZX", 2, 3}, {"ZZ", 1, 2}}) {
    const std::vector<Qubit> qubits = {c.a, c.b};
    Circuit circuit(4);
    circuit.x(0).x(1).rotation(c.letters, qubits, 1.0);
    // P |3>: letters that flip, their phases on the bits of 3.
    Index flips = 0;
    cdouble phase = 1;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool one = ((Index{3} >> qubits[k]) & 1) != 0;
      if (c.letters[k] != 'Z') flips |= Index{1} << qubits[k];
      if (c.letters[k] == 'Z' && one) phase = -phase;
      if (c.letters[k] == 'Y') phase *= one ? cdouble(0, -1) : cdouble(0, 1);
    }
    std::vector<cdouble> want(16);
    want[3] += std::cos(0.5);
    want[3 ^ flips] += cdouble(0, -std::sin(0.5)) * phase;
    for (const int world : kWorlds)
      with_state(world, 4, Precision::double_, [&](DistributedState& state) {
        state.apply(circuit);
        const auto got = state.to_host(0, 16);
        for (std::size_t i = 0; i < 16; ++i) EXPECT_LE(std::abs(got[i] - want[i]), 1e-12) << c.letters << ' ' << world << ' ' << i;
      });
  }
}

// One rank alone fails between two gates: all end, within the timeout, and all say which rank and why.
TEST(Reports, AnErrorOfOneRankEndsAll) {
  for (const int world : {2, 4}) {
    const auto outcomes = outcomes_of_ranks(
        world,
        [&](const Ranks& ranks) {
          Simulator simulator(over_ranks(), ranks);
          Circuit circuit(6);
          circuit.h(0);
          if (ranks->rank() == 1) circuit.x(99);
          circuit.cx(0, 5);
          simulator.statevector(circuit);
        },
        10);
    const std::string own = message_of(outcomes[1]);
    EXPECT_NE(own.find("99"), std::string::npos) << own;
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      ASSERT_TRUE(outcomes[r]) << "rank " << r << " of " << world << " ended as if nothing had happened";
      if (r != 1) {
        EXPECT_NE(message_of(outcomes[r]).find("rank 1"), std::string::npos) << message_of(outcomes[r]);
      }
    }
  }
}

// An error of all ranks can be caught on all, and the run goes on.
TEST(Reports, AnErrorOfAllRanksIsCaughtOnAll) {
  run_ranks(2, [](const Ranks& ranks) {
    EXPECT_THROW(Circuit::from_qasm("OPENQASM 2.0;\nqreg q[2; x q[0];"), ParseError);
    const auto state = Simulator(over_ranks(), ranks).statevector(Circuit(2).h(0).cx(0, 1));
    for (const std::size_t i : {0, 3}) EXPECT_NEAR(state[i].real(), std::sqrt(0.5), 1e-12);
  });
}

// A state that was loaded whole, and gates on the qubits that number the ranks.
TEST(Reports, LoadedStatesAcrossRanks) {
  std::vector<cdouble> amplitudes(64);
  for (std::size_t k = 0; k < 64; ++k) amplitudes[k] = static_cast<double>(k + 1) / std::sqrt(89440.0);
  for (const int world : kWorlds)
    with_state(world, 6, Precision::double_, [&](DistributedState& state) {
      state.from_host(0, amplitudes);
      state.apply(Circuit(6).swap(0, 5));
      const std::vector<Index> indices = {1, 32};
      const auto got = state.amplitudes(indices);
      EXPECT_NEAR(got[0].real(), 33 / std::sqrt(89440.0), 1e-12) << world;
      EXPECT_NEAR(got[1].real(), 2 / std::sqrt(89440.0), 1e-12) << world;
      EXPECT_NEAR(state.norm_squared(), 1, 1e-12) << world;
    });
}

// A suite of its own is a process of its own: the variable is read when the first GPU is looked for.
TEST(ReportsWithoutGpu, AskedForItIsSaidAndAutoTakesTheProcessor) {
  ASSERT_EQ(setenv("CUDA_VISIBLE_DEVICES", "", 1), 0);
  const Circuit bell = Circuit(2).h(0).cx(0, 1);
  EXPECT_THROW(Simulator({.backend = Backend::gpu}).run(bell), BackendUnavailable);
  EXPECT_NE(message_of([&] { Simulator({.backend = Backend::gpu}).run(bell); }).find("gpu"), std::string::npos);
  SimulatorConfig far{.backend = Backend::distributed_gpu};
  far.distributed.devices = {99};
  EXPECT_NE(message_of([&] { Simulator(far).run(bell); }).find("gpu"), std::string::npos);

  Simulator automatic;
  const Result r = automatic.run(bell, {.shots = 0, .amplitudes = {0, 3}});
  EXPECT_EQ(r.distribution.backend, "cpu");
  EXPECT_EQ(r.distribution.devices, std::vector<std::string>{"cpu"});
  for (const Index i : {0, 3}) EXPECT_NEAR(r.amplitudes.at(i).real(), std::sqrt(0.5), 1e-6);
}

TEST(Reports, AnglesThatAreNoNumberAreRefusedWhereTheyAreAdded) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  const std::function<void()> cases[] = {
      [] { Circuit(2).rx(0, kNan); },
      [] { Circuit(2).append(Gate::ry, {1}, {kInfinity}, {control_on(0)}); },
      [] { Circuit(2).u(0, 0, -kInfinity, 0); },
  };
  for (const auto& add : cases) {
    EXPECT_THROW(add(), CircuitError);
    EXPECT_NE(message_of(add).find("finite"), std::string::npos) << message_of(add);
  }
}

}  // namespace
}  // namespace ketmesh
