#include "ketmesh/encode/encode.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

constexpr double kPi = std::numbers::pi;

std::vector<cdouble> state(Encoding encoding, int n, const std::vector<cdouble>& sample) {
  std::vector<cdouble> out(std::size_t{1} << n);
  encode(encoding, n, sample, out);
  return out;
}

void near(const std::vector<cdouble>& a, const std::vector<cdouble>& b, double tolerance = 1e-15) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE(std::abs(a[i] - b[i]), tolerance) << i;
}

TEST(Encode, PinnedValues) {
  near(state(Encoding::amplitude, 2, {3, 4, 0, 0}), {0.6, 0.8, 0, 0});
  near(state(Encoding::amplitude, 2, {1, 2, 2}), {1.0 / 3, 2.0 / 3, 2.0 / 3, 0});
  near(state(Encoding::angle, 2, {kPi / 2, 0}), {0, 1, 0, 0}, 1e-15);
  EXPECT_DOUBLE_EQ(state(Encoding::angle, 3, {0.1, 0.2, 0.3})[0].real(), 0.9316157966884513);
  near(state(Encoding::basis, 3, {5}), {0, 0, 0, 0, 0, 1, 0, 0}, 0);
  near(state(Encoding::phase, 1, {kPi / 2}), {std::sqrt(0.5), cdouble(0, std::sqrt(0.5))});
  near(state(Encoding::phase, 2, {kPi, kPi}), {0.5, -0.5, -0.5, 0.5});
  near(state(Encoding::iqp, 2, {0, 0, 0}), {1, 0, 0, 0});
  near(state(Encoding::amplitude, 1, {cdouble(0, 3), 4}), {cdouble(0, 0.6), 0.8});
}

TEST(Encode, IqpEqualsTheDirectSum) {
  for (const int n : {4, 5}) {
    std::vector<cdouble> sample(vector_len(n, Encoding::iqp));
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = 0.03125 * static_cast<double>(i + 1);
    const auto got = state(Encoding::iqp, n, sample);
    const std::size_t size = std::size_t{1} << n;
    for (std::size_t y = 0; y < size; ++y) {
      cdouble sum = 0;
      for (std::size_t x = 0; x < size; ++x) {
        double theta = 0;
        std::size_t at = 0;
        for (int i = 0; i < n; ++i) theta += ((x >> i) & 1u) != 0 ? sample[at + static_cast<std::size_t>(i)].real() : 0;
        at = static_cast<std::size_t>(n);
        for (int i = 0; i < n; ++i)
          for (int j = i + 1; j < n; ++j) theta += ((x >> i) & (x >> j) & 1u) != 0 ? sample[at++].real() : (++at, 0.0);
        sum += std::polar(1.0, theta) * ((std::popcount(x & y) & 1) != 0 ? -1.0 : 1.0);
      }
      EXPECT_LE(std::abs(got[y] - sum / static_cast<double>(size)), 1e-10);
    }
  }
}

TEST(Encode, TinyAndHugeValues) {
  for (const double v : {1e-150, 1e-310, 1e300}) {
    double sum = 0;
    for (const cdouble a : state(Encoding::amplitude, 4, std::vector<cdouble>(16, v))) sum += std::norm(a);
    EXPECT_NEAR(sum, 1, 1e-10) << v;
  }
}

TEST(Encode, Lengths) {
  EXPECT_EQ(vector_len(5, Encoding::amplitude), 32u);
  EXPECT_EQ(vector_len(5, Encoding::angle), 5u);
  EXPECT_EQ(vector_len(5, Encoding::basis), 1u);
  EXPECT_EQ(vector_len(5, Encoding::iqp), 15u);
  EXPECT_EQ(vector_len(5, Encoding::iqp_z), 5u);
  EXPECT_EQ(vector_len(5, Encoding::phase), 5u);
}

std::string refusal(Encoding encoding, int n, const std::vector<cdouble>& sample) {
  try {
    check_sample(encoding, n, sample, 3);
  } catch (const OptionError& e) {
    return e.what();
  }
  return {};
}

TEST(Encode, Refusals) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(refusal(Encoding::amplitude, 2, {1, nan}), "must be finite"));
  EXPECT_TRUE(has(refusal(Encoding::amplitude, 2, {1, nan}), "sample 3: entry 1"));
  EXPECT_TRUE(has(refusal(Encoding::angle, 2, {1, -inf}), "must be finite"));
  EXPECT_TRUE(has(refusal(Encoding::amplitude, 2, {0, 0}), "zero norm"));
  EXPECT_TRUE(has(refusal(Encoding::amplitude, 1, {1, 2, 3}), "exceeds state vector size"));
  EXPECT_TRUE(has(refusal(Encoding::iqp, 3, {1, 2, 3}), "expects 6 values"));
  EXPECT_TRUE(has(refusal(Encoding::angle, 3, {}), "cannot be empty"));
  EXPECT_TRUE(has(refusal(Encoding::basis, 2, {-1}), "non-negative"));
  EXPECT_TRUE(has(refusal(Encoding::basis, 2, {1.5}), "integer"));
  EXPECT_TRUE(has(refusal(Encoding::basis, 2, {4}), "range"));
  EXPECT_TRUE(has(refusal(Encoding::phase, 1, {cdouble(0, 1)}), "complex"));
  EXPECT_TRUE(has(refusal(Encoding::angle, 0, {1}), "at least 1"));
  EXPECT_THROW(encoding_from_string("fourier"), OptionError);
  EXPECT_EQ(to_string(encoding_from_string("iqp-z")), "iqp-z");
}

TEST(Encode, ZzFeatureMapEqualsItsCircuitDefinition) {
  // H, p(2 x_i), and for each pair cx p(2 (pi - x_i) (pi - x_j)) cx, amplitude by amplitude.
  const std::vector<double> x = {0.3, -1.1, 2.2};
  for (const auto entanglement : {Entanglement::full, Entanglement::linear, Entanglement::circular}) {
    std::vector<cdouble> want(8);
    want[0] = 1;
    for (int layer = 0; layer < 3; ++layer) {
      for (int q = 0; q < 3; ++q)
        for (std::size_t i = 0; i < 8; ++i)
          if (((i >> q) & 1u) == 0) {
            const cdouble a = want[i], b = want[i | (1u << q)];
            want[i] = std::sqrt(0.5) * (a + b);
            want[i | (1u << q)] = std::sqrt(0.5) * (a - b);
          }
      for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t q = 0; q < 3; ++q)
          if (((i >> q) & 1u) != 0) want[i] *= std::polar(1.0, 2 * x[q]);
      std::vector<std::pair<std::size_t, std::size_t>> pairs = {{0, 1}, {1, 2}};
      if (entanglement != Entanglement::linear) pairs.emplace_back(0, 2);
      for (const auto& [i, j] : pairs)
        for (std::size_t b = 0; b < 8; ++b)
          if ((((b >> i) ^ (b >> j)) & 1u) != 0) want[b] *= std::polar(1.0, 2 * (kPi - x[i]) * (kPi - x[j]));
    }
    std::vector<cdouble> got(8);
    encode(Encoding::zz_feature_map, 3, std::vector<cdouble>(x.begin(), x.end()), got, 0, {.layers = 3, .entanglement = entanglement});
    near(got, want, 1e-14);
  }
  EXPECT_THROW(entanglement_from_string("ring"), OptionError);
}

}  // namespace
}  // namespace ketmesh
