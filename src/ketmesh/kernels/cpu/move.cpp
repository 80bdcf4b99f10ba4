#include "ketmesh/kernels/cpu/move.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>
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

// Runs whose places come from one table: it stays in the first cache.
constexpr int kTableBits = 9;

/// f(offset in the shard, element number, run length) for whole runs of 2^run_bits elements, where the length is a constant for short ones.
template <int kRunBits = 0, typename F>
void move_runs(int run_bits, std::span<const Index> places, Index base, Index element, F f) {
  constexpr int kMostConstant = 4;
  if constexpr (kRunBits <= kMostConstant) {
    if (run_bits != kRunBits) return move_runs<kRunBits + 1>(run_bits, places, base, element, f);
    constexpr Index kRun = Index{1} << kRunBits;
    for (std::size_t r = 0; r < places.size(); ++r) f(base | places[r], element + r * kRun, std::integral_constant<Index, kRun>{});
  } else {
    const Index run = bits::one(run_bits);
    for (std::size_t r = 0; r < places.size(); ++r) f(base | places[r], element + r * run, run);
  }
}

/// f(offset in the shard, element number, count) for the contiguous runs of a block of pack and unpack.
template <typename F>
void for_runs(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count, F f) {
  const Index rest = bits::low_mask(shard.local_bits) & ~mask;
  // Bits below the lowest of the mask are contiguous on both sides.
  const int run_bits = mask == 0 ? shard.local_bits : std::min(bits::lowest(mask), kBlockBits);
  const Index run = bits::one(run_bits), end = first + count;
  const auto edge = [&](Index from, Index to) {
    if (from < to) f(value | bits::deposit(from, rest), from - first, to - from);
  };
  const Index whole = std::min(end, (first + run - 1) & ~(run - 1)), whole_end = std::max(whole, end & ~(run - 1));
  edge(first, whole);
  edge(whole_end, end);
  const Index runs = (whole_end - whole) >> run_bits;
  if (runs == 0) return;
  const int table_bits = std::min({kTableBits, bits::count(rest) - run_bits, static_cast<int>(std::bit_width(runs))});
  std::vector<Index> table(bits::one(table_bits));
  for (Index r = 0; r < table.size(); ++r) table[r] = bits::deposit(r << run_bits, rest);
  const Index tile = run << table_bits, first_tile = whole / tile;
  const auto tiles = static_cast<std::int64_t>((whole_end + tile - 1) / tile - first_tile);
#pragma omp parallel for schedule(static) num_threads(context.threads) if (count > (Index{1} << kBlockBits) && context.threads > 1)
  for (std::int64_t t = 0; t < tiles; ++t) {
    const Index start = (first_tile + static_cast<Index>(t)) * tile;
    const Index from = std::max(start, whole), to = std::min(start + tile, whole_end);
    const auto places = std::span<const Index>(table).subspan((from - start) >> run_bits, (to - from) >> run_bits);
    move_runs(run_bits, places, value | bits::deposit(start, rest), from - first, f);
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
  const int low = std::min(std::min(shard.local_bits, static_cast<int>(factors.size())), 8);
  // Planes, so that the loops are multiplications of vectors; in double precision until the table is whole.
  std::vector<double> table_re(bits::one(low), 1.0), table_im(bits::one(low), 0.0);
  double* const re_of = table_re.data();
  double* const im_of = table_im.data();
  for (int b = 0; b < low; ++b) {
    const auto [zero, one] = factors[static_cast<std::size_t>(b)];
    const auto half = static_cast<std::int64_t>(bits::one(b));
    const double zr = zero.real(), zi = zero.imag(), wr = one.real(), wi = one.imag();
#pragma omp simd
    for (std::int64_t j = 0; j < half; ++j) {
      const double r = re_of[j], i = im_of[j];
      re_of[half + j] = r * wr - i * wi;
      im_of[half + j] = r * wi + i * wr;
      re_of[j] = r * zr - i * zi;
      im_of[j] = r * zi + i * zr;
    }
  }
  const std::vector<Real> re(table_re.begin(), table_re.end()), im(table_im.begin(), table_im.end());
  Real* const out = reinterpret_cast<Real*>(amplitudes<Real>(shard));
  for_blocks(context, shard, [&](Index first, Index count) {
    for (Index start = first; start < first + count; start += re.size()) {
      cdouble high = scale;
      for (std::size_t b = static_cast<std::size_t>(low); b < factors.size(); ++b)
        high *= factors[b][bits::test(shard.base + start, static_cast<int>(b)) ? 1 : 0];
      const Real hr = static_cast<Real>(high.real()), hi = static_cast<Real>(high.imag());
      const Real* const tr = re.data();
      const Real* const ti = im.data();
      Real* const to = out + 2 * start;
      const auto size = static_cast<std::int64_t>(re.size());
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
           [=](Index offset, Index element, auto n) { std::copy_n(a + offset, static_cast<Index>(n), to + element); });
}

template <typename Real>
void MoveKernels<Real>::unpack(const DeviceContext& context, const Shard& shard, Index mask, Index value, Index first, Index count,
                               const void* in) {
  auto* a = amplitudes<Real>(shard);
  const auto* from = static_cast<const std::complex<Real>*>(in);
  for_runs(context, shard, mask, value, first, count,
           [=](Index offset, Index element, auto n) { std::copy_n(from + element, static_cast<Index>(n), a + offset); });
}

template struct MoveKernels<float>;
template struct MoveKernels<double>;

}  // namespace ketmesh::kernels::cpu
