// Shards over devices and what fits: tables of cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// devices[r]: capacities of rank r in bytes.
Machine machine_of(const std::vector<std::vector<std::uint64_t>>& devices) {
  Machine machine;
  for (const auto& rank : devices) {
    DeviceMesh mesh;
    for (std::size_t d = 0; d < rank.size(); ++d) {
      Device device;
      device.ordinal = static_cast<int>(d);
      device.memory_bytes = rank[d];
      mesh.devices.push_back(device);
    }
    machine.ranks.push_back(mesh);
  }
  return machine;
}

std::vector<std::size_t> held(const Placement& p, const Machine& machine) {
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < machine.ranks.size(); ++r)
    for (std::size_t d = 0; d < machine.ranks[r].devices.size(); ++d)
      out.push_back(static_cast<std::size_t>(
          std::count(p.owners.begin(), p.owners.end(), Placement::Owner{static_cast<int>(r), static_cast<int>(d)})));
  return out;
}

using Counts = std::vector<std::size_t>;

TEST(Placement, EqualDevicesHoldAtMostAQuarterMoreThanTheirPart) {
  for (std::size_t devices = 1; devices <= 33; ++devices) {
    const auto machine = machine_of({std::vector<std::uint64_t>(devices, 64 * kGiB)});
    const auto p = PlacementPlanner().place(30, 1, machine, {});
    const auto counts = held(p, machine);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), p.owners.size());
    EXPECT_LE(p.largest_share, 1.25 / static_cast<double>(devices) + 1e-12) << devices;
    if (p.shard_bits > 0) {  // half as many shards would break the rule
      const std::size_t half = p.owners.size() / 2;
      const double share = static_cast<double>((half + devices - 1) / devices) / static_cast<double>(half);
      EXPECT_GT(share, 1.25 / static_cast<double>(devices)) << devices;
    }
  }
}

TEST(Placement, AnEvenDivisionLeavesNoDeviceWithoutAShard) {
  for (const auto policy : {PlacementPolicy::equal, PlacementPolicy::round_robin})
    for (std::size_t ranks = 1; ranks <= 33; ++ranks) {
      const auto machine = machine_of(std::vector<std::vector<std::uint64_t>>(ranks, {kGiB}));
      PlanOptions options;
      options.policy = policy;
      const auto counts = held(PlacementPlanner().place(20, 1, machine, options), machine);
      EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 1U) << ranks;
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()) - *std::min_element(counts.begin(), counts.end()), 1U) << ranks;
      // As far as a small state goes.
      EXPECT_EQ(PlacementPlanner().place(3, 1, machine, options).num_shards(), ranks == 1 ? 1 : ranks == 2 ? 2 : 4) << ranks;
    }
}

TEST(Placement, CapacityDecidesHowManyShards) {
  // 8 GiB of state; the first device has room for a quarter, the others for more.
  const auto machine = machine_of({{2 * kGiB + 64_MiB, 16 * kGiB}, {16 * kGiB}});
  const auto p = PlacementPlanner().place(30, 1, machine, {});
  const auto counts = held(p, machine);
  EXPECT_LE(static_cast<double>(counts[0]) / static_cast<double>(p.owners.size()), 0.25);
  EXPECT_TRUE(make_plan(Circuit(30).h(0), machine, {}).memory.fits);
}

TEST(Placement, SmallStatesStayOnOneDeviceUnlessTold) {
  const auto machine = machine_of({{kGiB, kGiB}, {kGiB, kGiB}});
  EXPECT_EQ(PlacementPlanner().place(4, 1, machine, {}).num_shards(), 1);
  PlanOptions told;
  told.shards = 4;
  EXPECT_EQ(held(PlacementPlanner().place(4, 1, machine, told), machine), (Counts{1, 1, 1, 1}));
  PlanOptions equal;
  equal.policy = PlacementPolicy::equal;
  EXPECT_EQ(held(PlacementPlanner().place(4, 1, machine, equal), machine), (Counts{1, 1, 1, 1}));
}

TEST(Placement, Policies) {
  const auto machine = machine_of({{kGiB}, {kGiB}, {kGiB}});
  PlanOptions options;
  options.policy = PlacementPolicy::round_robin;
  options.shards = 8;
  const auto round = PlacementPlanner().place(10, 1, machine, options);
  for (std::size_t s = 0; s < 8; ++s) EXPECT_EQ(round.owners[s].rank, static_cast<int>(s % 3));
  options.policy = PlacementPolicy::explicit_counts;
  options.shards = 0;
  options.shards_per_rank = {2, 1, 1};
  EXPECT_EQ(held(PlacementPlanner().place(10, 1, machine, options), machine), (Counts{2, 1, 1}));
  options.shards_per_rank = {2, 1, 2};
  EXPECT_THROW(PlacementPlanner().place(10, 1, machine, options), OptionError);
  options.shards_per_rank = {4, 4};
  EXPECT_THROW(PlacementPlanner().place(10, 1, machine, options), OptionError);
}

TEST(Placement, ManyShardsAreLoweredForWideGatesOrRefusedByName) {
  const auto machine = machine_of({std::vector<std::uint64_t>(8, kGiB)});
  Circuit wide(18);
  std::vector<cdouble> swap_like(1 << 12);
  for (std::size_t i = 0; i < 64; ++i) swap_like[i * 64 + (63 - i)] = 1;
  const std::vector<Qubit> qubits{0, 1, 2, 3, 4, 5};
  wide.unitary(swap_like, qubits);
  PlanOptions options;
  options.shards = 1 << 13;
  try {
    make_plan(wide, machine, options);
    FAIL() << "13 global bits leave 5 local ones for 6 targets";
  } catch (const OptionError& e) {
    EXPECT_NE(std::string(e.what()).find("unitary"), std::string::npos) << e.what();
  }
  options.shards = 1 << 12;
  EXPECT_EQ(make_plan(wide, machine, options).placement.local_bits(), 6);
  for (const int bad : {3, -1, 1 << 18}) {
    options.shards = bad;
    EXPECT_THROW(make_plan(wide, machine, options), OptionError) << bad;
  }
}

TEST(Memory, SaysWhatIsNeededAndWhatWouldFit) {
  const auto machine = machine_of({{8 * kGiB}});
  const auto start = std::chrono::steady_clock::now();
  try {
    make_plan(Circuit(50).h(49), machine, {});
    FAIL();
  } catch (const DoesNotFit& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("50 qubits"), std::string::npos) << text;
    EXPECT_NE(text.find("8 PiB"), std::string::npos) << text;
    EXPECT_NE(text.find("8 GiB"), std::string::npos) << text;
    EXPECT_NE(e.hint().find("30 qubits"), std::string::npos) << e.hint();
    EXPECT_EQ(e.available_bytes(), 8 * kGiB);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Memory, EdgesAreExact) {
  // One shard: the state alone. Two: half of it and the workspace of an exchange each, a thirty-second of a shard.
  EXPECT_NO_THROW(make_plan(Circuit(20).h(0), machine_of({{8_MiB}}), {}));
  EXPECT_THROW(make_plan(Circuit(20).h(0), machine_of({{8_MiB - 1}}), {}), DoesNotFit);
  PlanOptions two;
  two.shards = 2;
  const std::uint64_t each = 4_MiB + 128_KiB;
  EXPECT_NO_THROW(make_plan(Circuit(20).h(0), machine_of({{each, each}}), two));
  EXPECT_THROW(make_plan(Circuit(20).h(0), machine_of({{each, each - 1}}), two), DoesNotFit);
  two.workspace_bytes = 64_KiB;  // an upper limit
  EXPECT_NO_THROW(make_plan(Circuit(20).h(0), machine_of({{each, 4_MiB + 64_KiB}}), two));
  PlanOptions single;
  single.extra_bytes = 1;
  EXPECT_THROW(make_plan(Circuit(20).h(0), machine_of({{8_MiB}}), single), DoesNotFit);
  single.check_memory = false;
  EXPECT_FALSE(make_plan(Circuit(20).h(0), machine_of({{8_MiB}}), single).memory.fits);
  PlanOptions twice;
  twice.precision = Precision::double_;
  try {
    make_plan(Circuit(20).h(0), machine_of({{8_MiB}}), twice);
    FAIL();
  } catch (const DoesNotFit& e) {
    EXPECT_NE(e.hint().find("single precision"), std::string::npos) << e.hint();
  }
  EXPECT_THROW(plan_state(62, machine_of({{kGiB}}), {}), DoesNotFit);
  EXPECT_THROW(plan_state(63, machine_of({{kGiB}}), {}), OptionError);
}

TEST(Exchange, BytesCountBlocksThatLeave) {
  // 4 ranks of one shard; every pair swap moves half of each shard, a double one three quarters.
  const auto machine = machine_of({{kGiB}, {kGiB}, {kGiB}, {kGiB}});
  PlanOptions options;
  options.shards = 4;
  options.start_layout = Layout(10);
  options.start_given = true;
  const auto one = make_plan(Circuit(10).h(9), machine, options);
  ASSERT_EQ(one.num_exchanges(), 1U);
  EXPECT_EQ(one.bytes_exchanged_total(), 1024U * 8 / 2);
  EXPECT_EQ(one.bytes_exchanged_max_rank(), 1024U * 8 / 8);
  EXPECT_EQ(one.bytes_between_ranks(), one.bytes_exchanged_total());
  const auto both = make_plan(Circuit(10).h(9).h(8), machine, options);
  ASSERT_EQ(both.num_exchanges(), 1U);
  EXPECT_EQ(both.bytes_exchanged_total(), 1024U * 8 * 3 / 4);
}

}  // namespace
}  // namespace ketmesh
