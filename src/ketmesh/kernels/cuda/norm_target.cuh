// Sums of |a|^2 by bits of the index, in double.
#pragma once

#include <cstdint>

namespace ketmesh::kernels::cuda {

/// Where the last pass of a run adds up |a|^2.
struct NormTarget {
  double* sums;  // nullptr: none
  std::int32_t count;
  std::uint8_t bits[24];  // physical, after the store
};

__device__ __forceinline__ void add_norm(const NormTarget& norm, std::uint64_t physical, double value) {
  unsigned bin = 0;
  for (int k = 0; k < norm.count; ++k) bin |= static_cast<unsigned>(physical >> norm.bits[k] & 1) << k;
  // A warp that falls into one bin adds up first.
  int same = 0;
  __match_all_sync(__activemask(), bin, &same);
  if (same != 0 && __activemask() == 0xffffffffu) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(norm.sums + bin, value);
  } else {
    atomicAdd(norm.sums + bin, value);
  }
}

}  // namespace ketmesh::kernels::cuda
