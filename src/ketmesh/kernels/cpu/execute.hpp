// Runs programs on tiles: one function a SIMD level and precision.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "ketmesh/kernels/cpu/program.hpp"
#include "ketmesh/kernels/cpu/schedule.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// Where amplitude `e` of a tile lies in a plane of the buffer: one line is left out after every 4 KiB, so that vectors a power of two
/// apart do not fall on the same sets of the first cache. Adds up over disjoint bits of `e`.
template <typename Real>
constexpr std::size_t place(std::size_t e) {
  constexpr int kShift = std::countr_zero(4096 / sizeof(Real));
  constexpr std::size_t kLine = 64 / sizeof(Real);
  return e + (e >> kShift) * kLine;
}

/// Memory of one thread.
template <typename Real>
struct TileScratch {
  Real* re = nullptr;  ///< place(2^padded_bits) each, 64-byte aligned
  Real* im = nullptr;
  Real* dynamic = nullptr;  ///< Program::dynamic_size
  Real* wide = nullptr;     ///< 4 * lanes * 2^k for the widest operation of 2^k amplitudes
};

/// A level of an adjoint pass.
template <typename Real>
struct AdjointPart {
  Program<Real> program;
  std::vector<TileProbe> probes;   ///< read before it runs
  std::size_t dynamic_offset = 0;  ///< of its dynamic tables in the thread's
};

template <typename Real>
struct Runner {
  VectorShape shape;
  /// Tiles [first, last) of a shard; `sums` (may be null): |a|^2 is added to sums[gather(physical, bits)].
  void (*run)(const Program<Real>& program, const Shard& shard, const TileScratch<Real>& scratch, Index first, Index last,
              std::span<const std::uint8_t> bits, double* sums);
  /// The same tiles of two states through all parts; sums[p] of the probes in their order. The scratch of both shares the dynamic tables.
  void (*run_adjoint)(std::span<const AdjointPart<Real>> parts, bool stores, const Shard& bra, const Shard& ket,
                      const TileScratch<Real>& bra_scratch, const TileScratch<Real>& ket_scratch, Index first, Index last, double* sums);
};

template <typename Real>
Runner<Real> runner(SimdLevel level);
template <>
Runner<float> runner<float>(SimdLevel level);
template <>
Runner<double> runner<double>(SimdLevel level);

}  // namespace ketmesh::kernels::cpu
