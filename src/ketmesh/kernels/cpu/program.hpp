// A pass translated for one vector length: plain data that the SIMD code interprets. Bits of a *tile index* are positions in the
// tile (bit j is physical bit tile_bits[j]); the lowest lane_bits of them are inside a vector, the others make the *vector index*.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <new>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh::kernels::cpu {

inline constexpr int kMaxRegisterBits = 3;
inline constexpr int kMaxTileBits = 26;

/// What one micro operation does to the vectors in registers (re and im planes, x0 and x1 a pair that differs in register bit `bit`).
/// Coefficients are whole vectors, so that controls inside a vector are an identity in those lanes.
enum class Code : std::uint8_t {
  lift_dp,         ///< real, (x0 + a x1, x1 + b x0)
  lift_dm,         ///< real, (x0 + a x1, b x0 - x1)
  lift_ap,         ///< real, (x1 + a x0, x0 + b x1)
  lift_am,         ///< real, (x1 + a x0, b x1 - x0)
  lift_rx,         ///< (x0 + i a x1, x1 + i b x0)
  lift_rx_swap,    ///< (x1 + i a x0, x0 + i b x1)
  hadamard,        ///< (x0 + x1, x0 - x1)
  matrix,          ///< general 2 x 2
  swap,            ///< (x1, x0)
  swap_lanes,      ///< (x1, x0) in the lanes of a mask
  transpose,       ///< exchanges register bit `bit` with a lane bit
  lane_lift,       ///< real, x + a shuffle(x)
  lane_anti,       ///< real, shuffle(x) + a x
  lane_lift_rx,    ///< x + i a shuffle(x)
  lane_anti_rx,    ///< shuffle(x) + i a x
  lane_real,       ///< a x + b shuffle(x), real
  lane_matrix,     ///< a x + b shuffle(x), complex
  lane_permute,    ///< shuffle(x)
  matrix4,         ///< general 4 x 4 on two register bits: `bit` numbers the pair (0,1), (0,2), (1,2)
  matrix4_lane,    ///< general 4 x 4 on register bit `bit` and a lane bit
  matrix4_lanes,   ///< general 4 x 4 on two lane bits
  cross,           ///< factors of the sum and the difference of 00 and 11, and of 01 and 10, of two register bits
  cross_odd,       ///< of 01 and 10 only
  cross_even,      ///< of 00 and 11 only
  cross_lane,      ///< as cross, of register bit `bit` and a lane bit
  phases,          ///< times a table that is the same on every tile
  phases_varying,  ///< times a table of the tile
};

/// When an operation runs: bits outside the tile, constants for it.
struct Condition {
  Index mask = 0, value = 0;  ///< (outside & mask) == value
  Index parity_mask = 0;      ///< and parity(outside & parity_mask) == odd
  bool odd = false;
  bool always() const { return mask == 0 && parity_mask == 0; }
  bool holds(Index outside) const { return (outside & mask) == value && ((std::popcount(outside & parity_mask) & 1) != 0) == odd; }
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct MicroOp {
  Code code{};
  std::uint8_t bit = 0;                           ///< register bit, or number of a pair of them
  std::uint16_t vectors = 0xffff;                 ///< bit i: the i-th vector, pair or group of four takes part
  std::uint32_t block_mask = 0, block_value = 0;  ///< on the vector index without register bits
  std::uint32_t coefficients = 0;                 ///< offset into Program::coefficients
  std::uint32_t shuffle = 0;                      ///< offset into Program::shuffles
  std::uint32_t shuffle_count = 0;
  std::int32_t condition = -1;  ///< index into Program::conditions
  // phases
  std::int32_t dynamic = -1;     ///< index into Program::dynamic_tables, or
  std::uint32_t table = 0;       ///< offset into Program::tables: [re lanes][im - re lanes][re + im lanes] a table vector
  std::uint32_t compaction = 0;  ///< offset into Program::compactions: table vector of a vector index, low and high half
  std::array<std::uint32_t, 1 << kMaxRegisterBits> register_offset{};  ///< table vector of each register vector
};

/// A phase table that depends on bits outside the tile: static part times a product over single tile bits.
struct DynamicTable {
  struct Entry {
    Condition condition;
    Index parity_mask = 0;          ///< angles change sign when the parity of these outside bits is odd
    int bit = -1;                   ///< bit of the compact table index; -1: of the tile as a whole
    double angle0 = 0, angle1 = 0;  ///< where that bit is 0, 1
  };
  /// A table term with bits outside: value number outside_part + part of the compact index.
  struct Lookup {
    Condition condition;
    std::vector<std::pair<std::uint8_t, std::uint8_t>> outside;  ///< (physical bit, bit of the lookup index)
    std::vector<std::uint32_t> index;                            ///< a compact index -> part of the lookup index
    std::vector<std::complex<double>> values;
  };
  std::vector<Entry> entries;
  std::vector<Lookup> lookups;
  bool has_static = false;
  std::uint32_t static_table = 0;  ///< offset into Program::tables: [re lanes][im lanes] a table vector
  std::uint32_t index_bits = 0;    ///< of the compact index, lanes included
  Index key_mask = 0;              ///< outside bits that it depends on
  std::uint32_t scratch = 0;       ///< offset of its values in the thread's dynamic tables
};

/// Steps on more than two targets and permutations that are not affine: over the whole tile, 2^k amplitudes at a time.
struct WideOp {
  bool permutation = false;
  std::int32_t condition = -1;
  std::vector<std::uint32_t> offsets;  ///< tile index of each basis state of the targets
  std::vector<std::uint32_t> table;    ///< permutation
  std::vector<std::complex<double>> matrix;
  std::uint32_t free_mask = 0;      ///< tile bits that are neither targets nor controls
  std::uint32_t control_value = 0;  ///< tile bits
};

/// A matrix element read of two tiles: the sum over tile indices i with the controls of factor * (-1)^{parity(i & z)} times the real or imaginary part
/// of conj(bra[i ^ x]) ket[i].
struct TileProbe {
  std::uint32_t x = 0, z = 0, control_mask = 0, control_value = 0;
  Condition condition;
  Index outside_parity = 0;
  bool real_part = false;
  double factor = 1;
};

/// Operations with one set of register bits.
struct Sweep {
  std::array<std::uint8_t, kMaxRegisterBits> positions{};  ///< in the vector index, ascending
  std::uint32_t inner_mask = 0;                            ///< vector index bits of the chunk without register bits
  std::uint32_t first_op = 0, num_ops = 0;
};

/// Sweeps that run one after the other on a chunk that stays in the first cache; or one wide operation.
struct Group {
  std::int32_t wide = -1;
  std::uint32_t outer_mask = 0;  ///< vector index bits that number the chunks
  std::uint32_t first_sweep = 0, num_sweeps = 0;
};

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete (p, std::align_val_t{64}); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};
template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

template <typename Real>
struct Program {
  using ShuffleIndex = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

  int tile_bits = 0;    ///< of the pass
  int padded_bits = 0;  ///< at least lane_bits + register_bits: what lies in the buffer
  int lane_bits = 0, register_bits = 0;

  AlignedVector<Real> coefficients, tables;
  AlignedVector<ShuffleIndex> shuffles;
  std::vector<std::uint32_t> compactions;
  std::vector<Condition> conditions;
  std::vector<DynamicTable> dynamic_tables;
  std::size_t dynamic_size = 0;  ///< Reals
  std::vector<WideOp> wides;
  std::vector<MicroOp> ops;
  std::vector<Sweep> sweeps;
  std::vector<Group> groups;
  std::complex<double> scale{1.0, 0.0};  ///< applied at the store

  // ---- memory
  int row_bits = 0;                           ///< contiguous low bits of the tile
  bool vector_rows = false;                   ///< rows hold whole vectors and the store needs no shuffle
  Index tile_mask = 0;                        ///< physical bits of the tile
  std::vector<std::uint8_t> outside_bits;     ///< local bits that number the tiles, fastest first
  std::vector<Index> row_offset;              ///< amplitude offset of row r
  std::vector<std::uint32_t> row_source;      ///< store: vector index (vector_rows) of the first vector of row r
  std::vector<std::uint32_t> in_row_source;   ///< plus that of vector v of the row
  std::vector<std::uint32_t> element_source;  ///< !vector_rows: tile index of element e of the tile, in order of memory
};

}  // namespace ketmesh::kernels::cpu
