// Measuring kernels of the reference backend: plain loops over all amplitudes.
#pragma once

#include <array>
#include <complex>
#include <span>

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::reference {

/// The measuring entries of the table; each is described in kernels.hpp.
template <typename Real>
struct MeasureKernels {
  static void marginals(const DeviceContext&, const Shard&, std::span<const std::uint8_t> bits, double* out);
  static void collapse(const DeviceContext&, const Shard&, Index mask, Index value, cdouble scale);
  static void scale(const DeviceContext&, const Shard&, cdouble factor);
  static void probabilities(const DeviceContext&, const Shard&, std::span<const std::uint8_t> free, std::span<const Index> fixed,
                            double* out);
  static void read(const DeviceContext&, const Shard&, std::span<const Index> physical, cdouble* out);
  static void pauli_sums(const DeviceContext&, const Shard& shard, const Shard& partner, std::span<const PauliMasks> terms, cdouble* sums);
  static cdouble inner_product(const DeviceContext&, const Shard& a, const Shard& b);
  static void apply_pauli(const DeviceContext&, const Shard&, PauliMasks masks, cdouble factor);
  static void add(const DeviceContext&, const Shard& a, const Shard& b, cdouble factor);
};

extern template struct MeasureKernels<float>;
extern template struct MeasureKernels<double>;

}  // namespace ketmesh::kernels::reference
