// Passes of the reference backend: the steps one after the other over the whole shard, as they are written.
#pragma once

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::reference {

template <typename Real>
struct PassKernels {
  static PreparedPass prepare_pass(const DeviceContext&, const Pass& pass, const Binding& binding, int local_bits);
  static void run_pass(const DeviceContext&, const PreparedPass& pass, const Shard&, const NormBins* bins);
};

extern template struct PassKernels<float>;
extern template struct PassKernels<double>;

}  // namespace ketmesh::kernels::reference
