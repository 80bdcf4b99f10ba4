// The gates under construction: emits kinds, merges and cancels with what lies before on the same wires.
#pragma once

#include <array>
#include <vector>

#include "ketmesh/plan/canonical.hpp"

namespace ketmesh::plan {

// Under which a gate acts: the wires of mask equal value.
struct Controls {
  Index mask = 0, value = 0;
};

// Every emit_* keeps the product of everything emitted (with start state and global phase) equal to the circuit so far.
// Merging looks only at the last gates of the wires concerned, so the cost per gate is bounded.
class Canonicaliser {
 public:
  Canonicaliser(int num_qubits, bool from_zero);

  void set_operation(std::uint32_t number) { operation_ = number; }

  // terms: of one angle. exp(i angle) where (index & mask) == value.
  void emit_match(Index mask, Index value, const Factor& term);
  // exp(i angle) for even, exp(-i angle) for odd parity of index & mask where the controls hold.
  void emit_parity(Index mask, Controls controls, const Factor& term);
  void emit_table(std::span<const std::uint8_t> wires, Controls controls, const Factor& table);
  void emit_one(int wire, MatrixShape shape, Controls controls, Factor factor);
  void emit_flip(int wire, Controls controls);
  // x_like: commutes with X on both wires.
  void emit_two(int low, int high, bool x_like, MatrixShape shape, Controls controls, Factor factor);
  void emit_whole(std::span<const std::uint8_t> wires, MatrixShape shape, Controls controls);
  void emit_permutation(std::span<const std::uint8_t> wires, Controls controls);

  CanonicalCircuit finish();

 private:
  enum class Fresh : std::uint8_t { zero, one, product, used };  // what is known of a wire that nothing has entangled yet
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr int kLookBack = 64;

  PlannedGate& gate(std::uint32_t i) { return out_.gates[i]; }
  bool drop_known_controls(Controls& controls) const;  // false: they never hold
  bool fold_one(int wire, const Factor& factor);
  void fold_phase(int wire, PhaseTerm::Kind kind, Index value, const Factor& term);
  std::uint32_t back(int wire);
  std::uint32_t below(int wire, std::uint32_t upper);  // the live gate under `upper` on the wire
  bool reaches_through_diagonals(int wire, std::uint32_t lower) const;
  std::uint32_t push(PlannedGate gate);
  void kill(std::uint32_t i) { gate(i).alive = false; }
  bool is_single_matrix(const PlannedGate& g) const;
  bool is_single_phase(const PlannedGate& g) const;
  bool is_block(const PlannedGate& g) const;  // an uncontrolled two-wire matrix
  bool is_block_on(std::uint32_t i, int a, int b) const;
  bool is_pair_phase(std::uint32_t i, Index pair) const;
  void merge_single(std::uint32_t into, MatrixShape shape, const Factor& factor);
  void append_phase_factors(PlannedGate& matrix, const PlannedGate& phase, bool before);
  void absorb_before(std::uint32_t block);
  void emit_phase(PlannedGate phase, const Factor& term);
  bool cancel_flip(int target, Controls controls);
  bool commutes_with_flip(std::uint32_t i, int target, Controls controls) const;
  void conjugate_by_flip(std::uint32_t i, int control, int target);
  static void set_matrix_action(PlannedGate& g);

  CanonicalCircuit out_;
  std::uint32_t operation_ = 0;
  std::array<std::vector<std::uint32_t>, kMaxQubits> wires_;
  std::array<Fresh, kMaxQubits> fresh_{};
};

}  // namespace ketmesh::plan
