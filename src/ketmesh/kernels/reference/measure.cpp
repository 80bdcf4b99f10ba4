#include "ketmesh/kernels/reference/measure.hpp"

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::reference {
namespace {

template <typename Real>
std::complex<Real>* amplitudes(const Shard& shard) {
  return static_cast<std::complex<Real>*>(shard.data);
}

/// Every reference kernel computes in double and rounds when it stores.
template <typename Real>
cdouble load(const Shard& shard, Index i) {
  return cdouble(amplitudes<Real>(shard)[i]);
}

template <typename Real>
void store(const Shard& shard, Index i, cdouble value) {
  amplitudes<Real>(shard)[i] = std::complex<Real>(value);
}

/// (-1)^{parity of index & z}
double sign(Index index, Index z) { return bits::parity(index & z) ? -1.0 : 1.0; }

}  // namespace

template <typename Real>
void MeasureKernels<Real>::marginals(const DeviceContext&, const Shard& shard, std::span<const std::uint8_t> bits, double* out) {
  for (Index i = 0; i < shard.size(); ++i) out[bits::gather(shard.base + i, bits)] += std::norm(load<Real>(shard, i));
}

template <typename Real>
void MeasureKernels<Real>::collapse(const DeviceContext&, const Shard& shard, Index mask, Index value, cdouble scale) {
  for (Index i = 0; i < shard.size(); ++i)
    store<Real>(shard, i, ((shard.base + i) & mask) == value ? scale * load<Real>(shard, i) : cdouble(0));
}

template <typename Real>
void MeasureKernels<Real>::scale(const DeviceContext&, const Shard& shard, cdouble factor) {
  for (Index i = 0; i < shard.size(); ++i) store<Real>(shard, i, factor * load<Real>(shard, i));
}

template <typename Real>
void MeasureKernels<Real>::probabilities(const DeviceContext&, const Shard& shard, std::span<const std::uint8_t> free,
                                         std::span<const Index> fixed, double* out) {
  const Index group = bits::one(static_cast<int>(free.size()));
  for (std::size_t g = 0; g < fixed.size(); ++g)
    for (Index j = 0; j < group; ++j) {
      const Index physical = fixed[g] | bits::scatter(j, free);
      if (physical - shard.base < shard.size()) out[g * group + j] = std::norm(load<Real>(shard, physical - shard.base));
    }
}

template <typename Real>
void MeasureKernels<Real>::read(const DeviceContext&, const Shard& shard, std::span<const Index> physical, cdouble* out) {
  for (std::size_t k = 0; k < physical.size(); ++k)
    if (physical[k] - shard.base < shard.size()) out[k] = load<Real>(shard, physical[k] - shard.base);
}

template <typename Real>
void MeasureKernels<Real>::pauli_sums(const DeviceContext&, const Shard& shard, const Shard& partner, std::span<const PauliMasks> terms,
                                      cdouble* sums) {
  const Index local = bits::low_mask(shard.local_bits);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    cdouble sum = 0;
    for (Index i = 0; i < shard.size(); ++i)
      sum += std::conj(load<Real>(partner, i ^ (terms[t].x & local))) * sign(shard.base + i, terms[t].z) * load<Real>(shard, i);
    sums[t] += sum;
  }
}

template <typename Real>
cdouble MeasureKernels<Real>::inner_product(const DeviceContext&, const Shard& a, const Shard& b) {
  cdouble sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += std::conj(load<Real>(a, i)) * load<Real>(b, i);
  return sum;
}

template <typename Real>
void MeasureKernels<Real>::apply_pauli(const DeviceContext&, const Shard& shard, PauliMasks masks, cdouble factor) {
  // Y = i X Z, and X^x Z^z |i> = (-1)^{i.z} |i ^ x>.
  constexpr std::array<cdouble, 4> kPowersOfI = {cdouble(1, 0), cdouble(0, 1), cdouble(-1, 0), cdouble(0, -1)};
  const cdouble phase = factor * kPowersOfI[static_cast<std::size_t>(bits::count(masks.x & masks.z)) % 4];
  for (Index i = 0; i < shard.size(); ++i) {
    const Index j = i ^ masks.x;
    if (j < i) continue;
    const cdouble to_j = phase * sign(shard.base + i, masks.z) * load<Real>(shard, i);
    const cdouble to_i = phase * sign(shard.base + j, masks.z) * load<Real>(shard, j);
    store<Real>(shard, j, to_j);
    store<Real>(shard, i, to_i);
  }
}

template <typename Real>
void MeasureKernels<Real>::add(const DeviceContext&, const Shard& a, const Shard& b, cdouble factor) {
  for (Index i = 0; i < a.size(); ++i) store<Real>(a, i, load<Real>(a, i) + factor * load<Real>(b, i));
}

template struct MeasureKernels<float>;
template struct MeasureKernels<double>;

}  // namespace ketmesh::kernels::reference
