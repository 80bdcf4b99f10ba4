// The opcode list of one tile pass: plain data that the host translates a pass into and a CUDA kernel interprets.
//
// A thread holds 16 amplitudes of its tile in registers: those whose index differs in the 4 *register bits*. A trip through shared
// memory gives it another set. Shared memory keeps amplitude i of the tile at pad(i) = i + i/16 + i/256: linear over disjoint bits,
// and free of bank conflicts when the lowest thread bits are chosen with care (translate.cpp).
//
// The image (ops, maps, coefficients, phase groups and parts) is copied into shared memory by every block: reading an op there costs a
// few cycles, from a constant bank that four blocks compete for it costs hundreds.
//
// Gates without controls are lifted: cos [[1, -t], [t, 1]] costs two multiply-adds an amplitude, the product of the cosines waits for the
// store. Phases that only the thread's bits decide wait in a factor of the thread for the next trip.
#pragma once

#include <cstdint>

namespace ketmesh::kernels::cuda {

inline constexpr int kMaxTileBits = 13;
inline constexpr int kMinTileBits = 8;   // smaller tiles run in the small kernel, one amplitude a thread
inline constexpr int kRegisterBits = 4;  // of a thread of the interpreter; kernels of their own may have one more
inline constexpr int kMostRegisterBits = 5;
inline constexpr int kMaxRuns = 16;
inline constexpr std::uint32_t kMaxImageBytes = 16384;
inline constexpr std::uint32_t kMaxParts = 1024;  // 8 bytes of shared memory each

enum class OpKind : std::uint8_t {
  none,
  trip,  // through shared memory to the map at `data`; `registers` 1: the thread's pending factor is multiplied in before
  // Layers of uncontrolled one-target gates, one for each bit of `registers`; the common factor waits for the store:
  rotation,    // [[1, -t], [t, 1]]: t
  reflection,  // [[1, t], [t, -1]]: t
  rx,          // [[1, it], [it, 1]]: t
  lift,        // [[1, a], [-conj a, 1]]: a
  lift_phase,  // [[1, a], [b, s]]: a, b, s, and two reals unused
  flip,        // X, where the thread's controls hold
  dense1,      // any 2 x 2 under controls: 8 reals
  cx,          // reg0 controls, reg1 is flipped, where the thread's controls hold
  dense2,      // 32 reals, targets reg0 < reg1, under controls
  odd2,        // acts where the bits reg0 < reg1 differ: 2 x 2 on (01, 10), 8 reals, under controls; `extra` 1: it is the first entry times
               // [[1, it], [it, 1]], and t follows
  rescale,     // 1 real
  diagonal,    // factors by register index from the tables at `extra`, for each of them one of each class of threads; the class is made of
               // the thread bits in the nibbles of `data`, 15: no more
  phase_thread,  // the pending factor of a thread is multiplied by its entry in the table at `extra`; `registers` 0: is the first
  settle,        // the pending factor is multiplied in
  phases,        // `count` groups from group `data`; those of no register go into the pending factor, reg0 0: as its first
  matrix_any,    // any targets through shared memory: `count` targets, map `data` holds their tile bits, entries in the tables at `extra`
  permute_any,   // the same with an inverse table of 32-bit indices
  diagonal_any,  // a factor from a table of 2^count at `extra`; maps `data` and data + 1 say which bits make its index: tile bit, or 128 + physical bit
};

/// 16 bytes, read at once. Controls: bits of the tile index that the thread decides, and register bits. Outside bits: see Guard.
struct alignas(16) Op {
  OpKind kind;
  union {
    std::uint8_t registers, count;
  };
  std::uint16_t reg0 : 3, reg1 : 3, reg_mask : 5, reg_value : 5;
  std::uint16_t thread_mask, thread_value;
  std::uint32_t data;   // coefficients and maps of trips: byte offset in the image
  std::uint32_t extra;  // tables: in units of 16 bytes
};
static_assert(sizeof(Op) == 16);

/// An op that runs only in tiles whose outside bits are right: the others drop it as they begin.
struct Guard {
  std::uint64_t mask, value;
  std::uint32_t op, unused;
  std::uint64_t unused2;
};

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

/// Which tile index a thread has (registers 0) and what each register bit adds to it: the tile index in the low 16 bits, its place in shared
/// memory in the high ones. Both are sums over the low four and the other bits of the thread's number.
struct Trip {
  std::uint32_t low[16];
  std::uint32_t bit[8];
  std::uint32_t high[32];
};

/// Targets of an op of any targets, or which tile bit each bit of the thread's number and each register bit stands for.
struct Map {
  std::uint8_t bit[16];
};

/// The kernel's parameter.
struct Program {
  std::int32_t tile_bits, register_bits;
  std::int32_t num_tile_runs, num_block_runs;
  std::uint32_t num_ops, num_parts, num_guards, image_bytes;
  std::uint32_t guards_at, trips_at, maps_at, groups_at,
      parts_at;                         // byte offsets in the image; ops begin at 0, the first trip is the load's
  bool phased, pending;                 // a complex scale or factors of threads wait for the store; the latter
  double scale[2];                      // of the whole sweep, at the store
  std::uint64_t entries_at, tables_at;  // byte offsets in the sweep's data in device memory; the image begins at 0
  Run tile_runs[kMaxRuns];              // tile index -> local physical index
  Run block_runs[kMaxRuns];             // number of the tile -> local physical index
  // Physical bit that each bit of the thread's number, then each register bit, stands for when the tile is loaded and when it is stored. Where
  // it is 0 for register bit 0, single precision moves two neighbours at once.
  std::uint8_t load_bits[16], store_bits[16];
};

}  // namespace ketmesh::kernels::cuda
