// The reference against dense matrices written out over the whole space.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels {
namespace {

using Vector = std::vector<cdouble>;

Vector random_vector(std::mt19937_64& random, std::size_t size) {
  std::normal_distribution<double> normal;
  Vector v(size);
  for (auto& x : v) x = {normal(random), normal(random)};
  return v;
}

Vector run(const Pass& pass, const Binding& binding, Vector state, Index base = 0) {
  const Kernels& k = reference_kernels(Precision::double_);
  const DeviceContext context;
  const Shard shard{state.data(), std::countr_zero(state.size()), base};
  k.run_pass(context, k.prepare_pass(context, pass, binding, shard.local_bits), shard, nullptr);
  return state;
}

Pass pass_of(Step step, int n) {
  Pass pass;
  for (int b = 0; b < n; ++b) pass.tile_bits.push_back(static_cast<std::uint8_t>(b));
  pass.store_bits = pass.tile_bits;
  pass.residencies.push_back({.register_bits = {}, .steps = {std::move(step)}});
  return pass;
}

void expect_equal(const Vector& a, const Vector& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a[i] - b[i]), 1e-13) << i;
}

TEST(Reference, MatrixEqualsTheMatrixOverTheWholeSpace) {
  std::mt19937_64 random(1);
  const int n = 5;
  const std::vector<std::vector<std::uint8_t>> target_lists = {{0}, {4}, {2, 0}, {1, 3}, {4, 1, 2}};
  for (const auto& targets : target_lists)
    for (const Index controls : {Index{0}, Index{0b01000}, Index{0b00001}}) {
      Index target_mask = 0;
      for (const auto t : targets) target_mask |= bits::one(t);
      if ((controls & target_mask) != 0) continue;
      for (const Index value : {controls, Index{0}}) {
        const std::size_t size = std::size_t{1} << targets.size();
        Binding binding;
        binding.matrices = random_vector(random, size * size);
        const auto in = random_vector(random, 32);
        Vector expected(32);
        // <r| U |c>: identity where the controls of c fail, else the entry of the target bits when all others agree.
        for (Index r = 0; r < 32; ++r)
          for (Index c = 0; c < 32; ++c) {
            cdouble u = r == c ? 1.0 : 0.0;
            if ((c & controls) == value) {
              Index row = 0, column = 0;
              for (std::size_t j = 0; j < targets.size(); ++j) {
                row |= ((r >> targets[j]) & 1) << j;
                column |= ((c >> targets[j]) & 1) << j;
              }
              u = (r & ~target_mask) == (c & ~target_mask) ? binding.matrices[row * size + column] : 0.0;
            }
            expected[r] += u * in[c];
          }
        Step step{.kind = StepKind::matrix, .targets = targets, .control_mask = controls, .control_value = value};
        expect_equal(run(pass_of(step, n), binding, in), expected);
      }
    }
}

TEST(Reference, PhasesOfEachKind) {
  std::mt19937_64 random(2);
  Binding binding;
  binding.angles = {0.3, 0.7, 0.1, 0.2, 0.4, 0.9};
  Step step{.kind = StepKind::phases, .control_mask = 0b100000, .control_value = 0b100000};
  step.terms = {{.kind = PhaseTerm::Kind::match, .mask = 0b0011, .value = 0b0001, .angle = 0},
                {.kind = PhaseTerm::Kind::parity, .mask = 0b0110, .control_mask = 0b1000, .control_value = 0b1000, .angle = 1},
                {.kind = PhaseTerm::Kind::table, .bits = {3, 0}, .mask = 0b1001, .control_mask = 0b0010, .angle = 2}};
  const auto in = random_vector(random, 16);
  auto expected = in;
  for (Index i = 0; i < 16; ++i) {
    const bool b0 = i & 1, b1 = i & 2, b2 = i & 4, b3 = i & 8;
    double angle = 0;
    if (b0 && !b1) angle += 0.3;
    if (b3) angle += b1 != b2 ? -0.7 : 0.7;
    if (!b1) angle += binding.angles[2 + (b3 ? 1 : 0) + (b0 ? 2 : 0)];
    expected[i] *= std::polar(1.0, angle);
  }
  expect_equal(run(pass_of(step, 4), binding, in, 0b100000), expected);
  expect_equal(run(pass_of(step, 4), binding, in, 0), in);  // the control is a global bit
}

TEST(Reference, PermutationAndStore) {
  Step step{.kind = StepKind::permutation, .targets = {2, 0}, .table = {1, 2, 3, 0}};
  Pass pass = pass_of(step, 3);
  Vector in(8), expected(8);
  for (Index i = 0; i < 8; ++i) in[i] = static_cast<double>(i);
  for (Index i = 0; i < 8; ++i) {
    const Index j = (((i >> 2) & 1) | ((i & 1) << 1)) + 1;
    expected[(i & 2) | ((j & 1) << 2) | ((j >> 1) & 1)] = in[i];
  }
  expect_equal(run(pass, {}, in), expected);
  pass.residencies.clear();
  pass.store_bits = {1, 2, 0};
  for (Index i = 0; i < 8; ++i) expected[((i & 1) << 1) | ((i & 2) << 1) | ((i & 4) >> 2)] = in[i];
  expect_equal(run(pass, {}, in), expected);
}

TEST(Reference, NormBinsAreAddedByPhysicalBits) {
  std::mt19937_64 random(3);
  auto in = random_vector(random, 16);
  const Kernels& k = reference_kernels(Precision::double_);
  const std::vector<std::uint8_t> bins = {3, 4};
  std::vector<double> sums(4, 1.0);
  const NormBins norm{bins, sums.data()};
  k.run_pass({}, k.prepare_pass({}, Pass{}, {}, 4), {in.data(), 4, 16}, &norm);
  double low = 1, high = 1;
  for (Index i = 0; i < 16; ++i) (i < 8 ? low : high) += std::norm(in[i]);
  EXPECT_DOUBLE_EQ(sums[0], 1.0);
  EXPECT_DOUBLE_EQ(sums[1], 1.0);
  EXPECT_NEAR(sums[2], low, 1e-12);
  EXPECT_NEAR(sums[3], high, 1e-12);
}

}  // namespace
}  // namespace ketmesh::kernels
