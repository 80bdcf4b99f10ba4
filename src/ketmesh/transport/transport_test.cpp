#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/exchanger.hpp"

namespace ketmesh::transport {
namespace {

Placement placement_of(int n, int shard_bits) {
  Placement placement;
  placement.num_qubits = n;
  placement.shard_bits = shard_bits;
  placement.owners.resize(std::size_t{1} << shard_bits);
  return placement;
}

template <typename Real>
void check_against_bit_swap(const kernels::Kernels& kernels, int n, int shard_bits, const Exchange& step, std::uint64_t workspace) {
  const Placement placement = placement_of(n, shard_bits);
  const int local = n - shard_bits;
  std::vector<std::complex<Real>> state(std::size_t{1} << n), expected(state.size());
  for (Index i = 0; i < state.size(); ++i) state[i] = {static_cast<Real>(i), static_cast<Real>(1)};
  for (Index i = 0; i < state.size(); ++i) {
    Index to = i;
    for (const auto& pair : step.pairs)
      if (bits::test(i, pair.local_bit) != bits::test(i, pair.global_bit)) to ^= bits::one(pair.local_bit) | bits::one(pair.global_bit);
    expected[to] = state[i];
  }
  std::vector<OwnedShard> own;
  for (Index s = 0; s < placement.owners.size(); ++s)
    own.push_back({{state.data() + (s << local), local, s << local}, &kernels, {.ordinal = static_cast<int>(s), .threads = 2}});
  LocalExchanger exchanger;
  const auto count = exchanger.exchange(step, placement, own, workspace);
  ASSERT_EQ(state, expected);
  const auto all = static_cast<std::uint64_t>(state.size() * sizeof(state[0]));
  EXPECT_EQ(count.bytes, all - (all >> step.pairs.size()));
  EXPECT_EQ(count.bytes_between_ranks, 0U);
  exchanger.exchange(step, placement, own, workspace);
  for (Index i = 0; i < state.size(); ++i) ASSERT_EQ(state[i], (std::complex<Real>{static_cast<Real>(i), static_cast<Real>(1)}));
}

TEST(LocalExchanger, AnyDisjointPairsAnyNumberOfShards) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 150; ++round) {
    const int n = 2 + static_cast<int>(random() % 12);
    const int shard_bits = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n - 1, 5)));
    const int local = n - shard_bits, q = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(local, shard_bits)));
    std::vector<std::uint8_t> locals, globals;
    for (int b = 0; b < n; ++b) (b < local ? locals : globals).push_back(static_cast<std::uint8_t>(b));
    std::shuffle(locals.begin(), locals.end(), random);
    std::shuffle(globals.begin(), globals.end(), random);
    Exchange step;
    for (int i = 0; i < q; ++i) step.pairs.push_back({locals[static_cast<std::size_t>(i)], globals[static_cast<std::size_t>(i)]});
    const std::uint64_t workspace = round % 3 == 0 ? 64 : 1_MiB;
    check_against_bit_swap<float>(round % 2 == 0 ? kernels::reference_kernels(Precision::single) : kernels::cpu_kernels(Precision::single),
                                  n, shard_bits, step, workspace);
    check_against_bit_swap<double>(kernels::cpu_kernels(Precision::double_), n, shard_bits, step, workspace);
    if (HasFatalFailure()) return;
  }
}

TEST(LocalExchanger, ContiguousBlocksWithATeam) {
  for (int q = 1; q <= 3; ++q) {
    Exchange step;
    step.contiguous = true;
    const int local = 14;
    for (int i = 0; i < q; ++i) step.pairs.push_back({static_cast<std::uint8_t>(local - q + i), static_cast<std::uint8_t>(local + 2 - i)});
    check_against_bit_swap<double>(kernels::cpu_kernels(Precision::double_), local + 3, 3, step, 16_MiB);
    step.pairs[0].local_bit = 0;
    check_against_bit_swap<double>(kernels::cpu_kernels(Precision::double_), local + 3, 3, step, 16_MiB);
  }
}

TEST(LocalExchanger, RefusesWrongBitsAndMissingShards) {
  std::vector<cfloat> state(16);
  const auto& kernels = kernels::reference_kernels(Precision::single);
  const std::vector<OwnedShard> own = {{{state.data(), 3, 0}, &kernels, {}}, {{state.data() + 8, 3, 8}, &kernels, {}}};
  LocalExchanger exchanger;
  const auto run = [&](std::vector<Exchange::Pair> pairs, int count) {
    return exchanger.exchange(Exchange{std::move(pairs)}, placement_of(4, 1), std::span(own).first(static_cast<std::size_t>(count)), 1_MiB);
  };
  EXPECT_EQ(run({}, 2).bytes, 0U);
  EXPECT_THROW(run({{3, 3}}, 2), Internal);
  EXPECT_THROW(run({{0, 4}}, 2), Internal);
  EXPECT_THROW(run({{0, 3}, {1, 3}}, 2), Internal);
  EXPECT_THROW(run({{0, 3}}, 1), Internal);
}

}  // namespace
}  // namespace ketmesh::transport
