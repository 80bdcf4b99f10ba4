// docs/gates.md and the fluent methods, compared with the gate table. The page is written anew by
// KETMESH_UPDATE_DOCS=1 circuit_test --gtest_filter='GateDocs.*'
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "ketmesh/circuit/gates.hpp"

namespace ketmesh {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string count(int n) { return n < 0 ? "any" : std::to_string(n); }

std::string inverse_text(const GateRow& row) {
  switch (row.inverse) {
    case InverseRule::self:
      return "itself";
    case InverseRule::partner:
      return "`" + std::string(to_string(row.partner)) + "`";
    case InverseRule::negate:
      return "opposite angle";
    case InverseRule::special:
      return "yes";
    case InverseRule::none:
      return "-";
  }
  return "?";
}

std::string page() {
  std::string out =
      "# Gates\n\n"
      "Every row of the gate table. Written by a test from `include/ketmesh/circuit/gate_list.inc`; do not edit by hand:\n"
      "`KETMESH_UPDATE_DOCS=1 circuit_test --gtest_filter='GateDocs.*'` writes it anew.\n\n"
      "Rotations are RP(t) = exp(-i t P / 2). In a matrix the first listed qubit is the least significant bit. *Controls* are how many of\n"
      "the leading qubits control the base gate. Any unitary row takes any number of further controls with chosen control states, and has\n"
      "an inverse and a power.\n\n"
      "| name | also | qubits | controls | angles | inverse | what it does |\n|---|---|---|---|---|---|---|\n";
  for (const GateRow& row : gate_table()) {
    std::string aliases, summary(row.summary);
    for (const std::string_view alias : row.aliases) aliases += (aliases.empty() ? "`" : ", `") + std::string(alias) + "`";
    for (std::size_t at = 0; (at = summary.find('|', at)) != std::string::npos; at += 2) summary.replace(at, 1, "\\|");
    std::string angles(row.parameter_names);
    for (std::size_t at = 0; (at = angles.find(',', at)) != std::string::npos; at += 2) angles.replace(at, 1, ", ");
    out += "| `" + std::string(row.name) + "` | " + aliases + " | " + count(row.num_qubits) + " | " +
           (row.num_controls < 0 ? "all but the last" : std::to_string(row.num_controls)) + " | " + angles + " | " + inverse_text(row) +
           " | " + summary + " |\n";
  }
  return out;
}

TEST(GateDocs, PageIsThatOfTheTable) {
  const std::string path = KETMESH_SOURCE_DIR "/docs/gates.md";
  if (std::getenv("KETMESH_UPDATE_DOCS") != nullptr) std::ofstream(path) << page();
  EXPECT_EQ(read(path), page()) << "the gate table has changed: see the head of this file";
}

TEST(GateDocs, EveryRowOfFixedWidthHasItsMethod) {
  const std::string methods = read(KETMESH_SOURCE_DIR "/include/ketmesh/circuit/gate_methods.inc");
  std::size_t found = 0, wanted = 0;
  for (const GateRow& row : gate_table()) {
    if (row.num_qubits < 1) continue;
    ++wanted;
    const std::string name(row.name);
    const std::string macro = "KETMESH_" + std::to_string(row.num_qubits) + "_" + std::to_string(row.num_parameters) + "(" + name + ")";
    const std::string written = "Circuit& " + name + "(Qubit ";
    const bool there = methods.find(macro) != std::string::npos || methods.find(written) != std::string::npos;
    EXPECT_TRUE(there) << name;
    found += there ? 1 : 0;
  }
  EXPECT_EQ(found, wanted);
  // And nothing that the table lacks.
  const std::regex uses("KETMESH_[0-9]_[0-9]\\(([a-z0-9_]+)\\)");
  for (auto i = std::sregex_iterator(methods.begin(), methods.end(), uses); i != std::sregex_iterator(); ++i)
    if ((*i)[1] != "name") {
      EXPECT_TRUE(find_gate((*i)[1].str()).has_value()) << (*i)[1];
    }
}

}  // namespace
}  // namespace ketmesh
