#include "ketmesh/api/reduce.hpp"

#include <gtest/gtest.h>

#include "ketmesh/api/readout.hpp"

namespace ketmesh::api {
namespace {

TEST(Reduce, IdleQubitsAreDropped) {
  const Circuit circuit = Circuit(100).h(3).cx(3, 70).barrier();
  const Reduced reduced = drop_idle_qubits(circuit);
  EXPECT_EQ(reduced.original, (std::vector<Qubit>{3, 70}));
  EXPECT_EQ(reduced.circuit.num_qubits(), 2u);
  EXPECT_EQ(reduced.circuit[1].qubits[0], 0u);
  EXPECT_EQ(reduced.circuit[1].qubits[1], 1u);
}

TEST(Reduce, KeptAndEmpty) {
  const std::vector<int> keep = {5, 99};
  EXPECT_EQ(drop_idle_qubits(Circuit(10).x(7), keep).original, (std::vector<Qubit>{5, 7}));
  EXPECT_EQ(drop_idle_qubits(Circuit(10)).original, (std::vector<Qubit>{0}));
}

TEST(Reduce, TermsOnQubitsLeftOut) {
  const std::vector<Qubit> original = {1, 4};
  EXPECT_EQ(restrict_term({2.0, "ZXIIY"}, original), (PauliTerm{2.0, "XY"}));
  EXPECT_EQ(restrict_term({2.0, "XI"}, original).coefficient, 0.0);
  EXPECT_EQ(restrict_term({1.0, "IZIIIIIZ"}, original), (PauliTerm{1.0, "ZI"}));
  EXPECT_EQ(restrict_term({1.0, ""}, original), (PauliTerm{1.0, "II"}));
}

TEST(Cones, GoBackFromTheLetters) {
  // 0 and 1 meet early, 1 and 2 late: Z on 0 does not see qubit 2.
  const Circuit circuit = Circuit(4).h(0).cx(0, 1).cx(1, 2).h(3).barrier().delay(std::vector<Qubit>{0}, 3.0);
  const std::vector<PauliTerm> terms = {{1.0, "Z"}, {1.0, "IIZ"}, {1.0, "IIIX"}, {1.0, ""}};
  const auto groups = light_cones(circuit, terms);
  // The cone of Z_0 ({0, 1}) lies inside that of Z_2; the empty one inside any.
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].qubits, (std::vector<Qubit>{3}));
  EXPECT_EQ(groups[0].terms, (std::vector<std::size_t>{2}));
  EXPECT_EQ(groups[1].qubits, (std::vector<Qubit>{0, 1, 2}));
  EXPECT_EQ(groups[1].terms, (std::vector<std::size_t>{0, 1, 3}));
  const Reduced reduced = cone_circuit(circuit, groups[1]);
  EXPECT_EQ(reduced.circuit.size(), 3u);
  EXPECT_EQ(reduced.circuit.num_qubits(), 3u);
}

TEST(Cones, LettersBeyondTheRegister) {
  const std::vector<PauliTerm> terms = {{1.0, "IIIIIIZ"}};
  const auto groups = light_cones(Circuit(2).h(0), terms);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].qubits.size(), 1u);
  EXPECT_TRUE(groups[0].operations.empty());
}

TEST(Readout, WidthsAndLastWriter) {
  Circuit circuit(3, 6);
  circuit.x(0).measure(0, 5).measure(1, 2).measure(2, 2);
  EXPECT_EQ(key_width(circuit), 6u);
  EXPECT_EQ(key_width(Circuit(4)), 4u);
  const std::vector<Qubit> original = {0, 2};
  const Readout bits = readout(circuit, original);
  EXPECT_EQ(bits.bits, (std::vector<std::pair<Clbit, int>>{{2, 1}, {5, 0}}));
  const std::vector<measure::SampleCount> samples = {{1, 7}, {3, 2}};
  EXPECT_EQ(to_counts(samples, bits), (Counts{{"000001", 7}, {"001001", 2}}));
}

TEST(Readout, IdleQubitsReadZero) {
  Circuit circuit(2, 2);
  circuit.x(0).measure(1, 0);
  const std::vector<Qubit> original = {0};
  const std::vector<measure::SampleCount> samples = {{1, 5}};
  EXPECT_EQ(to_counts(samples, readout(circuit, original)), (Counts{{"00", 5}}));
  EXPECT_EQ(all_zero(0, 3), Counts{});
  EXPECT_EQ(all_zero(4, 3), (Counts{{"000", 4}}));
}

}  // namespace
}  // namespace ketmesh::api
