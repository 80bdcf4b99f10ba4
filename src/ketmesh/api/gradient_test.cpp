// Gradients against finite differences of estimates, the parameter-shift rule and closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "ketmesh/api/simulator.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"

namespace ketmesh {
namespace {

using testing::Random;

SimulatorConfig exact() { return {.precision = Precision::double_}; }

SimulatorConfig over_shards(int shards) {
  SimulatorConfig config{.backend = Backend::distributed_cpu, .precision = Precision::double_};
  config.distributed.devices = {0, 1};
  config.distributed.shards = shards;
  return config;
}

const std::vector<PauliSum> kObservables = {PauliSum("ZIXYI"), PauliSum{{0.7, "XXIII"}, {-0.4, "IIIZZ"}, {0.3, "YIYIY"}, {2.0, ""}},
                                            PauliSum("ZZZZZ")};

/// Number `index` among all angles of all gates becomes `value`.
Circuit with_angle(const Circuit& circuit, std::size_t index, double value) {
  Circuit out(circuit.num_qubits());
  std::size_t seen = 0;
  for (Operation op : circuit) {
    std::vector<Parameter> angles(op.parameters.begin(), op.parameters.end());
    for (auto& angle : angles)
      if (seen++ == index) angle = value;
    op.parameters = angles;
    out.append(op);
  }
  return out;
}

std::vector<double> angles_of(const Circuit& circuit) {
  std::vector<double> out;
  for (const Operation op : circuit)
    for (const auto& angle : op.parameters) out.push_back(angle.number());
  return out;
}

/// Central differences of fourth order: an error of about 1e-11 here.
std::vector<double> differences(Simulator& simulator, const Circuit& circuit, std::size_t index) {
  constexpr double h = 2e-3;
  const double at = angles_of(circuit)[index];
  std::vector<double> out(kObservables.size());
  for (const auto& [shift, weight] : {std::pair{h, 8.0}, std::pair{-h, -8.0}, std::pair{2 * h, -1.0}, std::pair{-2 * h, 1.0}}) {
    const auto values = simulator.estimate(with_angle(circuit, index, at + shift), kObservables).expectation_values;
    for (std::size_t o = 0; o < out.size(); ++o) out[o] += weight * values[o] / (12 * h);
  }
  return out;
}

void entangle(Circuit& circuit, Random& random) {
  const auto n = static_cast<Qubit>(circuit.num_qubits());
  for (Qubit q = 0; q < n; ++q) circuit.u(q, testing::angle(random), testing::angle(random), testing::angle(random));
  for (Qubit q = 0; q + 1 < n; ++q) circuit.cx(q, q + 1);
  for (Qubit q = 0; q < n; ++q) circuit.ry(q, testing::angle(random));
}

TEST(Gradient, EveryRowOfTheTableUnderControls) {
  Random random(5);
  Simulator simulator(exact()), sharded(over_shards(4));
  std::size_t rows = 0;
  for (const GateRow& row : gate_table()) {
    if (!row.is_unitary || row.num_parameters == 0) continue;
    ++rows;
    for (std::size_t controls = 0; controls < 3; ++controls) {
      Circuit circuit(5);
      entangle(circuit, random);
      const std::size_t before = angles_of(circuit).size();
      const std::size_t width = std::min<std::size_t>(testing::row_width(random, row), 4 - (controls > 0));
      if (width + controls > 5) continue;
      const auto qubits = testing::some_qubits(random, 5, width + controls);
      std::vector<Control> added;
      for (std::size_t c = 0; c < controls; ++c) added.push_back(control_on(qubits[width + c], c == 0));
      testing::add_row(circuit, random, row, std::span(qubits).first(width), added);
      const std::size_t after = angles_of(circuit).size();
      entangle(circuit, random);
      const Gradient found = simulator.gradient(circuit, kObservables, {}, {.by_gate = true});
      const Gradient also = sharded.gradient(circuit, kObservables, {}, {.by_gate = true});
      ASSERT_EQ(found.num_parameters, angles_of(circuit).size());
      for (std::size_t a = before; a < after; ++a) {
        const auto want = differences(simulator, circuit, a);
        for (std::size_t o = 0; o < want.size(); ++o) {
          EXPECT_NEAR(found.derivative(o, a), want[o], 2e-9) << row.name << ", " << controls << " controls, angle " << a - before;
          EXPECT_NEAR(also.derivative(o, a), want[o], 2e-9) << row.name << ", four shards";
        }
      }
    }
  }
  EXPECT_GE(rows, 20U);
}

TEST(Gradient, RandomCircuitsOnAnyShardsPrecisionsAndTiles) {
  Random random(9);
  for (int turn = 0; turn < 4; ++turn) {
    Circuit circuit(5);
    for (int k = 0; k < 40; ++k) {
      testing::add_random_gate(circuit, random, 1, 2);
      if (k % 8 == 0) entangle(circuit, random);
    }
    Simulator simulator(exact());
    const Gradient want = simulator.gradient(circuit, kObservables, {}, {.by_gate = true});
    for (const std::size_t a : {std::size_t{0}, want.num_parameters / 2, want.num_parameters - 1}) {
      const auto by_differences = differences(simulator, circuit, a);
      for (std::size_t o = 0; o < kObservables.size(); ++o) EXPECT_NEAR(want.derivative(o, a), by_differences[o], 2e-9);
    }
    const auto values = simulator.estimate(circuit, kObservables).expectation_values;
    for (std::size_t o = 0; o < values.size(); ++o) EXPECT_NEAR(want.values[o], values[o], 1e-12);
    const auto same = [&](SimulatorConfig config, double tolerance, const char* what) {
      const Gradient found = Simulator(config).gradient(circuit, kObservables, {}, {.by_gate = true});
      ASSERT_EQ(found.derivatives.size(), want.derivatives.size());
      for (std::size_t i = 0; i < found.derivatives.size(); ++i) EXPECT_NEAR(found.derivatives[i], want.derivatives[i], tolerance) << what;
    };
    for (const int shards : {1, 2, 4, 8}) same(over_shards(shards), 1e-12, "shards");
    same({.precision = Precision::single}, 2e-5, "single");
    same({.precision = Precision::double_, .tile_qubits = 4}, 1e-12, "small tiles");
    same({.precision = Precision::double_, .simd = "reference"}, 1e-12, "reference");
    same({.precision = Precision::double_, .engine = Engine::conventional}, 1e-12, "conventional");
  }
}

TEST(Gradient, NamesSharedByGatesAndExpressions) {
  const Parameter a = Parameter::named("a"), b = Parameter::named("b");
  Circuit circuit(3);
  circuit.ry(0, a).rx(1, 2.0 * a - b).cx(0, 1).rzz(0, 2, a * b).h(2).p(2, Parameter::function("sin", b)).cry(2, 0, b / 2.0).rx(2, 0.3);
  circuit.measure_all();
  const std::vector<PauliSum> observables = {PauliSum("ZZX"), PauliSum{{0.5, "XIZ"}, {1.5, "IY"}}};
  const ParameterValues at = {{"a", 0.41}, {"b", -1.3}};
  Simulator simulator(exact());
  const Gradient found = simulator.gradient(circuit, observables, at, {.with_respect_to = {"b", "a"}});
  EXPECT_EQ(found.parameters, (std::vector<std::string>{"b", "a"}));
  for (std::size_t p = 0; p < 2; ++p) {
    const std::string name = found.parameters[p];
    constexpr double h = 1e-3;
    std::vector<double> want(2);
    for (const auto& [shift, weight] : {std::pair{h, 8.0}, std::pair{-h, -8.0}, std::pair{2 * h, -1.0}, std::pair{-2 * h, 1.0}}) {
      ParameterValues moved = at;
      moved[name] += shift;
      const auto values = simulator.estimate(circuit, observables, {.parameters = moved}).expectation_values;
      for (std::size_t o = 0; o < 2; ++o) want[o] += weight * values[o] / (12 * h);
    }
    for (std::size_t o = 0; o < 2; ++o) EXPECT_NEAR(found.derivative(o, p), want[o], 1e-9) << name;
  }
  const Gradient one = simulator.gradient(circuit, observables, at, {.with_respect_to = {"a"}});
  ASSERT_EQ(one.num_parameters, 1U);
  EXPECT_NEAR(one.derivative(1, 0), found.derivative(1, 1), 1e-13);
}

TEST(Gradient, ParameterShiftOfAnAnsatz) {
  constexpr Qubit kQubits = 7;
  Circuit circuit(kQubits);
  ParameterValues at;
  Random random(3);
  for (int layer = 0; layer < 3; ++layer) {
    for (Qubit q = 0; q < kQubits; ++q)
      for (const bool z : {false, true}) {
        const std::string name = "t" + std::to_string(at.size());
        at[name] = testing::angle(random);
        z ? circuit.rz(q, Parameter::named(name)) : circuit.ry(q, Parameter::named(name));
      }
    for (Qubit q = 0; q + 1 < kQubits; ++q) circuit.cx(q, q + 1);
  }
  std::vector<PauliTerm> terms;
  for (std::size_t q = 0; q < kQubits; ++q) {
    terms.push_back({0.8, std::string(q, 'I') + "X"});
    if (q + 1 < kQubits) terms.push_back({-1.0, std::string(q, 'I') + "ZZ"});
  }
  const PauliSum ising(terms);
  Simulator simulator(exact());
  const Gradient found = simulator.gradient(circuit, {ising}, at);
  ASSERT_EQ(found.num_parameters, 42U);
  for (std::size_t p = 0; p < found.num_parameters; ++p) {
    double want = 0;
    for (const double sign : {1.0, -1.0}) {
      ParameterValues moved = at;
      moved[found.parameters[p]] += sign * std::numbers::pi / 2;
      want += sign / 2 * simulator.estimate(circuit, std::span(&ising, 1), {.parameters = moved}).expectation_values[0];
    }
    EXPECT_NEAR(found.derivative(0, p), want, 1e-12) << found.parameters[p];
  }
}

TEST(Gradient, ClosedFormsAndEdges) {
  Simulator simulator(exact());
  const Gradient one = simulator.gradient(Circuit(1).rx(0, Parameter::named("x")), {"Z", "Y", "", "IX"}, {{"x", 0.3}});
  EXPECT_NEAR(one.values[0], std::cos(0.3), 1e-14);
  EXPECT_NEAR(one.derivative(0, 0), -std::sin(0.3), 1e-14);
  EXPECT_NEAR(one.derivative(1, 0), -std::cos(0.3), 1e-14);
  EXPECT_EQ(one.derivative(2, 0), 0);
  EXPECT_EQ(one.derivative(3, 0), 0);
  EXPECT_NEAR(one.values[2], 1, 1e-14);
  const Gradient none = simulator.gradient(Circuit(2).h(0).cx(0, 1), {"ZZ"});
  EXPECT_EQ(none.num_parameters, 0U);
  EXPECT_NEAR(none.values[0], 1, 1e-14);
  EXPECT_TRUE(simulator.gradient(Circuit(2).rx(0, 0.1), std::span<const PauliSum>(), {}, {.by_gate = true}).derivatives.empty());
  // Only acted-upon qubits cost memory.
  Circuit wide(90);
  wide.ry(80, 0.2).cx(80, 3);
  const Gradient far = simulator.gradient(wide, {PauliSum(std::string(80, 'I') + "X"), PauliSum("IIIZ")}, {}, {.by_gate = true});
  EXPECT_NEAR(far.derivative(1, 0), -std::sin(0.2), 1e-14);
}

void expect_words(const std::function<void()>& call, const char* words) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown for: " << words;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(Gradient, RefusesByName) {
  Simulator simulator(exact());
  const auto named = Parameter::named("x");
  expect_words([&] { simulator.gradient(Circuit(2).rx(0, named).reset(0), {"Z"}, {{"x", 1}}); }, "operation 1 (reset)");
  expect_words([&] { simulator.gradient(Circuit(2).rx(0, named).measure(0, 0).h(0), {"Z"}, {{"x", 1}}); }, "operation 1 (measure)");
  expect_words([&] { simulator.gradient(Circuit(2).rx(0, named), {"Z"}); }, "\"x\" has no value");
  expect_words([&] { simulator.gradient(Circuit(2).rx(0, named), {"Z"}, {{"x", 1}, {"y", 1}}); }, "no parameter \"y\"");
  expect_words([&] { simulator.gradient(Circuit(2).rx(0, named), {"Z"}, {{"x", 1}}, {.with_respect_to = {"y"}}); }, "\"y\"");
  expect_words([&] { simulator.gradient(Circuit(2).rx(0, named), {"Z"}, {{"x", 1}}, {.with_respect_to = {"x", "x"}}); }, "twice");
  expect_words(
      [&] {
        simulator.gradient(Circuit(2).rx(0, named), {"Z"}, {{"x", 1}}, {.with_respect_to = {"x"}, .by_gate = true});
      },
      "by_gate");
}

TEST(Gradient, MemoryOfThreeStatesIsJudgedBefore) {
  Circuit circuit(50);
  for (Qubit q = 0; q < 50; ++q) circuit.ry(q, 0.1);
  EXPECT_THROW(Simulator(exact()).gradient(circuit, {"Z"}, {}, {.by_gate = true}), DoesNotFit);
}

}  // namespace
}  // namespace ketmesh
