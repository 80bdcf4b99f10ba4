// One state over the threads world: what every rank reads is what one rank alone holds, bit by bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/state/sharded_state.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh {
namespace {

using Ranks = std::shared_ptr<CollectiveCommunicator>;

/// Shards in runs (equal placement) or in turn.
Placement placement_over(int ranks, int n, int shard_bits, bool in_turn) {
  Placement placement;
  placement.num_qubits = n;
  placement.shard_bits = shard_bits;
  const int shards = placement.num_shards();
  for (int s = 0; s < shards; ++s) placement.owners.push_back({in_turn ? s % ranks : s * ranks / shards, 0});
  return placement;
}

Layout random_layout(int n, std::mt19937_64& random) {
  std::vector<int> bits(static_cast<std::size_t>(n));
  for (int q = 0; q < n; ++q) bits[static_cast<std::size_t>(q)] = q;
  std::shuffle(bits.begin(), bits.end(), random);
  return Layout(std::span<const int>(bits));
}

/// Some of them -0: a sum with 0 would not keep its sign.
std::vector<cdouble> values_of(int n) {
  std::vector<cdouble> values(std::size_t{1} << n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {i % 7 == 3 ? -0.0 : static_cast<double>(i), i % 5 == 1 ? -0.0 : -1.0};
  return values;
}

bool same_bits(std::span<const cdouble> a, std::span<const cdouble> b) {
  const auto same = [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](cdouble x, cdouble y) { return same(x.real(), y.real()) && same(x.imag(), y.imag()); });
}

ShardedState state_on(const Ranks& ranks, const Placement& placement, Precision precision, const Layout& layout) {
  ShardedState state(std::make_shared<DistributedExecutionContext>(ranks, DeviceMesh::cpu(1, 1_GiB), 1), placement, precision);
  state.set_layout(layout);
  return state;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class StateOverRanks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("ketmesh_state_ranks_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(StateOverRanks, EveryRankReadsTheSameAmplitudes) {
  std::mt19937_64 random(21);
  const int n = 10;
  const auto values = values_of(n);
  for (const int ranks : {2, 3, 4, 5, 8})
    for (const bool in_turn : {false, true})
      for (const bool sorted : {true, false}) {
        const Placement placement = placement_over(ranks, n, ranks > 4 ? 4 : 3, in_turn);
        const Layout layout = sorted ? Layout(n) : random_layout(n, random);
        run_ranks(ranks, [&](const Ranks& world) {
          ShardedState state = state_on(world, placement, Precision::double_, layout);
          ASSERT_FALSE(state.own_shards().empty()) << "rank " << world->rank();
          state.from_host<cdouble>(0, values);
          std::vector<cdouble> out(values.size());
          state.to_host<cdouble>(0, out.size(), out);
          EXPECT_TRUE(same_bits(out, values));
          const Index begin = 37, end = 901;
          std::vector<cdouble> part(end - begin);
          state.to_host<cdouble>(begin, end, part);
          EXPECT_TRUE(same_bits(part, std::span(values).subspan(begin, end - begin)));
          const std::vector<Index> some = {1023, 0, 3, 3, 500, 17};
          const auto read = state.amplitudes(some);
          for (std::size_t i = 0; i < some.size(); ++i) EXPECT_TRUE(same_bits({&read[i], 1}, {&values[some[i]], 1}));
          const auto copy = state.snapshot();
          state.canonicalise();
          EXPECT_EQ(state.layout(), Layout(n));
          state.to_host<cdouble>(0, out.size(), out);
          EXPECT_EQ(out, values);  // kernels may turn -0 into 0
          state.set_basis(5);
          state.restore(copy);
          state.to_host<cdouble>(0, out.size(), out);
          EXPECT_TRUE(same_bits(out, values));
        });
        if (HasFailure()) return;
      }
}

TEST_F(StateOverRanks, AFileIsTheSameWhoeverWritesIt) {
  std::mt19937_64 random(22);
  for (const int n : {5, 20}) {  // one window and several
    const auto values = values_of(n);
    const Layout layout = random_layout(n, random);
    const auto alone = folder_ / "alone.npy";
    {
      ShardedState state = state_on(self_communicator(), placement_over(1, n, 2, false), Precision::single, layout);
      state.from_host<cdouble>(0, values);
      state.add_global_phase(0.5);
      write_npy(state, alone);
    }
    for (const int ranks : {2, 3, 8})
      for (const bool sorted : {true, false}) {
        const auto path = folder_ / "together.npy";
        run_ranks(ranks, [&](const Ranks& world) {
          const Placement placement = placement_over(ranks, n, 3, false);
          ShardedState state = state_on(world, placement, Precision::single, sorted ? Layout(n) : layout);
          state.from_host<cdouble>(0, values);
          state.add_global_phase(0.5);
          write_npy(state, path);
        });
        EXPECT_TRUE(bytes_of(path) == bytes_of(alone)) << n << " qubits, " << ranks << " ranks";
      }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2) << "nothing temporary is left";
}

TEST_F(StateOverRanks, AFileThatCannotBeMadeEndsEveryRank) {
  const auto outcomes = outcomes_of_ranks(
      3,
      [&](const Ranks& world) {
        ShardedState state = state_on(world, placement_over(3, 6, 2, false), Precision::single, Layout(6));
        state.set_basis(0);
        try {
          write_npy(state, folder_ / "no" / "state.npy");
        } catch (const Error& error) {
          world->post_error({.kind = error.kind(), .message = error.what()});
          throw;
        }
      },
      20);
  for (const auto& outcome : outcomes) EXPECT_TRUE(outcome);
}

TEST(Context, HostsOfTheMachineAreThoseOfTheRanks) {
  run_ranks_on_hosts({"b", "a", "b", "a"}, [](const Ranks& ranks) {
    const int r = ranks->rank();
    EXPECT_EQ(ranks->local_rank(), r / 2);
    const DistributedExecutionContext found(ranks, DeviceMesh::cpu(1, 1_GiB), 1);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(found.machine().ranks[static_cast<std::size_t>(k)].host, k % 2);
    EXPECT_EQ(found.machine().link(0, 2).kind, LinkClass::host);
    EXPECT_EQ(found.machine().link(0, 1).kind, LinkClass::network);
    // A machine file says how it is.
    DeviceMesh mesh = DeviceMesh::cpu(1, 1_GiB);
    mesh.host = r / 2;
    const DistributedExecutionContext given(ranks, mesh, 1);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(given.machine().ranks[static_cast<std::size_t>(k)].host, k / 2);
  });
}

}  // namespace
}  // namespace ketmesh
