// The tile pass: loads a tile, interprets a program on it, stores it. One block a tile.
#pragma once

#include <cstdint>

#include "ketmesh/kernels/cuda/norm_target.cuh"
#include "ketmesh/kernels/cuda/ops_any.cuh"
#include "ketmesh/kernels/cuda/ops_matrix.cuh"
#include "ketmesh/kernels/cuda/ops_phase.cuh"
#include "ketmesh/kernels/cuda/tile_image.cuh"
#include "ketmesh/kernels/gpu/program.hpp"

namespace ketmesh::kernels::cuda {

/// Tiles below this share one kernel (T = 0), so that there are fewer to compile.
constexpr int kLeastOwnKernel = 12;

constexpr int most_threads(int tile_bits) { return 1 << ((tile_bits > 0 ? tile_bits : kLeastOwnKernel - 1) - kRegisterBits); }

/// 80 registers a thread in single precision, 64 in tiles of 13 bits, 128 in double.
constexpr int blocks_per_multiprocessor(int bytes_of_real, int tile_bits) {
  const int threads = bytes_of_real == 8 ? 512 : (tile_bits > 12 ? 1024 : 768);
  return threads < most_threads(tile_bits) ? 1 : threads / most_threads(tile_bits);
}

/// Shared memory for the pending factors of threads, behind the tile.
template <typename Real>
constexpr unsigned pending_size(int tile_bits) {
  return sizeof(complex_t<Real>) << (tile_bits - kRegisterBits);
}

template <typename Real, int T>
__global__ void __launch_bounds__(most_threads(T), blocks_per_multiprocessor(sizeof(Real), T))
    tile_pass(complex_t<Real>* data, std::uint64_t base, const __grid_constant__ Program program, const unsigned char* image_bytes,
              const PhaseEntry* entries, const unsigned char* tables, const __grid_constant__ NormTarget norm) {
  using C = complex_t<Real>;
  const int tile_bits = T > 0 ? T : program.tile_bits;
  const unsigned tile_bytes = padded_size(tile_bits) * sizeof(C);
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  unsigned char* const image_shared = shared_bytes + tile_bytes + pending_size<Real>(tile_bits);
  const unsigned t = threadIdx.x;
  const std::uint64_t block_base = spread(blockIdx.x, program.block_runs, program.num_block_runs);
  const std::uint64_t outside = base | block_base;

  C a[16];
  // Address of a thread's amplitude 0, what a register bit adds; single precision moves pairs of neighbours where it can.
  const auto mine = [&](const std::uint8_t* bits) {
    std::uint64_t out = block_base;
#pragma unroll
    for (int k = 0; k < kMaxTileBits - kRegisterBits; ++k)
      if (k < tile_bits - kRegisterBits) out += std::uint64_t{t >> k & 1u} << bits[k];
    return out;
  };
  const auto stride = [&](const std::uint8_t* bits, int r) { return std::uint64_t{1} << bits[tile_bits - kRegisterBits + r]; };
  const auto pairs = [&](const std::uint8_t* bits) { return sizeof(Real) == 4 && bits[tile_bits - kRegisterBits] == 0; };
  {
    const C* from = data + mine(program.load_bits);
    const std::uint64_t s0 = stride(program.load_bits, 0), s1 = stride(program.load_bits, 1), s2 = stride(program.load_bits, 2),
                        s3 = stride(program.load_bits, 3);
    if (pairs(program.load_bits)) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const float4 v = __ldcs(reinterpret_cast<const float4*>(from + (k & 1 ? s1 : 0) + (k & 2 ? s2 : 0) + (k & 4 ? s3 : 0)));
        a[2 * k] = {static_cast<Real>(v.x), static_cast<Real>(v.y)};
        a[2 * k + 1] = {static_cast<Real>(v.z), static_cast<Real>(v.w)};
      }
    } else {
#pragma unroll
      for (int j = 0; j < 16; ++j) a[j] = __ldcs(from + (j & 1 ? s0 : 0) + (j & 2 ? s1 : 0) + (j & 4 ? s2 : 0) + (j & 8 ? s3 : 0));
    }
  }
  const Image image = load_image(program, image_bytes, image_shared, entries, outside);
  const unsigned image_at = static_cast<unsigned>(__cvta_generic_to_shared(image_shared));

  C& pending = reinterpret_cast<C*>(shared_bytes + tile_bytes)[t];  // factor of the thread that waits for the next trip
  unsigned map_at = program.trips_at;                               // the present map
  const auto trip_of = [&](unsigned at) -> const Trip& { return *reinterpret_cast<const Trip*>(image_shared + at); };
  // Of amplitude 0: tile index, place in shared memory.
  unsigned where = trip_of(map_at).low[t & 15u] + trip_of(map_at).high[t >> 4];
  // f(j, where amplitude j is in shared memory)
  const auto for_places = [&](auto&& f) {
    const uint4 bit = *reinterpret_cast<const uint4*>(trip_of(map_at).bit);
    const unsigned o0 = (bit.x >> 16) * sizeof(C), o1 = (bit.y >> 16) * sizeof(C), o2 = (bit.z >> 16) * sizeof(C),
                   o3 = (bit.w >> 16) * sizeof(C), place = (where >> 16) * sizeof(C);
#pragma unroll
    for (int j = 0; j < 16; ++j)
      f(j, *reinterpret_cast<C*>(shared_bytes + (place + (j & 1 ? o0 : 0) + (j & 2 ? o1 : 0) + (j & 4 ? o2 : 0) + (j & 8 ? o3 : 0))));
  };
  const auto multiply = [&](C factor) {
#pragma unroll
    for (int j = 0; j < 16; ++j) a[j] = times(a[j], factor);
  };

  const auto add_pending = [&](C factor, bool more) { pending = more ? times(pending, factor) : factor; };

  uint4 next = reinterpret_cast<const uint4*>(image.ops)[0];
  for (unsigned k = 0; k < program.num_ops; ++k) {
    const uint4 op = next;
    next = reinterpret_cast<const uint4*>(image.ops)[k + 1];  // the image has one more
    const unsigned on = op.x >> 8 & 255u, reg0 = op.x >> 16 & 7u, reg1 = op.x >> 19 & 7u, mask = op.x >> 22 & 31u, value = op.x >> 27;
    const auto thread_holds = [&] { return (where & op.y & 0xffffu) == op.y >> 16; };
    const unsigned at = image_at + op.z;
    switch (static_cast<OpKind>(op.x & 255u)) {
      case OpKind::none:
        break;
      case OpKind::trip: {
        if (on != 0) multiply(pending);
        for_places([&](int j, C& to) { to = a[j]; });  // a thread overwrites only what it alone has read
        __syncthreads();
        map_at = op.z;
        where = trip_of(map_at).low[t & 15u] + trip_of(map_at).high[t >> 4];
        for_places([&](int j, const C& from) { a[j] = from; });
        break;
      }
      case OpKind::rotation:
        rotation<Real>(a, on, at);
        break;
      case OpKind::reflection:
        reflection<Real>(a, on, at);
        break;
      case OpKind::rx:
        rx<Real>(a, on, at);
        break;
      case OpKind::lift:
        lift<Real>(a, on, at);
        break;
      case OpKind::lift_phase:
        lift_phase<Real>(a, on, at);
        break;
      case OpKind::flip:
        if (mask != 0) {
          flip_controlled(a, on, mask, value, thread_holds());
        } else {
          flip(a, on, thread_holds());
        }
        break;
      case OpKind::cx:
        cx(a, reg0, reg1, thread_holds());
        break;
      case OpKind::settle:
        multiply(pending);
        break;
      case OpKind::dense1:
        if (thread_holds()) dense_one<Real>(a, on, mask, value, at);
        break;
      case OpKind::dense2:
        if (thread_holds()) with_two_bits(reg0, reg1, [&](auto b0, auto b1) { dense_two<b0.value, b1.value, Real>(a, mask, value, at); });
        break;
      case OpKind::odd2:
        if (thread_holds()) with_two_bits(reg0, reg1, [&](auto b0, auto b1) { odd_two<b0.value, b1.value, Real>(a, mask, value, at); });
        break;
      case OpKind::rescale: {
        const Real factor = *reinterpret_cast<const Real*>(image_shared + op.z);
#pragma unroll
        for (int j = 0; j < 16; ++j) a[j] = {a[j].x * factor, a[j].y * factor};
        break;
      }
      case OpKind::diagonal:
        diagonal<Real>(a, tables, op.z, op.w, where);
        break;
      case OpKind::phase_thread:
        add_pending(__ldg(reinterpret_cast<const C*>(tables + std::size_t{16} * op.w) + t), on != 0);
        break;
      case OpKind::phases:
        for (unsigned g = op.z; g < op.z + on; ++g) {
          const PhaseGroup& group = image.groups[g];
          C factor{1, 0};
          if (group.table >= 0) factor = reinterpret_cast<const C*>(tables + std::size_t{16} * group.table)[t];
          if (group.part_count > 0) factor = times(factor, unit(group_sum(group, image.parts, image.sums, where & 0xffffu), Real{}));
          if (group.set == 0) {
            add_pending(factor, reg0 != 0);
          } else {
            phase_on_set(a, group.set, factor);
          }
        }
        break;
      case OpKind::matrix_any:
      case OpKind::permute_any:
      case OpKind::diagonal_any: {
        const Op& any = image.ops[k];
        const uint4 bit = *reinterpret_cast<const uint4*>(trip_of(map_at).bit);
        const auto tile_at = [&](int j) {
          return (where + (j & 1 ? bit.x : 0) + (j & 2 ? bit.y : 0) + (j & 4 ? bit.z : 0) + (j & 8 ? bit.w : 0)) & 0xffffu;
        };
        if (any.kind == OpKind::diagonal_any) {
#pragma unroll 1
          for (int j = 0; j < 16; ++j) {
            const C factor = wide_factor<Real>(any, image.maps, tables, outside, tile_at(j));
#pragma unroll
            for (int q = 0; q < 16; ++q)
              if (q == j) a[q] = times(a[q], factor);
          }
          break;
        }
        for_places([&](int j, C& to) { to = a[j]; });
        __syncthreads();
        const C* const shared = reinterpret_cast<const C*>(shared_bytes);
#pragma unroll 1
        for (int j = 0; j < 16; ++j) {
          const C v = any_targets<Real>(any, image.maps[any.data], tables, tile_at(j), [&](unsigned i) { return shared[padded(i)]; });
#pragma unroll
          for (int q = 0; q < 16; ++q)
            if (q == j) a[q] = v;
        }
        __syncthreads();  // others have read what this thread writes next
        break;
      }
    }
  }

  if (program.phased) {
    const C scale{static_cast<Real>(program.scale[0]), static_cast<Real>(program.scale[1])};
    multiply(program.pending ? times(pending, scale) : scale);
  } else if (program.scale[0] != 1) {
    const Real factor = static_cast<Real>(program.scale[0]);
#pragma unroll
    for (int j = 0; j < 16; ++j) a[j] = {a[j].x * factor, a[j].y * factor};
  }

  const std::uint64_t local = mine(program.store_bits);
  const std::uint64_t s0 = stride(program.store_bits, 0), s1 = stride(program.store_bits, 1), s2 = stride(program.store_bits, 2),
                      s3 = stride(program.store_bits, 3);
  if (pairs(program.store_bits)) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      __stcs(reinterpret_cast<float4*>(data + local + (k & 1 ? s1 : 0) + (k & 2 ? s2 : 0) + (k & 4 ? s3 : 0)),
             make_float4(a[2 * k].x, a[2 * k].y, a[2 * k + 1].x, a[2 * k + 1].y));
  } else {
#pragma unroll
    for (int j = 0; j < 16; ++j) __stcs(data + local + (j & 1 ? s0 : 0) + (j & 2 ? s1 : 0) + (j & 4 ? s2 : 0) + (j & 8 ? s3 : 0), a[j]);
  }
  if (norm.sums != nullptr) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const std::uint64_t physical = base + local + (j & 1 ? s0 : 0) + (j & 2 ? s1 : 0) + (j & 4 ? s2 : 0) + (j & 8 ? s3 : 0);
      add_norm(norm, physical, static_cast<double>(a[j].x) * a[j].x + static_cast<double>(a[j].y) * a[j].y);
    }
  }
}

/// Tiles below 2^kMinTileBits: one amplitude a thread, every op through shared memory.
template <typename Real>
__global__ void small_pass(complex_t<Real>* data, std::uint64_t base, const __grid_constant__ Program program,
                           const unsigned char* image_bytes, const PhaseEntry* entries, const unsigned char* tables,
                           const __grid_constant__ NormTarget norm) {
  using C = complex_t<Real>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  C* const shared = reinterpret_cast<C*>(shared_bytes);
  const unsigned t = threadIdx.x;
  const std::uint64_t block_base = spread(blockIdx.x, program.block_runs, program.num_block_runs);
  const std::uint64_t local = block_base + spread(t, program.tile_runs, program.num_tile_runs);
  const Image image = load_image(program, image_bytes, shared_bytes + sizeof(C) * (1 << kMinTileBits), entries, base | block_base);
  C a = data[local];
  for (unsigned k = 0; k < program.num_ops; ++k) {
    const Op& op = image.ops[k];
    if (op.kind == OpKind::none) continue;
    if (op.kind == OpKind::phases) {
      for (unsigned g = op.data; g < op.data + op.count; ++g)
        a = times(a, unit(group_sum(image.groups[g], image.parts, image.sums, t), Real{}));
      continue;
    }
    if (op.kind == OpKind::diagonal_any) {
      a = times(a, wide_factor<Real>(op, image.maps, tables, base | block_base, t));
      continue;
    }
    shared[t] = a;
    __syncthreads();
    a = any_targets<Real>(op, image.maps[op.data], tables, t, [&](unsigned i) { return shared[i]; });
    __syncthreads();
  }
  data[local] = a;
  if (norm.sums != nullptr) add_norm(norm, base + local, static_cast<double>(a.x) * a.x + static_cast<double>(a.y) * a.y);
}

}  // namespace ketmesh::kernels::cuda
