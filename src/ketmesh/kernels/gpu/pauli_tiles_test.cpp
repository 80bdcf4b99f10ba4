#include "ketmesh/kernels/gpu/pauli_tiles.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels {
namespace {

TEST(PauliReads, TransverseFieldIsingOf30InThree) {
  std::vector<PauliMasks> terms;
  for (int q = 0; q < 30; ++q) terms.push_back({bits::one(q), 0});
  for (int q = 0; q < 29; ++q) terms.push_back({0, bits::one(q) | bits::one(q + 1)});
  const PauliReads single = plan_pauli_reads(terms, 30, 13, 5), double_ = plan_pauli_reads(terms, 30, 12, 4);
  EXPECT_EQ(single.reads.size(), 3U);
  EXPECT_EQ(double_.reads.size(), 3U);
  EXPECT_TRUE(single.alone.empty() && double_.alone.empty());
}

TEST(PauliReads, EveryStringOnceInATileThatHoldsIt) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const int local = 1 + static_cast<int>(random() % 20);
    std::vector<PauliMasks> terms(random() % 30);
    for (auto& t : terms) t = {random() & random() & bits::low_mask(22), random() & bits::low_mask(22)};
    const PauliReads plan = plan_pauli_reads(terms, local, 8, 4);
    std::vector<int> seen(terms.size());
    for (const auto t : plan.alone) ++seen[t];
    for (const auto& read : plan.reads) {
      Index tile = 0;
      for (const auto b : read.tile) tile |= bits::one(b);
      EXPECT_EQ(bits::count(tile), std::min(local, 8));
      EXPECT_EQ(tile & bits::low_mask(read.rows), bits::low_mask(read.rows));
      EXPECT_TRUE(std::is_sorted(read.tile.begin(), read.tile.end()));
      for (const auto t : read.terms) {
        ++seen[t];
        EXPECT_EQ(terms[t].x & bits::low_mask(local) & ~tile, 0U);
      }
    }
    for (const int count : seen) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace ketmesh::kernels
