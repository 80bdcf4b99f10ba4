// The measuring kernels as functions of the SIMD loops that they use. Work is cut into units that do not depend on the number of threads, and
// the sums of the units are added in their order: results have the same bits for any team.
#pragma once

#include <algorithm>
#include <span>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/cpu/vector_ops.hpp"
#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

inline constexpr int kBlockBits = 12;    ///< amplitudes of a block: planes of doubles stay in the first cache
inline constexpr Index kSumUnits = 128;  ///< partial sums of a reduction: enough for the cores of a socket

template <typename Real>
Real* reals(const Shard& shard) {
  return static_cast<Real*>(shard.data);
}

inline bool worth_threads(const DeviceContext& context, Index amplitudes) {
  return context.threads > 1 && amplitudes > bits::one(kBlockBits);
}

/// f(first amplitude, count) for the blocks of a shard, in parallel.
template <typename F>
void for_each_block(const DeviceContext& context, const Shard& shard, F&& f) {
  const int block_bits = std::min(kBlockBits, shard.local_bits);
  const auto blocks = static_cast<std::int64_t>(shard.size() >> block_bits);
#pragma omp parallel for schedule(static) num_threads(context.threads) if (worth_threads(context, shard.size()))
  for (std::int64_t b = 0; b < blocks; ++b) f(static_cast<Index>(b) << block_bits, bits::one(block_bits));
}

template <typename Real>
void marginals(const VectorOps<Real>&, const DeviceContext&, const Shard&, std::span<const std::uint8_t> bits, double* out);
template <typename Real>
void probabilities(const VectorOps<Real>&, const DeviceContext&, const Shard&, std::span<const std::uint8_t> free,
                   std::span<const Index> fixed, double* out);
template <typename Real>
cdouble inner_product(const VectorOps<Real>&, const DeviceContext&, const Shard& a, const Shard& b);
template <typename Real>
void pauli_sums(const VectorOps<Real>&, const DeviceContext&, const Shard& shard, const Shard& partner, std::span<const PauliMasks> terms,
                cdouble* sums);
template <typename Real>
void collapse(const VectorOps<Real>&, const DeviceContext&, const Shard&, Index mask, Index value, cdouble scale);
template <typename Real>
void scale(const VectorOps<Real>&, const DeviceContext&, const Shard&, cdouble factor);
template <typename Real>
void add(const VectorOps<Real>&, const DeviceContext&, const Shard& a, const Shard& b, cdouble factor);
template <typename Real>
void apply_pauli(const DeviceContext&, const Shard&, PauliMasks masks, cdouble factor);
template <typename Real>
void add_paulis(const DeviceContext&, const Shard& to, const Shard& from, std::span<const PauliMasks> terms,
                std::span<const cdouble> factors);
template <typename Real>
void read(const DeviceContext&, const Shard&, std::span<const Index> physical, cdouble* out);

}  // namespace ketmesh::kernels::cpu
