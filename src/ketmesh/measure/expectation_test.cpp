#include <gtest/gtest.h>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/measure_testing.hpp"
#include "ketmesh/measure/pauli_values.hpp"

namespace ketmesh::measure {
namespace {

using namespace testing;

/// P a, letter by letter.
Vector applied(const std::string& letters, Vector a) {
  for (std::size_t q = 0; q < letters.size(); ++q) {
    const Index bit = Index{1} << q;
    for (Index i = 0; i < a.size(); ++i) {
      if ((i & bit) != 0) continue;
      cdouble &zero = a[i], &one = a[i | bit];
      if (letters[q] == 'X' || letters[q] == 'Y') std::swap(zero, one);
      if (letters[q] == 'Y') {
        zero *= cdouble(0, -1);
        one *= cdouble(0, 1);
      }
      if (letters[q] == 'Z') one = -one;
    }
  }
  return a;
}

double expected_value(const std::string& letters, const Vector& a) {
  const Vector b = applied(letters, a);
  cdouble sum = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::conj(a[i]) * b[i];
    norm += std::norm(a[i]);
  }
  return sum.real() / norm;
}

std::string random_letters(int n, std::mt19937_64& random) {
  std::string letters;
  for (int q = 0; q < n; ++q) letters += "IXYZ"[random() % 4];
  return letters;
}

TEST(Expectation, RandomStringsOnAnyPlacement) {
  std::mt19937_64 random(1);
  for (const int n : {1, 2, 6, 11}) {
    const Vector a = random_vector(n, static_cast<unsigned>(n) + 50);
    std::vector<PauliSum> observables = {"", "Z", "Y", "X"};
    for (int k = 0; k < 20; ++k) observables.emplace_back(random_letters(n, random));
    std::vector<PauliTerm> terms;
    for (int k = 0; k < 12; ++k) terms.push_back({0.25 * k - 1, random_letters(n, random)});
    observables.emplace_back(terms);
    std::vector<double> expected;
    for (const auto& o : observables) {
      expected.push_back(0);
      for (const auto& t : o.terms()) expected.back() += t.coefficient * expected_value(t.letters, a);
    }
    for (const auto& v : variants(n)) {
      auto state = make_state(a, v);
      const auto values = expectation(state, observables);
      ASSERT_EQ(values.size(), expected.size());
      for (std::size_t o = 0; o < values.size(); ++o)
        ASSERT_NEAR(values[o], expected[o], v.precision == Precision::single ? 2e-6 : 1e-13)
            << observables[o].str() << " shards " << (1 << v.shard_bits);
    }
  }
}

// The way that ranks go: global bits become local by exchanges, the values stay.
TEST(Expectation, ByExchangeInsteadOfPartners) {
  std::mt19937_64 random(2);
  const int n = 10;
  const Vector a = random_vector(n, 60);
  std::vector<PauliMasks> strings;
  std::vector<double> expected;
  for (int k = 0; k < 22; ++k) {
    const auto letters = k < 20 ? random_letters(n, random) : k == 20 ? std::string(10, 'X') : "XYXYYXXYXX";
    strings.push_back(pauli_masks(letters));
    expected.push_back(expected_value(letters, a));
  }
  for (const auto& v : variants(n)) {
    auto state = make_state(a, v);
    const auto values = pauli_values(state, strings, PartnerAccess::exchange);
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_NEAR(values[k], expected[k], v.precision == Precision::single ? 2e-6 : 1e-13);
    Vector after(a.size());
    state.to_host<cdouble>(0, after.size(), after);
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(after[i], rounded(a, v.precision)[i])
          << std::hexfloat << after[i] << " " << rounded(a, v.precision)[i] << " shards " << v.shard_bits << " layout " << v.layout_seed
          << " prec " << int(v.precision) << " k " << int(v.kernels);
  }
}

TEST(Expectation, FixedConventions) {
  Vector bell(4);
  bell[0] = bell[3] = std::sqrt(0.5);
  auto state = make_state(bell, {});
  const auto values = expectation(state, parse_observables("XX;YY;ZZ;ZI"));
  const std::vector<double> expected = {1, -1, 1, 0};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(values[k], expected[k], 1e-15);
  Vector one(2);
  one[1] = 1;
  auto flipped = make_state(one, {});
  const auto z = expectation(flipped, parse_observables("ZI;IZ;Z"));
  EXPECT_EQ(z, (std::vector<double>{-1, 1, -1}));
  EXPECT_TRUE(expectation(flipped, {}).empty());
}

TEST(Expectation, LettersBeyondTheRegisterActOnZero) {
  Vector plus(2, std::sqrt(0.5));
  auto state = make_state(plus, {});
  const std::vector<PauliSum> observables = {"XZ",
                                             "XX",
                                             "XY",
                                             "XIZ",
                                             PauliSum{{2.0, "X"}, {3.0, "IX"}, {5.0, "IZ"}},
                                             PauliSum(std::string("X") + std::string(99, 'Z')),
                                             PauliSum(std::string(80, 'I') + "Y")};
  const auto values = expectation(state, observables);
  const std::vector<double> expected = {1, 0, 0, 1, 7, 1, 0};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(values[k], expected[k], 1e-14) << k;
}

TEST(Expectation, IsDividedByTheNorm) {
  Vector a = random_vector(5, 3);
  for (auto& x : a) x *= 3.0;
  auto state = make_state(a, {});
  const std::vector<PauliSum> observables = {"", "XYZ"};
  const auto values = expectation(state, observables);
  EXPECT_DOUBLE_EQ(values[0], 1);
  EXPECT_NEAR(values[1], expected_value("XYZ", a), 1e-14);
  auto zero = make_state(Vector(4), {});
  EXPECT_THROW(expectation(zero, observables), Internal);
}

/// A kernel table that counts its calls.
struct Counted {
  static inline const kernels::Kernels* inner = nullptr;
  static inline std::size_t calls = 0, terms = 0;
  static kernels::Kernels table(const kernels::Kernels& k) {
    inner = &k;
    calls = terms = 0;
    kernels::Kernels counted = k;
    counted.pauli_sums = [](const kernels::DeviceContext& c, const kernels::Shard& s, const kernels::Shard& p,
                            std::span<const PauliMasks> t, cdouble* sums) {
      ++calls;
      terms += t.size();
      inner->pauli_sums(c, s, p, t, sums);
    };
    return counted;
  }
};

// All strings in one call of the kernel, each once however many observables name it, the norm among them.
TEST(Expectation, EvaluatesEachStringOnce) {
  const int n = 12;
  auto state = make_state(random_vector(n, 4), {});
  auto& own = const_cast<transport::OwnedShard&>(state.own_shards()[0]);
  const auto counted = Counted::table(*own.kernels);
  own.kernels = &counted;
  std::vector<PauliTerm> terms;
  for (int q = 0; q < n; ++q) terms.push_back({-1.0, std::string(static_cast<std::size_t>(q), 'I') + "X"});
  for (int q = 0; q + 1 < n; ++q) terms.push_back({-0.5, std::string(static_cast<std::size_t>(q), 'I') + "ZZ"});
  std::vector<PauliSum> observables = {PauliSum(terms), "X", "ZZ", PauliSum(terms)};
  expectation(state, observables);
  EXPECT_EQ(Counted::calls, 1U);
  EXPECT_EQ(Counted::terms, static_cast<std::size_t>(2 * n - 1 + 1));
}

}  // namespace
}  // namespace ketmesh::measure
