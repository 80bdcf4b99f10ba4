// The gate table: names, aliases, matrices.
#include "ketmesh/circuit/gates.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/circuit/test_matrices.hpp"

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

TEST(GateTable, WrongNumberOfAnglesIsRefused) {
  EXPECT_THROW(base_matrix(Gate::rx, {}), CircuitError);
  EXPECT_THROW(base_matrix(Gate::measure, {}), CircuitError);
}

}  // namespace
}  // namespace ketmesh
