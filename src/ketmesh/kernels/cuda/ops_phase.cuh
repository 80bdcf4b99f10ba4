// Phases of the sixteen amplitudes of a thread.
#pragma once

#include "ketmesh/kernels/cuda/tile_image.cuh"

namespace ketmesh::kernels::cuda {

template <int S, typename C>
__device__ __forceinline__ void phase_on(C (&a)[16], C factor) {
#pragma unroll
  for (int j = 0; j < 16; ++j)
    if ((j & S) == S) a[j] = times(a[j], factor);
}

template <typename C>
__device__ __forceinline__ void phase_on_set(C (&a)[16], int set, C factor) {
  switch (set) {
    case 0:
      phase_on<0>(a, factor);
      break;
    case 1:
      phase_on<1>(a, factor);
      break;
    case 2:
      phase_on<2>(a, factor);
      break;
    case 3:
      phase_on<3>(a, factor);
      break;
    case 4:
      phase_on<4>(a, factor);
      break;
    case 5:
      phase_on<5>(a, factor);
      break;
    case 6:
      phase_on<6>(a, factor);
      break;
    case 7:
      phase_on<7>(a, factor);
      break;
    case 8:
      phase_on<8>(a, factor);
      break;
    case 9:
      phase_on<9>(a, factor);
      break;
    case 10:
      phase_on<10>(a, factor);
      break;
    case 11:
      phase_on<11>(a, factor);
      break;
    case 12:
      phase_on<12>(a, factor);
      break;
    case 13:
      phase_on<13>(a, factor);
      break;
    case 14:
      phase_on<14>(a, factor);
      break;
    default:
      phase_on<15>(a, factor);
      break;
  }
}

/// Multiplies by 16 factors; the class of the thread (up to four bits of its tile index, a nibble of `bits` each; 15: no more) chooses which.
/// Threads of a warp differ in class: what they read for one amplitude lies side by side.
template <typename Real>
__device__ __forceinline__ void diagonal(complex_t<Real> (&a)[16], const unsigned char* tables, unsigned bits, unsigned at,
                                         unsigned tile_index) {
  using C = complex_t<Real>;
  const C* f = reinterpret_cast<const C*>(tables + std::size_t{16} * at);
  unsigned kind = 0, shift = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const unsigned b = bits >> 4 * k & 15u;
    if (b == 15) continue;
    kind |= (tile_index >> b & 1u) << k;
    shift = k + 1;
  }
  f += kind;
#pragma unroll
  for (int j = 1; j < 16; ++j) a[j] = times(a[j], __ldg(f + (j << shift)));  // the first of each class waits in the thread's factor
}

}  // namespace ketmesh::kernels::cuda
