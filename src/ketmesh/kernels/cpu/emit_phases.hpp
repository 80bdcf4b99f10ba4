// Phase terms as tables: one for what is alike on every tile, dynamic ones for bits outside, conditional ones for the rest.
#pragma once

#include <vector>

#include "ketmesh/kernels/cpu/phase_table.hpp"
#include "ketmesh/kernels/cpu/program.hpp"

namespace ketmesh::kernels::cpu {

template <typename Real>
class PhaseEmitter {
 public:
  PhaseEmitter(const Binding& binding, const std::array<std::int8_t, 64>& position, Program<Real>& program)
      : binding_(binding), position_(position), program_(program) {}

  /// Appends the micro operations that multiply by all `terms`; `registers` is the mask of register bits in the vector index.
  void emit(const std::vector<TileTerm>& terms, std::uint32_t registers);
  /// Number of a condition in the program; -1: always.
  std::int32_t condition(const Condition& wanted);

 private:
  std::uint32_t add_table(const std::vector<cdouble>& values, bool with_sums);
  MicroOp operation(std::uint32_t involved, std::uint32_t registers);
  std::uint32_t compaction(std::uint32_t blocks);
  void emit_static(const std::vector<TileTerm>& terms, std::uint32_t registers, std::int32_t when);
  void emit_dynamic(const std::vector<TileTerm>& fixed, const std::vector<TileTerm>& varying, std::uint32_t registers);
  DynamicTable::Lookup lookup(const TileTerm& term, std::uint32_t involved) const;
  void skip_ones(MicroOp& op, const std::vector<cdouble>& values) const;

  const Binding& binding_;
  const std::array<std::int8_t, 64>& position_;
  Program<Real>& program_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> compactions_;  ///< mask -> offset
};

}  // namespace ketmesh::kernels::cpu
