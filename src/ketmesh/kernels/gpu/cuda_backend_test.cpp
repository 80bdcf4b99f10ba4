// Programs that a GPU would run, interpreted here on the host, against the reference; and the real backend where there is a GPU.
#include "ketmesh/kernels/gpu/cuda_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <random>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/program_interpreter_testing.hpp"
#include "ketmesh/kernels/gpu/random_pass.hpp"
#include "ketmesh/kernels/gpu/translate.hpp"

namespace ketmesh::kernels {
namespace {

using testing::Interpreter;
using testing::RandomPass;
using testing::Vector;

Vector random_state(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Vector v(size);
  double norm = 0;
  for (auto& x : v) {
    x = {normal(random), normal(random)};
    norm += std::norm(x);
  }
  for (auto& x : v) x /= std::sqrt(norm);
  return v;
}

struct Case {
  int local, tile, rows, steps;
};
constexpr Case kCases[] = {{3, 3, 3, 10},  {7, 7, 4, 20},   {8, 8, 4, 20},   {10, 8, 4, 30},
                           {11, 5, 3, 20}, {12, 10, 4, 40}, {13, 12, 5, 60}, {13, 13, 4, 400}};
constexpr int kGlobalBits = 2;

Vector reference(const RandomPass& r, Vector state, Index base) {
  const Kernels& k = reference_kernels(Precision::double_);
  const DeviceContext context;
  const Shard shard{state.data(), std::countr_zero(state.size()), base};
  k.run_pass(context, k.prepare_pass(context, r.pass, r.binding, shard.local_bits), shard, nullptr);
  return state;
}

double largest_difference(const Vector& a, const Vector& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(GpuProgram, InterpretedEqualsReference) {
  for (const Case& c : kCases)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const RandomPass r(seed, c.local + kGlobalBits, c.local, c.tile, c.rows, c.steps, seed % 2 == 0);
      const Index base = (seed % 4) << c.local;
      const Vector start = random_state(seed, std::size_t{1} << c.local);
      const Vector want = reference(r, start, base);
      for (const int registers : {cuda::kRegisterBits, cuda::kMostRegisterBits}) {
        if (registers > cuda::kRegisterBits && c.tile <= cuda::kMinTileBits) continue;
        Vector state = start;
        for (const cuda::Sweep& sweep : cuda::translate<double>(r.pass, r.binding, c.local, registers))
          Interpreter(sweep).run(state, base, c.local);
        EXPECT_LT(largest_difference(state, want), 1e-13)
            << "local " << c.local << " tile " << c.tile << " seed " << seed << " registers " << registers;
      }
    }
}

TEST(GpuProgram, AWideTileIsRefused) {
  const RandomPass r(1, 16, 16, 14, 4, 3, false);
  EXPECT_THROW(cuda::translate<float>(r.pass, r.binding, 16), OptionError);
}

TEST(CudaBackend, WithoutAGpuItSaysWhy) {
  if (cuda_status().available) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(cuda_status().reason.empty());
  EXPECT_TRUE(cuda_devices().empty());
  EXPECT_THROW(cuda_kernels(Precision::single), BackendUnavailable);
}

template <typename Real>
void compare_on_gpu(bool wide_steps = true, std::uint64_t seeds = 8, int most_steps = 400) {
  const Precision precision = sizeof(Real) == 4 ? Precision::single : Precision::double_;
  const Kernels& k = cuda_kernels(precision);
  const DeviceContext context;
  for (const Case& c : kCases) {
    if (precision == Precision::double_ && c.tile > 12) continue;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      RandomPass r(seed, c.local + kGlobalBits, c.local, c.tile, c.rows, std::min(c.steps, most_steps), seed % 2 == 0);
      if (!wide_steps) r.drop_wide_steps();
      const Index base = (seed % 4) << c.local;
      const Vector start = random_state(seed, std::size_t{1} << c.local);
      std::vector<std::complex<Real>> host(start.begin(), start.end());
      const std::size_t bytes = host.size() * sizeof(host[0]);
      void* data = k.allocate(context, bytes);
      k.copy_from_host(context, data, host.data(), bytes);
      k.run_pass(context, k.prepare_pass(context, r.pass, r.binding, c.local), {data, c.local, base}, nullptr);
      k.copy_to_host(context, host.data(), data, bytes);
      k.release(context, data, bytes);
      const Vector got(host.begin(), host.end());
      const double tolerance = precision == Precision::single ? 1e-6 + 1e-7 * std::sqrt(c.steps) : 1e-14 + 1e-15 * std::sqrt(c.steps);
      EXPECT_LT(largest_difference(got, reference(r, start, base)), tolerance)
          << "local " << c.local << " tile " << c.tile << " seed " << seed;
    }
  }
}

TEST(CudaBackend, PassesEqualReferenceSingle) {
  if (!cuda_status().available) GTEST_SKIP() << cuda_status().reason;
  compare_on_gpu<float>();
}

TEST(CudaBackend, PassesEqualReferenceDouble) {
  if (!cuda_status().available) GTEST_SKIP() << cuda_status().reason;
  compare_on_gpu<double>();
}

/// Kernels compiled for each program, and the interpreter alone.
TEST(CudaBackend, PassesEqualReferenceCompiledOrNot) {
  if (!cuda_status().available) GTEST_SKIP() << cuda_status().reason;
  for (const char* mode : {"always", "never"}) {
    setenv("KETMESH_CUDA_COMPILE", mode, 1);
    compare_on_gpu<float>(/*wide_steps=*/false, 2, 60);
    compare_on_gpu<double>(/*wide_steps=*/false, 2, 60);
  }
  unsetenv("KETMESH_CUDA_COMPILE");
}

}  // namespace
}  // namespace ketmesh::kernels
