// Measuring kernels of the CPU backend.
#pragma once

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// Sets the measuring entries of a table (marginals ... add; each is described in kernels.hpp). `level` is an available one.
template <typename Real>
void set_measure_kernels(Kernels& table, SimdLevel level);

}  // namespace ketmesh::kernels::cpu
