#include "ketmesh/kernels/cpu/move.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::cpu {
namespace {

// A block of the static schedule: threads write what they will read in passes, and small states stay on one thread.
constexpr int kBlockBits = 14;

template <typename Real>
std::complex<Real>* amplitudes(const Shard& shard) {
  return static_cast<std::complex<Real>*>(shard.data);
}

/// f(first, count) for blocks of the shard, in parallel.
template <typename F>
void for_blocks(const DeviceContext& context, const Shard& shard, F f) {
  const int block_bits = std::min(kBlockBits, shard.local_bits);
  const auto blocks = static_cast<std::int64_t>(shard.size() >> block_bits);
#pragma omp parallel for schedule(static) num_threads(context.threads) if (blocks > 1 && context.threads > 1)
  for (std::int64_t b = 0; b < blocks; ++b) f(static_cast<Index>(b) << block_bits, bits::one(block_bits));
}

/// f(offset in the shard, element number, count) for the contiguous runs of a block of pack and unpack.
template <typename F>
void for_runs(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count, F f) {
  const Index rest = bits::low_mask(shard.local_bits) & ~mask;
  // Bits below the lowest of the mask are contiguous on both sides.
  const int run_bits = mask == 0 ? shard.local_bits : std::min(bits::lowest(mask), kBlockBits);
  const Index run = bits::one(run_bits);
  const Index begin = first >> run_bits, end = (first + count + run - 1) >> run_bits;
  const auto runs = static_cast<std::int64_t>(end - begin);
#pragma omp parallel for schedule(static) num_threads(context.threads) if (count > (Index{1} << kBlockBits) && context.threads > 1)
  for (std::int64_t r = 0; r < runs; ++r) {
    const Index element = (begin + static_cast<Index>(r)) << run_bits;
    const Index from = std::max(element, first), to = std::min(element + run, first + count);
    f(value | bits::deposit(from, rest), from - first, to - from);
  }
}

}  // namespace

template <typename Real>
void MoveKernels<Real>::fill_zero(const DeviceContext& context, const Shard& shard) {
  auto* a = amplitudes<Real>(shard);
  for_blocks(context, shard,
             [a](Index first, Index count) { std::memset(static_cast<void*>(a + first), 0, count * sizeof(std::complex<Real>)); });
}

template <typename Real>
void MoveKernels<Real>::fill_basis(const DeviceContext& context, const Shard& shard, Index physical, cdouble amplitude) {
  fill_zero(context, shard);
  if (physical >= shard.base && physical - shard.base < shard.size())
    amplitudes<Real>(shard)[physical - shard.base] = std::complex<Real>(amplitude);
}

template <typename Real>
void MoveKernels<Real>::fill_product(const DeviceContext& context, const Shard& shard, std::span<const std::array<cdouble, 2>> factors,
                                     cdouble scale) {
  // An amplitude is (product over the low bits) * (product over the high bits): one table of the low ones, one factor a block.
  const int low = std::min(std::min(shard.local_bits, static_cast<int>(factors.size())), 10);
  std::vector<cdouble> table(bits::one(low), cdouble(1));
  for (int b = 0; b < low; ++b) {
    const auto& factor = factors[static_cast<std::size_t>(b)];
    const Index half = bits::one(b);
    for (Index j = 0; j < half; ++j) {
      table[half + j] = table[j] * factor[1];
      table[j] *= factor[0];
    }
  }
  // Planes, so that the loop over a block is one multiplication of vectors.
  std::vector<Real> re(table.size()), im(table.size());
  for (std::size_t j = 0; j < table.size(); ++j) {
    re[j] = static_cast<Real>(table[j].real());
    im[j] = static_cast<Real>(table[j].imag());
  }
  Real* const out = reinterpret_cast<Real*>(amplitudes<Real>(shard));
  for_blocks(context, shard, [&](Index first, Index count) {
    for (Index start = first; start < first + count; start += table.size()) {
      cdouble high = scale;
      for (std::size_t b = static_cast<std::size_t>(low); b < factors.size(); ++b)
        high *= factors[b][bits::test(shard.base + start, static_cast<int>(b)) ? 1 : 0];
      const Real hr = static_cast<Real>(high.real()), hi = static_cast<Real>(high.imag());
      const Real* const tr = re.data();
      const Real* const ti = im.data();
      Real* const to = out + 2 * start;
      const auto size = static_cast<std::int64_t>(table.size());
#pragma omp simd
      for (std::int64_t j = 0; j < size; ++j) {
        to[2 * j] = hr * tr[j] - hi * ti[j];
        to[2 * j + 1] = hr * ti[j] + hi * tr[j];
      }
    }
  });
}

template <typename Real>
void MoveKernels<Real>::pack(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count,
                             void* out) {
  const auto* a = amplitudes<Real>(shard);
  auto* to = static_cast<std::complex<Real>*>(out);
  for_runs(context, shard, mask, value, first, count,
           [=](Index offset, Index element, Index n) { std::copy_n(a + offset, n, to + element); });
}

template <typename Real>
void MoveKernels<Real>::unpack(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count,
                               const void* in) {
  auto* a = amplitudes<Real>(shard);
  const auto* from = static_cast<const std::complex<Real>*>(in);
  for_runs(context, shard, mask, value, first, count,
           [=](Index offset, Index element, Index n) { std::copy_n(from + element, n, a + offset); });
}

template struct MoveKernels<float>;
template struct MoveKernels<double>;

}  // namespace ketmesh::kernels::cpu
