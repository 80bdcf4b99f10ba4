// The opcode list of one tile pass: plain data that the host translates a pass into and a CUDA kernel interprets.
//
// A thread holds 16 amplitudes of its tile in registers: those whose index differs in the 4 *register bits*. A trip through shared
// memory gives it another set. Shared memory keeps amplitude i of the tile at pad(i) = i + i/16 + i/256: linear over disjoint bits,
// and free of bank conflicts when the five lowest thread bits are chosen with care (gpu/translate.cpp).
#pragma once

#include <cstdint>

namespace ketmesh::kernels::cuda {

inline constexpr int kMaxTileBits = 13;
inline constexpr int kMinTileBits = 8;  // smaller shards run in the small kernel, one amplitude a thread
inline constexpr int kRegisterBits = 4;
inline constexpr int kMaxRuns = 16;

enum class OpKind : std::uint16_t {
  trip,         // reg0: number of the map
  dense1,       // matrix of 4 complex at `data`, target register bit reg0
  real1,        // 4 reals
  rx1,          // 2 reals: c, s of [[c, -i s], [-i s, c]] (general: diagonal real, off-diagonal imaginary: 4 reals d0, o01, o10, d1)
  hadamard1,    // 1/sqrt2 [[1, 1], [1, -1]]
  flip1,        // X
  dense2,       // 16 complex, targets reg0 < reg1
  phase,        // entries [data, data + count): the amplitudes with all register bits of reg_mask set get exp(i sum)
  matrix_any,   // any targets through shared memory: count targets, map `data` of their tile bits, coefficients at `extra` (global memory)
  permute_any,  // the same with an inverse table
  scale,        // 2 reals: a complex factor on everything
};

/// Controls of an op: outside bits (one test a tile), tile bits of the thread, and register bits.
struct Op {
  std::uint64_t outside_mask, outside_value;
  std::uint16_t thread_mask, thread_value;
  OpKind kind;
  std::uint8_t reg0, reg1;
  std::uint8_t reg_mask, reg_value;
  std::uint16_t count;
  std::uint32_t data;
  std::uint32_t extra;
  std::uint32_t unused;
};
static_assert(sizeof(Op) == 40);

/// One term of a phase layer on the amplitudes of its group. Angles count turns / 2^64, so that sums wrap exactly.
struct PhaseEntry {
  std::uint64_t outside_mask, outside_value;  // match: must be equal; parity: outside_mask's parity joins
  std::uint64_t outside_parity;
  std::uint16_t thread_mask, thread_value, thread_parity, unused;
  std::int64_t angle;
};
static_assert(sizeof(PhaseEntry) == 40);

/// A run of consecutive bits: (index >> from & mask) << to.
struct Run {
  std::uint8_t from, to, length, unused;
};

struct TileShape {
  std::int32_t tile_bits;
  std::int32_t num_tile_runs, num_block_runs, num_store_bits;
  Run tile_runs[kMaxRuns];                   // tile index -> local physical index
  Run block_runs[kMaxRuns];                  // number of the tile -> local physical index
  std::uint8_t positions[kMaxTileBits + 3];  // physical bit of each tile bit
};

/// thread bits first (tile_bits - 4 of them), then the 4 register bits: the tile bit that each stands for.
struct Map {
  std::uint8_t bit[16];
};

inline constexpr int kMaxOps = 320;
inline constexpr int kMaxMaps = 40;
inline constexpr int kCoefficientBytes = 15360;

/// The whole program is a kernel parameter: it lies in constant memory and needs no buffer. Less than 32,764 bytes.
struct Program {
  TileShape shape;
  std::int32_t num_ops, unused;
  Map maps[kMaxMaps];
  Op ops[kMaxOps];
  alignas(16) unsigned char coefficients[kCoefficientBytes];  // Real values
};
static_assert(sizeof(Program) < 32000);

}  // namespace ketmesh::kernels::cuda
