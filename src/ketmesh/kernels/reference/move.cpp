#include "ketmesh/kernels/reference/move.hpp"

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::reference {
namespace {

template <typename Real>
std::complex<Real>* amplitudes(const Shard& shard) {
  return static_cast<std::complex<Real>*>(shard.data);
}

}  // namespace

template <typename Real>
void MoveKernels<Real>::fill_zero(const DeviceContext&, const Shard& shard) {
  for (Index i = 0; i < shard.size(); ++i) amplitudes<Real>(shard)[i] = 0;
}

template <typename Real>
void MoveKernels<Real>::fill_basis(const DeviceContext& context, const Shard& shard, Index physical, cdouble amplitude) {
  fill_zero(context, shard);
  if (physical >= shard.base && physical - shard.base < shard.size())
    amplitudes<Real>(shard)[physical - shard.base] = std::complex<Real>(amplitude);
}

template <typename Real>
void MoveKernels<Real>::fill_product(const DeviceContext&, const Shard& shard, std::span<const std::array<cdouble, 2>> factors,
                                     cdouble scale) {
  for (Index i = 0; i < shard.size(); ++i) {
    cdouble product = scale;
    for (std::size_t b = 0; b < factors.size(); ++b) product *= factors[b][bits::test(shard.base + i, static_cast<int>(b)) ? 1 : 0];
    amplitudes<Real>(shard)[i] = std::complex<Real>(product);
  }
}

template <typename Real>
void MoveKernels<Real>::pack(const DeviceContext&, const Shard& shard, Index mask, Index value, Index first, Index count, void* out) {
  const Index rest = bits::low_mask(shard.local_bits) & ~mask;
  for (Index j = 0; j < count; ++j)
    static_cast<std::complex<Real>*>(out)[j] = amplitudes<Real>(shard)[value | bits::deposit(first + j, rest)];
}

template <typename Real>
void MoveKernels<Real>::unpack(const DeviceContext&, const Shard& shard, Index mask, Index value, Index first, Index count,
                               const void* in) {
  const Index rest = bits::low_mask(shard.local_bits) & ~mask;
  for (Index j = 0; j < count; ++j)
    amplitudes<Real>(shard)[value | bits::deposit(first + j, rest)] = static_cast<const std::complex<Real>*>(in)[j];
}

template struct MoveKernels<float>;
template struct MoveKernels<double>;

}  // namespace ketmesh::kernels::reference
