// docs/scaling.md says how many exchanges and bytes the families take on 1 to 64 ranks: a change of the planner may lower them, never raise them.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "families.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh {
namespace {

constexpr int kQubits = 30;

/// A rank on each host, as `ketmesh plan --ranks` has them.
Machine machine_of(int ranks) {
  Device cpu;
  cpu.memory_bytes = std::uint64_t{1} << 40;
  Machine machine;
  for (int r = 0; r < ranks; ++r) machine.ranks.push_back(DeviceMesh{{cpu}, r});
  return machine;
}

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

struct Column {
  const char* heading;
  double (*value)(const Plan&);
};

constexpr Column kColumns[] = {
    {"exchanges", [](const Plan& plan) { return static_cast<double>(plan.num_exchanges()); }},
    {"GiB between ranks", [](const Plan& plan) { return gib(plan.bytes_between_ranks()); }},
    {"GiB that leave the busiest rank's shards", [](const Plan& plan) { return gib(plan.bytes_exchanged_max_rank()); }},
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    if (!cell.empty()) cells.push_back(cell);
  }
  return cells;
}

TEST(Scaling, NoMoreThanTheTablesSay) {
  std::ifstream in(std::string(KETMESH_SOURCE_DIR) + "/docs/scaling.md");
  ASSERT_TRUE(in);
  std::size_t compared = 0;
  std::string now;
  for (const auto& column : kColumns) {
    in.clear();
    in.seekg(0);
    std::string line;
    while (std::getline(in, line) && !line.starts_with("| " + std::string(column.heading) + ", ranks")) {
    }
    ASSERT_TRUE(in) << "no table of " << column.heading;
    const auto ranks = cells_of(line);
    now += line + "\n";
    std::getline(in, line);
    now += line + "\n";
    while (std::getline(in, line) && line.starts_with('|')) {
      const auto cells = cells_of(line);
      ASSERT_EQ(cells.size(), ranks.size()) << line;
      const auto circuit = app::family_circuit(cells[0], kQubits);
      now += "| " + cells[0];
      for (std::size_t c = 1; c < cells.size(); ++c) {
        const Plan plan = make_plan(circuit, machine_of(std::stoi(ranks[c])), {});
        const double value = column.value(plan);
        char text[32];
        std::snprintf(text, sizeof text, &column == kColumns ? "%.0f" : "%.2f", value);
        now += std::string(" | ") + text;
        EXPECT_LE(std::stod(text), std::stod(cells[c])) << column.heading << ", " << cells[0] << " on " << ranks[c] << " ranks";
        ++compared;
      }
      now += " |\n";
    }
    now += "\n";
  }
  EXPECT_EQ(compared, 3U * 8 * 9);
  if (HasFailure()) std::printf("%s", now.c_str());
}

}  // namespace
}  // namespace ketmesh
