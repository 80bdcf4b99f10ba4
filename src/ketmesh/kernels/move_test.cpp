// Memory, start states and packing of every backend.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels {
namespace {

std::vector<const Kernels*> all_kernels(Precision precision) {
  std::vector<const Kernels*> found = {&reference_kernels(precision)};
  for (const auto level : available_simd_levels()) found.push_back(&cpu_kernels(precision, level));
  return found;
}

TEST(Move, AllocatesAlignedMemoryAndRefusesTooMuch) {
  const DeviceContext context{.threads = 2};
  for (const Kernels* k : all_kernels(Precision::single)) {
    for (const std::size_t bytes : {std::size_t{16}, std::size_t{4096}, std::size_t{1_MiB}, std::size_t{5_MiB} + 8}) {
      void* p = k->allocate(context, bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (bytes >= 2_MiB ? 2_MiB : 64), 0U);
      static_cast<char*>(p)[bytes - 1] = 1;
      k->release(context, p, bytes);
    }
    EXPECT_THROW(k->allocate(context, std::size_t{1} << 50), DoesNotFit);
  }
}

template <typename Real>
void check_fills(Precision precision) {
  const DeviceContext context{.threads = 2};
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const Kernels* k : all_kernels(precision))
    for (const int n : {1, 3, 11, 15}) {
      std::vector<std::complex<Real>> a(Index{1} << n, 7);
      const Shard shard{a.data(), n, Index{2} << n};
      k->fill_zero(context, shard);
      for (const auto& x : a) ASSERT_EQ(x, std::complex<Real>(0));
      k->fill_basis(context, shard, shard.base + 1, {0.5, 0.25});
      for (Index i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], std::complex<Real>(i == 1 ? cdouble{0.5, 0.25} : 0.0));
      k->fill_basis(context, shard, 1, 1.0);
      for (const auto& x : a) ASSERT_EQ(x, std::complex<Real>(0));
      std::vector<std::array<cdouble, 2>> factors(static_cast<std::size_t>(n) + 2);
      for (auto& f : factors)
        for (auto& x : f) x = std::polar(1.0, normal(random));
      k->fill_product(context, shard, factors, {0, 2});
      for (Index i = 0; i < a.size(); ++i) {
        cdouble product{0, 2};
        for (std::size_t b = 0; b < factors.size(); ++b) product *= factors[b][((shard.base + i) >> b) & 1];
        ASSERT_LT(std::abs(cdouble(a[i]) - product), precision == Precision::single ? 1e-6 : 1e-13) << k->level << n << i;
      }
    }
}

TEST(Move, FillsStartStates) {
  check_fills<float>(Precision::single);
  check_fills<double>(Precision::double_);
}

template <typename Real>
void check_packing(Precision precision) {
  const DeviceContext context{.threads = 2};
  const int n = 16;
  for (const Kernels* k : all_kernels(precision))
    for (const Index mask : {Index{0}, Index{1}, Index{0b1000000000000000}, Index{0b110000000000000}, Index{0b0100100000000010}})
      for (const Index value : {mask, mask & (mask - 1)}) {
        std::vector<std::complex<Real>> a(Index{1} << n), b(a.size(), -1), out(a.size(), -1);
        for (Index i = 0; i < a.size(); ++i) a[i] = {static_cast<Real>(i), -static_cast<Real>(i)};
        const Index rest = bits::low_mask(n) & ~mask;
        const Index total = Index{1} << bits::count(rest);
        const Index cuts[] = {0, 1, total / 2 + 3, total};
        for (int c = 0; c < 3; ++c) {
          k->pack(context, {a.data(), n, 0}, mask, value, cuts[c], cuts[c + 1] - cuts[c], out.data());
          for (Index j = cuts[c]; j < cuts[c + 1]; ++j) ASSERT_EQ(out[j - cuts[c]], a[value | bits::deposit(j, rest)]);
          k->unpack(context, {b.data(), n, 0}, mask, value, cuts[c], cuts[c + 1] - cuts[c], out.data());
        }
        for (Index i = 0; i < a.size(); ++i) ASSERT_EQ(b[i], (i & mask) == value ? a[i] : std::complex<Real>(-1));
      }
}

TEST(Move, PacksAndUnpacks) {
  check_packing<float>(Precision::single);
  check_packing<double>(Precision::double_);
}

TEST(Levels, UnknownLevelIsRefusedByName) {
  const auto levels = available_simd_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(cpu_kernels(Precision::single).level, to_string(levels.front()));
  for (const auto level : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::sse4, SimdLevel::neon, SimdLevel::scalar}) {
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
      EXPECT_EQ(cpu_kernels(Precision::double_, level).level, to_string(level));
      EXPECT_EQ(&cpu_kernels(Precision::double_, level), &cpu_kernels(Precision::double_, level));
    } else {
      EXPECT_THROW(cpu_kernels(Precision::double_, level), BackendUnavailable);
    }
  }
}

}  // namespace
}  // namespace ketmesh::kernels
