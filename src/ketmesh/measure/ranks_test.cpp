// Everything that is read from a state, over the threads world: the same bits on every rank, the numbers of one rank.
#include <gtest/gtest.h>

#include <vector>

#include "ketmesh/measure/measure_testing.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh::measure {
namespace {

using namespace testing;
using Ranks = std::shared_ptr<CollectiveCommunicator>;

/// Everything that one rank read.
struct Readings {
  double norm = 0;
  std::vector<double> marginal, sums, values, collapsed;
  std::vector<std::pair<Index, std::uint64_t>> counts;
  cdouble product;
  bool operator==(const Readings&) const = default;
};

std::vector<PauliSum> observables_of(int n) {
  std::mt19937_64 random(5);
  std::vector<PauliSum> out = {"", "Z"};
  for (const char letter : {'X', 'Y', 'Z'}) out.emplace_back(std::string(static_cast<std::size_t>(n), letter));
  for (int k = 0; k < 8; ++k) {
    std::vector<PauliTerm> terms;
    for (int t = 0; t < 4; ++t) {
      std::string letters;
      for (int q = 0; q < n; ++q) letters += "IXYZ"[random() % 4];
      terms.push_back({0.3 * t - 1, letters});
    }
    out.emplace_back(terms);
  }
  return out;
}

Readings read_all(ShardedState state, ShardedState other) {
  const int n = state.num_qubits();
  Readings r;
  r.norm = norm_squared(state);
  r.marginal = probabilities(state, std::vector<int>{0, n - 1, n / 2});
  r.sums = block_sums(state).sums;
  for (const auto& s : sample(state, 4000, 7)) r.counts.emplace_back(s.outcome, s.count);
  const BlockSums coarse{probabilities(state, std::vector<int>{n - 1})};  // blocks of several pieces
  for (const auto& s : sample(state, 1000, 8, 0, &coarse)) r.counts.emplace_back(s.outcome, s.count);
  r.product = inner_product(state, other);
  r.values = expectation(state, observables_of(n));
  const std::vector<int> measured = {n - 1, 1};
  const auto p = probabilities(state, measured);
  const Outcome outcome = choose(p, 0.6);
  collapse(state, measured, outcome.value, outcome.probability);
  r.collapsed = probabilities(state, std::vector<int>{1, 2, n - 1});
  return r;
}

Readings over(int ranks, int n, int shard_bits, const Variant& v) {
  std::vector<Readings> seen(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const Ranks& world) {
    const auto context = std::make_shared<DistributedExecutionContext>(world, DeviceMesh::cpu(1, 1_GiB), 1);
    const Placement placement = placement_of(n, shard_bits, ranks);
    ShardedState state = make_state(context, placement, random_vector(n, 41), v),
                 other = make_state(context, placement, random_vector(n, 42), v);
    ASSERT_FALSE(state.own_shards().empty());
    seen[static_cast<std::size_t>(world->rank())] = read_all(std::move(state), std::move(other));
  });
  for (const Readings& r : seen) EXPECT_TRUE(r == seen[0]) << ranks << " ranks";
  return seen[0];
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(Ranks, AllReadingsOnAnyNumberOfThem) {
  for (const int n : {5, 14})  // the smaller ones: most strings flip more bits than a shard has
    for (const Precision precision : {Precision::single, Precision::double_}) {
      const Readings alone = over(1, n, 0, {.precision = precision});
      for (const int ranks : {2, 3, 4, 5, 8})
        for (const unsigned layout : {0U, 9U}) {
          const Readings together =
              over(ranks, n, ranks > 4 ? 4 : 3, {.precision = precision, .layout_seed = layout, .workspace = layout == 0 ? 16_MiB : 512});
          const double tolerance = precision == Precision::single ? 3e-6 : 1e-13;
          EXPECT_NEAR(together.norm, alone.norm, tolerance);
          expect_near(together.marginal, alone.marginal, tolerance);
          expect_near(together.sums, alone.sums, tolerance);
          expect_near(together.values, alone.values, tolerance);
          expect_near(together.collapsed, alone.collapsed, tolerance);
          EXPECT_LT(std::abs(together.product - alone.product), tolerance);
          EXPECT_EQ(together.counts, alone.counts) << ranks << " ranks";
          if (HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace ketmesh::measure
