// What the parts of the tile pass share: complex numbers, the image of a program in shared memory, phases of parts.
#pragma once

#include <cstdint>

#include "ketmesh/kernels/gpu/program.hpp"

namespace ketmesh::kernels::cuda {

template <typename Real>
struct Complex;
template <>
struct Complex<float> {
  using type = float2;
};
template <>
struct Complex<double> {
  using type = double2;
};
template <typename Real>
using complex_t = typename Complex<Real>::type;

__host__ __device__ constexpr unsigned padded_size(int tile_bits) {
  return (((1u << tile_bits) + (1u << tile_bits >> 4) + (1u << tile_bits >> 8)) + 2) / 2 * 2;
}

__device__ __forceinline__ unsigned padded(unsigned i) { return i + (i >> 4) + (i >> 8); }

__device__ __forceinline__ std::uint64_t spread(std::uint64_t index, const Run* runs, int count) {
  std::uint64_t out = 0;
  for (int k = 0; k < count; ++k) out |= ((index >> runs[k].from) & ((std::uint64_t{1} << runs[k].length) - 1)) << runs[k].to;
  return out;
}

/// exp(2 pi i turns / 2^64)
__device__ __forceinline__ float2 unit(std::int64_t turns, float) {
  float s, c;
  sincospif(static_cast<float>(static_cast<std::int32_t>(turns >> 32)) * 0x1p-31f, &s, &c);
  return {c, s};
}
__device__ __forceinline__ double2 unit(std::int64_t turns, double) {
  double s, c;
  sincospi(static_cast<double>(turns) * 0x1p-63, &s, &c);
  return {c, s};
}

template <typename C>
__device__ __forceinline__ C times(C a, C b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/// The sum of the outside entries of a part that hold for a tile.
__device__ __forceinline__ std::int64_t part_sum(const PhasePart& part, const PhaseEntry* entries, std::uint64_t outside) {
  std::int64_t sum = 0;
  for (unsigned k = part.first_entry; k < part.first_entry + part.entry_count; ++k) {
    const PhaseEntry& e = entries[k];
    if ((outside & e.mask) == e.value) sum += (__popcll(outside & e.parity) & 1) != 0 ? -e.angle : e.angle;
  }
  return sum;
}

/// The angle of a group for a thread, without its table.
__device__ __forceinline__ std::int64_t group_sum(const PhaseGroup& group, const PhasePart* parts, const std::int64_t* sums,
                                                  unsigned tile_index) {
  std::int64_t sum = 0;
  for (unsigned k = group.first_part; k < group.first_part + group.part_count; ++k) {
    const PhasePart& part = parts[k];
    if ((tile_index & part.thread_mask) != part.thread_value) continue;
    sum += (__popc(tile_index & part.thread_parity) & 1) != 0 ? -sums[k] : sums[k];
  }
  return sum;
}

/// The parts of the image, and after it the sums of the phase parts: made by the whole block.
struct Image {
  const Op* ops;
  const Map* maps;
  const PhaseGroup* groups;
  const PhasePart* parts;
  std::int64_t* sums;
  unsigned char* bytes;
};

__device__ __forceinline__ Image load_image(const Program& program, const unsigned char* image, unsigned char* shared,
                                            const PhaseEntry* entries, std::uint64_t outside) {
  for (unsigned k = threadIdx.x * 16; k < program.image_bytes; k += blockDim.x * 16)
    *reinterpret_cast<uint4*>(shared + k) = *reinterpret_cast<const uint4*>(image + k);
  __syncthreads();
  Image out{reinterpret_cast<const Op*>(shared),
            reinterpret_cast<const Map*>(shared + program.maps_at),
            reinterpret_cast<const PhaseGroup*>(shared + program.groups_at),
            reinterpret_cast<const PhasePart*>(shared + program.parts_at),
            reinterpret_cast<std::int64_t*>(shared + program.image_bytes),
            shared};
  for (unsigned k = threadIdx.x; k < program.num_guards; k += blockDim.x) {
    const Guard& guard = reinterpret_cast<const Guard*>(shared + program.guards_at)[k];
    if ((outside & guard.mask) != guard.value) reinterpret_cast<Op*>(shared)[guard.op].kind = OpKind::none;
  }
  for (unsigned k = threadIdx.x; k < program.num_parts; k += blockDim.x) out.sums[k] = part_sum(out.parts[k], entries, outside);
  if (program.num_guards + program.num_parts > 0) __syncthreads();
  return out;
}

}  // namespace ketmesh::kernels::cuda
