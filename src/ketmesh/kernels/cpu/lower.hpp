// Steps of a pass as operations on tile bits: matrices classified by their numbers, affine permutations as flips, phases as terms.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ketmesh/kernels/cpu/program.hpp"
#include "ketmesh/plan/plan.hpp"

namespace ketmesh::kernels::cpu {

/// One term of a phase function: where (x & mask) == value on the tile index x, angle * (-1)^parity(x & parity_mask).
struct TileTerm {
  std::uint32_t mask = 0, value = 0, parity_mask = 0;
  double angle = 0;
  Condition condition;               ///< of the bits outside
  Index outside_parity = 0;          ///< the sign also changes with the parity of these
  const PhaseTerm* table = nullptr;  ///< a table term: the angles are in the binding
  std::uint32_t table_bits = 0;      ///< tile bits that it reads
  Index outside_table = 0;           ///< bits outside that it reads
  std::uint32_t bits() const { return mask | parity_mask | table_bits; }
  bool is_static() const { return condition.always() && outside_parity == 0 && outside_table == 0; }
};

enum class OpKind : std::uint8_t { term, matrix1, flip, matrix2, cross2, exchange, wide };

struct TileOp {
  OpKind kind = OpKind::term;
  std::array<std::uint8_t, 2> targets{};              ///< tile bits
  std::uint32_t moved = 0;                            ///< mask of all targets
  std::uint32_t control_mask = 0, control_value = 0;  ///< tile bits
  Condition condition;
  /// matrix1: 4, matrix2: 16. cross2: of {00, 11} and then of {01, 10}, the factors of the sum and of the difference of the two.
  std::array<cdouble, 16> matrix{};
  TileTerm term;
  std::shared_ptr<WideOp> wide;  ///< kind wide
};

struct Lowered {
  std::vector<TileOp> ops;
};

/// `position[b]` is the tile bit of physical bit b, or -1.
Lowered lower(const Pass& pass, const Binding& binding, const std::array<std::int8_t, 64>& position);

}  // namespace ketmesh::kernels::cpu
