// The gate table: names, aliases, matrices.
#include "ketmesh/circuit/gates.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/circuit_samples.hpp"

namespace ketmesh {
namespace {

TEST(GateTable, RowsStandAtTheirNumber) {
  for (std::size_t i = 0; i < gate_table().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(gate_table()[i].gate), i);
}

TEST(GateTable, NamesAndAliasesLeadBackAndAreUnique) {
  std::set<std::string_view> seen;
  for (const GateRow& row : gate_table()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    EXPECT_EQ(find_gate(row.name), row.gate);
    EXPECT_EQ(to_string(row.gate), row.name);
    EXPECT_FALSE(row.summary.empty()) << row.name;
    for (const std::string_view alias : row.aliases) {
      EXPECT_TRUE(seen.insert(alias).second) << alias;
      EXPECT_EQ(find_gate(alias), row.gate) << alias;
    }
  }
  EXPECT_EQ(find_gate("cnot"), Gate::cx);
  EXPECT_EQ(find_gate("mcphase"), Gate::mcp);
  EXPECT_EQ(find_gate("CNOT"), std::nullopt);
  EXPECT_EQ(find_gate(""), std::nullopt);
}

TEST(GateTable, ParameterNamesAreAsManyAsParameters) {
  for (const GateRow& row : gate_table()) {
    const auto commas = std::count(row.parameter_names.begin(), row.parameter_names.end(), ',');
    EXPECT_EQ(row.parameter_names.empty() ? 0 : commas + 1, row.num_parameters) << row.name;
  }
}

TEST(GateTable, BasesHaveTheSameParameters) {
  for (const GateRow& row : gate_table()) {
    const GateRow& base = gate_row(row.base);
    EXPECT_EQ(base.base, row.base == Gate::cu ? Gate::cu : base.gate) << row.name;
    EXPECT_EQ(base.num_parameters, row.num_parameters) << row.name;
  }
}

TEST(GateTable, MatricesAreUnitary) {
  for (const GateRow& row : gate_table()) {
    if (row.has_payload || !row.is_unitary) continue;
    const Dense m{base_matrix(row.gate, test_angles(row.num_parameters))};
    EXPECT_LT(distance(m * adjoint(m), Dense::identity(m.size())), 1e-14) << row.name;
  }
}

// tests/golden/make_gates.py: Qiskit's matrices on all qubits of a row, its own controls included.
TEST(GateTable, EveryRowAgreesWithTheGoldenFile) {
  std::ifstream file(KETMESH_SOURCE_DIR "/tests/golden/gates.json");
  ASSERT_TRUE(file);
  const auto golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden["angles"].get<std::vector<double>>(), test_angles(4));
  std::size_t compared = 0;
  for_each_unitary_row([&](const GateRow& row) {
    if (row.gate == Gate::unitary || row.gate == Gate::diagonal || row.gate == Gate::permutation) return;  // payload is the matrix
    ASSERT_TRUE(golden["matrices"].contains(row.name)) << row.name;
    std::vector<cdouble> wanted;
    for (const auto& entry : golden["matrices"][std::string(row.name)]) wanted.emplace_back(entry[0].get<double>(), entry[1].get<double>());
    const std::vector<Qubit> qubits = first_qubits(sample_width(row));
    Circuit c(qubits.size());
    const std::vector<double> angles = test_angles(row.num_parameters);
    const std::vector<Parameter> parameters(angles.begin(), angles.end());
    if (row.gate == Gate::pauli)
      c.pauli("YXZ", qubits);
    else if (row.gate == Gate::rotation)
      c.rotation("YXZ", qubits, parameters[0]);
    else
      c.append(row.gate, qubits, parameters);
    EXPECT_LT(distance(dense(c), Dense{wanted}), 1e-14) << row.name;
    ++compared;
  });
  EXPECT_EQ(compared, golden["matrices"].size());
}

// The conventions that other programs differ in, by value.
TEST(GateTable, PinnedConventions) {
  const cdouble i{0, 1};
  const double r = std::sqrt(0.5);
  const auto is = [](Gate gate, std::vector<double> angles, std::vector<cdouble> wanted) {
    return distance(Dense{base_matrix(gate, angles)}, Dense{std::move(wanted)}) < 1e-15;
  };
  EXPECT_TRUE(is(Gate::sx, {}, {0.5 + 0.5 * i, 0.5 - 0.5 * i, 0.5 - 0.5 * i, 0.5 + 0.5 * i}));
  EXPECT_TRUE(is(Gate::sy, {}, {0.5 + 0.5 * i, -0.5 - 0.5 * i, 0.5 + 0.5 * i, 0.5 + 0.5 * i}));
  EXPECT_TRUE(is(Gate::k, {}, {r, -i * r, i * r, -r}));
  EXPECT_TRUE(is(Gate::p, {0.3}, {1, 0, 0, std::exp(i * 0.3)}));
  EXPECT_TRUE(is(Gate::rz, {0.3}, {std::exp(-i * 0.15), 0, 0, std::exp(i * 0.15)}));
  EXPECT_TRUE(is(Gate::u2, {0.3, 0.4}, {r, -std::exp(i * 0.4) * r, std::exp(i * 0.3) * r, std::exp(i * 0.7) * r}));
  EXPECT_LT(distance(dense(Circuit(2).cu(0, 1, 0, 0, 0, 0.7)), dense(Circuit(2).p(0, 0.7))), 1e-15);
  // The first listed qubit is the least significant bit: cx(0, 1) exchanges indices 1 and 3.
  EXPECT_EQ(dense(Circuit(2).cx(0, 1)).at(3, 1), 1.0);
  EXPECT_EQ(dense(Circuit(2).cx(1, 0)).at(3, 2), 1.0);
}

TEST(GateTable, WrongNumberOfAnglesIsRefused) {
  EXPECT_THROW(base_matrix(Gate::rx, {}), CircuitError);
  EXPECT_THROW(base_matrix(Gate::measure, {}), CircuitError);
}

}  // namespace
}  // namespace ketmesh
