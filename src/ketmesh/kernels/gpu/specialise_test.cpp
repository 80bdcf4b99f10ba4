// Specialised kernels against the reference, their source compiled for the host.
#include "ketmesh/kernels/gpu/specialise.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <random>

#include "ketmesh/kernels/gpu/random_pass.hpp"
#include "ketmesh/kernels/gpu/specialise_host_testing.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels {
namespace {

using testing::RandomPass;

std::vector<cdouble> random_state(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<cdouble> v(size);
  for (auto& x : v) x = cdouble(normal(random), normal(random)) / std::sqrt(2.0 * static_cast<double>(size));
  return v;
}

RandomPass narrow_pass(std::uint64_t seed, int local, int tile, int steps, bool permute) {
  RandomPass r(seed, local + 2, local, tile, 4, steps, permute);
  r.drop_wide_steps();
  return r;
}

template <typename Real>
void compare(std::uint64_t seed, int local, int tile, int steps, double tolerance) {
  const int registers = sizeof(Real) == 4 ? cuda::kMostRegisterBits : cuda::kRegisterBits;
  const RandomPass r = narrow_pass(seed, local, tile, steps, seed % 2 == 0);
  const Index base = (seed % 4) << local;
  const std::vector<cdouble> start = random_state(seed, std::size_t{1} << local);
  std::vector<cdouble> want = start;
  const Kernels& k = reference_kernels(Precision::double_);
  const DeviceContext context;
  k.run_pass(context, k.prepare_pass(context, r.pass, r.binding, local), {want.data(), local, base}, nullptr);
  std::vector<std::complex<Real>> got(start.begin(), start.end());
  std::vector<double> sums(4);
  testing::HostNorm norm{sums.data(), 2, {1, static_cast<unsigned char>(local)}};
  const auto sweeps = cuda::translate<Real>(r.pass, r.binding, local, registers);
  for (const cuda::Sweep& sweep : sweeps) {
    const bool last = &sweep == &sweeps.back();
    const cuda::Specialised own = cuda::specialise<Real>(sweep, last);
    ASSERT_FALSE(own.source.empty());
    testing::run_on_host(sweep, own, got, base, local, last ? norm : testing::HostNorm{});
  }
  std::vector<double> want_sums(4);
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    worst = std::max(worst, std::abs(cdouble(got[i]) - want[i]));
    want_sums[(i >> 1 & 1) + 2 * ((base + i) >> local & 1)] += std::norm(want[i]);
  }
  EXPECT_LT(worst, tolerance) << "local " << local << " tile " << tile << " seed " << seed;
  for (std::size_t bin = 0; bin < 4; ++bin) EXPECT_NEAR(sums[bin], want_sums[bin], 100 * tolerance);
}

TEST(SpecialisedKernel, EqualsReferenceDouble) {
  for (const auto& [local, tile, steps] : {std::array{8, 8, 20}, {13, 12, 60}})
    for (std::uint64_t seed = 1; seed <= 2; ++seed) compare<double>(seed, local, tile, steps, 1e-13);
}

TEST(SpecialisedKernel, EqualsReferenceSingle) {
  for (const auto& [local, tile, steps] : {std::array{10, 9, 30}, {13, 13, 50}})
    for (std::uint64_t seed = 4; seed <= 5; ++seed) compare<float>(seed, local, tile, steps, 2e-6);
}

TEST(SpecialisedKernel, NewAnglesNeedNoOtherSource) {
  RandomPass r = narrow_pass(3, 12, 10, 40, false);
  const auto first = cuda::translate<float>(r.pass, r.binding, 12);
  for (double& angle : r.binding.angles) angle = 0.37 * angle + 0.1;
  const auto second = cuda::translate<float>(r.pass, r.binding, 12);
  ASSERT_EQ(first.size(), second.size());
  const auto one = cuda::specialise<float>(first[0], false), two = cuda::specialise<float>(second[0], false);
  EXPECT_EQ(one.source, two.source);
  EXPECT_EQ(one.constants.size(), two.constants.size());
}

TEST(SpecialisedKernel, WideStepsAndSmallTilesAreLeftToTheInterpreter) {
  Pass pass;
  pass.tile_bits = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  pass.residencies.resize(1);
  Step step;
  step.kind = StepKind::permutation;
  step.targets = {0, 1, 2};
  step.table = {1, 2, 3, 4, 5, 6, 7, 0};
  pass.residencies[0].steps = {step};
  EXPECT_TRUE(cuda::specialise<float>(cuda::translate<float>(pass, {}, 9)[0], false).source.empty());
  pass.residencies[0].steps.clear();
  EXPECT_FALSE(cuda::specialise<float>(cuda::translate<float>(pass, {}, 9)[0], false).source.empty());
  pass.tile_bits.resize(6);
  EXPECT_TRUE(cuda::specialise<float>(cuda::translate<float>(pass, {}, 9)[0], false).source.empty());
}

}  // namespace
}  // namespace ketmesh::kernels
