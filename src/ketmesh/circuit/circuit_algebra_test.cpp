// Inverse, power, controlled, remapped, compose, bound: each against dense matrices, for every row of the table.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/angles.hpp"
#include "ketmesh/circuit/circuit_samples.hpp"

namespace ketmesh {
namespace {

Dense integer_power(const Dense& m, int n) {
  Dense out = Dense::identity(m.size());
  const Dense factor = n < 0 ? adjoint(m) : m;
  for (int i = 0; i < std::abs(n); ++i) out = factor * out;
  return out;
}

TEST(CircuitInverse, EveryRow) {
  for_each_unitary_row([](const GateRow& row) {
    const Circuit c = row_circuit(row, std::max<std::size_t>(1, sample_width(row)));
    EXPECT_LT(distance(dense(c.inverse()), adjoint(dense(c))), 1e-14) << row.name;
    EXPECT_LT(distance(dense(c.inverse().inverse()), dense(c)), 1e-14) << row.name;
  });
}

TEST(CircuitAngles, ReplacedInOrder) {
  const Circuit circuit = Circuit(3).rx(0, Parameter::named("a")).h(1).delay(std::vector<Qubit>{2}, 4.0).u(1, 0.1, 0.2, 0.3).measure_all();
  ASSERT_EQ(num_angles(circuit), 4u);
  const std::vector<double> angles = {1, 2, 3, 4};
  EXPECT_EQ(with_angles(circuit, angles), Circuit(3, 3).rx(0, 1).h(1).delay(std::vector<Qubit>{2}, 4.0).u(1, 2, 3, 4).measure_all());
  EXPECT_THROW(with_angles(circuit, std::span(angles).first(3)), CircuitError);
}

TEST(CircuitInverse, Mirrored) {
  Circuit circuit = Circuit().h(0).cu(0, 2, 0.1, 0.2, 0.3, 0.4).iswap(1, 2).measure_all();
  EXPECT_TRUE(circuit.grows());
  const Circuit mirror = circuit.mirrored();
  EXPECT_LT(distance(dense(mirror), Dense::identity(8)), 1e-14);
  EXPECT_EQ(mirror.size(), 6u);
  EXPECT_FALSE(Circuit(2).grows());
  EXPECT_THROW(Circuit().h(0).reset(0).x(0).mirrored(), CircuitError);
}

TEST(CircuitInverse, EveryRowUnderOneAndTwoControls) {
  for_each_unitary_row([](const GateRow& row) {
    const auto width = static_cast<Qubit>(std::max<std::size_t>(1, sample_width(row)));
    const Circuit c = row_circuit(row, width);
    const std::vector<Control> all = {control_on(width, false), control_on(width + 1)};
    for (std::size_t n = 1; n <= 2; ++n) {
      const auto controls = std::span(all).first(n);
      const Dense wanted = embed(adjoint(dense(c)), first_qubits(width), controls, width + n);
      EXPECT_LT(distance(dense(c.inverse().controlled(controls)), wanted), 1e-14) << row.name;
      EXPECT_LT(distance(dense(c.controlled(controls).inverse()), wanted), 1e-14) << row.name;
    }
  });
}

TEST(CircuitInverse, NamedAnglesStayNamed) {
  Circuit c;
  c.u(0, Parameter::named("a"), Parameter::named("b"), 0.5).cp(0, 1, 2.0 * Parameter::named("a"));
  const ParameterValues values = {{"a", 0.3}, {"b", 1.1}};
  EXPECT_LT(distance(dense(c.inverse(), values), adjoint(dense(c, values))), 1e-14);
}

TEST(CircuitInverse, RefusesWhatIsNoUnitary) {
  EXPECT_THROW(Circuit().measure(0, 0).inverse(), CircuitError);
  EXPECT_THROW(Circuit().reset(0).inverse(), CircuitError);
  EXPECT_EQ(Circuit().h(0).barrier().inverse().size(), 2u);
}

TEST(CircuitPower, IntegersOfEveryRow) {
  for_each_unitary_row([](const GateRow& row) {
    const Circuit c = row_circuit(row, std::max<std::size_t>(1, sample_width(row)));
    for (const int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5})
      EXPECT_LT(distance(dense(c.power(n)), integer_power(dense(c), n)), 2e-14) << row.name << " ** " << n;
  });
}

TEST(CircuitPower, FractionsOfEveryRowAreRoots) {
  for_each_unitary_row([](const GateRow& row) {
    const Circuit c = row_circuit(row, std::max<std::size_t>(1, sample_width(row)));
    const Dense m = dense(c);
    for (const int n : {2, 3, 7}) {
      EXPECT_LT(distance(integer_power(dense(c.power(1.0 / n)), n), m), 3e-14) << row.name << " root " << n;
      EXPECT_LT(distance(integer_power(dense(c.power(-1.0 / n)), n), adjoint(m)), 3e-14) << row.name << " root " << -n;
    }
    EXPECT_LT(distance(dense(c.power(2.5)), dense(c.power(0.5)) * dense(c.power(2))), 3e-14) << row.name;
  });
}

// The principal root has eigenvalues e^{i a / 2} with |a| <= pi: the real part of every eigenvalue is not negative, which
// shows in the Hermitian part of the matrix: v^dagger (M + M^dagger) v >= 0.
TEST(CircuitPower, RootsOfRowsWithoutAnglesArePrincipal) {
  for_each_unitary_row([](const GateRow& row) {
    if (row.num_parameters > 0) return;
    const std::size_t width = std::max<std::size_t>(1, sample_width(row));
    const Dense root = dense(row_circuit(row, width).power(0.5));
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<cdouble> v(root.size());
      for (cdouble& x : v) x = {normal(random), normal(random)};
      double real = 0;
      for (std::size_t r = 0; r < v.size(); ++r)
        for (std::size_t c = 0; c < v.size(); ++c) real += (std::conj(v[r]) * root.at(r, c) * v[c]).real();
      EXPECT_GT(real, -1e-9) << row.name;
    }
  });
}

TEST(CircuitPower, CommutesWithControls) {
  for_each_unitary_row([](const GateRow& row) {
    const auto width = static_cast<Qubit>(std::max<std::size_t>(1, sample_width(row)));
    if (width > 4) return;
    const Circuit c = row_circuit(row, width);
    const std::vector<Control> all = {control_on(width), control_on(width + 1, false)};
    for (std::size_t n = 1; n <= 2; ++n)
      for (const double e : {2.0, 0.5, -0.3}) {
        const auto controls = std::span(all).first(n);
        const Dense wanted = embed(dense(c.power(e)), first_qubits(width), controls, width + n);
        EXPECT_LT(distance(dense(c.controlled(controls).power(e)), wanted), 1e-13) << row.name << " ** " << e;
        EXPECT_LT(distance(dense(c.power(e).controlled(controls)), wanted), 1e-13) << row.name << " ** " << e;
      }
  });
}

TEST(CircuitPower, OfSeveralOperationsIsThatOfTheWhole) {
  const Circuit c = Circuit(2).h(0).cx(0, 1).t(1).gphase(0.3);
  EXPECT_LT(distance(integer_power(dense(c.power(0.25)), 4), dense(c)), 1e-13);
  EXPECT_LT(distance(dense(c.power(3)), integer_power(dense(c), 3)), 1e-13);
  EXPECT_LT(distance(dense(c.power(-2)), integer_power(dense(c), -2)), 1e-13);
  Dense by_squaring = dense(c);
  for (int i = 0; i < 20; ++i) by_squaring = by_squaring * by_squaring;
  EXPECT_LT(distance(dense(c.power(1 << 20)), by_squaring), 1e-8);
}

TEST(CircuitPower, KnownRoots) {
  EXPECT_LT(distance(dense(Circuit(1).x(0).power(0.5)), dense(Circuit(1).sx(0))), 1e-15);
  EXPECT_LT(distance(dense(Circuit(1).y(0).power(0.5)), dense(Circuit(1).sy(0))), 1e-15);
  EXPECT_LT(distance(dense(Circuit(1).z(0).power(0.5)), dense(Circuit(1).s(0))), 1e-15);
  EXPECT_LT(distance(dense(Circuit(1).z(0).power(-0.25)), dense(Circuit(1).tdg(0))), 1e-15);
  EXPECT_EQ(Circuit(1).rx(0, 3.0).power(2)[0].parameters[0].number(), 6.0);
  EXPECT_TRUE(Circuit(1).h(0).power(2).empty());
}

TEST(CircuitPower, UnboundUSaysWhatToDo) {
  Circuit c;
  c.u(0, Parameter::named("a"), 0.1, 0.2);
  EXPECT_EQ(c.power(3).size(), 3u);
  try {
    c.power(0.5);
    FAIL();
  } catch (const CircuitError& e) {
    EXPECT_NE(std::string(e.what()).find("unbound"), std::string::npos);
    EXPECT_FALSE(e.hint().empty());
  }
  EXPECT_THROW(Circuit().h(0).measure(0, 0).power(2), CircuitError);
  EXPECT_THROW(Circuit().h(0).power(std::nan("")), CircuitError);
}

TEST(CircuitAlgebra, InverseOfRandomCircuits) {
  EXPECT_TRUE(rc::check("circuit then inverse is the identity", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Circuit c = random_circuit(5, 20, seed);
    Circuit both = c;
    both.compose(c.inverse());
    RC_ASSERT(distance(dense(both), Dense::identity(32)) < 1e-12);
  }));
}

TEST(CircuitAlgebra, RemappedIsAPermutationOfQubits) {
  EXPECT_TRUE(rc::check("remapped and back is equal", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Circuit c = random_circuit(5, 12, seed);
    std::vector<Qubit> there = first_qubits(5), back(5);
    std::mt19937_64 random(seed);
    std::shuffle(there.begin(), there.end(), random);
    for (Qubit q = 0; q < 5; ++q) back[there[q]] = q;
    const Circuit moved = c.remapped(there, 5);
    RC_ASSERT(moved.remapped(back, 5).size() == moved.size());
    RC_ASSERT(distance(dense(moved), embed(dense(c), there, {}, 5)) < 1e-12);
  }));
}

TEST(CircuitAlgebra, RemappedDropsWhatIsIdle) {
  Circuit c(6, 2);
  c.h(4).barrier().id(1).delay(std::vector<Qubit>{1, 4}, 1.0).measure(4, 1);
  c.if_else(ClassicalExpression::bit(1), Circuit().x(5).id(0));
  std::vector<Qubit> to = {9, 9, 9, 9, 0, 1};
  const Circuit small = c.remapped(to, 2);
  EXPECT_EQ(small.num_qubits(), 2u);
  EXPECT_EQ(small.num_clbits(), 2u);
  EXPECT_EQ(small.str(), "h q0\nbarrier q0, q1\ndelay(1.0) q0\nmeasure q0 -> c1\nif_else\n  x q1\n");
  to[5] = 0;
  EXPECT_THROW(c.remapped(to, 2), CircuitError);
  EXPECT_THROW(c.remapped(std::vector<Qubit>{0}, 2), CircuitError);
  EXPECT_THROW(c.remapped(first_qubits(6), 2), CircuitError);
}

TEST(CircuitAlgebra, ComposeIsTheProduct) {
  EXPECT_TRUE(rc::check("compose multiplies", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Circuit a = random_circuit(4, 8, seed), b = random_circuit(4, 8, seed + 1);
    Circuit both = a;
    both.compose(b);
    RC_ASSERT(distance(dense(both), dense(b) * dense(a)) < 1e-12);
    RC_ASSERT(both.size() == a.size() + b.size());
  }));
}

TEST(CircuitAlgebra, ComposeTakesRegistersAndWidth) {
  Circuit a, b;
  b.add_quantum_register("q", 3);
  b.add_classical_register("c", 2);
  b.h(0).measure(0, 1);
  a.compose(b);
  EXPECT_EQ(a, b);
  a.compose(a);
  EXPECT_EQ(a.size(), 4u);
  EXPECT_EQ(a.quantum_registers().size(), 1u);
  EXPECT_THROW(Circuit(2).compose(b), CircuitError);
  EXPECT_THROW(Circuit(3, 1).compose(b), CircuitError);
}

TEST(CircuitAlgebra, ControlledRefusesWhatItCannot) {
  const Control control{1, 1};
  EXPECT_THROW(Circuit(2).x(1).controlled(std::span(&control, 1)), CircuitError);
  EXPECT_THROW(Circuit(2).reset(0).controlled(std::span(&control, 1)), CircuitError);
  EXPECT_EQ(Circuit(1).x(0).controlled(std::span(&control, 1)).num_qubits(), 2u);
}

TEST(CircuitAlgebra, BoundReplacesNames) {
  Circuit c(1, 1);
  c.rx(0, 2.0 * Parameter::named("a")).rz(0, Parameter::named("b")).measure(0, 0);
  c.if_else(ClassicalExpression::bit(0), Circuit().ry(0, Parameter::named("a")));
  EXPECT_EQ(c.parameter_names(), (std::vector<std::string>{"a", "b"}));
  const Circuit half = c.bound({{"a", 0.25}});
  EXPECT_EQ(half.parameter_names(), (std::vector<std::string>{"b"}));
  EXPECT_EQ(half[0].parameters[0].number(), 0.5);
  EXPECT_EQ(half[3].payload().blocks[0][0].parameters[0].number(), 0.25);
  EXPECT_THROW(Circuit().rx(0, 1.0 / Parameter::named("a")).bound({{"a", 0.0}}), CircuitError);
  EXPECT_EQ(c.parameter_names().size(), 2u);
}

}  // namespace
}  // namespace ketmesh
