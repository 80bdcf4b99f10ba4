// Every entry of the kernel table once on a GPU, small enough for the sanitizers, against the reference.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <vector>

#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/kernels/gpu/device_link.hpp"
#include "ketmesh/kernels/gpu/random_pass.hpp"

namespace ketmesh::kernels {
namespace {

constexpr int kLocal = 9, kAll = 11;
constexpr Index kSize = Index{1} << kLocal, kBase = Index{2} << kLocal;

template <typename Real>
std::vector<std::complex<Real>> random_amplitudes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, std::sqrt(0.5 / static_cast<double>(kSize)));
  std::vector<std::complex<Real>> out(kSize);
  for (auto& a : out) a = {static_cast<Real>(normal(random)), static_cast<Real>(normal(random))};
  return out;
}

/// The same shard on the host and on the device.
template <typename Real>
class Twin {
 public:
  using Complex = std::complex<Real>;
  static constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::single : Precision::double_;
  static constexpr double kTolerance = sizeof(Real) == 4 ? 2e-6 : 1e-14;

  explicit Twin(std::uint64_t seed)
      : host_(random_amplitudes<Real>(seed)),
        device_(gpu().allocate({}, bytes())),
        host_shard_{host_.data(), kLocal, kBase},
        device_shard_{device_, kLocal, kBase} {
    gpu().copy_from_host({}, device_, host_.data(), bytes());
  }
  ~Twin() { gpu().release({}, device_, bytes()); }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  static const Kernels& cpu() { return reference_kernels(kPrecision); }
  static const Kernels& gpu() { return cuda_kernels(kPrecision); }
  static std::size_t bytes() { return kSize * sizeof(Complex); }
  const Shard& host() const { return host_shard_; }
  const Shard& device() const { return device_shard_; }

  void expect_equal(const char* what) {
    std::vector<Complex> got(kSize);
    gpu().copy_to_host({}, got.data(), device_, bytes());
    double worst = 0;
    for (Index i = 0; i < kSize; ++i) {
      const double d = std::abs(std::complex<double>(got[i]) - std::complex<double>(host_[i]));
      if (!(d <= worst)) worst = d;
    }
    EXPECT_LE(worst, kTolerance) << what;
  }
  /// `f` acts on a shard through a table.
  template <typename F>
  void both(const char* what, F&& f) {
    f(cpu(), host_shard_);
    f(gpu(), device_shard_);
    expect_equal(what);
  }

 private:
  std::vector<Complex> host_;
  void* device_;
  Shard host_shard_, device_shard_;
};

template <typename Real>
void check_fills_and_updates() {
  Twin<Real> twin(1);
  const DeviceContext context;
  std::array<std::array<cdouble, 2>, kAll> factors;
  for (int b = 0; b < kAll; ++b) factors[static_cast<std::size_t>(b)] = {std::polar(0.9, 0.3 * b), std::polar(0.5, -0.2 * b)};
  twin.both("collapse", [&](const Kernels& k, const Shard& s) { k.collapse(context, s, kBase | 5, kBase | 4, {0.5, 0.25}); });
  twin.both("scale", [&](const Kernels& k, const Shard& s) { k.scale(context, s, {1.5, -0.5}); });
  twin.both("apply_pauli", [&](const Kernels& k, const Shard& s) { k.apply_pauli(context, s, {0b101, kBase | 0b110}, {0.5, 1}); });
  twin.both("fill_product", [&](const Kernels& k, const Shard& s) { k.fill_product(context, s, factors, {0.5, 0.5}); });
  twin.both("fill_basis", [&](const Kernels& k, const Shard& s) { k.fill_basis(context, s, kBase + 77, {0, 1}); });
  twin.both("fill_basis of another shard", [&](const Kernels& k, const Shard& s) { k.fill_basis(context, s, 77, 1.0); });
  twin.both("fill_zero", [&](const Kernels& k, const Shard& s) { k.fill_zero(context, s); });
  Twin<Real> a(2), b(3);
  Twin<Real>::cpu().add(context, a.host(), b.host(), {0.25, 2});
  Twin<Real>::gpu().add(context, a.device(), b.device(), {0.25, 2});
  a.expect_equal("add");
}

template <typename Real>
void check_sums() {
  using T = Twin<Real>;
  const DeviceContext context;
  T twin(4), other(5);
  const std::vector<std::uint8_t> none, some = {1, 8, 10, 3};
  for (const auto& bits : {none, some}) {
    std::vector<double> want(std::size_t{1} << bits.size(), 0.5), got = want;
    T::cpu().marginals(context, twin.host(), bits, want.data());
    T::gpu().marginals(context, twin.device(), bits, got.data());
    for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-12) << "marginals of " << bits.size();
  }
  const std::vector<std::uint8_t> free = {0, 4, 10};
  const std::vector<Index> fixed = {kBase & ~(Index{1} << 10), 2, kBase | 2 | 64};
  std::vector<double> want(fixed.size() << free.size(), -1), got = want;
  T::cpu().probabilities(context, twin.host(), free, fixed, want.data());
  T::gpu().probabilities(context, twin.device(), free, fixed, got.data());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-15) << "probabilities " << k;
  const std::vector<Index> places = {kBase, 3, kBase + kSize - 1, kBase + kSize};
  std::vector<cdouble> amplitudes(places.size(), -1), read = amplitudes;
  T::cpu().read(context, twin.host(), places, amplitudes.data());
  T::gpu().read(context, twin.device(), places, read.data());
  EXPECT_EQ(read, amplitudes);
  std::vector<PauliMasks> terms;
  for (Index t = 0; t < 40; ++t) terms.push_back({(t % 5 == 0 ? 0 : t * 37) & (kSize - 1), (t * 73) | (t % 2 != 0 ? kBase : 0)});
  for (const Index global : {Index{0}, Index{1} << 10}) {
    for (auto& term : terms) term.x = (term.x & (kSize - 1)) | global;
    T& partner = global == 0 ? twin : other;
    std::vector<cdouble> sums(terms.size()), device_sums(terms.size());
    T::cpu().pauli_sums(context, twin.host(), partner.host(), terms, sums.data());
    T::gpu().pauli_sums(context, twin.device(), partner.device(), terms, device_sums.data());
    for (std::size_t t = 0; t < terms.size(); ++t) EXPECT_LE(std::abs(sums[t] - device_sums[t]), 1e-12) << "pauli_sums " << t;
  }
  EXPECT_LE(
      std::abs(T::cpu().inner_product(context, twin.host(), other.host()) - T::gpu().inner_product(context, twin.device(), other.device())),
      1e-12);
}

template <typename Real>
void check_packing() {
  using T = Twin<Real>;
  const DeviceContext context;
  T twin(6);
  const Index mask = 0b100100001, value = 0b100000001, first = 5, count = 40;
  std::vector<std::complex<Real>> host(count), device(count);
  void* const buffer = T::gpu().allocate(context, count * sizeof(host[0]));
  T::cpu().pack(context, twin.host(), mask, value, first, count, host.data());
  T::gpu().pack(context, twin.device(), mask, value, first, count, buffer);
  T::gpu().copy_to_host(context, device.data(), buffer, count * sizeof(host[0]));
  EXPECT_EQ(host, device);
  T::cpu().unpack(context, twin.host(), mask, value ^ 1, first, count, host.data());
  T::gpu().unpack(context, twin.device(), mask, value ^ 1, first, count, buffer);
  twin.expect_equal("unpack");
  T::gpu().release(context, buffer, count * sizeof(host[0]));
  T a(7), b(8);
  T::gpu().swap_blocks(context, a.device(), b.device(), mask, value, value ^ mask);
  std::vector<std::complex<Real>> one(kSize >> 3), other(kSize >> 3);
  T::cpu().pack(context, a.host(), mask, value, 0, kSize >> 3, one.data());
  T::cpu().pack(context, b.host(), mask, value ^ mask, 0, kSize >> 3, other.data());
  T::cpu().unpack(context, a.host(), mask, value, 0, kSize >> 3, other.data());
  T::cpu().unpack(context, b.host(), mask, value ^ mask, 0, kSize >> 3, one.data());
  a.expect_equal("swap_blocks");
  b.expect_equal("swap_blocks");
}

template <typename Real>
void check_passes() {
  using T = Twin<Real>;
  const DeviceContext context;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const testing::RandomPass r(seed, kAll, kLocal, 8, 4, 12, seed % 2 == 0);
    T twin(seed);
    const std::array<std::uint8_t, 3> bits = {0, 5, 10};
    std::array<double, 8> want{}, got{};
    const NormBins host_bins{bits, want.data()}, device_bins{bits, got.data()};
    T::cpu().run_pass(context, T::cpu().prepare_pass(context, r.pass, r.binding, kLocal), twin.host(), &host_bins);
    T::gpu().run_pass(context, T::gpu().prepare_pass(context, r.pass, r.binding, kLocal), twin.device(), &device_bins);
    twin.expect_equal("a pass");
    for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], sizeof(Real) == 4 ? 1e-5 : 1e-13) << "sums of a pass";
  }
}

/// Work on a stream that waits for no other one: what was put there before is seen, and copies to the host wait for it.
template <typename Real>
void check_stream() {
  using T = Twin<Real>;
  DeviceLink& link = cuda_link();
  DeviceContext context;
  context.stream = link.make_stream(0);
  {
    const testing::RandomPass r(9, kAll, kLocal, 8, 4, 12, true);
    T twin(9);
    T::cpu().run_pass({}, T::cpu().prepare_pass({}, r.pass, r.binding, kLocal), twin.host(), nullptr);
    T::cpu().scale({}, twin.host(), {0, 1});
    const auto pass = T::gpu().prepare_pass(context, r.pass, r.binding, kLocal);
    T::gpu().run_pass(context, pass, twin.device(), nullptr);
    T::gpu().scale(context, twin.device(), {0, 1});
    T::gpu().synchronize(context);
    twin.expect_equal("a pass on a stream");
  }
  link.end_stream(0, context.stream);
}

template <typename Real>
class CudaContract : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_status().available) GTEST_SKIP() << cuda_status().reason;
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaContract, Reals);

TYPED_TEST(CudaContract, FillsAndUpdates) { check_fills_and_updates<TypeParam>(); }
TYPED_TEST(CudaContract, Sums) { check_sums<TypeParam>(); }
TYPED_TEST(CudaContract, Packing) { check_packing<TypeParam>(); }
TYPED_TEST(CudaContract, Passes) { check_passes<TypeParam>(); }
TYPED_TEST(CudaContract, ACallersStream) { check_stream<TypeParam>(); }

}  // namespace
}  // namespace ketmesh::kernels
