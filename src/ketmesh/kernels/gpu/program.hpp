// The opcode list of one tile pass: plain data that the host translates a pass into and a CUDA kernel interprets.
//
// A thread holds 16 amplitudes of its tile in registers: those whose index differs in the 4 *register bits*. A trip through shared
// memory gives it another set. Shared memory keeps amplitude i of the tile at pad(i) = i + i/16 + i/256: linear over disjoint bits,
// and free of bank conflicts when the lowest thread bits are chosen with care (translate.cpp).
//
// The image (ops, maps, coefficients, phase groups and parts) is copied into shared memory by every block: reading an op there costs a
// few cycles, from a constant bank that four blocks compete for it costs hundreds.
#pragma once

#include <cstdint>

namespace ketmesh::kernels::cuda {

inline constexpr int kMaxTileBits = 13;
inline constexpr int kMinTileBits = 8;  // smaller tiles run in the small kernel, one amplitude a thread
inline constexpr int kRegisterBits = 4;
inline constexpr int kMaxRuns = 16;
inline constexpr std::uint32_t kMaxImageBytes = 16384;
inline constexpr std::uint32_t kMaxParts = 1024;  // 8 bytes of shared memory each

enum class OpKind : std::uint8_t {
  none,         // nothing but its trip
  dense1,       // layers of one-target gates: one for each bit of `registers`; general: 8 reals each
  real1,        // 4 reals each
  rx1,          // 4 reals each: d0, imaginary 01, imaginary 10, d1
  hadamard1,    // 1/sqrt2 [[1, 1], [1, -1]]
  flip1,        // X
  dense2,       // 32 reals, targets reg0 < reg1
  phases,       // `count` groups from group `data`
  matrix_any,   // any targets through shared memory: `count` targets, map `data` holds their tile bits, entries in the tables at `extra`
  permute_any,  // the same with an inverse table of 32-bit indices
  diagonal_any,  // a factor from a table of 2^count at `extra`; maps `data` and data + 1 say which bits make its index: tile bit, or 128 + physical bit
};

/// Controls of an op: outside bits (one test a tile), tile bits of the thread, and register bits.
struct Op {
  std::uint64_t outside_mask, outside_value;
  std::uint16_t thread_mask, thread_value;
  OpKind kind;
  std::int8_t trip;         // before the op: this trip; -1: none
  std::uint8_t registers;   // one-target layers
  std::uint8_t reg0, reg1;  // dense2
  std::uint8_t reg_mask, reg_value;
  std::uint8_t count;
  std::uint32_t data;   // coefficients: byte offset in the image
  std::uint32_t extra;  // tables: in units of 16 bytes
  std::uint32_t unused;
};
static_assert(sizeof(Op) == 40);

/// The amplitudes with all register bits of `set` get exp(i angle), angle = table[thread] + sum of the parts that hold for the thread.
struct PhaseGroup {
  std::uint16_t set, part_count;
  std::uint32_t first_part;
  std::int32_t table;  // complex factors by thread, in units of 16 bytes in the tables; -1: none
  std::uint32_t unused;
};

/// A condition on the tile index; its angle is the sum of the outside entries that hold for the tile.
struct PhasePart {
  std::uint16_t thread_mask, thread_value, thread_parity, entry_count;
  std::uint32_t first_entry, unused;
};

/// Angles count turns / 2^64, so that sums wrap exactly. The sign is that of the parity of outside & parity.
struct PhaseEntry {
  std::uint64_t mask, value, parity;
  std::int64_t angle;
};

/// A run of consecutive bits: (index >> from & low bits) << to.
struct Run {
  std::uint8_t from, to, length, unused;
};

/// Another set of register bits. What a thread needs for it is looked up: its tile index (registers 0) from a table of 16-bit numbers.
struct Trip {
  std::uint32_t places;  // tables, in units of 16 bytes: tile index of each thread
  std::uint32_t unused;
  std::uint16_t bit[4];  // tile index of register bits 0 to 3
};

/// Targets of an op of any targets, or which tile bit each thread bit (tile_bits - 4 of them) and register bit stands for.
struct Map {
  std::uint8_t bit[16];
};

/// The kernel's parameter.
struct Program {
  std::int32_t tile_bits;
  std::int32_t num_tile_runs, num_block_runs;
  std::uint32_t num_ops, num_parts, image_bytes;
  std::uint32_t trips_at, maps_at, groups_at, parts_at;  // byte offsets in the image; ops begin at 0
  std::uint64_t entries_at, tables_at;                   // byte offsets in the sweep's data in device memory; the image begins at 0
  Run tile_runs[kMaxRuns];                               // tile index -> local physical index
  Run block_runs[kMaxRuns];                              // number of the tile -> local physical index
  std::uint8_t positions[16];                            // physical bit of each tile bit
};

}  // namespace ketmesh::kernels::cuda
