// Which SIMD levels this build has and this processor runs.
#pragma once

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// The best available level for `best`; throws BackendUnavailable for one that is not available.
SimdLevel choose_level(SimdLevel wanted);

}  // namespace ketmesh::kernels::cpu
