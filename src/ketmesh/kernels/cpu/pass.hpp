// Tile passes of the CPU backend.
#pragma once

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// The level is fixed when the pass is prepared.
template <typename Real, SimdLevel kLevel>
struct PassKernels {
  static PreparedPass prepare_pass(const DeviceContext&, const Pass& pass, const Binding& binding, int local_bits);
  static void run_pass(const DeviceContext&, const PreparedPass& pass, const Shard&, const NormBins* bins);
  static PreparedPass prepare_adjoint(const DeviceContext&, std::span<const AdjointLevel> levels, const Binding& binding, int local_bits,
                                      bool stores);
  static void run_adjoint(const DeviceContext&, const PreparedPass& pass, const Shard& bra, const Shard& ket, double* sums);
};

}  // namespace ketmesh::kernels::cpu
