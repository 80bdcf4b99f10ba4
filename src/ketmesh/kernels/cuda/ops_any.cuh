// Ops of any targets: amplitude by amplitude through shared memory, and wide diagonals by look-up.
#pragma once

#include "ketmesh/kernels/cuda/tile_image.cuh"

namespace ketmesh::kernels::cuda {

/// What amplitude `i` of the tile becomes under an op of any targets; `at(i)` reads the tile.
template <typename Real, typename At>
__device__ __forceinline__ complex_t<Real> any_targets(const Op& op, const Map& map, const unsigned char* tables, unsigned i, At&& at) {
  using C = complex_t<Real>;
  if ((i & op.thread_mask) != op.thread_value) return at(i);
  unsigned row = 0, others = i;
  for (int k = 0; k < op.count; ++k) {
    row |= (i >> map.bit[k] & 1u) << k;
    others &= ~(1u << map.bit[k]);
  }
  const auto place = [&](unsigned value) {
    unsigned out = others;
    for (int k = 0; k < op.count; ++k) out |= (value >> k & 1u) << map.bit[k];
    return out;
  };
  const unsigned char* table = tables + std::size_t{16} * op.extra;
  if (op.kind == OpKind::permute_any) return at(place(reinterpret_cast<const std::uint32_t*>(table)[row]));
  const unsigned size = 1u << op.count;
  const C* m = reinterpret_cast<const C*>(table) + std::size_t{row} * size;
  C sum{0, 0};
  for (unsigned c = 0; c < size; ++c) {
    const C p = times(m[c], at(place(c)));
    sum.x += p.x;
    sum.y += p.y;
  }
  return sum;
}

/// The factor of a wide diagonal for amplitude i of the tile.
template <typename Real>
__device__ __forceinline__ complex_t<Real> wide_factor(const Op& op, const Map* maps, const unsigned char* tables, std::uint64_t outside,
                                                       unsigned i) {
  if ((i & op.thread_mask) != op.thread_value) return {1, 0};
  unsigned index = 0;
  for (int k = 0; k < op.count; ++k) {
    const unsigned b = maps[op.data + k / 16].bit[k % 16];
    index |= (b < 128 ? i >> b & 1u : static_cast<unsigned>(outside >> (b - 128) & 1)) << k;
  }
  return reinterpret_cast<const complex_t<Real>*>(tables + std::size_t{16} * op.extra)[index];
}

}  // namespace ketmesh::kernels::cuda
