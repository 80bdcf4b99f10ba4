// One plan for many bindings at once: a vector holds the same amplitude of as many circuits as it has lanes. No shuffles, no tiles and nothing that
// is prepared once a circuit: for states that fit the second cache.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels::batch {

/// 2^12 amplitudes of 16 lanes are 512 KiB in single precision.
inline constexpr int kMostQubits = 12;

enum class OpKind : std::uint8_t { real1, rx1, general1, flip, dense, match, parity, table, permutation };

/// A step on state indices: bit p of an index is position p; permuted stores only rename positions.
struct Op {
  OpKind kind = OpKind::general1;
  std::vector<std::uint8_t> targets;
  std::uint32_t control_mask = 0, control_value = 0;
  std::uint32_t parity = 0;              ///< parity terms
  std::uint32_t source = 0;              ///< matrix offset or angle slot of the binding
  std::uint32_t numbers = 0, count = 0;  ///< first and how many vectors of numbers
  std::vector<std::uint32_t> table;      ///< permutation
};

/// A plan of one shard, translated.
struct Program {
  int num_qubits = 0;
  bool product_start = false;
  std::vector<std::array<std::uint32_t, 2>> start;  ///< of each position: matrix offset of its two amplitudes, first vector of numbers
  std::vector<Op> ops;
  std::uint32_t num_numbers = 0;  ///< vectors
  std::size_t widest = 0;         ///< most targets of a dense matrix or permutation
  Layout final_layout;            ///< qubit -> position
};

/// Whether a plan can run in lanes: from |0..0> or a product state, on one shard of at most kMostQubits qubits, without wide dense matrices.
bool fits_lanes(const Plan& plan);
Program translate(const Plan& plan);

/// Memory and numbers of one thread: `lanes` circuits.
template <typename Real>
struct Work {
  explicit Work(const Program& program, int lanes);
  std::vector<Real> memory;
  Real *re, *im;              ///< [2^n][lanes]
  Real* numbers;              ///< [num_numbers][lanes]
  Real* scratch;              ///< 2 * 2^widest vectors
  std::vector<double> phase;  ///< radians of each lane, beside the amplitudes
};

/// Lane `lane` of the numbers from a binding of the plan.
template <typename Real>
void load_numbers(const Program& program, const Binding& binding, int lane, int lanes, Work<Real>& work);

/// The loops of one SIMD level.
template <typename Real>
struct Engine {
  int lanes = 1;
  void (*run)(const Program& program, Work<Real>& work) = nullptr;
  /// out[lane] = sum of (-1)^{parity(i & z)} conj(a[i ^ x]) a[i], times i^{num_y}: real. Masks of positions.
  void (*pauli)(const Program& program, const Work<Real>& work, std::uint32_t x, std::uint32_t z, double* out) = nullptr;
};
template <typename Real>
Engine<Real> engine(SimdLevel level);

}  // namespace ketmesh::kernels::batch
