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

constexpr unsigned padded_size(int tile_bits) {
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
__device__ __forceinline__ void dense_one(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  using C = complex_t<Real>;
  constexpr int kStep = 1 << B;
  for_pairs<B>(op, [&](int j) {
    const C u = a[j], v = a[j + kStep];
    a[j] = {m[0] * u.x - m[1] * u.y + m[2] * v.x - m[3] * v.y, m[0] * u.y + m[1] * u.x + m[2] * v.y + m[3] * v.x};
    a[j + kStep] = {m[4] * u.x - m[5] * u.y + m[6] * v.x - m[7] * v.y, m[4] * u.y + m[5] * u.x + m[6] * v.y + m[7] * v.x};
  });
}

template <int B, typename Real>
__device__ __forceinline__ void real_one(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  using C = complex_t<Real>;
  constexpr int kStep = 1 << B;
  const Real m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3];
  for_pairs<B>(op, [&](int j) {
    const C u = a[j], v = a[j + kStep];
    a[j] = {m0 * u.x + m1 * v.x, m0 * u.y + m1 * v.y};
    a[j + kStep] = {m2 * u.x + m3 * v.x, m2 * u.y + m3 * v.y};
  });
}

template <int B, typename Real>
__device__ __forceinline__ void rx_one(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  using C = complex_t<Real>;
  constexpr int kStep = 1 << B;
  const Real m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3];
  for_pairs<B>(op, [&](int j) {
    const C u = a[j], v = a[j + kStep];
    a[j] = {m0 * u.x - m1 * v.y, m0 * u.y + m1 * v.x};
    a[j + kStep] = {m3 * v.x - m2 * u.y, m3 * v.y + m2 * u.x};
  });
}

template <int B, typename Real>
__device__ __forceinline__ void hadamard_one(complex_t<Real> (&a)[16], const Op& op) {
  using C = complex_t<Real>;
  constexpr int kStep = 1 << B;
  const Real h = static_cast<Real>(0.70710678118654752440);
  for_pairs<B>(op, [&](int j) {
    const C u = a[j], v = a[j + kStep];
    a[j] = {h * (u.x + v.x), h * (u.y + v.y)};
    a[j + kStep] = {h * (u.x - v.x), h * (u.y - v.y)};
  });
}

template <int B, typename C>
__device__ __forceinline__ void flip_one(C (&a)[16], const Op& op) {
  for_pairs<B>(op, [&](int j) {
    const C u = a[j];
    a[j] = a[j + (1 << B)];
    a[j + (1 << B)] = u;
  });
}

/// A layer of one-target gates of one kind: one for each register bit of op.registers.
template <typename Real>
__device__ __forceinline__ void layer(complex_t<Real> (&a)[16], const Op& op, const Real* m) {
  const unsigned on = op.registers;
  switch (op.kind) {
    case OpKind::dense1:
      if (on & 1) dense_one<0, Real>(a, op, m);
      if (on & 2) dense_one<1, Real>(a, op, m + 8);
      if (on & 4) dense_one<2, Real>(a, op, m + 16);
      if (on & 8) dense_one<3, Real>(a, op, m + 24);
      break;
    case OpKind::real1:
      if (on & 1) real_one<0, Real>(a, op, m);
      if (on & 2) real_one<1, Real>(a, op, m + 4);
      if (on & 4) real_one<2, Real>(a, op, m + 8);
      if (on & 8) real_one<3, Real>(a, op, m + 12);
      break;
    case OpKind::rx1:
      if (on & 1) rx_one<0, Real>(a, op, m);
      if (on & 2) rx_one<1, Real>(a, op, m + 4);
      if (on & 4) rx_one<2, Real>(a, op, m + 8);
      if (on & 8) rx_one<3, Real>(a, op, m + 12);
      break;
    case OpKind::hadamard1:
      if (on & 1) hadamard_one<0, Real>(a, op);
      if (on & 2) hadamard_one<1, Real>(a, op);
      if (on & 4) hadamard_one<2, Real>(a, op);
      if (on & 8) hadamard_one<3, Real>(a, op);
      break;
    case OpKind::flip1:
      if (on & 1) flip_one<0>(a, op);
      if (on & 2) flip_one<1>(a, op);
      if (on & 4) flip_one<2>(a, op);
      if (on & 8) flip_one<3>(a, op);
      break;
    default:
      break;  // the caller sends only layers
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

/// The parts of the image, and after it the sums of the phase parts: made by the whole block.
struct Image {
  const Op* ops;
  const Trip* trips;
  const Map* maps;
  const PhaseGroup* groups;
  const PhasePart* parts;
  std::int64_t* sums;
  const unsigned char* bytes;
};

__device__ __forceinline__ Image load_image(const Program& program, const unsigned char* image, unsigned char* shared,
                                            const PhaseEntry* entries, std::uint64_t outside) {
  for (unsigned k = threadIdx.x * 16; k < program.image_bytes; k += blockDim.x * 16)
    *reinterpret_cast<uint4*>(shared + k) = *reinterpret_cast<const uint4*>(image + k);
  __syncthreads();
  Image out{reinterpret_cast<const Op*>(shared),
            reinterpret_cast<const Trip*>(shared + program.trips_at),
            reinterpret_cast<const Map*>(shared + program.maps_at),
            reinterpret_cast<const PhaseGroup*>(shared + program.groups_at),
            reinterpret_cast<const PhasePart*>(shared + program.parts_at),
            reinterpret_cast<std::int64_t*>(shared + program.image_bytes),
            shared};
  if (program.num_parts > 0) {
    for (unsigned k = threadIdx.x; k < program.num_parts; k += blockDim.x) out.sums[k] = part_sum(out.parts[k], entries, outside);
    __syncthreads();
  }
  return out;
}

template <typename Real, int T>
__global__ void __launch_bounds__(1 << (T - 4), blocks_per_multiprocessor(sizeof(Real), T))
    tile_pass(complex_t<Real>* data, std::uint64_t base, const __grid_constant__ Program program, const unsigned char* image_bytes,
              const PhaseEntry* entries, const unsigned char* tables, const __grid_constant__ NormTarget norm) {
  using C = complex_t<Real>;
  constexpr int kThreadBits = T - kRegisterBits;
  constexpr bool kPairs = sizeof(Real) == 4;
  constexpr unsigned kTile = padded_size(T) * sizeof(C);
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  C* const shared = reinterpret_cast<C*>(shared_bytes);
  const unsigned t = threadIdx.x;
  const std::uint64_t block_base = spread(blockIdx.x, program.block_runs, program.num_block_runs);
  const std::uint64_t outside = base | block_base;

  C a[16];
  // Transfer map: single precision: registers are tile bits 0, T-3, T-2, T-1 (16 bytes a load); double: the top four.
  unsigned tile_index = kPairs ? t << 1 : t;
  {
    const C* from = data + block_base + spread(tile_index, program.tile_runs, program.num_tile_runs);
    const std::uint64_t s0 = std::uint64_t{1} << program.positions[T - 3], s1 = std::uint64_t{1} << program.positions[T - 2],
                        s2 = std::uint64_t{1} << program.positions[T - 1];
    if constexpr (kPairs) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const float4 v = *reinterpret_cast<const float4*>(from + (k & 1 ? s0 : 0) + (k & 2 ? s1 : 0) + (k & 4 ? s2 : 0));
        a[2 * k] = {v.x, v.y};
        a[2 * k + 1] = {v.z, v.w};
      }
    } else {
      const std::uint64_t low = std::uint64_t{1} << program.positions[T - 4];
#pragma unroll
      for (int j = 0; j < 16; ++j) a[j] = from[(j & 1 ? low : 0) + (j & 2 ? s0 : 0) + (j & 4 ? s1 : 0) + (j & 8 ? s2 : 0)];
    }
  }
  const Image image = load_image(program, image_bytes, shared_bytes + kTile, entries, outside);

  // Where the registers are in the tile and in shared memory under the present map.
  unsigned bits[4] = {kPairs ? 1u : 1u << (T - 4), 1u << (T - 3), 1u << (T - 2), 1u << (T - 1)};
  const auto tile_at = [&](int j) {
    return tile_index + (j & 1 ? bits[0] : 0) + (j & 2 ? bits[1] : 0) + (j & 4 ? bits[2] : 0) + (j & 8 ? bits[3] : 0);
  };
  const auto write_tile = [&] {
    const unsigned place = padded(tile_index), o0 = padded(bits[0]), o1 = padded(bits[1]), o2 = padded(bits[2]), o3 = padded(bits[3]);
#pragma unroll
    for (int j = 0; j < 16; ++j) shared[place + (j & 1 ? o0 : 0) + (j & 2 ? o1 : 0) + (j & 4 ? o2 : 0) + (j & 8 ? o3 : 0)] = a[j];
    __syncthreads();
  };

  for (unsigned k = 0; k < program.num_ops; ++k) {
    const Op& op = image.ops[k];
    if (op.trip >= 0) {
      const Trip trip = image.trips[op.trip];
      const unsigned next = reinterpret_cast<const std::uint16_t*>(tables + std::size_t{16} * trip.places)[t];
      write_tile();
      tile_index = next;
#pragma unroll
      for (int r = 0; r < 4; ++r) bits[r] = trip.bit[r];
      const unsigned place = padded(tile_index), o0 = padded(bits[0]), o1 = padded(bits[1]), o2 = padded(bits[2]), o3 = padded(bits[3]);
#pragma unroll
      for (int j = 0; j < 16; ++j) a[j] = shared[place + (j & 1 ? o0 : 0) + (j & 2 ? o1 : 0) + (j & 4 ? o2 : 0) + (j & 8 ? o3 : 0)];
    }
    const OpKind kind = op.kind;
    if (kind == OpKind::none || (outside & op.outside_mask) != op.outside_value) continue;
    if (kind == OpKind::phases) {
      for (unsigned g = op.data; g < op.data + op.count; ++g) {
        const PhaseGroup& group = image.groups[g];
        C factor{1, 0};
        if (group.table >= 0) factor = reinterpret_cast<const C*>(tables + std::size_t{16} * group.table)[t];
        if (group.part_count > 0) {
          const C more = unit(group_sum(group, image.parts, image.sums, tile_index), Real{});
          factor = times(factor, more);
        }
        phase_on_set(a, group.set, factor);
      }
      continue;
    }
    if (kind >= OpKind::matrix_any) {
      if (kind == OpKind::diagonal_any) {
#pragma unroll
        for (int j = 0; j < 16; ++j) a[j] = times(a[j], wide_factor<Real>(op, image.maps, tables, outside, tile_at(j)));
        continue;
      }
      write_tile();
#pragma unroll 1
      for (int j = 0; j < 16; ++j) {
        const C v = any_targets<Real>(op, image.maps[op.data], tables, tile_at(j), [&](unsigned i) { return shared[padded(i)]; });
#pragma unroll
        for (int q = 0; q < 16; ++q)
          if (q == j) a[q] = v;
      }
      __syncthreads();  // others have read what this thread writes next
      continue;
    }
    if ((tile_index & op.thread_mask) != op.thread_value) continue;
    const Real* m = reinterpret_cast<const Real*>(image.bytes + op.data);
    if (kind == OpKind::dense2) {
      two_targets<Real>(a, op, m);
    } else {
      layer<Real>(a, op, m);
    }
  }

  // The last map reads the tile in the order of its destination, so the addresses are those of the load.
  tile_index = kPairs ? t << 1 : t;
  const std::uint64_t local = block_base + spread(tile_index, program.tile_runs, program.num_tile_runs);
  const std::uint64_t s0 = std::uint64_t{1} << program.positions[T - 3], s1 = std::uint64_t{1} << program.positions[T - 2],
                      s2 = std::uint64_t{1} << program.positions[T - 1];
  const std::uint64_t low = std::uint64_t{1} << program.positions[kPairs ? 0 : T - 4];
  if constexpr (kPairs) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      *reinterpret_cast<float4*>(data + local + (k & 1 ? s0 : 0) + (k & 2 ? s1 : 0) + (k & 4 ? s2 : 0)) =
          make_float4(a[2 * k].x, a[2 * k].y, a[2 * k + 1].x, a[2 * k + 1].y);
  } else {
#pragma unroll
    for (int j = 0; j < 16; ++j) data[local + (j & 1 ? low : 0) + (j & 2 ? s0 : 0) + (j & 4 ? s1 : 0) + (j & 8 ? s2 : 0)] = a[j];
  }
  if (norm.sums != nullptr) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const std::uint64_t physical = base + local + (j & 1 ? low : 0) + (j & 2 ? s0 : 0) + (j & 4 ? s1 : 0) + (j & 8 ? s2 : 0);
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
    if (((base | block_base) & op.outside_mask) != op.outside_value) continue;
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
