// Kernels that change a state as a whole: collapse, scale, sums of states, Pauli strings; and reading single amplitudes, the inner product.
#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include "ketmesh/kernels/cpu/measure_kernels.hpp"

namespace ketmesh::kernels::cpu {
namespace {

constexpr int kPatternBits = 6;
constexpr Index kPattern = Index{1} << kPatternBits;

/// Factors of 2^kPatternBits neighbours as VectorOps::multiply takes them.
template <typename Real>
struct Pattern {
  std::array<Real, 2 * kPattern> direct{}, crossed{};
  void set(Index i, cdouble factor) {
    direct[2 * i] = direct[2 * i + 1] = static_cast<Real>(factor.real());
    crossed[2 * i] = static_cast<Real>(-factor.imag());
    crossed[2 * i + 1] = static_cast<Real>(factor.imag());
  }
};

/// Amplitudes of the longest run inside a block over which the bits of `mask` from kPatternBits up stay the same.
Index run_length(const Shard& shard, Index mask) {
  const Index high = mask & ~bits::low_mask(kPatternBits);
  const int block_bits = std::min(kBlockBits, shard.local_bits);
  return bits::one(high == 0 ? block_bits : std::min(block_bits, bits::lowest(high)));
}

}  // namespace

template <typename Real>
void collapse(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& shard, Index mask, Index value, cdouble factor) {
  Pattern<Real> pattern;
  const Index low = bits::low_mask(kPatternBits), width = std::min(kPattern, shard.size());
  for (Index i = 0; i < width; ++i) pattern.set(i, ((shard.base + i) & mask & low) == (value & low) ? factor : cdouble(0));
  // A shard of fewer amplitudes than a pattern has bits of its number among the low ones: they are in the pattern already.
  const Index high = mask & ~low, run = run_length(shard, mask);
  for_each_block(context, shard, [&](Index first, Index count) {
    for (Index i = first; i < first + count; i += run) {
      Real* a = reals<Real>(shard) + 2 * i;
      if (((shard.base + i) & high) != (value & high))
        std::memset(static_cast<void*>(a), 0, 2 * run * sizeof(Real));
      else
        ops.multiply(a, width, run / width, pattern.direct.data(), pattern.crossed.data());
    }
  });
}

template <typename Real>
void scale(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& shard, cdouble factor) {
  collapse(ops, context, shard, 0, 0, factor);
}

template <typename Real>
void add(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& a, const Shard& b, cdouble factor) {
  for_each_block(context, a,
                 [&](Index first, Index count) { ops.accumulate(reals<Real>(a) + 2 * first, reals<Real>(b) + 2 * first, count, factor); });
}

template <typename Real>
cdouble inner_product(const VectorOps<Real>& ops, const DeviceContext& context, const Shard& a, const Shard& b) {
  const int block_bits = std::min(kBlockBits, a.local_bits);
  const Index blocks = a.size() >> block_bits, units = std::min(blocks, kSumUnits), per_unit = blocks / units;
  std::vector<cdouble> partial(units);
#pragma omp parallel for schedule(static) num_threads(context.threads) if (worth_threads(context, a.size()))
  for (std::int64_t unit = 0; unit < static_cast<std::int64_t>(units); ++unit) {
    cdouble sum = 0;
    for (Index block = static_cast<Index>(unit) * per_unit; block < (static_cast<Index>(unit) + 1) * per_unit; ++block) {
      const Index first = block << block_bits;
      sum += ops.dot(reals<Real>(a) + 2 * first, reals<Real>(b) + 2 * first, bits::one(block_bits));
    }
    partial[static_cast<std::size_t>(unit)] = sum;
  }
  cdouble total = 0;
  for (const auto& sum : partial) total += sum;
  return total;
}

template <typename Real>
void apply_pauli(const DeviceContext& context, const Shard& shard, PauliMasks masks, cdouble factor) {
  using Complex = std::complex<Real>;
  constexpr std::array<cdouble, 4> kPowersOfI = {cdouble(1, 0), cdouble(0, 1), cdouble(-1, 0), cdouble(0, -1)};
  const cdouble phase = factor * kPowersOfI[static_cast<std::size_t>(bits::count(masks.x & masks.z)) % 4];
  const Index width = std::min(kPattern, shard.size()), low = width - 1;
  std::array<Complex, kPattern> plus{}, minus{};  // factors of a run's elements, for both signs of its higher bits
  for (Index e = 0; e < width; ++e) {
    plus[e] = Complex(bits::parity(e & masks.z) ? -phase : phase);
    minus[e] = -plus[e];
  }
  auto* a = static_cast<Complex*>(shard.data);
  const Index flip = masks.x & low, far = masks.x & ~low;
  const auto move = [&](Index to, const std::array<Complex, kPattern>& from, Index from_index) {
    const auto& factors = bits::parity((shard.base + from_index) & masks.z & ~low) ? minus : plus;
    for (Index e = 0; e < width; ++e) {
      const Complex x = from[e], f = factors[e];
      a[to + (e ^ flip)] = {x.real() * f.real() - x.imag() * f.imag(), x.real() * f.imag() + x.imag() * f.real()};
    }
  };
  for_each_block(context, shard, [&](Index first, Index count) {
    std::array<Complex, kPattern> here, there;
    for (Index i = first; i < first + count; i += width) {
      const Index j = i ^ far;
      if (j < i) continue;  // done with its partner
      std::copy_n(a + i, width, here.begin());
      if (j != i) std::copy_n(a + j, width, there.begin());
      move(j, here, i);
      if (j != i) move(i, there, j);
    }
  });
}

template <typename Real>
void read(const DeviceContext& context, const Shard& shard, std::span<const Index> physical, cdouble* out) {
  const auto* a = static_cast<const std::complex<Real>*>(shard.data);
  const auto count = static_cast<std::int64_t>(physical.size());
#pragma omp parallel for schedule(static) num_threads(context.threads) if (worth_threads(context, physical.size()))
  for (std::int64_t k = 0; k < count; ++k) {
    const Index offset = physical[static_cast<std::size_t>(k)] - shard.base;
    if (offset < shard.size()) out[k] = cdouble(a[offset]);
  }
}

#define KETMESH_INSTANTIATE(Real)                                                                                  \
  template void collapse<Real>(const VectorOps<Real>&, const DeviceContext&, const Shard&, Index, Index, cdouble); \
  template void scale<Real>(const VectorOps<Real>&, const DeviceContext&, const Shard&, cdouble);                  \
  template void add<Real>(const VectorOps<Real>&, const DeviceContext&, const Shard&, const Shard&, cdouble);      \
  template cdouble inner_product<Real>(const VectorOps<Real>&, const DeviceContext&, const Shard&, const Shard&);  \
  template void apply_pauli<Real>(const DeviceContext&, const Shard&, PauliMasks, cdouble);                        \
  template void read<Real>(const DeviceContext&, const Shard&, std::span<const Index>, cdouble*)
KETMESH_INSTANTIATE(float);
KETMESH_INSTANTIATE(double);
#undef KETMESH_INSTANTIATE

}  // namespace ketmesh::kernels::cpu
