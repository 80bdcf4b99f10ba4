// Memory, start states and packing of the cpu backend.
#pragma once

#include <array>
#include <span>

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// The entries of the table that move or write amplitudes; each is described in kernels.hpp.
template <typename Real>
struct MoveKernels {
  static void fill_zero(const DeviceContext&, const Shard&);
  static void fill_basis(const DeviceContext&, const Shard&, Index physical, cdouble amplitude);
  static void fill_product(const DeviceContext&, const Shard&, std::span<const std::array<cdouble, 2>> factors, cdouble scale);
  static void pack(const DeviceContext&, const Shard&, Index mask, Index value, Index first, Index count, void* out);
  static void unpack(const DeviceContext&, const Shard&, Index mask, Index value, Index first, Index count, const void* in);
};

extern template struct MoveKernels<float>;
extern template struct MoveKernels<double>;

}  // namespace ketmesh::kernels::cpu
