// Building circuits and asking them questions.
#include "ketmesh/circuit/circuit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit_samples.hpp"

namespace ketmesh {
namespace {

/// The message of the CircuitError that `f` throws; the circuit must be as before.
template <typename F>
std::string refused(Circuit& c, F f) {
  const Circuit before = c;
  std::string message = "nothing was thrown";
  try {
    f(c);
  } catch (const CircuitError& e) {
    message = e.what();
  }
  EXPECT_EQ(before, c) << message;
  EXPECT_EQ(before.size(), c.size());
  return message;
}

TEST(CircuitBuild, GrowsWithUse) {
  Circuit c;
  EXPECT_EQ(c.num_qubits(), 1u);
  c.x(5);
  EXPECT_EQ(c.num_qubits(), 6u);
  c.measure(4, 9);
  EXPECT_EQ(c.num_clbits(), 10u);
  EXPECT_EQ(Circuit().add_quantum_register("q", 3), 0u);
  EXPECT_EQ(Circuit(0).num_qubits(), 0u);
}

TEST(CircuitBuild, FluentMethodsAppendTheirRow) {
  const Circuit c = Circuit(3, 3).h(0).cu(0, 1, 0.1, 0.2, 0.3, 0.4).ccx(0, 1, 2).measure_all();
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(c[1].gate, Gate::cu);
  EXPECT_EQ(c[1].parameters[3], Parameter(0.4));
  EXPECT_EQ(c[3].qubits.size(), 3u);
  EXPECT_EQ(c[3].clbits[2], 2u);
  EXPECT_EQ(c.str(), "h q0\ncu(0.1, 0.2, 0.3, 0.4) q0, q1\nccx q0, q1, q2\nmeasure q0, q1, q2 -> c0, c1, c2\n");
}

TEST(CircuitBuild, EveryRowIsAppendedWithAddedControls) {
  for_each_unitary_row([](const GateRow& row) {
    const auto width = static_cast<Qubit>(sample_width(row));
    const std::vector<Control> controls = {control_on(width, false), control_on(width + 1)};
    Circuit c;
    append_row(c, row, first_qubits(width), 0.3, controls);
    ASSERT_EQ(c.size(), 1u) << row.name;
    EXPECT_EQ(c[0].controls.size(), 2u);
    const ResolvedGate gate = resolve(c[0]);
    EXPECT_EQ(gate.base, row.base);
    const std::size_t own = row.num_controls >= 0 ? static_cast<std::size_t>(row.num_controls) : width - 1;
    EXPECT_EQ(gate.controls.size(), 2 + own) << row.name;
    EXPECT_EQ(gate.targets.size(), width - own) << row.name;
    EXPECT_EQ(target_matrix(c[0]).size(), std::size_t{1} << (2 * gate.targets.size())) << row.name;
  });
}

TEST(CircuitBuild, EveryRowRefusesWrongCounts) {
  for (const GateRow& row : gate_table()) {
    if (row.has_payload || row.gate == Gate::measure) continue;
    const std::size_t n = sample_width(row);
    std::vector<Parameter> right(static_cast<std::size_t>(row.num_parameters)), wrong(right.size() + 1);
    Circuit c(8);
    const std::string message = refused(c, [&](Circuit& x) { x.append(row.gate, first_qubits(n), wrong); });
    EXPECT_NE(message.find(row.name), std::string::npos) << message;
    EXPECT_NE(message.find("parameter"), std::string::npos) << message;
    if (row.num_qubits < 0) continue;
    EXPECT_NE(refused(c, [&](Circuit& x) { x.append(row.gate, first_qubits(n + 1), right); }).find("takes"), std::string::npos);
  }
}

TEST(CircuitBuild, ErrorsNameTheGateTheQubitAndTheRange) {
  Circuit c(4, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Control control{1, 1};
  EXPECT_EQ(refused(c, [](Circuit& x) { x.h(4); }), "h: qubit 4 is outside 0..3");
  EXPECT_EQ(refused(c, [](Circuit& x) { x.measure(0, 2); }), "measure: classical bit 2 is outside 0..1");
  EXPECT_EQ(refused(c, [](Circuit& x) { x.cx(2, 2); }), "cx: qubit 2 is given twice; the qubits and controls of one gate must differ");
  EXPECT_EQ(refused(c, [&](Circuit& x) { x.append(Gate::x, first_qubits(1, 1), {}, std::span(&control, 1)); }),
            "x: qubit 1 is given twice; the qubits and controls of one gate must differ");
  EXPECT_EQ(refused(c, [&](Circuit& x) { x.u(0, 0.0, nan, 0.0); }), "u: parameter phi is nan; it must be finite");
  EXPECT_EQ(refused(c, [&](Circuit& x) { x.append(Gate::rx, {0}); }), "rx takes 1 parameter (theta), got 0");
  EXPECT_EQ(refused(c, [&](Circuit& x) { x.append(Gate::cx, {0}); }), "cx takes 2 qubits, got 1");
  EXPECT_NE(refused(c, [&](Circuit& x) { x.append(Gate::pauli, {0}); }).find("pauli"), std::string::npos);
  EXPECT_NE(refused(c, [&](Circuit& x) { x.append(Gate::reset, {0}, {}, {{1, 1}}); }).find("reset"), std::string::npos);
  EXPECT_NE(refused(c, [](Circuit& x) { x.measure(first_qubits(2), first_qubits(1)); }).find("2 qubits and 1 bits"), std::string::npos);
  Circuit growing;
  EXPECT_EQ(refused(growing, [](Circuit& x) { x.h(1'000'000); }), "h: qubit 1000000 is outside 0..999999");
  Circuit none(0);
  EXPECT_EQ(refused(none, [](Circuit& x) { x.h(0); }), "h: qubit 0, but the circuit has none");
  EXPECT_THROW(Circuit(1'000'001), CircuitError);
}

TEST(CircuitBuild, ManyOperandsAreCheckedToo) {
  std::vector<Qubit> qubits = first_qubits(500);
  Circuit c(1000);
  c.mcx(qubits, 999);
  qubits[3] = 400;
  EXPECT_NE(refused(c, [&](Circuit& x) { x.mcx(qubits, 999); }).find("qubit 400 is given twice"), std::string::npos);
}

TEST(CircuitBuild, PayloadsAreChecked) {
  Circuit c(3);
  const std::vector<Qubit> one = {0}, two = {0, 1};
  std::vector<cdouble> m = {1, 0, 0, 1};
  c.unitary(m, one);
  m[3] = 1.0 + 1e-9;
  c.unitary(m, one);
  m[3] = 1.0 + 1e-7;
  EXPECT_NE(refused(c, [&](Circuit& x) { x.unitary(m, one); }).find("not unitary"), std::string::npos);
  m[3] = std::nan("");
  EXPECT_NE(refused(c, [&](Circuit& x) { x.unitary(m, one); }).find("value 3 is not finite"), std::string::npos);
  EXPECT_EQ(refused(c, [&](Circuit& x) { x.unitary(m, two); }), "unitary on 2 qubits takes 16 values, got 4");
  EXPECT_NE(refused(c, [&](Circuit& x) { x.unitary(m, {}); }).find("at least 1 qubit"), std::string::npos);
  EXPECT_NE(refused(c, [&](Circuit& x) { x.unitary(m, first_qubits(13)); }).find("at most 12"), std::string::npos);
  const std::vector<cdouble> long_entry = {1, 2};
  EXPECT_NE(refused(c, [&](Circuit& x) { x.diagonal(long_entry, one); }).find("entry 1 has modulus 2"), std::string::npos);
  EXPECT_NE(refused(c, [&](Circuit& x) { x.initialize(long_entry, one); }).find("norm"), std::string::npos);
  const std::vector<Index> twice = {0, 0}, outside = {0, 2};
  EXPECT_NE(refused(c, [&](Circuit& x) { x.permutation(twice, one); }).find("must come once"), std::string::npos);
  EXPECT_NE(refused(c, [&](Circuit& x) { x.permutation(outside, one); }).find("outside 0..1"), std::string::npos);
  EXPECT_NE(refused(c, [&](Circuit& x) { x.pauli("XA", two); }).find("character 1 ('A')"), std::string::npos);
  EXPECT_NE(refused(c, [&](Circuit& x) { x.rotation("X", two, 0.1); }).find("1 letters, 2 qubits"), std::string::npos);
  EXPECT_EQ(c.pauli("xz", two)[2].payload().paulis, "XZ");
}

TEST(CircuitBuild, BlocksMustFit) {
  Circuit c(2, 1);
  EXPECT_NE(refused(c, [](Circuit& x) { x.if_else(ClassicalExpression::bit(0), Circuit().x(2)); }).find("qubit 2"), std::string::npos);
  EXPECT_NE(refused(c, [](Circuit& x) { x.if_else(ClassicalExpression::bit(1), Circuit().x(1)); }).find("bit 1"), std::string::npos);
  Circuit growing;
  growing.if_else(ClassicalExpression::bit(3), Circuit().x(7), Circuit().measure(8, 5));
  EXPECT_EQ(growing.num_qubits(), 9u);
  EXPECT_EQ(growing.num_clbits(), 6u);
}

TEST(CircuitBuild, OperationsOfItselfMayBeAppended) {
  Circuit c = Circuit(40).u(0, Parameter::named("a"), 1.0, 2.0);
  for (int i = 0; i < 300; ++i) c.append(c[c.size() - 1]);
  for (int i = 0; i < 300; ++i) c.append(c[0].gate, c[0].qubits, c[0].parameters, c[0].controls);
  EXPECT_EQ(c.size(), 601u);
  EXPECT_EQ(c[600].parameters[0], Parameter::named("a"));
}

TEST(CircuitBuild, LinesAreKept) {
  Circuit c;
  c.set_line(7);
  c.h(0);
  c.append(Gate::x, first_qubits(1), {}, {}, 9);
  c.set_line(0);
  c.append(c[0]);
  EXPECT_EQ(c[0].line, 7u);
  EXPECT_EQ(c[1].line, 9u);
  EXPECT_EQ(c[2].line, 7u);
}

TEST(CircuitBuild, RegistersHaveOneName) {
  Circuit c(0);
  EXPECT_EQ(c.add_quantum_register("q", 2), 0u);
  EXPECT_EQ(c.add_quantum_register("r", 3), 2u);
  EXPECT_EQ(c.add_classical_register("c", 0), 0u);
  EXPECT_EQ(c.num_qubits(), 5u);
  EXPECT_NE(refused(c, [](Circuit& x) { x.add_classical_register("q", 1); }).find("'q'"), std::string::npos);
  EXPECT_NE(refused(c, [](Circuit& x) { x.add_quantum_register("w", 1'000'001); }).find("too wide"), std::string::npos);
}

TEST(CircuitValue, EqualityAndHash) {
  EXPECT_TRUE(rc::check("copies are equal, hash alike; another gate makes a difference", [] {
    const Circuit c = random_circuit(5, 15, *rc::gen::arbitrary<std::uint64_t>());
    Circuit copy(5);
    for (const Operation op : c) copy.append(op);
    RC_ASSERT(copy == c);
    RC_ASSERT(copy.structural_hash() == c.structural_hash());
    RC_ASSERT(!(copy.h(0) == c));
  }));
  const Circuit a = Circuit(2).rx(0, 0.5).cx(0, 1);
  EXPECT_EQ(a.structural_hash(), Circuit(2).rx(0, 0.7).cx(0, 1).structural_hash());
  EXPECT_NE(a, Circuit(2).rx(0, 0.7).cx(0, 1));
  EXPECT_NE(a.structural_hash(), Circuit(2).ry(0, 0.5).cx(0, 1).structural_hash());
  EXPECT_NE(a.structural_hash(), Circuit(2).rx(0, 0.5).cx(1, 0).structural_hash());
  EXPECT_NE(a.structural_hash(), Circuit(2).rx(0, Parameter::named("t")).cx(0, 1).structural_hash());
  const std::vector<cdouble> d1 = {1, 1}, d2 = {1, -1};
  EXPECT_NE(Circuit(1).diagonal(d1, first_qubits(1)).structural_hash(), Circuit(1).diagonal(d2, first_qubits(1)).structural_hash());
  EXPECT_NE(Circuit(1).pauli("X", first_qubits(1)).structural_hash(), Circuit(1).pauli("Y", first_qubits(1)).structural_hash());
  // The same in every process, so that ranks can compare; a new row above h in the table changes it.
  EXPECT_EQ(Circuit(1).h(0).structural_hash(), 14257785142925777139u);
}

TEST(CircuitValue, Depth) {
  EXPECT_EQ(Circuit().depth(), 0u);
  EXPECT_EQ(Circuit(3).h(0).h(1).cx(0, 1).h(2).depth(), 2u);
  EXPECT_EQ(Circuit(2).h(0).barrier().h(1).depth(), 2u);
  EXPECT_EQ(Circuit(2, 1).measure(0, 0).if_else(ClassicalExpression::bit(0), Circuit().x(1)).depth(), 2u);
  EXPECT_EQ(Circuit(1).gphase(0.3).depth(), 0u);
}

TEST(CircuitValue, ActiveQubits) {
  Circuit c(9, 1);
  c.h(1).id(2).barrier().delay(first_qubits(9), 1.0).append(Gate::x, {4}, {}, {{6, 0}});
  c.if_else(ClassicalExpression::bit(0), Circuit().id(3).x(8));
  EXPECT_EQ(c.active_qubits(), (std::vector<Qubit>{1, 4, 6, 8}));
}

TEST(CircuitValue, DynamicOperations) {
  EXPECT_FALSE(Circuit(2).h(0).measure_all().has_dynamic_operations());
  EXPECT_FALSE(Circuit(2).h(0).measure(0, 0).h(1).measure(1, 1).barrier().has_dynamic_operations());
  EXPECT_TRUE(Circuit(2).measure(0, 0).h(0).has_dynamic_operations());
  EXPECT_TRUE(Circuit(2).measure(0, 0).cx(0, 1).has_dynamic_operations());
  EXPECT_FALSE(Circuit(2).reset(0).h(0).has_dynamic_operations());
  EXPECT_TRUE(Circuit(2).h(0).reset(0).has_dynamic_operations());
  EXPECT_TRUE(Circuit(2, 1).if_else(ClassicalExpression::bit(0), Circuit().x(0)).has_dynamic_operations());
  const std::vector<cdouble> state = {0, 1};
  EXPECT_FALSE(Circuit(2).h(1).initialize(state, first_qubits(1)).h(0).has_dynamic_operations());
  EXPECT_TRUE(Circuit(2).h(0).initialize(state, first_qubits(1)).has_dynamic_operations());
  EXPECT_TRUE(Circuit(2).initialize(state, first_qubits(1)).reset(0).has_dynamic_operations());
}

TEST(CircuitValue, FinalMeasurementsGo) {
  Circuit c(3, 3);
  c.h(0).measure(0, 0).x(0).measure(0, 1).measure(1, 2).barrier();
  EXPECT_EQ(c.without_final_measurements().str(), "h q0\nmeasure q0 -> c0\nx q0\nbarrier q0, q1, q2\n");
  Circuit read(2, 1);
  read.measure(0, 0).if_else(ClassicalExpression::bit(0), Circuit().x(1));
  EXPECT_EQ(read.without_final_measurements().size(), 2u);
}

// Wide and long circuits must not be quadratic: this takes a fraction of a second, and hours if they were.
TEST(CircuitValue, WideAndLong) {
  Circuit c(1'000'000);
  c.barrier().measure_all();
  for (Qubit q = 0; q < 400'000; ++q) c.cx(q, q + 1);
  EXPECT_EQ(c.depth(), 400'001u);
  EXPECT_EQ(c.active_qubits().size(), 1'000'000u);
  EXPECT_TRUE(c.has_dynamic_operations());
  EXPECT_EQ(c.without_final_measurements().size(), c.size());
}

}  // namespace
}  // namespace ketmesh
