// Which SIMD levels this build has and this processor runs.
#pragma once

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// The best available level for `best`; throws BackendUnavailable for one that is not available.
SimdLevel choose_level(SimdLevel wanted);
/// Highway's bit (HWY_AVX2, ...) of a level other than `best`.
std::int64_t highway_target(SimdLevel level);

}  // namespace ketmesh::kernels::cpu
