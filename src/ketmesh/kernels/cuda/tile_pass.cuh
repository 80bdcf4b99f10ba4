// The tile pass: loads a tile, interprets a program on it, stores it. One block a tile.
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

struct NormTarget {
  double* sums;  // nullptr: none
  std::int32_t count;
  std::uint8_t bits[24];  // physical, after the store
};

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

__device__ __forceinline__ std::int64_t phase_sum(const PhaseEntry* entries, int count, std::uint64_t outside, unsigned tile_index) {
  std::int64_t sum = 0;
  for (int k = 0; k < count; ++k) {
    const PhaseEntry& e = entries[k];
    const bool on = (outside & e.outside_mask) == e.outside_value && (tile_index & e.thread_mask) == e.thread_value;
    const bool odd = ((__popcll(outside & e.outside_parity) + __popc(tile_index & e.thread_parity)) & 1) != 0;
    if (on) sum += odd ? -e.angle : e.angle;
  }
  return sum;
}

/// Calls f with a compile-time register bit.
template <typename F>
__device__ __forceinline__ void with_bit(int bit, F&& f) {
  switch (bit) {
    case 0:
      f(std::integral_constant<int, 0>());
      break;
    case 1:
      f(std::integral_constant<int, 1>());
      break;
    case 2:
      f(std::integral_constant<int, 2>());
      break;
    default:
      f(std::integral_constant<int, 3>());
      break;
  }
}

/// f(j) for the pairs (j, j | 1 << B) that the register controls of op leave.
template <int B, typename F>
__device__ __forceinline__ void for_pairs(const Op& op, F&& f) {
  if (op.reg_mask == 0) {
#pragma unroll
    for (int j = 0; j < 16; ++j)
      if ((j >> B & 1) == 0) f(j);
  } else {
#pragma unroll
    for (int j = 0; j < 16; ++j)
      if ((j >> B & 1) == 0 && (j & op.reg_mask) == op.reg_value) f(j);
  }
}

template <int B, typename Real>
__device__ __forceinline__ void one_target(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  using C = complex_t<Real>;
  constexpr int kStep = 1 << B;
  switch (op.kind) {
    case OpKind::dense1:
      for_pairs<B>(op, [&](int j) {
        const C u = a[j], v = a[j + kStep];
        a[j] = {m[0] * u.x - m[1] * u.y + m[2] * v.x - m[3] * v.y, m[0] * u.y + m[1] * u.x + m[2] * v.y + m[3] * v.x};
        a[j + kStep] = {m[4] * u.x - m[5] * u.y + m[6] * v.x - m[7] * v.y, m[4] * u.y + m[5] * u.x + m[6] * v.y + m[7] * v.x};
      });
      break;
    case OpKind::real1:
      for_pairs<B>(op, [&](int j) {
        const C u = a[j], v = a[j + kStep];
        a[j] = {m[0] * u.x + m[1] * v.x, m[0] * u.y + m[1] * v.y};
        a[j + kStep] = {m[2] * u.x + m[3] * v.x, m[2] * u.y + m[3] * v.y};
      });
      break;
    case OpKind::rx1:
      for_pairs<B>(op, [&](int j) {
        const C u = a[j], v = a[j + kStep];
        a[j] = {m[0] * u.x - m[1] * v.y, m[0] * u.y + m[1] * v.x};
        a[j + kStep] = {m[3] * v.x - m[2] * u.y, m[3] * v.y + m[2] * u.x};
      });
      break;
    case OpKind::hadamard1: {
      const Real h = static_cast<Real>(0.70710678118654752440);
      for_pairs<B>(op, [&](int j) {
        const C u = a[j], v = a[j + kStep];
        a[j] = {h * (u.x + v.x), h * (u.y + v.y)};
        a[j + kStep] = {h * (u.x - v.x), h * (u.y - v.y)};
      });
      break;
    }
    case OpKind::flip1:
      for_pairs<B>(op, [&](int j) {
        const C u = a[j];
        a[j] = a[j + kStep];
        a[j + kStep] = u;
      });
      break;
    default:
      break;  // the caller sends only one-target kinds
  }
}

template <int B0, int B1, typename Real>
__device__ __forceinline__ void two_targets(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  using C = complex_t<Real>;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    if ((j >> B0 & 1) != 0 || (j >> B1 & 1) != 0) continue;
    if ((j & op.reg_mask) != op.reg_value) continue;
    C v[4] = {a[j], a[j | 1 << B0], a[j | 1 << B1], a[j | 1 << B0 | 1 << B1]};
    C w[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      Real x = 0, y = 0;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        x += m[8 * r + 2 * c] * v[c].x - m[8 * r + 2 * c + 1] * v[c].y;
        y += m[8 * r + 2 * c] * v[c].y + m[8 * r + 2 * c + 1] * v[c].x;
      }
      w[r] = {x, y};
    }
    a[j] = w[0];
    a[j | 1 << B0] = w[1];
    a[j | 1 << B1] = w[2];
    a[j | 1 << B0 | 1 << B1] = w[3];
  }
}

template <typename Real>
__device__ __forceinline__ void two_targets(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  switch (op.reg0 * 4 + op.reg1) {
    case 1:
      two_targets<0, 1, Real>(a, op, m);
      break;
    case 2:
      two_targets<0, 2, Real>(a, op, m);
      break;
    case 3:
      two_targets<0, 3, Real>(a, op, m);
      break;
    case 6:
      two_targets<1, 2, Real>(a, op, m);
      break;
    case 7:
      two_targets<1, 3, Real>(a, op, m);
      break;
    default:
      two_targets<2, 3, Real>(a, op, m);
      break;
  }
}

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

/// 64 registers a thread in single precision, 128 in double: 1024 or 512 threads a multiprocessor, as far as 16 blocks allow.
constexpr int blocks_per_multiprocessor(int bytes_of_real, int tile_bits) {
  const int blocks = (bytes_of_real == 4 ? 1024 : 512) >> (tile_bits - kRegisterBits);
  return blocks < 1 ? 1 : (blocks > 16 ? 16 : blocks);
}

template <typename Real, int T>
__global__ void __launch_bounds__(1 << (T - 4), blocks_per_multiprocessor(sizeof(Real), T))
    tile_pass(complex_t<Real>* data, std::uint64_t base, const __grid_constant__ Program program, const PhaseEntry* entries,
              const unsigned char* tables, const __grid_constant__ NormTarget norm) {
  using C = complex_t<Real>;
  constexpr int kThreadBits = T - kRegisterBits;
  constexpr bool kPairs = sizeof(Real) == 4;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  C* const shared = reinterpret_cast<C*>(shared_bytes);
  const unsigned t = threadIdx.x;
  const TileShape& shape = program.shape;
  const std::uint64_t block_base = spread(blockIdx.x, shape.block_runs, shape.num_block_runs);
  const std::uint64_t outside = base | block_base;
  const Real* const coefficients = reinterpret_cast<const Real*>(program.coefficients);

  C a[16];
  // Transfer map: single precision: registers are tile bits 0, T-3, T-2, T-1 (16 bytes a load); double: the top four.
  std::uint64_t step[3] = {std::uint64_t{1} << shape.positions[T - 3], std::uint64_t{1} << shape.positions[T - 2],
                           std::uint64_t{1} << shape.positions[T - 1]};
  unsigned tile_index = kPairs ? t << 1 : t;
  {
    const C* from = data + block_base + spread(tile_index, shape.tile_runs, shape.num_tile_runs);
    if constexpr (kPairs) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const float4 v = *reinterpret_cast<const float4*>(from + (k & 1 ? step[0] : 0) + (k & 2 ? step[1] : 0) + (k & 4 ? step[2] : 0));
        a[2 * k] = {v.x, v.y};
        a[2 * k + 1] = {v.z, v.w};
      }
    } else {
      const std::uint64_t low = std::uint64_t{1} << shape.positions[T - 4];
#pragma unroll
      for (int j = 0; j < 16; ++j) a[j] = from[(j & 1 ? low : 0) + (j & 2 ? step[0] : 0) + (j & 4 ? step[1] : 0) + (j & 8 ? step[2] : 0)];
    }
  }
  // Offsets of the registers in shared memory under the present map.
  unsigned place = padded(tile_index);
  unsigned offset[4];
  offset[0] = padded(kPairs ? 1u : 1u << (T - 4));
  offset[1] = padded(1u << (T - 3));
  offset[2] = padded(1u << (T - 2));
  offset[3] = padded(1u << (T - 1));
  unsigned bits[4] = {kPairs ? 1u : 1u << (T - 4), 1u << (T - 3), 1u << (T - 2), 1u << (T - 1)};
  const auto slot = [&](int j) {
    return place + (j & 1 ? offset[0] : 0) + (j & 2 ? offset[1] : 0) + (j & 4 ? offset[2] : 0) + (j & 8 ? offset[3] : 0);
  };
  const auto tile_at = [&](int j) {
    return tile_index + (j & 1 ? bits[0] : 0) + (j & 2 ? bits[1] : 0) + (j & 4 ? bits[2] : 0) + (j & 8 ? bits[3] : 0);
  };

  for (int k = 0; k < program.num_ops; ++k) {
    const Op& op = program.ops[k];
    if (op.kind == OpKind::trip) {
      const Map& map = program.maps[op.reg0];
#pragma unroll
      for (int j = 0; j < 16; ++j) shared[slot(j)] = a[j];
      __syncthreads();
      tile_index = 0;
#pragma unroll
      for (int b = 0; b < kThreadBits; ++b) tile_index |= (t >> b & 1u) << map.bit[b];
      place = padded(tile_index);
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        bits[r] = 1u << map.bit[kThreadBits + r];
        offset[r] = padded(bits[r]);
      }
#pragma unroll
      for (int j = 0; j < 16; ++j) a[j] = shared[slot(j)];
      continue;
    }
    if ((outside & op.outside_mask) != op.outside_value) continue;
    if (op.kind == OpKind::matrix_any || op.kind == OpKind::permute_any) {
#pragma unroll
      for (int j = 0; j < 16; ++j) shared[slot(j)] = a[j];
      __syncthreads();
#pragma unroll 1
      for (int j = 0; j < 16; ++j) {
        const C v = any_targets<Real>(op, program.maps[op.data], tables, tile_at(j), [&](unsigned i) { return shared[padded(i)]; });
#pragma unroll
        for (int q = 0; q < 16; ++q)
          if (q == j) a[q] = v;
      }
      __syncthreads();  // others have read what this thread writes next
      continue;
    }
    if (op.kind == OpKind::phase) {
      phase_on_set(a, op.reg_mask, unit(phase_sum(entries + op.data, op.count, outside, tile_index), Real{}));
      continue;
    }
    if ((tile_index & op.thread_mask) != op.thread_value) continue;
    const Real* m = coefficients + op.data;
    if (op.kind == OpKind::dense2) {
      two_targets<Real>(a, op, m);
    } else {
      with_bit(op.reg0, [&](auto b) { one_target<decltype(b)::value, Real>(a, op, m); });
    }
  }

  // The last map reads the tile in the order of its destination, so the addresses are those of the load.
  tile_index = kPairs ? t << 1 : t;
  const std::uint64_t local = block_base + spread(tile_index, shape.tile_runs, shape.num_tile_runs);
  step[0] = std::uint64_t{1} << shape.positions[T - 3];
  step[1] = std::uint64_t{1} << shape.positions[T - 2];
  step[2] = std::uint64_t{1} << shape.positions[T - 1];
  const std::uint64_t low = std::uint64_t{1} << shape.positions[kPairs ? 0 : T - 4];
  if constexpr (kPairs) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      *reinterpret_cast<float4*>(data + local + (k & 1 ? step[0] : 0) + (k & 2 ? step[1] : 0) + (k & 4 ? step[2] : 0)) =
          make_float4(a[2 * k].x, a[2 * k].y, a[2 * k + 1].x, a[2 * k + 1].y);
  } else {
#pragma unroll
    for (int j = 0; j < 16; ++j)
      data[local + (j & 1 ? low : 0) + (j & 2 ? step[0] : 0) + (j & 4 ? step[1] : 0) + (j & 8 ? step[2] : 0)] = a[j];
  }
  if (norm.sums != nullptr) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const std::uint64_t physical =
          base + local + (j & 1 ? low : 0) + (j & 2 ? step[0] : 0) + (j & 4 ? step[1] : 0) + (j & 8 ? step[2] : 0);
      add_norm(norm, physical, static_cast<double>(a[j].x) * a[j].x + static_cast<double>(a[j].y) * a[j].y);
    }
  }
}

/// Tiles below 2^kMinTileBits: one amplitude a thread, every op through shared memory.
template <typename Real>
__global__ void small_pass(complex_t<Real>* data, std::uint64_t base, const __grid_constant__ Program program, const PhaseEntry* entries,
                           const unsigned char* tables, const __grid_constant__ NormTarget norm) {
  using C = complex_t<Real>;
  __shared__ C shared[1 << kMinTileBits];
  const unsigned t = threadIdx.x;
  const TileShape& shape = program.shape;
  const std::uint64_t block_base = spread(blockIdx.x, shape.block_runs, shape.num_block_runs);
  const std::uint64_t local = block_base + spread(t, shape.tile_runs, shape.num_tile_runs);
  C a = data[local];
  for (int k = 0; k < program.num_ops; ++k) {
    const Op& op = program.ops[k];
    if (((base | block_base) & op.outside_mask) != op.outside_value) continue;
    if (op.kind == OpKind::phase) {
      a = times(a, unit(phase_sum(entries + op.data, op.count, base | block_base, t), Real{}));
      continue;
    }
    shared[t] = a;
    __syncthreads();
    a = any_targets<Real>(op, program.maps[op.data], tables, t, [&](unsigned i) { return shared[i]; });
    __syncthreads();
  }
  data[local] = a;
  if (norm.sums != nullptr) add_norm(norm, base + local, static_cast<double>(a.x) * a.x + static_cast<double>(a.y) * a.y);
}

}  // namespace ketmesh::kernels::cuda
