// The kernel contract: one table of functions per backend and precision. Each acts on one shard; none knows of ranks, circuits or files.
//
// Common to all: indices are 64-bit and *physical*: amplitude i of a shard has the physical index base + i; masks may name global bits, which
// are constants for the shard. Sums are accumulated in double, blockwise, also in single precision. Functions throw only DoesNotFit
// (allocate) and Internal; on an asynchronous device they are ordered by the stream of the context.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/circuit/pauli.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels {

/// Where and with what a kernel runs.
struct DeviceContext {
  int ordinal = 0;         ///< of the device within its kind
  int threads = 1;         ///< CPU: the team
  void* stream = nullptr;  ///< CUDA: cudaStream_t
};

/// One shard: 2^local_bits amplitudes at `data`, of which the first has physical index `base` (= shard number << local_bits).
struct Shard {
  void* data = nullptr;
  int local_bits = 0;
  Index base = 0;
  Index size() const { return Index{1} << local_bits; }
};

/// A pass made ready once and run on every shard: tables, translated opcodes. Opaque; made and read by the same backend.
using PreparedPass = std::shared_ptr<const void>;

/// Where a pass that has sums_norm adds |a|^2: the bin of an amplitude is gather(physical index after the store, bits).
struct NormBins {
  std::span<const std::uint8_t> bits;  ///< physical bits after the pass's store; at most 20
  double* sums = nullptr;              ///< 2^bits.size() bins, added to
};

/// A Pauli string (y letters as in PauliMasks: P = i^{num_y} prod X^x Z^z) on the part of the state whose index has the bits of control_mask as in
/// control_value. Physical bits; x and control_mask are disjoint.
struct CrossTerm {
  PauliMasks masks;
  Index control_mask = 0, control_value = 0;
};

/// Shots over a shard that is the whole state: the draws of terminal sampling of shots [first_shot, first_shot + count). The outcomes of one block
/// are those of its lowest bits.
struct ShotDraws {
  std::span<const std::uint8_t> bits;  ///< physical bit of each bit of an outcome, lowest first
  int block_bits = 0;                  ///< of an outcome within a block; at least 8
  std::span<const double> running;     ///< sums at which the blocks begin, and the total
  Index last_possible = 0;             ///< the last block that is not empty: takes what rounding leaves beyond the total
  double unit = 0;                     ///< a draw d is d * unit
  std::uint64_t seed = 0, first_shot = 0, count = 0;
};
struct OutcomeCount {
  Index outcome = 0;  ///< logical index
  std::uint64_t count = 0;
};

/// Steps of one pass after the reading of matrix elements. The passes of all levels have one tile; only the last one permutes as it stores.
struct AdjointLevel {
  std::span<const CrossTerm> terms;  ///< their x are bits of the tile
  const Pass* pass = nullptr;
};

struct Kernels {
  std::string_view backend;  ///< "reference", "cpu", "cuda"
  std::string_view level;    ///< SIMD level or architecture: "avx512", "avx2", "sse4", "neon", "scalar", "sm_90"
  Precision precision = Precision::single;

  // ---- memory of the device
  void* (*allocate)(const DeviceContext&, std::size_t bytes);
  void (*release)(const DeviceContext&, void* data, std::size_t bytes) noexcept;
  void (*copy)(const DeviceContext&, void* to, const void* from, std::size_t bytes);
  void (*copy_to_host)(const DeviceContext&, void* to, const void* from, std::size_t bytes);
  void (*copy_from_host)(const DeviceContext&, void* to, const void* from, std::size_t bytes);
  void (*synchronize)(const DeviceContext&);

  // ---- start states; first touch by the same schedule as the passes
  void (*fill_zero)(const DeviceContext&, const Shard&);
  /// All 0 but the amplitude of one physical index (when it lies in this shard).
  void (*fill_basis)(const DeviceContext&, const Shard&, Index physical, cdouble amplitude);
  /// scale * prod over bits b of factors[b][bit b of the physical index]; factors has one entry a bit of the state.
  void (*fill_product)(const DeviceContext&, const Shard&, std::span<const std::array<cdouble, 2>> factors, cdouble scale);

  // ---- passes
  /// The passes of this plan come next: what takes long to prepare may begin. nullptr: nothing does.
  void (*announce)(const DeviceContext&, const Plan& plan, const Binding& binding);
  PreparedPass (*prepare_pass)(const DeviceContext&, const Pass& pass, const Binding& binding, int local_bits);
  /// bins may be nullptr. The store permutes the tile's bits as the pass says.
  void (*run_pass)(const DeviceContext&, const PreparedPass& pass, const Shard&, const NormBins* bins);

  // ---- reading and collapsing
  /// out[gather(index, bits)] += |a|^2 over the shard; no bits: the squared norm. At most 26 bits.
  void (*marginals)(const DeviceContext&, const Shard&, std::span<const std::uint8_t> bits, double* out);
  /// Amplitudes with (index & mask) != value become 0, the others are multiplied by scale.
  void (*collapse)(const DeviceContext&, const Shard&, Index mask, Index value, cdouble scale);
  void (*scale)(const DeviceContext&, const Shard&, cdouble factor);
  /// |a|^2 of the 2^free.size() amplitudes with the other bits as in `fixed`: out[j] for index = fixed | scatter(j, free); entries outside this shard are left alone.
  /// As many such groups as `fixed` has: fixed[g] -> out + g * 2^free.size(). Fast when groups that differ only in the lowest physical bits follow each other, ascending.
  void (*probabilities)(const DeviceContext&, const Shard&, std::span<const std::uint8_t> free, std::span<const Index> fixed, double* out);
  /// Amplitudes at physical indices; those outside the shard are left alone.
  void (*read)(const DeviceContext&, const Shard&, std::span<const Index> physical, cdouble* out);
  /// sums[t] += sum_i conj(a[i ^ x_t]) (-1)^{parity(i & z_t)} a[i] over this shard's i (phase i^{num_y} left to the caller).
  /// All x_t have the same global part; `partner` is the shard that holds i ^ x_t (itself when that part is 0).
  void (*pauli_sums)(const DeviceContext&, const Shard& shard, const Shard& partner, std::span<const PauliMasks> terms, cdouble* sums);
  /// sum_i conj(a_i) b_i
  cdouble (*inner_product)(const DeviceContext&, const Shard& a, const Shard& b);
  /// a <- factor * P a for a Pauli string given by masks without global x bits (phases i^{num_y} included).
  void (*apply_pauli)(const DeviceContext&, const Shard&, PauliMasks masks, cdouble factor);
  /// a <- a + factor * b
  void (*add)(const DeviceContext&, const Shard& a, const Shard& b, cdouble factor);

  // ---- exchange: the sub-block of amplitudes whose local bits `mask` equal `value`, its elements numbered by the remaining local bits
  /// Elements [first, first + count) of the block -> contiguous `out` in device memory.
  void (*pack)(const DeviceContext&, const Shard&, Index mask, Index value, Index first, Index count, void* out);
  void (*unpack)(const DeviceContext&, const Shard&, Index mask, Index value, Index first, Index count, const void* in);

  // ---- optional: nullptr where a backend has none, and callers do with the entries above
  /// A pass over two states at once. `stores` false: nothing is left to do after the last terms, and both states stay as they were.
  PreparedPass (*prepare_adjoint)(const DeviceContext&, std::span<const AdjointLevel> levels, const Binding& binding, int local_bits,
                                  bool stores);
  /// sums[t] += Im <bra|P_t|ket> over the shard, t counting the terms of all levels.
  void (*run_adjoint)(const DeviceContext&, const PreparedPass& pass, const Shard& bra, const Shard& ket, double* sums);
  /// to[j] += sum_t factors[t] (P_t from)[j] over the shard; the terms flip no global bits.
  void (*add_paulis)(const DeviceContext&, const Shard& to, const Shard& from, std::span<const PauliMasks> terms,
                     std::span<const cdouble> factors);
  /// The blocks of two shards of one device change places, in place: amplitudes whose local bits `mask` are as in value_a with those as in value_b.
  void (*swap_blocks)(const DeviceContext&, const Shard& a, const Shard& b, Index mask, Index value_a, Index value_b);
  /// Ascending outcomes with their counts, ~0 for the draws whose block has none that is possible: as `measure` finds them, sum for sum.
  std::vector<OutcomeCount> (*sample)(const DeviceContext&, const Shard&, const ShotDraws& draws);
};

/// Readable, one loop a kind, any gate on any bits, both precisions: the judge of all others.
const Kernels& reference_kernels(Precision precision);

enum class SimdLevel : std::uint8_t { best, avx512, avx2, sse4, neon, scalar };
std::string_view to_string(SimdLevel level);
/// Tile passes with SIMD. Throws BackendUnavailable when this processor lacks the level.
const Kernels& cpu_kernels(Precision precision, SimdLevel level = SimdLevel::best);
std::span<const SimdLevel> available_simd_levels();

}  // namespace ketmesh::kernels
