// A plan: plain data without pointers. stages -> passes -> residencies -> steps, at most one exchange at the end of a stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/plan/layout.hpp"

namespace ketmesh {

/// What a dense one-target matrix looks like whatever the angles are: kernels do only its own arithmetic.
enum class MatrixShape : std::uint8_t {
  general,   ///< any 2^k x 2^k
  real,      ///< all entries real (ry, h)
  rx_like,   ///< 2 x 2: real diagonal, imaginary off-diagonal (rx)
  hadamard,  ///< the h matrix itself
  flip,      ///< X: only moves amplitudes
};

enum class StepKind : std::uint8_t {
  matrix,       ///< 2^k x 2^k on `targets` (tile bits), under controls
  phases,       ///< multiplies by exp(i sum of terms): any bits, no residency
  permutation,  ///< moves amplitudes: basis state i of `targets` goes to table[i]
};

/// One term of a phase function: angle * f(index) with f = 1 where (index & mask) == value, else 0 (`match`);
/// or f = +1 / -1 for even / odd parity of index & mask where (index & control_mask) == control_value, else 0 (`parity`).
/// A table term (wide diagonal): the angle is table[gather(index, bits of mask)] where the controls hold.
struct PhaseTerm {
  enum class Kind : std::uint8_t { match, parity, table };
  Kind kind = Kind::match;
  std::vector<std::uint8_t> bits;  ///< table: physical bit of each index bit of the table
  Index mask = 0, value = 0;       ///< match: controls are part of mask and value
  Index control_mask = 0, control_value = 0;
  std::uint32_t angle = 0;  ///< slot in Binding::angles (table: the first of 2^bits)
  friend bool operator==(const PhaseTerm&, const PhaseTerm&) = default;
};

/// One gate or diagonal layer inside a residency. All bits are physical, in the layout that the pass loads.
struct Step {
  StepKind kind = StepKind::matrix;
  MatrixShape shape = MatrixShape::general;
  std::vector<std::uint8_t> targets;          ///< matrix, permutation: targets[j] is bit j of the matrix index; all are tile bits
  Index control_mask = 0, control_value = 0;  ///< any bits of the state, global ones too
  std::uint32_t matrix = 0;                   ///< offset into Binding::matrices (4^k entries, row-major)
  std::vector<PhaseTerm> terms;               ///< phases
  std::vector<Index> table;                   ///< permutation: 2^k
  std::uint32_t first_gate = 0;               ///< operation number in the circuit, for messages
  friend bool operator==(const Step&, const Step&) = default;
};

/// Steps that run while one set of tile bits sits in registers. Phases and steps on other bits may be among them: the set is advice.
struct Residency {
  std::vector<std::uint8_t> register_bits;  ///< physical, a subset of the tile's
  std::vector<Step> steps;
  friend bool operator==(const Residency&, const Residency&) = default;
};

/// One sweep over every shard. Tile bit j of the load is physical bit tile_bits[j]; tile_bits ascends and begins with the row bits
/// 0 .. row_bits-1 (as far as the shard has them). What was loaded at bit tile_bits[j] is stored at bit store_bits[j]: a permutation of the same bits.
struct Pass {
  std::vector<std::uint8_t> tile_bits;
  std::vector<std::uint8_t> store_bits;
  int row_bits = 0;
  std::vector<Residency> residencies;
  bool sums_norm = false;   ///< the last pass of a run may add up |a|^2 over logical blocks
  std::uint64_t flops = 0;  ///< real additions and multiplications an amplitude of the state, times amplitudes
  friend bool operator==(const Pass&, const Pass&) = default;
};

/// Swaps local bits with global bits between shards; pairs are disjoint.
struct Exchange {
  struct Pair {
    std::uint8_t local_bit, global_bit;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  std::vector<Pair> pairs;
  bool contiguous = false;  ///< local bits are the top ones of the shard, in order: blocks are contiguous
  std::uint64_t bytes = 0;  ///< that leave a shard for another, all shards
  std::uint64_t bytes_max_rank = 0;
  std::uint64_t bytes_between_ranks = 0;
  friend bool operator==(const Exchange&, const Exchange&) = default;
};

struct Stage {
  Layout layout;  ///< when it begins
  std::vector<Pass> passes;
  Exchange exchange;  ///< no pairs: none
  friend bool operator==(const Stage&, const Stage&) = default;
};

/// How the state starts.
struct Start {
  enum class Kind : std::uint8_t { given, basis_zero, product };
  Kind kind = Kind::given;
  /// product: for each qubit, the offset of its two amplitudes in Binding::matrices.
  std::vector<std::uint32_t> qubit_vectors;
  friend bool operator==(const Start&, const Start&) = default;
};

/// shard -> (rank, device).
struct Placement {
  struct Owner {
    int rank = 0, device = 0;
    friend bool operator==(const Owner&, const Owner&) = default;
  };
  int num_qubits = 0;
  int shard_bits = 0;          ///< s; S = 2^s shards
  std::vector<Owner> owners;   ///< of shard 0 .. S-1
  double largest_share = 1.0;  ///< of the state, on the fullest device
  std::string policy = "auto";
  int num_shards() const { return 1 << shard_bits; }
  int local_bits() const { return num_qubits - shard_bits; }
  friend bool operator==(const Placement&, const Placement&) = default;
};

struct DeviceMemory {
  int rank = 0;
  std::string device;
  std::uint64_t bytes = 0, capacity = 0;
  bool fits = true;
  friend bool operator==(const DeviceMemory&, const DeviceMemory&) = default;
};

struct PlanMemory {
  std::uint64_t state_bytes = 0, workspace_bytes = 0;
  std::vector<DeviceMemory> per_device;
  bool fits = true;
  friend bool operator==(const PlanMemory&, const PlanMemory&) = default;
};

struct Plan {
  int num_qubits = 0;
  Precision precision = Precision::single;
  int tile_bits = 0;
  Placement placement;
  Start start;
  std::vector<Stage> stages;
  Layout final_layout;
  PlanMemory memory;

  std::size_t gates_input = 0, gates_planned = 0;
  std::uint64_t bytes_local = 0;  ///< read + written by passes, all shards
  std::uint64_t flops = 0;
  double largest_share = 1.0;
  double seconds_evolve = 0, seconds_exchange = 0, seconds_total = 0;  ///< predicted
  std::uint64_t hash = 0;                                              ///< of everything above and of the structure of the circuit

  std::vector<std::uint64_t> recipe_words;  ///< encoded recipes of the matrices and angles below
  std::size_t num_matrix_entries = 0, num_angles = 0;

  std::size_t num_passes() const;
  std::size_t num_exchanges() const;
  std::uint64_t bytes_exchanged_total() const, bytes_exchanged_max_rank() const, bytes_between_ranks() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The numbers of one run of a plan: steps name offsets into these.
struct Binding {
  std::vector<cdouble> matrices;
  std::vector<double> angles;  ///< radians
  double global_phase = 0;     ///< radians; applied where amplitudes are read or folded into a step by bind
};

/// A table of stages, passes and memory for a terminal of 100 columns.
std::string explain(const Plan& plan);

}  // namespace ketmesh
