// Passes and exchanges of the benchmark families, pinned: a change of the planner may lower them, never raise them.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "families.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh {
namespace {

// n = 30 with tiles of 2^10, 2^12, 2^14, 2^16 on a GPU; n = 24 and 26 with tiles of 2^15 on a CPU; exchanges of n = 30 over 8 and 64 shards.
struct Case {
  const char* family;
  std::array<std::size_t, 8> most;
};

// From |0..0> the Fourier transform is a product state: nothing is left to compute.
constexpr Case kFromZero[] = {
    {"qft", {0, 0, 0, 0, 0, 0, 0, 0}},          {"rqc", {6, 5, 4, 3, 3, 3, 1, 1}},   {"qv", {44, 33, 25, 20, 13, 16, 7, 9}},
    {"qaoa", {8, 6, 5, 4, 3, 4, 1, 1}},         {"ising", {9, 5, 4, 3, 3, 3, 1, 1}}, {"hea", {10, 8, 6, 3, 3, 3, 1, 1}},
    {"heisenberg", {14, 10, 7, 6, 4, 5, 1, 2}}, {"ghz", {5, 4, 3, 3, 2, 3, 1, 1}},
};

// On amplitudes that are given, in logical order: the highest qubits are global then, and the Fourier transform begins with them.
constexpr Case kGiven[] = {
    {"qft", {5, 4, 3, 3, 2, 3, 2, 2}},
    {"ghz", {5, 4, 3, 3, 2, 3, 1, 1}},
};

Machine big_machine() {
  Device cpu;
  cpu.memory_bytes = std::uint64_t{1} << 50;
  Machine machine;
  machine.ranks = {DeviceMesh{{cpu}, 0}};
  return machine;
}

void check(const Case& expected, bool given) {
  const Machine machine = big_machine();
  for (std::size_t c = 0; c < 8; ++c) {
    const int n = c == 4 ? 24 : c == 5 ? 26 : 30;
    PlanOptions options;
    if (c < 4) {
      options.target = DeviceKind::cuda;
      options.tile_bits = static_cast<int>(10 + 2 * c);
    } else if (c < 6) {
      options.tile_bits = 15;
    } else {
      options.shards = c == 6 ? 8 : 64;
    }
    options.start_given = given;
    if (given) options.start_layout = Layout(n);
    const Plan plan = make_plan(app::family_circuit(expected.family, n), machine, options);
    const std::size_t count = c < 6 ? plan.num_passes() : plan.num_exchanges();
    EXPECT_LE(count, expected.most[c]) << expected.family << (given ? " (given start)" : "") << ", column " << c;
  }
}

TEST(Counts, FromZeroNeverMoreThanPinned) {
  for (const auto& c : kFromZero) check(c, false);
}

TEST(Counts, OnGivenAmplitudesNeverMoreThanPinned) {
  for (const auto& c : kGiven) check(c, true);
}

/// Bytes that cross from host to host.
std::uint64_t bytes_between_hosts(const Plan& plan, const Machine& machine) {
  const int local = plan.placement.local_bits();
  const auto host = [&](std::size_t shard) { return machine.ranks[static_cast<std::size_t>(plan.placement.owners[shard].rank)].host; };
  std::uint64_t bytes = 0;
  for (const auto& stage : plan.stages) {
    const auto& pairs = stage.exchange.pairs;
    const std::uint64_t block = (bytes_per_amplitude(plan.precision) << local) >> pairs.size();
    for (std::size_t s = 0; s < plan.placement.owners.size(); ++s)
      for (std::size_t other = 1; other < (std::size_t{1} << pairs.size()); ++other) {
        std::size_t partner = s;
        for (std::size_t i = 0; i < pairs.size(); ++i)
          if ((other >> i) & 1) partner ^= std::size_t{1} << (pairs[i].global_bit - local);
        if (host(s) != host(partner)) bytes += block;
      }
  }
  return bytes;
}

TEST(Links, BitsThatAreExchangedOftenSitInsideAHost) {
  // 64 ranks on 8 hosts; the network is ten times slower.
  Device cpu;
  cpu.memory_bytes = std::uint64_t{1} << 40;
  std::uint64_t sum = 0, blind_sum = 0;
  for (const bool in_turn : {false, true}) {
    Machine machine;
    machine.between_hosts.bandwidth = machine.inside_host.bandwidth / 10;
    for (int r = 0; r < 64; ++r) machine.ranks.push_back(DeviceMesh{{cpu}, in_turn ? r % 8 : r / 8});
    for (const auto& family : kFromZero) {
      const auto circuit = app::family_circuit(family.family, 30);
      PlanOptions options;
      options.shards = 64;
      const Plan plan = make_plan(circuit, machine, options);
      options.full_mesh = true;
      const Plan blind = make_plan(circuit, machine, options);
      EXPECT_EQ(plan.num_exchanges(), blind.num_exchanges()) << family.family;
      EXPECT_LE(plan.seconds_exchange, blind.seconds_exchange * 1.0001) << family.family << (in_turn ? ", in turn" : "");
      EXPECT_LE(bytes_between_hosts(plan, machine), bytes_between_hosts(blind, machine)) << family.family;
      sum += bytes_between_hosts(plan, machine);
      blind_sum += bytes_between_hosts(blind, machine);
    }
  }
  RecordProperty("percent_of_blind", std::to_string(100 * sum / blind_sum));
  EXPECT_LT(sum, blind_sum);
}

TEST(Counts, PlansAreTheSameEveryTime) {
  const auto circuit = app::family_circuit("qaoa", 20);
  PlanOptions options;
  options.tile_bits = 10;
  options.shards = 4;
  const Plan a = make_plan(circuit, big_machine(), options), b = make_plan(circuit, big_machine(), options);
  EXPECT_EQ(a, b);
  EXPECT_NE(a.hash, 0U);
}

TEST(Counts, TheValuesOfAnglesChangeNothing) {
  Circuit a(12), b(12);
  for (Qubit q = 0; q < 12; ++q) {
    a.ry(q, 0.1 * q).rz(q, 0.0);
    b.ry(q, 1.0).rz(q, 3.0);
  }
  for (Qubit q = 0; q + 1 < 12; ++q) {
    a.rzz(q, q + 1, 0.0).rxx(q, q + 1, 0.5);
    b.rzz(q, q + 1, 2.5).rxx(q, q + 1, 0.0);
  }
  PlanOptions options;
  options.tile_bits = 6;
  options.row_bits = 2;
  const Plan plan = make_plan(a, big_machine(), options);
  EXPECT_EQ(plan, make_plan(b, big_machine(), options));
}

}  // namespace
}  // namespace ketmesh
