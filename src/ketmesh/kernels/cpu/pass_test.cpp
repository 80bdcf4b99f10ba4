// Every kind of step at every place of its bits, on every level that runs here, against the reference in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ketmesh/kernels/pass_test_helpers.hpp"

namespace ketmesh::kernels {
namespace {

using testing::largest_difference;
using testing::PassBuilder;
using testing::tolerance;

std::vector<const Kernels*> levels() {
  std::vector<const Kernels*> all;
  for (const auto precision : {Precision::single, Precision::double_})
    for (const auto level : available_simd_levels()) all.push_back(&cpu_kernels(precision, level));
  return all;
}

void expect_right(const Kernels& k, const PassBuilder& built, int state_bits, int local_bits, const std::string& what) {
  const double difference = largest_difference(k, built, state_bits, local_bits);
  EXPECT_LE(difference, tolerance(k.precision, built.gates))
      << what << " level " << k.level << " " << to_string(k.precision) << " n " << state_bits << " l " << local_bits;
}

TEST(CpuPass, EmptyPassMovesBits) {
  for (const Kernels* k : levels())
    for (int n = 1; n <= 11; ++n)
      for (const int row : {0, 1, 3, 6})
        for (const bool shuffled : {false, true}) {
          PassBuilder built(static_cast<std::uint64_t>(n * 10 + row), n, n, std::min(n, 8), std::min(n, row));
          if (shuffled) built.shuffle_store(true);
          expect_right(*k, built, n, n, "store");
        }
}

TEST(CpuPass, OneTargetMatricesOnEveryBit) {
  const int n = 10, local = 9;
  for (const Kernels* k : levels())
    for (int shape = 0; shape < 5; ++shape)
      for (std::size_t target = 0; target < 8; ++target)
        for (std::size_t controls = 0; controls <= 3; ++controls)
          for (std::uint64_t seed = 0; seed < 3; ++seed) {
            PassBuilder built(seed + 100 * target, n, local, 8, 6);
            const auto bit = built.pass.tile_bits[target];
            built.matrix(static_cast<MatrixShape>(shape), bit, built.some(built.others({bit}), controls));
            expect_right(*k, built, n, local,
                         "shape " + std::to_string(shape) + " target " + std::to_string(bit) + " controls " + std::to_string(controls));
          }
}

TEST(CpuPass, TwoTargetMatricesOnEveryPair) {
  const int n = 10, local = 9;
  for (const Kernels* k : levels())
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < 8; ++b)
        for (std::size_t controls = 0; controls <= 2 && a != b; ++controls)
          for (const bool cross : {false, true}) {
            PassBuilder built(a * 8 + b, n, local, 8, 6);
            const auto x = built.pass.tile_bits[a], y = built.pass.tile_bits[b];
            const auto c = built.some(built.others({x, y}), controls);
            if (cross)
              built.cross(x, y, c);
            else
              built.dense({x, y}, c);
            expect_right(
                *k, built, n, local,
                (cross ? "cross " : "dense ") + std::to_string(x) + " " + std::to_string(y) + " controls " + std::to_string(controls));
          }
}

TEST(CpuPass, WideMatricesAndPermutations) {
  const int n = 10, local = 9;
  for (const Kernels* k : levels())
    for (std::size_t targets = 1; targets <= 7; ++targets)
      for (std::size_t controls = 0; controls <= 2; ++controls)
        for (const int kind : {0, 1, 2}) {
          if (kind == 0 && targets > 6) continue;
          PassBuilder built(targets * 10 + controls, n, local, 8, 6);
          const auto t = built.some(built.pass.tile_bits, targets);
          const auto c = built.some(built.others(t), controls);
          if (kind == 0)
            built.dense(t, c);
          else
            built.permutation(t, c, kind == 1);
          expect_right(*k, built, n, local,
                       "kind " + std::to_string(kind) + " targets " + std::to_string(targets) + " controls " + std::to_string(controls));
        }
}

TEST(CpuPass, PhasesOnAnyBits) {
  for (const Kernels* k : levels())
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const int n = 6 + static_cast<int>(seed % 6), local = n - static_cast<int>(seed % 3), tile = std::min(8, local);
      PassBuilder built(seed, n, local, tile, std::min(6, tile));
      built.phases(1 + static_cast<int>(seed));
      expect_right(*k, built, n, local, "phases seed " + std::to_string(seed));
    }
}

TEST(CpuPass, RandomPasses) {
  for (const Kernels* k : levels())
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      const int n = 1 + static_cast<int>(seed % 12), local = std::max(1, n - static_cast<int>(seed % 6)), tile = std::min(8, local);
      PassBuilder built(seed, n, local, tile, std::min(4 + static_cast<int>(seed % 3), tile));
      const std::size_t steps = 1 + built.below(30);
      for (std::size_t s = 0; s < steps; ++s) built.random_step();
      if (seed % 2 == 0) built.shuffle_store(seed % 4 == 0);
      expect_right(*k, built, n, local, "seed " + std::to_string(seed));
    }
}

TEST(CpuPass, RunsOnPairsAreFused) {
  for (const Kernels* k : levels())
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      PassBuilder built(seed, 9, 9, 8, 6);
      for (int s = 0; s < 40; ++s) {
        const auto pair = built.some({0, 2, 5, 7}, 2);
        if (std::find(built.pass.tile_bits.begin(), built.pass.tile_bits.end(), pair[0]) == built.pass.tile_bits.end() ||
            std::find(built.pass.tile_bits.begin(), built.pass.tile_bits.end(), pair[1]) == built.pass.tile_bits.end())
          continue;
        for (int again = 0; again < 2; ++again) {
          if (built.below(2) != 0) built.matrix(static_cast<MatrixShape>(built.below(4)), pair[0], {});
          if (built.below(3) != 0) built.cross(pair[static_cast<std::size_t>(again)], pair[static_cast<std::size_t>(1 - again)], {});
          if (built.below(3) == 0) built.dense(pair, {});
          if (built.below(4) == 0) built.phases(1);
        }
      }
      expect_right(*k, built, 9, 9, "pairs seed " + std::to_string(seed));
    }
}

TEST(CpuPass, ManyRotationsDoNotOverflow) {
  for (const Kernels* k : levels()) {
    PassBuilder built(3, 8, 8, 8, 6);
    for (int s = 0; s < 600; ++s)
      built.matrix(s % 2 != 0 ? MatrixShape::hadamard : MatrixShape::rx_like, static_cast<std::uint8_t>(built.below(8)), {});
    expect_right(*k, built, 8, 8, "rotations");
  }
}

TEST(CpuPass, NormBins) {
  for (const Kernels* k : levels())
    for (const std::vector<std::uint8_t>& bits : {std::vector<std::uint8_t>{}, {9, 8}, {1, 9}, {10, 7}}) {
      const int local = 10;
      PassBuilder built(5, 11, local, 8, 6);
      for (int s = 0; s < 5; ++s) built.random_step();
      built.shuffle_store(true);
      const DeviceContext context{.threads = 2};
      const std::size_t bytes = (std::size_t{1} << local) * bytes_per_amplitude(k->precision);
      void* data = k->allocate(context, bytes);
      const Shard shard{data, local, 1 << local};
      std::vector<std::array<cdouble, 2>> factors(11, {cdouble(0.6), cdouble(0, 0.8)});
      k->fill_product(context, shard, factors, 1.0);
      std::vector<double> sums(std::size_t{1} << bits.size()), expected(sums.size());
      const NormBins bins{bits, sums.data()};
      k->run_pass(context, k->prepare_pass(context, built.pass, built.binding, local), shard, &bins);
      k->marginals(context, shard, bits, expected.data());
      for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(sums[i], expected[i], 1e-12) << k->level;
      k->release(context, data, bytes);
    }
}

}  // namespace
}  // namespace ketmesh::kernels
