// Batches against the same rows run one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "ketmesh/api/simulator.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/runtime/random_circuits_testing.hpp"

namespace ketmesh {
namespace {

using testing::Random;

/// Random gates of all kinds, with names and expressions in the place of many angles.
Circuit random_template(Random& random, std::size_t n, std::size_t gates, const std::vector<std::string>& names) {
  const Circuit numbers = testing::random_circuit(random, n, gates, 2, 2);
  Circuit out(n, n);
  for (Operation op : numbers) {
    std::vector<Parameter> angles(op.parameters.begin(), op.parameters.end());
    for (auto& angle : angles) {
      const Parameter name = Parameter::named(names[testing::below(random, names.size())]);
      switch (testing::below(random, 4)) {
        case 0:
          angle = name;
          break;
        case 1:
          angle = 2.0 * name - angle;
          break;
        case 2:
          angle = name * Parameter::named(names[0]) + angle;
          break;
        default:
          break;
      }
    }
    op.parameters = angles;
    out.append(op);
  }
  for (std::size_t k = 0; k < names.size(); ++k) out.ry(static_cast<Qubit>(k % n), Parameter::named(names[k]));  // every name occurs
  return out;
}

ParameterValues values_of(const std::vector<std::string>& names, std::span<const double> row) {
  ParameterValues out;
  for (std::size_t c = 0; c < names.size(); ++c) out[names[c]] = row[c];
  return out;
}

const std::vector<PauliSum> kObservables = {PauliSum("ZZ"), PauliSum{{0.5, "XIY"}, {-1.5, "YXY"}, {2, ""}}, PauliSum("YYY"),
                                            PauliSum("IIIIIIIIIIIIIIX")};

void compare(const SimulatorConfig& config, const Circuit& circuit, const std::vector<std::string>& names, std::span<const double> rows,
             bool in_lanes, double tolerance) {
  Simulator simulator(config), one(config);
  const BatchResult got = simulator.run_batch(
      circuit, rows, {.parameter_names = names, .observables = kObservables, .shots = 200, .seed = 11, .statevectors = true});
  ASSERT_EQ(got.rows, rows.size() / names.size());
  EXPECT_EQ(got.in_lanes, in_lanes);
  const std::size_t size = std::size_t{1} << circuit.num_qubits();
  for (std::size_t r = 0; r < got.rows; ++r) {
    const RunOptions options{.shots = 200,
                             .seed = 11 + r,
                             .parameters = values_of(names, rows.subspan(r * names.size(), names.size())),
                             .observables = kObservables};
    const Result want = one.run(circuit, options);
    for (std::size_t o = 0; o < kObservables.size(); ++o)
      EXPECT_NEAR(got.expectation_value(r, o), want.expectation_values[o], tolerance) << r;
    if (tolerance < 1e-9) {
      EXPECT_EQ(got.counts[r], want.counts) << r;  // rounding in single precision may move a draw
    }
    const auto state = one.statevector(circuit, {.parameters = options.parameters});
    double worst = 0;
    for (std::size_t i = 0; i < size; ++i) worst = std::max(worst, std::abs(got.statevectors[r * size + i] - state[i]));
    EXPECT_LE(worst, tolerance) << r << '\n' << circuit.str();
  }
}

TEST(Batch, EqualsRunsOneByOne) {
  Random random(21);
  const std::vector<std::string> names = {"a", "b", "c"};
  for (const std::size_t n : {1, 2, 3, 5, 7}) {
    for (int turn = 0; turn < (n < 2 ? 1 : 4); ++turn) {
      const Circuit circuit =
          n < 2 ? Circuit(1).ry(0, Parameter::named("a")).rz(0, Parameter::named("b")).rx(0, Parameter::named("c")).measure_all()
                : random_template(random, n, 60, names).measure_all();
      std::vector<double> rows(names.size() * 19);
      for (auto& angle : rows) angle = testing::angle(random);
      compare({.precision = Precision::double_}, circuit, names, rows, true, 1e-12);
      compare({.precision = Precision::single}, circuit, names, rows, true, 2e-5);
    }
  }
}

TEST(Batch, EveryLevelAndTheLongWay) {
  Random random(4);
  const std::vector<std::string> names = {"x", "y"};
  const Circuit circuit = random_template(random, 4, 50, names).measure_all();
  std::vector<double> rows(2 * 9);
  for (auto& angle : rows) angle = testing::angle(random);
  for (const auto level : kernels::available_simd_levels())
    compare({.precision = Precision::double_, .threads = 1, .simd = std::string(to_string(level))}, circuit, names, rows, true, 1e-12);
  compare({.precision = Precision::double_, .simd = "reference"}, circuit, names, rows, false, 1e-12);
  SimulatorConfig sharded{.backend = Backend::distributed_cpu, .precision = Precision::double_};
  sharded.distributed.shards = 4;
  compare(sharded, circuit, names, rows, false, 1e-12);
  Circuit wide(14, 14);
  for (Qubit q = 0; q < 14; ++q) wide.ry(q, Parameter::named("x")).cx(q, (q + 1) % 14);
  wide.rzz(3, 9, Parameter::named("y")).measure_all();
  compare({.precision = Precision::double_}, wide, names, std::span(rows).first(4), false, 1e-12);
}

TEST(Batch, IdleQubitsColumnsAndNothing) {
  Simulator simulator({.precision = Precision::double_});
  Circuit far(40, 2);
  far.rx(30, Parameter::named("a")).cx(30, 2).rz(2, Parameter::named("b")).measure(2, 1);
  const std::vector<double> rows = {0.1, 5, 0.2, 6};
  const BatchResult got = simulator.run_batch(
      far, rows,
      {.parameter_names = {"a", "b"}, .observables = {PauliSum("IIZ"), PauliSum(std::string(31, 'I') + "Z")}, .shots = 10, .seed = 1});
  EXPECT_NEAR(got.expectation_value(1, 0), std::cos(0.2), 1e-13);
  EXPECT_NEAR(got.expectation_value(1, 1), 1, 1e-13);
  const BatchResult swapped = simulator.run_batch(far, rows, {.parameter_names = {"b", "a"}, .observables = {PauliSum("IIZ")}});
  EXPECT_NEAR(swapped.expectation_value(1, 0), std::cos(6.0), 1e-13);
  EXPECT_TRUE(swapped.counts.empty());
  const BatchResult none = simulator.run_batch(far, {}, {.observables = {PauliSum("Z")}, .shots = 5});
  EXPECT_EQ(none.rows, 0U);
  EXPECT_TRUE(none.expectation_values.empty());
}

void expect_words(const std::function<void()>& call, const char* words) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown for: " << words;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(Batch, RefusesByName) {
  Simulator simulator;
  const Parameter a = Parameter::named("a"), b = Parameter::named("b");
  const Circuit two = Circuit(2).rx(0, a).rx(1, b);
  const std::vector<double> three = {1, 2, 3};
  std::vector<double> bad(2 * 500, 0.5);
  bad[2 * 312 + 1] = NAN;
  expect_words([&] { simulator.run_batch(two, three); }, "3 numbers make no whole rows of 2");
  expect_words([&] { simulator.run_batch(two, bad); }, "row 312: parameter b");
  expect_words([&] { simulator.run_batch(two, bad, {.parameter_names = {"a"}}); }, "\"b\" has no column");
  expect_words([&] { simulator.run_batch(two, bad, {.parameter_names = {"a", "c"}}); }, "\"c\"");
  expect_words([&] { simulator.run_batch(two, bad, {.parameter_names = {"a", "a"}}); }, "twice");
  expect_words([&] { simulator.run_batch(Circuit(1).h(0), three); }, "the circuit has none");
  expect_words([&] { simulator.run_batch(Circuit(1).rx(0, a).measure(0, 0).rx(0, a), three); }, "run_batch");
  expect_words([&] { simulator.run_batch(two, bad, {.shots = std::uint64_t{1} << 33}); }, "shots");
  bad[2 * 312 + 1] = -1;  // the logarithm of a negative number, in one row of many
  const Circuit logarithm = Circuit(2).rx(0, a).rx(1, Parameter::function("log", b));
  expect_words([&] { simulator.run_batch(logarithm, bad); }, "row 312: parameter log(b)");
  expect_words([&] { simulator.run_batch(Circuit(40).rx(0, a).h(39), three, {.statevectors = true}); }, "state vectors of 3 rows");
  std::size_t calls = 0;
  const auto stop = [&](std::uint64_t, std::uint64_t, const char*) {
    ++calls;
    throw OptionError("enough");
  };
  bad[2 * 312 + 1] = 1;
  expect_words([&] { simulator.run_batch(two, bad, {.progress = stop}); }, "enough");
  EXPECT_GE(calls, 1U);
}

}  // namespace
}  // namespace ketmesh
