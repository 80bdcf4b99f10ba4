#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/blocks.hpp"
#include "ketmesh/transport/exchanger.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

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

/// Shards given out in turn to `ranks` ranks; each fills, exchanges twice and looks at its own.
void check_over_ranks(int ranks, int n, int shard_bits, const Exchange& step, std::uint64_t workspace, Precision precision) {
  Placement placement = placement_of(n, shard_bits);
  for (std::size_t s = 0; s < placement.owners.size(); ++s) placement.owners[s].rank = static_cast<int>(s) % ranks;
  const int local = n - shard_bits;
  const auto& kernels = kernels::cpu_kernels(precision);
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks)), left(sent.size());
  run_ranks(ranks, [&](const std::shared_ptr<CollectiveCommunicator>& world) {
    const auto run = [&]<typename Real>(Real) {
      const int me = world->rank();
      std::vector<std::vector<std::complex<Real>>> memory;
      std::vector<OwnedShard> own;
      for (int s = 0; s < placement.num_shards(); ++s) {
        if (placement.owners[static_cast<std::size_t>(s)].rank != me) continue;
        auto& shard = memory.emplace_back(std::size_t{1} << local);
        const Index base = static_cast<Index>(s) << local;
        for (Index i = 0; i < shard.size(); ++i) shard[i] = {static_cast<Real>(base + i), static_cast<Real>(1)};
        own.push_back({{nullptr, local, base}, &kernels, {.ordinal = 0, .threads = 1}});
      }
      for (std::size_t k = 0; k < own.size(); ++k) own[k].shard.data = memory[k].data();
      RankExchanger exchanger(*world);
      EXPECT_EQ(exchanger.name(), "threads");
      const auto count = exchanger.exchange(step, placement, own, workspace);
      sent[static_cast<std::size_t>(me)] = count.bytes_between_ranks;
      left[static_cast<std::size_t>(me)] = count.bytes;
      for (std::size_t k = 0; k < own.size(); ++k)
        for (Index i = 0; i < memory[k].size(); ++i) {
          const Index at = own[k].shard.base + i;
          Index from = at;
          for (const auto& pair : step.pairs)
            if (bits::test(at, pair.local_bit) != bits::test(at, pair.global_bit))
              from ^= bits::one(pair.local_bit) | bits::one(pair.global_bit);
          ASSERT_EQ(memory[k][i], (std::complex<Real>{static_cast<Real>(from), static_cast<Real>(1)}));
        }
      exchanger.exchange(step, placement, own, workspace);
      for (std::size_t k = 0; k < own.size(); ++k)
        for (Index i = 0; i < memory[k].size(); ++i)
          ASSERT_EQ(memory[k][i], (std::complex<Real>{static_cast<Real>(own[k].shard.base + i), static_cast<Real>(1)}));
    };
    if (precision == Precision::single)
      run(float{});
    else
      run(double{});
  });
  const std::uint64_t all = bytes_per_amplitude(precision) << n;
  EXPECT_EQ(std::accumulate(left.begin(), left.end(), std::uint64_t{0}), all - (all >> step.pairs.size()));
  std::uint64_t want = 0;
  const auto blocks = exchange_blocks(step, placement);
  for (const auto& swap : blocks.swaps)
    if (swap.first % ranks != swap.second % ranks) want += 2 * blocks.elements * bytes_per_amplitude(precision);
  EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}), want);
}

TEST(RankExchanger, AnyRanksShardsAndPairs) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 60; ++round) {
    const int n = 3 + static_cast<int>(random() % 11);
    const int shard_bits = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n - 1, 5)));
    const int local = n - shard_bits, q = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(local, shard_bits)));
    const int ranks = 2 + static_cast<int>(random() % 4U);
    std::vector<std::uint8_t> locals, globals;
    for (int b = 0; b < n; ++b) (b < local ? locals : globals).push_back(static_cast<std::uint8_t>(b));
    if (round % 2 == 0) {
      std::shuffle(locals.begin(), locals.end(), random);
      std::shuffle(globals.begin(), globals.end(), random);
    } else {
      std::reverse(locals.begin(), locals.end());  // the top local bits: blocks are contiguous
    }
    Exchange step;
    for (int i = 0; i < q; ++i) step.pairs.push_back({locals[static_cast<std::size_t>(i)], globals[static_cast<std::size_t>(i)]});
    check_over_ranks(ranks, n, shard_bits, step, round % 3 == 0 ? 256 : 1_MiB, round % 2 == 0 ? Precision::single : Precision::double_);
  }
}

TEST(RankExchanger, ARankThatIsGoneEndsTheOthers) {
  Placement placement = placement_of(8, 2);
  for (int s = 0; s < 4; ++s) placement.owners[static_cast<std::size_t>(s)].rank = s;
  Exchange step;
  step.pairs = {{5, 6}, {4, 7}};
  const auto outcomes = outcomes_of_ranks(
      4,
      [&](const std::shared_ptr<CollectiveCommunicator>& world) {
        if (world->rank() == 3) return;
        std::vector<cfloat> shard(64);
        const OwnedShard own{
            {shard.data(), 6, static_cast<Index>(world->rank()) << 6}, &kernels::cpu_kernels(Precision::single), {.threads = 1}};
        world->set_step("exchange 2 of 5");
        RankExchanger(*world).exchange(step, placement, std::span(&own, 1), 1_MiB);
      },
      0.2);
  EXPECT_FALSE(outcomes[3]);
  for (std::size_t r = 0; r < 3; ++r) EXPECT_TRUE(outcomes[r]) << r;
}

}  // namespace
}  // namespace ketmesh::transport
