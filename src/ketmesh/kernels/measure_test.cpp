// The measuring kernels of every backend and level against plain loops over a vector of the whole state, cut into shards.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels {
namespace {

using Bits = std::vector<std::uint8_t>;

template <typename Real>
struct Case {
  static constexpr Precision precision = sizeof(Real) == 4 ? Precision::single : Precision::double_;
  static constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-13;  // of single amplitudes of size about 1
  std::vector<std::complex<Real>> a;
  int n, shard_bits;

  Case(int qubits, int global_bits, unsigned seed) : a(std::size_t{1} << qubits), n(qubits), shard_bits(global_bits) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, std::sqrt(0.5));
    for (auto& x : a) x = {static_cast<Real>(normal(random)), static_cast<Real>(normal(random))};
  }
  int local() const { return n - shard_bits; }
  Index shards() const { return bits::one(shard_bits); }
  Shard shard(Index s) { return {a.data() + (s << local()), local(), s << local()}; }
  cdouble at(Index i) const { return cdouble(a[i]); }
};

std::vector<const Kernels*> all_kernels(Precision precision) {
  std::vector<const Kernels*> found = {&reference_kernels(precision)};
  for (const auto level : available_simd_levels()) found.push_back(&cpu_kernels(precision, level));
  return found;
}

/// body(kernels, context, case) for all backends and levels, sizes and numbers of shards.
template <typename Real, typename F>
void for_all(F body) {
  unsigned seed = 1;
  for (const Kernels* k : all_kernels(Case<Real>::precision))
    for (const auto& [n, s] :
         std::vector<std::array<int, 2>>{{1, 0}, {2, 1}, {3, 0}, {5, 2}, {6, 5}, {9, 0}, {11, 3}, {13, 0}, {15, 1}, {16, 5}})
      for (const int threads : {1, 3}) {
        if (threads == 1 && n > 13) continue;
        SCOPED_TRACE(::testing::Message() << k->backend << " " << k->level << " n " << n << " shard bits " << s << " threads " << threads);
        Case<Real> c(n, s, ++seed);
        body(*k, DeviceContext{.threads = threads}, c);
        if (::testing::Test::HasFailure()) return;
      }
}

template <typename Real>
class MeasureKernels : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MeasureKernels, Reals);

/// `count` different bits below n in random order.
Bits random_bits(std::mt19937_64& random, int n, int count) {
  Bits all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

TYPED_TEST(MeasureKernels, Marginals) {
  std::mt19937_64 random(1);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    for (int trial = 0; trial < 12; ++trial) {
      Bits listed = random_bits(random, c.n, static_cast<int>(random() % static_cast<unsigned>(c.n + 1)));
      if (trial == 0) listed.clear();
      if (trial == 1) listed = {static_cast<std::uint8_t>(c.n - 1)};
      if (trial == 2) {  // as the blocks of sampling: high ones in order
        listed.clear();
        for (int b = c.n / 2; b < c.n; ++b) listed.push_back(static_cast<std::uint8_t>(b));
      }
      std::vector<double> expected(std::size_t{1} << listed.size(), 0.25), out = expected;
      for (Index i = 0; i < c.a.size(); ++i) expected[bits::gather(i, std::span<const std::uint8_t>(listed))] += std::norm(c.at(i));
      for (Index s = 0; s < c.shards(); ++s) k.marginals(context, c.shard(s), listed, out.data());
      for (std::size_t j = 0; j < out.size(); ++j) ASSERT_NEAR(out[j], expected[j], 1e-13 * (1 + expected[j]) * 64) << j;
    }
  });
}

TYPED_TEST(MeasureKernels, CollapseAndScale) {
  std::mt19937_64 random(2);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    for (int trial = 0; trial < 8; ++trial) {
      auto work = c;
      const Index mask = trial == 0 ? 0 : random() & bits::low_mask(c.n) & random(), value = random() & mask;
      const cdouble factor = trial % 2 == 0 ? cdouble(1.5) : cdouble(0.5, -0.75);
      for (Index s = 0; s < c.shards(); ++s)
        trial == 0 ? k.scale(context, work.shard(s), factor) : k.collapse(context, work.shard(s), mask, value, factor);
      for (Index i = 0; i < c.a.size(); ++i) {
        const cdouble expected = (i & mask) == value ? factor * c.at(i) : cdouble(0);
        ASSERT_LE(std::abs(work.at(i) - expected), expected == 0.0 ? 0.0 : 4 * c.tolerance) << i;
      }
    }
  });
}

TYPED_TEST(MeasureKernels, ProbabilitiesOfGroups) {
  std::mt19937_64 random(3);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    for (int trial = 0; trial < 12; ++trial) {
      Bits free = random_bits(random, c.n, static_cast<int>(random() % static_cast<unsigned>(c.n + 1)));
      if (trial < 2) {
        free.clear();
        for (int b = 0; b < c.n / 2; ++b) free.push_back(static_cast<std::uint8_t>(b));
      }
      const Index rest = bits::low_mask(c.n) & ~bits::scatter(~Index{0}, std::span<const std::uint8_t>(free));
      std::vector<Index> fixed;
      for (Index g = 0; g < std::min<Index>(bits::one(bits::count(rest)), 40); ++g)
        fixed.push_back(trial % 2 == 0 ? bits::deposit(g, rest) : random() & rest);
      const std::size_t size = std::size_t{1} << free.size();
      std::vector<double> out(fixed.size() * size, -1);
      for (Index s = 0; s < c.shards(); ++s) k.probabilities(context, c.shard(s), free, fixed, out.data());
      for (std::size_t g = 0; g < fixed.size(); ++g)
        for (Index j = 0; j < size; ++j) {
          const cdouble x = c.at(fixed[g] | bits::scatter(j, std::span<const std::uint8_t>(free)));
          // The same bits everywhere: sampling adds these up.
          ASSERT_EQ(out[g * size + j], x.real() * x.real() + x.imag() * x.imag()) << g << " " << j;
        }
    }
  });
}

TYPED_TEST(MeasureKernels, ProbabilitiesLeaveOtherShardsAlone) {
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    Bits free;
    for (int b = c.n - 1; b >= 0; --b) free.push_back(static_cast<std::uint8_t>(b));
    std::vector<double> out(c.a.size(), -1);
    const Index fixed = 0;
    k.probabilities(context, c.shard(c.shards() - 1), free, {&fixed, 1}, out.data());
    for (Index j = 0; j < out.size(); ++j) {
      const Index physical = bits::scatter(j, std::span<const std::uint8_t>(free));
      ASSERT_EQ(out[j] < 0, physical >> c.local() != c.shards() - 1) << j;
    }
  });
}

TYPED_TEST(MeasureKernels, ReadsAmplitudes) {
  std::mt19937_64 random(4);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    std::vector<Index> wanted(100);
    for (auto& i : wanted) i = random() & bits::low_mask(c.n);
    std::vector<cdouble> out(wanted.size(), 77);
    k.read(context, c.shard(0), wanted, out.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(out[i], wanted[i] >> c.local() == 0 ? c.at(wanted[i]) : 77.0);
    for (Index s = 1; s < c.shards(); ++s) k.read(context, c.shard(s), wanted, out.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(out[i], c.at(wanted[i]));
  });
}

TYPED_TEST(MeasureKernels, PauliSums) {
  std::mt19937_64 random(5);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    const Index all = bits::low_mask(c.n), global = all & ~bits::low_mask(c.local());
    for (int trial = 0; trial < 6; ++trial) {
      // One global part of x a call; few and many flipped bits, signs on all bits.
      const Index x_global = trial < 3 ? 0 : random() & global;
      std::vector<PauliMasks> terms;
      for (int t = 0; t < 30; ++t) {
        Index x = random() & random() & random();
        if (t % 5 == 0) x = 0;
        if (t % 5 == 1) x = bits::one(static_cast<int>(random() % static_cast<unsigned>(c.n)));
        if (t % 5 == 2) x = random();
        terms.push_back({.x = (x & all & ~global) | x_global, .z = t % 3 == 0 ? 0 : random() & all});
        if (t % 6 == 0) terms.push_back({.x = terms.back().x, .z = random() & all});
      }
      std::vector<cdouble> sums(terms.size(), cdouble(1, 2)), expected = sums;
      for (Index s = 0; s < c.shards(); ++s) k.pauli_sums(context, c.shard(s), c.shard(s ^ (x_global >> c.local())), terms, sums.data());
      for (std::size_t t = 0; t < terms.size(); ++t) {
        for (Index i = 0; i < c.a.size(); ++i)
          expected[t] += std::conj(c.at(i ^ terms[t].x)) * (bits::parity(i & terms[t].z) ? -1.0 : 1.0) * c.at(i);
        ASSERT_LE(std::abs(sums[t] - expected[t]), 1e-13 * static_cast<double>(c.a.size())) << terms[t].x << " " << terms[t].z;
      }
    }
  });
}

TYPED_TEST(MeasureKernels, PauliSumsOfOneShardOnly) {
  std::mt19937_64 random(6);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    if (c.shard_bits == 0) return;
    const Index x_global = bits::one(c.local());
    std::vector<PauliMasks> terms;
    for (int t = 0; t < 8; ++t)
      terms.push_back({.x = (random() & bits::low_mask(c.local())) | x_global, .z = random() & bits::low_mask(c.n)});
    std::vector<cdouble> sums(terms.size());
    k.pauli_sums(context, c.shard(1), c.shard(0), terms, sums.data());
    for (std::size_t t = 0; t < terms.size(); ++t) {
      cdouble expected = 0;
      for (Index i = bits::one(c.local()); i < bits::one(c.local() + 1); ++i)
        expected += std::conj(c.at(i ^ terms[t].x)) * (bits::parity(i & terms[t].z) ? -1.0 : 1.0) * c.at(i);
      ASSERT_LE(std::abs(sums[t] - expected), 1e-13 * static_cast<double>(c.a.size()));
    }
  });
}

TYPED_TEST(MeasureKernels, InnerProductAndAdd) {
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    Case<TypeParam> b(c.n, c.shard_bits, 99);
    cdouble expected = 0, got = 0;
    for (Index i = 0; i < c.a.size(); ++i) expected += std::conj(c.at(i)) * b.at(i);
    for (Index s = 0; s < c.shards(); ++s) got += k.inner_product(context, c.shard(s), b.shard(s));
    ASSERT_LE(std::abs(got - expected), 1e-13 * static_cast<double>(c.a.size()));
    auto sum = c;
    const cdouble factor(0.5, -2);
    for (Index s = 0; s < c.shards(); ++s) k.add(context, sum.shard(s), b.shard(s), factor);
    for (Index i = 0; i < c.a.size(); ++i) ASSERT_LE(std::abs(sum.at(i) - c.at(i) - factor * b.at(i)), 10 * c.tolerance);
  });
}

TYPED_TEST(MeasureKernels, AppliesPauliStrings) {
  std::mt19937_64 random(7);
  const cdouble i_unit(0, 1);
  for_all<TypeParam>([&](const Kernels& k, const DeviceContext& context, auto& c) {
    for (int trial = 0; trial < 10; ++trial) {
      const PauliMasks p{.x = random() & bits::low_mask(c.local()) & (trial < 5 ? random() : ~Index{0}),
                         .z = random() & bits::low_mask(c.n)};
      const cdouble factor(-0.5, 1);
      auto work = c;
      for (Index s = 0; s < c.shards(); ++s) k.apply_pauli(context, work.shard(s), p, factor);
      for (Index i = 0; i < c.a.size(); ++i) {
        // Letter by letter: X|b> = |1-b>, Y|0> = i|1>, Y|1> = -i|0>, Z|b> = (-1)^b |b>.
        cdouble value = factor * c.at(i);
        for (int q = 0; q < c.n; ++q) {
          const bool x = bits::test(p.x, q), z = bits::test(p.z, q), one = bits::test(i, q);
          if (x && z)
            value *= one ? -i_unit : i_unit;
          else if (z && one)
            value = -value;
        }
        ASSERT_LE(std::abs(work.at(i ^ p.x) - value), 8 * c.tolerance) << i;
      }
    }
  });
}

// Sums are cut into units that do not depend on the team.
TYPED_TEST(MeasureKernels, SumsHaveTheSameBitsForAnyTeam) {
  const Kernels& k = cpu_kernels(Case<TypeParam>::precision);
  Case<TypeParam> c(17, 0, 5);
  const std::vector<Bits> lists = {{}, {16}, {3, 0}, {13, 14, 15, 16}, {2, 15, 7, 13}};
  const std::vector<PauliMasks> terms = {{0, 5}, {1, 0}, {bits::one(16), 3}, {bits::low_mask(17), 1}, {bits::one(15) | 4, bits::one(15)}};
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 3, 5}) {
    const DeviceContext context{.threads = threads};
    std::vector<std::vector<double>> got;
    for (const auto& listed : lists) {
      got.emplace_back(std::size_t{1} << listed.size());
      k.marginals(context, c.shard(0), listed, got.back().data());
    }
    std::vector<cdouble> sums(terms.size());
    k.pauli_sums(context, c.shard(0), c.shard(0), terms, sums.data());
    sums.push_back(k.inner_product(context, c.shard(0), c.shard(0)));
    for (const auto& s : sums) got.push_back({s.real(), s.imag()});
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << threads;
  }
}

}  // namespace
}  // namespace ketmesh::kernels
