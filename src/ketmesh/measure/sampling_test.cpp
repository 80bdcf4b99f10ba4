#include <gtest/gtest.h>

#include <map>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/draws.hpp"
#include "ketmesh/measure/measure_testing.hpp"

namespace ketmesh::kernels {  // for EXPECT_EQ
static bool operator==(const OutcomeCount& a, const OutcomeCount& b) { return a.outcome == b.outcome && a.count == b.count; }
static std::ostream& operator<<(std::ostream& out, const OutcomeCount& c) { return out << c.outcome << ":" << c.count; }
}  // namespace ketmesh::kernels

namespace ketmesh::measure {

namespace {

using namespace testing;

std::uint64_t total(const std::vector<SampleCount>& counts) {
  std::uint64_t sum = 0;
  for (const auto& c : counts) sum += c.count;
  return sum;
}

/// Shot by shot, one running sum over all outcomes.
std::vector<SampleCount> plain(const Vector& a, std::uint64_t shots, std::uint64_t seed, std::uint64_t first) {
  std::vector<double> running;
  double sum = 0;
  for (const auto& x : a) running.push_back(sum += std::norm(x));
  std::map<Index, std::uint64_t> counts;
  for (std::uint64_t k = first; k < first + shots; ++k) {
    const double target = draw_uniform(seed, DrawPurpose::terminal_sampling, k, 0) * sum;
    ++counts[static_cast<Index>(std::upper_bound(running.begin(), running.end(), target) - running.begin())];
  }
  std::vector<SampleCount> out;
  for (const auto& [outcome, count] : counts) out.push_back({outcome, count});
  return out;
}

TEST(Draws, AreThoseOfTheShotsInOrder) {
  for (const std::uint64_t count : {0ULL, 1ULL, 2ULL, 25ULL, 1000ULL, 1025ULL, 5000ULL, 300000ULL}) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t k = 0; k < count; ++k) expected.push_back(draw_bits(9, DrawPurpose::terminal_sampling, 70 + k, 0) >> 11);
    std::sort(expected.begin(), expected.end());
    for (const int threads : {1, 2, 3}) EXPECT_EQ(sorted_draws(9, 70, count, threads), expected) << count;
  }
}

TEST(Sampling, EqualsThePlainLookupOnAnyPlacement) {
  for (const int n : {1, 2, 5, 12, 14}) {
    const Vector a = random_vector(n, static_cast<unsigned>(n), 0.3);
    for (const auto& v : variants(n)) {
      const auto expected = plain(rounded(a, v.precision), 3000, 5, 10);
      const auto counts = sample(make_state(a, v), 3000, 5, 10);
      ASSERT_EQ(counts, expected) << n << " shards " << (1 << v.shard_bits) << " layout " << v.layout_seed;
    }
  }
}

TEST(Sampling, SameCountsForAnyTeamAndCut) {
  const int n = 17;
  const Vector a = random_vector(n, 2);
  const auto expected = sample(make_state(a, {.threads = 1}), 200000, 8);
  EXPECT_EQ(total(expected), 200000U);
  for (const int threads : {2, 3})
    for (const int s : {0, 3, 5})
      for (const unsigned layout : {0U, 21U, 22U})
        EXPECT_EQ(sample(make_state(a, {.shard_bits = s, .layout_seed = layout, .threads = threads}), 200000, 8), expected);
  // Shots in two calls are the same shots.
  const auto state = make_state(a, {});
  std::map<Index, std::uint64_t> joined;
  for (const auto& c : sample(state, 70000, 8)) joined[c.outcome] += c.count;
  for (const auto& c : sample(state, 130000, 8, 70000)) joined[c.outcome] += c.count;
  ASSERT_EQ(joined.size(), expected.size());
  for (const auto& c : expected) ASSERT_EQ(joined[c.outcome], c.count);
}

TEST(Sampling, FollowsTheDistribution) {
  const int n = 5;
  const Vector a = random_vector(n, 6);
  const std::uint64_t shots = 200000;
  const auto counts = sample(make_state(a, {.precision = Precision::single}), shots, 1);
  double chi2 = 0;
  std::map<Index, std::uint64_t> by;
  for (const auto& c : counts) by[c.outcome] = c.count;
  for (Index i = 0; i < a.size(); ++i) {
    const double wanted = static_cast<double>(shots) * std::norm(a[i]);
    chi2 += std::pow(static_cast<double>(by[i]) - wanted, 2) / wanted;
  }
  EXPECT_LT(chi2, 61.1);  // 31 degrees of freedom: 1 in 1,000
  EXPECT_GT(chi2, 11.0);
}

TEST(Sampling, ShotsBeyondOneChunk) {
  const Vector a = random_vector(3, 7);
  const std::uint64_t shots = (std::uint64_t{1} << 22) + 12345;
  const auto counts = sample(make_state(a, {}), shots, 4);
  EXPECT_EQ(counts, plain(a, shots, 4, 0));
}

TEST(Sampling, NoShots) { EXPECT_TRUE(sample(make_state(random_vector(2, 1), {}), 0, 1).empty()); }

TEST(Sampling, AllShotsOnOneOutcome) {
  for (const int n : {1, 13, 16})
    for (const unsigned layout : {0U, 5U}) {
      Vector a(std::size_t{1} << n);
      const Index outcome = (a.size() - 1) & 0xaaaaaaaaaaaaaaaa;
      a[outcome] = {0, 1};
      EXPECT_EQ(sample(make_state(a, {.layout_seed = layout}), 12345, 3), (std::vector<SampleCount>{{outcome, 12345}}));
    }
}

TEST(Sampling, NormNearOneNeitherLosesNorInventsShots) {
  for (const double factor : {1 - 1e-6, 1 + 1e-6, 0.1, 7.0})
    for (const auto precision : {Precision::single, Precision::double_}) {
      Vector a = random_vector(13, 8, 0.9);
      for (auto& x : a) x *= factor;
      const auto counts = sample(make_state(a, {.precision = precision, .layout_seed = 3}), 100000, 6);
      EXPECT_EQ(total(counts), 100000U);
      for (const auto& c : counts) EXPECT_NE(a[c.outcome], 0.0);
    }
}

// Sums that a pass left before it rounded its amplitudes, or that are plainly wrong, never make an impossible outcome.
TEST(Sampling, BlockSumsThatDisagreeWithTheAmplitudes) {
  const int n = 15;
  Vector a(std::size_t{1} << n);
  a[5 << 12] = 0.6;
  a[(5 << 12) + 77] = 0.8;
  const auto state = make_state(a, {.shard_bits = 2, .layout_seed = 4});
  BlockSums sums{std::vector<double>(8, 0.0)};
  sums.sums[5] = 1.01;
  auto counts = sample(state, 10000, 2, 0, &sums);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_EQ(total(counts), 10000U);
  sums.sums.assign(8, 1.0);  // blocks of zeros with a weight
  counts = sample(state, 10000, 2, 0, &sums);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(total(counts), 10000U);
  EXPECT_EQ(counts[0].outcome, Index{5} << 12);
}

TEST(Sampling, RefusesAStateOfZeros) {
  EXPECT_THROW(sample(make_state(Vector(4), {}), 1, 1), Internal);
  Vector nan(4, 0.5);
  nan[2] = std::nan("");
  EXPECT_THROW(sample(make_state(nan, {}), 1, 1), Internal);
}

/// A kernel table that counts the amplitudes which it is asked to read.
struct Counted {
  static inline const kernels::Kernels* inner = nullptr;
  static inline Index marginals = 0, probabilities = 0;
  static kernels::Kernels table(const kernels::Kernels& k) {
    inner = &k;
    marginals = probabilities = 0;
    kernels::Kernels counted = k;
    counted.marginals = [](const kernels::DeviceContext& c, const kernels::Shard& s, std::span<const std::uint8_t> bits, double* out) {
      marginals += s.size();
      inner->marginals(c, s, bits, out);
    };
    counted.probabilities = [](const kernels::DeviceContext& c, const kernels::Shard& s, std::span<const std::uint8_t> free,
                               std::span<const Index> fixed, double* out) {
      probabilities += fixed.size() << free.size();
      inner->probabilities(c, s, free, fixed, out);
    };
    return counted;
  }
};

TEST(Sampling, ReadsTheStateOnceBesideTheBlockSums) {
  const int n = 16;
  const Vector a = random_vector(n, 9);
  for (const unsigned layout : {0U, 31U, 32U, 33U}) {
    const auto state = make_state(a, {.precision = Precision::single, .layout_seed = layout});
    auto& own = const_cast<transport::OwnedShard&>(state.own_shards()[0]);
    const auto counted = Counted::table(*own.kernels);
    own.kernels = &counted;
    const auto sums = block_sums(state);
    EXPECT_EQ(Counted::marginals, a.size());
    sample(state, 100000, 1, 0, &sums);
    EXPECT_EQ(Counted::marginals, a.size());
    EXPECT_EQ(Counted::probabilities, a.size());
    Counted::probabilities = 0;
    sample(state, 1, 1, 0, &sums);  // only the block of the shot
    EXPECT_EQ(Counted::probabilities, Index{1} << 12);
  }
}

}  // namespace
}  // namespace ketmesh::measure
