#include "ketmesh/api/readout.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ketmesh::api {
namespace {

TEST(Readout, KeysAreInOrderAndOutcomesThatReadAlikeAreOneKey) {
  // Bit 0 and bit 3 read qubit 2, bit 1 a qubit that the state does not hold, bit 4 qubit 0; qubit 1 is not read.
  const Readout readout{{{0, 2}, {1, -1}, {3, 2}, {4, 0}}, 5};
  const std::vector<measure::SampleCount> samples{{0b000, 1}, {0b001, 2}, {0b010, 4}, {0b011, 8}, {0b100, 16}, {0b111, 32}};
  const Counts expected{{"00000", 5}, {"00001", 10}, {"10010", 16}, {"10011", 32}};
  EXPECT_EQ(to_counts(samples, readout), expected);
  EXPECT_TRUE(to_counts({}, readout).empty());
}

TEST(Readout, MoreClassicalBitsThanANumberHas) {
  Readout readout{{}, 80};
  for (Clbit b = 0; b < 80; ++b) readout.bits.emplace_back(b, static_cast<int>(b % 2));
  const std::vector<measure::SampleCount> samples{{0b01, 3}, {0b10, 5}};
  std::string even(80, '0'), odd(80, '0');
  for (std::size_t b = 0; b < 80; ++b) (b % 2 == 0 ? even : odd)[b] = '1';
  EXPECT_EQ(to_counts(samples, readout), (Counts{{even, 3}, {odd, 5}}));
}

TEST(Readout, ManyOutcomesAgreeWithOneByOne) {
  constexpr int kQubits = 12;
  Readout readout{{}, kQubits};
  for (int q = 0; q < kQubits; ++q) readout.bits.emplace_back(static_cast<Clbit>(q), (5 * q + 3) % kQubits);
  std::vector<measure::SampleCount> samples;
  for (Index outcome = 0; outcome < (Index{1} << kQubits); outcome += 3) samples.push_back({outcome, outcome + 1});
  Counts expected;
  for (const auto& sample : samples) {
    std::string key(kQubits, '0');
    for (const auto& [bit, qubit] : readout.bits)
      if (((sample.outcome >> qubit) & 1u) != 0) key[bit] = '1';
    expected[key] += sample.count;
  }
  EXPECT_EQ(to_counts(samples, readout), expected);
}

}  // namespace
}  // namespace ketmesh::api
