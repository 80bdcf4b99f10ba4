#include <gtest/gtest.h>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/measure_testing.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh::measure {
namespace {

using namespace testing;

TEST(Probabilities, OfAnyQubitsInAnyPlacement) {
  std::mt19937_64 random(1);
  for (const int n : {1, 2, 6, 13}) {
    const Vector a = random_vector(n, static_cast<unsigned>(n));
    for (const auto& v : variants(n)) {
      const auto state = make_state(a, v);
      const double tolerance = v.precision == Precision::single ? 1e-6 : 1e-13;
      EXPECT_NEAR(norm_squared(state), 1, tolerance);
      std::vector<int> qubits(static_cast<std::size_t>(n));
      for (int q = 0; q < n; ++q) qubits[static_cast<std::size_t>(q)] = q;
      std::shuffle(qubits.begin(), qubits.end(), random);
      qubits.resize(random() % (qubits.size() + 1));
      std::vector<double> expected(std::size_t{1} << qubits.size());
      for (Index i = 0; i < a.size(); ++i) expected[bits::gather(i, std::span<const int>(qubits))] += std::norm(a[i]);
      const auto p = probabilities(state, qubits);
      ASSERT_EQ(p.size(), expected.size());
      for (std::size_t i = 0; i < p.size(); ++i) ASSERT_NEAR(p[i], expected[i], tolerance);
    }
  }
}

TEST(Probabilities, BlockSumsAreOfLogicalBlocks) {
  const int n = 15;
  const Vector a = random_vector(n, 3);
  for (const auto& v : variants(n)) {
    const auto state = make_state(a, v);
    const auto sums = block_sums(state);
    ASSERT_EQ(sums.block_qubits(n), 12);
    ASSERT_EQ(sums.sums.size(), 8U);
    for (std::size_t b = 0; b < 8; ++b) {
      double expected = 0;
      for (Index i = b << 12; i < (b + 1) << 12; ++i) expected += std::norm(a[i]);
      ASSERT_NEAR(sums.sums[b], expected, v.precision == Precision::single ? 1e-6 : 1e-13);
    }
  }
  EXPECT_EQ(block_bits(Layout(3)).size(), 0U);
  EXPECT_EQ(block_bits(Layout(40)).size(), 12U);
}

TEST(Probabilities, RefusesWrongQubits) {
  const auto state = make_state(random_vector(3, 1), {});
  for (const auto& wrong : {std::vector<int>{3}, {-1}, {1, 1}}) EXPECT_THROW(probabilities(state, wrong), CircuitError);
  EXPECT_THROW(probabilities(state, std::vector<int>(27)), OptionError);
}

TEST(Choose, TakesTheFirstOutcomeBeyondTheDraw) {
  const std::vector<double> p = {0, 0.25, 0, 0.25, 0.5, 0};
  EXPECT_EQ(choose(p, 0).value, 1U);
  EXPECT_EQ(choose(p, 0.2499).value, 1U);
  EXPECT_EQ(choose(p, 0.25).value, 3U);
  EXPECT_EQ(choose(p, 0.5).value, 4U);
  EXPECT_EQ(choose(p, 0x1.fffffffffffffp-1).value, 4U);
  EXPECT_EQ(choose(p, 0.3).probability, 0.25);
  // Not normalised: the draw is a share of the sum.
  EXPECT_EQ(choose(std::vector<double>{1, 3}, 0.24).value, 0U);
  EXPECT_EQ(choose(std::vector<double>{1, 3}, 0.26).value, 1U);
  for (int k = 1; k < 2000; ++k) {  // sums that round: never an impossible outcome
    const std::vector<double> thirds = {0, 1.0 / k, 0.1, 0.7 / k, 0};
    const auto chosen = choose(thirds, 1 - 0x1p-53);
    ASSERT_EQ(chosen.value, 3U);
  }
  EXPECT_THROW(choose(std::vector<double>{0, 0}, 0.5), Internal);
  EXPECT_THROW(choose({}, 0.5), Internal);
}

TEST(Collapse, ProjectsAndNormalises) {
  const int n = 7;
  const Vector a = random_vector(n, 4);
  for (const auto& v : variants(n)) {
    auto state = make_state(a, v);
    const std::vector<int> qubits = {5, 0, 3};
    const auto p = probabilities(state, qubits);
    const auto outcome = choose(p, 0.6);
    collapse(state, qubits, outcome.value, outcome.probability);
    Vector after(a.size());
    state.to_host<cdouble>(0, after.size(), after);
    for (Index i = 0; i < a.size(); ++i) {
      const bool kept = bits::gather(i, std::span<const int>(qubits)) == outcome.value;
      const cdouble expected = kept ? a[i] / std::sqrt(outcome.probability) : 0.0;
      ASSERT_LE(std::abs(after[i] - expected), kept ? (v.precision == Precision::single ? 1e-6 : 1e-14) : 0.0);
    }
    EXPECT_NEAR(norm_squared(state), 1, 1e-6);
    EXPECT_THROW(collapse(state, qubits, 0, 0), Internal);
  }
}

TEST(InnerProduct, OfStatesPlacedAlike) {
  const int n = 6;
  const Vector a = random_vector(n, 5), b = random_vector(n, 6);
  cdouble expected = 0;
  for (std::size_t i = 0; i < a.size(); ++i) expected += std::conj(a[i]) * b[i];
  for (const auto& v : variants(n)) {
    const auto x = make_state(a, v);
    auto y = make_state(b, v);
    y.add_global_phase(0.5);
    EXPECT_LE(std::abs(inner_product(x, y) - expected * std::polar(1.0, 0.5)), v.precision == Precision::single ? 1e-6 : 1e-14);
  }
  EXPECT_THROW(inner_product(make_state(a, {}), make_state(b, {.layout_seed = 7})), Internal);
  EXPECT_THROW(inner_product(make_state(a, {}), make_state(b, {.shard_bits = 1})), Internal);
}

TEST(Ranks, EachSeesTheSameNumbers) {
  const int n = 13, ranks = 3;
  const Vector a = random_vector(n, 11);
  const auto alone = sample(make_state(a, {}), 5000, 3);
  for (const unsigned layout : {0U, 9U}) {
    struct Seen {
      double norm = 0;
      std::vector<double> marginal, values;
      std::vector<SampleCount> counts;
      bool operator==(const Seen& o) const {
        return norm == o.norm && marginal == o.marginal && values == o.values &&
               std::equal(counts.begin(), counts.end(), o.counts.begin(), o.counts.end(),
                          [](auto x, auto y) { return x.outcome == y.outcome && x.count == y.count; });
      }
    };
    std::vector<Seen> seen(ranks);
    run_ranks(ranks, [&](const std::shared_ptr<CollectiveCommunicator>& communicator) {
      const Variant v{.layout_seed = layout};
      auto context = std::make_shared<DistributedExecutionContext>(communicator, DeviceMesh::cpu(1, 1 << 20), 1);
      auto state = make_state(context, placement_of(n, 3, ranks), a, v);
      auto& mine = seen[static_cast<std::size_t>(communicator->rank())];
      mine.norm = norm_squared(state);
      mine.marginal = probabilities(state, std::vector<int>{0, 12, 4});
      mine.counts = sample(state, 5000, 3);
      const std::vector<PauliSum> diagonal = {"ZZ", "IIZIIIIIIIIIZ"};
      mine.values = expectation(state, diagonal);
    });
    EXPECT_TRUE(seen[1] == seen[0] && seen[2] == seen[0]);
    ASSERT_EQ(seen[0].counts.size(), alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_EQ(seen[0].counts[k].outcome, alone[k].outcome);
      EXPECT_EQ(seen[0].counts[k].count, alone[k].count);
    }
    const std::vector<PauliSum> diagonal = {"ZZ", "IIZIIIIIIIIIZ"};
    auto whole = make_state(a, {});
    const auto expected = expectation(whole, diagonal);
    for (std::size_t o = 0; o < expected.size(); ++o) EXPECT_NEAR(seen[0].values[o], expected[o], 1e-13);
  }
}

}  // namespace
}  // namespace ketmesh::measure
